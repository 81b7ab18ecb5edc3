//! Memory that decoding takes from a job's budget.
//!
//! A decoder holds the compressed bytes it is at, what it has to look back at, and the buffers it
//! fills ahead. Only the middle differs much: 32 KiB with gzip, with zstd the window that the file
//! states, with lz4 two of its blocks, which have up to 4 MiB. So the first bytes of every file are
//! looked at before anything is planned. For unknown sizes (pipes, frames after the first) there
//! are spare bytes that all decoders share ([`Windows`]). A frame that asks for more is refused.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::encoding::thread_bytes;
use super::source::READ_BYTES;
use super::{Codec, Compression, DecodingShape, Origin};
use crate::error::{Error, Message, Result, Setting, message};
use crate::units::ByteSize;

/// Divisor of the budget for a pipe's largest window: enough for levels of zstd up to 19.
const PIPE_SHARE: u64 = 32;
const PIPE_WINDOW_MAX: u64 = 8 << 20;
/// Divisor of the budget for spare bytes, where there are windows.
const SPARE_SHARE: u64 = 16;
/// Divisor of the budget for a window that a file asks for: two files, and a half for the rest.
const ASKED_SHARE: u64 = 8;

/// Divisor of the budget for decoding ahead in inputs read one after the other.
const AHEAD_SHARE: u64 = 8;
/// Divisor of the budget for inputs that are read at once.
const AT_ONCE_SHARE: u64 = 4;

/// Most inputs that are decoded ahead of the one being read, and it.
const IN_TURN_MAX: usize = 4;

/// Most threads that expand batches of inputs.
const BATCH_THREADS_MAX: usize = 8;

/// Least buffers of an input that are filled ahead.
const READY_LEAST: usize = 2;

/// Bytes of a member or frame beyond its data, which may be stored, and beyond a share of the data.
const PACKED_EXTRA: usize = 4 << 10;

/// A decoder's own tables, and what is set up anew with them.
const GZIP_STATE: u64 = 128 << 10;
const ZSTD_TABLES: u64 = 512 << 10;
const LZ4_TABLES: u64 = 192 << 10;

/// Magic number of a zstd frame.
pub const ZSTD_MAGIC: u32 = 0xfd2f_b528;

/// The largest blocks of lz4.
const LZ4_BLOCK_MAX: u64 = 4 << 20;

/// Flag in the header of an lz4 frame: its blocks do not look back.
pub const LZ4_INDEPENDENT: u8 = 1 << 5;

/// Pages of a thread's stack, and what its allocator keeps.
const THREAD_BYTES: u64 = 256 << 10;

/// Bytes at the start of a file that are enough to plan its decoding.
pub const HEAD_BYTES: usize = 18;

/// Plan for decoding the inputs, and the part of the budget that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appetite {
    /// Threads and buffers.
    pub shape: DecodingShape,
    /// Bytes that every decoder has for windows.
    pub window_bytes: u64,
    /// Bytes that windows may have beyond that, all together.
    pub spare_bytes: u64,
    /// Memory that it takes beside the job's own: `spare_bytes`, `thread_bytes`, and decoders'.
    pub bytes: u64,
    /// Part of `bytes` that threads take with any budget.
    pub thread_bytes: u64,
    /// Divisor of the budget for the most that decoders take, if that is more than they need.
    pub share: u64,
    /// Most inputs that may be read at once.
    pub width: usize,
}

impl Appetite {
    /// Plans decoding of inputs that are read one after the other. While one input is read,
    /// decoding of the next ones begins, as far as there are threads and memory.
    pub fn in_turn(inputs: &[(Origin, Codec)], budget: ByteSize, threads: usize) -> Result<Self> {
        let most = threads.min(inputs.len()).clamp(1, IN_TURN_MAX);
        let WindowState { window_bytes, spare_bytes, each: state, block_bytes } =
            WindowState::new(inputs, budget)?;
        let buffer_bytes = (budget.bytes() / 256).clamp(64 << 10, 1 << 20) as usize;
        let in_order = |at_once| DecodingShape {
            threads: at_once,
            ahead: at_once - 1,
            buffer_bytes,
            ready: READY_LEAST,
            packed_bytes: 0,
        };
        // Each thread has a batch, and each input as many buffers as all threads fill.
        let in_batches = |threads: usize, buffer_bytes: usize| DecodingShape {
            threads,
            ahead: most.min(threads) - 1,
            buffer_bytes,
            ready: READY_LEAST.max(threads + 1),
            packed_bytes: buffer_bytes + buffer_bytes / 64 + PACKED_EXTRA,
        };
        let bytes = |shape: DecodingShape| {
            let inputs = (shape.ahead as u64 + 1) * each_bytes(shape, state);
            let state = if shape.packed_bytes > 0 { state } else { 0 };
            inputs + shape.threads as u64 * (THREAD_BYTES + state)
        };
        let share = budget.bytes() / AHEAD_SHARE;
        // Buffers hold an independent block of every input, if two threads have room for that.
        let sizes = [buffer_bytes.max(block_bytes as usize), buffer_bytes];
        let most_threads = threads.min(BATCH_THREADS_MAX);
        let batches = sizes.into_iter().flat_map(|bytes| {
            (2..=most_threads).rev().map(move |threads| in_batches(threads, bytes))
        });
        let fits = |shape: &DecodingShape| bytes(*shape) <= share;
        let shape = batches.chain((1..=most).rev().map(in_order)).find(fits);
        let shape = shape.unwrap_or_else(|| in_order(1));
        let bytes = bytes(shape) + spare_bytes;
        let (width, thread_bytes, share) = (usize::MAX, 0, AHEAD_SHARE);
        Ok(Self { shape, window_bytes, spare_bytes, bytes, thread_bytes, share, width })
    }

