//! The examples of the guide, run: each works as printed, and writes what is printed after it.

use std::fs;
use std::path::Path;

use crate::harness::Folder;
use crate::readme::output_of;

/// The shell examples of a page, each with the output that the page shows for it, if it does.
fn examples(page: &str) -> Vec<(String, Option<String>)> {
    let mut examples = Vec::new();
    for part in page.split("```sh\n").skip(1) {
        let (script, rest) = part.split_once("```\n").expect("the end of an example");
        let shown = rest.trim_start().strip_prefix("```text\n");
        let shown = shown.map(|text| text.split("```").next().unwrap_or_default().to_owned());
        examples.push((script.to_owned(), shown));
    }
    examples
}

#[test]
fn examples_write_what_the_guide_shows() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide");
    let mut compared = 0;
    for page in fs::read_dir(guide).expect("the guide") {
        let page = fs::read_to_string(page.expect("a page").path()).expect("a page");
        let folder = Folder::new();
        for (script, shown) in examples(&page) {
            let output = output_of(&folder, &script);
            if let Some(shown) = shown {
                assert_eq!(output, shown, "{script}");
                compared += 1;
            }
        }
    }
    assert!(compared > 4, "the guide shows outputs");
}
