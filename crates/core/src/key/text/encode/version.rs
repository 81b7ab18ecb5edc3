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

use super::super::sink::Sink;
use super::digits;

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
pub fn append<S: Sink>(name: &[u8], out: &mut S) {
    let class = match name {
        b"" => 0,
        b"." => 1,
        b".." => 2,
        [b'.', ..] => 3,
        _ => 4,
    };
    out.push(class);
    if class < 3 {
        return;
    }
    let stem = stem_length(name);
    append_parts(&name[..stem], out);
    out.push(u8::from(stem < name.len()));
    if stem < name.len() {
        append_parts(name, out);
    }
}

/// Bytes before the longest end of `name` that is nothing but extensions: a point, a letter or
/// tilde, and then letters, digits and tildes. The first byte is never in one.
fn stem_length(name: &[u8]) -> usize {
    let mut stem = name.len();
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'~';
    while let Some(point) = name[..stem].iter().rposition(|&byte| byte == b'.') {
        let extension = &name[point + 1..stem];
        let is_one = extension.first().is_some_and(|&byte| is_letter(byte))
            && extension.iter().all(|&byte| is_letter(byte) || byte.is_ascii_digit());
        if point == 0 || !is_one {
            break;
        }
        stem = point;
    }
    stem
}

fn append_parts<S: Sink>(name: &[u8], out: &mut S) {
    let mut rest = name;
    while !rest.is_empty() && out.room() > 0 {
        let letters = rest.iter().take_while(|byte| !byte.is_ascii_digit()).count();
        rest[..letters].iter().for_each(|&byte| out.push(PLACES[usize::from(byte)]));
        out.push(END);
        rest = &rest[letters..];
        let run = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        digits::append_run(&rest[..run], out);
        rest = &rest[run..];
    }
    out.push(END);
}
