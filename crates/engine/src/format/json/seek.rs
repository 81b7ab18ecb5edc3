//! Finding a value in a line that the parser has passed.
//!
//! A key is looked for when its record is dealt and once more in the proof of order, and a parser
//! would check the line again each time. Here what is not wanted is passed by quotes and brackets
//! alone. Of a line that is no JSON anything may be found, within its bounds.

use memchr::memchr2;
use serde::de::{Deserializer, Visitor};

use super::Step;

/// The bytes around the members of an object, and around the elements of an array.
const OBJECT: (u8, u8) = (b'{', b'}');
const ARRAY: (u8, u8) = (b'[', b']');

/// Bytes of a string after which a search of many bytes at once is quicker.
const SHORT: usize = 16;

/// Returns the value that `steps` lead to, as it is written.
pub fn find<'a>(line: &'a [u8], steps: &[Step]) -> Option<&'a [u8]> {
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
    seek.pass_value()?;
    line.get(start..seek.at)
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

    /// Passes a value and the comma behind it; `None` for the last one.
    fn pass_item(&mut self) -> Option<()> {
        self.pass_blanks();
        self.pass_value()?;
        self.pass_blanks();
        (self.take()? == b',').then_some(())
    }

    /// Passes the value that begins here.
    fn pass_value(&mut self) -> Option<()> {
        match self.peek()? {
            b'"' => {
                self.at += 1;
                self.pass_string().map(drop)
            }
            b'{' | b'[' => self.pass_nested(),
            _ => {
                let mut at = self.at;
                while let Some(byte) = self.line.get(at)
                    && !matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n')
                {
                    at += 1;
                }
                self.at = at;
                Some(())
            }
        }
    }

    /// Passes an object or an array, from its opening bracket on.
    fn pass_nested(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.take()? {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(());
                    }
                }
                b'"' => drop(self.pass_string()?),
                _ => {}
            }
        }
    }

    /// Passes a string from behind its opening quote on; whether it has escapes.
    #[inline]
    fn pass_string(&mut self) -> Option<bool> {
        let (mut at, mut near, mut has_escapes) = (self.at, SHORT, false);
        loop {
            match self.line.get(at)? {
                b'"' => {
                    self.at = at + 1;
                    return Some(has_escapes);
                }
                b'\\' => (at, has_escapes) = (at + 2, true),
                _ if near > 0 => (at, near) = (at + 1, near - 1),
                _ => at += memchr2(b'"', b'\\', &self.line[at..])?,
            }
        }
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
