//! Options that a library does not take, each with what to do instead.

use sortwell::Result;

use super::JobWords;
use crate::failure::usage_error;

/// Options that only the command has.
const OF_THE_COMMAND: [(&str, &str); 8] = [
    ("files0-from", "add each input by a call"),
    ("help", "the reference describes the options"),
    ("output", "the call that runs the job names the output"),
    ("progress", "a call returns the progress"),
    ("quiet", "the library prints nothing"),
    ("report", "'sortwell report' makes the page of the statistics"),
    ("stats", "a call returns the statistics"),
    ("version", "a call returns the version"),
];

/// Options of a sort that need files to read or to write.
pub const FILE_OPTIONS: [&str; 9] = [
    "compress",
    "decompress",
    "force",
    "in-place",
    "resume",
    "split",
    "split-by",
    "sync",
    "union-by-name",
];

/// Options of a merge that need an output file.
pub const OUTPUT_OPTIONS: [&str; 4] = ["compress", "force", "resume", "sync"];

/// Checks that a job has none of these options.
pub fn check_no_file_options(words: &JobWords, options: &[&str]) -> Result<()> {
    match options.iter().find(|name| words.has(name)) {
        Some(name) => Err(usage_error(format!(
            "--{name} is an option of jobs that read and write files; records are passed by calls \
             here"
        ))),
        None => Ok(()),
    }
}

/// Options that make the command print a text instead of its result.
const OF_TEXTS: [&str; 2] = ["help", "version"];

/// Checks that a name is that of an option, and not of one that only the command has.
pub fn check_embeddable(name: &str) -> Result<()> {
    check_name(name)?;
    match OF_THE_COMMAND.iter().find(|(known, _)| *known == name) {
        Some((_, instead)) => Err(usage_error(format!(
            "--{name} is an option of the command, not of the library: {instead}"
        ))),
        None => Ok(()),
    }
}

/// Checks the name of an option for a library that runs the command and reads what it prints.
///
/// # Errors
///
/// A usage error for a name that is not an option, and for an option that prints another text.
pub fn check_runnable(name: &str) -> Result<()> {
    if OF_TEXTS.contains(&name) { check_embeddable(name) } else { check_name(name) }
}

fn check_name(name: &str) -> Result<()> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if name.is_empty() || name.starts_with('-') || !name.bytes().all(is_letter) {
        return Err(usage_error(format!(
            "'{}' is not the name of an option: give one as the command has it, without dashes in \
             front and without a value",
            name.escape_debug()
        )));
    }
    Ok(())
}
