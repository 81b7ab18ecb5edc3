//! The entries that a search found, one after the other.

use sortwell_engine::Result;

use crate::entry::{CUT, NUMBER, Parsed, read_number};
use crate::index::{Found, Index};
use crate::lmdb::reader::TreeCursor;

/// Keys from one on, up to the one before another.
#[derive(Clone, Debug, Default)]
pub struct KeyRange {
    /// The least key; `None` for any.
    pub low: Option<Vec<u8>>,
    /// The least key that is too great; `None` if there is none.
    pub high: Option<Vec<u8>>,
}

impl KeyRange {
    /// Returns the keys that begin with `key`.
    pub fn beginning_with(key: Vec<u8>) -> Self {
        Self { low: Some(key.clone()), high: successor(key) }
    }
}

/// The entries that a search found, in the order of the index.
///
/// It iterates over `Result<Found>`, and ends after an error.
#[derive(Clone, Debug)]
pub struct Matches {
    index: Index,
    cursor: TreeCursor,
    /// The range of the cursor; `None` at the end.
    range: Option<KeyRange>,
    /// Ranges that come after it, the next one last.
    later: Vec<KeyRange>,
    is_reverse: bool,
    /// True if the cursor is at an entry that was not returned yet.
    is_new: bool,
    /// True if the cursor is at the entry that was returned last.
    is_at_entry: bool,
}

impl Matches {
    /// Returns the entries whose keys are in ranges. These are in order, and have no key in common.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for a damaged index.
    pub(crate) fn within(index: &Index, mut ranges: Vec<KeyRange>) -> Result<Self> {
        ranges.reverse();
        let cursor = TreeCursor::new(index.pages(), index.tree());
        let index = index.clone();
        let mut found = Self {
            index,
            cursor,
            range: None,
            later: ranges,
            is_reverse: false,
            is_new: false,
            is_at_entry: false,
        };
        found.next_range()?;
        Ok(found)
    }

    /// Returns the index.
    pub const fn index(&self) -> &Index {
        &self.index
    }

    /// Returns the entries in the opposite order: from the last to the first, unless it is called
    /// twice. It comes before the first entry is taken.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for a damaged index.
    pub fn reversed(mut self) -> Result<Self> {
        self.later.extend(self.range.take());
        self.later.reverse();
        self.is_reverse = !self.is_reverse;
        self.next_range()?;
        Ok(self)
    }

    /// Goes to the first entry of the next range, or to the end.
    fn next_range(&mut self) -> Result<()> {
        let Some(range) = self.later.pop() else {
            self.range = None;
            return Ok(());
        };
        match (&range.low, &range.high) {
            (Some(low), _) if !self.is_reverse => self.seek(low)?,
            (None, _) if !self.is_reverse => self.cursor.seek_first()?,
            (_, Some(high)) => self.seek(high)?,
            (_, None) => self.cursor.seek_end(),
        }
        if self.is_reverse {
            self.cursor.step_back()?;
        }
        (self.range, self.is_new) = (Some(range), true);
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
            let page = self.cursor.page();
            let before = match parsed(&self.index, &mut self.cursor)? {
                Some(entry) if entry.key == cut && entry.compare(key).is_lt() => entry.ordinal,
                _ => None,
            };
            match before {
                Some(ordinal) if ordinal < middle => {
                    return Err(self.index.pages().damaged(page, "its entries are not in order"));
                }
                Some(ordinal) => low = ordinal.saturating_add(1),
                None => high = middle,
            }
        }
        place[CUT..].copy_from_slice(&low.to_be_bytes());
        self.cursor.seek(&place)
    }

    /// Returns the next entry; `None` after the last one.
    fn step(&mut self) -> Result<Option<Found>> {
        self.is_at_entry = false;
        while let Some(range) = &self.range {
            match (std::mem::take(&mut self.is_new), self.is_reverse) {
                (true, _) => {}
                (false, true) => self.cursor.step_back()?,
                (false, false) => self.cursor.step()?,
            }
            let is_inside = |entry: &Parsed<'_>| match self.is_reverse {
                false => range.high.as_ref().is_none_or(|high| entry.compare(high).is_lt()),
                true => range.low.as_ref().is_none_or(|low| entry.compare(low).is_ge()),
            };
            let entry = parsed(&self.index, &mut self.cursor)?.filter(is_inside);
            if let Some(Parsed { position, length, .. }) = entry {
                let (file, offset) = self.index.place(position);
                self.is_at_entry = true;
                return Ok(Some(Found { file, offset, bytes: length }));
            }
            self.next_range()?;
        }
        Ok(None)
    }

    /// Returns the included parts of the entry that was returned last, as they stand in the record;
    /// none before the first entry, after the last one, and after an error.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] for a damaged index.
    pub fn included(&mut self) -> Result<Vec<Vec<u8>>> {
        if !self.is_at_entry {
            return Ok(Vec::new());
        }
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
        if matches!(next, Some(Err(_))) {
            (self.range, self.later) = (None, Vec::new());
        }
        next
    }
}

/// Returns the entry at a cursor; `None` at the end.
///
/// # Errors
///
/// [`Error::Io`](sortwell_engine::Error::Io), and
/// [`Error::Malformed`](sortwell_engine::Error::Malformed) for a damaged index.
pub fn parsed<'c>(index: &Index, cursor: &'c mut TreeCursor) -> Result<Option<Parsed<'c>>> {
    let number = cursor.page();
    match cursor.entry()? {
        None => Ok(None),
        Some((key, value)) => match index.form().read(key, value) {
            None => Err(index.pages().damaged(number, "an entry is not one of an index")),
            entry => Ok(entry),
        },
    }
}

/// Returns the least bytes that are greater than all that begin with `key`; `None` if there are
/// none.
pub fn successor(mut key: Vec<u8>) -> Option<Vec<u8>> {
    while let Some(last) = key.pop() {
        if let Some(next) = last.checked_add(1) {
            key.push(next);
            return Some(key);
        }
    }
    None
}
