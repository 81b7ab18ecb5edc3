//! Records that the program pushes: blocks of any format, or one by one with a key.

use sortwell::Format;
use sortwell::unstable_sort::BlockSort;

use std::ffi::OsStr;
use std::sync::Arc;

use super::{CallStage, CallState, Called, Pushing};
use crate::call_error::{CallError, code};
use crate::in_order::RecordsInOrder;

/// Bytes of the number of the bytes that follow, and of that of the key.
const NUMBER: usize = 4;

impl CallState {
    /// Pushes records of the format. With a key callback, the bytes are one record of any form.
    pub fn push(&mut self, bytes: &[u8]) -> Called {
        let function = "sortwell_push";
        if self.key.is_some() {
            return self.push_through_callback(function, bytes);
        }
        let pushing = self.pushing(function, false)?;
        pushing.sort.push(bytes).map_err(|error| self.fail(of_pushed(error.into())))
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

    /// Marks the end of the input.
    pub fn finish(&mut self) -> Called {
        let is_keyed = self.key.is_some();
        self.pushing("sortwell_finish", is_keyed)?;
        let CallStage::Pushing(pushing) = self.replace(CallStage::Ended(true)) else {
            return Ok(());
        };
        let Pushing { sort, framing, is_keyed } = *pushing;
        let blocks = sort.finish().map_err(|error| self.fail(of_pushed(error.into())))?;
        self.stage = CallStage::Pulling(Box::new(RecordsInOrder::new(blocks, framing, is_keyed)));
        self.records = 0;
        Ok(())
    }

    fn push_through_callback(&mut self, function: &str, record: &[u8]) -> Called {
        self.pushing(function, true)?;
        let Some(callback) = &mut self.key else { return Ok(()) };
        let mut key = std::mem::take(&mut self.key_bytes);
        key.clear();
        if let Err(value) = callback(record, &mut key) {
            let number = self.records + 1;
            let words =
                format!("{function}: the key callback returned {value} for record {number}");
            let error = CallError::new(code::CALLBACK, words).at(None, None, Some(number));
            return Err(self.fail(error));
        }
        let pushed = self.push_record(function, &key, record);
        self.key_bytes = key;
        pushed
    }

    fn push_record(&mut self, function: &str, key: &[u8], payload: &[u8]) -> Called {
        let pushing = self.pushing(function, true)?;
        let bytes = key.len().checked_add(payload.len()).and_then(|sum| sum.checked_add(NUMBER));
        let follows = bytes.and_then(|bytes| u32::try_from(bytes).ok());
        let (Some(follows), Ok(key_bytes)) = (follows, u32::try_from(key.len())) else {
            return Err(CallError::usage(format!(
                "{function}: the record has more than 4 GiB; push shorter records"
            )));
        };
        let length = follows as usize + NUMBER;
        match pushing.sort.room(length) {
            Ok(block) => {
                block.extend_from_slice(&follows.to_le_bytes());
                block.extend_from_slice(&key_bytes.to_le_bytes());
                block.extend_from_slice(key);
                block.extend_from_slice(payload);
                self.records += 1;
                Ok(())
            }
            Err(error) => Err(self.fail(of_pushed(error.into()))),
        }
    }

    /// Returns the sort that takes records, which the first push begins.
    fn pushing(&mut self, function: &str, is_keyed: bool) -> Called<&mut Pushing> {
        if !matches!(self.stage, CallStage::Pushing(_)) {
            self.check_open(function)?;
            if !matches!(self.stage, CallStage::Options) {
                let instead = "use a new job for more records";
                return Err(self.out_of_order(function, instead));
            }
            let pushing = self.begun(is_keyed)?;
            self.stage = CallStage::Pushing(Box::new(pushing));
        }
        let CallStage::Pushing(pushing) = &mut self.stage else {
            return Err(CallError::usage(format!("{function}: no records can be pushed")));
        };
        if is_keyed && !pushing.is_keyed {
            return Err(not_keyed(function));
        }
        Ok(pushing)
    }

    /// Returns a sort that takes records by the options.
    fn begun(&mut self, is_keyed: bool) -> Called<Pushing> {
        if is_keyed && !self.words.has("format") {
            self.words.set(OsStr::new("format"), Some(OsStr::new("keyed")))?;
        }
        let mut job = self.words.pushed_job()?;
        job.order.comparison.clone_from(&self.compare);
        let (framing, is_keyed) = (job.format.framing(), job.format == Format::KEYED);
        let sort = BlockSort::new(job, Arc::clone(&self.progress));
        Ok(Pushing { sort, framing, is_keyed })
    }
}

/// Returns the error of a record with a key in a job of another format.
fn not_keyed(function: &str) -> CallError {
    CallError::usage(format!(
        "{function}: records with keys need the format 'keyed', and the job has another; leave \
         the option format out"
    ))
}

/// Returns an error of a job whose input is no file.
pub fn of_pushed(error: CallError) -> CallError {
    let is_name = |file: &std::ffi::CString| !file.to_bytes().starts_with(b"/");
    match error.file().is_some_and(is_name) {
        true => error.without_file(),
        false => error,
    }
}
