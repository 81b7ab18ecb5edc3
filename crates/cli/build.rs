//! How the command is linked: so that it starts soon.
//!
//! For a page of lines, starting takes longer than sorting. Two things that rustc does by default
//! cost the most of it, and neither is of use to a command:
//!
//! - An executable that can be loaded anywhere has thousands of addresses to be put right each
//!   time, on pages that have to be copied for it.
//! - Unwinding comes out of a shared library. The compiler's static one has the same functions.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// The unwinder, as C compilers of the GNU kind bring it.
const UNWINDER: &str = "libgcc_eh.a";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") {
        return;
    }
    println!("cargo::rustc-link-arg-bins=-no-pie");
    if let Some(folder) = folder_of_unwinder() {
        println!("cargo::rustc-link-search=native={}", folder.display());
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
}

/// Returns the folder in which the linker's driver keeps its unwinder, if it has one.
fn folder_of_unwinder() -> Option<PathBuf> {
    let driver = env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let said = Command::new(driver).arg(format!("-print-file-name={UNWINDER}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8(said.stdout).ok()?.trim_end());
    // What it does not know, it repeats.
    path.is_absolute().then(|| path.parent().map(PathBuf::from))?
}
