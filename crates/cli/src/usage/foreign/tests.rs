//! The tables against the definition of the command line.

use std::collections::HashSet;

use clap::{Command, CommandFactory};

use super::*;
use crate::command::CommandLine;

fn sort_options() -> HashSet<String> {
    let whole = CommandLine::command();
    let sort = whole.find_subcommand("sort").expect("sort");
    sort.get_arguments().filter_map(|a| a.get_long().map(str::to_owned)).collect()
}

#[test]
fn every_option_that_an_advice_names_exists() {
    let known = sort_options();
    for (names, advice) in OPTIONS {
        let named: Vec<&str> = options_in(advice).collect();
        assert!(!named.is_empty() || !advice.starts_with("write --"), "{names:?}: {advice}");
        for option in named {
            assert!(known.contains(option), "{names:?}: '--{option}' is no option of sort");
        }
    }
}

#[test]
fn no_name_is_an_option_or_stands_in_two_rows() {
    let known = sort_options();
    let mut seen = HashSet::new();
    for name in OPTIONS.iter().flat_map(|(names, _)| names.iter()) {
        assert!(!known.contains(*name), "'--{name}' is an option of sort");
        assert!(seen.insert(*name), "'--{name}' stands in two rows");
    }
}

#[test]
fn every_command_that_an_advice_names_can_be_read() {
    let mut whole = CommandLine::command();
    whole.build();
    let advices = OPTIONS.iter().chain(SUBCOMMANDS).map(|(_, advice)| *advice);
    for command in advices.flat_map(|advice| advice.split('`').skip(1).step_by(2)) {
        let words: Vec<&str> = command.split(' ').collect();
        let subcommand = words.get(1).filter(|word| !word.starts_with('-'));
        let found = subcommand.map_or(Some(&whole), |word| whole.find_subcommand(word));
        let found: &Command = found.unwrap_or_else(|| panic!("{command}"));
        for option in options_in(command) {
            let is_known = found.get_arguments().any(|a| a.get_long() == Some(option));
            assert!(is_known, "{command}");
        }
    }
}

#[test]
fn names_are_found_in_any_writing() {
    assert_eq!(advice("ORDER_BY"), advice("order-by"));
    assert_eq!(advice("sideways"), None);
}
