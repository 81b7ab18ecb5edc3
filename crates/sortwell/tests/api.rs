//! The public items of the crate, against the list of them in `api.txt`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Returns the names that the root of the crate makes public.
fn public_names(source: &str) -> BTreeSet<String> {
    let code: String = source.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let mut names = BTreeSet::new();
    for statement in code.split("pub use ").skip(1) {
        let list = statement.split(';').next().unwrap_or_default();
        let words = list.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let is_type = |word: &&str| word.starts_with(|c: char| c.is_ascii_uppercase());
        names.extend(words.filter(is_type).map(str::to_owned));
    }
    names
}

#[test]
fn every_public_item_is_in_the_list() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = fs::read_to_string(root.join("api.txt")).expect("api.txt");
    let source = fs::read_to_string(root.join("src/lib.rs")).expect("the root of the crate");
    let items = list.lines().filter_map(|line| line.strip_prefix("item "));
    let listed: BTreeSet<String> = items.map(str::to_owned).collect();
    let public = public_names(&source);
    assert_eq!(listed, public, "make api writes the list anew");
    assert!((25..=67).contains(&public.len()), "{} items; about 65 are meant", public.len());
}

#[test]
fn every_public_item_has_an_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let read = |name: &str| fs::read_to_string(root.join(name)).expect("a source file");
    let without_example = |source: String, item: &str| -> Vec<String> {
        let mut is_shown = false;
        let mut found = Vec::new();
        for line in source.lines() {
            is_shown |= line == "/// ```";
            if line.starts_with(item) {
                found.extend((!is_shown).then(|| line.to_owned()));
                is_shown = false;
            }
        }
        found
    };
    for file in ["ends.rs", "errors.rs", "indexes.rs", "records.rs", "results.rs"] {
        assert_eq!(without_example(read(file), "pub use "), [""; 0], "{file}");
    }
    for file in ["check_job.rs", "index_job.rs", "merge_job.rs", "sort_job.rs"] {
        assert_eq!(without_example(read(file), "pub struct "), [""; 0], "{file}");
    }
}
