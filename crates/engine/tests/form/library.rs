//! Rules for the borders of the library. The command, the C library and the benchmarks use the
//! crate `sortwell`, never the engine itself. The engine names no option and no subcommand, prints
//! nothing and ends no process. The command gives its names to the settings that messages refer to.

use crate::Fault;
use crate::rules::{fault, lines_with_word};
use crate::source::Source;

const PLACE: &str = "crates/engine/src/";

/// Options of other programs that messages may name: of xz, and of zstd.
const FOREIGN_OPTIONS: [&str; 3] = ["--format=lzma", "--long", "--ultra"];

/// Subcommands of the command.
const SUBCOMMANDS: [&str; 15] = [
    "sort",
    "merge",
    "check",
    "explain",
    "report",
    "spill",
    "stripe",
    "calibrate",
    "bench",
    "generate",
    "validate",
    "gnu",
    "help",
    "man",
    "completions",
];

/// Macros that print, and calls that end the process.
const SPEAKING: [&str; 4] = ["print", "println", "eprint", "eprintln"];
const ENDING: [&str; 2] = ["process::exit", "process::abort"];

/// The crates that use the public library.
const USERS: [&str; 4] = ["crates/capi/", "crates/cli/", "crates/python/", "crates/sortbench/"];

/// Every use of the engine in a file of the command or the benchmarks.
pub fn engine_imports(path: &str, source: &Source) -> Vec<Fault> {
    if !USERS.iter().any(|user| path.starts_with(user)) {
        return Vec::new();
    }
    let words = "the engine is not imported here; use sortwell, or sortwell::unstable";
    let lines = lines_with_word(&source.code, "sortwell_engine");
    lines.into_iter().map(|line| fault(path, line, words)).collect()
}

/// Every breach by the engine in one file: an option, a subcommand, printing and exits.
pub fn silence(path: &str, source: &Source) -> Vec<Fault> {
    if !path.starts_with(PLACE) {
        return Vec::new();
    }
    let mut faults = options(path, source);
    faults.extend(subcommands(path, source));
    for name in SPEAKING {
        for line in lines_with_word(&source.code, &format!("{name}!")) {
            faults.push(fault(path, line, format!("{name}! in the library; return a value")));
        }
    }
    for name in ENDING {
        for line in lines_with_word(&source.code, name) {
            faults.push(fault(path, line, format!("{name} in the library; return an Error")));
        }
    }
    faults
}

/// Options in string literals.
fn options(path: &str, source: &Source) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (index, line) in source.strings.lines().enumerate() {
        for (at, _) in line.match_indices("--") {
            let is_option = line[at + 2..].starts_with(|first: char| first.is_ascii_lowercase());
            let is_foreign = FOREIGN_OPTIONS.iter().any(|known| line[at..].starts_with(known));
            if is_option && !line[..at].ends_with('-') && !is_foreign {
                let option = line[at..].split(' ').next().unwrap_or_default();
                let words = format!("{option} is an option; refer to it by a Setting");
                faults.push(fault(path, index + 1, words));
            }
        }
    }
    faults
}

/// Subcommands in string literals, which may be broken between lines.
fn subcommands(path: &str, source: &Source) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (at, name) in source.strings.match_indices("sortwell") {
        let rest = source.strings[at + name.len()..].trim_start_matches([' ', '\\', '\n']);
        let word: String = rest.chars().take_while(char::is_ascii_lowercase).collect();
        let is_apart = !source.strings[at + name.len()..].starts_with(char::is_alphanumeric);
        if is_apart && SUBCOMMANDS.contains(&word.as_str()) {
            let line = 1 + source.strings[..at].matches('\n').count();
            let words = format!("'sortwell {word}' is a command; refer to it by an Operation");
            faults.push(fault(path, line, words));
        }
    }
    faults
}
