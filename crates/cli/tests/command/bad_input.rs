//! What the world gets wrong: each a clear sentence and the right exit status, nothing lost,
//! nothing left behind.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use crate::harness::{Folder, Said, ended};

/// An ordinary user without rights to anything, when the tests are run by one with all.
const NOBODY: u32 = 65_534;

fn folder_with_input() -> Folder {
    let folder = Folder::new();
    folder.write("in", [7; 1000]);
    folder
}

#[test]
fn size_is_no_multiple_of_the_record_length() {
    let folder = folder_with_input();
    folder.run("sort -F fixed:300 -o out in").fails(3, &["in", "1000", "300"]);
    assert_eq!(folder.names(), ["in"]);
}

#[test]
fn a_pipe_ends_within_a_record() {
    let folder = Folder::new();
    folder.run_with("sort -F fixed:300 -o out", &[7; 1000]).fails(3, &["standard input", "300"]);
    assert!(folder.names().is_empty());
}

#[test]
fn one_bad_input_among_good_ones() {
    let folder = folder_with_input();
    folder.write("odd", [7; 15]);
    folder.run("sort -F fixed:10 -o out in odd in").fails(3, &["odd", "15", "10"]);
    assert_eq!(folder.names(), ["in", "odd"]);
}

#[test]
fn a_wrong_command_line_is_reported_before_a_malformed_input() {
    let folder = folder_with_input();
    folder.write("table", "id,n\n1,2\n3\n");
    for wrong in ["--include 0..1:ip>=\"f\"", "--max 0..400:int", "-k 0..301", "--having count>x"] {
        let sort = format!("sort -F fixed:300 {wrong} -o out");
        folder.run(&format!("{sort} in")).fails(2, &[]);
        folder.run_with(&sort, &[7; 1000]).fails(2, &[]);
        folder.run(&format!("explain -F fixed:300 {wrong} in")).fails(2, &[]);
    }
    for command in ["merge -o out", "check"] {
        folder.run(&format!("{command} -F fixed:300 -k 0..301 in")).fails(2, &["301"]);
    }
    let table = |wrong: &str| folder.run(&format!("sort -F csv {wrong} -o out table"));
    table("-k id").fails(3, &["table"]);
    for wrong in ["-k name", "-k id --include name==1", "-k id --include n:int==\"x\""] {
        table(wrong).fails(2, &[]);
    }
    assert_eq!(folder.names(), ["in", "table"]);
}

#[test]
fn a_key_beyond_the_record() {
    let folder = folder_with_input();
    folder.run("sort -F fixed:100 -k 90..110 -o out in").fails(2, &["90..110", "110", "100"]);
    folder.run("sort -F fixed:100 -k 100.. -o out in").fails(2, &["100..", "100"]);
    assert_eq!(folder.names(), ["in"]);
}

#[test]
fn a_missing_input() {
    let folder = folder_with_input();
    folder.run("sort -F fixed:10 -o out missing").fails(4, &["missing", "No such file"]);
    folder.run("sort -F fixed:10 -o out in missing").fails(4, &["missing", "No such file"]);
    assert_eq!(folder.names(), ["in"]);
}

#[test]
fn a_directory_as_input_and_as_output() {
    let folder = folder_with_input();
    fs::create_dir(folder.at("folder")).expect("folder");
    folder.run("sort -F fixed:10 -o out folder").fails(4, &["folder", "directory"]);
    folder.run("sort -F fixed:10 -o folder in").fails(4, &["folder", "directory"]);
    assert_eq!(folder.names(), ["folder", "in"]);
    assert_eq!(fs::read_dir(folder.at("folder")).expect("folder").count(), 0);
}

#[test]
fn an_output_directory_that_is_missing() {
    let folder = folder_with_input();
    folder.run("sort -F fixed:10 -o nowhere/out in").fails(4, &["nowhere", "No such file"]);
    assert_eq!(folder.names(), ["in"]);
}

