//! Natural order: text in which each run of digits is one number.
//!
//! A number stands where its first digit would, as a byte `0` and its value: so `a2 < a10`, and
//! both lie between `a!` and `ab`. Leading zeros do not count.

use super::super::sink::Sink;
use super::{bytes, digits};

/// Stands before every number.
const NUMBER: u8 = b'0';
const END: u8 = 0;

/// Letters that are appended together.
const LETTERS: usize = 32;

/// Appends `text`; without an end where the key is open.
pub fn append<S: Sink>(mut text: impl Iterator<Item = u8> + Clone, is_open: bool, out: &mut S) {
    let mut letters = [0; LETTERS];
    let mut next = text.next();
    while next.is_some() {
        if out.room() == 0 {
            return;
        }
        let mut filled = 0;
        while let Some(byte) = next.filter(|byte| filled < LETTERS && !byte.is_ascii_digit()) {
            letters[filled] = byte;
            filled += 1;
            next = text.next();
        }
        bytes::append_escaped(&letters[..filled], out);
        if next.is_some_and(|byte| byte.is_ascii_digit()) {
            out.push(NUMBER);
            next = digits::append_run(next, &mut text, out);
        }
    }
    if !is_open {
        out.push(END);
    }
}
