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
fn rust_block_is_part_of_the_example() {
    let example = root().join("crates/sortwell/examples/fixed_records.rs");
    let example = fs::read_to_string(example).expect("the example");
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    let blocks: Vec<&str> = readme.split("```rust\n").skip(1).collect();
    assert_eq!(blocks.len(), 1, "one example for the library");
    let block = blocks[0].split("```").next().unwrap_or_default();
    assert!(example.contains(block), "README and examples/fixed_records.rs differ");
}
