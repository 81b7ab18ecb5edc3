//! What decoding takes of a job's memory.
//!
//! A decoder holds the compressed bytes it is at, what it has to look back at, and the buffers it
//! fills ahead. Only the middle differs much: 32 KiB with gzip, up to 8 MiB with lz4, with zstd
//! whatever the file says. So the first bytes of every file are looked at before anything is
//! planned. What cannot be looked at (pipes, frames behind the first) gets a share of the budget,
//! and is refused where it wants more.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::encoding::thread_bytes;
use super::source::READ_BYTES;
use super::{Codec, Compression, Origin, Shape};
use crate::error::{Error, Result};
use crate::units::ByteSize;

/// Windows of zstd that are always allowed for, if the budget has so many times as much: those of
/// levels up to 19.
const WINDOW_USUAL: u64 = 8 << 20;
/// The largest that is allowed for without a file asking for it: what the program of zstd allows.
const WINDOW_UNASKED: u64 = 128 << 20;
/// One part in so many of the budget may be a window that no file was seen to ask for.
const UNASKED_SHARE: u64 = 32;
/// One part in so many may be a window that a file asks for: two files, and a half for the rest.
const ASKED_SHARE: u64 = 8;

/// One part in so many of the budget is for decoding ahead in inputs read one after the other.
const AHEAD_SHARE: u64 = 8;
/// One part in so many is for inputs that are read at once.
const AT_ONCE_SHARE: u64 = 4;

/// Most inputs that are decoded ahead of the one being read, and it.
const IN_TURN_MAX: usize = 4;

/// A decoder's own tables, at most: zstd's, which are the largest.
const TABLES: u64 = 512 << 10;

/// Pages of a thread's stack, and what its allocator keeps.
const THREAD_BYTES: u64 = 256 << 10;

/// Bytes of a file's beginning that tell all there is to know.
const HEAD_BYTES: usize = 18;

/// How inputs are decoded, and what of the budget that takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appetite {
    /// Threads and buffers.
    pub shape: Shape,
    /// Most bytes of a window.
    pub window_bytes: u64,
    /// Memory that it takes beside the job's own.
    pub bytes: u64,
    /// Most inputs that may be read at once.
    pub width: usize,
}

impl Appetite {
    /// For inputs that are read one after the other. The next ones are begun while one is read, as
    /// far as there are threads and memory.
    pub fn in_turn(inputs: &[(Origin, Codec)], budget: ByteSize, threads: usize) -> Result<Self> {
        let most = threads.min(inputs.len()).clamp(1, IN_TURN_MAX);
        let (window_bytes, state) = states(inputs, budget, most)?;
        let buffer_bytes = (budget.bytes() / 256).clamp(64 << 10, 1 << 20) as usize;
        let shape =
            |at_once| Shape { threads: at_once, ahead: at_once - 1, buffer_bytes, ready: 2 };
        let bytes = |at_once| at_once as u64 * (each_bytes(shape(1), state) + THREAD_BYTES);
        let share = budget.bytes() / AHEAD_SHARE;
        let at_once = (1..=most).rev().find(|count| bytes(*count) <= share).unwrap_or(1);
        let (shape, bytes) = (shape(at_once), bytes(at_once));
        Ok(Self { shape, window_bytes, bytes, width: usize::MAX })
    }

    /// For inputs that are read at once, as far as there is memory.
    pub fn at_once(inputs: &[(Origin, Codec)], budget: ByteSize, threads: usize) -> Result<Self> {
        let (window_bytes, state) = states(inputs, budget, inputs.len())?;
        let shape = Shape { threads, ahead: 0, buffer_bytes: 128 << 10, ready: 1 };
        let each = each_bytes(shape, state);
        let width = (budget.bytes() / AT_ONCE_SHARE / each).max(2) as usize;
        let threads = threads.min(inputs.len()) as u64;
        let bytes = each * width.min(inputs.len()) as u64 + threads * THREAD_BYTES;
        Ok(Self { shape, window_bytes, bytes, width })
    }
}

/// What one input takes.
fn each_bytes(shape: Shape, state: u64) -> u64 {
    // One buffer more is being filled, and one read.
    state + (READ_BYTES + (shape.ready + 2) * shape.buffer_bytes) as u64
}