#[test]
fn a_bad_output_is_told_before_a_pipe_has_brought_anything() {
    for line in ["sort -o nowhere/out", "gnu -o nowhere/out"] {
        let folder = Folder::new();
        let mut child = folder.start(line);
        let nothing = child.stdin.take();
        let said = Said::from(ended(child, Duration::from_secs(10)));
        assert!(said.words.contains("No such file"), "{line}: {}", said.words);
        assert_ne!(said.status, 0, "{line}");
        drop(nothing);
    }
}

#[test]
fn a_spill_directory_that_cannot_be_used_is_refused_even_if_nothing_would_spill() {
    let folder = folder_with_input();
    let refused = |place: &str, why: &str| {
        let line = format!("sort -F fixed:10 -T {place} -o out in");
        folder.run(&line).fails(4, &["cannot spill to", place, why]);
        let line = format!("sort -F fixed:10 -T . -T {place} -o out");
        folder.run_with(&line, &[7; 1000]).fails(4, &["cannot spill to", place, why]);
    };
    refused("nowhere", "No such file");
    refused("in", "Not a directory");
    assert_eq!(folder.names(), ["in"]);
}

#[test]
fn a_spill_directory_without_rights() {
    let folder = folder_with_input();
    fs::create_dir(folder.at("closed")).expect("folder");
    fs::set_permissions(folder.at("closed"), fs::Permissions::from_mode(0o555)).expect("close");
    let said = run_without_rights(&folder, "sort -F fixed:10 -T closed in");
    said.fails(4, &["cannot spill to", "closed", "Permission denied"]);
}

#[test]
fn a_failed_sort_leaves_the_old_output() {
    let folder = folder_with_input();
    folder.write("out", "precious");
    folder.run("sort -F fixed:300 -o out in").fails(3, &["in"]);
    folder.run("sort -F fixed:10 -o out missing").fails(4, &["missing"]);
    assert_eq!(folder.read("out"), b"precious");
    assert_eq!(folder.names(), ["in", "out"]);
}

/// Runs the command as an ordinary user, whoever runs the tests.
fn run_without_rights(folder: &Folder, line: &str) -> Said {
    let is_all_powerful = fs::metadata(folder.path()).expect("folder").uid() == 0;
    let words: Vec<&str> = line.split_whitespace().collect();
    if !is_all_powerful {
        return Said::from(folder.command(&words).output().expect("run"));
    }
    // The built command may lie where nobody can reach it; a copy in an open folder does not.
    // Another process copies it: had this one the copy open to write, the command that another
    // test starts at that moment would hold it open too, and the kernel runs no such file
    // ("Text file busy").
    let open = Folder::new();
    let copy = open.at("sortwell");
    let copied = Command::new("cp").args([env!("CARGO_BIN_EXE_sortwell")]).arg(&copy).status();
    assert!(copied.expect("cp").success());
    for path in [open.path(), folder.path(), copy.as_path()] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("open to all");
    }
    let mut command = Command::new(copy);
    command.args(words).current_dir(folder.path()).uid(NOBODY).gid(NOBODY);
    Said::from(command.output().expect("run"))
}

#[test]
fn an_unreadable_input() {
    let folder = folder_with_input();
    fs::set_permissions(folder.at("in"), fs::Permissions::from_mode(0o000)).expect("close");
    let said = run_without_rights(&folder, "sort -F fixed:10 in");
    said.fails(4, &["in", "Permission denied"]);
}

#[test]
fn an_output_directory_without_rights() {
    let folder = folder_with_input();
    fs::create_dir(folder.at("closed")).expect("folder");
    fs::set_permissions(folder.at("closed"), fs::Permissions::from_mode(0o555)).expect("close");
    let said = run_without_rights(&folder, "sort -F fixed:10 -o closed/out in");
    said.fails(4, &["closed", "Permission denied"]);
}
