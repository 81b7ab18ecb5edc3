//! File names with version numbers in them, as GNU's manual describes ("Version sort ordering").
//!
//! ```text
//!     class    00 nothing | 01 "." | 02 ".." | 03 begins with a point | 04 any other
//!     stem     the name without what looks like file extensions
//!     00, or 01 and the whole name: with extensions, where the stems are equal
//!
//!     part     not digits | END | value of the digits          repeated, and END behind the last
//!     order    ~  <  END  <  letters  <  all other bytes
//! ```
//!
//! Where digits begin, the text before them ends as it does where the name ends: `a`, like `a0`, is
//! `a` and then zero. So the end of text and the end of a name can be one byte, and a name of equal
//! parts is equal, however its zeros are written. A name without extensions comes before every name
//! with some whose stem is equal to it, since these begin with a point where it ends.

use std::cmp::Ordering;

use super::digits;
use super::natural::order_within_number;
use super::{Class, Content, Detail, KeySink, KeyType, Traits, TypeNames, Typed};

/// File names with version numbers in them (GNU's `-V`).
#[derive(Debug)]
pub struct VersionType;

/// Bytes of a string with escapes that count as a version.
const ESCAPED_VERSION_MAX: usize = 1 << 20;

impl KeyType for VersionType {
    const NAMES: TypeNames = &[("version", Detail::None)];
    const TRAITS: Traits = Traits::of(Class::Text);

    fn append_content<S: KeySink>(text: Content<'_>, _: &Typed, out: &mut S) {
        match text.as_slice() {
            Some(text) => append(text.iter().copied(), out),
            // Escapes of JSON are read forward only, and extensions are found from the end.
            None if text.has_escapes_of_json() => {
                text.with_slice(ESCAPED_VERSION_MAX, |text| append(text.iter().copied(), out));
            }
            None => append(text.bytes(), out),
        }
    }

    fn order_of(texts: [&[u8]; 2], agreed: usize, _: &Typed) -> Option<Ordering> {
        order_within_number(texts, shared(&texts.map(Content::from), agreed))
    }

    fn restart(texts: &[Content<'_>; 2], agreed: usize, _: &Typed) -> usize {
        if texts[0].has_escapes_of_json() {
            return 0;
        }
        // Where nothing is left, there would be no end of letters; and no name may become a hidden
        // one.
        let is_within = |byte: &u8| {
            let byte = texts[0].of_byte(*byte);
            byte.is_some_and(|byte| !byte.is_ascii_digit() && byte != b'.')
        };
        texts[0].raw()[..shared(texts, agreed)].iter().rposition(is_within).unwrap_or(0)
    }
}

/// Returns how many of the first `agreed` bytes, equal in two texts, mean the same in both: the
/// extensions of versions are taken by themselves.
fn shared(texts: &[Content<'_>; 2], agreed: usize) -> usize {
    let stems = texts.iter().map(|text| match stem(text.bytes()) {
        Some(stem) => stem.raw_bytes(),
        None => text.raw().len(),
    });
    stems.min().unwrap_or(0).min(agreed)
}

const TILDE: u8 = 1;
const END: u8 = 2;

/// The place of each byte that is not a digit.
const PLACES: [u8; 256] = places();

const fn places() -> [u8; 256] {
    let mut places = [0; 256];
    let mut next = END + 1;
    let mut is_for_letters = true;
    loop {
        let mut byte = 0;
        while byte < 256 {
            let this = byte as u8;
            if this == b'~' {
                places[byte] = TILDE;
            } else if this.is_ascii_alphabetic() == is_for_letters && !this.is_ascii_digit() {
                places[byte] = next;
                next += 1;
            }
            byte += 1;
        }
        if !is_for_letters {
            return places;
        }
        is_for_letters = false;
    }
}

/// Appends a file name.
pub fn append<S: KeySink>(name: impl DoubleEndedIterator<Item = u8> + Clone, out: &mut S) {
    let mut first = name.clone();
    let class = match (first.next(), first.next(), first.next()) {
        (None, ..) => 0,
        (Some(b'.'), None, _) => 1,
        (Some(b'.'), Some(b'.'), None) => 2,
        (Some(b'.'), ..) => 3,
        _ => 4,
    };
    out.push(class);
    if class < 3 {
        return;
    }
    let stem = stem(name.clone());
    append_parts(stem.clone().unwrap_or_else(|| name.clone()), out);
    out.push(u8::from(stem.is_some()));
    if stem.is_some() {
        append_parts(name, out);
    }
}

/// Returns what stands before the longest end of `name` that is nothing but extensions: a point, a
/// letter or tilde, and then letters, digits and tildes. All of a hidden name may be extensions.
/// `None` where there are no extensions.
pub fn stem<I: DoubleEndedIterator<Item = u8> + Clone>(mut name: I) -> Option<I> {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'~';
    let (mut stem, mut first) = (None, None);
    while let Some(byte) = name.next_back() {
        if byte == b'.' && first.is_some_and(is_letter) {
            (stem, first) = (Some(name.clone()), None);
        } else if is_letter(byte) || byte.is_ascii_digit() {
            first = Some(byte);
        } else {
            break;
        }
    }
    stem
}

fn append_parts<S: KeySink>(mut name: impl Iterator<Item = u8> + Clone, out: &mut S) {
    let mut next = name.next();
    while next.is_some() && out.room() > 0 {
        while let Some(byte) = next.filter(|byte| !byte.is_ascii_digit() && out.room() > 0) {
            out.push(PLACES[usize::from(byte)]);
            next = name.next();
        }
        out.push(END);
        next = digits::append_run(next.filter(u8::is_ascii_digit), &mut name, out);
    }
    out.push(END);
}
