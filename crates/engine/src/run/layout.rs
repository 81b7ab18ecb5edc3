//! The run file, byte by byte.
//!
//! ```text
//!   0            header   magic, version, what all sizes follow from, checksum; one page
//!   DATA_START   data     records back to back, padded with zeros to whole blocks
//!   ...          table    pages of entries, one entry for each block (`page`)
//!   end - PAGE   footer   sum of the records, the last record's place and key, checksum; one page
//! ```
//!
//! In a compressed run the data is stored blocks in any order, and the header says where table and
//! footer are: the table may be before the data.
//!
//! All numbers are little-endian. Offsets are computed from one another; none is typed twice.

use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::key::{INDEX_KEY_MAX, IndexKey};
use super::page::{EntryShape, PAGE};
use crate::codec::Codec;
use crate::error::{Error, Result};
use crate::format::csv::Quoting;
use crate::format::{Framing, GROUP_LINES_MAX, LineGroup, Prefix};
use crate::proof::Sum;

/// First bytes of every run file.
const MAGIC: [u8; 8] = *b"SWRUN\r\n\x1a";

/// Version of the format.
const VERSION: u32 = 3;

/// Offset of the data: a page, so that requests past the page cache are aligned.
pub const DATA_START: u64 = PAGE as u64;

/// Bytes covered by one checksum. Smaller blocks would make more checksums than keys, larger ones
/// would make slabs read more beyond their bounds (one block at either end, per run).
pub const BLOCK: usize = 64 << 10;

const HEADER_FIELDS: usize = 8 + 4 + 4 + 4 + 4 + 4 + 8 + 8 + 8 + 4 + 8 + 8;
/// Bytes of the header that mean something: fields and their checksum.
pub const HEADER: usize = HEADER_FIELDS + 8;
const FOOTER_FIELDS: usize = 8 + 8 + 16 + 8 + 8 + 4 + INDEX_KEY_MAX;
/// Bytes of the footer that mean something.
pub const FOOTER: usize = FOOTER_FIELDS + 8;

const _: () = assert!(HEADER <= PAGE && FOOTER <= PAGE && BLOCK.is_multiple_of(PAGE));

/// Header's code of [`Framing`]: its kind, and its length or byte.
const FIXED: u32 = 0;
const TERMINATED: u32 = 1;
const QUOTED: u32 = 2;
const PREFIXED: u32 = 3;
const LENIENT: u32 = 4;
const GROUPED: u32 = 5;

const _: () = assert!(GROUP_LINES_MAX < 1 << 24);

/// Limit of the bytes of a run, and of offsets in its file.
const LIMIT: u64 = i64::MAX as u64 / 2;

/// Header's code of the codec of blocks.
const PLAIN: u32 = 0;
const LZ4: u32 = 1;
const ZSTD: u32 = 2;

/// Places of the parts of a compressed run, which do not follow from its sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedParts {
    /// Codec of the blocks: lz4 or zstd.
    pub codec: Codec,
    /// Offset of the table.
    pub table_start: u64,
    /// Offset of the footer, after table and blocks.
    pub footer_start: u64,
}

impl PackedParts {
    /// Returns the parts of a run with this codec whose table comes first.
    pub fn table_first(codec: Codec) -> Self {
        Self { codec, table_start: DATA_START, footer_start: 0 }
    }

    fn code(&self) -> u32 {
        if self.codec == Codec::Lz4 { LZ4 } else { ZSTD }
    }
}

/// Values that a run's sizes follow from, all known before the run is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunGeometry {
    /// Framing of records.
    pub framing: Framing,
    /// Most bytes of every index key.
    pub index_key_length: u32,
    /// Bytes of records.
    pub data_bytes: u64,
    /// Records in the run.
    pub records: u64,
    /// Bytes of the longest record, or more: no record is longer.
    pub longest_bytes: u64,
    /// Places of its parts, if its blocks are compressed.
    pub packed: Option<PackedParts>,
}

impl RunGeometry {
    /// Returns the geometry of a run of `records` records of `data_bytes` bytes together, none of
    /// which has more than `longest_bytes`.
    pub fn new(
        framing: Framing,
        key_length: usize,
        data_bytes: u64,
        records: u64,
        longest_bytes: u64,
    ) -> Self {
        let index_key_length = key_length.min(INDEX_KEY_MAX) as u32;
        Self { framing, index_key_length, data_bytes, records, longest_bytes, packed: None }
    }

    /// Returns the form of the entries of the table.
    pub fn entry(&self) -> EntryShape {
        let index_key_length = self.index_key_length as usize;
        EntryShape { index_key_length, has_place: self.packed.is_some() }
    }

    /// Returns the number of blocks of data, the last one padded.
    pub fn blocks(&self) -> u64 {
        self.data_bytes.div_ceil(BLOCK as u64)
    }

