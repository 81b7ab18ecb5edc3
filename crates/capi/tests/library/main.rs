//! Tests of the C library as C programs use it: installed, found by pkg-config, linked, and run.

mod harness;
mod header;
mod programs;
