//! Jobs that read and write files.

use std::path::Path;

use sortwell::{Checked, Disorder};
use sortwell_cli::embed::{FileJob, FileJobEnd};

use super::{CallEnd, CallStage, CallState, Called};
use crate::call_error::{CallError, code};

impl CallState {
    /// Does the job, with `output` for its result.
    pub fn run(&mut self, output: Option<&Path>) -> Called {
        self.check_options("sortwell_run")?;
        let has_callback = self.key.is_some() || self.output.is_some();
        if has_callback || self.comparison.is_some() || self.directory.is_some() {
            return Err(CallError::usage(
                "sortwell_run: a job of files has no callbacks and no directory for runs; push its \
                 records instead",
            ));
        }
        let job = self.words.file_job(output).map_err(|error| self.refuse(error))?;
        match job.run(&self.progress).map_err(|error| self.fail(error))? {
            FileJobEnd::Done(statistics) => {
                self.end = Some(CallEnd::Done(statistics, output.map(Path::to_owned)));
                self.stage = CallStage::Ended(false);
                Ok(())
            }
            FileJobEnd::Checked(checked) => {
                self.end = Some(CallEnd::Checked(json(&checked)));
                self.stage = CallStage::Ended(false);
                match (&checked.disorder, job) {
                    (Some(disorder), FileJob::Check(_, sentence)) => {
                        Err(out_of_order(disorder, &sentence(disorder)))
                    }
                    _ => Ok(()),
                }
            }
        }
    }
}

/// Returns the error of a file that is not sorted.
fn out_of_order(disorder: &Disorder, message: &str) -> CallError {
    let Disorder { path, record_number, offset, .. } = disorder;
    CallError::new(code::DISORDER, message).at(Some(path), Some(*offset), Some(*record_number))
}

/// Returns the statistics of a check as JSON.
fn json(checked: &Checked) -> String {
    let Checked { disorder, records, bytes, ragged_rows_dropped } = checked;
    let is_sorted = disorder.is_none();
    format!(
        "{{\"records\":{records},\"bytes\":{bytes},\"ragged_rows_dropped\":{ragged_rows_dropped},\
         \"is_sorted\":{is_sorted}}}"
    )
}
