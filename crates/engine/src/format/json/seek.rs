//! Finding a value in a line that has been checked.
//!
//! A key is looked for when its record is dealt and once more in the proof of order, and a parser
//! would check the line again each time. Here what is not wanted is passed by quotes and brackets
//! alone, sixteen bytes at a time. Of a line that is no JSON anything may be found, within its
//! bounds.

use serde::de::{Deserializer, Visitor};

use super::PathStep;
use super::window::{TextWindow, WIDTH};

/// The bytes around the members of an object, and around the elements of an array.
const OBJECT: (u8, u8) = (b'{', b'}');
const ARRAY: (u8, u8) = (b'[', b']');

/// Returns the value that `steps` lead to, as it is written, and whether it is a string with
/// escapes.
#[inline]
pub fn find<'a>(line: &'a [u8], steps: &[PathStep]) -> Option<(&'a [u8], bool)> {
    let mut seek = Seek { line, at: 0 };
    for step in steps {
        seek.pass_blanks();
        match seek.take()? {
            byte if byte == OBJECT.0 => seek.enter_member(&step.name)?,
            byte if byte == ARRAY.0 => seek.enter_element(step.index?)?,
            _ => return None,
        }
    }
    seek.pass_blanks();
    let start = seek.at;
    let has_escapes = seek.pass_value()?;
    Some((line.get(start..seek.at)?, has_escapes))
}

/// A place in a line.
struct Seek<'a> {
    line: &'a [u8],
    at: usize,
}

impl Seek<'_> {
    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    /// Returns the next byte, and passes it.
    fn take(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn pass_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    /// Goes on from the opening brace of an object to the value of its first member `name`.
    fn enter_member(&mut self, name: &str) -> Option<()> {
        loop {
            self.pass_blanks();
            if self.take()? != b'"' {
                return None; // it has no more members
            }
            let start = self.at;
            let has_escapes = self.pass_string()?;
            let is_wanted = match has_escapes {
                false => &self.line[start..self.at - 1] == name.as_bytes(),
                true => is_named(&self.line[start - 1..self.at], name),
            };
            self.pass_blanks();
            if self.take()? != b':' {
                return None;
            }
            if is_wanted {
                return Some(());
            }
            self.pass_item()?;
        }
    }

    /// Goes on from the opening bracket of an array to its element `index`.
    fn enter_element(&mut self, index: usize) -> Option<()> {
        self.pass_blanks();
        for _ in 0..index {
            self.pass_item()?;
        }
        (self.peek()? != b']').then_some(())
    }

    /// Passes a value and the comma after it; `None` for the last one.
    fn pass_item(&mut self) -> Option<()> {
        self.pass_blanks();
        self.pass_value()?;
        self.pass_blanks();
        (self.take()? == b',').then_some(())
    }

    /// Passes the value that begins here; returns whether it is a string with escapes.
    #[inline]
    fn pass_value(&mut self) -> Option<bool> {
        match self.peek()? {
            b'"' => {
                self.at += 1;
                self.pass_string()
            }
            b'{' | b'[' => self.pass_nested().map(|()| false),
            _ => {
                self.pass_scalar();
                Some(false)
            }
        }
    }

    /// Passes a number or a literal.
    #[inline]
    fn pass_scalar(&mut self) {
        loop {
            let ends = TextWindow::at(self.line, self.at).scalar_ends();
            if ends != 0 {
                self.at += ends.trailing_zeros() as usize;
                return;
            }
            self.at += WIDTH;
        }
    }

    /// Passes an object or an array, from its opening bracket on.
    fn pass_nested(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            self.pass_to(TextWindow::brackets_and_quotes)?;
            match self.take()? {
                b'{' | b'[' => depth += 1,
                b'"' => drop(self.pass_string()?),
                _ => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(());
                    }
                }
            }
        }
    }

    /// Passes a string from its opening quote on; returns whether it has escapes.
    #[inline]
    fn pass_string(&mut self) -> Option<bool> {
        let mut has_escapes = false;
        loop {
            self.pass_to(TextWindow::string_stops)?;
            if self.take()? == b'"' {
                return Some(has_escapes);
            }
            (self.at, has_escapes) = (self.at + 1, true);
        }
    }

    /// Goes on to the next byte that is `wanted`, if the line has one.
    #[inline(always)]
    fn pass_to(&mut self, wanted: impl Fn(TextWindow) -> u32) -> Option<()> {
        while self.at < self.line.len() {
            let found = wanted(TextWindow::at(self.line, self.at));
            if found != 0 {
                self.at += found.trailing_zeros() as usize;
                return Some(());
            }
            self.at += WIDTH;
        }
        None
    }
}

/// Returns whether `text`, a string in its quotes, says `name`.
fn is_named(text: &[u8], name: &str) -> bool {
    // As bytes, as half of a surrogate pair is a name like others.
    let mut parser = serde_json::Deserializer::from_slice(text);
    parser.deserialize_bytes(IsNamed(name)).unwrap_or(false)
}

/// Compares a name without its escapes.
struct IsNamed<'a>(&'a str);

impl Visitor<'_> for IsNamed<'_> {
    type Value = bool;

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("a name")
    }

    fn visit_bytes<E>(self, name: &[u8]) -> Result<bool, E> {
        Ok(name == self.0.as_bytes())
    }
}

#[cfg(test)]
mod tests;
