//! The data files of an index: what they were when it was built, and whether they still are.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use sortwell_engine::codec::{CONTENT_BYTES, Codec, ContentKind};
use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::format::Format;
use sortwell_engine::io::check_whole_at;
use sortwell_engine::pipeline::{Heading, Top};
use sortwell_engine::sys::limits;
use sortwell_engine::{Error, Result};
use xxhash_rust::xxh3::xxh3_64;

use crate::bgzf;
use crate::description::{Lines, Reader};
use crate::scanned::{ExpandedBytes, ScannedFile};

/// Bytes at the beginning and at the end of a file that are hashed.
const HASHED: u64 = 1 << 20;

/// Files that a job opens in addition to its data: the index, its directory, and a few for a sort.
const OTHER_FILES: usize = 8;

/// A data file as it was when the index was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFile {
    /// The absolute path.
    pub path: PathBuf,
    /// Bytes of the file.
    pub bytes: u64,
    /// True if it is compressed in blocks, so that its offsets are virtual ones.
    pub is_bgzf: bool,
    /// Offset of the first record.
    pub top: u64,
    /// Time of the last change, in nanoseconds since 1970.
    pub modified: i128,
    /// Numbers of the device and the inode.
    pub inode: (u64, u64),
    /// XXH3 of the first and of the last MiB.
    pub first: u64,
    pub last: u64,
}

/// Size and times of an open file. They differ after each change that the system has noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileStamp {
    fn of(data: &Metadata) -> Self {
        Self {
            bytes: data.len(),
            modified: (data.mtime(), data.mtime_nsec()),
            changed: (data.ctime(), data.ctime_nsec()),
        }
    }

    /// Returns the stamp that an open file has now.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn now(file: &File) -> std::io::Result<Self> {
        file.metadata().map(|data| Self::of(&data))
    }
}

/// Number of files from which on the limit of open files is looked at.
const MANY_FILES: usize = 64;

/// Makes sure that this number of data files, and a few others, can be open at the same time.
///
/// # Errors
///
/// [`Error::Config`] with the limit that is needed.
pub fn allow_open_files(count: usize) -> Result<()> {
    if count < MANY_FILES {
        return Ok(());
    }
    let count = count + OTHER_FILES;
    if limits::open_files_left() < count {
        limits::raise_open_files();
    }
    limits::check_open_files(limits::open_files_left(), count)
}

fn modified(data: &Metadata) -> i128 {
    i128::from(data.mtime()) * 1_000_000_000 + i128::from(data.mtime_nsec())
}

/// Returns the hash of a range, up to a MiB of it.
fn hash(file: &File, path: &Path, range: Range<u64>) -> Result<u64> {
    let mut bytes = vec![0; (range.end - range.start).min(HASHED) as usize];
    let mut filled = 0;
    while filled < bytes.len() {
        let at = range.start + filled as u64;
        match file.read_at(&mut bytes[filled..], at) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io_at("read", path, at, error)),
        }
    }
    Ok(xxh3_64(&bytes[..filled]))
}

/// Opens a regular file, and returns what the system says of it.
fn open(path: &Path) -> Result<(File, Metadata)> {
    let failed = |error| Error::io("open", path, error);
    let data = std::fs::metadata(path).map_err(failed)?;
    if !data.is_file() {
        let message = format!(
            "{} is no regular file, and an index needs records at offsets; write the records to a \
             file first",
            path.display()
        );
        return Err(Error::config(ConfigErrorKind::InvalidPath, message));
    }
    let file = File::open(path).map_err(failed)?;
    let data = file.metadata().map_err(failed)?;
    check_whole_at(path)?;
    Ok((file, data))
}

