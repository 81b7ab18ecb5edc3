//! Natural order: text in which each run of digits is one number.
//!
//! A number stands where its first digit would, as a byte `0` and its value: so `a2 < a10`, and
//! both lie between `a!` and `ab`. Leading zeros do not count.

use super::super::sink::Sink;
use super::{bytes, digits};

/// Stands before every number.
const NUMBER: u8 = b'0';
const END: u8 = 0;

/// Appends `text`; without an end where the key is open.
pub fn append<S: Sink>(text: &[u8], is_open: bool, out: &mut S) {
    let mut rest = text;
    while !rest.is_empty() {
        if out.room() == 0 {
            return;
        }
        let letters = rest.iter().take_while(|byte| !byte.is_ascii_digit()).count();
        bytes::append_escaped(&rest[..letters], out);
        rest = &rest[letters..];
        let run = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if run > 0 {
            out.push(NUMBER);
            digits::append_run(&rest[..run], out);
        }
        rest = &rest[run..];
    }
    if !is_open {
        out.push(END);
    }
}
