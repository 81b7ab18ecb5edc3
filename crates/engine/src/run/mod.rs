//! Runs: sorted records on disk, between run generation and merge.
//!
//! A run file has the records back to back, as an output would have them, or in compressed blocks.
//! It also has what is needed to trust and to find them: a header, a table and a footer. The table
//! has the checksum of each block, and the key of the first record that begins in it. No record
//! begins in a block inside a long record. The format is drawn in `docs/run-format.md`; [`layout`]
//! and `page` are the only places that know its offsets. Places in a run are byte offsets in its
//! data.
//!
//! [`RunWriter`] takes a load's records from many workers at once, and its [`RunTable`] leaves
//! memory page by page; [`Run`] is a finished run by name; [`RunReader`] opens one again, trusting
//! nothing; [`RunBlocks`] are all of it, in order.

mod blocks;
pub mod index;
mod key;
pub mod layout;
mod packing;
mod packing_choice;
mod page;
mod reader;
mod table;
mod unpacking;
mod window;
mod writer;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use blocks::{BlockRange, RunBlocks};
pub use index::IndexReader;
pub use key::{INDEX_KEY_MAX, IndexKey};
pub use packing::{PackingChoice, RunPacking};
pub use packing_choice::{PackingEvidence, PackingTrial};
pub use reader::RunReader;
pub use table::RunTable;
pub use unpacking::{StoredBlock, stretch};
pub use writer::RunWriter;

use crate::error::Result;
use crate::io::Direct;
use crate::stripe::spilled;
use crate::units::text;
use layout::{BLOCK, DATA_START, RunGeometry};

/// A finished run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The run file.
    #[serde(with = "text")]
    pub path: PathBuf,
    /// Bytes of its records.
    pub bytes: u64,
    /// Records in it.
    pub records: u64,
    /// Upper bound of the bytes of a record.
    pub longest_bytes: u64,
}

impl Run {
    /// Gives back the room of what lies before byte `end` of the records, in whole blocks: it will
    /// not be read again.
    pub fn free_before(&self, end: u64) -> Result<()> {
        let whole = end / BLOCK as u64 * BLOCK as u64;
        if whole == 0 {
            return Ok(());
        }
        spilled::reopen(&self.path, Direct::Off)?.free(DATA_START..DATA_START + whole)
    }

    /// Returns the run of that geometry at `path`.
    fn new(path: &Path, geometry: &RunGeometry) -> Self {
        let RunGeometry { data_bytes: bytes, records, longest_bytes, .. } = *geometry;
        Self { path: path.to_owned(), bytes, records, longest_bytes }
    }
}

#[cfg(test)]
pub(crate) mod tests;