impl DataFile {
    /// Opens a data file to be indexed. What is above its first record is not known yet.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::Config`] for a file without offsets, and [`Error::Malformed`] for a
    /// compressed one.
    pub fn open(path: &Path) -> Result<(Self, File)> {
        let (file, data) = open(path)?;
        let mut start = [0; CONTENT_BYTES];
        let read = file.read_at(&mut start, 0);
        let read = read.map_err(|error| Error::io("read", path, error))?;
        let start = &start[..read];
        let is_bgzf = bgzf::is_bgzf(start);
        let packed = match ContentKind::of(start) {
            _ if is_bgzf => None,
            ContentKind::Packed(Codec::Gzip) => {
                Some(("gzip", "compress it with bgzip, or expand it"))
            }
            ContentKind::Packed(codec) => Some((codec.name(), "expand it first")),
            ContentKind::Skippable => Some(("zstd or lz4", "expand it first")),
            ContentKind::Plain | ContentKind::Foreign(_) => None,
        };
        if let Some((codec, how)) = packed {
            let message =
                format!("it is compressed with {codec}, so its records have no offsets; {how}");
            return Err(Error::Malformed { path: path.to_owned(), message: message.into() });
        }
        let absolute = std::path::absolute(path).map_err(|error| Error::io("find", path, error))?;
        let bytes = data.len();
        let found = Self {
            path: absolute,
            bytes,
            is_bgzf,
            top: 0,
            modified: modified(&data),
            inode: (data.dev(), data.ino()),
            first: hash(&file, path, 0..bytes)?,
            last: hash(&file, path, bytes.saturating_sub(HASHED)..bytes)?,
        };
        Ok((found, file))
    }

    /// Returns whether the file has this path too.
    pub fn is_at(&self, path: &Path) -> bool {
        std::fs::metadata(path).is_ok_and(|data| (data.dev(), data.ino()) == self.inode)
    }

    /// Checks that none of the data files in `known` is this one, under any name. `fault` says what
    /// it would be, in words that follow "is".
    ///
    /// # Errors
    ///
    /// [`Error::Config`] with its names.
    pub fn check_new(&self, known: &[Self], fault: &str) -> Result<()> {
        let Some(known) = known.iter().find(|known| known.inode == self.inode) else {
            return Ok(());
        };
        let name = match known.path == self.path {
            true => String::new(),
            false => format!(" as {}", known.path.display()),
        };
        let message = format!("{} is {fault}{name}", self.path.display());
        Err(Error::config(ConfigErrorKind::InvalidPath, message))
    }

    /// Returns the open file for a scan of its records. It has this number among all files.
    pub fn scanned(&self, number: usize, file: File) -> ScannedFile {
        let (path, start, end, is_bgzf) = (self.path.clone(), self.top, self.end(), self.is_bgzf);
        ScannedFile { number, file, path, start, end, is_bgzf }
    }

    /// Reads the top of the open file, called `path` in messages. Returns it, and the file as it is
    /// scanned after it.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for a top that is too long, or a row that is none.
    pub fn read_top(
        &self,
        path: &Path,
        number: usize,
        file: File,
        heading: &Heading,
    ) -> Result<(Top, ScannedFile)> {
        let mut bytes = ExpandedBytes::new(self.scanned(number, file));
        let (top, _) = heading.read(path, |buffer| bytes.take(buffer))?;
        let start = top.size.bytes;
        Ok((top, bytes.starting_at(start)))
    }

    /// Returns the offset after the last record.
    pub const fn end(&self) -> u64 {
        if self.is_bgzf { bgzf::block_offset(self.bytes) } else { self.bytes }
    }

    /// Opens the file as it is now, and checks that it is the same. `is_last` is true of the last
    /// data file, the only one that may grow.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] with what has changed.
    pub fn reopen(&self, is_last: bool) -> Result<File> {
        self.reopen_stamped(is_last).map(|(file, _)| file)
    }

