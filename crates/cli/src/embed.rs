//! The command's grammar, words and statuses, for libraries in other languages.
//!
//! A library takes options by their names and values. They become the words of a command line,
//! which the command's one definition reads, so a name, a value and a message mean the same in
//! both. Nothing here prints, and options that only make sense for a command are errors. The
//! interface may change in every version.

mod refused;
mod switched;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, CommandFactory, Parser};
use sortwell::unstable::job::{CheckJob, MergeJob, SortJob};
use sortwell::{Budget, ByteSize, Checked, Disorder, Output, Progress, Result, Statistics};
use sortwell_index::{AppendJob, BuildJob};

use crate::command::index::IndexWork;
use crate::command::{Command, CommandLine, check};
use crate::failure::{Failure, usage_error};
use crate::report::{self, ReportSubject};
use crate::reporting::JobFiles;
use crate::statistics::{self, Named};
use crate::{usage, wording};

pub use self::refused::check_runnable;
pub use self::switched::{SwitchForm, switch_form};
pub use wording::{chain, status};

/// Memory of a sort of pushed records by default: its own, not that of the process.
const PUSHED_MEMORY: ByteSize = ByteSize::mib(256);

/// Subcommand that a library offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddedCommand {
    /// `sortwell sort`.
    Sort,
    /// `sortwell merge`.
    Merge,
    /// `sortwell check`.
    Check,
    /// `sortwell index build`. The output is the index.
    IndexBuild,
    /// `sortwell index append`. The output is the index, which exists.
    IndexAppend,
}

impl EmbeddedCommand {
    /// Returns the words of the command line.
    pub const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Sort => &["sort"],
            Self::Merge => &["merge"],
            Self::Check => &["check"],
            Self::IndexBuild => &["index", "build"],
            Self::IndexAppend => &["index", "append"],
        }
    }
}

/// Options and inputs of a job, as words of a command line.
#[derive(Clone, Debug)]
pub struct JobWords {
    command: EmbeddedCommand,
    options: Vec<OsString>,
    inputs: Vec<OsString>,
}

/// Job of files.
#[derive(Debug)]
pub enum FileJob {
    /// A sort.
    Sort(Box<SortJob>),
    /// A merge.
    Merge(Box<MergeJob>),
    /// A check, with the message about a record out of order.
    Check(Box<CheckJob>, fn(&Disorder) -> String),
    /// The build of an index.
    IndexBuild(Box<BuildJob>),
    /// The append to an index.
    IndexAppend(Box<AppendJob>),
}

/// End of a job of files.
#[derive(Debug)]
pub enum FileJobEnd {
    /// The output is in place.
    Done(Box<Statistics>),
    /// The files were checked.
    Checked(Checked),
}

impl JobWords {
    /// Returns the words of a job without options and inputs.
    pub const fn new(command: EmbeddedCommand) -> Self {
        Self { command, options: Vec::new(), inputs: Vec::new() }
    }

    /// Returns the subcommand.
    pub const fn command(&self) -> EmbeddedCommand {
        self.command
    }

    /// Sets an option by its long name without dashes. A flag takes no value, or `true`. The value
    /// replaces that of an earlier call, unless the option may be repeated.
    ///
    /// # Errors
    ///
    /// A usage error for a name that is not an option, for one that only the command has, and for
    /// a value that cannot be read on its own.
    pub fn set(&mut self, name: &OsStr, value: Option<&OsStr>) -> Result<()> {
        let text = name.to_string_lossy();
        refused::check_embeddable(&text)?;
        let word = self.word(&text, name, value)?;
        let words = self.line([word.clone()]);
        if let Err(wrong) = CommandLine::try_parse_from(&words) {
            let is_of_others = [ErrorKind::ArgumentConflict, ErrorKind::MissingRequiredArgument];
            if !is_of_others.contains(&wrong.kind()) {
                return Err(usage_error(usage::message(&wrong, &words)));
            }
        }
        if !self.is_repeatable(&text) {
            self.options.retain(|word| !is_option(word, &text));
        }
        self.options.push(word);
        Ok(())
    }

    /// Returns whether an option was set.
    pub fn has(&self, name: &str) -> bool {
        self.options.iter().any(|word| is_option(word, name))
    }

    fn is_repeatable(&self, name: &str) -> bool {
        let action = |argument: &Arg| matches!(argument.get_action(), ArgAction::Append);
        self.argument(name).as_ref().is_some_and(action)
    }

    /// Returns the definition of an option.
    fn argument(&self, name: &str) -> Option<Arg> {
        let whole = CommandLine::command();
        let mut names = self.command.names().iter();
        let command = names.try_fold(&whole, |above, name| above.find_subcommand(name))?;
        let mut arguments = command.get_arguments();
        arguments.find(|argument| argument.get_long() == Some(name)).cloned()
    }

