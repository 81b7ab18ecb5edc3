//! The examples of the guides, run: each works as printed, and writes what is printed after it.
//!
//! Each page has a folder of its own, and its examples run there in order, as by a reader who types
//! them. A `text` block right after an `sh` block is the output of that block. Examples that build
//! something, or that need disks or files of the reader's own, are marked `console` and not run.
//! Examples in Python are run by `python/tests/test_guide.py`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::Folder;

/// One shell example of a page.
struct Example {
    /// What a reader types.
    script: String,
    /// The output that the page shows, if it shows one.
    shown: Option<String>,
}

/// Splits a page into its shell examples.
fn examples(page: &str) -> Vec<Example> {
    let parts = page.split("```sh\n").skip(1);
    let example = |part: &str| {
        let (script, rest) = part.split_once("```\n").expect("the end of an example");
        let shown = rest.trim_start().strip_prefix("```text\n");
        let shown = shown.map(|text| text.split("```").next().unwrap_or_default().to_owned());
        Example { script: script.to_owned(), shown }
    };
    parts.map(example).collect()
}

/// Runs an example, with ten thousand records where it says ten million; returns its output.
fn output_of(folder: &Folder, name: &str, script: &str) -> String {
    let script = script.replace("10000000", "10000");
    let command = Path::new(env!("CARGO_BIN_EXE_sortwell"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", command.parent().expect("a folder").display());
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", &script]).current_dir(folder.path()).env("PATH", &path);
    shell.env("XDG_CONFIG_HOME", folder.at("config"));
    let output = shell.output().expect("sh");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: this example fails:\n{script}\n{words}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs the examples of a page and compares their outputs; returns how many it compared.
pub fn compare_page(path: &Path) -> usize {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let page = fs::read_to_string(path).expect("a page");
    let examples = examples(&page);
    let in_python = page.contains("```python\n");
    assert!(!examples.is_empty() || in_python, "{name} has no example to run");
    let folder = Folder::new();
    let mut compared = 0;
    for Example { script, shown } in examples {
        let output = output_of(&folder, &name, &script);
        if let Some(shown) = shown {
            assert_eq!(output, shown, "{name}: another output than the page shows:\n{script}");
            compared += 1;
        }
    }
    compared
}

#[test]
fn guides_show_what_their_examples_write() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide");
    let entries = fs::read_dir(guide).expect("the guides");
    let mut pages: Vec<PathBuf> = entries.map(|entry| entry.expect("a guide").path()).collect();
    pages.sort();
    assert!(pages.len() > 7, "the guides were not found: {pages:?}");
    let compared: usize = pages.iter().map(|page| compare_page(page)).sum();
    assert!(compared > 24, "the guides show outputs: {compared}");
}
