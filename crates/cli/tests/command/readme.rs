//! The examples of the README, run: what it tells a newcomer to type works as printed.
//!
//! Every `sh` block is run, with ten thousand records where it says ten million; blocks that build
//! or fetch something are marked `console` instead. The Rust block is a part of the example that
//! the library's own tests run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::Folder;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The contents of the README's blocks in one language.
fn blocks(language: &str) -> Vec<String> {
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    let opening = format!("```{language}\n");
    let after = readme.split(&opening).skip(1);
    after.map(|text| text.split("```").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn shell_blocks_run() {
    let folder = Folder::new();
    let blocks = blocks("sh");
    assert!(!blocks.is_empty(), "the README shows how to use the command");
    for block in blocks {
        output_of(&folder, &block.replace("10000000", "10000"));
    }
}

/// Runs an example in a folder, where `sortwell` is the program under test; returns its output.
pub fn output_of(folder: &Folder, script: &str) -> String {
    let command = Path::new(env!("CARGO_BIN_EXE_sortwell"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", command.parent().expect("a folder").display());
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", script]).current_dir(folder.path()).env("PATH", &path);
    shell.env("XDG_CONFIG_HOME", folder.at("config"));
    let output = shell.output().expect("sh");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}\n{words}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn rust_block_is_part_of_the_example() {
    let example = root().join("crates/core/examples/sort_file.rs");
    let example = fs::read_to_string(example).expect("the example");
    let blocks = blocks("rust");
    assert_eq!(blocks.len(), 1, "one example for the library");
    assert!(example.contains(&blocks[0]), "README and examples/sort_file.rs differ");
}
