//! `sortwell cluster`: sorts on many machines, by the Python package.

use std::env;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use clap::{Args, ValueHint};
use sortwell::Error;

use crate::failure::{CommandOutcome, usage_error};

/// Variable that names the interpreter of Python.
const PYTHON_VARIABLE: &str = "SORTWELL_PYTHON";

/// Program that ends with 0 if the package and Ray are installed.
const PROBE: &str = "import importlib.util as u; \
    raise SystemExit(not all(map(u.find_spec, ('sortwell', 'ray', 'aiohttp'))))";

/// Sort on a cluster of machines, with Ray
///
/// The Python package does this: `python3 -m sortwell.cluster` with the same arguments. Set
/// SORTWELL_PYTHON to use another interpreter. Each node needs the package.
///
/// `sortwell cluster sort` reads files on shared paths or on nodes (node://NAME/path), and writes
/// parts that come one after another. `sortwell cluster explain` predicts bytes and seconds.
/// `sortwell cluster sort --help` lists the options.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ClusterArguments {
    /// Operation (sort or explain), options and inputs
    #[arg(
        value_name = "ARGUMENT",
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_hint = ValueHint::FilePath
    )]
    arguments: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  Get the Python package and Ray, on each node, in a copy of the repository:
    pip install './python[cluster]'

  Sort CSV files on a shared path into parts, one for each node:
    sortwell cluster sort -F csv -k id:int -o /shared/sorted /shared/data/*.csv

  Sort logs where they lie, and leave each part on its node:
    sortwell cluster sort -o 'node://*/sorted' 'node://*/logs/*.log'

  Predict a sort of a terabyte on 40 nodes:
    sortwell cluster explain --bytes 1TB --nodes 40 --cpus 16 -M 8GiB";

/// Runs the package. Returns only if that cannot be done.
pub fn run(arguments: &ClusterArguments) -> CommandOutcome {
    let python = env::var_os(PYTHON_VARIABLE).unwrap_or_else(|| "python3".into());
    let name = Path::new(&python).display();
    let not_started = |error: &io::Error| {
        usage_error(format!(
            "cannot start {name}: {error}; install Python 3.11, or set {PYTHON_VARIABLE}"
        ))
    };
    let mut probe = Command::new(&python);
    probe.args(["-c", PROBE]).stdin(Stdio::null()).stderr(Stdio::null());
    if !probe.status().map_err(|error| not_started(&error))?.success() {
        return Err(usage_error(format!(
            "{name} does not have the Python package and Ray; install them from a copy of the \
             repository with: pip install './python[cluster]'"
        ))
        .into());
    }
    let mut package = Command::new(&python);
    package.args(["-m", "sortwell.cluster"]).args(&arguments.arguments);
    Err(Error::io("start", Path::new(&python), package.exec()).into())
}