    /// Adds an input file.
    ///
    /// # Errors
    ///
    /// A usage error for `-`, as a library does not read standard input by itself.
    pub fn input(&mut self, path: &OsStr) -> Result<()> {
        check_path(path)?;
        self.inputs.push(path.to_owned());
        Ok(())
    }

    /// Returns whether an input was added.
    pub const fn has_inputs(&self) -> bool {
        !self.inputs.is_empty()
    }

    /// Returns the job that reads the inputs. `output` is `None` for a check and for a sort in
    /// place.
    ///
    /// # Errors
    ///
    /// A usage error for options that are wrong together, or with this output and these inputs.
    pub fn file_job(&self, output: Option<&Path>) -> Result<FileJob> {
        if self.inputs.is_empty() && self.command != EmbeddedCommand::IndexAppend {
            return Err(usage_error("the job has no input; add the files to read"));
        }
        let is_check = self.command == EmbeddedCommand::Check;
        match output {
            Some(_) if is_check => return Err(usage_error("a check has no output")),
            None if !is_check && !self.has("in-place") => {
                return Err(usage_error("the job has no output; name the file to write"));
            }
            Some(path) => check_path(path.as_os_str())?,
            None => {}
        }
        match self.parsed(&self.words(output))? {
            Command::Sort(arguments) => Ok(FileJob::Sort(Box::new(arguments.job()?))),
            Command::Merge(arguments) => Ok(FileJob::Merge(Box::new(arguments.job()?))),
            Command::Check(arguments) => {
                let sentence = match self.has("unique") {
                    true => |disorder: &Disorder| check::sentence(disorder, true),
                    false => |disorder: &Disorder| check::sentence(disorder, false),
                };
                Ok(FileJob::Check(Box::new(arguments.job()?), sentence))
            }
            Command::Index(arguments) => match arguments.work()? {
                Some(IndexWork::Build(job)) => Ok(FileJob::IndexBuild(job)),
                Some(IndexWork::Append(job)) => Ok(FileJob::IndexAppend(job)),
                None => Err(usage_error("this operation is not a job of files")),
            },
            _ => Err(usage_error("this operation is not a job of files")),
        }
    }

    /// Returns the sort of records that are pushed. Without the option, its memory is 256 MiB.
    ///
    /// # Errors
    ///
    /// A usage error for options that are wrong together, or that need files.
    pub fn pushed_job(&self) -> Result<SortJob> {
        if self.has_inputs() {
            return Err(usage_error("the job has input files; records cannot be pushed to it"));
        }
        refused::check_no_file_options(self, &refused::FILE_OPTIONS)?;
        let Command::Sort(arguments) = self.parsed(&self.words(None))? else {
            return Err(usage_error("records can be pushed to a sort alone"));
        };
        let mut job = arguments.job()?;
        if !self.has("memory") {
            job.memory = Budget::Bytes(PUSHED_MEMORY);
        }
        Ok(job)
    }

    /// Returns the merge of the inputs whose records are pulled. Without the option, its memory is
    /// 256 MiB.
    ///
    /// # Errors
    ///
    /// A usage error for options that are wrong together, or that need an output file.
    pub fn pulled_merge(&self) -> Result<MergeJob> {
        if !self.has_inputs() {
            return Err(usage_error("the merge has no input; add the files to read"));
        }
        refused::check_no_file_options(self, &refused::OUTPUT_OPTIONS)?;
        let Command::Merge(arguments) = self.parsed(&self.words(None))? else {
            return Err(usage_error("the job is no merge"));
        };
        let mut job = arguments.job()?;
        if !self.has("memory") {
            job.memory = Budget::Bytes(PUSHED_MEMORY);
        }
        Ok(job)
    }

