//! Reading the data: several threads make entries of blocks of whole records, in order.
//!
//! ```text
//!   data --> cut: whole records --> key of each record --> [ block 0 | block 1 | ... ] --> sort
//!            one thread at a time    all threads             in order, a bounded number of bytes
//! ```
//!
//! Rows with quotes, records with prefixes and groups of lines show only from their beginning on
//! where records end. So blocks are cut in order, by the thread that reads them. The rest of the
//! work is done at the same time. Of long blocks, threads hold one at a time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sortwell_engine::error::RecordPosition;
use sortwell_engine::format::{RecordFault, Tracker};
use sortwell_engine::job::{InputPlace, KeyedRow, RowKeys};
use sortwell_engine::key::KeyTally;
use sortwell_engine::stats::{KeyFindings, Progress, SourceShare};
use sortwell_engine::{ByteSize, Error, Result};

use crate::bgzf::BlockReader;
use crate::entry::{LONGEST_MAX, write_number};
use crate::ordered::OrderedBlocks;
use crate::scan_memory::{BLOCK_MAX, ScanMemory};
use crate::scanned::{PlacedBytes, ScannedFile};
use crate::source::Positions;
use crate::typed::EntryParts;

/// Most bytes of an entry: the sort counts them with 32 bits.
pub const ENTRY_MAX: usize = 1 << 31;

/// Bytes of an entry that may go beyond the end of a piece without another allocation.
const BEYOND: usize = 4 << 10;

/// The data, and how its records become entries.
pub struct ScannedData {
    /// Counts about the keys of all records that became entries.
    pub tally: Mutex<KeyTally>,
    /// Number of rows that were left out for the number of their cells.
    pub ragged: AtomicU64,
    /// Bytes of the files that were read.
    pub read: Arc<AtomicU64>,
    /// The files, in order.
    pub files: Vec<ScannedFile>,
    /// The offsets of records in all files together.
    pub positions: Positions,
    /// The keys of records.
    pub rows: RowKeys,
    /// The parts of records that entries hold.
    pub parts: EntryParts,
    /// Bytes that are read at once, and bytes of entries that are handed on at once.
    pub block: usize,
    /// Memory of the scan.
    pub memory: ScanMemory,
    /// Most bytes of an entry of a block that is not long.
    pub entry_max: usize,
    /// Keys, and parts of records that entries hold. Each may be as long as the record.
    pub parts_max: u64,
}

/// The threads' common state.
pub struct Scan<'a> {
    data: &'a ScannedData,
    cut: Mutex<ScanPlace>,
    /// Turn to hold a long block. It is taken while a block is cut, so in the order of blocks.
    long: Mutex<()>,
    /// Bytes of data that are read at most, but for the last block.
    most: u64,
    entries: Arc<OrderedBlocks>,
    /// Number of records that became entries.
    records: AtomicU64,
}

/// The place up to which the data was cut.
#[derive(Debug, Default)]
struct ScanPlace {
    /// The file, and the offset of the next byte to read.
    file: usize,
    offset: u64,
    /// Bytes of a record whose end was not read yet.
    rest: PlacedBytes,
    reader: BlockReader,
    /// The number of the next block.
    number: u64,
    /// Bytes that were read.
    read: u64,
}

/// Whole records of a file.
struct RecordBlock<'s> {
    number: u64,
    file: usize,
    placed: PlacedBytes,
    /// Bytes in the file: the last record may have got an end.
    length: usize,
    /// The turn, if it is long.
    turn: Option<MutexGuard<'s, ()>>,
}

impl ScannedData {
    /// Returns what is known of the keys of the records that became entries.
    pub fn findings(&self) -> KeyFindings {
        self.rows.findings(&self.tally.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the number of rows that were left out; `None` if none are.
    pub fn ragged_dropped(&self) -> Option<u64> {
        self.rows.drops_ragged().then(|| self.ragged.load(Ordering::Relaxed))
    }

    /// Returns the data as the source of all entries.
    pub fn source(&self) -> SourceShare {
        let all = self.files.iter().map(|file| file.bytes_to(file.end)).sum();
        SourceShare::Part { read: Arc::clone(&self.read), all }
    }

    /// Returns the place of the first record.
    pub fn first(&self) -> InputPlace {
        InputPlace { source: 0, offset: self.files.first().map_or(0, |file| file.start) }
    }

    /// Returns the bytes of memory of a piece of short entries.
    pub const fn piece_bytes(&self) -> usize {
        self.block + BEYOND
    }

    /// Returns whether there is no record after a place.
    pub fn is_end(&self, place: InputPlace) -> bool {
        place.source >= self.files.len()
    }
}

/// Ends the entries if its thread panics: others would wait for its block. The panic is passed on
/// where the thread is joined.
struct ScanGuard<'a>(&'a OrderedBlocks);

impl Drop for ScanGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.abandon();
        }
    }
}

