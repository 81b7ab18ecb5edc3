//! `--compress-program`: temporary files pass through a program, and the bytes stay the same.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::differential::random::Random;

/// Swaps letters, which undoes itself, and leaves a line in `log` each time.
const SWAP: &str = "echo \"run $*\" >> log; exec tr a-z n-za-m";

/// Bytes of the lines: several times the memory that is asked for.
const BYTES: usize = 1 << 20;

/// Enough memory for a fraction of them.
const SPILLING: [&str; 2] = ["-S", "128K"];

/// A folder with `lines`, a folder `temporary` for temporary files, and programs.
struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("sortwell-test-").tempdir().expect("a folder");
        let scene = Self { folder };
        fs::create_dir(scene.at("temporary")).expect("a folder");
        fs::write(scene.at("lines"), lines(BYTES)).expect("write");
        scene.program("swap", SWAP);
        scene
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Makes a shell script.
    fn program(&self, name: &str, script: &str) {
        // Written by another process: one that this one holds open for writing while another test
        // starts a program cannot be run.
        let mut shell = Command::new("sh");
        let command = "printf '%s\\n' '#!/bin/sh' \"$1\" > \"$0\"";
        shell.args(["-c", command, name, script]).current_dir(self.folder.path());
        assert!(shell.status().expect("sh").success());
        fs::set_permissions(self.at(name), fs::Permissions::from_mode(0o755)).expect("mode");
    }

    fn command(&self, program: &str, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.arg0("sort").args(words).current_dir(self.folder.path());
        command.env("LC_ALL", "C").env("TMPDIR", self.at("temporary")).stdin(Stdio::null());
        command
    }

    /// Runs ours; nothing temporary is left behind.
    fn run(&self, words: &[&str]) -> Output {
        let output = self.command(crate::differential::OURS, words).output().expect("run");
        assert_eq!(self.temporary(), 0, "{words:?} leaves files");
        output
    }

    /// The sorted bytes; nothing is said.
    fn sorted(&self, words: &[&str]) -> Vec<u8> {
        let output = self.run(words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{words:?}: {said}");
        output.stdout
    }

    /// What the system's sort makes of it without any program, if there is one to compare with.
    fn expected(&self, words: &[&str]) -> Option<Vec<u8>> {
        if !crate::both::has_gnu_sort() {
            println!("LEFT OUT: this machine has no GNU sort of coreutils 9 to compare with");
            return None;
        }
        let output = self.command(crate::differential::THEIRS, words).output().expect("run");
        assert!(output.status.success(), "{words:?}: {output:?}");
        Some(output.stdout)
    }

    /// How often the program ran to compress, and to expand.
    fn runs(&self) -> (usize, usize) {
        let log = fs::read_to_string(self.at("log")).unwrap_or_default();
        let _ = fs::remove_file(self.at("log"));
        let count = |line: &str| log.lines().filter(|said| *said == line).count();
        assert_eq!(count("run ") + count("run -d"), log.lines().count(), "{log}");
        (count("run "), count("run -d"))
    }

    /// How many files there are among the temporary ones.
    fn temporary(&self) -> usize {
        fs::read_dir(self.at("temporary")).expect("a folder").count()
    }
}

/// Lines of words and numbers, many of them again and again, and no end to the last.
fn lines(bytes: usize) -> Vec<u8> {
    let mut random = Random::new(bytes as u64);
    let mut lines = Vec::with_capacity(bytes + 100);
    while lines.len() < bytes {
        let number = random.next() >> random.below(64);
        match random.below(3) {
            0 => writeln!(lines, "{} Again\0x", number % 50).expect("write"),
            1 => writeln!(lines, "{:x} {}.{}", number % 1000, number, number % 7).expect("write"),
            _ => writeln!(lines, "{number:x} b {number:030}").expect("write"),
        }
    }
    lines.pop();
    lines
}

#[test]
fn bytes_are_those_of_the_systems_sort() {
    let scene = Scene::new();
    for words in [
        &[][..],
        &["-u"],
        &["-r"],
        &["-s", "-k2,2"],
        &["-u", "-k2,2"],
        &["-k1,1f", "-k2,2nr"],
        &["-z", "-u"],
        &["-n", "-u", "-r"],
        &["--batch-size=2", "-s", "-k2,2n"],
        &["--batch-size=3", "-u", "-k1,1n"],
        &["-n", "--debug"],
    ] {
        let plain = [words, &["lines"]].concat();
        let through = [words, &SPILLING, &["--compress-program=./swap", "lines"]].concat();
        let Some(expected) = scene.expected(&plain) else { return };
        let output = scene.run(&through);
        assert!(output.status.success(), "{words:?}: {output:?}");
        assert!(output.stdout == expected, "{words:?}");
        let (compressed, expanded) = scene.runs();
        assert!(compressed >= 8, "{words:?}: {compressed}");
        assert_eq!(compressed, expanded, "{words:?}: every file is read once");
    }
}

