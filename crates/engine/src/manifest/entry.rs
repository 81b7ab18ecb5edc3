//! Entries of a manifest.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::key::KeyTally;
use crate::load::InputPlace;
use crate::order::KeptRecord;
use crate::proof::Sum;
use crate::run::Run;

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
}

/// A job: the settings that another job must share to continue it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobEntry {
    /// The version of the program.
    pub version: String,
    /// Path of the output.
    pub output: PathText,
    /// The output on its way, beside its final name.
    pub part: PathText,
    /// The spill directories; the manifest lies in the first.
    pub directories: Vec<PathText>,
    /// True if the output takes the place of the input, which goes as it is read.
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
    pub path: PathText,
    /// The number of the file in its file system.
    pub inode: u64,
    /// Bytes in it.
    pub bytes: u64,
    /// Time of its last change, in seconds and nanoseconds of Unix time.
    pub modified: (i64, i64),
    /// Checksums of its first and its last block.
    pub ends: (Hash, Hash),
}

/// A load that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEntry {
    /// The run that it became.
    pub run: RunText,
    /// Place at which the next load begins.
    pub next: InputPlace,
    /// Records read and their bytes.
    pub taken: (u64, u64),
    /// Rows that were left out for the number of their cells.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ragged: u64,
    /// Count and checksum of all records that were read.
    pub read: SumText,
    /// Count and checksum of the records that were dropped as duplicates.
    pub dropped: SumText,
    /// Counts about the keys of all records that were read.
    #[serde(default, skip_serializing_if = "KeyTally::is_empty")]
    pub keys: KeyTally,
}

/// A merge of neighbouring runs, or of inputs that are sorted already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedEntry {
    /// Numbers of the first that was merged, and of the one after the last.
    pub range: (usize, usize),
    /// Run that they became.
    pub run: RunText,
    /// Count and checksum of what was read of inputs.
    #[serde(default)]
    pub read: SumText,
    /// Rows of inputs that were left out for the number of their cells.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ragged: u64,
    /// Count and checksum of what was dropped on the way.
    pub dropped: SumText,
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
    pub edge: EscapedBytes,
    /// Count and checksum of the records that went no further than there.
    pub written: SumText,
    /// Progress of the selection, where not all records are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<SelectedEntry>,
    /// Progress of a merge of streams. Slabs, whose bounds are in a run's table, cannot begin
    /// there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<StreamsEntry>,
    /// The last record that was written, which none after it may belong before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<KeptText>,
}

/// A record that others are compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeptText {
    /// All of it.
    Whole(EscapedBytes),
    /// The beginning of its key.
    KeyStart(EscapedBytes),
}

impl From<KeptRecord> for KeptText {
    fn from(kept: KeptRecord) -> Self {
        match kept {
            KeptRecord::Whole(record) => Self::Whole(EscapedBytes(record)),
            KeptRecord::KeyStart(start) => Self::KeyStart(EscapedBytes(start)),
        }
    }
}

impl From<KeptText> for KeptRecord {
    fn from(text: KeptText) -> Self {
        match text {
            KeptText::Whole(EscapedBytes(record)) => Self::Whole(record),
            KeptText::KeyStart(EscapedBytes(start)) => Self::KeyStart(start),
        }
    }
}

impl SlabEntry {
    /// Lets go of what is long, of one that is not the last: only that counts.
    pub fn shorten(&mut self) {
        self.edge = EscapedBytes::default();
        self.last = None;
        if let Some(selected) = &mut self.selected {
            selected.open = None;
        }
        if let Some(streams) = &mut self.streams {
            streams.passed = Vec::new();
        }
    }
}

/// Further progress of a merge of streams; unused where all inputs of the merge are runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamsEntry {
    /// Records and line feeds before the next record, for each stream.
    pub passed: Vec<(u64, u64)>,
    /// Count and checksum of all that was read of inputs.
    pub read: SumText,
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
    pub record: EscapedBytes,
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
    Text(EscapedBytes),
    /// A machine's number.
    Integer(String),
}

/// A run by its file's name, which lies in one of the job's directories.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunText {
    /// Path.
    pub path: PathText,
    /// Bytes of its records.
    pub bytes: u64,
    /// Records in it.
    pub records: u64,
    /// Bytes of the longest.
    pub longest_bytes: u64,
}

impl RunText {
    /// Returns the run.
    pub fn run(&self) -> Run {
        let Self { path, bytes, records, longest_bytes } = self;
        let (bytes, records, longest_bytes) = (*bytes, *records, *longest_bytes);
        Run { path: path.0.clone(), bytes, records, longest_bytes }
    }
}

impl From<&Run> for RunText {
    fn from(run: &Run) -> Self {
        let Run { path, bytes, records, longest_bytes } = run;
        let (bytes, records, longest_bytes) = (*bytes, *records, *longest_bytes);
        Self { path: PathText(path.clone()), bytes, records, longest_bytes }
    }
}

/// Count and checksum of records; the latter as hexadecimal digits, as numbers of JSON are shorter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SumText {
    records: u64,
    checksum: Hash,
}

impl From<Sum> for SumText {
    fn from(Sum { records, checksum }: Sum) -> Self {
        Self { records, checksum: Hash(checksum) }
    }
}

impl From<SumText> for Sum {
    fn from(SumText { records, checksum }: SumText) -> Self {
        Self { records, checksum: checksum.0 }
    }
}

/// A hash of 128 bits, in hexadecimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hash(pub u128);

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{:032x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        u128::from_str_radix(&text, 16).map(Self).map_err(serde::de::Error::custom)
    }
}

/// A path, whose bytes need not be text: bytes that are not, and `%`, stand there as `%` and two
/// digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathText(pub PathBuf);

impl From<&Path> for PathText {
    fn from(path: &Path) -> Self {
        Self(path.to_owned())
    }
}

impl Serialize for PathText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&escaped(self.0.as_os_str().as_bytes()))
    }
}

impl<'de> Deserialize<'de> for PathText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = unescaped(&String::deserialize(deserializer)?);
        let bytes = bytes.ok_or_else(|| serde::de::Error::custom("no escaped path"))?;
        Ok(Self(PathBuf::from(OsString::from_vec(bytes))))
    }
}

/// Some bytes, escaped like paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EscapedBytes(pub Vec<u8>);

impl Serialize for EscapedBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&escaped(&self.0))
    }
}

impl<'de> Deserialize<'de> for EscapedBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = unescaped(&String::deserialize(deserializer)?);
        bytes.map(Self).ok_or_else(|| serde::de::Error::custom("no escaped bytes"))
    }
}

fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'%' | 0..=31 | 127.. => text.push_str(&format!("%{byte:02x}")),
            _ => text.push(char::from(*byte)),
        }
    }
    text
}

fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        bytes.push(match first {
            b'%' => {
                let (digits, behind) = rest.split_at_checked(2)?;
                rest = behind;
                u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?
            }
            _ => *first,
        });
    }
    Some(bytes)
}
