//! Byte strings: as they are where they stand last, else with an end that sorts before every byte.
//!
//! ```text
//!     a \0 b \1    ->   a 01 01 b 01 02 00        end 00, and the bytes 0 and 1 are escaped
//! ```
//!
//! Escaping two bytes buys an end of one: text hardly ever holds either of them, and every text has
//! an end.

use memchr::{memchr2, memchr2_iter};

use super::super::content::Content;
use super::super::sink::{Sink, load};

const END: u8 = 0;
const ESCAPE: u8 = 1;

/// Ends a key made by a collation, which holds the byte 0 only in front of another.
pub const COLLATED_END: [u8; 2] = [END, END];

/// Appends `text`; without an end where the key is open.
#[inline]
pub fn append<'a, S: Sink>(text: impl Into<Content<'a>>, is_open: bool, out: &mut S) {
    let text = text.into();
    match text.as_slice() {
        Some(text) => append_slice(text, is_open, out),
        None => {
            text.show_pieces(out.room(), |piece| match is_open {
                true => out.extend(piece),
                false => append_escaped(piece, out),
            });
            if !is_open {
                out.push(END);
            }
        }
    }
}

/// Appends bytes that stand for themselves; without an end where the key is open.
#[inline]
pub fn append_slice<S: Sink>(text: &[u8], is_open: bool, out: &mut S) {
    let wanted = &text[..text.len().min(out.room())];
    if is_open {
        out.extend(wanted);
        return;
    }
    append_escaped(wanted, out);
    out.push(END);
}

/// Appends `text` without an end, in such a way that one may follow.
#[inline]
pub fn append_escaped<S: Sink>(text: &[u8], out: &mut S) {
    if text.len() <= 8 && is_plain(text) {
        out.extend(text);
        return;
    }
    let mut rest = text;
    while let Some(at) = memchr2(0, ESCAPE, rest) {
        out.extend(&rest[..at]);
        out.push(ESCAPE);
        out.push(rest[at] + 1);
        rest = &rest[at + 1..];
    }
    out.extend(rest);
}

/// Returns whether a byte is escaped.
#[inline]
pub fn is_escaped(byte: &u8) -> bool {
    matches!(*byte, 0 | ESCAPE)
}

/// Returns the number of bytes of `text` that are escaped.
pub fn escapes(text: &[u8]) -> usize {
    memchr2_iter(0, ESCAPE, text).count()
}

/// Returns whether the first eight bytes hold none that is escaped.
#[inline]
pub fn is_plain(text: &[u8]) -> bool {
    let behind = u64::MAX.checked_shr(8 * text.len().min(8) as u32).unwrap_or(0);
    let word = load(text) | behind;
    const ONES: u64 = u64::MAX / 0xff;
    // A byte less than 2 borrows from its top bit, which was not set. (Warren, Hacker's Delight,
    // section 6-1; a borrow into the next byte only matters where this one is found anyway.)
    word.wrapping_sub(2 * ONES) & !word & (0x80 * ONES) == 0
}
