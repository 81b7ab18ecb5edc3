//! Under small limits of the process: few files that may be open, and a small stack.

use std::process::Command;

use crate::harness::{Folder, Said, random_records, sorted_by};

/// Runs the command under `limit`, an option of the shell's `ulimit`, without an environment: that
/// lies on the stack as well. Files that a test beside this one hands on by accident are closed.
fn run_under(folder: &Folder, limit: &str, line: &str) -> Said {
    let close = "for file in /proc/$$/fd/*; do number=${file##*/}; \
                 if ((number > 2)); then eval \"exec $number>&-\"; fi; done";
    let sortwell = env!("CARGO_BIN_EXE_sortwell");
    let script = format!("{close}; ulimit {limit} && exec '{sortwell}' {line}");
    let mut command = Command::new("bash");
    command.args(["-c", &script]).current_dir(folder.path()).stdin(std::process::Stdio::null());
    let command = command.env_clear().env("XDG_CONFIG_HOME", folder.at("config"));
    Said::from(command.output().expect("run"))
}

/// Runs the command where `files` may be open.
fn run_with_files(folder: &Folder, files: usize, line: &str) -> Said {
    run_under(folder, &format!("-n {files}"), line)
}

/// The limit of open files that an error names.
fn named_limit(said: &Said) -> Option<usize> {
    let rest = said.words.split("(ulimit -n ").nth(1)?;
    rest.split(')').next()?.parse().ok()
}

/// Runs a command with fewer and fewer files, down to the least that it asks for itself; that is no
/// more than `most`. What it makes is checked each time.
fn runs_with_few_files(folder: &Folder, line: &str, expected: &[u8], most: usize) {
    let mut least = None;
    for files in (7..=most + 4).chain([24, 40, 100]) {
        let said = run_with_files(folder, files, line);
        if said.status == 0 {
            assert!(folder.read("out") == expected && said.words.is_empty(), "{files}: {line}");
            std::fs::remove_file(folder.at("out")).expect("removed");
            least.get_or_insert(files);
            continue;
        }
        assert!(said.status == 2 && least.is_none(), "{files}: {line}: {said:?}");
        let named = named_limit(&said).unwrap_or_else(|| panic!("{files}: {line}: {said:?}"));
        assert!(named > files && named <= most, "{files}: {line}: {said:?}");
        assert!(!folder.at("out").exists());
    }
    assert!(least.is_some_and(|least| least <= most), "{line}: {least:?}");
    let litter = |name: &String| name.contains("sortwell");
    assert!(!folder.names().iter().any(litter), "{line}: {:?}", folder.names());
}

/// Standard streams, two descriptors for signals, the output, a lock, a run, its table and one for
/// a moment: ten, and two inputs.
#[test]
fn many_inputs_are_merged_with_few_files() {
    let folder = Folder::new();
    let mut names = String::new();
    for input in 0..40 {
        let lines: String = (0..200).map(|line| format!("{:06}\n", line * 40 + input)).collect();
        folder.write(&format!("in{input}"), lines);
        names.push_str(&format!(" in{input}"));
    }
    let expected: String = (0..8000).map(|line| format!("{line:06}\n")).collect();
    for (line, most) in [
        ("merge -o out", 12),
        ("gnu -m -o out", 12),
        ("gnu -m --batch-size=2 -o out", 12),
        ("merge --io sync -o out", 12),
        ("merge --io threads -T . -T config -o out", 13),
        ("sort -o out", 9),
        ("sort -j 1 -o out", 9),
    ] {
        let _ = std::fs::create_dir(folder.at("config"));
        runs_with_few_files(&folder, &format!("{line}{names}"), expected.as_bytes(), most);
    }
    // A compressed file among plain ones, which are read in turn.
    folder.run("sort --compress gzip --force -o in7 in7").quietly();
    for files in [13, 20, 40, 100] {
        run_with_files(&folder, files, &format!("sort -o out{names}")).quietly();
        assert!(folder.read("out") == expected.as_bytes(), "{files}");
        let rest = names.replace(" in7", " -");
        let line = format!("sort --force -o out{rest} < in7");
        run_with_files(&folder, files, &line).quietly();
        assert!(folder.read("out") == expected.as_bytes(), "{files}: from standard input");
        std::fs::remove_file(folder.at("out")).expect("removed");
    }
}

