//! Whole jobs, as a user of the library runs them, held against a stable sort in memory.
//!
//! `trial` runs a job and checks what must hold for every job; `reference`, `data` and `random` are
//! its naive sort, its inputs and its chance. The other modules hold one kind of case each.

#![expect(clippy::expect_used, reason = "a test that cannot be set up has failed")]

mod budget;
#[cfg(feature = "compression")]
mod compressed_runs;
#[cfg(feature = "compression")]
mod compression;
mod copies;
mod csv;
mod csv_errors;
mod csv_shapes;
mod csv_trial;
mod damaged;
mod data;
mod differential;
mod faults;
mod folds;
mod foreseen;
mod held;
mod in_place;
mod injected;
mod kept;
mod keys;
mod left_out;
mod line_shapes;
mod line_trial;
mod lines;
mod long_lines;
mod merge_buffers;
mod merging;
mod microruns;
mod no_space;
mod overlap;
mod prefixed;
mod prefixed_trial;
mod ragged;
mod random;
mod reference;
mod replacement;
mod resuming;
mod room;
mod selected;
mod sharing;
mod spilling;
mod stopping;
mod streams;
mod streams_resumed;
mod striped;
mod striped_spill;
mod subject;
mod supplied;
mod temp_limit;
mod throttled;
mod trial;
mod vanishing;