/// The most bytes of a window, and of any decoder, where so many work at once.
fn states(inputs: &[(Origin, Codec)], budget: ByteSize, at_once: usize) -> Result<(u64, u64)> {
    let mut window_bytes = window_floor(budget, at_once);
    let mut state = TABLES;
    for (origin, codec) in inputs {
        let head = match origin {
            Origin::File(path) => head(path)?,
            Origin::Stdin => None,
        };
        state = state.max(match (codec, &head) {
            (Codec::Gzip, _) => 0,
            (Codec::Zstd, head) => {
                let window = head.as_deref().and_then(window_of).unwrap_or(0);
                check_window(origin, window, budget)?;
                window_bytes = window_bytes.max(window.next_power_of_two());
                window_bytes + TABLES
            }
            // The block as it was, and as it is now; what it looks back at.
            (Codec::Lz4, head) => 2 * head.as_deref().map_or(4 << 20, lz4_block_of) + TABLES,
        });
    }
    Ok((window_bytes, state))
}

/// Windows that are allowed for without having been asked for, where so many decoders work at once.
fn window_floor(budget: ByteSize, at_once: usize) -> u64 {
    let share = budget.bytes() / UNASKED_SHARE;
    let most = (share / at_once.max(1) as u64).min(WINDOW_UNASKED);
    1 << most.max(share.min(WINDOW_USUAL)).max(1).ilog2()
}

fn check_window(origin: &Origin, window: u64, budget: ByteSize) -> Result<()> {
    let (Origin::File(path), true) = (origin, window > budget.bytes() / ASKED_SHARE) else {
        return Ok(());
    };
    Err(Error::Malformed {
        path: path.clone(),
        message: format!(
            "its zstd frames look back {}, too far for a memory budget of {budget}; give at least \
             {} with --memory, or compress it without --long and --ultra",
            ByteSize(window),
            ByteSize(window.saturating_mul(ASKED_SHARE))
        ),
    })
}

/// The first bytes of a regular file; of nothing else, as they would be gone.
fn head(path: &Path) -> Result<Option<Vec<u8>>> {
    let metadata = std::fs::metadata(path).map_err(|e| Error::io("open", path, e))?;
    if metadata.is_dir() {
        return Err(Error::io("read", path, rustix::io::Errno::ISDIR));
    }
    if !metadata.is_file() {
        let readable = rustix::fs::access(path, rustix::fs::Access::READ_OK);
        return readable.map(|()| None).map_err(|e| Error::io("open", path, e));
    }
    let file = File::open(path).map_err(|e| Error::io("open", path, e))?;
    let mut head = Vec::with_capacity(HEAD_BYTES);
    let read = file.take(HEAD_BYTES as u64).read_to_end(&mut head);
    read.map(|_| Some(head)).map_err(|e| Error::io("read", path, e))
}

/// The window of the zstd frame that begins so, if one does (RFC 8878, section 3.1.1.1).
fn window_of(head: &[u8]) -> Option<u64> {
    const MAGIC: [u8; 4] = 0xfd2f_b528_u32.to_le_bytes();
    let [descriptor, rest @ ..] = head.strip_prefix(&MAGIC)? else { return None };
    if descriptor & 1 << 5 == 0 {
        let byte = u64::from(*rest.first()?);
        let base = 1_u64 << (10 + (byte >> 3));
        return Some(base + base / 8 * (byte & 7));
    }
    // A single segment: the window is all of the content, whose length follows.
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let number = rest.get(dictionary..)?;
    match descriptor >> 6 {
        0 => number.first().map(|byte| u64::from(*byte)),
        1 => number.first_chunk().map(|bytes| u64::from(u16::from_le_bytes(*bytes)) + 256),
        2 => number.first_chunk().map(|bytes| u64::from(u32::from_le_bytes(*bytes))),
        _ => number.first_chunk().map(|bytes| u64::from_le_bytes(*bytes)),
    }
}

/// The blocks of the lz4 frame that begins so; the largest there are, if none does.
fn lz4_block_of(head: &[u8]) -> u64 {
    match head.get(5).map(|code| code >> 4 & 7) {
        Some(code @ 4..=7) => 1 << (8 + 2 * u64::from(code)),
        _ => 4 << 20,
    }
}

/// One part in so many of the budget is for compressing the output.
const OUTPUT_SHARE: u64 = 8;

/// Threads that compress an output, of those wanted, and what of the budget they take.
pub fn encoders(compression: Compression, budget: ByteSize, wanted: usize) -> (usize, u64) {
    let (each, besides) = thread_bytes(compression);
    let bytes = |threads: usize| threads as u64 * each + besides;
    let share = budget.bytes() / OUTPUT_SHARE;
    let threads = (1..=wanted.max(1)).rev().find(|threads| bytes(*threads) <= share).unwrap_or(1);
    (threads, bytes(threads))
}