    /// Returns the number of blocks whose entries are in one page of the table.
    pub fn blocks_per_page(&self) -> u64 {
        self.entry().per_page() as u64
    }

    /// Returns the number of pages of the table.
    pub fn pages(&self) -> u64 {
        self.blocks().div_ceil(self.blocks_per_page())
    }

    /// Returns the offset at which the table begins.
    pub fn table_start(&self) -> u64 {
        self.packed.map_or(DATA_START + self.blocks() * BLOCK as u64, |parts| parts.table_start)
    }

    /// Returns the offset at which the table ends.
    pub fn table_end(&self) -> u64 {
        self.table_start() + self.pages() * PAGE as u64
    }

    /// Returns the offset at which the footer begins.
    pub fn footer_start(&self) -> u64 {
        self.packed.map_or(self.table_end(), |parts| parts.footer_start)
    }

    /// Returns the bytes of the whole file.
    pub fn file_bytes(&self) -> u64 {
        self.footer_start() + PAGE as u64
    }

    /// Returns the header.
    pub fn header(&self) -> [u8; HEADER] {
        let (kind, detail) = match self.framing {
            Framing::Fixed(length) => (FIXED, length as u32),
            Framing::Terminated(end) => (TERMINATED, u32::from(end)),
            Framing::Quoted(Quoting::Strict { quote }) => (QUOTED, u32::from(quote)),
            Framing::Quoted(Quoting::Lenient { quote, separator }) => {
                (LENIENT, u32::from(u16::from_le_bytes([quote, separator])))
            }
            Framing::Prefixed(prefix) => (PREFIXED, prefix.code()),
            Framing::Grouped(LineGroup { end, lines }) => (GROUPED, lines << 8 | u32::from(end)),
        };
        let mut out = SealedFields::default();
        out.put(&MAGIC);
        out.put(&VERSION.to_le_bytes());
        out.put(&(BLOCK as u32).to_le_bytes());
        out.put(&kind.to_le_bytes());
        out.put(&detail.to_le_bytes());
        out.put(&self.index_key_length.to_le_bytes());
        out.put(&self.data_bytes.to_le_bytes());
        out.put(&self.records.to_le_bytes());
        out.put(&self.longest_bytes.to_le_bytes());
        out.put(&self.packed.map_or(PLAIN, |parts| parts.code()).to_le_bytes());
        out.put(&self.table_start().to_le_bytes());
        out.put(&self.footer_start().to_le_bytes());
        out.sealed()
    }

    /// Reads a header back.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] for anything this version could not have written.
    pub fn read(path: &Path, bytes: &[u8; HEADER]) -> Result<Self> {
        let mut fields = FieldReader::open(path, bytes, "header")?;
        if fields.take() != MAGIC {
            return Err(Error::corrupt(path, 0, "the file has no header of a run"));
        }
        let version = fields.u32();
        if version != VERSION {
            return Err(Error::corrupt(
                path,
                0,
                format!("run format {version} is not supported, only {VERSION}"),
            ));
        }
        let block = fields.u32();
        let framing = match (fields.u32(), fields.u32()) {
            (FIXED, length) if length > 0 => Some(Framing::Fixed(length as usize)),
            (TERMINATED, end) => u8::try_from(end).ok().map(Framing::Terminated),
            (QUOTED, quote) => {
                u8::try_from(quote).ok().map(|quote| Framing::Quoted(Quoting::Strict { quote }))
            }
            (LENIENT, bytes) => u16::try_from(bytes).ok().map(|bytes| {
                let [quote, separator] = bytes.to_le_bytes();
                Framing::Quoted(Quoting::Lenient { quote, separator })
            }),
            (PREFIXED, code) => Prefix::of_code(code).map(Framing::Prefixed),
            (GROUPED, code) => {
                let group = LineGroup { end: code as u8, lines: code >> 8 };
                let is_group = (1..=GROUP_LINES_MAX).contains(&group.lines);
                is_group.then_some(Framing::Grouped(group))
            }
            _ => None,
        };
        let rest = (fields.u32(), fields.u64(), fields.u64(), fields.u64());
        let (index_key_length, data_bytes, records, longest_bytes) = rest;
        let places = fields.places();
        let geometry = framing.zip(places).map(|(framing, (packed, ..))| Self {
            framing,
            index_key_length,
            data_bytes,
            records,
            longest_bytes,
            packed,
        });
        let is_placed = |geometry: &Self| {
            let (start, end) = (geometry.table_start(), geometry.footer_start());
            places.is_some_and(|(_, table, footer)| (start, end) == (table, footer))
        };
        let is_whole = |geometry: &Self| geometry.is_possible() && is_placed(geometry);
        geometry
            .filter(|geometry| block == BLOCK as u32 && is_whole(geometry))
            .ok_or_else(|| Error::corrupt(path, 0, "impossible sizes in the header"))
    }

