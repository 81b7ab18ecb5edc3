//! Indexes through the C library.

use std::fs;

use crate::harness::{installation, succeeded};

#[test]
fn rows_are_found() {
    let Some(installed) = installation() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let program = installed.program("tests/c/indexes.c");
    assert_eq!(succeeded(installed.call(&program).current_dir(&folder)), "");
}

#[test]
fn the_example_prints_the_rows_of_a_value() {
    let Some(installed) = installation() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let orders = "id,city,amount\n1,Oslo,7\n2,Rome,30\n3,Oslo,5\n";
    fs::write(folder.path().join("orders.csv"), orders).expect("orders");
    let mut call = installed.call(&installed.program("examples/find_rows.c"));
    let printed = succeeded(call.args(["orders.csv", "city", "Oslo"]).current_dir(&folder));
    assert_eq!(printed, "1,Oslo,7\n3,Oslo,5\n");
}
