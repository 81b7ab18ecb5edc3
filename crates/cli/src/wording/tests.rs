//! Each setting that the library names is an option of the command.

use clap::CommandFactory;
use sortwell_engine::error::{Operation, Reference, Setting};

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
