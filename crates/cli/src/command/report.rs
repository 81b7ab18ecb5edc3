//! `sortwell report`: the statistics of sorts, or what a bench found, as a page to look at.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueHint};
use sortwell::Result;
use sortwell::unstable::io::check_replaceable;
use sortwell::unstable::report;
use sortwell::unstable::report::Subject;

use crate::failure::Outcome;
use crate::failure::usage_error;
use crate::reporting::{self, Page};
use crate::standard::{self, Text};

/// Make a page of the statistics of a sort, of several side by side, or of a bench
///
/// Takes what `sortwell sort --stats json` printed to standard error and writes one HTML file that
/// needs no other and no network: the plan as a picture, bytes a second of every stream over the
/// time, processors, requests, memory and latencies, what each worker did, and what was expected
/// beside what came. Of several files it shows the sorts beside each other. What a sort did not
/// record is left out.
///
/// Of what `sortwell bench --json` wrote it makes the page that `--report` makes: the tables
/// measured, those that papers printed, and charts. A bench has a page to itself.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Statistics of sorts, or what one bench found: a JSON object, or words with one as their last
    /// line; - for standard input
    #[arg(value_name = "FILE.json", required = true, value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,

    /// The page to write, in place of what has that name; - for standard output
    #[arg(short, long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    output: PathBuf,

    /// Replace a page that has no write permission too
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  A sort, and its page:
    sortwell sort --stats json lines.txt -o sorted.txt 2> sort.json
    sortwell report sort.json -o sort.html

  How two sorts compare, say with little and with much memory:
    sortwell report little.json much.json -o both.html

  What a bench found:
    sortwell bench datamation /data --json datamation.json
    sortwell report datamation.json -o datamation.html";

/// Makes the page.
pub fn run(arguments: &Arguments) -> Outcome {
    let page = page(arguments.subjects()?)?;
    let path = &arguments.output;
    if path == Path::new("-") {
        standard::print(page.as_bytes())?;
    } else {
        if !arguments.force {
            check_replaceable(path)?;
        }
        Page::create(path)?.write(&page)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The page of one bench, or of sorts.
fn page(subjects: Vec<(String, Subject)>) -> Result<String> {
    if let [(_, Subject::Bench(finding))] = subjects.as_slice() {
        return Ok(report::bench_page(finding));
    }
    let sort = |(name, subject)| match subject {
        Subject::Sort(stats) => Ok((name, stats)),
        Subject::Bench(_) => Err(usage_error(format!(
            "{name} holds what a bench found, which has a page to itself; give it alone"
        ))),
    };
    let sorts = subjects.into_iter().map(sort).collect::<Result<Vec<_>>>()?;
    Ok(report::page(&sorts))
}

impl Arguments {
    /// What each file holds, under its name.
    fn subjects(&self) -> Result<Vec<(String, Subject)>> {
        let one = |path: &PathBuf| {
            reporting::check_differ(&self.output, path)?;
            let is_stdin = path == Path::new("-");
            let name = if is_stdin { Path::new("standard input") } else { path };
            Ok((path.display().to_string(), report::read(name, Text::open(path)?)?))
        };
        self.files.iter().map(one).collect()
    }
}
