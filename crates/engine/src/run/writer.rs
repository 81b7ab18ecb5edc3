//! Writing a run: many workers bring records, one call at the end makes it whole.
//!
//! Usually the size of the data is known in advance. Then the place of each page of the table is
//! known too: after the data, or before it if blocks are compressed.
//!
//! The size is unknown in merges of sorted inputs, in replacement selection, and in runs that drop
//! records as they are written. Pages then go to a separate file, and are moved after the data in
//! the end. A page describes at least 14 blocks of 64 KiB, so little is moved.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Run;
use super::layout::{BLOCK, DATA_START, Footer, PackedParts, RunGeometry};
use super::packing::{RunPacker, RunPacking};
use super::page::PAGE;
use super::table::RunTable;
use super::window::{FileWindow, WINDOW_MAX};
use crate::error::Result;
use crate::format::Framing;
use crate::io::{Direct, File, Holding};
use crate::proof::Sum;
use crate::sink::{FileSink, GranuleSums, Lane, OPEN_LENGTH, Sink};
use crate::stripe::spilled;

const _: () = assert!(WINDOW_MAX <= BLOCK, "an edge buffer takes what a window shows");

/// A run being written.
#[derive(Debug)]
pub struct RunWriter {
    geometry: RunGeometry,
    sink: Sink,
    table: Arc<RunTable>,
    file: Arc<File>,
    /// File for pages of the table, in a run of open length.
    aside: Option<Arc<File>>,
}

impl RunWriter {
    /// Creates the file, with room for all it will hold.
    pub fn create(path: &Path, direct: Direct, geometry: RunGeometry) -> Result<Self> {
        let file = spilled::create(path, direct)?;
        // Without room for it, it may go elsewhere.
        file.preallocate(geometry.file_bytes()).inspect_err(|_| drop(spilled::remove(path)))?;
        let table = RunTable::new(Arc::clone(&file), geometry, None);
        Ok(Self::with(file, geometry, table, None))
    }

    /// Creates the file of a run whose blocks are compressed. How much room it needs turns out as
    /// it is written.
    pub fn create_packed(
        path: &Path,
        direct: Direct,
        geometry: RunGeometry,
        packing: RunPacking,
    ) -> Result<Self> {
        let file = spilled::create(path, direct)?;
        let packed = Some(PackedParts::table_first(packing.codec()));
        let geometry = RunGeometry { packed, ..geometry };
        let packer = RunPacker::new(packing, geometry.table_end());
        let table = RunTable::new(Arc::clone(&file), geometry, Some(packer));
        Ok(Self::with(file, geometry, table, None))
    }

    /// Creates the file of a run whose sizes are not known yet, and beside it one for its table,
    /// which is removed in the end. Records are noted and written in order. Its blocks are
    /// compressed if there is a `packing`.
    pub fn create_open(
        path: &Path,
        direct: Direct,
        framing: Framing,
        key_length: usize,
        packing: Option<RunPacking>,
    ) -> Result<Self> {
        let file = spilled::create(path, direct)?;
        let aside =
            spilled::create(&beside(path), direct).inspect_err(|_| drop(spilled::remove(path)))?;
        let packed = packing.as_ref().map(|packing| PackedParts::table_first(packing.codec()));
        let geometry = RunGeometry::new(framing, key_length, OPEN_LENGTH, 0, 0);
        let geometry = RunGeometry { packed, ..geometry };
        let packer = packing.map(|packing| RunPacker::new(packing, DATA_START));
        let table = RunTable::aside(Arc::clone(&aside), geometry, packer);
        Ok(Self::with(file, geometry, table, Some(aside)))
    }

    fn with(
        file: Arc<File>,
        geometry: RunGeometry,
        table: RunTable,
        aside: Option<Arc<File>>,
    ) -> Self {
        let table = Arc::new(table);
        let sums: Arc<dyn GranuleSums> = Arc::<RunTable>::clone(&table);
        let length = geometry.data_bytes;
        let sink = FileSink::with_checksums(Arc::clone(&file), DATA_START, length, BLOCK, sums);
        Self { geometry, sink: Sink::File(sink), table, file, aside }
    }

    /// Returns the sink for records. Each must be in the table before it is written.
    pub fn sink(&self) -> &Sink {
        &self.sink
    }

