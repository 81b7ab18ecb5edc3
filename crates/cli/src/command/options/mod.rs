//! Options that several subcommands have, each defined once.
//!
//! A file is a group of options that belong together: what can be said, which is also their help,
//! and what it means to a job. A subcommand flattens the groups it has, in the order of its help.
//! What an option means to one subcommand alone stands in that subcommand's own words.

pub mod cells;
pub mod filtering;
pub mod inputs;
pub mod levers;
pub mod order;
pub mod resources;
pub mod resuming;
pub mod safety;
pub mod selecting;
pub mod values;
pub mod watching;
pub mod writing;
