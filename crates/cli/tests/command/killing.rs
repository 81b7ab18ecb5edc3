//! A spilling sort that is killed or interrupted at any moment: the input as it was, the output
//! whole or absent, nothing left behind that the next sort does not remove.

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::harness::{
    DIED_OF_INT, DIED_OF_KILL, Folder, Random, Said, ended, random_records, signal,
};

const SORT: &str = "sort -F fixed:100 -k 0..10 -M 48MiB -T spill -o out in";
const RECORDS: usize = 800_000;
const KILLS: usize = 8;
const INTERRUPTS: usize = 8;

/// An input, what it is sorted, and how long that takes.
struct Scene {
    folder: Folder,
    input: Vec<u8>,
    sorted: Vec<u8>,
    takes: Duration,
}

impl Scene {
    fn new() -> Self {
        let folder = Folder::new();
        fs::create_dir(folder.at("spill")).expect("folder");
        folder.run(&format!("generate {RECORDS} in")).quietly();
        // The first time is slower than those that follow: its memory and its blocks are new.
        folder.run(SORT).quietly();
        let begun = Instant::now();
        let said = folder.run(&format!("{SORT} --stats json"));
        let takes = begun.elapsed();
        let account: serde_json::Value = serde_json::from_str(&said.words).expect("JSON");
        assert!(account["runs"].as_u64() > Some(1), "it spills: {account}");
        let (input, sorted) = (folder.read("in"), folder.read("out"));
        let scene = Self { folder, input, sorted, takes };
        scene.assert_whole_and_clean();
        scene
    }

    /// Starts the sort anew and ends it with the signal after a share of the time it takes.
    fn end_with(&self, name: &str, share: f64) -> Said {
        let _ = fs::remove_file(self.folder.at("out"));
        let words: Vec<&str> = SORT.split(' ').collect();
        let child = self.folder.command(&words).stderr(Stdio::piped()).spawn().expect("start");
        sleep(self.takes.mul_f64(share));
        // Should it have ended already, it is not waited for yet, and its number is still its own.
        signal(&child, name);
        Said::from(ended(child, Duration::from_secs(20)))
    }

    /// Names in the two folders, `in` and `out` aside.
    fn left_behind(&self) -> Vec<String> {
        let mut names = self.folder.names();
        names.retain(|name| !["in", "out", "spill"].contains(&name.as_str()));
        let entries = fs::read_dir(self.folder.at("spill")).expect("folder");
        names.extend(
            entries.map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned()),
        );
        names
    }

    /// Asserts what must hold after any end; whether there is an output.
    fn assert_nothing_lost(&self) -> bool {
        assert!(self.folder.read("in") == self.input, "the input has changed");
        let has_output = self.folder.at("out").exists();
        assert!(!has_output || self.folder.read("out") == self.sorted, "half an output");
        has_output
    }

    fn assert_whole_and_clean(&self) {
        assert!(self.assert_nothing_lost(), "no output");
        assert_eq!(self.left_behind(), [""; 0]);
    }
}

#[test]
fn killed_at_any_moment() {
    let (scene, mut random) = (Scene::new(), Random::fresh());
    let (mut killed, mut littered) = (0, 0);
    for _ in 0..KILLS {
        let share = random.share();
        let ending = scene.end_with("KILL", share);
        let has_output = scene.assert_nothing_lost();
        let left = scene.left_behind();
        println!("killed at {share:.3}: output {has_output}, left {left:?}");
        match ending.status {
            DIED_OF_KILL => killed += 1,
            0 => assert!(has_output, "no output"),
            _ => panic!("{ending:?}"),
        }
        let is_ours = |name: &String| {
            name.starts_with("sortwell-spill-")
                || (name.starts_with(".out.sortwell-") && name.ends_with(".tmp"))
        };
        assert!(left.iter().all(is_ours), "{left:?}");
        littered += usize::from(!left.is_empty());
    }
    assert!(killed > 0 && littered > 0, "{killed} killed, {littered} left something: no test");
    scene.folder.run(SORT).quietly();
    scene.assert_whole_and_clean();
}

#[test]
fn what_a_killed_sort_left_is_listed_and_removed() {
    let folder = Folder::new();
    let (usual, temporary) = (folder.at("work"), folder.at("tmp"));
    for path in [&usual, &temporary] {
        fs::create_dir(path).expect("folder");
    }
    let command = |line: &str| {
        let mut command = folder.command(&line.split(' ').collect::<Vec<_>>());
        command.current_dir(&usual).env("TMPDIR", &temporary).stdout(Stdio::piped());
        command
    };
    // Enough records to spill, and then a pipe that brings no more.
    let mut sort = command("sort -F fixed:100 -M 32MiB");
    let mut child = sort.stdin(Stdio::piped()).spawn().expect("start");
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(&random_records(600_000, 100)).expect("records");
    let spills = || fs::read_dir(&temporary).expect("folder").count() > 0;
    let deadline = Instant::now() + Duration::from_secs(20);
    while !spills() && Instant::now() < deadline {
        sleep(Duration::from_millis(10));
    }
    signal(&child, "KILL");
    assert_eq!(Said::from(ended(child, Duration::from_secs(20))).status, DIED_OF_KILL);
    let listed = |line: &str| {
        let said = Said::from(command(line).output().expect("run")).quietly();
        String::from_utf8(said).expect("UTF-8")
    };
    let named = listed(&format!("spill list {}", temporary.display()));
    assert!(named.contains("sortwell-spill-") && named.contains("abandoned"), "{named}");
    assert_eq!(named.lines().count(), 1, "{named}");
    assert_eq!(listed("spill list"), named, "the directory for temporary files is looked at too");
    listed(&format!("spill clean {}", temporary.display()));
    assert_eq!(listed("spill list"), "");
    assert!(!spills(), "nothing is left");
}

#[test]
fn interrupted_at_any_moment() {
    let (scene, mut random) = (Scene::new(), Random::fresh());
    let mut interrupted = 0;
    for _ in 0..INTERRUPTS {
        let share = random.share();
        let ending = scene.end_with("INT", share);
        let has_output = scene.assert_nothing_lost();
        println!("interrupted at {share:.3}: {ending:?}, output {has_output}");
        match ending.status {
            // Before it minds signals it has made nothing yet, after its work nothing is left.
            DIED_OF_INT => interrupted += usize::from(!ending.words.is_empty()),
            0 => assert!(has_output, "no output"),
            _ => panic!("{ending:?}"),
        }
        let is_denied = ending.words.contains("no output file was written");
        assert!(!(has_output && is_denied), "an output of an interrupted sort");
        assert_eq!(scene.left_behind(), [""; 0]);
    }
    assert!(interrupted > 0, "none was interrupted: no test");
}
