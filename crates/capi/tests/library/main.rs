//! Tests of the C library as C programs use it: installed, found by pkg-config, linked, and run.

mod bad_use;
mod harness;
mod header;
mod limits;
mod programs;
mod sameness;
