//! Byte strings: as they are where they stand last, else with an end that sorts before every byte.
//!
//! ```text
//!     a \0 b \1    ->   a 01 01 b 01 02 00        end 00, and the bytes 0 and 1 are escaped
//! ```
//!
//! Escaping two bytes buys an end of one: text hardly ever holds either of them, and every text has
//! an end.

use std::cell::Cell;
use std::cmp::Ordering;

use memchr::{memchr2, memchr2_iter};

use super::super::content::with_buffer;
use super::super::order::Collation;
use super::super::sink::load;
use super::super::turns::in_turn;
use super::{
    ByteMeaning, Class, Content, Detail, KeySink, KeyType, Traits, TypeNames, Typed, Usual,
};

/// Bytes, or text where there is a collation.
#[derive(Debug)]
pub struct BytesType;

impl KeyType for BytesType {
    const NAMES: TypeNames = &[("bytes", Detail::None), ("text", Detail::None)];
    const TRAITS: Traits = Traits {
        usual: Usual::Bytes,
        alphabet: Some(ByteMeaning::Plain),
        ..Traits::of(Class::Text)
    };

    fn order_of([a, b]: [&[u8]; 2], agreed: usize, of: &Typed) -> Option<Ordering> {
        let collation = of.collation.as_ref()?;
        let is_short = a.len().max(b.len()) - agreed <= COLLATED_BYTES;
        if is_short { collation.compare(a, b) } else { None }
    }
}

/// Appends the key of a text, by its bytes or by a collation.
pub fn append_text<S: KeySink>(text: Content<'_>, of: &Typed, out: &mut S) {
    match &of.collation {
        None => append(text, of.is_open, out),
        Some(collation) => append_collated(&**collation, text, of.is_open, out),
    }
}

/// Returns where two texts that agree for `agreed` bytes may be compared from.
pub fn restart_of([text, _]: &[Content<'_>; 2], agreed: usize, of: &Typed) -> usize {
    if of.collation.is_some() { 0 } else { text.boundary(agreed) }
}

/// Bytes of a collation's key that are made in one piece.
const COLLATED_BYTES: usize = 4 << 10;

/// Larger blocks of memory are the system's own, which it makes larger without a copy.
const MOVED_BYTES: usize = 32 << 20;

/// Bytes of a text of which it is measured together what its key takes.
const MEASURED_BYTES: usize = 64 << 10;

thread_local! {
    /// Space for a collation's key.
    static COLLATED: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

const END: u8 = 0;
const ESCAPE: u8 = 1;

/// Ends a key made by a collation, which holds the byte 0 only in front of another.
const COLLATED_END: [u8; 2] = [END, END];

/// Appends the key that a collation makes of `text`; without an end where the key is open.
fn append_collated<S: KeySink>(
    collation: &dyn Collation,
    text: Content<'_>,
    is_open: bool,
    out: &mut S,
) {
    let room = out.room();
    let mut append = |text: &[u8]| match room {
        ..=COLLATED_BYTES => with_buffer(&COLLATED, |key| {
            collation.append_key(text, room, key);
            out.extend(&key[..key.len().min(room)]);
        }),
        _ => collation.show_key(text, &mut |piece| {
            out.extend(piece);
            out.room() > 0
        }),
    };
    in_turn(text.raw().len(), || text.with_slice(usize::MAX, &mut append));
    if !is_open {
        out.extend(&COLLATED_END);
    }
}

/// Returns the number of bytes of memory that a collation takes to make the key of a long text.
pub fn collated_scratch(collation: &dyn Collation, text: &Content<'_>) -> usize {
    let mut bytes = 0;
    let mut piece = Vec::with_capacity(MEASURED_BYTES);
    let mut measure = |piece: &mut Vec<u8>| {
        bytes += collation.piece_bytes(piece);
        piece.clear();
    };
    text.show_pieces(usize::MAX, |shown| {
        for shown in shown.chunks(MEASURED_BYTES) {
            piece.extend_from_slice(shown);
            if piece.len() >= MEASURED_BYTES {
                measure(&mut piece);
            }
        }
    });
    measure(&mut piece);
    // A buffer that grows may lie beside the larger one, unless the system moves it.
    text.written_bytes() + bytes + bytes.min(MOVED_BYTES)
}

/// Appends `text`; without an end where the key is open.
#[inline]
pub fn append<'a, S: KeySink>(text: impl Into<Content<'a>>, is_open: bool, out: &mut S) {
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
#[inline(always)]
pub fn append_slice<S: KeySink>(text: &[u8], is_open: bool, out: &mut S) {
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
pub fn append_escaped<S: KeySink>(text: &[u8], out: &mut S) {
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
