//! The table "Places to change" of ARCHITECTURE.md against the source.
//!
//! Each row names files that exist. A row that names an enum ("a variant of `Engine`") lists every
//! file that enumerates it: one that names more than half of its variants would have to name a new
//! one too. A row that says "one file in `io/` that implements `Queue`" has members, and each is
//! known only to its own file and to those of the row.

use std::collections::BTreeSet;

use crate::Fault;
use crate::names::is_production;
use crate::rules::fault;
use crate::source::Source;

const PAGE: &str = "ARCHITECTURE.md";
const HEADING: &str = "## Places to change";
/// Folders that paths of the table are relative to.
const BASES: [&str; 2] = ["crates/engine/src/", ""];

/// One row of the table.
pub struct Row {
    line: usize,
    change: String,
    /// Files and folders from the root of the repository, as far as they exist.
    paths: Vec<String>,
    /// Paths that do not exist.
    missing: Vec<String>,
    /// Enums that get a variant.
    enums: Vec<String>,
    /// Folder and trait of "one file in `folder/` that implements `Trait`".
    member: Option<(String, String)>,
}

/// Every breach of the table, whose paths are held against all `files` of the repository.
pub fn breaches(page: &str, files: &[(String, String)]) -> Vec<Fault> {
    let rows = rows(page, files);
    if rows.is_empty() {
        return vec![fault(PAGE, 1, format!("'{HEADING}' has no rows"))];
    }
    let code: Vec<(&str, String)> = files
        .iter()
        .filter(|(path, _)| is_production(path))
        .map(|(path, content)| (path.as_str(), Source::new(content).code))
        .collect();
    let mut faults = Vec::new();
    for row in &rows {
        faults.extend(row.missing.iter().map(|path| row.fault(format!("{path} does not exist"))));
        if row.paths.is_empty() && row.missing.is_empty() {
            faults.push(row.fault("names no file".to_owned()));
        }
        faults.extend(row.enums.iter().flat_map(|name| enumerations(row, name, &code)));
        faults.extend(row.member.iter().flat_map(|member| implementors(row, member, &code)));
    }
    faults
}

/// The rows of the table.
pub fn rows(page: &str, files: &[(String, String)]) -> Vec<Row> {
    let lines = page.lines().enumerate().skip_while(|(_, line)| *line != HEADING).skip(1);
    let table = lines.take_while(|(_, line)| !line.starts_with("## "));
    let mut rows = Vec::new();
    for (index, line) in table {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [change, places] = cells[..] else { continue };
        if change == "change" || change.starts_with("---") {
            continue;
        }
        rows.push(Row::new(index + 1, change, places, files));
    }
    rows
}

impl Row {
    fn new(line: usize, change: &str, places: &str, files: &[(String, String)]) -> Self {
        let mut row = Self {
            line,
            change: change.to_owned(),
            paths: Vec::new(),
            missing: Vec::new(),
            enums: Vec::new(),
            member: None,
        };
        let exists = |path: &str| match path.strip_suffix('/') {
            Some(_) => files.iter().any(|(file, _)| file.starts_with(path)),
            None => files.iter().any(|(file, _)| file == path),
        };
        let (mut before, mut folder) = ("", String::new());
        for (index, text) in places.split('`').enumerate() {
            if index % 2 == 0 {
                before = text;
                for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                    let list = if exists(link) { &mut row.paths } else { &mut row.missing };
                    list.push(link.to_owned());
                }
                continue;
            }
            let is_path = !text.contains(' ') && (text.contains('/') || text.ends_with(".rs"));
            if is_path {
                let mut whole = BASES.iter().map(|base| format!("{base}{text}"));
                match whole.find(|path| exists(path)) {
                    Some(path) => {
                        folder.clone_from(&path);
                        row.paths.push(path);
                    }
                    None => row.missing.push(text.to_owned()),
                }
            } else if before.ends_with("implements ") {
                row.member = Some((folder.clone(), text.to_owned()));
                row.paths.retain(|path| *path != folder);
            } else if before.ends_with(" of ") && text.starts_with(char::is_uppercase) {
                row.enums.push(text.to_owned());
            }
        }
        row
    }

    fn fault(&self, words: impl std::fmt::Display) -> Fault {
        fault(PAGE, self.line, format!("row '{}': {words}", self.change))
    }

    /// Returns whether the row names a file, or a folder that it is in.
    fn names(&self, file: &str) -> bool {
        self.paths.iter().any(|path| file == path || path.ends_with('/') && file.starts_with(path))
    }
}

/// Files outside the row that name more than half of an enum's variants.
fn enumerations(row: &Row, name: &str, code: &[(&str, String)]) -> Vec<Fault> {
    let Some((home, variants)) =
        code.iter().find_map(|(path, code)| Some((*path, variants(code, name)?)))
    else {
        return vec![row.fault(format!("there is no enum {name}"))];
    };
    let mut faults = Vec::new();
    if !row.names(home) {
        faults.push(row.fault(format!("{home} defines {name}")));
    }
    for (path, code) in code.iter().filter(|(path, _)| !row.names(path)) {
        let is_named = |variant: &&String| contains_word(code, &format!("{name}::{variant}"));
        let named = variants.iter().filter(is_named).count();
        if named >= 2 && named * 2 > variants.len() {
            let words = format!("{path} names {named} of {} of {name}", variants.len());
            faults.push(row.fault(words));
        }
    }
    faults
}

/// The variants of an enum that the code defines.
fn variants(code: &str, name: &str) -> Option<Vec<String>> {
    let start = code.find(&format!("enum {name} {{"))?;
    let body = code[start..].split_once('{')?.1;
    let body = &body[..body.find("\n}")?];
    let names = body.lines().filter_map(|line| {
        let line = line.trim_start();
        let name: String = line.chars().take_while(|part| part.is_alphanumeric()).collect();
        name.starts_with(char::is_uppercase).then_some(name)
    });
    Some(names.collect())
}

/// Files outside the row and the member's own that know a type which implements the trait in the
/// folder.
fn implementors(
    row: &Row,
    (folder, trait_name): &(String, String),
    code: &[(&str, String)],
) -> Vec<Fault> {
    let mark = format!("{trait_name} for ");
    let mut members = BTreeSet::new();
    for (path, code) in code.iter().filter(|(path, _)| path.starts_with(folder.as_str())) {
        let lines = code.lines().filter(|line| line.starts_with("impl"));
        for (_, rest) in lines.filter_map(|line| line.split_once(&mark)) {
            let part = |part: &char| part.is_alphanumeric() || *part == '_';
            members.insert((*path, rest.chars().take_while(part).collect::<String>()));
        }
    }
    if members.is_empty() {
        return vec![row.fault(format!("nothing in {folder} implements {trait_name}"))];
    }
    let mut faults = Vec::new();
    for (home, member) in &members {
        let module = home.rsplit('/').next().unwrap_or(home).trim_end_matches(".rs");
        let others = code.iter().filter(|(path, _)| path != home && !row.names(path));
        for (path, _) in others.filter(|(_, code)| knows(code, module, member)) {
            faults.push(row.fault(format!("{path} knows {member} of {home}")));
        }
    }
    faults
}

/// Returns whether the code names a type of a module, alone or in a group.
fn knows(code: &str, module: &str, name: &str) -> bool {
    let path = format!("{module}::");
    code.split(&path).skip(1).any(|rest| {
        let group = rest.strip_prefix('{').and_then(|rest| rest.split('}').next());
        contains_word(group.unwrap_or(rest.split([' ', ';']).next().unwrap_or_default()), name)
    })
}

fn contains_word(text: &str, word: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}
