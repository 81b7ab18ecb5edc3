//! Options for progress, statistics and reports of a job.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum, ValueHint};
use sortwell::{Output, Result};
use sortwell::{Progress, Statistics};

use super::WATCHING;
use crate::failure::{CommandOutcome, Failure};
use crate::progress::When;
use crate::reporting::{JobFiles, Report};
use crate::standard;
use crate::statistics::{self, Named};
use crate::watched;

/// Options to watch a job while it runs.
#[derive(Args, Debug)]
#[command(next_help_heading = WATCHING)]
pub struct Watching {
    /// Show progress on standard error
    ///
    /// auto: on a terminal, for any job longer than a second. json: for programs, one line per
    /// second. Each line is an object with the phase, the share of work done, elapsed and remaining
    /// seconds, and bytes of each stream. The last line follows when the job has ended. Without a
    /// value, or before the name of a file, --progress means auto.
    #[arg(long, value_name = "WHEN", default_value = "auto", default_missing_value = "auto",
          num_args = 0..=1)]
    progress: When,
}

impl Watching {
    /// Does a job's `work`, watched.
    pub fn run<T>(
        &self,
        writes_stdout: bool,
        work: impl FnOnce(&Progress) -> Result<T>,
    ) -> std::result::Result<T, Failure> {
        let progress = Progress::new();
        watched::run(&progress, self.progress, writes_stdout, || work(&progress))
    }
}

/// Options to watch a job with an output, and to report on it.
#[derive(Args, Debug)]
#[command(next_help_heading = WATCHING)]
pub struct AccountOptions {
    #[command(flatten)]
    watching: Watching,

    /// Print statistics at the end, on standard error: text or json
    ///
    /// They show where the time and the bytes went. Without a value, text. A file name may follow
    /// the option directly, as in --stats in.txt. Write ./json for a file that is called json.
    #[arg(long, value_name = "FORM", default_missing_value = "text", num_args = 0..=1)]
    stats: Option<StatisticsForm>,

    /// Write an HTML page about the job
    ///
    /// The page shows the plan, bytes per second over time, waiting times and the proof. It is one
    /// file, and needs no network. It replaces a file of that name once the job has ended.
    /// 'sortwell report' makes such pages from the output of --stats json. Example: --report
    /// sort.html.
    #[arg(long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    report: Option<PathBuf>,
}

/// In which form statistics are shown.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum StatisticsForm {
    /// A short block for people
    Text,
    /// One line of JSON
    Json,
}

impl AccountOptions {
    /// Returns whether the job is to record a timeline.
    pub fn wants_timeline(&self) -> bool {
        matches!(self.stats, Some(StatisticsForm::Json)) || self.report.is_some()
    }

    /// Does a job's `work`, watched, and shows its statistics.
    pub fn run(
        &self,
        files: JobFiles<'_>,
        work: impl FnOnce(&Progress) -> Result<Statistics>,
    ) -> CommandOutcome {
        // Where it cannot be written is better heard of now than after hours.
        let report = self.report.as_deref().map(|path| Report::new(path, &files));
        let report = report.transpose()?;
        let result = self.watching.run(*files.output == Output::Stdout, work)?;
        let named = || Named::new(&files, std::env::args_os());
        let whole = || statistics::json(&result, named());
        match self.stats {
            Some(StatisticsForm::Text) => {
                let format = statistics::format_line(files.format_by_names);
                standard::tell(statistics::text(&result) + &format);
            }
            Some(StatisticsForm::Json) => standard::tell(whole() + "\n"),
            None => standard::tell(statistics::finding_lines(&result)),
        }
        if let Some(report) = report {
            report.write(&whole()).map_err(Failure::Page)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
