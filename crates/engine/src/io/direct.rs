//! Past the page cache or through it: the user's wish, and what a file system can do.
//!
//! Direct transfers need offset, length and memory aligned. `statx` reports the alignments since
//! Linux 6.1; where it does not, 4 KiB for all three is tried and suits every disk we know. Offsets
//! and lengths are never aligned to less than a page: a direct write and a buffered one that share
//! a page of the cache can undo each other, and with page-sized blocks requests that do not overlap
//! never share one.

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::str::FromStr;

use rustix::fs::{AtFlags, Mode, OFlags, StatxFlags, fstat, fstatfs, open, statx};
use rustix::io::Errno;

use super::Answer;
use crate::error::{ParseError, Setting, message, named};
use crate::sys::limits;

named! {
    /// Choice of requests that go past the page cache (`O_DIRECT`).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Direct {
        /// Past it, unless the file is mostly cached already, the file system refuses, or few files
        /// may be open.
        #[default]
        Auto = "auto",
        /// Past it; an error where the file system refuses.
        On = "on",
        /// Always through it.
        Off = "off",
    }
}

impl Direct {
    /// Returns whether files may be opened a second time, past the page cache: not on a mere chance
    /// where few may be open.
    pub fn may_be_direct(self) -> bool {
        match self {
            Self::Auto => !limits::are_files_few(),
            Self::On => true,
            Self::Off => false,
        }
    }
}

impl FromStr for Direct {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::ALL.into_iter().find(|direct| direct.name() == text).ok_or_else(|| {
            let message =
                message!("'{}' is not a value of {}; use auto, on or off", text, Setting::Direct);
            ParseError::new("choice for direct I/O", text, message)
        })
    }
}

/// Choice of direct requests for each stream of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DirectStreams {
    /// Inputs.
    pub input: Direct,
    /// Runs.
    pub spill: Direct,
    /// Output.
    pub output: Direct,
}

impl From<Direct> for DirectStreams {
    fn from(all: Direct) -> Self {
        Self { input: all, spill: all, output: all }
    }
}

impl FromStr for DirectStreams {
    type Err = ParseError;

    /// Reads one choice for all, or `input=off,spill=on`; what is not named is `auto`.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        if !text.contains('=') {
            return text.parse::<Direct>().map(Self::from);
        }
        let mut streams = Self::default();
        for part in text.split(',') {
            let (name, choice) = part.split_once('=').unwrap_or((part, ""));
            let stream = match name {
                "input" => &mut streams.input,
                "spill" => &mut streams.spill,
                "output" => &mut streams.output,
                _ => {
                    let message =
                        message!("'{}' is not a stream; use input, spill or output", name);
                    return Err(ParseError::new("stream", name, message));
                }
            };
            *stream = choice.parse()?;
        }
        Ok(streams)
    }
}

/// `STATX_DIOALIGN`, which rustix knows only by its fields.
const STATX_DIOALIGN: u32 = 0x2000;

/// Largest alignment of direct requests: buffers for the edges of tasks hold no larger block.
/// OpenZFS states the record size of a file, usually 128 KiB, as the alignment of offsets.
pub(crate) const ALIGNMENT_MAX: usize = 64 << 10;

/// File systems that live in memory. Recent kernels accept `O_DIRECT` there and ignore it; older
/// ones refuse. To us it is always refused, so that both behave and report alike.
const MEMORY_FILE_SYSTEMS: [u64; 3] = [0x0102_1994, 0x8584_58f6, 0x9584_58f6];

/// The way past the page cache into one file.
#[derive(Debug)]
pub(super) struct DirectDescriptor {
    pub(super) descriptor: OwnedFd,
    /// Alignment of addresses. A power of two, at most [`ALIGNMENT_MAX`].
    pub(super) memory_alignment: usize,
    /// Alignment of offsets and lengths. A power of two, at least a page, at most
    /// [`ALIGNMENT_MAX`].
    pub(super) block_bytes: usize,
}

impl DirectDescriptor {
    /// Opens the file of `buffered` a second time, by its path. An error says why requests past
    /// the cache are impossible; it is never a reason to fail the job by itself.
    pub(super) fn open(path: &Path, buffered: impl AsFd, access: OFlags) -> Answer<Self> {
        let system = fstatfs(&buffered)?;
        // Some targets have a signed or a 32-bit type here; the magic numbers fit in 32 bits.
        if MEMORY_FILE_SYSTEMS.contains(&(system.f_type as u64 & 0xffff_ffff)) {
            return Err(Errno::INVAL);
        }
        let known = alignments(&buffered)?;
        let flags = access | OFlags::DIRECT | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let descriptor = open(path, flags, Mode::empty())?;
        let (ours, theirs) = (fstat(&buffered)?, fstat(&descriptor)?);
        if (ours.st_dev, ours.st_ino) != (theirs.st_dev, theirs.st_ino) {
            return Err(Errno::STALE); // The name has come to mean another file meanwhile.
        }
        let page_bytes = rustix::param::page_size();
        let (memory_alignment, block_bytes) = known.unwrap_or((page_bytes, page_bytes));
        let block_bytes = block_bytes.max(page_bytes);
        let opened = Self { descriptor, memory_alignment, block_bytes };
        if known.is_none() && !access.intersects(OFlags::WRONLY | OFlags::RDWR) {
            opened.try_read()?;
        }
        Ok(opened)
    }

    /// Returns whether a request that starts here may begin with a direct transfer.
    pub(super) fn suits(&self, address: usize, offset: u64) -> bool {
        address.is_multiple_of(self.memory_alignment)
            && offset.is_multiple_of(self.block_bytes as u64)
    }

    /// Reads the first block, for file systems that accept the flag but not the request.
    fn try_read(&self) -> Answer<()> {
        #[repr(align(65536))]
        struct BlockAlignment([u8; 65536]);
        let mut block = Box::new(BlockAlignment([0; 65536]));
        if self.block_bytes <= block.0.len() {
            rustix::io::pread(&self.descriptor, &mut block.0[..self.block_bytes], 0)?;
        }
        Ok(())
    }
}

/// Returns the alignment of memory and of offsets as the file system states them, `None` where it
/// states nothing.
fn alignments(file: impl AsFd) -> Answer<Option<(usize, usize)>> {
    let wanted = StatxFlags::from_bits_retain(STATX_DIOALIGN);
    let Ok(answer) = statx(file, "", AtFlags::EMPTY_PATH, wanted) else {
        return Ok(None); // Before Linux 4.11, or forbidden.
    };
    if answer.stx_mask & STATX_DIOALIGN == 0 {
        return Ok(None);
    }
    let (memory, offset) =
        (answer.stx_dio_mem_align as usize, answer.stx_dio_offset_align as usize);
    match is_usable(memory) && is_usable(offset) {
        true => Ok(Some((memory, offset))),
        false => Err(Errno::INVAL),
    }
}

/// Returns whether requests can have this alignment. Zero says that this file cannot do it
/// (encrypted, journalled data, verity).
fn is_usable(alignment: usize) -> bool {
    alignment.is_power_of_two() && alignment <= ALIGNMENT_MAX
}

#[cfg(test)]
mod tests;
