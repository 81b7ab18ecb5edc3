//! `sortwell cluster` up to where the Python package begins, which has tests of its own.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::harness::{Folder, Said};

/// Runs a command with an interpreter of this script.
fn run_with_interpreter(folder: &Folder, script: &str, words: &[&str]) -> Said {
    let python = folder.at("python");
    fs::write(&python, format!("#!/bin/sh\n{script}\n")).expect("script");
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).expect("permissions");
    let mut command = folder.command(words);
    Said::from(command.env("SORTWELL_PYTHON", &python).output().expect("run"))
}

#[test]
fn the_package_gets_all_arguments_and_gives_the_status() {
    let folder = Folder::new();
    let script = "[ \"$1\" = -c ] && exit 0\nprintf '<%s>' \"$@\"\nexit 4";
    let words = ["cluster", "sort", "-k", "1:int", "--limit=3", "-o", "node://*/a b", "-q", "in"];
    let said = run_with_interpreter(&folder, script, &words);
    assert_eq!(said.status, 4);
    let expected = "<-m><sortwell.cluster><sort><-k><1:int><--limit=3><-o><node://*/a b><-q><in>";
    assert_eq!(String::from_utf8_lossy(&said.out), expected);
}

#[test]
fn the_probe_finds_what_is_missing() {
    let folder = Folder::new();
    let words = ["cluster", "explain", "--bytes", "1GB", "--nodes", "2"];
    // An interpreter that has no packages.
    let said = run_with_interpreter(&folder, "exec python3 -I -S \"$@\"", &words);
    said.fails(2, &["does not have the Python package and Ray", "pip install './python[cluster]'"]);
}

#[test]
fn an_interpreter_that_is_not_there() {
    let folder = Folder::new();
    let mut command = folder.command(&["cluster", "sort", "-o", "out", "in"]);
    let output = command.env("SORTWELL_PYTHON", folder.at("none")).output().expect("run");
    Said::from(output).fails(2, &["cannot start", "set SORTWELL_PYTHON"]);
}