    fn is_possible(&self) -> bool {
        let is_framed = match self.framing {
            Framing::Fixed(length) => {
                self.records.checked_mul(length as u64) == Some(self.data_bytes)
            }
            _ => self.records <= self.data_bytes,
        };
        is_framed
            && self.data_bytes < LIMIT
            && (1..=INDEX_KEY_MAX as u32).contains(&self.index_key_length)
            && self.packed.is_none_or(|parts| self.has_room_for(&parts))
    }

    /// Returns whether table and footer of a compressed run may be there.
    fn has_room_for(&self, parts: &PackedParts) -> bool {
        let PackedParts { table_start, footer_start, .. } = *parts;
        let is_page = |at: u64| at.is_multiple_of(PAGE as u64) && (DATA_START..LIMIT).contains(&at);
        is_page(table_start) && is_page(footer_start) && self.table_end() <= footer_start
    }
}

/// The last record of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastRecord {
    /// Offset in the data at which it begins.
    pub offset: u64,
    /// Key.
    pub key: IndexKey,
}

/// Facts about a run that are known once it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footer {
    /// Count and checksum of the records.
    pub sum: Sum,
    /// Last record; empty for an empty run.
    pub last: LastRecord,
}

impl Footer {
    /// Returns the footer's bytes.
    pub fn bytes(&self, geometry: &RunGeometry) -> [u8; FOOTER] {
        let mut out = SealedFields::default();
        let mut key = [0; INDEX_KEY_MAX];
        let length = self.last.key.write(&mut key);
        out.put(&MAGIC);
        out.put(&self.sum.records.to_le_bytes());
        out.put(&self.sum.checksum.to_le_bytes());
        out.put(&geometry.table_start().to_le_bytes());
        out.put(&self.last.offset.to_le_bytes());
        out.put(&u32::from(length).to_le_bytes());
        out.put(&key);
        out.sealed()
    }

    /// Reads a footer back and holds it against the header.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where they do not belong together.
    pub fn read(path: &Path, bytes: &[u8; FOOTER], geometry: &RunGeometry) -> Result<Self> {
        let mut fields = FieldReader::open(path, bytes, "footer")?;
        let magic: [u8; 8] = fields.take();
        let sum = Sum { records: fields.u64(), checksum: u128::from_le_bytes(fields.take()) };
        let (table_start, offset) = (fields.u64(), fields.u64());
        let length = fields.u32() as usize;
        let key: [u8; INDEX_KEY_MAX] = fields.take();
        let key = IndexKey::read(&key[..geometry.index_key_length as usize], length);
        let footer = Self { sum, last: LastRecord { offset, key } };
        let is_inside = offset < geometry.data_bytes || geometry.data_bytes == 0;
        let is_same = magic == MAGIC
            && sum.records == geometry.records
            && table_start == geometry.table_start();
        if is_same && is_inside {
            Ok(footer)
        } else {
            Err(Error::corrupt(path, 0, "header and footer do not match"))
        }
    }
}

/// Bytes of a header or footer being put together.
#[derive(Default)]
struct SealedFields(Vec<u8>);

impl SealedFields {
    fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Returns the fields and their checksum.
    fn sealed<const N: usize>(mut self) -> [u8; N] {
        let checksum = xxh3_64(&self.0);
        self.put(&checksum.to_le_bytes());
        let mut out = [0; N];
        out.copy_from_slice(&self.0);
        out
    }
}

/// Fields of a header or footer being read.
struct FieldReader<'a>(&'a [u8]);

impl<'a> FieldReader<'a> {
    /// Checks the checksum at the end of `bytes`.
    fn open(path: &Path, bytes: &'a [u8], what: &str) -> Result<Self> {
        let (fields, checksum) = bytes.split_at(bytes.len() - 8);
        if xxh3_64(fields).to_le_bytes() == checksum {
            Ok(Self(fields))
        } else {
            Err(Error::corrupt(path, 0, format!("the {what}'s checksum does not match")))
        }
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (field, rest) = self.0.split_at(N);
        self.0 = rest;
        let mut out = [0; N];
        out.copy_from_slice(field);
        out
    }

    /// Reads the codec of blocks, and the offsets of table and footer.
    fn places(&mut self) -> Option<(Option<PackedParts>, u64, u64)> {
        let (codec, table_start, footer_start) = (self.u32(), self.u64(), self.u64());
        let parts = |codec| PackedParts { codec, table_start, footer_start };
        let packed = match codec {
            PLAIN => None,
            LZ4 => Some(parts(Codec::Lz4)),
            ZSTD => Some(parts(Codec::Zstd)),
            _ => return None,
        };
        Some((packed, table_start, footer_start))
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }
}
