//! Reading the data: several threads make entries of blocks of whole records, in order.
//!
//! ```text
//!   data --> cut: whole records --> key of each record --> [ block 0 | block 1 | ... ] --> sort
//!            one thread at a time    all threads             in order, a bounded number
//! ```
//!
//! Rows with quotes, records with prefixes and groups of lines show only from their beginning on
//! where records end. So blocks are cut in order, by the thread that reads them. The rest of the
//! work is done at the same time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sortwell_engine::error::RecordPosition;
use sortwell_engine::format::{RecordFault, Tracker};
use sortwell_engine::io::Supply;
use sortwell_engine::job::{InputPlace, RowKeys};
use sortwell_engine::key::KeyTally;
use sortwell_engine::stats::{KeyFindings, Progress};
use sortwell_engine::{ByteSize, Error, Result};

use crate::bgzf::BlockReader;
use crate::entry::write_number;
use crate::include::Included;
use crate::scanned::{PlacedBytes, ScannedFile};
use crate::source::Positions;

/// Time between two looks whether the job was stopped.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// The data, and how its records become entries.
pub struct ScannedData {
    /// Counts about the keys of all records that became entries.
    pub tally: Mutex<KeyTally>,
    /// The files, in order.
    pub files: Vec<ScannedFile>,
    /// The offsets of records in all files together.
    pub positions: Positions,
    /// The keys of records.
    pub rows: RowKeys,
    /// The parts of records that entries hold.
    pub included: Included,
    /// Bytes that are read at once.
    pub block: usize,
    /// Most bytes of a record.
    pub longest: usize,
}

/// The threads' common state.
pub struct Scan<'a> {
    data: &'a ScannedData,
    cut: Mutex<ScanPlace>,
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
struct RecordBlock {
    number: u64,
    file: usize,
    placed: PlacedBytes,
    /// Bytes in the file: the last record may have got an end.
    length: usize,
}

