//! The command `sortwell`, built beside the library for tests that compare both.

use std::process::ExitCode;

fn main() -> ExitCode {
    sortwell_cli::main()
}
