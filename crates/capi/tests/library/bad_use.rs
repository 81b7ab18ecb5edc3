//! Wrong uses, each of which is a clear error: `bad_use.c` and `refusals.c`. None leaves a file.

use std::fs;

use crate::harness::{installation, succeeded};

/// Runs one case with a folder for temporary files of its own.
#[track_caller]
fn run(case: &str) {
    run_program("tests/c/bad_use.c", case);
}

/// Runs a case of a program, which leaves no file.
#[track_caller]
fn run_program(source: &str, case: &str) {
    let Some(installed) = installation() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let program = installed.program(source);
    let mut call = installed.call(&program);
    let printed = succeeded(call.arg(case).env("TMPDIR", folder.path()).current_dir(&folder));
    assert_eq!(printed, "");
    let left: Vec<_> = fs::read_dir(&folder).expect("the folder").collect();
    assert!(left.is_empty(), "{case} leaves files: {left:?}");
}

#[test]
fn refusals_and_their_errors() {
    run_program("tests/c/refusals.c", "all");
}

#[test]
fn null_arguments() {
    run("null_arguments");
}

#[test]
fn wrong_options() {
    run("wrong_options");
}

#[test]
fn calls_out_of_order() {
    run("order_of_calls");
}

#[test]
fn a_job_that_is_freed_while_it_compares() {
    run("freed_while_comparing");
}

#[test]
fn callbacks_that_fail_and_that_call_their_job() {
    run("callbacks");
}

#[test]
fn a_comparison_that_is_no_order() {
    run("no_order");
}

#[test]
fn use_from_two_threads() {
    run("two_threads");
}

#[test]
fn use_after_a_fork() {
    run("forked");
}

#[test]
fn a_stop_in_a_signal_handler() {
    run("stopped_by_signal");
}

#[test]
fn a_consumer_and_a_producer_that_stop_early() {
    run("stopped_early");
}

#[test]
fn a_stop_within_the_output_callback() {
    run("stopped_while_delivering");
}

#[test]
fn malformed_records() {
    run("malformed");
}

#[test]
fn a_budget_too_small_for_a_record() {
    run("little_memory");
}