#[test]
fn gzip_does_as_well() {
    if Command::new("gzip").arg("--version").output().is_err() {
        println!("LEFT OUT: this machine has no gzip");
        return;
    }
    let scene = Scene::new();
    let words = [&SPILLING, &["--compress-program=gzip", "lines", "lines"][..]].concat();
    let sorted = scene.sorted(&words);
    let Some(expected) = scene.expected(&["lines", "lines"]) else { return };
    assert!(sorted == expected);
}

#[test]
fn pipes_and_files_one_after_another_are_cut_alike() {
    let scene = Scene::new();
    let words = [&SPILLING, &["--compress-program=./swap", "-", "lines"][..]].concat();
    let mut command = scene.command(crate::differential::OURS, &words);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("run");
    let mut pipe = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || pipe.write_all(&lines(300_000)).expect("feed"));
    let output = child.wait_with_output().expect("wait");
    writer.join().expect("the writer");
    assert!(output.status.success(), "{output:?}");
    assert!(scene.runs().0 > 10);
    fs::write(scene.at("fed"), lines(300_000)).expect("write");
    let Some(expected) = scene.expected(&["fed", "lines"]) else { return };
    assert!(output.stdout == expected);
}

#[test]
fn an_output_may_be_the_input() {
    let scene = Scene::new();
    let Some(expected) = scene.expected(&["lines"]) else { return };
    let words = [&SPILLING, &["--compress-program=./swap", "-o", "lines", "lines"][..]].concat();
    assert!(scene.sorted(&words).is_empty());
    assert!(fs::read(scene.at("lines")).expect("read") == expected);
    assert!(scene.runs().0 > 1);
}

