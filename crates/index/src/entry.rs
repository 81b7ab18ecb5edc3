//! The entries of an index: their keys, which LMDB limits to 511 bytes, and their values.
//!
//! ```text
//!   key of the records        key in the file                        value
//!   up to 495 bytes           key | position u64be                   length, columns
//!   longer                    first 495 bytes | ordinal u64be        length of rest, rest, length,
//!                               | position u64be                       columns
//!   an index of unique keys   the same without the position          position in front of length
//! ```
//!
//! The position of a record is its offset in all data files together. The keys of records compare
//! as bytes, and no key is the beginning of another one. So a position after the key never decides
//! between different keys, and a cut key is never equal to a whole one.
//!
//! The ordinal of a cut key is the offset of its entry among all sorted entries. It grows in the
//! order of whole keys, for any division of the sort into tasks. Nothing is lost: the rest of the
//! key is in the value. Numbers in values are variable-length integers of seven bits a byte, lowest
//! first.

use sortwell_engine::{Error, Result};

/// Bytes of a longer key that stay in the key.
pub const CUT: usize = 495;

/// Bytes of a position, and of an ordinal.
pub const NUMBER: usize = 8;

/// Bytes of a number at the beginning of the payload of a sorted entry: the position.
pub const POSITION: usize = NUMBER;

/// Bytes of the longest record that a build accepts. It is twice the limit of [`LONGEST_MAX`], as
/// what is read at once doubles.
pub const RECORD_MAX: u64 = 2 * LONGEST_MAX;

/// Bytes without the end of a record, after which a build gives up at the latest: the length of an
/// entry, and of its key, has 32 bits.
pub const LONGEST_MAX: u64 = 1 << 29;

/// The form of the entries of one index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryForm {
    /// True if keys are unique, so that they do without the position.
    pub is_unique: bool,
}

/// An entry as an index has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parsed<'a> {
    /// The key of the record, or its first bytes.
    pub key: &'a [u8],
    /// The rest of a key that was cut.
    pub rest: &'a [u8],
    /// The ordinal of a cut key.
    pub ordinal: Option<u64>,
    /// Offset of the record in all data files together.
    pub position: u64,
    /// Bytes of the record, with what ends it.
    pub length: u64,
    /// The columns that are included, each with its length in front.
    pub columns: &'a [u8],
}

impl EntryForm {
    /// Returns the bytes after the key in the file.
    const fn suffix(self) -> usize {
        if self.is_unique { 0 } else { NUMBER }
    }

    /// Writes the key for the file into `out`, and the part of the value that comes before the
    /// payload into `head`. Returns the rest of the payload. `payload` begins with the position;
    /// `ordinal` is that of the entry.
    pub fn write<'p>(
        self,
        key: &[u8],
        payload: &'p [u8],
        ordinal: u64,
        out: &mut Vec<u8>,
        head: &mut Vec<u8>,
    ) -> &'p [u8] {
        let (position, rest) = payload.split_at(POSITION.min(payload.len()));
        out.clear();
        head.clear();
        let (kept, cut_off) = key.split_at(key.len().min(CUT));
        out.extend_from_slice(kept);
        if !cut_off.is_empty() {
            out.extend_from_slice(&ordinal.to_be_bytes());
            write_number(head, cut_off.len() as u64);
            head.extend_from_slice(cut_off);
        }
        if self.is_unique {
            write_number(head, position_of(position));
        } else {
            out.extend_from_slice(position);
        }
        rest
    }

    /// Reads an entry of a file; `None` if the bytes are no entry.
    pub fn read<'a>(self, key: &'a [u8], mut value: &'a [u8]) -> Option<Parsed<'a>> {
        let (key, suffix) = key.split_at_checked(key.len().checked_sub(self.suffix())?)?;
        let mut entry =
            Parsed { key, rest: b"", ordinal: None, position: 0, length: 0, columns: b"" };
        if key.len() > CUT {
            let (kept, ordinal) = key.split_at(CUT);
            entry.key = kept;
            entry.ordinal = Some(u64::from_be_bytes(ordinal.try_into().ok()?));
            let bytes = usize::try_from(read_number(&mut value)?).ok()?;
            (entry.rest, value) = value.split_at_checked(bytes)?;
        }
        entry.position = match suffix.first_chunk() {
            Some(position) => u64::from_be_bytes(*position),
            None => read_number(&mut value)?,
        };
        entry.length = read_number(&mut value)?;
        entry.columns = value;
        Some(entry)
    }
}

