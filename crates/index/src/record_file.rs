//! Reading single records of a data file.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sortwell_engine::{Error, Result};

use crate::bgzf::{self, BlockReader};
use crate::entry::RECORD_MAX;
use crate::source::{DataFile, FileStamp};

/// Time between two looks at the stamp of a file. A look at each record would make random lookups
/// slower by a fifth, and the system notes times of changes no more exactly.
const CHECK_EACH: Duration = Duration::from_millis(10);

/// A data file that is open.
#[derive(Debug)]
pub struct RecordFile {
    file: File,
    path: PathBuf,
    /// Bytes of the file.
    length: u64,
    /// The block that was expanded last, if the file has blocks.
    block: Option<Mutex<ExpandedBlock>>,
    /// The file as it must stay, unless it may change.
    fixed: Option<FixedData>,
}

/// A data file that must not change while it is open.
#[derive(Debug)]
struct FixedData {
    data: DataFile,
    is_last: bool,
    /// The stamp when the file was opened and compared.
    stamp: FileStamp,
    /// A time before that, and nanoseconds from there to the last check.
    opened: Instant,
    checked_ns: AtomicU64,
    /// The stamp of the last comparison after that.
    later: Mutex<Option<FileStamp>>,
}

/// A block of a compressed file.
#[derive(Debug, Default)]
struct ExpandedBlock {
    reader: BlockReader,
    /// Offsets of the block and of the next one; both are 0 before the first.
    offset: u64,
    next: u64,
    bytes: Vec<u8>,
}

impl RecordFile {
    /// Returns an open data file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn of(data: &DataFile, file: File) -> Result<Self> {
        let found = file.metadata().map_err(|error| Error::io("look at", &data.path, error))?;
        let block = data.is_bgzf.then(Mutex::default);
        Ok(Self { file, path: data.path.clone(), length: found.len(), block, fixed: None })
    }

    /// Opens a data file, which must be as it was when the index was built, and stay so. `is_last`
    /// is true of the last data file.
    ///
    /// # Errors
    ///
    /// Those of [`DataFile::reopen`].
    pub fn checked(data: &DataFile, is_last: bool) -> Result<Self> {
        let opened = Instant::now();
        let (file, stamp) = data.reopen_stamped(is_last)?;
        let fixed = FixedData {
            data: data.clone(),
            is_last,
            stamp,
            opened,
            checked_ns: AtomicU64::new(0),
            later: Mutex::default(),
        };
        Ok(Self { fixed: Some(fixed), ..Self::of(data, file)? })
    }

    /// Checks that the records which were read are those of a file that had not changed
    /// [`CHECK_EACH`] before. Only if the file has another stamp, its content is compared.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] with what has changed.
    pub fn check(&self) -> Result<()> {
        let Some(fixed) = &self.fixed else { return Ok(()) };
        let ns = fixed.opened.elapsed().as_nanos() as u64;
        if ns.saturating_sub(fixed.checked_ns.load(Ordering::Relaxed))
            < CHECK_EACH.as_nanos() as u64
        {
            return Ok(());
        }
        let now = FileStamp::now(&self.file);
        let now = now.map_err(|error| Error::io("look at", &self.path, error))?;
        if now != fixed.stamp {
            let mut later = fixed.later.lock().unwrap_or_else(PoisonError::into_inner);
            if *later != Some(now) {
                *later = Some(fixed.data.check_open(&self.file, fixed.is_last)?);
            }
        }
        fixed.checked_ns.store(ns, Ordering::Relaxed);
        Ok(())
    }

    /// Reads the record at an offset into `out`, in place of what is there.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for a record that is not in the file.
    pub fn read(&self, offset: u64, bytes: u64, out: &mut Vec<u8>) -> Result<()> {
        // A damaged index asks for no more memory than a record may take.
        if bytes > RECORD_MAX {
            return Err(self.outside(offset, bytes));
        }
        if let Some(block) = &self.block {
            let mut block = block.lock().unwrap_or_else(PoisonError::into_inner);
            return self.read_blocks(&mut block, offset, bytes, out);
        }
        if offset.checked_add(bytes).is_none_or(|end| end > self.length) {
            return Err(self.outside(offset, bytes));
        }
        out.resize(bytes as usize, 0);
        self.file.read_exact_at(out, offset).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => self.outside(offset, bytes),
            _ => Error::io_at("read", &self.path, offset, error),
        })
    }

    /// Reads a record that may lie in several blocks.
    fn read_blocks(
        &self,
        block: &mut ExpandedBlock,
        offset: u64,
        bytes: u64,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        out.clear();
        let (mut at, mut within) = bgzf::split(offset);
        while (out.len() as u64) < bytes {
            if at >= self.length {
                return Err(self.outside(offset, bytes));
            }
            if block.next == 0 || block.offset != at {
                (block.offset, block.next) = (0, 0); // of no block, if it cannot be read
                block.bytes.clear();
                let ExpandedBlock { reader, bytes, .. } = &mut *block;
                block.next = reader.read(&self.file, &self.path, self.length, at, bytes)?;
                block.offset = at;
            }
            let rest = block.bytes.get(within..).unwrap_or_default();
            let wanted = bytes - out.len() as u64;
            out.extend_from_slice(&rest[..rest.len().min(wanted as usize)]);
            (at, within) = (block.next, 0);
        }
        Ok(())
    }

    fn outside(&self, offset: u64, bytes: u64) -> Error {
        let message = format!(
            "the record at offset {offset} with {bytes} bytes is not in the file; the index is \
             damaged, or the file has changed"
        );
        Error::Malformed { path: self.path.clone(), message: message.into() }
    }
}
