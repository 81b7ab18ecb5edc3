//! The definition of the command line holds together.

use clap::CommandFactory;

use super::*;

#[test]
fn definition_is_consistent() {
    CommandLine::command().debug_assert();
}

#[test]
fn every_argument_has_help() {
    for command in CommandLine::command().get_subcommands() {
        assert!(command.get_about().is_some(), "{} has no description", command.get_name());
        for argument in command.get_arguments() {
            let name = format!("{} {}", command.get_name(), argument.get_id());
            assert!(argument.get_help().is_some(), "{name} has no help");
        }
    }
}
