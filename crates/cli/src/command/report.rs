//! `sortwell report`: the statistics of sorts as a page to look at.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueHint};
use serde_json::Value;
use sortwell::io::{Direct, TempFile};
use sortwell::{Error, Result, report};

use crate::failure::Outcome;
use crate::reporting;

/// Make a page of the statistics of a sort, or of several side by side
///
/// Takes what `sortwell sort --stats json` printed to standard error and writes one HTML file that
/// needs no other and no network: the plan as a picture, bytes a second of every stream over the
/// time, processors, requests, memory and latencies, what each worker did, and what was expected
/// beside what came. Of several files it shows the sorts beside each other. What a sort did not
/// record is left out.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Statistics: a JSON object, or words with one as their last line; - for standard input
    #[arg(value_name = "STATS.json", required = true, value_hint = ValueHint::FilePath)]
    statistics: Vec<PathBuf>,

    /// The page to write, in place of what has that name; - for standard output
    #[arg(short, long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    output: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  A sort, and its page:
    sortwell sort --stats json lines.txt -o sorted.txt 2> sort.json
    sortwell report sort.json -o sort.html

  How two sorts compare, say with little and with much memory:
    sortwell report little.json much.json -o both.html";

/// Makes the page.
pub fn run(arguments: &Arguments) -> Outcome {
    let sorts = arguments.sorts()?;
    let page = report::page(&sorts);
    let path = &arguments.output;
    if path == Path::new("-") {
        io::stdout().write_all(page.as_bytes())?;
    } else {
        reporting::write(TempFile::create(path, Direct::Off)?, path, &page)?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    /// The statistics of each file, under its name.
    fn sorts(&self) -> Result<Vec<(String, Value)>> {
        let one = |path: &PathBuf| {
            reporting::check_differ(&self.output, path)?;
            let stats = match path == Path::new("-") {
                true => report::read(Path::new("standard input"), io::stdin().lock())?,
                false => {
                    let file = File::open(path).map_err(|error| Error::io("open", path, error))?;
                    report::read(path, file)?
                }
            };
            Ok((path.display().to_string(), stats))
        };
        self.statistics.iter().map(one).collect()
    }
}
