//! The run file, byte by byte.
//!
//! ```text
//!   0            header      magic, version, geometry, checksum; padded to DATA_START
//!   DATA_START   data        records back to back, padded with zeros to whole blocks
//!   ...          checksums   XXH3-64 of every block
//!   ...          index       first bytes of the key of every `stride`-th record, and of the last
//!   ...          padding     so that the file ends at a multiple of a page
//!   end - FOOTER footer      count and sum of records, places and sums of the tables, checksum
//! ```
//!
//! All numbers are little-endian. Offsets are computed from one another; none is typed twice.

use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Result};
use crate::proof::Sum;

/// First bytes of every run file.
const MAGIC: [u8; 8] = *b"SWRUN\r\n\x1a";

/// Version of the format.
const VERSION: u32 = 1;

/// Where data begins: a page, so that requests past the page cache are aligned.
pub const DATA_START: u64 = 4096;

/// Bytes covered by one checksum. Smaller blocks would make more checksums than keys, larger ones
/// would make slabs read more beyond their bounds (one block at either end, per run).
pub const BLOCK: usize = 64 << 10;

/// Most bytes of a key kept in the index. Longer keys that agree so far are read from the data.
pub const INDEX_KEY_MAX: usize = 256;

/// Alignment of the end of the file.
const PAGE: u64 = 4096;

const HEADER_FIELDS: usize = 8 + 4 + 4 + 4 + 4 + 8 + 8;
/// Bytes of the header that mean something: fields and their checksum.
pub const HEADER: usize = HEADER_FIELDS + 8;
const FOOTER_FIELDS: usize = 8 + 8 + 16 + 8 + 8 + 8 + 8;
/// Bytes of the footer.
pub const FOOTER: usize = FOOTER_FIELDS + 8;

const _: () = assert!(HEADER as u64 <= DATA_START && (BLOCK as u64).is_multiple_of(PAGE));

/// What a run's sizes follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Bytes per record.
    pub record_length: u32,
    /// Bytes of every index key.
    pub index_key_length: u32,
    /// Records from one index key to the next.
    pub stride: u64,
    /// Records in the run.
    pub records: u64,
}

impl Geometry {
    /// The geometry of a run of `records` records.
    pub fn new(record_length: usize, key_length: usize, records: u64) -> Self {
        Self {
            record_length: record_length as u32,
            index_key_length: key_length.min(INDEX_KEY_MAX) as u32,
            stride: BLOCK.div_ceil(record_length) as u64,
            records,
        }
    }

    /// Bytes of records.
    pub fn data_bytes(&self) -> u64 {
        self.records * u64::from(self.record_length)
    }

    /// Blocks of data, the last one padded.
    pub fn blocks(&self) -> u64 {
        self.data_bytes().div_ceil(BLOCK as u64)
    }

    /// Keys in the index: every `stride`-th record's, and the last record's.
    pub fn index_keys(&self) -> u64 {
        self.records.div_ceil(self.stride) + u64::from(self.records > 0)
    }

    /// The record whose key is index key `key`.
    pub fn indexed_record(&self, key: u64) -> u64 {
        (key * self.stride).min(self.records - 1)
    }

    /// Where the block checksums begin.
    pub fn checksums_start(&self) -> u64 {
        DATA_START + self.blocks() * BLOCK as u64
    }

    /// Where the index begins.
    pub fn index_start(&self) -> u64 {
        self.checksums_start() + self.blocks() * 8
    }

    /// Bytes of the index.
    pub fn index_bytes(&self) -> u64 {
        self.index_keys() * u64::from(self.index_key_length)
    }

    /// Bytes of the whole file.
    pub fn file_bytes(&self) -> u64 {
        (self.index_start() + self.index_bytes() + FOOTER as u64).next_multiple_of(PAGE)
    }

    /// The header.
    pub fn header(&self) -> [u8; HEADER] {
        let mut out = Fields::default();
        out.put(&MAGIC);
        out.put(&VERSION.to_le_bytes());
        out.put(&(BLOCK as u32).to_le_bytes());
        out.put(&self.record_length.to_le_bytes());
        out.put(&self.index_key_length.to_le_bytes());
        out.put(&self.stride.to_le_bytes());
        out.put(&self.records.to_le_bytes());
        out.sealed()
    }