    /// Returns the format that the names of the inputs of a sort or a merge say, if it is theirs.
    pub fn format_by_names(&self) -> Option<&'static str> {
        let inputs: Vec<_> = self.inputs.iter().map(|path| Path::new(path).into()).collect();
        match self.parsed(&self.words(None)).ok()? {
            Command::Sort(arguments) => arguments.format_by_names(&inputs),
            Command::Merge(arguments) => arguments.format_by_names(&inputs),
            _ => None,
        }
    }

    /// Returns the statistics of a job as one line of JSON, as the command writes them.
    pub fn statistics(&self, of: &Statistics, output: Option<&Path>) -> String {
        let inputs: Vec<_> = self.inputs.iter().map(|path| Path::new(path).into()).collect();
        let output = output.map_or(Output::Stdout, Output::from);
        let format_by_names = self.format_by_names();
        let files = JobFiles {
            inputs: &inputs,
            output: &output,
            is_split: false,
            force: false,
            format_by_names,
        };
        statistics::json(of, Named::new(&files, self.words(None).into_iter()))
    }

    /// Returns the command line with this output.
    fn words(&self, output: Option<&Path>) -> Vec<OsString> {
        let is_appended = self.command == EmbeddedCommand::IndexAppend;
        let index = output.filter(|_| is_appended).map(|path| path.as_os_str().to_owned());
        let output = output.filter(|_| !is_appended).map(|path| {
            let mut word = OsString::from("--output=");
            word.push(path);
            word
        });
        let files: Vec<_> = index.into_iter().chain(self.inputs.iter().cloned()).collect();
        let dashes = (!files.is_empty()).then(|| OsString::from("--"));
        self.line(self.options.iter().cloned().chain(output).chain(dashes).chain(files))
    }

    /// Returns a command line.
    fn line(&self, words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
        let names = ["sortwell"].iter().chain(self.command.names()).map(OsString::from);
        names.chain(words).collect()
    }

    /// Reads a command line.
    fn parsed(&self, words: &[OsString]) -> Result<Command> {
        let line = CommandLine::try_parse_from(words);
        line.map(|line| line.command).map_err(|wrong| usage_error(usage::message(&wrong, words)))
    }

    /// Returns the word for an option.
    fn word(&self, text: &str, name: &OsStr, value: Option<&OsStr>) -> Result<OsString> {
        let mut word = OsString::from("--");
        word.push(name);
        let argument = self.argument(text);
        let (is_flag, may_be_bare) = argument.as_ref().map_or((false, true), kind_of);
        let is_bare = |value: &OsStr| value.is_empty() || value == "true";
        match value {
            None => {}
            Some(value) if may_be_bare && is_bare(value) => {}
            Some(value) if is_flag => {
                let value = value.to_string_lossy();
                return Err(usage_error(format!(
                    "--{text} takes no value, and '{value}' was given; write 'true' or nothing"
                )));
            }
            Some(value) => {
                word.push("=");
                word.push(value);
            }
        }
        Ok(word)
    }
}

/// Returns whether a word is an option of this name, with or without a value.
fn is_option(word: &OsStr, name: &str) -> bool {
    let word = word.to_string_lossy();
    let word = word.strip_prefix("--").unwrap_or(&word);
    word.split('=').next() == Some(name)
}

/// Returns whether an option is a flag, and whether its value may be left out.
fn kind_of(argument: &Arg) -> (bool, bool) {
    let is_flag = !argument.get_action().takes_values();
    let may_be_bare = argument.get_num_args().is_some_and(|range| range.min_values() == 0);
    (is_flag, is_flag || may_be_bare)
}

/// Checks that a path does not mean a standard stream.
fn check_path(path: &OsStr) -> Result<()> {
    match path.to_str() {
        Some("") => Err(usage_error("the name of a file is empty")),
        Some("-") => Err(usage_error(
            "'-' is a standard stream of the command; a library takes names of files, and the \
             file of that name is written ./-",
        )),
        _ => Ok(()),
    }
}

impl FileJob {
    /// Does the job.
    ///
    /// # Errors
    ///
    /// Every error that inputs, disks or options can cause.
    pub fn run(&self, progress: &Progress) -> Result<FileJobEnd> {
        let done = |statistics| FileJobEnd::Done(Box::new(statistics));
        match self {
            Self::Sort(job) => job.run(progress).map(done),
            Self::Merge(job) => job.run(progress).map(done),
            Self::Check(job, _) => job.run(progress).map(FileJobEnd::Checked),
            Self::IndexBuild(job) => job.run(progress).map(|built| done(built.statistics)),
            Self::IndexAppend(job) => job.run(progress).map(|built| done(built.statistics)),
        }
    }
}

/// Returns the default lines of the command about rows that were left out and about invalid keys.
pub fn finding_lines(of: &Statistics) -> String {
    statistics::finding_lines(of)
}

/// Returns the report page of statistics, as one HTML file. `name` is what the page calls them.
///
/// # Errors
///
/// The text is not the JSON of statistics.
pub fn report_page(name: &str, statistics: &str) -> Result<String> {
    let subject = report::read(Path::new(name), statistics.as_bytes())?;
    Ok(match subject {
        ReportSubject::Sort(sort) => report::page(&[(name.to_owned(), sort)]),
        ReportSubject::Bench(finding) => report::bench_page(&finding),
    })
}

/// Returns the message about a fault of the program itself, given that of its panic.
pub fn fault(panic: &str) -> String {
    Failure::Fault(panic.to_owned()).message()
}

#[cfg(test)]
mod tests;