impl Parsed<'_> {
    /// Returns the order of its key and another whole key.
    pub fn compare(&self, other: &[u8]) -> std::cmp::Ordering {
        let (start, behind) = other.split_at(other.len().min(self.key.len()));
        self.key.cmp(start).then_with(|| self.rest.cmp(behind))
    }
}

/// Returns the position at the beginning of the payload of a sorted entry.
pub fn position_of(payload: &[u8]) -> u64 {
    payload.first_chunk().copied().map_or(0, u64::from_be_bytes)
}

/// Appends a number.
pub fn write_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number, and passes it; `None` if there is none.
pub fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for (at, byte) in bytes.iter().enumerate().take(10) {
        number |= u64::from(byte & 0x7f).checked_shl(7 * at as u32)?;
        if byte & 0x80 == 0 {
            *bytes = &bytes[at + 1..];
            return Some(number);
        }
    }
    None
}

/// Reads sorted entries that come in pieces, in order.
#[derive(Debug, Default)]
pub struct SortedEntries {
    /// Offset of the next entry among all sorted ones.
    offset: u64,
    /// The beginning of an entry that is not whole yet.
    unfinished: Vec<u8>,
}

impl SortedEntries {
    /// Returns a reader from an offset on.
    pub const fn new(offset: u64) -> Self {
        Self { offset, unfinished: Vec::new() }
    }

    /// Takes the next bytes, and shows each entry that is whole: its offset, its key and its
    /// payload.
    ///
    /// # Errors
    ///
    /// Those of `show`, and [`Error::Changed`] for bytes that are no entries.
    pub fn take(
        &mut self,
        mut bytes: &[u8],
        mut show: impl FnMut(u64, &[u8], &[u8]) -> Result<()>,
    ) -> Result<()> {
        if self.unfinished.is_empty() {
            self.pass(&mut bytes, &mut show)?;
            self.unfinished.extend_from_slice(bytes);
            return Ok(());
        }
        let mut joined = std::mem::take(&mut self.unfinished);
        joined.extend_from_slice(bytes);
        let mut rest = &joined[..];
        self.pass(&mut rest, &mut show)?;
        let passed = joined.len() - rest.len();
        joined.drain(..passed);
        self.unfinished = joined;
        Ok(())
    }

    /// Returns the offset after all bytes that were taken.
    #[cfg(feature = "sqlite")]
    pub const fn taken(&self) -> u64 {
        self.offset + self.unfinished.len() as u64
    }

    /// Checks that the last entry was whole. Returns the offset after it.
    ///
    /// # Errors
    ///
    /// [`Error::Changed`] if it was not.
    pub fn finish(&self) -> Result<u64> {
        match self.unfinished.len() {
            0 => Ok(self.offset),
            more => Err(Error::Changed { expected: 0, found: more as u64 }),
        }
    }

    /// Shows the whole entries of `bytes`, and passes them.
    fn pass(
        &mut self,
        bytes: &mut &[u8],
        show: &mut impl FnMut(u64, &[u8], &[u8]) -> Result<()>,
    ) -> Result<()> {
        let (length, start) = (bytes.len(), self.offset);
        let passed = each_sorted(bytes, |at, key, payload| show(start + at as u64, key, payload));
        self.offset += (length - bytes.len()) as u64;
        passed
    }
}

/// Returns the records of sorted entries, as far as `bytes` has whole ones, and passes them: key
/// and payload, with the offset of each.
///
/// # Errors
///
/// Those of `show`, and [`Error::Changed`] for bytes that are no keyed records.
fn each_sorted(
    bytes: &mut &[u8],
    mut show: impl FnMut(usize, &[u8], &[u8]) -> Result<()>,
) -> Result<()> {
    let begun = bytes.len();
    loop {
        let Some((numbers, rest)) = bytes.split_first_chunk::<NUMBER>() else { return Ok(()) };
        let [follows, key] = [0, 4].map(|at| {
            u32::from_le_bytes([numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]])
        });
        let record = (follows as usize).checked_sub(NUMBER / 2);
        let Some(record) = record.filter(|record| *record >= key as usize) else {
            return Err(Error::Changed { expected: u64::from(key), found: u64::from(follows) });
        };
        let Some((record, behind)) = rest.split_at_checked(record) else { return Ok(()) };
        let (key, payload) = record.split_at(key as usize);
        show(begun - bytes.len(), key, payload)?;
        *bytes = behind;
    }
}

#[cfg(test)]
mod tests;
