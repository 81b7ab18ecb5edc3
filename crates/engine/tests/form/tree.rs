//! The repository's files, found from this crate's place in it.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold no text of ours.
const SKIPPED: [&str; 4] = ["target", ".git", "node_modules", ".venv"];

/// Every file under `folder` with one of the endings (an extension, or a whole name without one),
/// as its path relative to the repository and its content, in order of path.
pub fn files(folder: &str, endings: &[&str]) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    walk(&root.join(folder), endings, &mut found);
    found.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        // A file may go away between the listing and the reading, as editors' temporary ones do.
        fs::read_to_string(&path).ok().map(|content| (name, content))
    };
    found.into_iter().filter_map(read).collect()
}

fn walk(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        // Links are not followed: what they point to is listed where it is.
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && !SKIPPED.contains(&name.as_str()) {
            walk(&path, endings, found);
        } else if kind.is_file() && has_ending(&name, endings) {
            found.push(path);
        }
    }
}

fn has_ending(name: &str, endings: &[&str]) -> bool {
    let ending = name.rsplit_once('.').map_or(name, |(_, extension)| extension);
    endings.contains(&ending)
}
