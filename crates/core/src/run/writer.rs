//! Writing a run: many workers bring records, one call at the end makes it whole.

use std::path::Path;
use std::sync::Arc;

use super::Run;
use super::layout::{BLOCK, DATA_START, Footer, Geometry};
use super::page::PAGE;
use super::table::Table;
use crate::error::Result;
use crate::io::{Direct, File};
use crate::proof::Sum;
use crate::sink::{FileSink, GranuleSums, Lane, Sink};

/// A run being written.
#[derive(Debug)]
pub struct RunWriter {
    geometry: Geometry,
    sink: Sink,
    table: Arc<Table>,
    file: Arc<File>,
}

impl RunWriter {
    /// Creates the file, with room for all it will hold.
    pub fn create(path: &Path, direct: Direct, geometry: Geometry) -> Result<Self> {
        let file = File::create(path, direct)?;
        file.preallocate(geometry.file_bytes())?;
        let table = Arc::new(Table::new(Arc::clone(&file), geometry));
        let sums: Arc<dyn GranuleSums> = Arc::<Table>::clone(&table);
        let length = geometry.data_bytes;
        let sink = FileSink::with_checksums(Arc::clone(&file), DATA_START, length, BLOCK, sums);
        Ok(Self { geometry, sink: Sink::File(sink), table, file })
    }

    /// Where the records go, each after it was noted in the table.
    pub fn sink(&self) -> &Sink {
        &self.sink
    }

    /// Where records are noted before they are written.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Writes header and footer, once all records are written or in flight.
    pub fn finish(self, lane: &mut Lane<'_>, sum: Sum) -> Result<Run> {
        let Self { geometry, sink, table, file } = self;
        sink.assert_whole();
        drop(sink);
        let table = Arc::into_inner(table);
        let Some(table) = table else { unreachable!("the sink had the only other one") };
        let sum = Sum { records: geometry.records, ..sum };
        let footer = Footer { sum, last: table.into_last() };
        write_page(lane, &file, 0, &geometry.header())?;
        write_page(lane, &file, geometry.footer_start(), &footer.bytes(&geometry))?;
        Ok(Run::new(file.path(), &geometry))
    }
}

/// Starts writing a page that begins with `fields` and ends in zeros.
fn write_page(lane: &mut Lane<'_>, file: &Arc<File>, offset: u64, fields: &[u8]) -> Result<()> {
    let mut region = lane.take_edge()?;
    region[..fields.len()].copy_from_slice(fields);
    region[fields.len()..PAGE].fill(0);
    lane.write(file, offset, region, 0..PAGE)
}
