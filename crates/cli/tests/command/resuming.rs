//! `--resume`, `--in-place` and `spill`, as a user meets them: relative names, a kill in between,
//! words that say what is left.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::harness::{DIED_OF_KILL, Folder, Said, ended, signal};

const SORT: &str = "sort -F fixed:100 -k 0..10 -M 48MiB -T spill --resume=often -o out in";
const IN_PLACE: &str = "sort -F fixed:100 -k 0..10 -M 48MiB -T spill --in-place in";

/// Starts a command and kills it while something is kept in `spill`.
fn kill_in_between(folder: &Folder, line: &str) {
    // How long it takes until something is kept depends on the machine.
    for wait in [0, 0, 150, 300, 50, 600, 20].repeat(10) {
        let words: Vec<&str> = line.split(' ').collect();
        let child = folder.command(&words).stderr(Stdio::null()).spawn().expect("start");
        wait_until(|| list(folder).contains("running"));
        if wait == 0 {
            wait_until(|| has_second_run(folder) || !list(folder).contains("running"));
        }
        sleep(Duration::from_millis(wait));
        signal(&child, "KILL");
        ended(child, Duration::from_secs(20));
        let listed = list(folder);
        if listed.contains("kept: ") && !listed.contains("kept: 0 runs") {
            return;
        }
        folder.run("spill clean --all spill").quietly();
    }
    panic!("never killed in between");
}

/// Lists jobs. This does not wait for locks, so that it shows a job that runs.
fn list(folder: &Folder) -> String {
    String::from_utf8(folder.run("spill list spill").out).expect("text")
}

/// Waits until a condition holds, for some seconds at most.
fn wait_until(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(5) && !is_so() {
        sleep(Duration::from_millis(1));
    }
}

/// Returns whether a job has begun its second run, so that the first one is kept.
fn has_second_run(folder: &Folder) -> bool {
    let jobs = fs::read_dir(folder.at("spill")).expect("list");
    jobs.flatten().any(|job| job.path().join("run-000001").exists())
}

fn folder() -> (Folder, Vec<u8>) {
    let folder = Folder::new();
    fs::create_dir(folder.at("spill")).expect("folder");
    folder.run("generate 1000000 in").quietly();
    folder.run("sort -F fixed:100 -k 0..10 -o expected in").quietly();
    let expected = folder.read("expected");
    (folder, expected)
}

fn names(folder: &Folder) -> Vec<String> {
    let mut names = folder.names();
    names.retain(|name| name != "expected");
    names
}

#[test]
fn a_killed_sort_goes_on() {
    let (folder, expected) = folder();
    kill_in_between(&folder, SORT);
    let changed = SORT.replace("0..10", "0..9");
    folder.run(&changed).fails(2, &["another order", "spill clean"]);
    folder.run(SORT).quietly();
    assert!(folder.read("out") == expected);
    assert_eq!(names(&folder), ["in", "out", "spill"]);
    assert!(folder.run("spill list spill").quietly().is_empty());
}

#[test]
fn a_killed_sort_does_not_go_on_with_another_list() {
    let (folder, _) = folder();
    folder.write("known", "A\nB\nC\n");
    let sort = format!("{SORT} --exclude 0..1:order=@known<='B'");
    kill_in_between(&folder, &sort);
    folder.write("known", "C\nB\nA\n");
    folder.run(&sort).fails(2, &["another content of named files", "spill clean"]);
    folder.write("known", "A\nB\nC\n");
    folder.run(&sort).quietly();
}

#[test]
fn a_killed_merge_does_not_go_on_with_another_list() {
    let (folder, _) = folder();
    for name in ["a", "b", "c", "d"] {
        let sort = format!("sort -F fixed:100 -k 0..10 --limit 200000 -o {name} in");
        folder.run(&sort).quietly();
    }
    folder.write("known", "A\nB\nC\n");
    let options = "-F fixed:100 -k 0..10 -T spill --resume=often --unique -o out";
    // Inputs are merged into runs first, which are kept.
    let merge = format!("merge --merge-width 2 {options} --having 0..1:order=@known>='B' a b c d");
    kill_in_between(&folder, &merge);
    folder.write("known", "C\nB\nA\n");
    folder.run(&merge).fails(2, &["another content of named files", "spill clean"]);
    folder.write("known", "A\nB\nC\n");
    folder.run(&merge).quietly();
}

