//! `merge` and `check` as a user runs them: files beyond the limit of open ones, pipes, statuses.

use crate::harness::{Folder, Said};

#[test]
fn more_files_than_can_be_open() {
    let folder = Folder::new();
    let mut all: Vec<String> = Vec::new();
    for number in 0..2000 {
        let mut lines: Vec<String> =
            (0..number % 4).map(|line| format!("{}\n", (number * 7919 + line) % 1000)).collect();
        lines.sort();
        folder.write(&format!("in-{number:04}"), lines.concat());
        all.extend(lines);
    }
    all.sort();
    let program = env!("CARGO_BIN_EXE_sortwell");
    let script = format!("ulimit -n 64 && '{program}' merge --check -o out in-*");
    let mut shell = std::process::Command::new("sh");
    let output = shell.args(["-c", &script]).current_dir(folder.path()).output().expect("sh");
    assert!(output.status.success(), "{output:?}");
    assert!(folder.read("out") == all.concat().into_bytes());
    assert_eq!(folder.names().len(), 2001, "nothing is left behind");
}

#[test]
fn a_pipe_among_files() {
    let folder = Folder::new();
    folder.write("a", "1 x\n10 x");
    let merged = folder.run_with("merge -k 1:decimal - a", b"1 pipe\n9 pipe\n").quietly();
    assert_eq!(merged, b"1 pipe\n1 x\n9 pipe\n10 x\n");
}

/// A merge reads while it writes. An output that is appended to, or that is empty, is written over
/// nothing.
#[test]
fn an_open_output_that_is_an_input_is_refused() {
    let folder = Folder::new();
    let merge = |line: &str, append: bool| {
        folder.write("a", "1\n3\n");
        let mut how = std::fs::OpenOptions::new();
        let file = how.write(!append).append(append).open(folder.at("a")).expect("open");
        let mut command = folder.command(&line.split(' ').collect::<Vec<_>>());
        Said::from(command.stdout(file).output().expect("run"))
    };
    folder.write("b", "2\n4\n");
    let compressed = folder.run("sort --compress lz4 -o packed b");
    assert_eq!(compressed.status, 0, "{compressed:?}");
    for line in ["merge a b", "gnu -m a b", "merge -o /dev/stdout a b", "merge b packed a"] {
        let said = merge(line, false);
        assert!(said.status == 2 && said.words.contains("written over a while"), "{said:?}");
        assert_eq!(folder.read("a"), b"1\n3\n", "{line}");
    }
    merge("merge a b", true).quietly();
    assert_eq!(folder.read("a"), b"1\n3\n1\n2\n3\n4\n");
    // What was appended to an input that is expanded would be read again.
    let packed = folder.read("packed");
    let file = std::fs::OpenOptions::new().append(true).open(folder.at("packed")).expect("open");
    let mut command = folder.command(&["merge", "packed", "b", "--compress", "lz4"]);
    let said = Said::from(command.stdout(file).output().expect("run"));
    assert!(said.status == 2 && said.words.contains("written to packed while"), "{said:?}");
    assert_eq!(folder.read("packed"), packed);
    folder.script("(read first; $sortwell merge - b) < b >> b").fails(2, &["written to", "while"]);
    assert_eq!(folder.read("b"), b"2\n4\n");
    merge("sort a b", false).quietly();
    assert_eq!(folder.read("a"), b"1\n2\n3\n4\n");
}

#[test]
fn disorder_is_told_by_status_and_words() {
    let folder = Folder::new();
    folder.write("sorted", "a\nb\nb\n");
    folder.write("bad", "a\nc\nb\n");
    folder.run("check sorted").quietly();
    folder.run("check -u sorted").fails(1, &["sorted", "record 3", "offset 4"]);
    folder.run("check sorted bad").fails(1, &["bad", "record 3", "offset 4", "b\\n"]);
    let quiet = folder.run("check -q bad");
    assert_eq!((quiet.status, quiet.words.as_str()), (1, ""));
    folder.run("check nowhere").fails(4, &["nowhere"]);
    folder.run("merge --check -o out sorted bad").fails(3, &["bad", "record 3", "offset 4"]);
    assert_eq!(folder.names(), ["bad", "sorted"]);
}

/// The memory for the last record of an input serves the next input too.
#[test]
fn long_lines_of_many_inputs_are_checked() {
    let folder = Folder::new();
    for number in 0..100 {
        let lines = ["a", "b"].map(|first| format!("{}\n", first.repeat(150_000)));
        folder.write(&format!("in-{number:02}"), lines.concat());
    }
    folder.script("$sortwell check -M 24MiB in-*").quietly();
}
