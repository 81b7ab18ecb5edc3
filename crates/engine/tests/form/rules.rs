//! The rules for a Rust file: one function each, and the list of all.

use crate::source::Source;
use crate::{Fault, functions, layers, library, prose, text};

/// Lines a file may have: past that it wants to be two.
const LINES_MAX: usize = 500;
/// Tests are lists of cases, and easier to read through.
const TEST_LINES_MAX: usize = 800;
/// Characters a line may have; rustfmt holds code to it, this holds comments too.
const COLUMNS_MAX: usize = 100;
/// Places that may hold unsafe code: each wraps it in safe types.
const UNSAFE_FOLDERS: [&str; 11] = [
    "crates/engine/src/sys/",
    "crates/engine/src/locale/",
    "crates/engine/src/io/",
    "crates/engine/src/incore/",
    "crates/engine/src/proof/hash",
    "crates/capi/src/ffi",
    "crates/python/src/buffer.rs",
    "crates/python/src/batches/capsule.rs",
    "crates/python/src/interpreter.rs",
    "crates/cli/tests/command/children.rs",
    "crates/index/tests/lmdb/",
];
/// Names that say nothing of what is inside.
const EMPTY_NAMES: [&str; 5] = ["utils", "util", "common", "helpers", "misc"];

/// Every breach of every rule in one file.
pub fn all(path: &str, content: &str) -> Vec<Fault> {
    let source = Source::new(content);
    let mut faults = Vec::new();
    faults.extend(head_comment(path, content));
    faults.extend(length(path, content));
    faults.extend(width(path, content));
    faults.extend(name(path));
    faults.extend(left_over_code(path, &source));
    faults.extend(left_over_words(path, &source));
    faults.extend(inline_tests(path, &source));
    faults.extend(unsafe_place(path, &source));
    faults.extend(functions::length(path, &source));
    faults.extend(library::engine_imports(path, &source));
    if !is_test(path) {
        faults.extend(layers::imports(path, &source));
        faults.extend(library::silence(path, &source));
        faults.extend(functions::openings(path, content));
        faults.extend(functions::tuples(path, &source));
        faults.extend(prose::texts(path, &source));
        faults.extend(text::absolute_paths(path, content));
    }
    faults
}

/// Whether a file holds only tests.
pub fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.split('/').any(|folder| folder == "tests")
}

/// A fault, with less to write.
pub fn fault(path: &str, line: usize, words: impl Into<String>) -> Fault {
    Fault { path: path.to_owned(), line, words: words.into() }
}

/// Where a word stands by itself: every line of its occurrences, counted from 1.
pub fn lines_with_word(text: &str, word: &str) -> Vec<usize> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let stands_alone = |line: &str| {
        line.match_indices(word).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + word.len()..]);
            !before.ends_with(is_part) && !after.starts_with(is_part)
        })
    };
    let numbered = text.lines().enumerate();
    numbered.filter(|(_, line)| stands_alone(line)).map(|(index, _)| index + 1).collect()
}

fn head_comment(path: &str, content: &str) -> Option<Fault> {
    let words = content.lines().next().and_then(|line| line.strip_prefix("//!"));
    let is_said = words.is_some_and(|words| words.trim().len() >= 10);
    let advice = "no head comment; open the file with //! and what it does and leaves to others";
    (!is_said).then(|| fault(path, 1, advice))
}

fn length(path: &str, content: &str) -> Option<Fault> {
    let max = if is_test(path) { TEST_LINES_MAX } else { LINES_MAX };
    let lines = content.lines().count();
    (lines > max).then(|| {
        fault(path, lines, format!("{lines} lines, {max} allowed; make two files, one topic each"))
    })
}

fn width(path: &str, content: &str) -> Vec<Fault> {
    let columns = content.lines().map(|line| line.chars().count()).enumerate();
    let wide = columns.filter(|&(_, columns)| columns > COLUMNS_MAX);
    let words = |columns| format!("{columns} columns, {COLUMNS_MAX} allowed; break the line");
    wide.map(|(index, columns)| fault(path, index + 1, words(columns))).collect()
}

fn name(path: &str) -> Option<Fault> {
    let mut parts = path.split('/').map(|part| part.trim_end_matches(".rs"));
    let empty = parts.find(|part| EMPTY_NAMES.contains(part))?;
    Some(fault(path, 1, format!("'{empty}' says nothing; name it after what is inside")))
}

fn left_over_code(path: &str, source: &Source) -> Vec<Fault> {
    let found = ["dbg", "todo", "unimplemented"].into_iter().flat_map(|name| {
        let call = format!("{name}!");
        let lines = source.code.lines().enumerate();
        let with_call = lines.filter(move |(_, line)| line.contains(&call));
        with_call.map(move |(index, _)| (index + 1, name))
    });
    found
        .map(|(line, name)| fault(path, line, format!("{name}! is left over; remove it")))
        .collect()
}

fn left_over_words(path: &str, source: &Source) -> Vec<Fault> {
    let mut faults = Vec::new();
    for word in ["TODO", "FIXME", "XXX"] {
        for line in lines_with_word(&source.comments, word) {
            let words = source.comments.lines().nth(line - 1).unwrap_or_default();
            if !names_an_issue(words) {
                faults.push(fault(
                    path,
                    line,
                    format!("{word} without an issue; do it or name #N"),
                ));
            }
        }
    }
    faults
}

/// Whether the words hold `#` and a number.
fn names_an_issue(words: &str) -> bool {
    words.split('#').skip(1).any(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()))
}

fn inline_tests(path: &str, source: &Source) -> Vec<Fault> {
    let has_body =
        |line: &str| line.trim_start().starts_with("mod tests") && line.trim_end().ends_with('{');
    let lines = source.code.lines().enumerate().filter(|(_, line)| has_body(line));
    let advice = "tests inside the file; move them to a file tests.rs of their own";
    lines.map(|(index, _)| fault(path, index + 1, advice)).collect()
}

fn unsafe_place(path: &str, source: &Source) -> Vec<Fault> {
    if UNSAFE_FOLDERS.iter().any(|folder| path.starts_with(folder)) {
        return Vec::new();
    }
    let advice = "unsafe outside its fence (UNSAFE_FOLDERS); wrap it there in a safe type";
    let lines = lines_with_word(&source.code, "unsafe");
    lines.into_iter().map(|line| fault(path, line, advice)).collect()
}
