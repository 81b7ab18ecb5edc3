//! Signals and closed pipes: the job ends soon, by itself, and leaves nothing behind.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::harness::{
    DIED_OF_INT, DIED_OF_TERM, Folder, Said, ended, left_out, random_records, signal,
};

/// A sort that has taken some records and waits for more: more than a pipe holds, so that it is
/// certainly under way.
fn waiting_sort(folder: &Folder, line: &str) -> Child {
    let mut child = folder.start(line);
    let pipe = child.stdin.as_mut().expect("a pipe");
    pipe.write_all(&random_records(20_000, 100)).expect("feed");
    child
}

#[test]
fn interrupt_and_terminate_name_themselves() {
    for (name, status) in [("INT", DIED_OF_INT), ("TERM", DIED_OF_TERM)] {
        let folder = Folder::new();
        let child = waiting_sort(&folder, "sort -F fixed:100 -o out");
        signal(&child, name);
        Said::from(ended(child, Duration::from_secs(5))).fails(status, &["interrupted"]);
        assert!(folder.names().is_empty(), "{name} left {:?}", folder.names());
    }
}

/// Whatever a command waits for at the other end of a pipe, it does not wait when told to stop.
#[test]
fn signals_are_heeded_while_pipes_block() {
    let folder = Folder::new();
    folder.write("in", random_records(50_000, 100));
    let made = Command::new("mkfifo").arg(folder.at("fifo")).status().expect("mkfifo");
    assert!(made.success());
    for (line, is_told) in [
        ("sort -F fixed:100 -o out", true),      // nothing comes in
        ("sort -F fixed:100 in", true), // nothing is taken: 5 MB are more than a pipe holds
        ("sort -F fixed:100 -o out fifo", true), // nobody opens the other end
        ("sort -F fixed:100 -o fifo in", true),
        ("sort -F csv -o out fifo", true),
        ("sort --decompress gzip -o out fifo", true),
        ("sort -o out --files0-from -", false),
        ("sort -o out --files0-from fifo", false),
        ("sort --report fifo -o out in", false),
        ("merge -F fixed:100 -o out - in", true),
        ("merge -F fixed:100 -o out fifo in", true),
        ("merge --verify off -F fixed:100 in in", true),
        ("check -F fixed:100", true),
        ("check -F fixed:100 fifo", true),
        ("gnu", false),
        ("gnu -o out", true),
        ("gnu fifo", true),
        ("gnu in in", true),
        ("gnu -c", false),
        ("gnu -m fifo -o out", true),
        ("gnu --debug in", true),
        ("gnu --files0-from fifo", false),
        ("generate 1000000 -", true),
        ("generate 1000000 fifo", true),
        ("validate -", true),
        ("validate -s -", true),
        ("validate fifo", true),
        ("validate in -o fifo", true),
        ("report -", false),
        ("report fifo", false),
    ] {
        let line = if line.starts_with("report") { format!("{line} -o out") } else { line.into() };
        let child = folder.start(&line);
        sleep(Duration::from_millis(200));
        let asked = Instant::now();
        signal(&child, "INT");
        let said = Said::from(ended(child, Duration::from_secs(5)));
        println!("{line}: {:?}", asked.elapsed());
        assert!(asked.elapsed() < Duration::from_secs(1), "{line}: {:?}", asked.elapsed());
        // As GNU sort, the one that is called so says nothing; nor does what has no job to stop.
        match is_told && !line.starts_with("gnu") {
            true => said.fails(DIED_OF_INT, &["interrupted"]),
            false => {
                let is_silent = said.words.is_empty() || line.contains("--debug");
                assert!(said.status == DIED_OF_INT && is_silent, "{line}: {said:?}");
            }
        }
        assert_eq!(folder.names(), ["fifo", "in"], "{line}");
    }
}

