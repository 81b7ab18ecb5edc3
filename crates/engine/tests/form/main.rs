//! The form of the source is tested like its behaviour (TigerBeetle's `tidy` is the example).
//!
//! Every file says what it does and stays small, layers use only layers before them, unsafe code
//! stays behind its fence, and nothing unfinished is left behind. `tree` finds the files, `source`
//! tells code from comments and strings, `rules`, `functions`, `library`, `names`, `places`,
//! `layers`, `prose`, `text` hold one function a rule, and `bites` shows each rule a fault it must
//! find.

mod bites;
mod functions;
mod layers;
mod library;
mod names;
mod places;
mod prose;
mod rules;
mod source;
mod text;
mod tree;

use std::fmt;

/// One breach of one rule: where, what, and what to do.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file, relative to the repository.
    pub path: String,
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong and what to do.
    pub words: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.words)
    }
}

fn assert_none(faults: &[Fault]) {
    let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert!(faults.is_empty(), "{} breaches of form:\n{}\n", faults.len(), lines.join("\n"));
}

#[test]
fn source_has_good_form() {
    let files = tree::files("crates", &["rs"]);
    assert!(files.len() > 10, "the tree was not found: {} files", files.len());
    let faults: Vec<Fault> =
        files.iter().flat_map(|(path, content)| rules::all(path, content)).collect();
    assert_none(&faults);
}

#[test]
fn text_has_good_form() {
    let files = tree::files("", &["md", "toml", "sh", "yml", "py", "Makefile", "run"]);
    assert!(files.iter().any(|(path, _)| path == "Makefile"), "the tree was not found");
    let mut faults: Vec<Fault> =
        files.iter().flat_map(|(path, content)| text::all(path, content)).collect();
    let scripts = tree::files("crates/cli/src/report", &["js"]);
    let own = scripts.iter().filter(|(path, _)| !path.contains("/uplot/"));
    faults.extend(own.flat_map(|(path, content)| prose::script(path, content)));
    assert_none(&faults);
}

#[test]
fn types_have_names_of_their_own() {
    assert_none(&names::breaches(&tree::files("crates", &["rs"])));
}

#[test]
fn places_to_change_are_true() {
    let mut files = tree::files("crates", &["rs", "toml"]);
    for (folder, ending) in [("tests", "py"), ("docs", "md"), ("results", "md")] {
        files.extend(tree::files(folder, &[ending]));
    }
    files.extend(tree::files("", &["md"]));
    let page = files.iter().find(|(path, _)| path == "ARCHITECTURE.md").expect("the page");
    assert_none(&places::breaches(&page.1.clone(), &files));
}
