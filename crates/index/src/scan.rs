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
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sortwell_engine::error::RecordPosition;
use sortwell_engine::format::{RecordFault, Tracker};
use sortwell_engine::io::Supply;
use sortwell_engine::job::RowKeys;
use sortwell_engine::stats::Progress;
use sortwell_engine::{ByteSize, Error, Result};

use crate::entry::write_number;
use crate::include::Included;
use crate::source::Positions;

/// Time between two looks whether the job was stopped.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// A data file that is scanned.
#[derive(Debug)]
pub struct ScannedFile {
    /// Number among all data files, from 0.
    pub number: usize,
    /// The open file.
    pub file: File,
    /// Its name in messages.
    pub path: PathBuf,
    /// Offsets of the first record and of the end.
    pub start: u64,
    pub end: u64,
}

/// The threads' common state.
pub struct Scan {
    files: Vec<ScannedFile>,
    positions: Positions,
    rows: RowKeys,
    included: Included,
    /// Bytes that are read at once, and the most bytes of a record.
    block: usize,
    longest: usize,
    cut: Mutex<ScanPlace>,
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
    rest: Vec<u8>,
    /// The number of the next block.
    number: u64,
}

/// Whole records, with the place of the first.
struct RecordBlock {
    number: u64,
    file: usize,
    offset: u64,
    bytes: Vec<u8>,
}

impl Scan {
    /// Returns a scan of files, which hands entries to `entries`.
    pub fn new(
        files: Vec<ScannedFile>,
        positions: Positions,
        (rows, included): (RowKeys, Included),
        (block, longest): (usize, usize),
        entries: Arc<OrderedBlocks>,
    ) -> Self {
        let offset = files.first().map_or(0, |file| file.start);
        let cut = Mutex::new(ScanPlace { offset, ..ScanPlace::default() });
        let records = AtomicU64::new(0);
        Self { files, positions, rows, included, block, longest, cut, entries, records }
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
            cut.file = self.files.len();
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
        while let Some(scanned) = self.files.get(cut.file) {
            let mut bytes = std::mem::take(&mut cut.rest);
            let offset = cut.offset - bytes.len() as u64;
            let whole = loop {
                let filled = bytes.len();
                // A long record doubles what is read, so that it is looked through a few times.
                let wanted = (self.block.max(filled) as u64).min(scanned.end - cut.offset) as usize;
                bytes.resize(filled + wanted, 0);
                let read = scanned.file.read_exact_at(&mut bytes[filled..], cut.offset);
                read.map_err(|e| Error::io_at("read", &scanned.path, cut.offset, e))?;
                cut.offset += wanted as u64;
                if cut.offset == scanned.end {
                    break self.end_of(scanned, offset, &mut bytes)?;
                }
                match self.rows.framing().whole_bytes(&bytes) {
                    0 => self.check_unfinished(scanned, offset, &bytes)?,
                    whole => break whole,
                }
            };
            let (file, number) = (cut.file, cut.number);
            if cut.offset == scanned.end {
                cut.file += 1;
                cut.offset = self.files.get(cut.file).map_or(0, |next| next.start);
            } else {
                cut.rest = bytes[whole..].to_vec();
            }
            bytes.truncate(whole);
            if !bytes.is_empty() {
                return Ok(Some(RecordBlock { number, file, offset, bytes }));
            }
        }
        Ok(None)
    }

    /// Returns the bytes of the whole records at the end of a file, the last of which may lack what
    /// ends it.
    fn end_of(&self, scanned: &ScannedFile, offset: u64, bytes: &mut Vec<u8>) -> Result<usize> {
        let framing = self.rows.framing();
        let whole = framing.whole_bytes(bytes);
        let mut tracker = Tracker::new(framing);
        let passed = tracker.pass(&bytes[whole..]).map_err(|fault| fault.message);
        let lacks_end = passed.and_then(|_| tracker.pass_end());
        match lacks_end {
            Ok(true) => bytes.extend(framing.terminator()),
            Ok(false) => {}
            Err(message) => {
                return Err(error_of(&RecordFault::new(whole, message), scanned, offset));
            }
        }
        Ok(bytes.len())
    }

    /// Checks a record that has not ended after all these bytes.
    fn check_unfinished(&self, scanned: &ScannedFile, offset: u64, bytes: &[u8]) -> Result<()> {
        if let Some(fault) = self.rows.framing().fault(bytes) {
            return Err(error_of(&RecordFault::new(0, fault), scanned, offset));
        }
        if bytes.len() <= self.longest {
            return Ok(());
        }
        let message = format!(
            "the record at offset {offset} has more than {} bytes; give more memory, or check the \
             format",
            self.longest
        );
        let least = Some(ByteSize(self.longest as u64 * 16));
        let path = scanned.path.clone();
        Err(Error::BudgetExceeded { path, message: message.into(), least })
    }

    /// Returns the entries of a block as keyed records.
    fn entries_of(&self, block: &RecordBlock) -> Result<Vec<u8>> {
        let scanned = &self.files[block.file];
        let mut entries = Vec::with_capacity(block.bytes.len() / 2 + 4096);
        let passed = self.rows.each(&block.bytes, |row| {
            let start = entries.len();
            entries.extend_from_slice(&[0; 8]);
            row.append_key(&mut entries);
            let key = entries.len() - start - 8;
            let offset = block.offset + row.at as u64;
            let position = self.positions.position(scanned.number, offset);
            entries.extend_from_slice(&position.to_be_bytes());
            let length = (row.bytes.len() as u64).min(scanned.end - offset);
            write_number(&mut entries, length);
            self.included.append(row.bytes, &mut entries);
            let follows = entries.len() - start - 4;
            entries[start..start + 4].copy_from_slice(&(follows as u32).to_le_bytes());
            entries[start + 4..start + 8].copy_from_slice(&(key as u32).to_le_bytes());
        });
        let passed = passed.map_err(|fault| error_of(&fault, scanned, block.offset))?;
        self.records.fetch_add(passed.shown, Ordering::Relaxed);
        Ok(entries)
    }
}

/// Returns the error of a record whose block begins at an offset.
fn error_of(fault: &RecordFault, scanned: &ScannedFile, offset: u64) -> Error {
    let offset = offset + fault.at as u64;
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