/// Progress and statistics that nobody reads do not keep a job from its end.
#[test]
fn words_that_nobody_reads_hold_up_nothing() {
    let folder = Folder::new();
    let full = || {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        writer.write_all(&[b'x'; 1 << 16]).expect("fill");
        (reader, writer)
    };
    for (line, input) in [
        ("sort --progress json -o out", "one\n"), // waits for input
        ("sort --stats json -o out", ""),         // has nothing to wait for but its words
    ] {
        let (held, stderr) = full();
        let words: Vec<&str> = line.split(' ').collect();
        let mut command = folder.command(&words);
        command.stdin(Stdio::piped()).stderr(stderr);
        let mut child = command.spawn().expect("start");
        drop(command); // It has the pipe open for writing.
        let mut pipe = child.stdin.take().expect("a pipe");
        pipe.write_all(input.as_bytes()).expect("feed");
        let pipe = (!input.is_empty()).then_some(pipe);
        sleep(Duration::from_millis(2500));
        assert!(child.try_wait().expect("wait").is_none(), "{line}: it does not wait");
        let asked = Instant::now();
        signal(&child, "INT");
        // What it says of the end is waited for, too: whoever listens takes it now.
        let listener = std::thread::spawn(move || {
            sleep(Duration::from_millis(300));
            std::io::copy(&mut &held, &mut std::io::sink())
        });
        let output = ended(child, Duration::from_secs(5));
        assert!(asked.elapsed() < Duration::from_secs(1), "{line}: {:?}", asked.elapsed());
        assert_eq!(Said::from(output).status, DIED_OF_INT, "{line}");
        drop(pipe);
        listener.join().expect("listener").expect("listen");
    }
}

/// A shell goes on with its script after a command that exits, whatever its status, and not after
/// one that died of Ctrl-C.
#[test]
fn a_script_does_not_go_on_after_ctrl_c() {
    let folder = Folder::new();
    folder.run("generate 300000 in").quietly();
    for line in [
        "sort -F fixed:100 -o out -",
        "merge -F fixed:100 -o out -",
        "check -F fixed:100 -",
        "gnu -o out",
        "validate -",
        "generate 1000 fifo",
        "bench datamation --records 1000 --runs 1000",
        "calibrate memory --profile p.toml",
    ] {
        let script = format!("mkfifo fifo 2> none; \"$sortwell\" {line}; echo the script went on");
        let mut shell = Command::new("bash");
        // A group of its own, to which a signal goes as from a terminal.
        shell.args(["-c", &script]).current_dir(folder.path()).process_group(0);
        shell.env("sortwell", env!("CARGO_BIN_EXE_sortwell"));
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let Ok(mut child) = shell.spawn() else { return left_out("there is no bash") };
        let pipe = child.stdin.take();
        sleep(Duration::from_millis(500));
        let kill = format!("kill -s INT -- -{}", child.id());
        assert!(Command::new("bash").args(["-c", &kill]).status().expect("bash").success());
        // A bench waits for the disk, which may be busy with what others have written.
        let output = ended(child, Duration::from_secs(20));
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(!said.contains("went on"), "{line}: {said}");
        drop(pipe);
    }
}

#[test]
fn a_spilling_sort_cleans_up_when_terminated() {
    let folder = Folder::new();
    std::fs::create_dir(folder.at("spill")).expect("folder");
    folder.run("generate 3000000 in").quietly();
    let child = folder.start("sort -F fixed:100 -M 64MiB -T spill -o out in");
    let spill = || std::fs::read_dir(folder.at("spill")).expect("folder").count();
    let deadline = Instant::now() + Duration::from_secs(20);
    while spill() == 0 && Instant::now() < deadline {
        sleep(Duration::from_millis(2));
    }
    assert!(spill() > 0, "it does not spill");
    signal(&child, "TERM");
    Said::from(ended(child, Duration::from_secs(5))).fails(DIED_OF_TERM, &["interrupted"]);
    assert_eq!(spill(), 0);
    assert_eq!(folder.names(), ["in", "spill"]);
}

#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let folder = Folder::new();
    folder.write("in", random_records(1000, 100));
    let script = "trap '' INT; \"$sortwell\" sort -F fixed:100 -o out < fifo & \
                  exec 3> fifo; kill -INT $!; sleep 0.2; cat in >&3; exec 3>&-; wait $!";
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("mkfifo fifo && {script}")]).current_dir(folder.path());
    let output = shell.env("sortwell", env!("CARGO_BIN_EXE_sortwell")).output().expect("sh");
    Said::from(output).quietly();
    assert_eq!(folder.read("out").len(), 100_000);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    folder.write("in", random_records(50_000, 100));
    for line in ["sort -F fixed:100 in", "sort -F fixed:100 -j 7 in", "generate 1000000 -"] {
        let mut child = folder.start(line);
        let mut pipe = child.stdout.take().expect("a pipe");
        pipe.read_exact(&mut [0; 100]).expect("one record");
        drop(pipe);
        let said = Said::from(ended(child, Duration::from_secs(20)));
        assert_eq!((said.status, said.words.as_str()), (0, ""), "{line}");
    }
}
