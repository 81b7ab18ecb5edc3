//! Tests of the C library as C programs use it: installed, found by pkg-config, linked, and run.

#![expect(clippy::expect_used, reason = "a test that cannot be set up has failed")]

mod bad_use;
mod harness;
mod header;
mod indexes;
mod limits;
mod programs;
mod sameness;
