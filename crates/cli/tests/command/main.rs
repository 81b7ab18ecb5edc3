//! The built command, run as a user runs it: words, files, pipes, signals and exit statuses.

#![expect(clippy::expect_used, reason = "a test that cannot be set up has failed")]

mod bad_input;
mod benches;
mod benchmark;
mod calibrating;
mod children;
mod compression;
mod csv;
mod descriptors;
mod explaining;
mod foreign_files;
mod full_disks;
mod guide;
mod harness;
mod help;
mod hints;
mod jsonl;
mod kernels;
mod killing;
mod levers;
mod limits;
mod lines;
mod links;
mod memory;
mod merging;
mod no_space;
mod order_proof;
mod prefixed;
mod protected;
mod readme;
mod replacement;
mod reporting;
mod resuming;
mod sameness;
mod selecting;
mod signals;
mod sorting;
mod special_files;
mod splitting;
mod stopping;
mod striping;
mod typed_keys;
mod ulimits;
mod usage;
mod watching;