    /// Plans decoding of inputs that are read at once, as far as there is memory.
    pub fn at_once(inputs: &[(Origin, Codec)], budget: ByteSize, threads: usize) -> Result<Self> {
        let WindowState { window_bytes, spare_bytes, each: state, .. } =
            WindowState::new(inputs, budget)?;
        let buffer_bytes = 128 << 10;
        let shape = DecodingShape { threads, ahead: 0, buffer_bytes, ready: 1, packed_bytes: 0 };
        let each = each_bytes(shape, state);
        let width = (budget.bytes() / AT_ONCE_SHARE / each).max(2) as usize;
        let thread_bytes = threads.min(inputs.len()) as u64 * THREAD_BYTES;
        let bytes = each * width.min(inputs.len()) as u64 + thread_bytes + spare_bytes;
        let share = AT_ONCE_SHARE;
        Ok(Self { shape, window_bytes, spare_bytes, bytes, thread_bytes, share, width })
    }

    /// Returns the memory taken, part by part, each with its divisor of a larger budget. Buffers
    /// grow with the budget too, by less than the share assumed here for the spare bytes.
    pub fn parts(&self) -> [(u64, u64); 3] {
        let decoders = self.bytes - self.spare_bytes - self.thread_bytes;
        let spare = (self.spare_bytes, SPARE_SHARE * 3 / 4);
        [(decoders, self.share), (self.thread_bytes, 0), spare]
    }
}

/// Returns the bytes that one input takes.
fn each_bytes(shape: DecodingShape, state: u64) -> u64 {
    // One buffer more is being filled, and one read.
    let buffers = (shape.ready + 2) * shape.buffer_bytes;
    // One batch more is being cut off, and the next one looked at.
    let batches = (shape.ready + 2) * shape.packed_bytes;
    state + (READ_BYTES + buffers + batches) as u64
}

/// Memory that decoders hold in addition to their buffers.
struct WindowState {
    window_bytes: u64,
    spare_bytes: u64,
    /// The most that any of them holds, its window included.
    each: u64,
    /// Bytes of the largest independent blocks, 0 without any.
    block_bytes: u64,
}

impl WindowState {
    fn new(inputs: &[(Origin, Codec)], budget: ByteSize) -> Result<Self> {
        let mut state = Self { window_bytes: 0, spare_bytes: 0, each: 0, block_bytes: 0 };
        let unseen = (budget.bytes() / PIPE_SHARE).min(PIPE_WINDOW_MAX);
        let mut tables_bytes = 0;
        for (origin, codec) in inputs {
            let head = match origin {
                Origin::File(path) => head(path)?,
                Origin::Stdin | Origin::Begun(_) => None,
            };
            let (tables, window, largest) = match codec {
                Codec::Gzip => (GZIP_STATE, 0, 0),
                Codec::Zstd => {
                    let window = head.map_or(unseen, |head| window_of(&head).unwrap_or(0));
                    check_window(origin, window, budget)?;
                    (ZSTD_TABLES, window, u64::MAX)
                }
                Codec::Lz4 => {
                    let head = head.unwrap_or_default();
                    let block = lz4_block_of(&head);
                    if has_lz4_units(&head) {
                        state.block_bytes = state.block_bytes.max(block);
                    }
                    (LZ4_TABLES, lz4_window(block), lz4_window(LZ4_BLOCK_MAX))
                }
            };
            tables_bytes = tables.max(tables_bytes);
            state.window_bytes = state.window_bytes.max(window);
            if window < largest {
                state.spare_bytes = budget.bytes() / SPARE_SHARE;
            }
        }
        state.each = state.window_bytes + tables_bytes;
        Ok(state)
    }
}

