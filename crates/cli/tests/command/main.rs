//! The built command, run as a user runs it: words, files, pipes, signals and exit statuses.

#![expect(clippy::expect_used, reason = "a test that cannot be set up has failed")]

mod bad_input;
mod benches;
mod benchmark;
mod calibrating;
mod compression;
mod csv;
mod explaining;
mod full_disks;
mod harness;
mod help;
mod kernels;
mod killing;
mod levers;
mod limits;
mod lines;
mod memory;
mod merging;
mod no_space;
mod prefixed;
mod readme;
mod replacement;
mod reporting;
mod resuming;
mod sameness;
mod selecting;
mod signals;
mod sorting;
mod stopping;
mod striping;
mod typed_keys;
mod usage;
mod watching;
