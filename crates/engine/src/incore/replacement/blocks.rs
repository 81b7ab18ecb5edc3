//! Memory for records that differ in length: blocks with boundary tags, and lists of free ones by
//! size (Larson and Graefe, "Memory Management During Run Generation in External Sorting", SIGMOD
//! 1998; boundary tags are Knuth's, TAOCP vol. 1, section 2.5).
//!
//! ```text
//!   in use  | units, flags | bytes of the record | the record ...            |
//!   free    | units, flags | next free | previous free | ...         | units |
//!             4 bytes        4           4                             4
//! ```
//!
//! Sizes and places are counted in units of 8 bytes. A block that is given back is joined with free
//! neighbours at once. Lists are of one size each below 16 units, then of eight to each doubling. A
//! record takes the first of a list whose blocks are all long enough, or one of a few in the list
//! before. The last unit is a block in use that nobody has, so that every block has one behind
//! it.
//!
//! Of the memory, records of 1 to 200 bytes that come and go at random fill 87% in the long run,
//! and 97% with their tags and what they are rounded up by; those of 1 to 10,000 bytes fill 93%.

use crate::io::Region;

/// Bytes of a unit.
const UNIT: usize = 8;

/// Bytes before a record.
const TAG: usize = 8;

/// Additional bytes of a record, on average: its tag, and half a unit.
pub const BLOCK_OVERHEAD: usize = TAG + UNIT / 2;

/// Bytes shown of a block that is not fetched yet: two cache lines.
const BEGINNING: usize = 128;

/// Bytes of the smallest block.
pub const LEAST_BLOCK: usize = 2 * UNIT;

/// Flags of a block: it is free; the one before it is.
const FREE: u32 = 1;
const FREE_BEFORE: u32 = 2;
const FLAG_BITS: u32 = 2;

/// Most units that a block may have.
const UNITS_MAX: usize = (u32::MAX >> FLAG_BITS) as usize;

/// Most bytes of a store that are used. A record of a quarter of them has a length of 32 bits.
pub const STORE_MAX: usize = UNITS_MAX * UNIT;

/// Sizes that have lists of their own.
const EXACT: u32 = 16;

/// Lists to each doubling beyond that: two to this power.
const STEP_BITS: u32 = 3;

const LISTS: usize = 256;

/// No block.
const NONE: u32 = u32::MAX;

/// Blocks looked at of a list where not all are long enough.
const LOOKS: usize = 8;

/// Blocks.
#[derive(Debug)]
pub struct Blocks {
    memory: Region,
    /// The first block of each list.
    heads: Box<[u32; LISTS]>,
    /// Bits of the lists that have any blocks.
    filled: [u64; LISTS / 64],
}

impl Blocks {
    /// Returns a store whose memory is one free block, as far as units can be counted.
    pub fn new(memory: Region) -> Self {
        let units = (memory.len() / UNIT).min(UNITS_MAX) as u32;
        let mut blocks = Self { memory, heads: Box::new([NONE; LISTS]), filled: [0; LISTS / 64] };
        assert!(units > 2, "room for a block and the end");
        blocks.set(units - 1, 0, 1 << FLAG_BITS);
        blocks.insert(0, units - 1);
        blocks
    }

    /// Copies a record into a free block, if there is one that is long enough.
    pub fn put(&mut self, record: &[u8]) -> Option<u32> {
        let units = ((TAG + record.len()).div_ceil(UNIT)).max(LEAST_BLOCK / UNIT);
        let place = self.find(u32::try_from(units).ok()?)?;
        let (units, has) = (units as u32, self.units(place));
        self.remove(place);
        let rest = has - units;
        if rest >= (LEAST_BLOCK / UNIT) as u32 {
            self.set(place, 0, units << FLAG_BITS);
            self.insert(place + units, rest);
        } else {
            self.set(place, 0, has << FLAG_BITS);
            let behind = place + has;
            self.set(behind, 0, self.get_word(behind, 0) & !FREE_BEFORE);
        }
        self.set(place, 1, record.len() as u32);
        let start = place as usize * UNIT + TAG;
        self.memory[start..start + record.len()].copy_from_slice(record);
        Some(place)
    }

    /// Returns the record in a block.
    #[inline]
    pub fn get(&self, place: u32) -> &[u8] {
        let start = place as usize * UNIT + TAG;
        &self.memory[start..start + self.get_word(place, 1) as usize]
    }