/// Returns the bytes that an lz4 decoder holds of blocks of `block` bytes: one as it was stored,
/// and one as it is expanded.
pub fn lz4_window(block: u64) -> u64 {
    2 * block
}

/// The memory of windows, shared by the decoders of a job.
#[derive(Debug)]
pub struct Windows {
    /// Bytes that each has for its own.
    each: u64,
    /// Bytes for all decoders that need more, and how many of them are left.
    all: u64,
    spare: AtomicU64,
}

impl Windows {
    /// Returns windows with `each` bytes for each decoder, and `spare` bytes for all together.
    pub fn new(each: u64, spare: u64) -> Self {
        Self { each, all: spare, spare: AtomicU64::new(spare) }
    }

    /// Returns the bytes that one decoder has to begin with.
    pub fn each(&self) -> u64 {
        self.each
    }

    /// Takes `bytes` of what is spare, or tells how many there are.
    pub fn take(&self, bytes: u64) -> std::result::Result<(), u64> {
        let taken = |spare: u64| spare.checked_sub(bytes);
        self.spare.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).map(drop)
    }

    /// Gives them back.
    pub fn give_back(&self, bytes: u64) {
        self.spare.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// The memory that one decoder has for its window.
#[derive(Debug)]
pub struct WindowMemory {
    windows: Arc<Windows>,
    bytes: u64,
}

impl WindowMemory {
    /// Returns the memory that a decoder has to begin with.
    pub fn new(windows: &Arc<Windows>) -> Self {
        Self { windows: Arc::clone(windows), bytes: windows.each() }
    }

    /// Returns the bytes that the decoder has in any case.
    pub fn own(&self) -> u64 {
        self.windows.each()
    }

    /// Sees to it that there are `bytes` bytes.
    ///
    /// # Errors
    ///
    /// The bytes that there can be, and the least budget that has room for these too.
    pub fn reserve(&mut self, bytes: u64) -> std::result::Result<(), WindowShortage> {
        let more = bytes.saturating_sub(self.bytes);
        self.windows.take(more).map_err(|spare| WindowShortage {
            there: ByteSize(self.bytes + spare),
            least: budget_for_window((self.windows.all - spare).saturating_add(bytes)),
        })?;
        self.bytes += more;
        Ok(())
    }

    /// Gives back what was reserved, when a window is over.
    pub fn release(&mut self) {
        self.windows.give_back(self.bytes - self.windows.each());
        self.bytes = self.windows.each();
    }
}

impl Drop for WindowMemory {
    fn drop(&mut self) {
        self.release();
    }
}

/// Refusal of memory for a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowShortage {
    /// Bytes that there can be.
    pub there: ByteSize,
    /// Least budget that has room for the window, while other decoders keep theirs.
    pub least: ByteSize,
}

impl WindowShortage {
    /// Returns the error of the input called `name`.
    pub fn error(self, name: &Path, message: Message) -> Error {
        Error::BudgetExceeded { path: name.to_owned(), message, least: Some(self.least) }
    }
}

/// Returns the least budget whose spare bytes are `bytes`.
fn budget_for_window(bytes: u64) -> ByteSize {
    ByteSize(bytes.saturating_mul(SPARE_SHARE)).rounded_up()
}

fn check_window(origin: &Origin, window: u64, budget: ByteSize) -> Result<()> {
    let (Origin::File(path), true) = (origin, window > budget.bytes() / ASKED_SHARE) else {
        return Ok(());
    };
    let least = ByteSize(window.saturating_mul(ASKED_SHARE)).rounded_up();
    Err(Error::BudgetExceeded {
        path: path.clone(),
        least: Some(least),
        message: message!(
            "its zstd frames need a window of {}, too large for a memory budget of {}; give at \
             least {} with {}, or compress it without --long and --ultra",
            ByteSize(window),
            budget,
            least,
            Setting::Memory,
        ),
    })
}

/// Returns the first bytes of a regular file that tell how to expand it.
fn head(path: &Path) -> Result<Option<Vec<u8>>> {
    beginning(path, HEAD_BYTES)
}

