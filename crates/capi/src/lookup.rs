//! An open index as C programs hold it, with the search that it is at.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use sortwell::unstable::key::panic_message;
use sortwell::{Error, Found, Index, Matches};

use crate::call::Called;
use crate::call_error::{CallError, code};
use crate::gate::CallGate;

/// Index as a C program holds it.
#[derive(Debug)]
pub struct IndexHandle {
    gate: CallGate<IndexCalls>,
    /// Number of entries.
    pub entries: u64,
}

/// State of an index between two calls.
#[derive(Debug)]
pub struct IndexCalls {
    index: Index,
    matches: Option<Matches>,
    /// True if the search has looked for its first entry.
    has_begun: bool,
    /// The entry that was returned last.
    found: Option<Found>,
    /// Its record, its included parts and the path of its file, as they were lent.
    record: Vec<u8>,
    parts: Vec<Vec<u8>>,
    path: CString,
}

impl IndexHandle {
    /// Opens an index and its data.
    pub fn open(path: &Path, may_be_stale: bool) -> Called<Self> {
        let opened = if may_be_stale { Index::open_stale(path) } else { Index::open(path) };
        Ok(Self::new(opened?))
    }

    fn new(index: Index) -> Self {
        let entries = index.description().entries;
        let (record, parts, path) = (Vec::new(), Vec::new(), CString::default());
        let (matches, has_begun, found) = (None, false, None);
        let calls = IndexCalls { index, matches, has_begun, found, record, parts, path };
        Self { gate: CallGate::new("index", calls), entries }
    }

    /// Makes a call. After a panic, the search is over.
    ///
    /// # Errors
    ///
    /// The error of the call. A usage error during another call, and in a process that a fork
    /// made. A bug after a panic.
    pub fn call<T>(
        &self,
        function: &str,
        act: impl FnOnce(&mut IndexCalls) -> Called<T>,
    ) -> Called<T> {
        let mut calls = self.gate.enter(function)?;
        let made = catch_unwind(AssertUnwindSafe(|| act(&mut calls)));
        made.unwrap_or_else(|panic| {
            (calls.matches, calls.found) = (None, None);
            Err(CallError::bug(&panic_message(panic.as_ref())))
        })
    }

    /// Returns another handle of the open index, for another thread.
    pub fn share(&self) -> Called<Self> {
        self.call("sortwell_index_share", |calls| Ok(Self::new(calls.index.clone())))
    }

    /// Returns whether no call is being made, and no fork made this process.
    pub fn is_free(&self) -> bool {
        self.gate.is_free()
    }
}

impl IndexCalls {
    /// Begins a search, in place of the one before. After an error, that continues.
    pub fn search(&mut self, find: impl FnOnce(&Index) -> Result<Matches, Error>) -> Called {
        let matches = find(&self.index)?;
        (self.matches, self.has_begun, self.found) = (Some(matches), false, None);
        Ok(())
    }

    /// Turns the search around, before its first record.
    pub fn reverse(&mut self) -> Called {
        let function = "sortwell_index_reverse";
        if self.has_begun {
            return Err(CallError::usage(format!(
                "{function}: this search has begun; reverse it before the first call of \
                 sortwell_index_next"
            )));
        }
        let matches = self.matches.take().ok_or_else(|| no_search(function))?;
        self.matches = Some(matches.reversed()?);
        Ok(())
    }

    /// Goes to the next entry; false after the last one.
    pub fn advance(&mut self) -> Called<bool> {
        let matches = self.matches.as_mut().ok_or_else(|| no_search("sortwell_index_next"))?;
        // After an error there is no entry.
        (self.has_begun, self.found) = (true, None);
        self.found = matches.next().transpose()?;
        Ok(self.found.is_some())
    }

    /// Reads the record of the entry.
    pub fn record(&mut self) -> Called<&[u8]> {
        let found = self.entry("sortwell_index_next")?;
        self.index.read_into(&found, &mut self.record)?;
        Ok(&self.record)
    }

    /// Returns the place of the record: file, offset, bytes.
    pub fn place(&mut self) -> Called<(&CString, u64, u64)> {
        let found = self.entry("sortwell_index_place")?;
        let path = self.index.data_path(found.file);
        self.path = CString::new(path.as_os_str().as_bytes()).unwrap_or_default();
        Ok((&self.path, found.offset, found.bytes))
    }

    /// Returns an included part of the entry, by its number from 0.
    pub fn included(&mut self, number: usize) -> Called<&[u8]> {
        let function = "sortwell_index_included";
        self.entry(function)?;
        let matches = self.matches.as_mut().ok_or_else(|| no_search(function))?;
        self.parts = matches.included()?;
        let count = self.parts.len();
        self.parts.get(number).map(Vec::as_slice).ok_or_else(|| {
            CallError::usage(format!(
                "{function}: there is no part {number}; the index includes {count}"
            ))
        })
    }

    fn entry(&self, function: &str) -> Called<Found> {
        self.found.ok_or_else(|| {
            let words = format!("{function}: no record was taken; call sortwell_index_next first");
            CallError::new(code::USAGE, words)
        })
    }
}

#[cold]
fn no_search(function: &str) -> CallError {
    CallError::usage(format!(
        "{function}: no search was begun; call sortwell_index_get, sortwell_index_prefix or \
         sortwell_index_range first"
    ))
}
