//! The examples of the README: `guide` runs those of the command, as it runs those of the guides.
//!
//! The Rust block is a part of the example that the library's own tests run.

use std::fs;
use std::path::{Path, PathBuf};

use crate::guide::compare_page;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn shell_blocks_run() {
    assert!(compare_page(&root().join("README.md")) > 0, "the README shows outputs");
}

#[test]
fn rust_blocks_are_parts_of_the_examples() {
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    let blocks: Vec<&str> = readme.split("```rust\n").skip(1).collect();
    let examples = ["fixed_records.rs", "pushed_records.rs"];
    assert_eq!(blocks.len(), examples.len(), "an example for each");
    for (block, name) in blocks.into_iter().zip(examples) {
        let example = root().join("crates/sortwell/examples").join(name);
        let example = fs::read_to_string(example).expect("the example");
        let block = block.split("```").next().unwrap_or_default();
        assert!(example.contains(block), "README and examples/{name} differ");
    }
}
