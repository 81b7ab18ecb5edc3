//! The program `sortwell`. It calls the library of this crate, which has all its code.

use std::process::ExitCode;

fn main() -> ExitCode {
    sortwell_cli::main()
}
