//! The entries that a search found, one after the other.

use sortwell_engine::Result;

use crate::entry::{CUT, NUMBER, Parsed, read_number};
use crate::index::{Found, Index};
use crate::lmdb::reader::TreeCursor;

/// The entries that a search found, in the order of the index.
///
/// It iterates over `Result<Found>`, and ends after an error.
#[derive(Clone, Debug)]
pub struct Matches {
    index: Index,
    cursor: TreeCursor,
    /// The least key, and the least one that is too great.
    low: Option<Vec<u8>>,
    high: Option<Vec<u8>>,
    is_reverse: bool,
    /// True if the cursor is at an entry that was not returned yet.
    is_new: bool,
    is_over: bool,
}

impl Matches {
    /// Returns no entry of an index.
    pub(crate) fn nothing(index: &Index) -> Self {
        let cursor = TreeCursor::new(index.pages(), index.tree());
        let (index, low, high) = (index.clone(), None, None);
        Self { index, cursor, low, high, is_reverse: false, is_new: false, is_over: true }
    }

    /// Returns the entries from a key on, up to the one before another key.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for a damaged index.
    pub(crate) fn between(
        index: &Index,
        low: Option<Vec<u8>>,
        high: Option<Vec<u8>>,
    ) -> Result<Self> {
        let mut found = Self { low, high, ..Self::nothing(index) };
        found.is_over = false;
        found.begin(false)?;
        Ok(found)
    }

    /// Returns the index.
    pub const fn index(&self) -> &Index {
        &self.index
    }

    /// Returns the entries from the last to the first. It comes before the first entry is taken.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for a damaged index.
    pub fn reversed(mut self) -> Result<Self> {
        if !self.is_over {
            self.begin(true)?;
        }
        Ok(self)
    }

    fn begin(&mut self, is_reverse: bool) -> Result<()> {
        self.is_reverse = is_reverse;
        self.is_new = true;
        let start = if is_reverse { self.high.take() } else { self.low.take() };
        match (&start, is_reverse) {
            (Some(key), _) => self.seek(key)?,
            (None, false) => self.cursor.seek_first()?,
            (None, true) => self.cursor.seek_end(),
        }
        if is_reverse {
            self.high = start;
            self.cursor.step_back()?;
        } else {
            self.low = start;
        }
        Ok(())
    }

    /// Goes to the first entry whose whole key is not before `key`.
    fn seek(&mut self, key: &[u8]) -> Result<()> {
        let Some(cut) = key.get(..CUT).filter(|_| key.len() > CUT) else {
            return self.cursor.seek(key);
        };
        // Entries that share these bytes are in the order of their ordinals.
        let (mut low, mut high) = (0, u64::MAX);
        let mut place = [cut, &[0; NUMBER]].concat();
        while low < high {
            let middle = low.midpoint(high);
            place[CUT..].copy_from_slice(&middle.to_be_bytes());
            self.cursor.seek(&place)?;
            let before = match parsed(&self.index, &mut self.cursor)? {
                Some(entry) if entry.key == cut && entry.compare(key).is_lt() => entry.ordinal,
                _ => None,
            };
            match before {
                Some(ordinal) => low = ordinal.saturating_add(1),
                None => high = middle,
            }
        }
        place[CUT..].copy_from_slice(&low.to_be_bytes());
        self.cursor.seek(&place)
    }

    /// Returns the next entry; `None` after the last one.
    fn step(&mut self) -> Result<Option<Found>> {
        if self.is_over {
            return Ok(None);
        }
        match (std::mem::take(&mut self.is_new), self.is_reverse) {
            (true, _) => {}
            (false, true) => self.cursor.step_back()?,
            (false, false) => self.cursor.step()?,
        }
        let Some(entry) = parsed(&self.index, &mut self.cursor)? else {
            self.is_over = true;
            return Ok(None);
        };
        let is_outside = match self.is_reverse {
            false => self.high.as_ref().is_some_and(|high| entry.compare(high).is_ge()),
            true => self.low.as_ref().is_some_and(|low| entry.compare(low).is_lt()),
        };
        if is_outside {
            self.is_over = true;
            return Ok(None);
        }
        let (file, offset) = self.index.place(entry.position);
        Ok(Some(Found { file, offset, bytes: entry.length }))
    }

    /// Returns the included parts of the entry that was returned last, as they stand in the record.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] for a damaged index.
    pub fn included(&mut self) -> Result<Vec<Vec<u8>>> {
        let number = self.cursor.page();
        let Some(entry) = parsed(&self.index, &mut self.cursor)? else { return Ok(Vec::new()) };
        let (mut rest, mut parts) = (entry.columns, Vec::new());
        while !rest.is_empty() {
            let length = read_number(&mut rest).and_then(|length| usize::try_from(length).ok());
            let split = length.and_then(|length| rest.split_at_checked(length));
            let Some((part, others)) = split else {
                return Err(self.index.pages().damaged(number, "an included column is cut off"));
            };
            parts.push(part.to_vec());
            rest = others;
        }
        Ok(parts)
    }
}

impl Iterator for Matches {
    type Item = Result<Found>;

    fn next(&mut self) -> Option<Result<Found>> {
        let next = self.step().transpose();
        self.is_over |= matches!(next, Some(Err(_)));
        next
    }
}

/// Returns the place of the record of an entry, in words.
pub fn place_of(index: &Index, key: &[u8], value: &[u8]) -> String {
    match index.form().read(key, value) {
        None => "no record".to_owned(),
        Some(entry) => {
            let (file, offset) = index.place(entry.position);
            format!("the record at offset {offset} of {}", index.data_path(file).display())
        }
    }
}

/// Returns the entry at a cursor; `None` at the end.
fn parsed<'c>(index: &Index, cursor: &'c mut TreeCursor) -> Result<Option<Parsed<'c>>> {
    let number = cursor.page();
    match cursor.entry()? {
        None => Ok(None),
        Some((key, value)) => match index.form().read(key, value) {
            None => Err(index.pages().damaged(number, "an entry is not one of an index")),
            entry => Ok(entry),
        },
    }
}