impl<'a> Scan<'a> {
    /// Returns a scan from a place on, which hands entries to `entries`. It ends with a block after
    /// `most` bytes.
    pub fn new(
        data: &'a ScannedData,
        from: InputPlace,
        most: u64,
        entries: Arc<OrderedBlocks>,
    ) -> Self {
        let cut = ScanPlace { file: from.source, offset: from.offset, ..ScanPlace::default() };
        let (cut, long) = (Mutex::new(cut), Mutex::new(()));
        Self { data, cut, long, most, entries, records: AtomicU64::new(0) }
    }

    /// Returns the place after the records that were cut so far.
    pub fn place(&self) -> InputPlace {
        let cut = self.cut.lock().unwrap_or_else(PoisonError::into_inner);
        let is_between = cut.rest.bytes.is_empty();
        let offset = if is_between { cut.offset } else { cut.rest.offset_of(0) };
        InputPlace { source: cut.file, offset }
    }

    /// Returns the number of records that became entries so far.
    pub fn records(&self) -> u64 {
        self.records.load(Ordering::Relaxed)
    }

    /// Does the work of one thread, until there are no more blocks.
    pub fn work(&self, progress: &Progress) {
        let _guard = ScanGuard(&self.entries);
        loop {
            let block = match self.next_block() {
                Ok(Some(block)) => block,
                Ok(None) => return,
                Err((number, error)) => return self.entries.end(number, Err(error)),
            };
            let made = self.put_entries(&block, progress);
            let has_failed = made.is_err();
            self.entries.end(block.number, made);
            if has_failed || self.entries.is_abandoned() {
                return;
            }
        }
    }

