//! A disk that is full, or read-only: refused before, found out during, nothing left.
//!
//! A small file system is mounted in a namespace of its own, which needs no rights on most systems.
//! Where it is forbidden those cases say so and are left out; the device that is always full exists
//! everywhere.

use std::fs;
use std::process::{Command, Stdio};

use crate::harness::{Folder, Said, left_out, random_records};

/// Runs a shell script in a folder `small` that holds so many KiB, or `None` where mounts are
/// forbidden. `$sortwell` is the command.
pub fn in_small_folder(folder: &Folder, kib: u32, script: &str) -> Option<Said> {
    fs::create_dir_all(folder.at("small")).expect("folder");
    let mount = format!("mount -t tmpfs -o size={kib}k none small");
    let within = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
        command.current_dir(folder.path()).stdin(Stdio::null());
        command.env("sortwell", env!("CARGO_BIN_EXE_sortwell")).output()
    };
    if !within(&mount).is_ok_and(|output| output.status.success()) {
        left_out("this system forbids a mount of one's own");
        return None;
    }
    let whole = format!("{mount} && {{ {script}; status=$?; ls -A small; exit $status; }}");
    Some(Said::from(within(&whole).expect("run")))
}

#[test]
fn a_pipe_to_a_full_device() {
    let folder = Folder::new();
    folder.write("in", random_records(1000, 100));
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("the full device");
    let mut command = folder.command(&["sort", "-F", "fixed:100", "in"]);
    let said = Said::from(command.stdout(full).output().expect("run"));
    said.fails(4, &["standard output", "No space left"]);
    assert_eq!(folder.names(), ["in"]);
}

#[test]
fn an_output_that_does_not_fit() {
    let folder = Folder::new();
    folder.write("in", random_records(30_000, 100));
    let script = "$sortwell sort -F fixed:100 -o small/out in";
    let Some(said) = in_small_folder(&folder, 1024, script) else { return };
    assert!(said.out.is_empty(), "left: {}", String::from_utf8_lossy(&said.out));
    said.fails(4, &["small", "space"]);
}

/// No option makes a read-only disk writable, so none is advised.
#[test]
fn an_output_on_a_read_only_disk() {
    let folder = Folder::new();
    folder.write("in", "b\na\n");
    let make = "$sortwell index build in -k 1 -o small/index && mount -o remount,ro small";
    for (line, words) in [
        ("sort in -o small/index", "cannot replace small/index: Read-only file system"),
        ("sort in -o small/index --force", "cannot create small/index: Read-only file system"),
        ("sort in -o small/new", "cannot create small/new: Read-only file system"),
        ("sort in -o small", "cannot write small: Is a directory"),
    ] {
        let script = format!("{make} && $sortwell {line}");
        let Some(said) = in_small_folder(&folder, 1024, &script) else { return };
        assert_eq!(String::from_utf8_lossy(&said.out), "index\n", "{line}");
        said.fails(4, &[words]);
    }
}

/// A job that leaves records out needs no room for all of them.
#[test]
fn an_output_of_a_few_records_needs_little_room() {
    let folder = Folder::new();
    let rows: String = (0..300_000).map(|number| format!("{number:08}\n")).collect();
    folder.write("in", rows);
    for words in [
        "sort --limit 3 in",
        "sort --include '1:int < 3' in",
        "sort --include '1:int < 3' -M 24MiB --run-size 1MiB -T . in",
        "merge --limit 3 in in",
        "merge --count --limit 3 in in",
    ] {
        let script = format!("$sortwell {words} -o small/out");
        let Some(said) = in_small_folder(&folder, 1024, &script) else { return };
        assert_eq!((said.status, said.words.as_str(), &said.out[..]), (0, "", &b"out\n"[..]));
    }
}

/// An output that is a link is made where its target is, and that file system needs the room.
#[test]
fn links_to_another_file_system_are_generated_where_they_point() {
    let folder = Folder::new();
    for line in ["generate 30000", "generate sales 60000"] {
        let script = format!("ln -sf small/out link; $sortwell {line} link");
        let Some(said) = in_small_folder(&folder, 1024, &script) else { return };
        assert!(said.out.is_empty(), "files remain: {}", String::from_utf8_lossy(&said.out));
        said.fails(4, &["not enough space in ", "small: ", "1 MiB free"]);
        let script = format!("ln -s ../out small/link; $sortwell {line} small/link");
        let Some(said) = in_small_folder(&folder, 1024, &script) else { return };
        assert_eq!((said.status, said.words.as_str(), &said.out[..]), (0, "", &b"link\n"[..]));
        assert!(folder.read("out").len() > 1 << 20, "{line}");
        fs::remove_file(folder.at("out")).expect("removed");
    }
}

/// What a compressed output will have is not known before.
#[test]
fn a_compressed_output_that_does_not_fit() {
    let folder = Folder::new();
    folder.write("in", random_records(30_000, 100));
    let script = "$sortwell sort -F fixed:100 --compress gzip -o small/out.gz in";
    let Some(said) = in_small_folder(&folder, 1024, script) else { return };
    assert!(said.out.is_empty(), "left: {}", String::from_utf8_lossy(&said.out));
    said.fails(4, &["cannot write small/out.gz", "No space left"]);
}

