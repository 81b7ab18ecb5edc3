//! Rules for all text: nothing in the repository depends on one machine's folders, and pages are in
//! plain language.

use crate::rules::fault;
use crate::{Fault, prose};

/// Folders of single machines and people. Put together here, so that this file passes itself.
const FOLDERS: [&str; 4] = ["work", "root", "tmp", "home"];

/// Every breach of these rules in one file.
pub fn all(path: &str, content: &str) -> Vec<Fault> {
    let mut faults = absolute_paths(path, content);
    faults.extend(prose::page(path, content));
    faults
}

/// Paths that begin at one of those folders.
pub fn absolute_paths(path: &str, content: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (index, line) in content.lines().enumerate() {
        if let Some(folder) = FOLDERS.iter().find(|folder| names_folder(line, folder)) {
            let words =
                format!("/{folder} is a place on one machine; name it relative to the tree");
            faults.push(fault(path, index + 1, words));
        }
    }
    faults
}

/// Whether a path in the line begins with the folder, rather than passing through one of that name.
fn names_folder(line: &str, folder: &str) -> bool {
    let folder = format!("/{folder}");
    line.match_indices(&folder).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + folder.len()..]);
        let is_inner = before.ends_with(|c: char| c.is_alphanumeric() || "._-~/*}>)$".contains(c));
        let is_longer = after.starts_with(|c: char| c.is_alphanumeric() || "._-".contains(c));
        !is_inner && !is_longer
    })
}