    /// Counts in `holding` what it takes in addition to `claimed` bytes, which it has claimed
    /// already.
    pub fn count_in(&self, holding: &Arc<Holding>, claimed: u64) {
        self.file.count_in(holding, claimed);
        self.aside.iter().for_each(|aside| aside.count_in(holding, 0));
    }

    /// Returns the file.
    pub fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// Returns the table, which must have each record before it is written.
    pub fn table(&self) -> &RunTable {
        &self.table
    }

    /// Writes header and footer, once all records are written or in flight.
    pub fn finish(self, lane: &mut Lane<'_>, sum: Sum) -> Result<Run> {
        let Self { mut geometry, sink, table, file, .. } = self;
        sink.assert_whole();
        drop(sink);
        if let (Some(parts), Some((codec, end))) = (&mut geometry.packed, table.packed_end()) {
            (parts.codec, parts.footer_start) = (codec, end);
        }
        let sum = Sum { records: geometry.records, ..sum };
        let footer = Footer { sum, last: only(table).into_last() };
        frame(lane, &file, &geometry, &footer)
    }

    /// Writes table, header and footer of a run of open length, which turned out to have `bytes`
    /// bytes of records, none of more than `longest_bytes`. Only writes of `lane` may be under way
    /// still.
    pub fn finish_open(
        self,
        lane: &mut Lane<'_>,
        sum: Sum,
        bytes: u64,
        longest_bytes: u64,
    ) -> Result<Run> {
        let Self { geometry, sink, table, file, aside } = self;
        let Some(aside) = aside else { unreachable!("made for an open length") };
        drop(sink);
        let (records, data_bytes) = (sum.records, bytes);
        let mut geometry = RunGeometry { data_bytes, records, longest_bytes, ..geometry };
        let pages_bytes = geometry.pages() * PAGE as u64;
        if let (Some(parts), Some((codec, end))) = (&mut geometry.packed, table.packed_end()) {
            let footer_start = end + pages_bytes;
            *parts = PackedParts { codec, table_start: end, footer_start };
        }
        let last = only(table).close(lane, &geometry)?;
        lane.flush()?;
        move_pages(lane, &aside, &file, &geometry)?;
        spilled::remove(aside.path())?;
        aside.share().inspect(|share| share.give_up());
        frame(lane, &file, &geometry, &Footer { sum, last })
    }
}

/// Returns the path of the file with the table of the open run at `path`.
fn beside(path: &Path) -> PathBuf {
    path.with_extension("table")
}

/// Returns a table whose sink is gone.
fn only(table: Arc<RunTable>) -> RunTable {
    Arc::into_inner(table).unwrap_or_else(|| unreachable!("the sink had the only other one"))
}

/// Copies the table of a run to its place after the data.
fn move_pages(
    lane: &mut Lane<'_>,
    aside: &Arc<File>,
    file: &Arc<File>,
    geometry: &RunGeometry,
) -> Result<()> {
    let end = geometry.pages() * PAGE as u64;
    let mut window = FileWindow::new(aside, WINDOW_MAX.min(end as usize))?;
    let mut at = 0;
    while at < end {
        window.show(&(at..end))?;
        let bytes = window.bytes();
        let mut region = lane.take_edge()?;
        region[..bytes.len()].copy_from_slice(bytes);
        lane.write(file, geometry.table_start() + at, region, 0..bytes.len())?;
        at += bytes.len() as u64;
    }
    Ok(())
}

/// Writes what stands around data and table.
fn frame(
    lane: &mut Lane<'_>,
    file: &Arc<File>,
    geometry: &RunGeometry,
    footer: &Footer,
) -> Result<Run> {
    write_page(lane, file, 0, &geometry.header())?;
    write_page(lane, file, geometry.footer_start(), &footer.bytes(geometry))?;
    Ok(Run::new(file.path(), geometry))
}

/// Starts writing a page that begins with `fields` and ends in zeros.
fn write_page(lane: &mut Lane<'_>, file: &Arc<File>, offset: u64, fields: &[u8]) -> Result<()> {
    let mut region = lane.take_edge()?;
    region[..fields.len()].copy_from_slice(fields);
    region[fields.len()..PAGE].fill(0);
    lane.write(file, offset, region, 0..PAGE)
}
