//! Disks that become full in every phase of every kind of job, on a real small file system: status
//! 4, words that name a place, nothing left behind and nothing harmed; and once there is room, the
//! same command goes on.
//!
//! Where mounts are forbidden all of this is left out, and says so.

use std::fs;

use crate::harness::{Folder, Said, random_records, sorted_by};
use crate::no_space::in_small_folder;

const LENGTH: usize = 100;

/// 18 MB, which are spilled.
const COUNT: usize = 180_000;
const SORT: &str = "sort -F fixed:100 -k 0..10 -M 30MiB -j 2";

/// What has room once there is some.
const ROOM: &str = "mount -o remount,size=100m small";

/// A folder with records in `in`, in order in `expected` and `a`, and a disk with room, `roomy`.
fn folder() -> Folder {
    let folder = Folder::new();
    let records = random_records(COUNT, LENGTH);
    let expected = sorted_by(&records, LENGTH, |record| record[..10].to_vec());
    folder.write("a", &expected);
    folder.write("expected", expected);
    folder.write("in", records);
    fs::create_dir(folder.at("roomy")).expect("folder");
    folder
}

/// Names in `roomy`.
fn in_roomy(folder: &Folder) -> usize {
    fs::read_dir(folder.at("roomy")).expect("folder").count()
}

/// Runs the commands of `cases` with so many KiB on the small disk, where an old output is; each
/// fails, names a place with these words, and leaves all as it was.
fn check_failures(cases: &[(&str, &str)], sizes: &[u32]) {
    let folder = folder();
    let before = folder.names();
    for (line, part) in cases {
        for &kib in sizes {
            let line = line.replace("SORT", &format!("$sortwell {SORT} --sync off"));
            let script = format!("echo old > small/out; {line}; s=$?; cat small/out; (exit $s)");
            let Some(said) = in_small_folder(&folder, kib, &script) else { return };
            let words = format!("{line} in {kib} KiB: {said:?}");
            assert_eq!(String::from_utf8_lossy(&said.out), "old\nout\n", "{words}");
            let names: Vec<String> =
                folder.names().into_iter().filter(|name| name != "small").collect();
            assert_eq!(names, before, "{words}");
            assert_eq!(in_roomy(&folder), 0, "{words}");
            println!("{line} in {kib} KiB: {}", said.words);
            said.fails(4, &[part, "pace"]);
        }
    }
    assert!(
        folder.read("in").len() == COUNT * LENGTH && folder.read("a") == folder.read("expected")
    );
}

/// What it comes to is not known beforehand.
#[test]
fn outputs_and_runs_of_streams_that_do_not_fit() {
    let cases = [
        ("cat in | $sortwell sort -F fixed:100 -o small/out", "write small/out"),
        ("cat in | SORT -T small -o out", "small/sortwell-spill-"),
        ("cat in | SORT -T roomy -o small/out", "write small/out"),
        ("cat in | SORT -T roomy --split 3 -o small/more", "write small/more-"),
        ("cat in | SORT -T roomy --compress lz4 -o small/out", "write small/out"),
    ];
    check_failures(&cases, &[16, 5_000, 17_400]);
}

/// Runs and output share a disk, and a merge in between wants room of its own.
#[test]
fn what_comes_later_does_not_fit() {
    let both = [("cat in | SORT -T small -o small/out", "write small/out")];
    check_failures(&both, &[20_000, 34_000]);
    let line = "cat in in | $sortwell sort -F fixed:100 -k 0..10 -M 28MiB -j 1 -T small -o out";
    check_failures(&[(line, "small/sortwell-spill-")], &[36_500]);
}

/// What is known beforehand is refused with numbers, whatever is asked for.
#[test]
fn what_is_known_not_to_fit() {
    let cases = [
        ("SORT -T small -o out in", "in small: 17"),
        ("SORT -T roomy -o small/out in", "in small: 17"),
        ("SORT -T small -T ./small -o out in", "in small: 17"),
        ("$sortwell merge -F fixed:100 -o small/out a a", "in small: 34"),
    ];
    check_failures(&cases, &[16, 9_000]);
    let half = [("SORT -T small -T ./small -o out in", "in small: 17")];
    check_failures(&half, &[12_000]); // Enough for half of it.
}

