//! A sieve: of records that are the same to the byte, only one is kept, while they are read.
//!
//! Where nine of ten records were there before, sorting them all takes nine times the work, and
//! keeping them nine times the memory. So kept records are copied to a *store*, and a *table* of
//! their hashes says where in it each lies; a record that is found there, byte for byte, is
//! dropped. (Duplicates removed before sorting, by hashing: Bitton and DeWitt, "Duplicate Record
//! Elimination in Large Data Files", ACM TODS 8(2), 1983; here the rest is still sorted, and what
//! the table has no room for is dropped by the sort.)
//!
//! ```text
//!     table   | line 0 | line 1 | ...     a cache line: eight entries, whose digest is of the hash
//!     store   | shelf of worker 0 | shelf of worker 1 | shelf of worker 0 | ...
//!                 length, record, length, record, ...
//! ```
//!
//! All workers share both. A worker writes to its own shelf, and publishes what it wrote by putting
//! its location into an empty slot; nobody looks at a record before that, nor changes it ever. A
//! record whose line of the table is full is kept and not entered, so that the table may be of any
//! size and lookups never grow.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::item::{LOCATION_BITS, digest, entry, location};
use super::prefetch::prefetch_all;
use crate::io::Region;
use crate::proof::hash;

/// Slots of a line.
const SLOTS: usize = 8;

/// Bytes of a line: what memory yields at once.
const LINE: usize = SLOTS * size_of::<AtomicU64>();

/// Bytes of a record's length, before it.
const LENGTH: usize = size_of::<u32>();

/// Bytes of a shelf.
pub const SHELF: usize = 256 << 10;

/// Records looked up together.
const GROUP: usize = 16;

/// Groups on their way: of one the slots are asked for, of the one before it the kept records, and
/// the one before that is compared.
const STAGES: usize = 3;

/// Bytes of a kept record that are asked for ahead.
const AHEAD: usize = 256;

/// Kept records, and where each is.
#[derive(Debug)]
pub struct Sieve {
    /// The memory; reached only through `slots` and `start` while this is a sieve.
    table: Region,
    store: Region,
    slots: *const AtomicU64,
    /// Lines of the table, a power of two.
    lines: usize,
    start: *mut u8,
    /// Bytes of the store that are in some shelf.
    taken: AtomicUsize,
}

// SAFETY: the sieve owns its regions. The table is read and written as atomics alone; bytes of the
// store are written by the one owner of a shelf, and read by others only once a slot says where.
unsafe impl Send for Sieve {}
// SAFETY: as above.
unsafe impl Sync for Sieve {}

/// A stretch of the store that one worker fills, on cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Shelf {
    at: usize,
    end: usize,
}

