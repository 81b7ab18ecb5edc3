//! Writing a run: many workers bring records, one call at the end makes it whole.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_64;

use super::Run;
use super::layout::{BLOCK, DATA_START, FOOTER, Footer, Geometry};
use crate::error::Result;
use crate::io::{Direct, File};
use crate::key::KeyEncoder;
use crate::proof::Sum;
use crate::sink::{FileSink, Lane, Sink};

/// The sparse index of a run being written: keys arrive in any order.
#[derive(Debug)]
pub struct IndexKeys {
    geometry: Geometry,
    keys: Mutex<Vec<u8>>,
}

impl IndexKeys {
    fn new(geometry: Geometry) -> Self {
        let keys = vec![0; geometry.index_bytes() as usize];
        Self { geometry, keys: Mutex::new(keys) }
    }

    /// Takes the keys it wants from `records`, back to back, the first of which is record `first`
    /// of the run.
    pub fn note(&self, key: &dyn KeyEncoder, first: u64, records: &[u8]) {
        let length = self.geometry.record_length as usize;
        let end = first + (records.len() / length) as u64;
        let mut number = first.div_ceil(self.geometry.stride);
        loop {
            let record = self.geometry.indexed_record(number);
            if number >= self.geometry.index_keys() || record >= end {
                return;
            }
            if record >= first {
                let at = (record - first) as usize * length;
                let width = self.geometry.index_key_length as usize;
                let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
                let slot = &mut keys[number as usize * width..][..width];
                key.encode(&records[at..at + length], slot);
            }
            number += 1;
        }
    }
}

/// A run being written.
#[derive(Debug)]
pub struct RunWriter {
    geometry: Geometry,
    sink: Sink,
    index: IndexKeys,
    file: Arc<File>,
}

impl RunWriter {
    /// Creates the file, with room for all it will hold.
    pub fn create(path: &Path, direct: Direct, geometry: Geometry) -> Result<Self> {
        let file = File::create(path, direct)?;
        file.preallocate(geometry.file_bytes())?;
        let length = geometry.data_bytes();
        let sink = FileSink::with_checksums(Arc::clone(&file), DATA_START, length, BLOCK);
        Ok(Self { geometry, sink: Sink::File(sink), index: IndexKeys::new(geometry), file })
    }

    /// Where the records go.
    pub fn sink(&self) -> &Sink {
        &self.sink
    }

    /// Where their keys go.
    pub fn index(&self) -> &IndexKeys {
        &self.index
    }

    /// Writes header, tables and footer, once all records are written or in flight.
    pub fn finish(self, lane: &mut Lane<'_>, sum: Sum) -> Result<Run> {
        let Self { geometry, sink, index, file } = self;
        let mut header = vec![0; DATA_START as usize];
        let fields = geometry.header();
        header[..fields.len()].copy_from_slice(&fields);
        write_pieces(lane, &file, 0, &[&header])?;

        let mut checksums = Vec::new();
        if let Sink::File(sink) = sink {
            checksums.extend(sink.into_checksums().flat_map(u64::to_le_bytes));
        }
        let keys = index.keys.into_inner().unwrap_or_else(PoisonError::into_inner);
        let sum = Sum { records: geometry.records, ..sum };
        let footer = Footer { sum, checksums_sum: xxh3_64(&checksums), index_sum: xxh3_64(&keys) }
            .bytes(&geometry);
        let index_end = geometry.index_start() + geometry.index_bytes();
        let padding = vec![0; (geometry.file_bytes() - index_end) as usize - FOOTER];
        let tail: [&[u8]; 4] = [&checksums, &keys, &padding, &footer];
        write_pieces(lane, &file, geometry.checksums_start(), &tail)?;
        Ok(Run { path: file.path().to_owned(), records: geometry.records })
    }
}

/// Starts writing `pieces` back to back, through the lane's buffers. They are not put together
/// first: tables grow with the run.
fn write_pieces(
    lane: &mut Lane<'_>,
    file: &Arc<File>,
    mut offset: u64,
    pieces: &[&[u8]],
) -> Result<()> {
    let capacity = lane.capacity();
    let mut buffer = lane.take_buffer()?;
    let mut filled = 0;
    for mut piece in pieces.iter().copied() {
        while !piece.is_empty() {
            if filled == capacity {
                lane.write(file, offset, buffer, 0..filled)?;
                buffer = lane.take_buffer()?;
                offset += filled as u64;
                filled = 0;
            }
            let (now, later) = piece.split_at(piece.len().min(capacity - filled));
            buffer[filled..filled + now.len()].copy_from_slice(now);
            filled += now.len();
            piece = later;
        }
    }
    lane.write(file, offset, buffer, 0..filled)
}