    /// Returns the next block; an error takes the place of a block, and is the last.
    fn next_block(&self) -> std::result::Result<Option<RecordBlock<'_>>, (u64, Error)> {
        let mut cut = self.cut.lock().unwrap_or_else(PoisonError::into_inner);
        let number = cut.number;
        let block = self.cut_block(&mut cut).map_err(|error| {
            cut.file = self.data.files.len();
            (number, error)
        });
        cut.number += 1;
        match &block {
            Ok(None) => self.entries.end_at(number),
            Ok(Some(_)) => {}
            Err(_) => self.entries.end_at(number + 1),
        }
        block
    }

    fn cut_block(&self, cut: &mut ScanPlace) -> Result<Option<RecordBlock<'_>>> {
        while let Some(scanned) = self.data.files.get(cut.file).filter(|_| cut.read < self.most) {
            let mut placed = std::mem::take(&mut cut.rest);
            let mut turn = None;
            let (whole, length) = loop {
                let filled = placed.bytes.len();
                if filled as u64 >= self.data.memory.long_from() && turn.is_none() {
                    turn = Some(self.long.lock().unwrap_or_else(PoisonError::into_inner));
                }
                // A long record adds a half to what is read, so that it is looked through a few
                // times.
                let wanted = self.data.block.max(filled / 2);
                placed.bytes.reserve_exact(wanted);
                let before = scanned.bytes_to(cut.offset);
                scanned.read(&mut cut.reader, &mut cut.offset, wanted, &mut placed)?;
                let more = scanned.bytes_to(cut.offset) - before;
                self.data.read.fetch_add(more, Ordering::Relaxed);
                cut.read += (placed.bytes.len() - filled) as u64;
                if cut.offset >= scanned.end {
                    let length = placed.bytes.len();
                    self.end_file(scanned, &mut placed)?;
                    break (placed.bytes.len(), length);
                }
                match self.data.rows.framing().whole_bytes(&placed.bytes) {
                    0 => self.check_unfinished(scanned, cut, &placed)?,
                    whole => break (whole, whole),
                }
            };
            let (file, number) = (cut.file, cut.number);
            if cut.offset >= scanned.end {
                cut.file += 1;
                cut.offset = self.data.files.get(cut.file).map_or(0, |next| next.start);
            } else {
                cut.rest = placed.split_off(whole);
            }
            if !placed.bytes.is_empty() {
                if turn.is_some() {
                    placed.bytes.shrink_to_fit();
                }
                return Ok(Some(RecordBlock { number, file, placed, length, turn }));
            }
        }
        Ok(None)
    }

    /// Gives the last record of a file the end that it may lack.
    fn end_file(&self, scanned: &ScannedFile, placed: &mut PlacedBytes) -> Result<()> {
        let framing = self.data.rows.framing();
        let whole = framing.whole_bytes(&placed.bytes);
        let mut tracker = Tracker::new(framing);
        let passed = tracker.pass(&placed.bytes[whole..]).map_err(|fault| fault.message);
        let lacks_end = passed.and_then(|_| tracker.pass_end());
        match lacks_end {
            Ok(true) => placed.bytes.extend(framing.terminator()),
            Ok(false) => {}
            Err(message) => {
                return Err(error_of(&RecordFault::new(whole, message), scanned, placed));
            }
        }
        Ok(())
    }

    /// Checks a record that has not ended after all these bytes.
    fn check_unfinished(
        &self,
        scanned: &ScannedFile,
        cut: &mut ScanPlace,
        placed: &PlacedBytes,
    ) -> Result<()> {
        if let Some(fault) = self.data.rows.framing().fault(&placed.bytes) {
            return Err(error_of(&RecordFault::new(0, fault), scanned, placed));
        }
        let longest = self.data.memory.longest;
        if placed.bytes.len() as u64 <= longest {
            return Ok(());
        }
        let length = self.length_of(scanned, cut, placed)?;
        let least_of = |times: u64| {
            length.and_then(|length| self.data.memory.least_for(length, times * length))
        };
        let (least, most) = (least_of(1), least_of(self.data.parts_max.max(1)));
        let if_long = most.filter(|_| most != least).map(|most| {
            let mib = most.bytes() >> 20;
            format!(" ({mib} MiB if each key and included part is as long as the record)")
        });
        let message = format!(
            "the record at offset {} has more than {longest} bytes; give {}{}, or check the format",
            placed.offset_of(0),
            more_memory(least),
            if_long.unwrap_or_default()
        );
        let path = scanned.path.clone();
        Err(Error::BudgetExceeded { path, message: message.into(), least })
    }

    /// Returns the length of a record that begins with these bytes, unless it is too long for
    /// every budget.
    fn length_of(
        &self,
        scanned: &ScannedFile,
        cut: &mut ScanPlace,
        placed: &PlacedBytes,
    ) -> Result<Option<u64>> {
        let mut tracker = Tracker::new(self.data.rows.framing());
        let (mut offset, mut length) = (cut.offset, placed.bytes.len() as u64);
        let mut passed = tracker.pass(&placed.bytes);
        while length <= LONGEST_MAX {
            let mut more = PlacedBytes::default();
            scanned.read(&mut cut.reader, &mut offset, self.data.block, &mut more)?;
            if more.bytes.is_empty() || passed.is_err() {
                return Ok(Some(length));
            }
            passed = tracker.pass(&more.bytes);
            if let Ok(Some((end, _))) = passed {
                return Ok(Some(length + end as u64));
            }
            length += more.bytes.len() as u64;
        }
        Ok(None)
    }

    /// Hands on the entries of a block as keyed records, in pieces: short records have entries that
    /// are many times as long.
    fn put_entries(&self, block: &RecordBlock<'_>, progress: &Progress) -> Result<()> {
        let scanned = &self.data.files[block.file];
        let mut entries = Vec::new();
        let (mut is_wanted, mut too_long) = (true, None);
        let is_long = block.turn.is_some();
        let entry_max = self.entry_max(block);
        let mut tally = KeyTally::default();
        let passed = self.data.rows.each(&block.placed.bytes, |row| {
            if !is_wanted || too_long.is_some() {
                return;
            }
            if is_long && entries.is_empty() {
                is_wanted = self.entries.wait_for_demand(block.number, progress);
                if !is_wanted {
                    return;
                }
            }
            if entries.capacity() == 0 {
                entries.reserve_exact(self.data.piece_bytes());
            }
            let length = row.bytes.len().min(block.length - row.at);
            let offset = block.placed.offset_of(row.at);
            let position = self.data.positions.position(scanned.number, offset);
            let start = entries.len();
            let most = start + entry_max;
            let made = self.append_entry(&row, position, length as u64, most, &mut entries);
            row.tally(entries.get(start + 8).copied().unwrap_or_default(), &mut tally);
            if let Err(needed) = made {
                too_long = Some((offset, needed));
            } else if entries.len() >= self.data.block {
                is_wanted = self.entries.put(block.number, std::mem::take(&mut entries), progress);
            }
        });
        let passed = passed.map_err(|fault| error_of(&fault, scanned, &block.placed))?;
        if let Some((offset, needed)) = too_long {
            return Err(self.too_long_entry(block, offset, entry_max, needed));
        }
        if !entries.is_empty() {
            self.entries.put(block.number, entries, progress);
        }
        self.records.fetch_add(passed.shown, Ordering::Relaxed);
        self.data.ragged.fetch_add(passed.ragged, Ordering::Relaxed);
        self.data.tally.lock().unwrap_or_else(PoisonError::into_inner).add(&tally);
        Ok(())
    }

    /// Returns the most bytes of an entry of a block.
    fn entry_max(&self, block: &RecordBlock<'_>) -> usize {
        match block.turn {
            Some(_) => (self.data.memory.long_bytes() as usize)
                .saturating_sub(2 * block.length)
                .min(ENTRY_MAX),
            None => self.data.entry_max,
        }
    }

    /// Appends the entry of a record. If `entries` would have more than `most` bytes then, returns
    /// the bytes that the entry has.
    fn append_entry(
        &self,
        row: &KeyedRow<'_>,
        position: u64,
        length: u64,
        most: usize,
        entries: &mut Vec<u8>,
    ) -> std::result::Result<(), u64> {
        let start = entries.len();
        entries.extend_from_slice(&[0; 8]);
        row.append_key(entries);
        let key = entries.len() - start - 8;
        entries.extend_from_slice(&position.to_be_bytes());
        write_number(entries, length);
        let before = (entries.len() - start) as u64;
        if entries.len() > most || !self.data.parts.append(row.bytes, most, entries) {
            return Err(before.saturating_add(self.data.parts.bytes_of(row.bytes)));
        }
        let whole = entries.len() - start;
        let [Ok(follows), Ok(key)] = [whole - 4, key].map(u32::try_from) else {
            return Err(whole as u64);
        };
        entries[start..start + 4].copy_from_slice(&follows.to_le_bytes());
        entries[start + 4..start + 8].copy_from_slice(&key.to_le_bytes());
        Ok(())
    }

    /// Returns the error of a record whose entry has `needed` bytes, more than `most`.
    fn too_long_entry(
        &self,
        block: &RecordBlock<'_>,
        offset: u64,
        most: usize,
        needed: u64,
    ) -> Error {
        // With more memory, the block may have another record, or a half more.
        let length = block.length as u64;
        let length = (length + BLOCK_MAX).max(length * 3 / 2).min(LONGEST_MAX);
        let least = self.data.memory.least_for(length, needed);
        let least = least.filter(|_| needed <= ENTRY_MAX as u64);
        let message = format!(
            "the keys and the included parts of the record at offset {offset} have more than \
             {most} bytes; include less, or give {}",
            more_memory(least)
        );
        let path = self.data.files[block.file].path.clone();
        Error::BudgetExceeded { path, message: message.into(), least }
    }
}

/// Returns the memory that is advised.
fn more_memory(least: Option<ByteSize>) -> String {
    let mib = |least: ByteSize| format!("at least {} MiB of memory", least.bytes() >> 20);
    least.map_or_else(|| "more memory".into(), mib)
}

/// Returns the error of a record among these bytes.
fn error_of(fault: &RecordFault, scanned: &ScannedFile, placed: &PlacedBytes) -> Error {
    let offset = placed.offset_of(fault.at);
    let position = RecordPosition { record: None, offset: Some(offset) };
    fault.error(scanned.path.clone(), &format_args!("record at offset {offset}"), position)
}
