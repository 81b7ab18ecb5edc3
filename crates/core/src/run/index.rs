//! The sparse index of a run, read from one key to the next.
//!
//! A merge wants the keys of each run once, in order, and of the whole index only the next key, so
//! that a small window is all the memory an index takes, however large the run. No key is used that
//! has not been checked: opening reads the whole index once, holds it against the footer, and keeps
//! a checksum of every window's worth; on the way through, each window is held against its own. A
//! wrong key would order slabs wrongly, long before the end of the index could tell.

use std::ops::Range;
use std::sync::Arc;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::layout::Geometry;
use super::window::{WINDOW_MAX, Window};
use crate::error::{Error, Result};
use crate::io::File;

/// Fewest keys in a window, where the caller has no more memory to give.
const KEYS_MIN: usize = 4;

/// An index on the way from its first key to its last.
pub struct IndexReader {
    file: Arc<File>,
    geometry: Geometry,
    window: Window,
    /// What the window must show next: XXH3-64 of every window's worth of keys.
    sums: std::vec::IntoIter<u64>,
    /// What the window has not shown yet.
    rest: Range<u64>,
    /// The current key in the window.
    place: usize,
    number: u64,
}

impl IndexReader {
    /// Checks the index of the run in `file` against its checksum `sum`, and stands at its first
    /// key. Holds about `window_bytes` bytes of keys at a time, at least a few keys and at most
    /// 64 KiB.
    pub(super) fn open(
        file: &Arc<File>,
        geometry: Geometry,
        sum: u64,
        window_bytes: usize,
    ) -> Result<Self> {
        let width = geometry.index_key_length as usize;
        let keys = (window_bytes.min(WINDOW_MAX) / width).max(KEYS_MIN);
        let keys = keys.min(geometry.index_keys().max(1) as usize);
        let mut window = Window::new(file, keys * width)?;
        let start = geometry.index_start();
        let rest = start..start + geometry.index_bytes();
        let (mut whole, mut sums) = (Xxh3::new(), Vec::new());
        window.scan(rest.clone(), |keys| {
            whole.update(keys);
            sums.push(xxh3_64(keys));
        })?;
        let file = Arc::clone(file);
        let sums = sums.into_iter();
        let mut index = Self { file, geometry, window, sums, rest, place: 0, number: 0 };
        if whole.digest() != sum {
            return Err(index.damaged());
        }
        index.refill()?;
        Ok(index)
    }

    /// The number of the current key; the number of keys after the last one.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether all keys have been passed.
    pub fn is_over(&self) -> bool {
        self.number >= self.geometry.index_keys()
    }

    /// The current key; there is one until the index is over.
    pub fn key(&self) -> &[u8] {
        &self.window.bytes()[self.place..][..self.geometry.index_key_length as usize]
    }

    /// Goes to the next key.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Corrupt`] where the index is not what it was when it was opened.
    pub fn advance(&mut self) -> Result<()> {
        assert!(!self.is_over(), "no key is left to pass");
        self.number += 1;
        self.place += self.geometry.index_key_length as usize;
        if self.place < self.window.bytes().len() { Ok(()) } else { self.refill() }
    }

    /// Parts of the run that the index tells apart; part `n` begins at the record of key `n`. There
    /// is one more key than there are parts, the run's last.
    pub fn parts(&self) -> u64 {
        self.geometry.index_keys().saturating_sub(1)
    }

    /// The record of key `number`.
    pub fn record(&self, number: u64) -> u64 {
        self.geometry.indexed_record(number)
    }

    /// The record at which part `part` begins; the number of records where there is no such part.
    pub fn part_start(&self, part: u64) -> u64 {
        (part * self.geometry.stride).min(self.geometry.records)
    }

    fn refill(&mut self) -> Result<()> {
        let Some(sum) = self.sums.next() else { return Ok(()) };
        self.window.show(&self.rest)?;
        self.place = 0;
        self.rest.start += self.window.bytes().len() as u64;
        if xxh3_64(self.window.bytes()) == sum { Ok(()) } else { Err(self.damaged()) }
    }

    fn damaged(&self) -> Error {
        let message = "the index's checksum does not match".to_owned();
        Error::Corrupt { path: self.file.path().to_owned(), block: 0, message }
    }
}