#[test]
fn many_runs_are_merged_with_few_files() {
    let folder = Folder::new();
    let data = random_records(300_000, 100);
    folder.write("in", &data);
    for (number, part) in data.chunks(3_000_000).enumerate() {
        folder.write(&format!("part{number}"), part);
    }
    for (number, half) in data.chunks(15_000_000).enumerate() {
        folder.write(&format!("half{number}"), half);
    }
    let parts: Vec<String> = (0..10).map(|number| format!("part{number}")).collect();
    let expected = sorted_by(&data, 100, |record| record[..10].to_vec());
    let line = "sort -F fixed:100 -k 0..10 -M 21MiB -j 2 --sync off -o out";
    for (line, most) in [
        (format!("{line} in"), 13),
        (format!("{line} {}", parts.join(" ")), 13),
        (format!("{line} half0 half1"), 13),
        (format!("{line} --merge streams in"), 13),
        (format!("{line} --algorithm replacement-selection in"), 13),
        (format!("{line} -T . -T . in"), 13),
    ] {
        let mut least = None;
        for files in [9, 12, 13, 14, 20] {
            let said = run_with_files(&folder, files, &line);
            if said.status == 0 {
                assert!(folder.read("out") == expected, "{files}: {line}");
                std::fs::remove_file(folder.at("out")).expect("removed");
                least.get_or_insert(files);
            } else {
                assert!(named_limit(&said) <= Some(most), "{files}: {line}: {said:?}");
            }
        }
        assert!(least.is_some_and(|least| least <= most), "{line}: {least:?}");
    }
}

#[test]
fn a_limit_of_file_sizes_is_an_error_that_leaves_nothing() {
    let folder = Folder::new();
    folder.write("in", random_records(40_000, 16));
    let said = run_under(&folder, "-f 100", "sort -F fixed:16 -k 0..2 in -o out");
    said.fails(4, &["out", "File too large"]);
    assert_eq!(folder.names(), ["in"]);
}

/// All data files of an index are open at the same time.
#[test]
fn an_index_of_more_files_than_may_be_open() {
    let folder = Folder::new();
    let mut names = String::new();
    for input in 0..100 {
        folder.write(&format!("in{input}"), format!("{input:03}\n"));
        names.push_str(&format!(" in{input}"));
    }
    let build = format!("index build{names} -k 1 -o index");
    for line in [&build, "index range index --count", "index verify index"] {
        // The soft limit is raised.
        let said = run_under(&folder, "-S -n 40", line);
        assert_eq!(said.status, 0, "{line}: {said:?}");
        let said = run_with_files(&folder, 90, line);
        assert_eq!(said.status, 2, "{line}: {said:?}");
        assert!(named_limit(&said) > Some(100), "{line}: {said:?}");
    }
    run_with_files(&folder, 40, "index append index").quietly();
}

/// The kernel itself fails to start programs with less than 16 KiB.
#[test]
fn a_small_stack_is_enough() {
    let folder = Folder::new();
    folder.write("in", "3\n1\n2\n");
    for kib in [16, 32, 64, 128, 1024] {
        let limit = format!("-s {kib}");
        let said = run_under(&folder, &limit, "--version");
        assert!(said.status == 0 && said.out.starts_with(b"sortwell"), "{kib}: {said:?}");
        for line in ["sort in", "gnu in", "sort -j 2 -M 64MiB in"] {
            assert_eq!(run_under(&folder, &limit, line).quietly(), b"1\n2\n3\n", "{kib} {line}");
        }
        run_under(&folder, &limit, "sort nowhere").fails(4, &["nowhere"]);
    }
}
