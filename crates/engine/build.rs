//! Link options of the tests of whole jobs: those of the command (`crates/cli/build.rs`).
//!
//! They compare the memory of a process with its budget. An executable that can be loaded anywhere
//! holds 1.6 MiB more than the command, for addresses that are put right when it starts.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Source packages have no tests, and then cargo refuses options for them.
    if !Path::new("tests").is_dir() {
        return;
    }
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-tests=-no-pie");
    }
}
