//! The table of a run being written: checksums and keys come from many workers in any order, pages
//! leave as soon as they are complete.
//!
//! ```text
//!   note(records) ---- first record of each block --\
//!                                                    > page in memory --> lane --> file
//!   granule_sums ----- checksum of each block ------/    once all its blocks have checksums
//! ```
//!
//! Records are noted before they are written, so that a block that is whole enough to have a
//! checksum has no record any more that nobody has noted: the last checksum completes a page. Tasks
//! are worked on in the order of the run, so that only the pages of tasks under way are in memory,
//! however long the run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::key::IndexKey;
use super::layout::{BLOCK, LastRecord, RunGeometry};
use super::packing::RunPacker;
use super::page::{PAGE, TablePage};
use crate::codec::Codec;
use crate::error::Result;
use crate::format::Framing;
use crate::io::File;
use crate::key::KeyEncoder;
use crate::sink::{GranuleSums, Lane, WrittenGranule};

/// Table of a run, to which workers add entries.
#[derive(Debug)]
pub struct RunTable {
    /// File for pages, from byte `start` on.
    file: Arc<File>,
    start: u64,
    geometry: RunGeometry,
    /// True if nobody knows yet how many bytes the run will have; any record may be the last then.
    is_open: bool,
    /// Packer of blocks, if they are compressed.
    packer: Option<RunPacker>,
    state: Mutex<RunTableState>,
}

#[derive(Debug, Default)]
struct RunTableState {
    /// Pages by number, from the first that is noted of them to their last checksum.
    pages: BTreeMap<u64, OpenPage>,
    last: LastRecord,
    /// Pages complete and gone.
    pages_written: u64,
    /// Most pages there were at once.
    pages_max: usize,
}

#[derive(Debug)]
struct OpenPage {
    page: TablePage,
    /// Blocks that have no checksum yet.
    missing: u64,
}

impl RunTable {
    /// Returns the table of a run of known sizes, written to its place in the run's file.
    pub(super) fn new(file: Arc<File>, geometry: RunGeometry, packer: Option<RunPacker>) -> Self {
        let (start, state) = (geometry.table_start(), Mutex::default());
        Self { file, start, geometry, is_open: false, packer, state }
    }

    /// Returns the table of a run of open length, whose pages lie in `file` and nothing else does.
    pub(super) fn aside(file: Arc<File>, geometry: RunGeometry, packer: Option<RunPacker>) -> Self {
        Self { file, start: 0, geometry, is_open: true, packer, state: Mutex::default() }
    }

    /// Returns the codec of the blocks and where they end, if they are compressed.
    pub(super) fn packed_end(&self) -> Option<(Codec, u64)> {
        self.packer.as_ref().map(|packer| (packer.codec(), packer.end()))
    }

    fn state(&self) -> MutexGuard<'_, RunTableState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes `records`, whole ones back to back, that begin at byte `offset` of the run. They must
    /// not have been written yet.
    pub fn note(&self, key: &dyn KeyEncoder, offset: u64, records: &[u8]) {
        if records.is_empty() {
            return;
        }
        let (framing, width) = (self.geometry.framing, self.geometry.index_key_length as usize);
        let key_at = |at: usize| {
            let record = &records[at..at + framing.first_length(&records[at..])];
            IndexKey::of(key, record, width)
        };
        let mut next = Some(0);
        while let Some(at) = next {
            let (block, place) = locate(offset + at as u64);
            // Of records of one length it is known whether another one begins earlier.
            let is_first = match framing {
                Framing::Fixed(length) => (place as usize) < length,
                _ => true,
            };
            if is_first {
                let (page, slot) = self.page_of(block);
                let mut state = self.state();
                state.page(&self.geometry, page).add_record(slot, place, || key_at(at));
            }
            let boundary = (block + 1) * BLOCK as u64 - offset - at as u64;
            let after = usize::try_from(boundary).ok();
            next = after.and_then(|after| framing.first_from(&records[at..], after));
            next = next.map(|after| at + after);
        }
        if self.is_open || offset + records.len() as u64 == self.geometry.data_bytes {
            let at = framing.last_start(records);
            self.state().last = LastRecord { offset: offset + at as u64, key: key_at(at) };
        }
    }