/// Returns up to `bytes` first bytes of a regular file. Returns `None` for any other file, as
/// reading would consume them.
///
/// # Errors
///
/// The errors of the system.
pub fn beginning(path: &Path, bytes: usize) -> Result<Option<Vec<u8>>> {
    let metadata = std::fs::metadata(path).map_err(|e| Error::io("open", path, e))?;
    if metadata.is_dir() {
        return Err(Error::io("read", path, rustix::io::Errno::ISDIR));
    }
    if !metadata.is_file() {
        let readable = rustix::fs::access(path, rustix::fs::Access::READ_OK);
        return readable.map(|()| None).map_err(|e| Error::io("open", path, e));
    }
    let file = File::open(path).map_err(|e| Error::io("open", path, e))?;
    let mut head = Vec::with_capacity(bytes);
    let read = file.take(bytes as u64).read_to_end(&mut head);
    read.map(|_| Some(head)).map_err(|e| Error::io("read", path, e))
}

/// Header of a zstd frame (RFC 8878, section 3.1.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZstdHead {
    /// Bytes of the header, the magic number included.
    pub bytes: usize,
    /// Bytes that the frame expands to, if it states them.
    pub content_bytes: Option<u64>,
    /// Bytes that the frame looks back at most.
    window_bytes: u64,
    /// True if it was compressed with a dictionary.
    pub has_dictionary: bool,
    /// True if a checksum follows the last block.
    pub has_checksum: bool,
}

impl ZstdHead {
    /// Reads the header that `head` begins with. Returns `None` for other data, and if the end of
    /// the header is missing.
    pub fn read(head: &[u8]) -> Option<Self> {
        let [descriptor, rest @ ..] = head.strip_prefix(&ZSTD_MAGIC.to_le_bytes())? else {
            return None;
        };
        // In a single segment, the window is all of the content.
        let is_single = descriptor & 1 << 5 != 0;
        let window = if is_single { None } else { Some(u64::from(*rest.first()?)) };
        let dictionary_bytes = [0, 1, 2, 4][usize::from(descriptor & 3)];
        let before = usize::from(!is_single) + dictionary_bytes;
        let number = rest.get(before..)?;
        let (length, content_bytes) = match descriptor >> 6 {
            0 if is_single => (1, Some(u64::from(*number.first()?))),
            0 => (0, None),
            1 => (2, Some(u64::from(u16::from_le_bytes(*number.first_chunk()?)) + 256)),
            2 => (4, Some(u64::from(u32::from_le_bytes(*number.first_chunk()?)))),
            _ => (8, Some(u64::from_le_bytes(*number.first_chunk()?))),
        };
        let of_exponent = |byte: u64| {
            let base = 1_u64 << (10 + (byte >> 3));
            base + base / 8 * (byte & 7)
        };
        Some(Self {
            bytes: head.len() - rest.len() + before + length,
            content_bytes,
            window_bytes: window.map_or(content_bytes.unwrap_or(0), of_exponent),
            has_dictionary: dictionary_bytes > 0,
            has_checksum: descriptor & 1 << 2 != 0,
        })
    }
}

/// Returns the window of a zstd frame that starts with `head`, if it is one.
pub fn window_of(head: &[u8]) -> Option<u64> {
    ZstdHead::read(head).map(|head| head.window_bytes)
}

/// Returns the block size of an lz4 frame that starts with `head`, or the largest size for other
/// data.
fn lz4_block_of(head: &[u8]) -> u64 {
    match head.get(5).map(|code| code >> 4 & 7) {
        Some(code @ 4..=7) => 1 << (8 + 2 * u64::from(code)),
        _ => LZ4_BLOCK_MAX,
    }
}

/// Returns whether the blocks of an lz4 frame that starts with `head` may be independent.
fn has_lz4_units(head: &[u8]) -> bool {
    head.get(4).is_none_or(|flags| flags & LZ4_INDEPENDENT != 0)
}

/// Divisor of the budget for compressing the output.
pub const OUTPUT_SHARE: u64 = 8;

/// Threads that compress an output, and the memory that they take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodingAppetite {
    /// Number of threads.
    pub threads: usize,
    /// Bytes that they take.
    pub bytes: u64,
    /// Bytes that one thread takes, the least in any budget.
    pub least: u64,
    /// Bytes that all wanted threads take.
    pub most: u64,
    /// Bytes that each further thread takes.
    pub each: u64,
}

impl EncodingAppetite {
    /// Returns as many threads, of those wanted, as the share of the budget has room for.
    pub fn new(compression: Compression, budget: ByteSize, wanted: usize) -> Self {
        let (each, besides) = thread_bytes(compression);
        let bytes = |threads: usize| threads as u64 * each + besides;
        let (share, wanted) = (budget.bytes() / OUTPUT_SHARE, wanted.max(1));
        let threads = (1..=wanted).rev().find(|threads| bytes(*threads) <= share).unwrap_or(1);
        Self { threads, bytes: bytes(threads), least: bytes(1), most: bytes(wanted), each }
    }
}

#[cfg(test)]
mod tests;
