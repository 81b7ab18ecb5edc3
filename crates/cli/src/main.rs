//! The program `sortwell`, which the library of this crate is all of.

use std::process::ExitCode;

fn main() -> ExitCode {
    sortwell_cli::main()
}