#[test]
fn redirected_outputs_that_do_not_fit_are_emptied() {
    let folder = folder();
    for (from, part) in [("cat in |", "write standard output"), ("< in", "of standard output: 17")]
    {
        let (before, after) = if from.starts_with('<') { ("", from) } else { (from, "") };
        let script = format!("{before} $sortwell {SORT} -T roomy {after} > small/new");
        let script = format!("{script}; s=$?; wc -c < small/new; (exit $s)");
        let Some(said) = in_small_folder(&folder, 9_000, &script) else { return };
        assert_eq!(String::from_utf8_lossy(&said.out).trim_start(), "0\nnew\n");
        said.fails(4, &[part, "pace"]);
        assert_eq!(in_roomy(&folder), 0);
    }
}

/// Runs a command on a small disk, gives that room, and runs it again; what the first said. In the
/// end only `left` is on the disk, and `output` is in order.
fn again(folder: &Folder, kib: u32, line: &str, (left, output): (&str, &str)) -> Option<String> {
    let fill = if output == "small/in" { "cp in small/in;" } else { "" };
    let script = format!(
        "{fill} $sortwell {line}; echo $? > status; {ROOM}; $sortwell {line} 2> again \
         && cmp {output} expected && rm -f {output}"
    );
    let said = in_small_folder(folder, kib, &script)?;
    let words = format!("{line} in {kib} KiB: {said:?}, then {:?}", folder.read("again"));
    assert_eq!((said.status, String::from_utf8_lossy(&said.out).trim()), (0, left), "{words}");
    assert_eq!(folder.read("again"), b"", "{words}");
    let first = Said { status: if folder.read("status") == b"4\n" { 4 } else { 0 }, ..said };
    let (status, told) = (first.status, first.words.clone());
    println!("{line} in {kib} KiB: {status} {told}");
    if status != 0 {
        first.fails(4, &["pace"]);
    }
    Some(told)
}

#[test]
fn jobs_that_are_resumed_once_there_is_room() {
    let folder = folder();
    let mut kept = 0;
    for kib in [4, 8, 16, 9_000, 17_756, 17_764, 17_772, 17_780, 17_788, 17_796] {
        let line = format!("{SORT} -T small --resume=often -o out in");
        let Some(said) = again(&folder, kib, &line, ("", "out")) else { return };
        kept += usize::from(said.contains("the same command continues"));
        let is_named = said.contains("not enough space in") && said.contains("sortwell-spill");
        assert!(!is_named, "a directory that is gone by now: {said}");
    }
    for kib in [4, 9_000, 17_500] {
        let line = format!("{SORT} -T roomy --resume=often -o small/out in");
        again(&folder, kib, &line, ("", "small/out"));
    }
    assert!(kept > 0, "no disk became full after a run was noted");
    assert_eq!(in_roomy(&folder), 0);
}

/// A disk that is full from the start takes nothing of the work that is kept; another has it all.
#[test]
fn kept_work_beside_a_full_disk() {
    let folder = folder();
    for places in ["-T small -T roomy", "-T roomy -T small"] {
        let script = format!(
            "head -c 100000 /dev/zero > small/fill; \
             $sortwell {SORT} {places} --resume=often -o out in && cmp out expected; \
             s=$?; rm small/fill; (exit $s)"
        );
        let Some(said) = in_small_folder(&folder, 64, &script) else { return };
        assert_eq!((said.status, &*said.out), (0, &b""[..]), "{places}: {said:?}");
        assert_eq!(in_roomy(&folder), 0, "{places}");
    }
}

