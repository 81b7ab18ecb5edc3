//! One page of a run's table.
//!
//! ```text
//!   0        entry of the page's first block
//!   ...      one entry after the other:  checksum u64 | place u32 | key length u16 | key
//!            of a compressed run also:   offset in the file u64 | stored bytes u32
//!   ...      zeros
//!   PAGE-8   XXH3-64 of all before it, seeded with the page's number in the table
//! ```
//!
//! An entry says of its block what it must look like, and where in it the first record begins that
//! begins there (long records leave blocks where none does), with the beginning of that record's
//! key. The blocks of a page follow from its number. Each page is sealed by itself: it can
//! be written as soon as it is complete and believed as soon as it is read, for any size of
//! the table; the seed makes a page in another one's place as wrong as a damaged one.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::key::IndexKey;

/// Bytes of a page: requests past the page cache are of whole ones.
pub const PAGE: usize = 4096;

const SEAL: usize = 8;
const PLACE: usize = 8;
const KEY_LENGTH: usize = PLACE + 4;
const KEY: usize = KEY_LENGTH + 2;

/// The place of blocks in which no record begins.
const NO_RECORD: u32 = u32::MAX;

/// Bytes of the place of a stored block: its offset and its length.
const OFFSET: usize = 8;
const STORED_PLACE: usize = OFFSET + 4;

/// Form of the entries of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryShape {
    /// Bytes after which keys are cut.
    pub index_key_length: usize,
    /// True if each entry says where its block is stored.
    pub has_place: bool,
}

impl EntryShape {
    /// Returns the number of blocks that one page has entries for.
    pub fn per_page(self) -> usize {
        (PAGE - SEAL) / self.bytes()
    }

    fn bytes(self) -> usize {
        self.key_end() + if self.has_place { STORED_PLACE } else { 0 }
    }

    fn key_end(self) -> usize {
        KEY + self.index_key_length
    }
}

/// A page being put together.
#[derive(Clone, Debug)]
pub struct TablePage {
    bytes: Box<[u8; PAGE]>,
    shape: EntryShape,
}

impl TablePage {
    /// Returns a page that says nothing yet.
    pub fn new(shape: EntryShape) -> Self {
        let mut page = Self { bytes: Box::new([0; PAGE]), shape };
        for slot in 0..shape.per_page() {
            page.entry(slot)[PLACE..KEY_LENGTH].copy_from_slice(&NO_RECORD.to_le_bytes());
        }
        page
    }

    fn entry(&mut self, slot: usize) -> &mut [u8] {
        let bytes = self.shape.bytes();
        &mut self.bytes[slot * bytes..][..bytes]
    }

    /// Notes the checksum of the block of entry `slot`.
    pub fn set_checksum(&mut self, slot: usize, checksum: u64) {
        self.entry(slot)[..PLACE].copy_from_slice(&checksum.to_le_bytes());
    }

    /// Notes where the block of entry `slot` is stored, and in how many bytes, if entries say that.
    pub fn set_place(&mut self, slot: usize, offset: u64, length: u32) {
        if self.shape.has_place {
            let at = self.shape.key_end();
            let place = &mut self.entry(slot)[at..];
            place[..OFFSET].copy_from_slice(&offset.to_le_bytes());
            place[OFFSET..].copy_from_slice(&length.to_le_bytes());
        }
    }

    /// Notes that a record begins at `place` of the block of entry `slot`, with the key that `key`
    /// makes; unless one is known that begins earlier.
    pub fn add_record(&mut self, slot: usize, place: u32, key: impl FnOnce() -> IndexKey) {
        let key_end = self.shape.key_end();
        let entry = &mut self.entry(slot)[..key_end];
        if place < number(&entry[PLACE..]) {
            entry[PLACE..KEY_LENGTH].copy_from_slice(&place.to_le_bytes());
            entry[KEY..].fill(0);
            let length = key().write(&mut entry[KEY..]);
            entry[KEY_LENGTH..KEY].copy_from_slice(&length.to_le_bytes());
        }
    }

    /// Returns the page's bytes, sealed as page `page_number` of the table.
    pub fn sealed(mut self, page_number: u64) -> Box<[u8; PAGE]> {
        let seal = xxh3_64_with_seed(&self.bytes[..PAGE - SEAL], page_number);
        self.bytes[PAGE - SEAL..].copy_from_slice(&seal.to_le_bytes());
        self.bytes
    }
}

/// Returns whether the bytes are what was sealed as page `page_number`.
pub fn is_sealed(page: &[u8], page_number: u64) -> bool {
    let (bytes, seal) = page.split_at(PAGE - SEAL);
    xxh3_64_with_seed(bytes, page_number).to_le_bytes() == seal
}

/// An entry of a page that was read.
#[derive(Clone, Copy, Debug)]
pub struct PageEntry<'a>(&'a [u8], EntryShape);

impl<'a> PageEntry<'a> {
    /// Returns entry `slot` of `page`.
    pub fn of(page: &'a [u8], slot: usize, shape: EntryShape) -> Self {
        let bytes = shape.bytes();
        Self(&page[slot * bytes..][..bytes], shape)
    }

    /// Returns the block's checksum.
    pub fn checksum(self) -> u64 {
        let mut checksum = [0; PLACE];
        checksum.copy_from_slice(&self.0[..PLACE]);
        u64::from_le_bytes(checksum)
    }

    /// Returns the offset in the file and the bytes of the stored block, if the entry says that.
    pub fn stored(self) -> Option<(u64, u32)> {
        let place = self.0[self.1.key_end()..].first_chunk::<STORED_PLACE>()?;
        let mut offset = [0; OFFSET];
        offset.copy_from_slice(&place[..OFFSET]);
        Some((u64::from_le_bytes(offset), number(&place[OFFSET..])))
    }

    /// Returns the offset in the block of the first record that begins there.
    pub fn place(self) -> Option<u32> {
        Some(number(&self.0[PLACE..])).filter(|place| *place != NO_RECORD)
    }

    /// Reads that record's key into `key`.
    pub fn read_key(self, key: &mut IndexKey) {
        let length = u16::from_le_bytes([self.0[KEY_LENGTH], self.0[KEY_LENGTH + 1]]);
        key.read_into(&self.0[KEY..self.1.key_end()], usize::from(length));
    }
}

fn number(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}
