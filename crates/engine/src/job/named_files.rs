//! The files that keys and conditions of a job name: lists of values and collating sequences.

use std::fs::File;
use std::io::{Read as _, copy};
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

use super::{MergeJob, SortJob};
use crate::error::{Error, Result};
use crate::key::Key;
use crate::operator::FoldSpec;
use crate::predicate::RecordFilter;

/// Most bytes of a file that count: no list of values has more.
const BYTES_MAX: u64 = 4 << 30;

impl SortJob {
    /// Returns the files that keys, conditions and folded values name, as they name them.
    pub fn named_files(&self) -> Vec<String> {
        paths(&self.keys, &[&self.filter, &self.select.having], &self.select.folds)
    }

    /// Returns a checksum (XXH3) of the files that keys, conditions and folded values name. It is
    /// zero if they name none. The output depends on the content of these files.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] for a file that cannot be read.
    pub fn named_files_checksum(&self) -> Result<u128> {
        checksum(&self.keys, &[&self.filter, &self.select.having], &self.select.folds)
    }
}

impl MergeJob {
    /// Returns a checksum as that of a sort.
    ///
    /// # Errors
    ///
    /// As [`SortJob::named_files_checksum`].
    pub(super) fn named_files_checksum(&self) -> Result<u128> {
        checksum(&self.keys, &[&self.select.having], &self.select.folds)
    }
}

fn paths(keys: &[Key], conditions: &[&RecordFilter], folds: &[FoldSpec]) -> Vec<String> {
    let keys = keys.iter().filter_map(Key::file);
    let conditions = conditions.iter().copied().flat_map(RecordFilter::files);
    let mut paths: Vec<String> = keys.chain(conditions).map(str::to_owned).collect();
    paths.extend(folds.iter().filter_map(FoldSpec::file));
    paths
}

fn checksum(keys: &[Key], conditions: &[&RecordFilter], folds: &[FoldSpec]) -> Result<u128> {
    let paths = paths(keys, conditions, folds);
    let mut hasher = Xxh3::new();
    for path in &paths {
        let path = Path::new(path);
        let failed = |error| Error::io("read", path, error);
        let file = File::open(path).map_err(failed)?;
        let bytes = copy(&mut file.take(BYTES_MAX), &mut hasher).map_err(failed)?;
        hasher.update(&bytes.to_le_bytes());
    }
    Ok(if paths.is_empty() { 0 } else { hasher.digest128() })
}
