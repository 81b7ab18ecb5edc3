//! A quick check of lines that are surely JSON.
//!
//! Nearly all lines are well formed, and a sort asks for no more. This check accepts lines by the
//! grammar of RFC 8259 and passes strings and numbers sixteen bytes at a time. It never accepts a
//! line that the parser refuses. A line that it does not accept is for the parser to judge: it may
//! be well formed all the same, if it is empty, nested deeply, or very long.

use super::bounds::BOUND;
use super::window::{TextWindow, WIDTH};

/// The brackets that are open, one bit each, the innermost lowest: one for an object, zero for an
/// array. A bit that is always set lies above them.
type Nesting = u64;

/// The nesting outside of all brackets.
const OUTERMOST: Nesting = 1;

/// Returns the length of the line that `bytes` begin with, including its line feed, if the line is
/// surely JSON.
#[inline]
pub fn line_length(bytes: &[u8]) -> Option<usize> {
    let mut check = QuickCheck { bytes, at: 0, seen: TextWindow::default() };
    check.pass_value()?;
    check.pass_blanks();
    let end = check.at;
    let length = match bytes.get(end) {
        None => end,
        Some(b'\n') => end + 1,
        Some(_) => return None,
    };
    let is_text = || check.seen.is_ascii() || std::str::from_utf8(&bytes[..end]).is_ok();
    (end <= BOUND && is_text()).then_some(length)
}

/// A place in a line. Each step returns `None` where the line is not surely JSON.
struct QuickCheck<'a> {
    /// The line and those that follow it.
    bytes: &'a [u8],
    at: usize,
    /// All windows of strings so far, united. These may reach beyond the line.
    seen: TextWindow,
}

impl QuickCheck<'_> {
    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Returns the next byte, and passes it.
    #[inline(always)]
    fn take(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    #[inline(always)]
    fn pass_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Passes a value with all that is nested in it.
    #[inline(always)]
    fn pass_value(&mut self) -> Option<()> {
        let mut nesting = OUTERMOST;
        'values: loop {
            self.pass_blanks();
            match self.take()? {
                b'"' => self.pass_string()?,
                first @ (b'-' | b'0'..=b'9') => self.pass_number(first)?,
                b'{' => {
                    nesting = entered(nesting, 1)?;
                    self.pass_blanks();
                    if self.peek()? != b'}' {
                        self.pass_name()?;
                        continue;
                    }
                }
                b'[' => {
                    nesting = entered(nesting, 0)?;
                    self.pass_blanks();
                    if self.peek()? != b']' {
                        continue;
                    }
                }
                b't' => self.pass_word(b"rue")?,
                b'f' => self.pass_word(b"alse")?,
                b'n' => self.pass_word(b"ull")?,
                _ => return None,
            }
            while nesting != OUTERMOST {
                self.pass_blanks();
                match (self.take()?, nesting & 1) {
                    (b',', 0) => continue 'values,
                    (b',', _) => {
                        self.pass_blanks();
                        self.pass_name()?;
                        continue 'values;
                    }
                    (b'}', 1) | (b']', 0) => nesting >>= 1,
                    _ => return None,
                }
            }
            return Some(());
        }
    }

    /// Passes the name of a member, and the colon after it.
    #[inline(always)]
    fn pass_name(&mut self) -> Option<()> {
        if self.take()? != b'"' {
            return None;
        }
        self.pass_string()?;
        self.pass_blanks();
        (self.take()? == b':').then_some(())
    }

    /// Passes a string after its opening quote.
    #[inline(always)]
    fn pass_string(&mut self) -> Option<()> {
        loop {
            let window = TextWindow::at(self.bytes, self.at);
            self.seen |= window;
            let stops = window.string_stops_and_controls();
            if stops == 0 {
                self.at += WIDTH;
                continue;
            }
            self.at += stops.trailing_zeros() as usize;
            match self.take()? {
                b'"' => return Some(()),
                b'\\' => self.pass_escape()?,
                _ => return None,
            }
        }
    }

    /// Passes an escape after its backslash. Half of a surrogate pair is one, as for the parser.
    fn pass_escape(&mut self) -> Option<()> {
        match self.take()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(()),
            b'u' => {
                let digits: &[u8; 4] = self.bytes.get(self.at..)?.first_chunk()?;
                self.at += digits.len();
                digits.iter().all(u8::is_ascii_hexdigit).then_some(())
            }
            _ => None,
        }
    }

    /// Passes a number after its `first` byte.
    #[inline(always)]
    fn pass_number(&mut self, first: u8) -> Option<()> {
        let first = if first == b'-' { self.take()? } else { first };
        let count = self.pass_digits();
        if !first.is_ascii_digit() || first == b'0' && count > 0 {
            return None;
        }
        match self.peek() {
            Some(b'.' | b'e' | b'E') => self.pass_fraction(),
            _ => Some(()),
        }
    }

    /// Passes what follows the whole part of a number: a fraction, an exponent, or both.
    fn pass_fraction(&mut self) -> Option<()> {
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.pass_digits() == 0 {
                return None;
            }
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            if self.pass_digits() == 0 {
                return None;
            }
        }
        Some(())
    }

    /// Passes digits, and returns their number.
    #[inline(always)]
    fn pass_digits(&mut self) -> usize {
        let start = self.at;
        loop {
            let count = TextWindow::at(self.bytes, self.at).leading_digits();
            self.at += count;
            if count < WIDTH {
                return self.at - start;
            }
        }
    }

    /// Passes the rest of a literal.
    fn pass_word(&mut self, rest: &[u8]) -> Option<()> {
        let is_there = self.bytes.get(self.at..)?.starts_with(rest);
        self.at += rest.len();
        is_there.then_some(())
    }
}

/// Returns the nesting within one more bracket of a `kind`, if there is room for it.
#[inline(always)]
fn entered(nesting: Nesting, kind: Nesting) -> Option<Nesting> {
    (nesting.leading_zeros() > 0).then_some(nesting << 1 | kind)
}

#[cfg(test)]
mod tests;
