//! Each type of production code has a name of its own in the whole workspace, so that a name in a
//! sentence, a search or an error means one thing.

use std::collections::{BTreeMap, BTreeSet};

use crate::Fault;
use crate::rules::{fault, is_test};
use crate::source::Source;

/// Names that two files define: the builders of the public library, and the jobs of the engine that
/// they build.
const KNOWN_TWICE: &[(&str, usize)] = &[("CheckJob", 2), ("MergeJob", 2), ("SortJob", 2)];

/// Returns whether a file is production code, whose types have names of their own.
pub fn is_production(path: &str) -> bool {
    path.starts_with("crates/") && path.contains("/src/") && !is_test(path)
}

/// Types that several files define beyond those known, and known ones that no longer are.
///
/// Types of one file are its module's, where the compiler sees to it; or they exclude each other by
/// a feature.
pub fn unique(files: &[(String, String)], known: &[(&str, usize)]) -> Vec<Fault> {
    let mut places: BTreeMap<String, Vec<(&str, usize)>> = BTreeMap::new();
    for (path, content) in files.iter().filter(|(path, _)| is_production(path)) {
        let mut seen = BTreeSet::new();
        for (line, name) in types(&Source::new(content).code) {
            if seen.insert(name.clone()) {
                places.entry(name).or_default().push((path, line));
            }
        }
    }
    let mut faults = Vec::new();
    for (name, places) in &places {
        let allowed = known.iter().find(|(known, _)| known == name).map_or(1, |(_, files)| *files);
        let ((path, line), files) = (places[places.len() - 1], places.len());
        if files > allowed {
            let others: Vec<&str> = places.iter().map(|(path, _)| *path).collect();
            let words = format!("{name} is a type of {}; rename one", others.join(", "));
            faults.push(fault(path, line, words));
        }
    }
    for &(name, files) in known {
        let found = places.get(name).map_or(0, Vec::len);
        if found < files {
            let words = match found {
                0 | 1 => format!("{name} is unique now; remove it from KNOWN_TWICE"),
                _ => format!("{name} is in {found} files, not {files}; say so in KNOWN_TWICE"),
            };
            faults.push(fault("crates/engine/tests/form/names.rs", 1, words));
        }
    }
    faults
}

/// The types that code defines, with their lines. Types that belong to a trait or an `impl` are
/// none.
pub fn types(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (index, line) in code.lines().enumerate() {
        let is_inner = line.starts_with(' ');
        let mut words = line.split_whitespace().peekable();
        while let Some(word) = words.peek() {
            if word.starts_with("pub") || *word == "unsafe" {
                words.next();
            } else {
                break;
            }
        }
        let (Some(keyword), Some(rest)) = (words.next(), words.next()) else { continue };
        let is_type = match keyword {
            "struct" | "enum" | "union" | "trait" => true,
            "type" => !is_inner,
            _ => false,
        };
        let name: String =
            rest.chars().take_while(|part| part.is_alphanumeric() || *part == '_').collect();
        if is_type && name.starts_with(char::is_uppercase) {
            found.push((index + 1, name));
        }
    }
    found
}

/// The types that are still to be renamed.
pub fn breaches(files: &[(String, String)]) -> Vec<Fault> {
    unique(files, KNOWN_TWICE)
}