    /// Reads a header back.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] for anything this version could not have written.
    pub fn read(path: &Path, bytes: &[u8; HEADER]) -> Result<Self> {
        let mut fields = Reading::open(path, bytes, "header")?;
        if fields.take() != MAGIC {
            return Err(damaged(path, "the file does not begin like a run"));
        }
        let version = fields.u32();
        if version != VERSION {
            return Err(damaged(path, &format!("run format {version} where {VERSION} is known")));
        }
        let block = fields.u32();
        let geometry = Self {
            record_length: fields.u32(),
            index_key_length: fields.u32(),
            stride: fields.u64(),
            records: fields.u64(),
        };
        let is_possible = block == BLOCK as u32
            && geometry.record_length > 0
            && (1..=INDEX_KEY_MAX as u32).contains(&geometry.index_key_length)
            && geometry.stride > 0
            && geometry.records.checked_mul(u64::from(geometry.record_length)).is_some();
        if is_possible {
            Ok(geometry)
        } else {
            Err(damaged(path, "impossible sizes in the header"))
        }
    }
}

/// What is known of a run once it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footer {
    /// Count and checksum of the records.
    pub sum: Sum,
    /// XXH3-64 of the table of block checksums.
    pub checksums_sum: u64,
    /// XXH3-64 of the index.
    pub index_sum: u64,
}

impl Footer {
    /// The footer's bytes.
    pub fn bytes(&self, geometry: &Geometry) -> [u8; FOOTER] {
        let mut out = Fields::default();
        out.put(&MAGIC);
        out.put(&self.sum.records.to_le_bytes());
        out.put(&self.sum.checksum.to_le_bytes());
        out.put(&geometry.checksums_start().to_le_bytes());
        out.put(&geometry.index_start().to_le_bytes());
        out.put(&self.checksums_sum.to_le_bytes());
        out.put(&self.index_sum.to_le_bytes());
        out.sealed()
    }

    /// Reads a footer back and holds it against the header.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where they do not belong together.
    pub fn read(path: &Path, bytes: &[u8; FOOTER], geometry: &Geometry) -> Result<Self> {
        let mut fields = Reading::open(path, bytes, "footer")?;
        let magic: [u8; 8] = fields.take();
        let sum = Sum { records: fields.u64(), checksum: u128::from_le_bytes(fields.take()) };
        let places = (fields.u64(), fields.u64());
        let footer = Self { sum, checksums_sum: fields.u64(), index_sum: fields.u64() };
        let expected = (geometry.checksums_start(), geometry.index_start());
        if magic == MAGIC && sum.records == geometry.records && places == expected {
            Ok(footer)
        } else {
            Err(damaged(path, "header and footer do not belong together"))
        }
    }
}

fn damaged(path: &Path, message: &str) -> Error {
    Error::Corrupt { path: path.to_owned(), block: 0, message: message.to_owned() }
}

/// Bytes of a header or footer being put together.
#[derive(Default)]
struct Fields(Vec<u8>);

impl Fields {
    fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// The fields and their checksum.
    fn sealed<const N: usize>(mut self) -> [u8; N] {
        let checksum = xxh3_64(&self.0);
        self.put(&checksum.to_le_bytes());
        let mut out = [0; N];
        out.copy_from_slice(&self.0);
        out
    }
}

/// Fields of a header or footer being read.
struct Reading<'a>(&'a [u8]);

impl<'a> Reading<'a> {
    /// Checks the checksum at the end of `bytes`.
    fn open(path: &Path, bytes: &'a [u8], what: &str) -> Result<Self> {
        let (fields, checksum) = bytes.split_at(bytes.len() - 8);
        if xxh3_64(fields).to_le_bytes() == checksum {
            Ok(Self(fields))
        } else {
            Err(damaged(path, &format!("the {what}'s checksum does not match")))
        }
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (field, rest) = self.0.split_at(N);
        self.0 = rest;
        let mut out = [0; N];
        out.copy_from_slice(field);
        out
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }
}
