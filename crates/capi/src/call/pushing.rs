//! Records that the program pushes: blocks of any format, or one by one with a key.

use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStringExt;
use std::sync::Arc;

use sortwell::unstable_sort::{self, BlockSort, RecordsInOrder};
use sortwell::{Format, RunFile, Spiller};
use sortwell_cli::embed::EmbeddedCommand;

use super::{CallStage, CallState, Called, KeyRefusal, PushTarget, Pushing};
use crate::call_error::{CallError, code};

/// Most bytes of a key and its payload: a record counts them and the length of its key in 32 bits.
const RECORD_MAX: usize = u32::MAX as usize - 4;

impl CallState {
    /// Pushes records of the format. With a key callback, the bytes are one record of any form.
    pub fn push(&mut self, bytes: &[u8]) -> Called {
        let function = "sortwell_push";
        if self.key.is_some() {
            return self.push_through_callback(function, bytes);
        }
        match &mut self.pushing(function, false)?.target {
            PushTarget::Sort(sort) => sort.push(bytes).map_err(|error| self.fail(error)),
            PushTarget::Runs(_) => Err(CallError::usage(
                "sortwell_push: runs have keyed records; call sortwell_push_keyed, or set a key \
                 callback",
            )),
        }
    }

    /// Pushes a record with its key.
    pub fn push_keyed(&mut self, key: &[u8], payload: &[u8]) -> Called {
        let function = "sortwell_push_keyed";
        if self.key.is_some() {
            return Err(CallError::usage(
                "sortwell_push_keyed: a key callback makes the keys; call sortwell_push",
            ));
        }
        self.push_record(function, key, payload)
    }

    /// Marks the end of the input. A merge begins.
    pub fn finish(&mut self) -> Called {
        if self.words.command() == EmbeddedCommand::Merge {
            return self.begin_merge();
        }
        let is_keyed = self.key.is_some();
        self.pushing("sortwell_finish", is_keyed)?;
        let CallStage::Pushing(pushing) = self.replace(CallStage::Ended(true)) else {
            return Ok(());
        };
        let sort = match pushing.target {
            PushTarget::Sort(sort) => sort,
            PushTarget::Runs(spiller) => return self.end_runs(*spiller),
        };
        let records = RecordsInOrder::of_sort(*sort);
        let records = records.map_err(|error| self.fail(error))?;
        self.take_from(records);
        Ok(())
    }

    /// Writes the last run.
    fn end_runs(&mut self, spiller: Spiller) -> Called {
        let runs = spiller.finish().map_err(|error| self.fail(error))?;
        let name = |run: RunFile| CString::new(run.path.into_os_string().into_vec());
        self.runs = runs.into_iter().filter_map(|run| name(run).ok()).collect();
        self.stage = CallStage::Ended(false);
        Ok(())
    }

    /// Begins a merge whose records are taken.
    fn begin_merge(&mut self) -> Called {
        self.check_options("sortwell_finish")?;
        if self.key.is_some() || self.directory.is_some() {
            let words = "sortwell_finish: a merge reads records with their keys and makes no runs; \
                         leave out sortwell_on_key and sortwell_spill_to";
            return Err(CallError::usage(words.to_owned()));
        }
        let mut job = self.words.pulled_merge().map_err(|error| self.refuse(error))?;
        job.order.comparison.clone_from(&self.comparison);
        let records = RecordsInOrder::of_merge(job, Arc::clone(&self.progress));
        let records = records.map_err(|error| self.refuse(error))?;
        self.take_from(records);
        Ok(())
    }

    fn take_from(&mut self, records: RecordsInOrder) {
        self.stage = CallStage::Pulling(Box::new(records));
        self.records = 0;
    }

