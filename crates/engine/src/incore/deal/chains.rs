//! Chains: one worker's items of each bucket, in chunks, and the lines that items get there by.
//!
//! Items are collected a line at a time before they go to their chains (software write combining;
//! Satish et al., SIGMOD 2010, section 4): with thousands of buckets the ends of the chains are on
//! as many pages, and each visit there costs address translation and reading a line from memory
//! that is about to be overwritten.
//!
//! Items lie back to back in a chunk. Their bytes need not divide a line. The item that crosses the
//! end of a line is written whole into the line and the room after it; what is after the end
//! begins the next line. No item crosses the end of a chunk, so its last line may be shorter:
//!
//! ```text
//!   line    | item | item | item | it:em |      a cache line of room after each line
//!   next    | em   | item | item | item |
//!   last    |      | item | item |  -- |        the chunk ends
//! ```

use crate::incore::item::{RECORD_ITEM_MAX, copy_item};
use crate::incore::pool::{CHUNK, LINE, NONE, Pool};
use crate::incore::prefetch::{CACHE_LINE, prefetch_line};
use crate::incore::streaming::{CacheLine, finish_streaming, stream_lines};

const _: () = assert!(RECORD_ITEM_MAX <= CACHE_LINE, "the room after a line is a cache line");

/// The chains of one worker.
#[derive(Debug)]
pub struct Chains {
    /// For each bucket, a line of items that are not in its chain yet, and the room after it.
    lines: Vec<CacheLine>,
    /// Cache lines that the line of a bucket takes, with the room after it.
    step: usize,
    fills: Vec<LineFill>,
    ends: Vec<ChainEnd>,
    /// Bytes of items in the last line of a chunk.
    last_line: u8,
}

/// Fill of a line.
#[derive(Clone, Copy, Debug)]
struct LineFill {
    bytes: u8,
    /// Bytes from which on the line goes to the chain.
    full: u8,
}

/// The end of one chain: where the next line goes.
#[derive(Clone, Copy, Debug)]
struct ChainEnd {
    /// Next free place in `chunk`; `lines_left` lines still fit from there.
    at: *mut u8,
    lines_left: u32,
    chunk: u32,
}

// SAFETY: the pointers in `ends` lead into chunks that these chains alone may write, wherever they
// are.
unsafe impl Send for Chains {}
// SAFETY: shared chains offer only reads of their own fields.
unsafe impl Sync for Chains {}

impl Chains {
    /// Returns `buckets` empty chains of items of `item_bytes` bytes.
    pub fn new(item_bytes: usize, buckets: usize) -> Self {
        assert!(item_bytes <= RECORD_ITEM_MAX);
        let is_crossed = !LINE.is_multiple_of(item_bytes);
        let step = LINE / CACHE_LINE + usize::from(is_crossed);
        let items = Pool::items_per_chunk(item_bytes) * item_bytes;
        assert!(items > CHUNK - LINE, "a chunk has as many lines for all items");
        Self {
            lines: vec![CacheLine([0; CACHE_LINE]); step * buckets],
            step,
            fills: vec![LineFill { bytes: 0, full: LINE as u8 }; buckets],
            ends: vec![ChainEnd { at: std::ptr::null_mut(), lines_left: 0, chunk: NONE }; buckets],
            last_line: (items - (CHUNK - LINE)) as u8,
        }
    }

    /// Asks for the place of the next item of a bucket.
    #[inline(always)]
    pub fn prefetch(&self, bucket: usize) {
        let line = self.lines[bucket * self.step..].as_ptr();
        prefetch_line(line.cast::<u8>().wrapping_add(usize::from(self.fills[bucket].bytes)));
    }

    /// Adds an item to a bucket.
    #[inline(always)]
    pub fn push(&mut self, bucket: usize, item: &[u8], pool: &Pool) {
        let fill = &mut self.fills[bucket];
        let begun = usize::from(fill.bytes);
        fill.bytes += item.len() as u8;
        let is_full = fill.bytes >= fill.full;
        copy_item(item, &mut self.line_mut(bucket)[begun..begun + item.len()]);
        if is_full {
            self.flush(bucket, pool);
        }
    }

    /// Returns the line of a bucket, and the room after it.
    #[inline(always)]
    fn line_mut(&mut self, bucket: usize) -> &mut [u8] {
        let lines = &mut self.lines[bucket * self.step..][..self.step];
        // SAFETY: a cache line is so many bytes, without padding, and these lie side by side.
        unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), size_of_val(lines)) }
    }

    /// Moves the line of a bucket to its chain. What is after the line begins the next one.
    #[inline(always)]
    fn flush(&mut self, bucket: usize, pool: &Pool) {
        let end = &mut self.ends[bucket];
        if end.lines_left == 0 {
            end.chunk = pool.take(end.chunk);
            end.at = pool.items(end.chunk);
            end.lines_left = (CHUNK / LINE) as u32;
        }
        let to = end.at;
        end.at = to.wrapping_add(LINE);
        end.lines_left -= 1;
        let full = if end.lines_left == 1 { self.last_line } else { LINE as u8 };
        let fill = &mut self.fills[bucket];
        // Only a seal moves less than a full line.
        fill.bytes = fill.bytes.saturating_sub(fill.full);
        fill.full = full;
        let line = self.line_mut(bucket);
        // SAFETY: `to` is room for a line in a chunk that these chains alone may write. Lines fill
        // the chunk from its start, so that they are aligned to `LINE`. Nobody reads them before
        // the bucket is sorted.
        unsafe { stream_lines::<LINE>(line.as_ptr(), to) };
        if line.len() > LINE {
            line.copy_within(LINE..LINE + RECORD_ITEM_MAX, 0);
        }
    }

    /// Moves what does not fill a line to the chains: dealing is over.
    pub fn seal(&mut self, pool: &Pool) {
        for bucket in 0..self.fills.len() {
            if self.fills[bucket].bytes > 0 {
                self.flush(bucket, pool);
            }
        }
        finish_streaming();
    }

    /// Returns the last chunk of a bucket's chain.
    pub fn last_chunk(&self, bucket: usize) -> u32 {
        self.ends[bucket].chunk
    }
}