/// Each run says how its blocks are stored, so the rest may be compressed in another way.
#[test]
fn a_killed_sort_with_compressed_runs_goes_on() {
    let (folder, expected) = folder();
    for (first, then) in [("lz4", "lz4"), ("zstd:1", "off"), ("off", "lz4")] {
        kill_in_between(&folder, &format!("{SORT} --compress-runs {first}"));
        folder.run(&format!("{SORT} --compress-runs {then}")).quietly();
        assert!(folder.read("out") == expected, "{first}, then {then}");
        assert!(folder.run("spill list spill").quietly().is_empty());
    }
}

#[test]
fn a_killed_sort_with_a_header_goes_on() {
    let folder = Folder::new();
    fs::create_dir(folder.at("spill")).expect("folder");
    folder.run("generate --ascii 1000000 lines").quietly();
    let lines = folder.read("lines");
    folder.write("in", [b"#two\n#one\n", lines.as_slice()].concat());
    let sort = "sort --header # -M 48MiB -T spill --resume=often -o out in";
    kill_in_between(&folder, sort);
    for header in ["prefix:#t", "2"] {
        let changed = sort.replace("--header #", &format!("--header {header}"));
        folder.run(&changed).fails(2, &["another header", "spill clean"]);
    }
    folder.run(sort).quietly();
    folder.run("sort -o expected lines").quietly();
    assert!(folder.read("out") == [b"#two\n#one\n", folder.read("expected").as_slice()].concat());
}

#[test]
fn what_is_kept_can_be_removed() {
    let (folder, _) = folder();
    kill_in_between(&folder, SORT);
    let said = String::from_utf8(folder.run("spill clean spill").quietly()).expect("text");
    assert_eq!(said, "1 leftover removed from spill\n");
    assert_eq!(names(&folder), ["in", "spill"]);
    folder.run("spill list nowhere").fails(4, &["nowhere"]);
    folder.run("spill list in").fails(2, &["not a directory"]);
}

#[test]
fn advice_about_a_damaged_manifest_removes_it() {
    let (folder, _) = folder();
    let damage = |at: usize| {
        let job = fs::read_dir(folder.at("spill")).expect("list").flatten().next().expect("a job");
        let path = job.path().join("manifest");
        let mut bytes = fs::read(&path).expect("read");
        let at = at.min(bytes.len() - 10);
        bytes[at] ^= 1;
        fs::write(&path, bytes).expect("write");
    };
    for (at, clean) in [(100, "spill clean --all"), (usize::MAX, "spill clean")] {
        kill_in_between(&folder, SORT);
        damage(at);
        let advice = format!("remove the saved work with 'sortwell {clean} ");
        folder.run(SORT).fails(5, &["manifest", &advice]);
        let listed = list(&folder);
        assert!(listed.contains("damaged: ") && listed.contains(&advice), "{listed}");
        let clean = folder.run(&format!("{clean} spill")).quietly();
        let said = String::from_utf8(clean).expect("text");
        assert!(said.contains("1 leftover removed"), "{said}");
        let names = folder.names();
        let parts: Vec<_> = names.iter().filter(|name| name.ends_with(".part")).collect();
        assert_eq!(parts.len(), usize::from(at == 100), "{names:?}");
        parts.iter().for_each(|name| fs::remove_file(folder.at(name)).expect("remove"));
    }
}

#[test]
fn a_file_being_sorted_in_place_is_not_removed_unasked() {
    let (folder, expected) = folder();
    kill_in_between(&folder, IN_PLACE);
    let said = String::from_utf8(folder.run("spill clean spill").quietly()).expect("text");
    assert!(said.contains("0 leftovers removed") && said.contains("--all"), "{said}");
    folder.run(IN_PLACE).quietly();
    assert!(folder.read("in") == expected);
    assert_eq!(names(&folder), ["in", "spill"]);
    let both = folder.run("sort --in-place in -o out");
    assert!(both.status == 2 && both.words.contains("--output"), "{both:?}");
    folder.run_with("sort --in-place", b"b\na\n").fails(2, &["--in-place needs"]);
}

const BUILD: &str = "index build in -k 1:int -M 32MiB --threads 1 -T spill --resume -o index";

/// A folder with lines in no order, and an index of them that was built at once.
fn folder_with_lines() -> Folder {
    let folder = Folder::new();
    fs::create_dir(folder.at("spill")).expect("folder");
    let line = |number: u64| format!("{:07} {:59}\n", number * 7919 % 600_000, "x");
    folder.write("in", (0..600_000).map(line).collect::<String>());
    folder.run(&BUILD.replace("--resume -o index", "-o expected")).quietly();
    folder
}