    fn push_through_callback(&mut self, function: &str, record: &[u8]) -> Called {
        self.pushing(function, true)?;
        let Some(callback) = &mut self.key else { return Ok(()) };
        let mut key = std::mem::take(&mut self.key_bytes);
        key.clear();
        if let Err(fault) = callback(record, &mut key) {
            let number = self.records + 1;
            let what = match fault {
                KeyRefusal::Null => "left the key NULL, with a length,".to_owned(),
                KeyRefusal::TooLong(bytes) => format!("gave a key of {bytes} bytes"),
                KeyRefusal::Returned(value) => format!("returned {value}"),
            };
            let words = format!("{function}: the key callback {what} for record {number}");
            let error = CallError::new(code::CALLBACK, words).at(None, None, Some(number));
            return Err(self.fail(error));
        }
        let pushed = self.push_record(function, &key, record);
        self.key_bytes = key;
        pushed
    }

    #[inline]
    fn push_record(&mut self, function: &str, key: &[u8], payload: &[u8]) -> Called {
        let target = &mut self.pushing(function, true)?.target;
        let bytes = key.len().checked_add(payload.len());
        if bytes.is_none_or(|bytes| bytes > RECORD_MAX) {
            return Err(too_long(function));
        }
        let pushed = match target {
            PushTarget::Runs(spiller) => spiller.push(key, payload),
            PushTarget::Sort(sort) => sort.push_keyed(key, payload),
        };
        if let Err(error) = pushed {
            return Err(self.fail(error));
        }
        self.records += 1;
        Ok(())
    }

    /// Begins a sort that takes records.
    #[cold]
    fn begin(&mut self, function: &str, is_keyed: bool) -> Called {
        self.check_open(function)?;
        if !matches!(self.stage, CallStage::Options) {
            return Err(self.out_of_order(function, "use a new job for more records"));
        }
        let pushing = self.begun(function, is_keyed).map_err(|error| self.refuse(error))?;
        self.stage = CallStage::Pushing(Box::new(pushing));
        Ok(())
    }

    /// Returns the sort that takes records, which the first push begins.
    #[inline]
    fn pushing(&mut self, function: &str, is_keyed: bool) -> Called<&mut Pushing> {
        if !matches!(self.stage, CallStage::Pushing(_)) {
            self.begin(function, is_keyed)?;
        }
        let CallStage::Pushing(pushing) = &mut self.stage else {
            return Err(CallError::usage(format!("{function}: no records can be pushed")));
        };
        if is_keyed && !pushing.is_keyed {
            return Err(not_keyed(function));
        }
        Ok(pushing)
    }

    /// Returns a sort that takes records by the options. After an error, the options are as before.
    fn begun(&mut self, function: &str, is_keyed: bool) -> Called<Pushing> {
        let mut words = self.words.clone();
        if (is_keyed || self.directory.is_some()) && !words.has("format") {
            words.set(OsStr::new("format"), Some(OsStr::new("keyed")))?;
        }
        let mut job = words.pushed_job()?;
        if is_keyed && job.format != Format::KEYED {
            return Err(not_keyed(function));
        }
        job.order.comparison.clone_from(&self.comparison);
        job.check_options()?;
        let is_keyed = job.format == Format::KEYED;
        let progress = Arc::clone(&self.progress);
        let target = match &self.directory {
            Some(_) if !is_keyed => return Err(not_keyed("sortwell_spill_to")),
            Some(directory) => {
                PushTarget::Runs(Box::new(unstable_sort::spiller(job, progress, directory)))
            }
            None => PushTarget::Sort(Box::new(BlockSort::new(job, progress))),
        };
        self.words = words;
        Ok(Pushing { target, is_keyed })
    }
}

#[cold]
fn too_long(function: &str) -> CallError {
    CallError::usage(format!("{function}: the record has more than 4 GiB; push shorter records"))
}

/// Returns the error of a record with a key in a job of another format.
#[cold]
fn not_keyed(function: &str) -> CallError {
    CallError::usage(format!(
        "{function}: records with keys need the format 'keyed', and the job has another; leave \
         the option format out"
    ))
}