#[test]
fn spilled_runs_that_do_not_fit_are_refused_with_numbers() {
    let folder = Folder::new();
    folder.run("generate 1000000 in").quietly();
    let script = "$sortwell sort -F fixed:100 -M 64MiB -T small -o out in";
    let Some(said) = in_small_folder(&folder, 1024, script) else { return };
    assert!(said.out.is_empty(), "left: {}", String::from_utf8_lossy(&said.out));
    said.fails(4, &["small", "1 MiB free", "--temp"]);
    assert_eq!(folder.names(), ["in", "small"]);
}

/// Refused beforehand where the size is known, ended on the way where it is not.
#[test]
fn more_temporary_files_than_are_allowed() {
    let folder = Folder::new();
    folder.run("generate 400000 in").quietly();
    fs::create_dir(folder.at("spill")).expect("folder");
    let sort = "sort -F fixed:100 -k 0..10 -M 32MiB -T spill --temp-limit 20MiB -o out";
    let parts = ["more than the 20 MiB that --temp-limit allows", "raise the limit", "--memory"];
    folder.run(&format!("{sort} in")).fails(4, &[&parts[..], &["take up to 39"]].concat());
    let input = folder.read("in");
    folder.run_with(sort, &input).fails(4, &[&parts[..], &["take more than"]].concat());
    assert_eq!(folder.names(), ["in", "spill"]);
    assert_eq!(fs::read_dir(folder.at("spill")).expect("folder").count(), 0, "left");
    folder.run(&format!("{} in", sort.replace("20MiB", "40MiB"))).quietly();
    assert_eq!(folder.read("out").len(), input.len());
}

/// Compressed runs need less room than records, and how much turns out as they are written.
#[test]
fn compressed_runs_that_fit_and_that_do_not() {
    let folder = Folder::new();
    folder.run("generate --ascii 400000 in").quietly();
    folder.run("sort -o expected in").quietly();
    fs::create_dir(folder.at("spill")).expect("folder");
    let sort = "sort -M 32MiB -T spill -o out in --temp-limit 25MiB";
    folder.run(sort).fails(4, &["take up to"]);
    folder.run(&format!("{sort} --compress-runs zstd")).quietly();
    assert!(folder.read("out") == folder.read("expected"));
    let little = format!("{} --compress-runs zstd", sort.replace("25", "2"));
    folder.run(&little).fails(4, &["take more than the 2 MiB that --temp-limit allows"]);
    assert_eq!(fs::read_dir(folder.at("spill")).expect("folder").count(), 0, "left");

    let sort = "$sortwell sort -M 32MiB -T small --compress-runs zstd -o out in";
    let Some(said) = in_small_folder(&folder, 25 << 10, sort) else { return };
    assert!(said.status == 0 && said.out.is_empty(), "{said:?}");
    let Some(said) = in_small_folder(&folder, 2 << 10, sort) else { return };
    assert!(said.out.is_empty(), "left: {}", String::from_utf8_lossy(&said.out));
    said.fails(4, &["small", "No space left", "free some space", "directory with --temp"]);
}

/// Of a pipe nobody knows beforehand whether its runs fit.
#[test]
fn spilled_runs_of_a_pipe_that_do_not_fit() {
    let folder = Folder::new();
    folder.run("generate 400000 in").quietly();
    let sort = "$sortwell sort -F fixed:100 -k 0..10 -M 32MiB -o out";
    let remedy = "; free some space or name another directory with --temp";
    let script = format!("cat in | {sort} -T small");
    let Some(said) = in_small_folder(&folder, 9 << 10, &script) else { return };
    assert!(said.out.is_empty(), "left: {}", String::from_utf8_lossy(&said.out));
    said.fails(4, &["small/sortwell-spill-", "No space left", remedy]);
    assert_eq!(folder.names(), ["in", "small"]);
}

