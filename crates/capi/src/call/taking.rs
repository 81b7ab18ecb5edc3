//! Sorted records that the program takes: in blocks, one by one, or through its callback.

use sortwell::KeyedRecord;
use sortwell::unstable_sort::RecordsInOrder;

use super::{CallEnd, CallStage, CallState, Called};
use crate::call_error::{CallError, code};

impl CallState {
    /// Takes the next block; `None` after the last one, once the result is proven.
    pub fn pull(&mut self) -> Called<Option<&[u8]>> {
        if self.is_at_end("sortwell_pull")? {
            return Ok(None);
        }
        self.take_in("sortwell_pull", true)?;
        let taken = self.records_in_order("sortwell_pull")?.advance_block();
        if !taken.map_err(|error| self.fail(error))? {
            return self.end().map(|()| None);
        }
        Ok(Some(self.records_in_order("sortwell_pull")?.lent()))
    }

    /// Takes the next record; `None` after the last one, once the result is proven.
    pub fn next(&mut self) -> Called<Option<KeyedRecord<'_>>> {
        self.record("sortwell_next")
    }

    /// Passes all records to the output callback.
    pub fn deliver(&mut self) -> Called {
        let function = "sortwell_deliver";
        self.check_open(function)?;
        let Some(mut callback) = self.output.take() else {
            return Err(CallError::usage(
                "sortwell_deliver: there is no callback; set it with sortwell_on_output",
            ));
        };
        let delivered = loop {
            let KeyedRecord { key, payload } = match self.record(function) {
                Ok(Some(record)) => record,
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            };
            let called = callback(key, payload);
            if let Err(value) = called {
                let number = self.records;
                let words =
                    format!("{function}: the output callback returned {value} for record {number}");
                let error = CallError::new(code::CALLBACK, words).at(None, None, Some(number));
                break Err(self.fail(error));
            }
        };
        self.output = Some(callback);
        delivered
    }

    #[inline]
    fn record(&mut self, function: &str) -> Called<Option<KeyedRecord<'_>>> {
        if self.is_in_blocks != Some(false) {
            self.take_in(function, false)?;
        }
        let CallStage::Pulling(records) = &mut self.stage else {
            return self.is_at_end(function).map(|_| None);
        };
        match records.advance() {
            Ok(true) => {
                self.records += 1;
                Ok(Some(self.records_in_order(function)?.lent_record()))
            }
            Ok(false) => self.end().map(|()| None),
            Err(error) => Err(self.fail(error)),
        }
    }

    /// Notes that records are taken in blocks, or one by one. A block may end within a record.
    fn take_in(&mut self, function: &str, blocks: bool) -> Called {
        if !matches!(self.stage, CallStage::Pulling(_)) {
            return Ok(());
        }
        match *self.is_in_blocks.get_or_insert(blocks) {
            in_blocks if in_blocks == blocks => Ok(()),
            true => Err(CallError::usage(format!(
                "{function}: the records are being taken in blocks; continue with sortwell_pull"
            ))),
            false => Err(CallError::usage(format!(
                "{function}: the records are being taken one by one; continue with sortwell_next \
                 or sortwell_deliver"
            ))),
        }
    }

    /// Returns whether all records were taken.
    fn is_at_end(&self, function: &str) -> Called<bool> {
        self.check_open(function)?;
        match self.stage {
            CallStage::Ended(was_pulled) if was_pulled => Ok(true),
            CallStage::Ended(_) => Err(self.out_of_order(function, "its records are in its files")),
            CallStage::Pulling(_) => Ok(false),
            _ => Err(self.out_of_order(function, "call sortwell_finish first")),
        }
    }

    #[inline]
    fn records_in_order(&mut self, function: &str) -> Called<&mut RecordsInOrder> {
        match &mut self.stage {
            CallStage::Pulling(records) => Ok(records),
            _ => Err(CallError::usage(format!("{function}: no records can be taken"))),
        }
    }

    /// Keeps the statistics of a job whose records were all taken.
    fn end(&mut self) -> Called {
        let CallStage::Pulling(records) = self.replace(CallStage::Ended(true)) else {
            return Ok(());
        };
        let statistics = records.close().map_err(|error| self.fail(error))?;
        self.end = Some(CallEnd::Done(Box::new(statistics), None));
        Ok(())
    }
}
