//! Options that several subcommands have, each defined once.
//!
//! A file is a group of options that belong together: what can be said, which is also their help,
//! and what it means to a job. A subcommand flattens the groups it has, in the order of its help.
//! What an option means to one subcommand alone stands in that subcommand's own words.

/// Heading of what may be said of keys and cells beyond the usual.
pub const DETAILS: &str = "Keys and cells in detail";
/// Heading of conditions and of what is written.
pub const SELECTION: &str = "Selection";
/// Heading of what is read and written.
pub const FILES: &str = "Inputs and output";
/// Heading of what of the machine is used.
pub const RESOURCES: &str = "Resources";
/// Heading of proofs, and of what is kept of a job that ends early.
pub const SAFETY: &str = "Safety";
/// Heading of what a person hears of a job.
pub const WATCHING: &str = "Progress and statistics";
/// Heading of settings that are chosen well without a word.
pub const EXPERT: &str = "Expert settings";

pub mod algorithm;
pub mod cells;
pub mod filtering;
pub mod heading;
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
