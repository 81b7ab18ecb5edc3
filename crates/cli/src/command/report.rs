//! `sortwell report`: the statistics of sorts, or what a bench found, as a page to look at.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueHint};
use sortwell::Result;

use crate::failure::CommandOutcome;
use crate::failure::usage_error;
use crate::report::{self, ReportSubject};
use crate::reporting::{self, ReportFile};
use crate::standard::{self, Text};

/// Make an HTML page from the statistics of sorts, or from the result of a bench
///
/// For a sort, give the output of `sortwell sort --stats json`. The page is one HTML file and needs
/// no network. It shows the plan, the bytes per second of every stream over time, processors,
/// requests, memory, latencies, the work of each worker, and predictions next to results. Several
/// files make one page that compares the sorts. Values that a sort did not record are left out.
///
/// For a bench, give the output of `sortwell bench --json`. The page equals that of `sortwell bench
/// --report`: the measured tables, the tables of papers, and charts. Each bench has a page of its
/// own.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ReportArguments {
    /// Statistics of sorts, or the result of one bench; - is standard input
    ///
    /// Each file holds a JSON object. Text before the object is allowed if the object is the last
    /// line.
    #[arg(value_name = "FILE.json", required = true, value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,

    /// Write the page to FILE.html, replacing a file of that name; - is standard output
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

  A comparison of two sorts, with little and with much memory:
    sortwell report little.json much.json -o both.html

  The result of a bench:
    sortwell bench datamation /data --json datamation.json
    sortwell report datamation.json -o datamation.html";

/// Makes the page.
pub fn run(arguments: &ReportArguments) -> CommandOutcome {
    let page = page(arguments.subjects()?)?;
    let path = &arguments.output;
    if path == Path::new("-") {
        standard::print(page.as_bytes())?;
    } else {
        ReportFile::create(path, arguments.force)?.write(&page)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the page of one bench, or of sorts.
fn page(subjects: Vec<(String, ReportSubject)>) -> Result<String> {
    if let [(_, ReportSubject::Bench(finding))] = subjects.as_slice() {
        return Ok(report::bench_page(finding));
    }
    let sort = |(name, subject)| match subject {
        ReportSubject::Sort(stats) => Ok((name, stats)),
        ReportSubject::Bench(_) => Err(usage_error(format!(
            "{name} holds the result of a bench, which needs a page of its own; give it alone"
        ))),
    };
    let sorts = subjects.into_iter().map(sort).collect::<Result<Vec<_>>>()?;
    Ok(report::page(&sorts))
}

impl ReportArguments {
    /// Returns the content of each file, with its name.
    fn subjects(&self) -> Result<Vec<(String, ReportSubject)>> {
        let one = |path: &PathBuf| {
            reporting::check_differ("page", &self.output, path)?;
            let is_stdin = path == Path::new("-");
            let name = if is_stdin { Path::new("standard input") } else { path };
            Ok((path.display().to_string(), report::read(name, Text::open(path)?)?))
        };
        self.files.iter().map(one).collect()
    }
}