/// Returns `count` lines in no order, the first of which is the least.
fn lines_in_no_order(count: u64) -> String {
    let line = |number: u64| format!("{:020}\n", number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    (0..count).map(line).collect()
}

#[test]
fn an_index_that_does_not_fit() {
    let folder = Folder::new();
    folder.write("in", lines_in_no_order(60_000));
    folder.run("index build in -k 1 -o whole").quietly();
    assert!(folder.read("whole").len() > 2 << 20);
    // The last pages, and a few in between.
    for (kib, to) in [(12, "lmdb"), (500, "lmdb"), (1800, "lmdb"), (12, "sqlite"), (900, "sqlite")]
    {
        let build = &format!("$sortwell index build in -k 1 --temp . -o small/index --to {to}");
        let Some(said) = in_small_folder(&folder, kib, build) else { return };
        assert!(said.out.is_empty(), "left: {}", String::from_utf8_lossy(&said.out));
        said.fails(4, &["cannot write small/index", "No space left"]);
        // An old index stays.
        let script = format!("echo old > small/index; {build}; s=$?; cat small/index; (exit $s)");
        let Some(said) = in_small_folder(&folder, kib, &script) else { return };
        assert_eq!(String::from_utf8_lossy(&said.out), "old\nindex\n", "{kib} KiB");
        said.fails(4, &["cannot write small/index", "No space left"]);
    }
    assert_eq!(folder.names(), ["in", "small", "whole"]);
}

#[test]
fn records_that_do_not_fit_into_an_index() {
    let folder = Folder::new();
    folder.write("in", lines_in_no_order(30_000));
    folder.run("index build in -k 1 -o old").quietly();
    folder.write("more", lines_in_no_order(60_000));
    let old = (folder.read("old").len() >> 10) as u32;
    let append = "cp old small/index; $sortwell index append small/index more";
    let script = format!(
        "{append}; s=$?; cmp old small/index && $sortwell index range small/index --count; \
         (exit $s)"
    );
    // The index of the new records does not fit, the merged one does not, and both do.
    for (kib, is_enough) in [(old + 100, false), (4 * old, false), (7 * old, true)] {
        let Some(said) = in_small_folder(&folder, kib, &script) else { return };
        if is_enough {
            let out = String::from_utf8_lossy(&said.out);
            assert!(said.status == 0 && out.starts_with("old small/index differ"), "{said:?}");
            assert!(out.ends_with("\nindex\n"), "left: {out}");
            continue;
        }
        assert_eq!(String::from_utf8_lossy(&said.out), "30000\nindex\n", "{kib} KiB");
        said.fails(4, &["cannot write small/index", "No space left"]);
    }
    assert_eq!(folder.names(), ["in", "more", "old", "small"]);
}

#[test]
fn temporary_files_of_an_index_that_do_not_fit() {
    let folder = Folder::new();
    folder.write("in", "\n".repeat(1_500_000));
    folder.write("index", "old");
    let build = "$sortwell index build in -k 1 -M 40MiB --threads 1 -T small -o index";
    let Some(said) = in_small_folder(&folder, 2048, build) else { return };
    assert!(said.out.is_empty(), "left: {}", String::from_utf8_lossy(&said.out));
    said.fails(4, &["small", "pace"]);
    let names = ["in", "index", "small"];
    assert_eq!(folder.read("index"), b"old");
    assert_eq!(folder.names(), names);
    // What is finished is kept, and the same command continues once there is room. There are a few
    // parts of 20 MiB of data, and room for the entries of one or two.
    let line = format!("{}{}\n", "x".repeat(20), " ".repeat(80));
    folder.write("in", line.repeat(600_000));
    let script = format!(
        "{build} --resume; s=$?; cat small/*/manifest | grep -c '\"part\":{{'; head -c 3 index; \
         mount -o remount,size=200m small; {build} --resume && (exit $s)"
    );
    let Some(said) = in_small_folder(&folder, 16 << 10, &script) else { return };
    let out = String::from_utf8_lossy(&said.out).into_owned();
    assert!(["1\nold", "2\nold"].contains(&out.as_str()), "{out}: {}", said.words);
    said.fails(4, &["small", "pace", "the finished work is kept in"]);
    let count = folder.run("index range index --count").quietly();
    assert_eq!(String::from_utf8_lossy(&count), "600000\n");
    folder.run("index verify index").quietly();
    assert_eq!(folder.names(), names);
}

/// Reading an index writes nothing, so a file system that may only be read is enough.
#[test]
fn an_index_on_a_file_system_that_may_only_be_read() {
    let folder = Folder::new();
    folder.write("in", lines_in_no_order(1000));
    let text = lines_in_no_order(1000);
    let mut sorted: Vec<&str> = text.split_inclusive('\n').collect();
    sorted.sort_unstable();
    let (first, sorted) = (lines_in_no_order(1), sorted.concat());
    let build = "cp in small/data; $sortwell index build small/data -k 1 -o small/index; \
                 mount -o remount,ro small; touch small/new 2> none && exit 9; mkdir -p tmp";
    for (line, wanted) in [
        (format!("get small/index {first}"), first.as_str()),
        (format!("range small/index --from {first}"), &sorted),
        ("range small/index".to_owned(), &sorted),
        ("prefix small/index 00000 --limit 1".to_owned(), &first),
        ("export small/index".to_owned(), &sorted),
        ("verify small/index".to_owned(), ""),
    ] {
        let line = line.trim_end();
        let script = format!("{build}; TMPDIR=tmp $sortwell index {}", line.replace('\n', ""));
        let Some(said) = in_small_folder(&folder, 1024, &script) else { return };
        let out = String::from_utf8_lossy(&said.out).into_owned();
        said.quietly();
        assert_eq!(out, format!("{wanted}data\nindex\n"), "{line}");
        assert_eq!(fs::read_dir(folder.at("tmp")).expect("list").count(), 0, "{line}");
    }
    for options in ["", "--force"] {
        let script = format!("{build}; $sortwell index append small/index in {options}");
        let Some(said) = in_small_folder(&folder, 1024, &script) else { return };
        assert_eq!(String::from_utf8_lossy(&said.out), "data\nindex\n");
        said.fails(4, &["small/index: Read-only file system"]);
    }
}
