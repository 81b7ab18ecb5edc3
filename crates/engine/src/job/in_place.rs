//! Sorting a file in place: its room is given back as its records come to lie elsewhere.
//!
//! ```text
//!     input    |xxxxxxxxxxxx:::::|#########|#########|     x given back   : being written as a run
//!     runs     |#######|######|                            # records
//!     output   |####                                       and while it grows, runs are given back
//! ```
//!
//! (psort writes runs into the input itself, where it has been read already; Bertasi, Bressan and
//! Peserico, "psort, yet another fast stable external sorting software", 2008. Giving back the room
//! leaves run files what they are, with their checksums.) At every instant every record is on disk,
//! whole and durable, in the input, a run, or the output: a part of one is given back when the
//! manifest says where its records are. So a sort that was stopped must be gone on with, and
//! nothing that could be found out about a record must be able to stop it for good.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use super::{Input, SortJob};
use crate::codec::CompressRuns;
use crate::error::{ConfigErrorKind, Error, Message, Result, Setting, config, message};
use crate::format::{Framing, HeaderLines};
use crate::io::{Direct, File, NameIdentity};
use crate::plan::levers::{Levers, Overlap};

/// Makes sure that the job can be done in place: `is_open` where no record can be refused.
///
/// # Errors
///
/// [`Error::Config`] that says what stands against it.
pub fn check(job: &SortJob, path: &Path, files: &[Arc<File>], is_open: bool) -> Result<()> {
    let refused = |why: &str| {
        let kind = ConfigErrorKind::NotApplicable(Setting::InPlace);
        Err(config!(kind, "{}: {}", Setting::InPlace, why))
    };
    let conflict = |other, why: Message| {
        let kind = ConfigErrorKind::Conflict(Setting::InPlace, other);
        Err(config!(kind, "{}: {}", Setting::InPlace, why))
    };
    let name = NameIdentity::of;
    let is_same = matches!(&job.inputs[..], [Input::File(input)] if name(input) == name(path));
    let (true, [file]) = (is_same, files) else {
        return refused("it needs one input, which is also the output");
    };
    if !job.sync {
        return conflict(
            Setting::Sync,
            message!(
                "records must be durable before their space is freed; leave out {}",
                Setting::Sync.to("off")
            ),
        );
    }
    if !job.select.is_all() || job.header != HeaderLines::NONE {
        return refused(
            "all records must be sorted and written unchanged; leave out options that select or \
             change records",
        );
    }
    if job.levers.merge.is_some() {
        return conflict(
            Setting::Merge,
            message!(
                "streams cannot free space while they merge, and slabs may be too small for the \
                 longest records; leave out {}",
                Setting::Merge
            ),
        );
    }
    if matches!(job.levers.compress_runs, CompressRuns::As(_)) {
        return conflict(Setting::CompressRuns, packed_runs());
    }
    let is_simple = matches!(job.format.framing(), Framing::Fixed(_) | Framing::Terminated(_));
    if !is_open || !is_simple {
        return refused(
            "it needs lines or records of fixed length, keys that every record has, and no \
             locale, as a malformed record would leave the file incomplete",
        );
    }
    let data = fs::symlink_metadata(path).map_err(|e| Error::io("look at", path, e))?;
    if !data.is_file() {
        return refused("the input must be a file, and not a link");
    }
    if data.nlink() > 1 {
        return refused("the file has other hard links, which would lose it");
    }
    if data.uid() != rustix::process::geteuid().as_raw() {
        return refused("the file belongs to another user");
    }
    let own = File::reopen(path, Direct::Off)?;
    // Behind its end there is nothing that could be lost by asking.
    let behind = file.len().next_multiple_of(1 << 20);
    let is_able = own.free(behind..behind + (1 << 20)).is_ok() && own.takes_marks();
    if !is_able {
        return refused(
            "the file system cannot free parts of files, or mark files; sort to another file",
        );
    }
    Ok(())
}

/// Returns the reason why runs cannot be compressed.
fn packed_runs() -> Message {
    message!("parts of compressed runs cannot be freed; leave out {}", Setting::CompressRuns)
}

/// Returns the settings of the plan. How much is given back at a time, and whether the rest can be
/// merged, depends on the form of loads and slabs. That form is equal for all jobs that continue
/// this one.
pub fn levers(levers: Levers) -> Levers {
    // Parts of compressed runs cannot be given back.
    Levers { compress_runs: CompressRuns::Off, ..levers }.with_open_overlap(Overlap::Pipelined)
}

/// Opens the file at `path` for writing, and locks it as long as it is open: a second sort in place
/// would read holes. `input` is the same file.
///
/// # Errors
///
/// Those of opening it, and [`Error::Config`] if another job has it, or has replaced it.
pub fn claim(input: &File, path: &Path) -> Result<Arc<File>> {
    let own = File::reopen(path, Direct::Off)?;
    let why = match (own.lock(), input.is_at_its_path() && own.is_at_its_path()) {
        (true, true) => return Ok(own),
        (true, false) => "has replaced it; run the command again",
        (false, _) => "is running; wait for it",
    };
    let path = path.display();
    Err(config!(ConfigErrorKind::InUse, "another job that sorts {} in place {}", path, why))
}
