//! Pages on their way to their names: those of `--report` and of `sortwell report`.

use std::path::{Path, PathBuf};

use crate::failure::usage_error;
use crate::report;
use serde_json::Value;
use sortwell::unstable::io::pipe::PipeWriter;
use sortwell::unstable::io::{Direct, NameIdentity, TempFile, check_replaceable, inherited};
use sortwell::unstable::output::may_be_part;
use sortwell::{Error, Input, Output, Progress, Result};

/// The inputs and the output of a job.
#[derive(Clone, Copy, Debug)]
pub struct JobFiles<'a> {
    /// Inputs of the job.
    pub inputs: &'a [Input],
    /// Output of the job.
    pub output: &'a Output,
    /// True if the output is several files, whose names are made from its own.
    pub is_split: bool,
    /// True if files that have no write permission are replaced too.
    pub force: bool,
    /// The format of the inputs, where their names say it and not an option.
    pub format_by_names: Option<&'static str>,
}

/// A page that will be written when a job is done.
#[derive(Debug)]
pub struct Report {
    /// Name of the job, taken from its output.
    name: String,
    page: ReportFile,
}

impl Report {
    /// Creates a page at `path` of a job that reads and writes `files`.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] where it would take the place of one of them, [`Error::WriteProtected`]
    /// for a page that may not be replaced, and what the system says.
    pub fn new(path: &Path, files: &JobFiles<'_>) -> Result<Self> {
        let JobFiles { inputs, output, is_split, force, .. } = *files;
        check_named(path, "--stats json")?;
        let read = inputs.iter().filter_map(|input| match input {
            Input::File(path) | Input::Striped(path) => Some(path),
            Input::Stdin | Input::Supplied(_) => None,
        });
        let output = match output {
            Output::File(path) | Output::Striped(path) => Some(path),
            Output::Stdout | Output::Pipe(_) => None,
        };
        read.chain(output).try_for_each(|other| check_differ("page", path, other))?;
        if let Some(output) = output.filter(|output| is_split && may_be_part(output, path)) {
            return Err(takes_place_of("page", &format!("a part of {}", output.display())));
        }
        let name = output.map_or(path, PathBuf::as_path).display().to_string();
        Ok(Self { name, page: ReportFile::create(path, force)? })
    }

    /// Writes it, of statistics as JSON.
    pub fn write(self, statistics: &str) -> Result<()> {
        let value = serde_json::from_str::<Value>(statistics).unwrap_or_default();
        self.page.write(&report::page(&[(self.name, value)]))
    }
}

/// A text that will be written, whole, to what a path names.
#[derive(Debug)]
pub struct ReportFile {
    path: PathBuf,
    target: ReportTarget,
}

/// Destination of a text.
#[derive(Debug)]
enum ReportTarget {
    /// A file on its way to its name.
    File(TempFile),
    /// A pipe, a device, or a descriptor that is open.
    Stream(PipeWriter),
}

impl ReportFile {
    /// Makes sure that there can be something at `path`, or opens what is there and no file.
    /// With `force`, a file that has no write permission is replaced too.
    ///
    /// # Errors
    ///
    /// [`Error::WriteProtected`] for such a file, and the errors of the system.
    pub fn create(path: &Path, force: bool) -> Result<Self> {
        let target = match inherited::look(path) {
            Ok(Ok(data)) if data.is_file() || data.is_dir() => None,
            Ok(_) => Some(ReportTarget::Stream(PipeWriter::open(path, &Progress::new())?)),
            Err(_) => None,
        };
        let file = || {
            if !force {
                check_replaceable(path)?;
            }
            TempFile::create(path, Direct::Off).map(ReportTarget::File)
        };
        Ok(Self { path: path.to_owned(), target: target.map_or_else(file, Ok)? })
    }

    /// Writes it.
    pub fn write(self, text: &str) -> Result<()> {
        match self.target {
            ReportTarget::File(temporary) => {
                temporary.file().write_at(text.as_bytes(), 0)?;
                temporary.persist(&self.path, false)
            }
            ReportTarget::Stream(mut writer) => writer.write_all(text.as_bytes(), &Progress::new()),
        }
    }
}

/// Returns whether it is what standard input and output are called by.
pub fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
}

/// Checks that the page of `--report` has the name of a file. `source` is the option that prints
/// the values of the page.
pub fn check_named(path: &Path, source: &str) -> Result<()> {
    match is_stream(path) {
        true => Err(usage_error(format!(
            "--report needs the name of a file; to print the page, pass the output of {source} to \
             'sortwell report - -o -'"
        ))),
        false => Ok(()),
    }
}

/// Checks that a file at `path` would not take the place of another one. `what` is the word for the
/// first in a message, such as "page".
pub fn check_differ(what: &str, path: &Path, other: &Path) -> Result<()> {
    let name = NameIdentity::behind_links;
    match !is_stream(path) && !is_stream(other) && name(path) == name(other) {
        true => Err(takes_place_of(what, &other.display().to_string())),
        false => Ok(()),
    }
}

fn takes_place_of(what: &str, other: &str) -> Error {
    usage_error(format!("the {what} would replace {other}; give the {what} another name"))
}
