//! The work of each C function, in safe Rust, and the order in which they may be called.
//!
//! ```text
//!   Options --run--> Ended
//!   Options --push--> Pushing --finish--> Pulling --all taken--> Ended
//!                     Pushing, to runs --finish--> Ended
//!   Options of a merge --finish--> Pulling
//!   any --an error of the job--> Failed        any --a panic--> Broken
//! ```
//!
//! A wrong call, such as a push after the end of the input, changes nothing.

mod files;
mod pushing;
mod taking;

use std::ffi::{CString, OsStr};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use sortwell::unstable::key::OrderFunction;
use sortwell::unstable_sort::{BlockSort, RecordsInOrder};
use sortwell::{Progress, Spiller, Statistics};
use sortwell_cli::embed::{EmbeddedCommand, JobWords};

use crate::call_error::{CallError, code};

/// Result of a call.
pub type Called<T = ()> = Result<T, CallError>;

/// Writes the key of a record, or says why it is not known.
pub type KeyCallback = Box<dyn FnMut(&[u8], &mut Vec<u8>) -> Result<(), KeyRefusal> + Send>;

/// Reason why a key callback gives no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRefusal {
    /// It has returned this value, which is not 0.
    Returned(i32),
    /// It has left the key at NULL, with a length.
    Null,
    /// No key is as long.
    TooLong(usize),
}

/// Takes the key and the payload of a record, or returns what the callback returned.
pub type OutputCallback = Box<dyn FnMut(&[u8], &[u8]) -> Result<(), i32> + Send>;

/// State of a job between two calls.
pub struct CallState {
    words: JobWords,
    progress: Arc<Progress>,
    stage: CallStage,
    key: Option<KeyCallback>,
    output: Option<OutputCallback>,
    comparison: Option<OrderFunction>,
    /// The directory for runs that are not merged.
    directory: Option<PathBuf>,
    /// The files of these runs.
    runs: Vec<CString>,
    /// The key of the record that is pushed.
    key_bytes: Vec<u8>,
    /// Records that were pushed with a key or through the key callback, or that were taken one by
    /// one.
    records: u64,
    /// True if records are taken in blocks, and false if one by one; `None` before the first.
    is_in_blocks: Option<bool>,
    end: Option<CallEnd>,
    /// The statistics as they were lent.
    json: CString,
}

/// CallEnd of a job.
#[derive(Debug)]
enum CallEnd {
    /// A sort or merge.
    Done(Box<Statistics>, Option<PathBuf>),
    /// A check: its statistics as JSON.
    Checked(String),
}

/// CallStage of a job.
#[derive(Debug)]
pub enum CallStage {
    /// Options and inputs are set.
    Options,
    /// Records are pushed.
    Pushing(Box<Pushing>),
    /// Records are taken.
    Pulling(Box<RecordsInOrder>),
    /// All was done; true if records were pulled.
    Ended(bool),
    /// The job has failed.
    Failed(CallError),
    /// A call has panicked.
    Broken(CallError),
}

/// Sort that takes records.
#[derive(Debug)]
pub struct Pushing {
    target: PushTarget,
    is_keyed: bool,
}

/// Target of records that are pushed.
#[derive(Debug)]
enum PushTarget {
    /// A sort whose records are taken later.
    Sort(Box<BlockSort>),
    /// Runs that are not merged.
    Runs(Box<Spiller>),
}

impl CallState {
    /// Returns the state of a job without options.
    pub fn new(command: EmbeddedCommand, progress: Arc<Progress>) -> Self {
        Self {
            words: JobWords::new(command),
            progress,
            stage: CallStage::Options,
            key: None,
            output: None,
            comparison: None,
            directory: None,
            runs: Vec::new(),
            key_bytes: Vec::new(),
            records: 0,
            is_in_blocks: None,
            end: None,
            json: CString::default(),
        }
    }

    /// Returns the stage of the job.
    pub const fn stage(&self) -> &CallStage {
        &self.stage
    }

    /// Sets the stage, and returns the one before.
    pub const fn replace(&mut self, stage: CallStage) -> CallStage {
        std::mem::replace(&mut self.stage, stage)
    }