    /// Opens the file as [`reopen`](Self::reopen) does. Returns it with what tells whether it
    /// changes later.
    ///
    /// # Errors
    ///
    /// Those of [`reopen`](Self::reopen).
    pub fn reopen_stamped(&self, is_last: bool) -> Result<(File, FileStamp)> {
        let (file, data) = open(&self.path)?;
        match self.change(&file, &data)? {
            Some(change) => Err(self.changed(&change, data.len(), is_last)),
            None => Ok((file, FileStamp::of(&data))),
        }
    }

    /// Checks that the open file, whose stamp is not that of an earlier check any more, is still
    /// the same. Returns its stamp.
    ///
    /// # Errors
    ///
    /// Those of [`reopen`](Self::reopen).
    pub fn check_open(&self, file: &File, is_last: bool) -> Result<FileStamp> {
        let data = file.metadata().map_err(|error| Error::io("look at", &self.path, error))?;
        let mut change = self.change(file, &data)?;
        // The time of the last change can be set, that of the last change of the inode cannot.
        if change.is_none() && !self.is_same(file)? {
            change = Some("was modified".to_owned());
        }
        match change {
            Some(change) => Err(self.changed(&change, data.len(), is_last)),
            None => Ok(FileStamp::of(&data)),
        }
    }

    /// Returns the error of a file that has changed, and has this number of bytes now.
    fn changed(&self, change: &str, bytes: u64, is_last: bool) -> Error {
        let has_grown = bytes > self.bytes && !self.is_bgzf;
        let advice = match (has_grown, is_last) {
            (true, true) => "append the new records to the index, or build it again",
            (true, false) => "only the last data file may grow; build the index again",
            (false, _) => "build the index again",
        };
        let message = format!("the file {change} since the index was built; {advice}");
        Error::Malformed { path: self.path.clone(), message: message.into() }
    }

    /// Opens the file as it is now, the same or not.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Config`] for a file without offsets.
    pub fn reopen_stale(&self) -> Result<File> {
        open(&self.path).map(|(file, _)| file)
    }

    /// Checks after the scan of the file that it has the same bytes. A file that is not compressed
    /// may have grown, if the last record that was scanned has its end.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] with what has changed.
    pub fn check_scanned(&self, format: Format) -> Result<()> {
        let (file, data) = open(&self.path)?;
        let has_grown = data.len() > self.bytes && !self.is_bgzf;
        let is_same_file = (data.dev(), data.ino()) == self.inode;
        if has_grown && is_same_file && self.is_same(&file)? && self.has_end(format, &file)? {
            return Ok(());
        }
        let Some(change) = self.change(&file, &data)? else { return Ok(()) };
        let message = format!(
            "the file {change} while it was indexed; run the command when nothing writes to the \
             file"
        );
        Err(Error::Malformed { path: self.path.clone(), message: message.into() })
    }

    /// Returns whether the last record of these bytes has what ends records of a format.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] for a file that cannot be read.
    pub fn has_end(&self, format: Format, file: &File) -> Result<bool> {
        let (Some(end), Some(at)) = (format.framing().terminator(), self.bytes.checked_sub(1))
        else {
            return Ok(true);
        };
        let mut last = [0];
        let read = file.read_exact_at(&mut last, at);
        read.map_err(|error| Error::io_at("read", &self.path, at, error))?;
        Ok(last == [end])
    }

    /// Returns what has changed of the file, in words.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] for a file that cannot be read.
    pub fn change(&self, file: &File, data: &Metadata) -> Result<Option<String>> {
        let is_replaced = (data.dev(), data.ino()) != self.inode;
        if data.len() != self.bytes {
            let how = match data.len() > self.bytes {
                true => "has grown",
                false if is_replaced => "was replaced by a shorter one:",
                false => "was truncated",
            };
            return Ok(Some(format!("{how} from {} to {} bytes", self.bytes, data.len())));
        }
        let is_later = modified(data) != self.modified;
        // The hashes are of the whole of a small file. In a large one with another time, the bytes
        // between them may have changed.
        let is_same = !is_replaced && !is_later
            || (!is_later || self.bytes <= 2 * HASHED) && self.is_same(file)?;
        let how = if is_replaced { "was replaced by another one" } else { "was modified" };
        Ok((!is_same).then(|| how.to_owned()))
    }