/// The directory in `spill` with the parts of a build, and the number of those that are noted.
fn parts_of_build(folder: &Folder) -> Option<(std::path::PathBuf, usize)> {
    let mut entries = fs::read_dir(folder.at("spill")).expect("list");
    let directory = entries.next()?.expect("entry").path();
    let manifest = fs::read_to_string(directory.join("manifest")).ok()?;
    Some((directory, manifest.matches("\"part\":{\"records\"").count()))
}

/// Starts a build and kills it once this number of parts is kept, or somewhat later.
fn kill_build(folder: &Folder, parts: usize) {
    let words: Vec<&str> = BUILD.split(' ').collect();
    let mut child = folder.command(&words).stderr(Stdio::null()).spawn().expect("start");
    while parts_of_build(folder).is_none_or(|(_, kept)| kept < parts) {
        assert!(child.try_wait().expect("wait").is_none(), "it ended before");
        sleep(Duration::from_millis(1));
    }
    signal(&child, "KILL");
    assert_eq!(Said::from(ended(child, Duration::from_secs(20))).status, DIED_OF_KILL);
    assert!(!folder.at("index").exists());
}

/// Asserts that the index has the entries of one that was built at once, and that nothing is left.
fn assert_built(folder: &Folder) {
    let entries = |index: &str| folder.run(&format!("index range {index} --offsets")).quietly();
    assert!(entries("index") == entries("expected"), "other entries");
    folder.run("index verify index").quietly();
    assert!(parts_of_build(folder).is_none());
    assert_eq!(names(folder), ["in", "index", "spill"]);
}

#[test]
fn a_killed_build_of_an_index_goes_on() {
    let folder = folder_with_lines();
    kill_build(&folder, 1);
    let (directory, _) = parts_of_build(&folder).expect("parts");
    let identity = || {
        let found = fs::metadata(directory.join("part-0")).expect("the first part");
        (found.ino(), found.mtime(), found.mtime_nsec())
    };
    let first = identity();
    // While the next part is sorted, and while all of them are merged.
    for parts in [2, 3] {
        kill_build(&folder, parts);
        assert_eq!(identity(), first, "a part was made again");
    }
    folder.run(BUILD).quietly();
    assert_built(&folder);
}

#[test]
fn parts_of_another_build_are_not_used() {
    let folder = folder_with_lines();
    kill_build(&folder, 1);
    for (from, to, what) in [
        ("1:int", "1", "order"),
        ("1:int", "1:int:desc", "order"),
        ("1:int", "1:int -k 2", "order"),
        ("1:int", "1:int -t x", "order"),
        ("1:int", "1:int --invalid last", "order"),
        ("-o", "--include 0..3 -o", "list of included parts"),
        ("-o", "--unique -o", "use of unique"),
        ("-o", "--unique=last -o", "use of unique"),
        ("-o", "-F lines:x -o", "format"),
        ("1:int", "0..7 -F fixed:68", "format"),
        ("-o", "--header 1 -o", "header"),
    ] {
        let said = folder.run(&BUILD.replacen(from, to, 1));
        let why = format!("the saved work for this output has another {what}; give the same");
        said.fails(2, &[&why, "spill clean"]);
    }
    folder.write("more", "1\n");
    let changed = "input has changed since the interrupted job started; restore it, or remove";
    folder.run(&BUILD.replace(" in ", " in more ")).fails(3, &["more: ", changed]);
    folder.run(&BUILD.replace(" in ", " more ")).fails(3, &["more: ", changed]);
    // The same bytes in another file, other bytes at the same time, and the first file again.
    let scripts =
        ["cp -p in copy; mv in kept; mv copy in", "mv kept in; cp -p in kept; echo >> in"];
    for script in scripts {
        folder.script(script).quietly();
        folder.run(BUILD).fails(3, &["in: ", changed, "spill clean"]);
    }
    folder.script("truncate -s -1 in; touch -r kept in").quietly();
    let middle = "printf 0 | dd of=in bs=1 seek=20000000 conv=notrunc status=none";
    folder.script(middle).quietly();
    folder.run(BUILD).fails(3, &["in: ", changed, "spill clean"]);
    folder.script("dd if=kept of=in bs=1M conv=notrunc status=none; touch -r kept in").quietly();
    folder.script("rm kept more").quietly();
    // An output with another name has parts of its own.
    let other = BUILD.replace("-o index", "-o other");
    folder.run(&other.replace("1:int", "1:int:desc")).quietly();
    let first = folder.run("index range other --limit 1").quietly();
    assert!(first.starts_with(b"0599999"), "{}", String::from_utf8_lossy(&first));
    fs::remove_file(folder.at("other")).expect("removed");
    assert!(parts_of_build(&folder).is_some_and(|(_, kept)| kept >= 1));
    folder.run(BUILD).quietly();
    assert_built(&folder);
}