/// The store has no room for a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// Some records and their hashes.
#[derive(Clone, Copy, Debug, Default)]
struct Group<'r> {
    records: [(&'r [u8], u128); GROUP],
    count: usize,
}

impl<'r> Group<'r> {
    /// Takes the next records.
    fn fill(&mut self, from: &mut impl Iterator<Item = &'r [u8]>, mut show: impl FnMut(u128)) {
        self.count = 0;
        for (place, record) in self.records.iter_mut().zip(from) {
            let hash = hash(record);
            show(hash);
            *place = (record, hash);
            self.count += 1;
        }
    }

    fn records(&self) -> &[(&'r [u8], u128)] {
        &self.records[..self.count]
    }
}

impl Sieve {
    /// Returns an empty sieve over these regions. The largest power of two that fits `table` is
    /// used of it.
    pub fn new(mut table: Region, mut store: Region) -> Self {
        let lines = table.len() / LINE;
        assert!(lines > 0 && table.address().is_multiple_of(LINE), "a table has whole cache lines");
        let lines = 1 << lines.ilog2();
        table[..lines * LINE].fill(0);
        let (slots, start) = (table.as_mut_ptr() as *const AtomicU64, store.as_mut_ptr());
        Self { table, store, slots, lines, start, taken: AtomicUsize::new(0) }
    }

    /// Returns the number of bytes of the store that no shelf has yet.
    pub fn room(&self) -> usize {
        self.store.len().saturating_sub(self.taken.load(Ordering::Relaxed))
    }

    /// Returns the memory of table and store, for other uses. Records stay where they are in the
    /// latter.
    pub fn into_regions(self) -> (Region, Region) {
        (self.table, self.store)
    }

    /// Shows each record with its hash, and its location in the store where it is kept.
    ///
    /// # Errors
    ///
    /// That the store is full; the records from there on are not shown.
    pub fn sift<'r>(
        &self,
        shelf: &mut Shelf,
        mut records: impl Iterator<Item = &'r [u8]>,
        mut show: impl FnMut(&'r [u8], u128, Option<u64>),
    ) -> Result<(), Full> {
        let mut groups = [Group::default(); STAGES];
        for turn in 0.. {
            let hashed = &mut groups[turn % STAGES];
            hashed.fill(&mut records, |hash| {
                prefetch_all(self.line(hash).as_ptr().cast(), LINE);
            });
            for (record, hash) in groups[(turn + 2) % STAGES].records() {
                if let Some(location) = self.candidate(*hash) {
                    let length = (LENGTH + record.len()).min(AHEAD);
                    prefetch_all(self.start.wrapping_add(location as usize - LENGTH), length);
                }
            }
            let asked_for = &mut groups[(turn + 1) % STAGES];
            for (record, hash) in asked_for.records() {
                show(record, *hash, self.admit(shelf, record, *hash)?);
            }
            asked_for.count = 0;
            if groups.iter().all(|group| group.count == 0) {
                break;
            }
        }
        Ok(())
    }

    /// Returns the slots in which a record of this hash may be.
    fn line(&self, hash: u128) -> &[AtomicU64] {
        let line = hash as usize & (self.lines - 1);
        // SAFETY: the table has `lines` lines of zeroed, aligned memory that this sieve owns and
        // treats as atomics alone.
        unsafe { std::slice::from_raw_parts(self.slots.add(line * SLOTS), SLOTS) }
    }

    /// Returns where a record of this hash may lie, most likely.
    fn candidate(&self, hash: u128) -> Option<u64> {
        let entries = self.line(hash).iter().map(|slot| slot.load(Ordering::Relaxed));
        entries.filter(|entry| digest(*entry) == tag(hash)).map(location).find(|at| *at > 0)
    }

    /// Keeps a record that is not known, and returns where it lies.
    fn admit(&self, shelf: &mut Shelf, record: &[u8], hash: u128) -> Result<Option<u64>, Full> {
        let mut kept = None;
        for slot in self.line(hash) {
            let mut found = slot.load(Ordering::Acquire);
            if found == 0 {
                let at = match kept {
                    Some(at) => at,
                    None => *kept.insert(self.put(shelf, record)?),
                };
                let own = entry(tag(hash), at);
                match slot.compare_exchange(0, own, Ordering::Release, Ordering::Acquire) {
                    Ok(_) => return Ok(kept),
                    Err(other) => found = other,
                }
            }
            if digest(found) == tag(hash) && self.kept(location(found)) == record {
                if let Some(at) = kept {
                    shelf.at = at as usize - LENGTH; // nobody knows of it
                }
                return Ok(None);
            }
        }
        kept.map_or_else(|| self.put(shelf, record), Ok).map(Some)
    }

    /// Copies a record to a shelf, and returns where it lies.
    fn put(&self, shelf: &mut Shelf, record: &[u8]) -> Result<u64, Full> {
        let bytes = LENGTH + record.len();
        if shelf.end - shelf.at < bytes {
            let length = bytes.max(SHELF);
            let at = self.taken.fetch_add(length, Ordering::Relaxed);
            let end = at.checked_add(length).filter(|end| *end <= self.store.len()).ok_or(Full)?;
            *shelf = Shelf { at, end };
        }
        let length = u32::try_from(record.len()).map_err(|_| Full)?;
        // SAFETY: `at..at + bytes` lies in the shelf, which lies in the store and belongs to this
        // caller alone; nothing there has been published.
        unsafe {
            let to = self.start.add(shelf.at);
            std::ptr::copy_nonoverlapping(length.to_ne_bytes().as_ptr(), to, LENGTH);
            std::ptr::copy_nonoverlapping(record.as_ptr(), to.add(LENGTH), record.len());
        }
        shelf.at += bytes;
        Ok((shelf.at - record.len()) as u64)
    }

    /// Returns the record at a location that a slot named.
    fn kept(&self, location: u64) -> &[u8] {
        // SAFETY: `put` wrote a length and as many bytes before the slot was set, which was read
        // with acquire ordering since; they are never written again while this is a sieve.
        unsafe {
            let at = self.start.add(location as usize);
            let length = u32::from_ne_bytes(at.sub(LENGTH).cast::<[u8; LENGTH]>().read());
            std::slice::from_raw_parts(at, length as usize)
        }
    }
}

/// Returns the digest of a hash: other bits than those that name its line.
fn tag(hash: u128) -> u64 {
    (hash >> (u128::BITS - u64::BITS + LOCATION_BITS)) as u64
}

#[cfg(test)]
mod tests;