/// A file keeps its records; of a disk that is not its own nothing comes back, so that all of it
/// has to fit there, and that is looked for before the file is touched.
#[test]
fn files_sorted_in_place_once_there_is_room() {
    let folder = folder();
    for kib in [4, 9_000, 16_000] {
        folder.write("file", folder.read("in"));
        let line = format!("{SORT} -T small --in-place file");
        let script = format!("$sortwell {line}; s=$?; cmp in file && (exit $s)");
        let Some(said) = in_small_folder(&folder, kib, &script) else { return };
        assert_eq!(String::from_utf8_lossy(&said.out), "", "{kib} KiB: {said:?}");
        said.fails(4, &["small: 17", "pace"]);
        again(&folder, kib, &line, ("", "file"));
    }
    for kib in [18_000, 22_000, 26_000, 30_000, 40_000] {
        let line = format!("{SORT} -T small --in-place small/in");
        again(&folder, kib, &line, ("", "small/in"));
    }
}

/// A set with a member on the small disk, which has one part in four of every run, and one with
/// room.
fn define(folder: &Folder) {
    let text = "sortwell-stripe 1\nbase 65536\nmember 1x - small/m\nmember 3x - roomy/m\n";
    folder.write("set.str", text);
}

/// Each disk needs room for its share, and is named where it has none.
#[test]
fn striped_runs_that_do_not_fit_in_one_member() {
    let folder = folder();
    define(&folder);
    let line = format!("$sortwell {SORT} --sync off -T set.str -o out");
    for (input, kib, parts) in [
        ("in", 16, &["not enough space in", "small: 4.", "--temp"][..]),
        ("in", 4_000, &["not enough space in", "small: 4.", "--temp"]),
        ("in", 5_000, &[]),
        ("< in", 3_000, &["not enough space in", "small: 4."]),
        ("-", 16, &["small/sortwell-spill-"]),
        ("-", 3_000, &["small/sortwell-spill-"]),
        ("-", 5_000, &[]),
    ] {
        let line =
            if input == "-" { format!("cat in | {line}") } else { format!("{line} {input}") };
        let script = format!("{line}; s=$?; rm -f out; (exit $s)");
        let Some(said) = in_small_folder(&folder, kib, &script) else { return };
        let words = format!("{line} in {kib} KiB: {said:?}");
        assert_eq!(
            (String::from_utf8_lossy(&said.out), in_roomy(&folder)),
            ("".into(), 0),
            "{words}"
        );
        match parts {
            [] => assert_eq!(said.status, 0, "{words}"),
            parts => said.fails(4, parts),
        }
    }
    // What one place has no room for goes to another.
    let script = format!("cat in | {line} -T roomy && cmp out expected");
    let Some(said) = in_small_folder(&folder, 2_000, &script) else { return };
    assert_eq!((said.status, in_roomy(&folder)), (0, 0), "{said:?}");
}

#[test]
fn striped_jobs_that_are_resumed_once_there_is_room() {
    let folder = folder();
    define(&folder);
    for kib in [8, 3_000, 4_400, 4_440, 4_480] {
        let line = format!("{SORT} -T set.str --resume=often -o out in");
        let Some(_) = again(&folder, kib, &line, ("", "out")) else { return };
    }
    for kib in [4_000, 5_000] {
        folder.write("file", folder.read("in"));
        let line = format!("{SORT} -T set.str --in-place file");
        again(&folder, kib, &line, ("", "file"));
    }
    assert_eq!(in_roomy(&folder), 0);
}

/// More inputs than are merged at once are merged in between.
#[test]
fn merges_in_between_that_do_not_fit() {
    let folder = Folder::new();
    folder.write("part", vec![b'x'; 4_000 * LENGTH]);
    let many = ["part"; 40].join(" ");
    for kib in [4, 1_000, 5_000] {
        let sort = "$sortwell merge -F fixed:100 -M 24MiB -T small -o out";
        let Some(said) = in_small_folder(&folder, kib, &format!("{sort} {many}")) else { return };
        assert_eq!((String::from_utf8_lossy(&said.out), folder.names().len()), ("".into(), 2));
        said.fails(4, &["not enough space in small: ", "--temp"]);
    }
}
