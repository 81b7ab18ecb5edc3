//! The words and the exit status of each error; each setting that messages name is an option.

use std::path::Path;

use clap::CommandFactory;
use sortwell::ByteSize;
use sortwell::{ConfigErrorKind, Operation, Reference, Setting};

use super::*;
use crate::command::CommandLine;

#[test]
fn references_are_options_and_subcommands() {
    for (given, expected) in [
        (Reference::Setting(Setting::Memory, None), "--memory"),
        (Setting::Format.to("csv"), "--format csv"),
        (Setting::Unique.to("error"), "--unique=error"),
        (Reference::Operation(Operation::Calibrate, None), "'sortwell calibrate'"),
        (Operation::CleanSpill.on("/t"), "'sortwell spill clean /t'"),
    ] {
        assert_eq!(reference(&given), expected);
    }
}

#[test]
fn options_of_settings_are_known_to_the_command() {
    let mut whole = CommandLine::command();
    whole.build();
    let arguments = whole.get_subcommands().flat_map(clap::Command::get_arguments);
    let known: Vec<String> =
        arguments.filter_map(|one| one.get_long()).map(|long| format!("--{long}")).collect();
    for setting in Setting::ALL {
        let option = option(setting);
        assert!(known.iter().any(|known| known == option), "{option}");
    }
}

#[test]
fn subcommands_of_operations_are_known_to_the_command() {
    let mut whole = CommandLine::command();
    whole.build();
    for operation in Operation::ALL {
        let mut words = subcommand(operation).split(' ').filter(|word| !word.starts_with("--"));
        assert_eq!(words.next(), Some("sortwell"));
        let mut command = &whole;
        for word in words.filter(|word| *word != "json") {
            command = command.find_subcommand(word).unwrap_or_else(|| panic!("{operation:?}"));
        }
    }
}

fn full(others: usize, setting: Option<Setting>) -> Error {
    let (needed, available) = (ByteSize::mib(2), ByteSize::mib(1));
    Error::NoSpace { path: "disk".into(), others, needed, available, setting }
}

fn kept(error: Error, is_in_place: bool) -> Error {
    Error::Kept { is_in_place, directory: "spill".into(), error: Box::new(error) }
}

#[test]
fn errors_have_options_and_statuses() {
    let conflict = ConfigErrorKind::Conflict(Setting::Split, Setting::Compress);
    let limit = ByteSize::mib(1);
    for (error, words, code) in [
        (Error::config(conflict, "leave one out"), "leave one out", 2),
        (
            full(0, Some(Setting::Output)),
            "not enough space in disk: 2 MiB needed, 1 MiB free; free some space or name another \
             directory with --output",
            4,
        ),
        (
            full(2, None),
            "not enough space in disk and 2 directories elsewhere: 2 MiB needed, 1 MiB free; free \
             some space or name another directory",
            4,
        ),
        (
            Error::OverLimit { needed: None, limit },
            "temporary files would take more than the 1 MiB that --temp-limit allows; raise the \
             limit, or give more --memory to spill less",
            4,
        ),
        (
            Error::WriteProtected { path: "out".into() },
            "cannot replace out: it has no write permission; add the permission, or use --force",
            4,
        ),
        (
            kept(Error::io("read", Path::new("in"), io::ErrorKind::TimedOut), false),
            "cannot read in: timed out; the finished work is kept in spill: the same command \
             continues from there, 'sortwell spill clean .' removes it",
            4,
        ),
        (
            kept(Error::Interrupted, true),
            "interrupted; records of the input are in spill: the same command continues from \
             there",
            130,
        ),
        (
            Error::Malformed { path: "in".into(), message: "line 3 is empty".into() },
            "in: line 3 is empty",
            3,
        ),
    ] {
        assert_eq!(chain(&error), words);
        assert_eq!(status(&error), code, "{words}");
    }
}

#[test]
fn an_error_inside_one_of_the_system_has_options_too() {
    let inner = io::Error::other(Error::OverLimit { needed: None, limit: ByteSize::mib(1) });
    assert!(io_error(&inner).contains("--temp-limit"), "{inner}");
    let outer = chain(&Error::io("read", Path::new("list"), inner));
    assert!(outer.starts_with("cannot read list: temporary files"), "{outer}");
    assert!(outer.contains("--temp-limit"), "{outer}");
    assert_eq!(io_error(&io::Error::other("plain")), "plain");
}