#[test]
fn merges_of_many_files_use_it_and_others_do_not() {
    let scene = Scene::new();
    for number in 1..=7 {
        let lines: Vec<String> =
            (0..3000).map(|line| format!("{:06}\n", line * number % 5000)).collect();
        fs::write(scene.at("unsorted"), lines.concat()).expect("write");
        let name = format!("sorted{number}");
        assert!(scene.run(&["-o", &name, "unsorted"]).status.success());
    }
    let files: Vec<String> = (1..=7).map(|number| format!("sorted{number}")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    for (words, files_made) in
        [(&["-m", "--batch-size=2"][..], 5), (&["-m", "--batch-size=3", "-u"], 2), (&["-m"], 0)]
    {
        let plain = [words, &files[..]].concat();
        let through = [words, &["--compress-program=./swap"], &files[..]].concat();
        let Some(expected) = scene.expected(&plain) else { return };
        assert!(scene.sorted(&through) == expected, "{words:?}");
        assert_eq!(scene.runs(), (files_made, files_made), "{words:?}");
    }
}

#[test]
fn what_fits_in_memory_needs_no_program() {
    let scene = Scene::new();
    fs::write(scene.at("few"), "b\na\n").expect("write");
    for words in [
        &["--compress-program=missing", "few"][..],
        &["--compress-program=missing", "-S", "1K", "few"],
        &["--compress-program=missing", "-S", "100M", "lines", "few"],
    ] {
        let sorted = scene.sorted(words);
        assert!(sorted.split(|byte| *byte == b'\n').any(|line| line == b"a"), "{words:?}");
    }
}

/// As GNU sort has it from 9.9 on.
#[test]
fn a_program_that_cannot_be_run_is_done_without() {
    let scene = Scene::new();
    fs::write(scene.at("text"), "no program").expect("write");
    for (program, why) in [
        ("missing", "No such file or directory"),
        ("./missing", "No such file or directory"),
        ("./text", "Permission denied"),
    ] {
        let option = format!("--compress-program={program}");
        let output = scene.run(&[&SPILLING, &[&option, "--batch-size=4", "lines"][..]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(said, format!("sort: could not run compress program '{program}': {why}\n"));
        assert!(output.status.success(), "{program}");
        let Some(expected) = scene.expected(&["lines"]) else { return };
        assert!(output.stdout == expected, "{program}");
    }
}

#[test]
fn programs_that_fail_or_lose_bytes_are_errors_that_keep_the_output_as_it_was() {
    let scene = Scene::new();
    let abnormally = "'./bad' [-d] terminated abnormally";
    for (script, words) in [
        ("exit 3", abnormally),
        ("exit 0", "./bad: "),
        ("cat > /dev/null; echo nothing of it", "./bad: returned "),
        ("cat; exit 7", abnormally),
        ("kill -9 $$", abnormally),
        ("if [ \"$1\" = -d ]; then head -c 5000; else cat; fi", "./bad: returned 5000 bytes"),
        ("if [ \"$1\" = -d ]; then head -c 5000; exit 1; else cat; fi", abnormally),
        ("if [ \"$1\" = -d ]; then cat; echo more; else cat; fi", "./bad: returned "),
        ("if [ \"$1\" = -d ]; then exit 1; else cat; fi", abnormally),
    ] {
        scene.program("bad", script);
        fs::write(scene.at("out"), "as it was").expect("write");
        for width in ["--batch-size=2", "--batch-size=20"] {
            let words_given = ["--compress-program=./bad", width, "-o", "out", "lines"];
            let output = scene.run(&[&SPILLING, &words_given[..]].concat());
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{script}: {said}");
            assert!(said.starts_with(&format!("sort: {words}")), "{script}: {said}");
            assert_eq!(said.lines().count(), 1, "{script}: {said}");
            assert_eq!(fs::read(scene.at("out")).expect("read"), b"as it was", "{script}");
        }
    }
}

/// Whoever ignores the ends of children has their status thrown away, in programs it starts too.
#[test]
fn it_is_immune_to_ignored_signals_of_children() {
    let scene = Scene::new();
    let line = "trap '' CHLD; exec \"$0\" \"$@\"";
    let ours = crate::differential::OURS;
    let words = ["gnu", "-S", "128K", "--compress-program=./swap", "lines"];
    let output = scene.command("sh", &[&["-c", line, ours], &words[..]].concat()).output();
    let output = output.expect("run");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        output.stdout.len(),
        BYTES.max(fs::read(scene.at("lines")).expect("read").len()) + 1
    );
    assert!(scene.runs().1 > 1);
}

/// Whatever a program is busy with, a signal ends us soon, and nothing is left.
#[test]
fn signals_leave_nothing() {
    let scene = Scene::new();
    for script in [
        "exec sleep 100",
        "trap '' TERM INT; echo busy > busy; while :; do sleep 0.1; done",
        "echo busy > busy; cat > /dev/null; exec sleep 100",
        "if [ \"$1\" = -d ]; then echo busy > busy; exec sleep 100; else exec cat; fi",
        "if [ \"$1\" = -d ]; then echo busy > busy; head -c 99; exec sleep 100; else exec cat; fi",
    ] {
        for (signal, died_of) in [("INT", 2), ("TERM", 15)] {
            scene.program("slow", script);
            let words = ["--compress-program=./slow", "-o", "out", "lines"];
            let mut command =
                scene.command(crate::differential::OURS, &[&SPILLING, &words[..]].concat());
            let mut child = command.spawn().expect("run");
            let is_busy = || match script.contains("busy") {
                true => scene.at("busy").exists(),
                false => scene.temporary() > 0,
            };
            assert!(comes_true(is_busy), "{script}: it does not begin");
            sleep(Duration::from_millis(50));
            let number = child.id().to_string();
            assert!(Command::new("kill").args(["-s", signal, &number]).status().is_ok());
            let asked = Instant::now();
            assert_eq!(ended(&mut child).signal(), Some(died_of), "{script}: {signal}");
            assert!(asked.elapsed() < Duration::from_secs(1), "{script}: {:?}", asked.elapsed());
            assert_eq!(scene.temporary(), 0, "{script}: {signal}");
            assert!(!scene.at("out").exists());
            let _ = fs::remove_file(scene.at("busy"));
        }
    }
}

/// What a killed sort could not remove goes with the next that has temporary files.
#[test]
fn the_next_sort_removes_what_a_killed_one_left() {
    let scene = Scene::new();
    scene.program("slow", "echo busy > busy; exec sleep 3");
    let words = [&SPILLING, &["--compress-program=./slow", "lines"][..]].concat();
    let mut child = scene.command(crate::differential::OURS, &words).spawn().expect("run");
    assert!(comes_true(|| scene.at("busy").exists()), "it does not begin");
    child.kill().expect("kill");
    child.wait().expect("wait");
    assert_eq!(scene.temporary(), 1);
    scene.sorted(&[&SPILLING, &["--compress-program=./swap", "lines"][..]].concat());
}

fn comes_true(mut is_so: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_secs(20);
    while Instant::now() < deadline {
        if is_so() {
            return true;
        }
        sleep(Duration::from_millis(2));
    }
    false
}

/// How a child ended that ends soon.
fn ended(child: &mut Child) -> ExitStatus {
    assert!(comes_true(|| child.try_wait().expect("wait").is_some()), "it goes on");
    child.wait().expect("wait")
}