    /// Returns whether the first and the last MiB of these bytes are as they were.
    fn is_same(&self, file: &File) -> Result<bool> {
        let last = self.bytes.saturating_sub(HASHED)..self.bytes;
        Ok(hash(file, &self.path, 0..self.bytes)? == self.first
            && hash(file, &self.path, last)? == self.last)
    }

    /// Checks that a file which has `bytes` bytes now begins as the file that was indexed.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] if it does not.
    pub fn check_beginning(&self, file: &File, bytes: u64) -> Result<()> {
        if bytes >= self.bytes && self.is_same(file)? {
            return Ok(());
        }
        let message = "the part of the file that was indexed has changed; build the index again";
        Err(Error::Malformed { path: self.path.clone(), message: message.to_owned().into() })
    }

    /// Adds the entries that say all this of data file `number`.
    pub fn lines(&self, number: usize, lines: &mut Lines) {
        let mut say = |name: &str, value: String| {
            lines.insert(format!("data.{number}.{name}"), value.into_bytes());
        };
        say("bytes", self.bytes.to_string());
        say("compression", if self.is_bgzf { "bgzf" } else { "none" }.to_owned());
        say("top", self.top.to_string());
        say("modified", self.modified.to_string());
        say("device", self.inode.0.to_string());
        say("inode", self.inode.1.to_string());
        say("first", format!("{:016x}", self.first));
        say("last", format!("{:016x}", self.last));
        lines.insert(format!("data.{number}.path"), self.path.as_os_str().as_bytes().to_vec());
    }

    /// Reads the entries about data file `number`.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] for entries that are missing.
    pub fn read(number: usize, lines: &Reader<'_>) -> Result<Self> {
        let name = |name: &str| format!("data.{number}.{name}");
        let hash = |name: &str| -> Result<u64> {
            let text = std::str::from_utf8(lines.bytes(name)?).unwrap_or_default();
            u64::from_str_radix(text, 16).map_err(|_| lines.wrong(name))
        };
        Ok(Self {
            path: PathBuf::from(OsStr::from_bytes(lines.bytes(&name("path"))?)),
            bytes: lines.number(&name("bytes"))?,
            is_bgzf: match lines.bytes(&name("compression"))? {
                b"none" => false,
                b"bgzf" => true,
                _ => return Err(lines.wrong(&name("compression"))),
            },
            top: lines.number(&name("top"))?,
            modified: lines.number(&name("modified"))?,
            inode: (lines.number(&name("device"))?, lines.number(&name("inode"))?),
            first: hash(&name("first"))?,
            last: hash(&name("last"))?,
        })
    }
}

/// Finds records by their positions.
#[derive(Clone, Debug, Default)]
pub struct Positions {
    /// Offsets at which the files begin, among all of them together.
    starts: Vec<u64>,
}

impl Positions {
    /// Returns the positions in files of these lengths.
    pub fn new(lengths: impl Iterator<Item = u64>) -> Self {
        let starts = lengths.scan(0_u64, |end, bytes| {
            let start = *end;
            *end = end.saturating_add(bytes);
            Some(start)
        });
        Self { starts: starts.collect() }
    }

    /// Returns the position of an offset in a file.
    pub fn position(&self, file: usize, offset: u64) -> u64 {
        self.starts.get(file).copied().unwrap_or_default() + offset
    }

    /// Returns the file of a position, and the offset in it.
    pub fn place(&self, position: u64) -> (usize, u64) {
        let file = self.starts.partition_point(|start| *start <= position).saturating_sub(1);
        (file, position - self.starts.get(file).copied().unwrap_or_default())
    }
}