    /// Sets an option.
    pub fn set(&mut self, name: &OsStr, value: Option<&OsStr>) -> Called {
        self.check_options("sortwell_set")?;
        Ok(self.words.set(name, value)?)
    }

    /// Adds an input file.
    pub fn input(&mut self, path: &OsStr) -> Called {
        self.check_options("sortwell_input")?;
        Ok(self.words.input(path)?)
    }

    /// Sets the callback that writes keys.
    pub fn on_key(&mut self, callback: Option<KeyCallback>) -> Called {
        self.check_options("sortwell_on_key")?;
        self.key = callback;
        Ok(())
    }

    /// Sets the callback that compares records.
    pub fn on_compare(&mut self, comparison: Option<OrderFunction>) -> Called {
        self.check_options("sortwell_on_compare")?;
        self.comparison = comparison;
        Ok(())
    }

    /// Sets the directory for runs that are not merged.
    pub fn spill_to(&mut self, directory: &OsStr) -> Called {
        self.check_options("sortwell_spill_to")?;
        if directory.is_empty() {
            let words = "sortwell_spill_to: the name of the directory is empty";
            return Err(CallError::usage(words));
        }
        self.directory = Some(PathBuf::from(directory));
        Ok(())
    }

    /// Returns the file of a run that was made, by its number from 0.
    pub fn run_file(&self, number: usize) -> Option<&CString> {
        self.runs.get(number)
    }

    /// Sets the callback that takes sorted records.
    pub fn on_output(&mut self, callback: Option<OutputCallback>) -> Called {
        self.check_open("sortwell_on_output")?;
        self.output = callback;
        Ok(())
    }

    /// Returns the statistics as JSON; `None` before the job has ended.
    pub fn statistics(&mut self) -> Option<&CString> {
        let json = match self.end.take()? {
            CallEnd::Done(statistics, output) => {
                let json = self.words.statistics(&statistics, output.as_deref());
                self.end = Some(CallEnd::Done(statistics, output));
                json
            }
            CallEnd::Checked(json) => {
                self.end = Some(CallEnd::Checked(json.clone()));
                json
            }
        };
        self.json = CString::new(json).unwrap_or_default();
        Some(&self.json)
    }

    /// Checks that the job has not begun.
    fn check_options(&self, function: &str) -> Called {
        self.check_open(function)?;
        match self.stage {
            CallStage::Options => Ok(()),
            _ => Err(CallError::usage(format!(
                "{function}: {}; options, inputs and callbacks come first",
                self.what_happened()
            ))),
        }
    }

    /// Checks that the job has not failed.
    fn check_open(&self, function: &str) -> Called {
        match &self.stage {
            CallStage::Failed(error) | CallStage::Broken(error) => {
                let message = error.message().to_string_lossy();
                let words = format!("{function}: the job has failed before: {message}");
                Err(CallError::new(error.code(), words))
            }
            _ => Ok(()),
        }
    }

    /// Returns the error of a function that is called too early or too late.
    fn out_of_order(&self, function: &str, instead: &str) -> CallError {
        CallError::usage(format!("{function}: {}; {instead}", self.what_happened()))
    }

    /// Describes the stage.
    fn what_happened(&self) -> &'static str {
        match self.stage {
            CallStage::Options => "no record was pushed and no job was run",
            CallStage::Pushing(_) => "records are being pushed",
            CallStage::Pulling(_) => "the input is complete (sortwell_finish)",
            CallStage::Ended(true) => "all records were taken",
            CallStage::Ended(false) => "the job has ended",
            CallStage::Failed(_) | CallStage::Broken(_) => "the job has failed",
        }
    }

    /// Ends the job with an error, unless that says that a call or an option is wrong.
    fn refuse(&mut self, error: impl Into<CallError>) -> CallError {
        let error = error.into();
        if error.code() == code::USAGE { error } else { self.fail(error) }
    }

    /// Ends the job with an error, and removes what it left.
    fn fail(&mut self, error: impl Into<CallError>) -> CallError {
        let error = error.into();
        drop(self.replace(CallStage::Failed(error.clone())));
        error
    }
}

impl fmt::Debug for CallState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallState")
            .field("words", &self.words)
            .field("stage", &self.stage)
            .finish_non_exhaustive()
    }
}