    /// Returns the last record, once all have been noted and written.
    pub(super) fn into_last(self) -> LastRecord {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (left, written) = (state.pages.len(), state.pages_written);
        let pages = self.geometry.pages();
        assert!(left == 0 && written == pages, "{left} pages are open, {written} of {pages} done");
        state.last
    }

    /// Writes the last pages of a table of open length, now that the run's sizes are known. Returns
    /// the last record.
    pub(super) fn close(self, lane: &mut Lane<'_>, geometry: &RunGeometry) -> Result<LastRecord> {
        let RunTableState { pages, last, mut pages_written, .. } =
            std::mem::take(&mut *self.state());
        for (number, open) in pages {
            self.write(lane, number, open.page)?;
            pages_written += 1;
        }
        assert_eq!(pages_written, geometry.pages(), "every page was written once");
        Ok(last)
    }

    /// Returns the largest number of pages that were in memory at once.
    pub fn pages_max(&self) -> usize {
        self.state().pages_max
    }

    /// Returns the page of a block's entry, and which of its entries.
    fn page_of(&self, block: u64) -> (u64, usize) {
        let blocks = self.geometry.blocks_per_page();
        (block / blocks, (block % blocks) as usize)
    }

    /// Writes a complete page.
    fn write(&self, lane: &mut Lane<'_>, number: u64, page: TablePage) -> Result<()> {
        let mut region = lane.take_edge()?;
        region[..PAGE].copy_from_slice(page.sealed(number).as_slice());
        let offset = self.start + number * PAGE as u64;
        lane.write(&self.file, offset, region, 0..PAGE)
    }
}

impl RunTableState {
    /// Returns page `number`, and adds it if it is missing.
    fn page(&mut self, geometry: &RunGeometry, number: u64) -> &mut TablePage {
        &mut self.open_page(geometry, number).page
    }

    fn open_page(&mut self, geometry: &RunGeometry, number: u64) -> &mut OpenPage {
        let others = self.pages.len();
        self.pages_max = self.pages_max.max(others + 1);
        self.pages.entry(number).or_insert_with(|| {
            let first = number * geometry.blocks_per_page();
            let missing = geometry.blocks_per_page().min(geometry.blocks() - first);
            OpenPage { page: TablePage::new(geometry.entry()), missing }
        })
    }
}

impl GranuleSums for RunTable {
    fn granules_written(
        &self,
        lane: &mut Lane<'_>,
        first: u64,
        granules: &[WrittenGranule],
    ) -> Result<()> {
        for (block, granule) in (first..).zip(granules) {
            let (number, slot) = self.page_of(block);
            let complete = {
                let mut state = self.state();
                let open = state.open_page(&self.geometry, number);
                open.page.set_checksum(slot, granule.checksum);
                open.page.set_place(slot, granule.offset, granule.length);
                open.missing -= 1;
                let is_complete = open.missing == 0;
                state.pages_written += u64::from(is_complete);
                if is_complete { state.pages.remove(&number) } else { None }
            };
            if let Some(open) = complete {
                self.write(lane, number, open.page)?;
            }
        }
        Ok(())
    }

    fn pack(&self, bytes: &mut [u8], granules: &mut [WrittenGranule]) -> Option<(u64, usize)> {
        self.packer.as_ref().map(|packer| packer.pack(bytes, granules))
    }
}

/// Returns the block of a byte of the data, and its place in it.
fn locate(offset: u64) -> (u64, u32) {
    (offset / BLOCK as u64, (offset % BLOCK as u64) as u32)
}
