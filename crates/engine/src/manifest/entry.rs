//! Entries of a manifest.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::key::KeyTally;
use crate::load::InputPlace;
use crate::order::KeptRecord;
use crate::proof::Sum;
use crate::run::Run;
use crate::units::text::{self, AsText};

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogEntry {
    /// Description of the sort. The first entry, and no other.
    Job(JobEntry),
    /// A load was read and is in a run.
    Run(RunEntry),
    /// Neighbouring runs were merged into one.
    Merged(MergedEntry),
    /// The output is whole up to here.
    Slab(SlabEntry),
    /// The output is whole, and about to get its name.
    Whole {},
    /// The output on its way is not what was noted of it, and is made again from its beginning.
    Lost {},
    /// A part of the input is sorted, in a file of its own.
    Part(PartEntry),
}

/// A job: the settings that another job must share to continue it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobEntry {
    /// The version of the program.
    pub version: String,
    /// Path of the output.
    #[serde(with = "text")]
    pub output: PathBuf,
    /// The output on its way, beside its final name.
    #[serde(with = "text")]
    pub part: PathBuf,
    /// The spill directories; the manifest lies in the first.
    pub directories: Vec<AsText<PathBuf>>,
    /// True if the output takes the place of the input, whose space is freed while it is read.
    pub is_in_place: bool,
    /// True if the inputs are sorted already, and only merged.
    #[serde(default)]
    pub is_merge: bool,
    /// The inputs, in order.
    pub inputs: Vec<InputEntry>,
    /// Names and values of all other settings that the output depends on.
    pub settings: Vec<(String, String)>,
}

/// An input as it was when the job began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputEntry {
    /// Path.
    #[serde(with = "text")]
    pub path: PathBuf,
    /// The number of the file in its file system.
    pub inode: u64,
    /// Bytes in it.
    pub bytes: u64,
    /// Time of its last change, in seconds and nanoseconds of Unix time.
    pub modified: (i64, i64),
    /// Checksums of its first and its last block.
    pub ends: (AsText<u128>, AsText<u128>),
}

/// A load that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEntry {
    /// The run that it became.
    pub run: Run,
    /// Place at which the next load begins.
    pub next: InputPlace,
    /// Records read and their bytes.
    pub taken: (u64, u64),
    /// Rows that were left out for the number of their cells.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ragged: u64,
    /// Count and checksum of all records that were read.
    pub read: Sum,
    /// Count and checksum of the records that were dropped as duplicates.
    pub dropped: Sum,
    /// Counts about the keys of all records that were read.
    #[serde(default, skip_serializing_if = "KeyTally::is_empty")]
    pub keys: KeyTally,
}

/// A sorted part of the input of a larger job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartEntry {
    /// Records in its file.
    pub records: u64,
    /// Bytes of its file.
    pub bytes: u64,
    /// Place at which the next part begins.
    pub next: InputPlace,
}

/// A merge of neighbouring runs, or of inputs that are sorted already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedEntry {
    /// Numbers of the first that was merged, and of the one after the last.
    pub range: (usize, usize),
    /// Run that they became.
    pub run: Run,
    /// Count and checksum of what was read of inputs.
    #[serde(default)]
    pub read: Sum,
    /// Rows of inputs that were left out for the number of their cells.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ragged: u64,
    /// Count and checksum of what was dropped on the way.
    pub dropped: Sum,
    /// Counts about the keys of the inputs.
    #[serde(default, skip_serializing_if = "KeyTally::is_empty")]
    pub keys: KeyTally,
}

/// Slabs that were merged into the output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlabEntry {
    /// The first record of the next slab: its run, and the byte in that at which it begins.
    pub bound: (usize, u64),
    /// Bytes at which the next slab begins, one for each run.
    pub ends: Vec<u64>,
    /// Bytes of the output.
    pub offset: u64,
    /// The last of them, which do not fill a granule.
    #[serde(with = "text")]
    pub edge: Vec<u8>,
    /// Count and checksum of the records that went no further than there.
    pub written: Sum,
    /// Progress of the selection, where not all records are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<SelectedEntry>,
    /// Progress of a merge of streams. Slabs, whose bounds are in a run's table, cannot begin
    /// there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<StreamsEntry>,
    /// The last record that was written, which none after it may belong before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<KeptRecord>,
}

/// Further progress of a merge of streams; unused where all inputs of the merge are runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamsEntry {
    /// Records and line feeds before the next record, for each stream.
    pub passed: Vec<(u64, u64)>,
    /// Count and checksum of all that was read of inputs.
    pub read: Sum,
    /// Rows of inputs that were left out for the number of their cells.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ragged: u64,
    /// Counts about the keys of all records that were read from inputs.
    #[serde(default, skip_serializing_if = "KeyTally::is_empty")]
    pub keys: KeyTally,
}

/// Progress of records of which only some are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectedEntry {
    /// Records taken.
    pub taken: u64,
    /// Records, or groups of equal ones, that are written or left out at the beginning.
    pub passed: u64,
    /// Records written.
    pub records: u64,
    /// The last group, which may not be complete, where there are groups.
    pub open: Option<GroupText>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Records with equal keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupText {
    /// The one of them that is kept.
    #[serde(with = "text")]
    pub record: Vec<u8>,
    /// Number of records in the group.
    pub count: u64,
    /// Folded values of the group.
    pub values: Vec<ValueText>,
}

/// A value that is folded. Numbers are digits, as those of JSON are shorter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueText {
    /// Value of empty cells.
    Nothing {},
    /// A number as text.
    Number(String),
    /// Text of a cell.
    Text(#[serde(with = "text")] Vec<u8>),
    /// A machine's number.
    Integer(String),
}