impl ScannedData {
    /// Returns what is known of the keys of the records that became entries.
    pub fn findings(&self) -> KeyFindings {
        self.rows.findings(&self.tally.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the place of the first record.
    pub fn first(&self) -> InputPlace {
        InputPlace { source: 0, offset: self.files.first().map_or(0, |file| file.start) }
    }

    /// Returns whether there is no record after a place.
    pub fn is_end(&self, place: InputPlace) -> bool {
        place.source >= self.files.len()
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
        Self { data, cut: Mutex::new(cut), most, entries, records: AtomicU64::new(0) }
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
        loop {
            let block = match self.next_block() {
                Ok(Some(block)) => block,
                Ok(None) => return,
                Err((number, error)) => return self.entries.put(number, Err(error), progress),
            };
            let number = block.number;
            let entries = self.entries_of(&block);
            let has_failed = entries.is_err();
            self.entries.put(number, entries, progress);
            if has_failed || self.entries.is_abandoned() {
                return;
            }
        }
    }

    /// Returns the next block; an error takes the place of a block, and is the last.
    fn next_block(&self) -> std::result::Result<Option<RecordBlock>, (u64, Error)> {
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

    fn cut_block(&self, cut: &mut ScanPlace) -> Result<Option<RecordBlock>> {
        while let Some(scanned) = self.data.files.get(cut.file).filter(|_| cut.read < self.most) {
            let mut placed = std::mem::take(&mut cut.rest);
            let (whole, length) = loop {
                let filled = placed.bytes.len();
                // A long record doubles what is read, so that it is looked through a few times.
                let wanted = self.data.block.max(filled);
                scanned.read(&mut cut.reader, &mut cut.offset, wanted, &mut placed)?;
                cut.read += (placed.bytes.len() - filled) as u64;
                if cut.offset >= scanned.end {
                    let length = placed.bytes.len();
                    self.end_file(scanned, &mut placed)?;
                    break (placed.bytes.len(), length);
                }
                match self.data.rows.framing().whole_bytes(&placed.bytes) {
                    0 => self.check_unfinished(scanned, &placed)?,
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
                return Ok(Some(RecordBlock { number, file, placed, length }));
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
    fn check_unfinished(&self, scanned: &ScannedFile, placed: &PlacedBytes) -> Result<()> {
        if let Some(fault) = self.data.rows.framing().fault(&placed.bytes) {
            return Err(error_of(&RecordFault::new(0, fault), scanned, placed));
        }
        let longest = self.data.longest;
        if placed.bytes.len() <= longest {
            return Ok(());
        }
        let message = format!(
            "the record at offset {} has more than {longest} bytes; give more memory, or check \
             the format",
            placed.offset_of(0)
        );
        let least = Some(ByteSize(longest as u64 * 16));
        let path = scanned.path.clone();
        Err(Error::BudgetExceeded { path, message: message.into(), least })
    }

    /// Returns the entries of a block as keyed records.
    fn entries_of(&self, block: &RecordBlock) -> Result<Vec<u8>> {
        let scanned = &self.data.files[block.file];
        let mut entries = Vec::with_capacity(block.length / 2 + 4096);
        let mut tally = KeyTally::default();
        let passed = self.data.rows.each(&block.placed.bytes, |row| {
            let start = entries.len();
            entries.extend_from_slice(&[0; 8]);
            row.append_key(&mut entries);
            let key = entries.len() - start - 8;
            row.tally(entries.get(start + 8).copied().unwrap_or_default(), &mut tally);
            let offset = block.placed.offset_of(row.at);
            let position = self.data.positions.position(scanned.number, offset);
            entries.extend_from_slice(&position.to_be_bytes());
            let length = row.bytes.len().min(block.length - row.at);
            write_number(&mut entries, length as u64);
            self.data.included.append(row.bytes, &mut entries);
            let follows = entries.len() - start - 4;
            entries[start..start + 4].copy_from_slice(&(follows as u32).to_le_bytes());
            entries[start + 4..start + 8].copy_from_slice(&(key as u32).to_le_bytes());
        });
        let passed = passed.map_err(|fault| error_of(&fault, scanned, &block.placed))?;
        self.records.fetch_add(passed.shown, Ordering::Relaxed);
        self.data.tally.lock().unwrap_or_else(PoisonError::into_inner).add(&tally);
        Ok(entries)
    }
}

/// Returns the error of a record among these bytes.
fn error_of(fault: &RecordFault, scanned: &ScannedFile, placed: &PlacedBytes) -> Error {
    let offset = placed.offset_of(fault.at);
    let position = RecordPosition { record: None, offset: Some(offset) };
    fault.error(scanned.path.clone(), &format_args!("record at offset {offset}"), position)
}

/// Blocks that arrive in any order and are taken in order.
#[derive(Debug)]
pub struct OrderedBlocks {
    state: Mutex<OrderedState>,
    news: Condvar,
    /// Most blocks that wait.
    most: u64,
}

#[derive(Debug, Default)]
struct OrderedState {
    blocks: BTreeMap<u64, Result<Vec<u8>>>,
    /// The number of the next block to take.
    next: u64,
    /// The number after the last block, once it is known.
    end: Option<u64>,
    is_abandoned: bool,
}

impl OrderedBlocks {
    /// Returns a queue in which at most `most` blocks wait.
    pub fn new(most: usize) -> Arc<Self> {
        let most = most as u64;
        Arc::new(Self { state: Mutex::default(), news: Condvar::new(), most })
    }

    fn state(&self) -> MutexGuard<'_, OrderedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&'s self, state: MutexGuard<'s, OrderedState>) -> MutexGuard<'s, OrderedState> {
        self.news.wait_timeout(state, STOP_CHECK).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Puts a block, once there is room. After a stop, or after [`abandon`](Self::abandon), it is
    /// dropped.
    fn put(&self, number: u64, block: Result<Vec<u8>>, progress: &Progress) {
        let mut state = self.state();
        while number >= state.next + self.most {
            if state.is_abandoned || progress.is_stopping() {
                return;
            }
            state = self.wait(state);
        }
        state.blocks.insert(number, block);
        drop(state);
        self.news.notify_all();
    }

    /// Sets the number after the last block, if it is not known yet.
    fn end_at(&self, number: u64) {
        let mut state = self.state();
        let end = state.end.get_or_insert(number);
        *end = number.min(*end);
        drop(state);
        self.news.notify_all();
    }

    /// Marks that no more blocks are taken.
    pub fn abandon(&self) {
        self.state().is_abandoned = true;
        self.news.notify_all();
    }

    fn is_abandoned(&self) -> bool {
        self.state().is_abandoned
    }

    /// Returns the next block; `None` after the last one.
    fn take(&self, progress: &Progress) -> Result<Option<Vec<u8>>> {
        let mut state = self.state();
        loop {
            if progress.is_stopping() {
                return Err(Error::Interrupted);
            }
            let next = state.next;
            if state.end == Some(next) {
                return Ok(None);
            }
            if let Some(block) = state.blocks.remove(&next) {
                state.next += 1;
                drop(state);
                self.news.notify_all();
                return block.map(Some);
            }
            state = self.wait(state);
        }
    }
}

/// The entries as the input of a sort.
pub struct ScannedEntries {
    blocks: Arc<OrderedBlocks>,
    block: Vec<u8>,
    /// Bytes of the block that were read.
    read: usize,
}

impl ScannedEntries {
    /// Returns all entries, in order.
    pub const fn new(blocks: Arc<OrderedBlocks>) -> Self {
        Self { blocks, block: Vec::new(), read: 0 }
    }
}

impl Supply for ScannedEntries {
    fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let rest = &self.block[self.read..];
            if rest.is_empty() {
                match self.blocks.take(progress)? {
                    Some(block) => (self.block, self.read) = (block, 0),
                    None => break,
                }
                continue;
            }
            let bytes = rest.len().min(buffer.len() - filled);
            buffer[filled..filled + bytes].copy_from_slice(&rest[..bytes]);
            (self.read, filled) = (self.read + bytes, filled + bytes);
        }
        Ok(filled)
    }
}
