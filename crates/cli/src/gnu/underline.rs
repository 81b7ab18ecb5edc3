//! Shows what of each line its keys are: the line, and below it a line of `_` for every key and for
//! the last resort.
//!
//! ```text
//!     b  12.50kg          a TAB is shown as >
//!        _____            the key, as far as it counts
//!     __________          the whole line, where it is compared in the end
//!      ^ no match for key
//! ```
//!
//! Which bytes a key has is the library's to say (`TextKey::located`); how far a number reaches in
//! them, `extent` knows. Columns are those of a terminal: letters of no width have none, and a byte
//! that is no letter has one.

mod extent;

use std::io::{self, BufRead, Write};

use sortwell::key::text::{Months, NumberFormat, TextKey, TextOrder, TextType};
use unicode_width::UnicodeWidthChar;

/// Shows lines with their keys.
#[derive(Debug)]
pub struct Underline {
    key: TextKey,
    /// What each key means.
    types: Vec<TextType>,
    numbers: NumberFormat,
    months: Months,
    terminator: u8,
    /// Whether the whole line is compared in the end.
    has_last_resort: bool,
    /// Whether lines are UTF-8; bytes are letters where they are not.
    is_utf8: bool,
}

impl Underline {
    /// For lines sorted by `order`.
    pub fn new(order: &TextOrder, is_utf8: bool) -> sortwell::Result<Self> {
        Ok(Self {
            key: TextKey::new(order)?,
            types: order.specs.iter().map(|spec| spec.text_type).collect(),
            numbers: order.numbers,
            months: order.months.clone(),
            terminator: order.terminator,
            has_last_resort: order.then_whole.is_some() || order.specs.is_empty(),
            is_utf8,
        })
    }

    /// Copies all lines, each with what is below it.
    pub fn copy(&self, lines: &mut impl BufRead, out: &mut impl Write) -> io::Result<()> {
        let mut line = Vec::new();
        while lines.read_until(self.terminator, &mut line)? > 0 {
            if line.last() == Some(&self.terminator) {
                line.pop();
            }
            self.show(&line, out)?;
            line.clear();
        }
        out.flush()
    }

    /// Shows a line, given without its terminator.
    fn show(&self, line: &[u8], out: &mut impl Write) -> io::Result<()> {
        let shown: Vec<u8> =
            line.iter().map(|&byte| if byte == b'\t' { b'>' } else { byte }).collect();
        out.write_all(&shown)?;
        out.write_all(b"\n")?;
        for (index, &text_type) in self.types.iter().enumerate() {
            // A line that ends with the terminator's byte must not lose it a second time.
            let ended = [line, &[self.terminator]].concat();
            let key = self.key.located(&ended, index).unwrap_or_default();
            let start = key.as_ptr().addr().saturating_sub(ended.as_ptr().addr()).min(line.len());
            let extent = extent::of(key, text_type, self.numbers, &self.months);
            self.mark(&shown, start + extent.start, start + extent.end, out)?;
        }
        if self.has_last_resort {
            self.mark(&shown, 0, shown.len(), out)?;
        }
        Ok(())
    }

    /// Marks the columns of some bytes.
    fn mark(&self, shown: &[u8], start: usize, end: usize, out: &mut impl Write) -> io::Result<()> {
        let (before, marked) = (self.columns(&shown[..start]), self.columns(&shown[start..end]));
        out.write_all(&vec![b' '; before])?;
        match marked {
            0 => out.write_all(b"^ no match for key\n"),
            _ => {
                out.write_all(&vec![b'_'; marked])?;
                out.write_all(b"\n")
            }
        }
    }

    /// How many columns a text takes.
    fn columns(&self, text: &[u8]) -> usize {
        if !self.is_utf8 {
            return text.iter().filter(|byte| !byte.is_ascii_control()).count();
        }
        let mut columns = 0;
        for chunk in text.utf8_chunks() {
            columns += chunk.valid().chars().filter_map(UnicodeWidthChar::width).sum::<usize>();
            // A letter that the end of the text cuts off is one, whatever is there of it.
            let is_cut = str::from_utf8(chunk.invalid()).is_err_and(|e| e.error_len().is_none());
            columns += if is_cut { 1 } else { chunk.invalid().len() };
        }
        columns
    }
}

#[cfg(test)]
mod tests;