    /// Returns the first bytes of a block, without looking at them.
    #[inline]
    pub fn beginning(&self, place: u32) -> &[u8] {
        let start = place as usize * UNIT;
        &self.memory[start..self.memory.len().min(start + BEGINNING)]
    }

    /// Gives a block back.
    pub fn release(&mut self, place: u32) {
        let (mut start, mut units) = (place, self.units(place));
        let behind = place + units;
        if self.get_word(behind, 0) & FREE != 0 {
            units += self.units(behind);
            self.remove(behind);
        }
        if self.get_word(place, 0) & FREE_BEFORE != 0 {
            let before = self.word_before(place);
            start -= before;
            units += before;
            self.remove(start);
        }
        self.insert(start, units);
    }

    /// Returns the memory.
    pub fn into_region(self) -> Region {
        self.memory
    }

    /// Returns a free block of at least `units` units.
    fn find(&self, units: u32) -> Option<u32> {
        let own = list_of(units);
        // Blocks of the list that this would be the least of are all long enough.
        let least = if units < EXACT { own } else { list_of(units + step(units) - 1) };
        if let Some(list) = self.list_from(least) {
            return Some(self.heads[list]);
        }
        let mut block = self.heads[own];
        for _ in 0..LOOKS {
            if block == NONE || self.units(block) >= units {
                break;
            }
            block = self.get_word(block, 1);
        }
        (block != NONE && self.units(block) >= units).then_some(block)
    }

    /// Returns the first list from `list` on that has a block.
    fn list_from(&self, list: usize) -> Option<usize> {
        let (word, bit) = (list / 64, list % 64);
        let first = self.filled[word] & (u64::MAX << bit);
        let later = (word + 1..self.filled.len()).map(|word| (word, self.filled[word]));
        let mut words = std::iter::once((word, first)).chain(later);
        words
            .find(|(_, bits)| *bits > 0)
            .map(|(word, bits)| 64 * word + bits.trailing_zeros() as usize)
    }

    /// Makes a free block, which no free one lies beside, and puts it on its list.
    fn insert(&mut self, place: u32, units: u32) {
        let list = list_of(units);
        let next = std::mem::replace(&mut self.heads[list], place);
        self.filled[list / 64] |= 1 << (list % 64);
        self.set(place, 0, units << FLAG_BITS | FREE);
        self.set(place, 1, next);
        self.set(place, 2, NONE);
        if next != NONE {
            self.set(next, 2, place);
        }
        let behind = place + units;
        self.set_before(behind, units);
        self.set(behind, 0, self.get_word(behind, 0) | FREE_BEFORE);
    }

    /// Takes a free block off its list; the block after it is still marked as following a free one.
    fn remove(&mut self, place: u32) {
        let list = list_of(self.units(place));
        let (next, previous) = (self.get_word(place, 1), self.get_word(place, 2));
        if next != NONE {
            self.set(next, 2, previous);
        }
        if previous != NONE {
            self.set(previous, 1, next);
            return;
        }
        self.heads[list] = next;
        if next == NONE {
            self.filled[list / 64] &= !(1 << (list % 64));
        }
    }

    /// Units of a block.
    fn units(&self, place: u32) -> u32 {
        self.get_word(place, 0) >> FLAG_BITS
    }

    /// Returns word `index` of the block at `place`.
    #[inline]
    fn get_word(&self, place: u32, index: usize) -> u32 {
        u32::from_ne_bytes(self.memory.as_chunks().0[2 * place as usize + index])
    }

    fn set(&mut self, place: u32, index: usize, value: u32) {
        self.memory.as_chunks_mut().0[2 * place as usize + index] = value.to_ne_bytes();
    }

    /// Returns the last word of the free block before `place`: its units.
    fn word_before(&self, place: u32) -> u32 {
        u32::from_ne_bytes(self.memory.as_chunks().0[2 * place as usize - 1])
    }

    fn set_before(&mut self, place: u32, value: u32) {
        self.memory.as_chunks_mut().0[2 * place as usize - 1] = value.to_ne_bytes();
    }
}

/// Returns the sizes to a list, of those that `units` is among.
fn step(units: u32) -> u32 {
    1 << (units.ilog2() - STEP_BITS)
}

/// Returns the list of free blocks of `units` units.
fn list_of(units: u32) -> usize {
    if units < EXACT {
        return units as usize;
    }
    let doubling = units.ilog2() - EXACT.ilog2();
    let within = units / step(units) - (1 << STEP_BITS);
    (EXACT + (doubling << STEP_BITS) + within) as usize
}

#[cfg(test)]
mod tests;
