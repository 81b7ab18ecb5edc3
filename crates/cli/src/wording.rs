//! The command's words for errors of the library, and its exit status for each.
//!
//! The library names settings and operations by value. This file alone knows which option or
//! subcommand each of them is.

use std::error::Error as StdError;
use std::io;
use std::path::Path;

use sortwell::Error;
use sortwell::unstable::io::is_spill_directory;
use sortwell::{ByteSize, Message, Operation, Reference, Setting};

/// Returns the text of a message, with options and subcommands where it names settings and
/// operations.
pub fn text(message: &Message) -> String {
    message.render(reference)
}

/// Returns the message with the names of options and subcommands as plain text, for JSON.
pub fn in_plain_text(message: &Message) -> Message {
    text(message).into()
}

/// Returns the text of an error, its causes and its remedy on one line: `what: why: why; remedy`.
pub fn chain(error: &Error) -> String {
    let words = with_causes(error);
    let is_temporary = |path: &Path| path.ancestors().any(is_spill_directory);
    match error.file().filter(|path| error.is_full() && is_temporary(path)) {
        Some(_) => {
            format!(
                "{words}; free some space or name another directory with {}",
                option(Setting::Temp)
            )
        }
        None => words,
    }
}

fn with_causes(error: &Error) -> String {
    let mut words = error_alone(error);
    let mut cause = error.source();
    while let Some(error) = cause {
        words.push_str(": ");
        if let Some(inner) = library_error(error) {
            return words + &chain(inner);
        }
        words.push_str(&error.to_string());
        cause = error.source();
    }
    words
}

/// Returns the text of an error of the system, which may hold one of the library.
pub fn io_error(error: &io::Error) -> String {
    library_error(error).map_or_else(|| error.to_string(), chain)
}

/// Returns the error of the library that an error of the system stands for. A reader can fail with
/// no other.
fn library_error<'e>(error: &'e (dyn StdError + 'static)) -> Option<&'e Error> {
    error.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref::<Error>()
}

/// Returns the text of an error without its causes.
fn error_alone(error: &Error) -> String {
    match error {
        Error::WriteProtected { path } => format!(
            "cannot replace {}: it has no write permission; add the permission, or use --force",
            path.display()
        ),
        Error::OverLimit { needed, limit } => {
            let up_to = |needed: ByteSize| format!("up to {}, ", needed.rounded_up());
            let up_to = needed.map_or_else(String::new, up_to);
            format!(
                "temporary files would take {up_to}more than the {limit} that --temp-limit \
                 allows; raise the limit, or give more --memory to spill less"
            )
        }
        Error::Kept { is_in_place, directory, error } => {
            let parent = directory.parent().filter(|parent| *parent != Path::new(""));
            let parent = parent.unwrap_or_else(|| Path::new("."));
            let clean = format!("{} {}", subcommand(Operation::CleanSpill), parent.display());
            let (kept, or) = match is_in_place {
                true => ("records of the input are", String::new()),
                false => ("the finished work is kept", format!(", '{clean}' removes it")),
            };
            let error = match **error {
                // What became of input and output is said here.
                Error::Interrupted => "interrupted".to_owned(),
                // In another directory the job would begin again.
                ref error => with_causes(error),
            };
            format!(
                "{error}; {kept} in {}: the same command continues from there{or}",
                directory.display()
            )
        }
        other => text(&other.message()),
    }
}

/// Returns the exit status of a command that fails with this error: 2 for a wrong request, 3 for
/// malformed input, 4 for I/O and disk space, 5 for a failed proof or checksum, 130 for an
/// interruption.
pub fn status(error: &Error) -> u8 {
    match error {
        Error::Config(_) => 2,
        Error::Malformed { .. } | Error::BudgetExceeded { .. } => 3,
        Error::Io { .. }
        | Error::NoSpace { .. }
        | Error::OverLimit { .. }
        | Error::WriteProtected { .. } => 4,
        Error::Corrupt { .. }
        | Error::Proof { .. }
        | Error::Changed { .. }
        | Error::Disorder { .. } => 5,
        Error::Caller { .. } => 70,
        Error::Interrupted => 130,
        Error::Kept { error, .. } => status(error),
        _ => 4,
    }
}

/// Returns the option, with its value, or the subcommand that a reference means.
fn reference(reference: &Reference) -> String {
    match reference {
        Reference::Setting(setting, None) => option(*setting).to_owned(),
        // An option whose value may be left out takes it after a sign only.
        Reference::Setting(Setting::Unique, Some(value)) => {
            format!("{}={value}", option(Setting::Unique))
        }
        Reference::Setting(setting, Some(value)) => format!("{} {value}", option(*setting)),
        Reference::Operation(operation, None) => format!("'{}'", subcommand(*operation)),
        Reference::Operation(operation, Some(operand)) => {
            format!("'{} {operand}'", subcommand(*operation))
        }
        other => other.to_string(),
    }
}

/// Returns the option for a setting.
fn option(setting: Setting) -> &'static str {
    match setting {
        Setting::Algorithm => "--algorithm",
        Setting::AlphasortRuns => "--alphasort-runs",
        Setting::Check => "--check",
        Setting::Compress => "--compress",
        Setting::Count => "--count",
        Setting::DateFormat => "--date-format",
        Setting::Decompress => "--decompress",
        Setting::Direct => "--direct",
        Setting::Engine => "--io",
        Setting::Force => "--force",
        Setting::Format => "--format",
        Setting::GatherStores => "--gather-stores",
        Setting::Having => "--having",
        Setting::Header => "--header",
        Setting::InPlace => "--in-place",
        Setting::Include => "--include",
        Setting::Invalid => "--invalid",
        Setting::Key => "--key",
        Setting::Max => "--max",
        Setting::Memory => "--memory",
        Setting::Merge => "--merge",
        Setting::CompressRuns => "--compress-runs",
        Setting::MergeBuffers => "--merge-buffers",
        Setting::Microrun => "--microrun",
        Setting::Min => "--min",
        Setting::NoHeader => "--no-header",
        Setting::Output => "--output",
        Setting::Overlap => "--overlap",
        Setting::AsyncIo => "--async-io",
        Setting::Pad => "--pad",
        Setting::Quote => "--quote",
        Setting::Ragged => "--ragged",
        Setting::Resume => "--resume",
        Setting::RunSize => "--run-size",
        Setting::Select => "--select",
        Setting::Separator => "--separator",
        Setting::Split => "--split",
        Setting::SplitBy => "--split-by",
        Setting::Sum => "--sum",
        Setting::Sync => "--sync",
        Setting::Temp => "--temp",
        Setting::TempLimit => "--temp-limit",
        Setting::Threads => "--threads",
        Setting::UnionByName => "--union-by-name",
        Setting::Unique => "--unique",
        other => other.name(),
    }
}

/// Returns the subcommand for an operation.
fn subcommand(operation: Operation) -> &'static str {
    match operation {
        Operation::CleanSpill => "sortwell spill clean",
        Operation::CleanAnySpill => "sortwell spill clean --all",
        Operation::Calibrate => "sortwell calibrate",
        Operation::CalibrateProcessors => "sortwell calibrate cpu",
        Operation::CalibrateDisk => "sortwell calibrate disk",
        other => other.name(),
    }
}

#[cfg(test)]
mod tests;
