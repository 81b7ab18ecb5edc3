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
//! them, `extent` knows; how many columns of a terminal they take, the C library
//! (`Locale::columns`).

mod extent;

use std::io::{self, BufRead, Write};
use std::ops::Range;

use sortwell::unstable::key::text::{Months, NumberFormat, Position, TextKey, TextOrder, TextType};
use sortwell::unstable::locale::Locale;

/// Shows lines with their keys.
#[derive(Debug)]
pub struct Underline<'a> {
    /// Finds where keys begin. Blanks at the beginning of the line are not skipped: that is done
    /// within the key here, and over its end there.
    starts: TextKey,
    /// Finds where they end, which may be in front of that.
    ends: TextKey,
    /// Type of each key, and whether it leaves out blanks at the beginning of the line.
    types: Vec<(TextType, bool)>,
    numbers: NumberFormat,
    months: Months,
    terminator: u8,
    /// True if the whole line is compared in the end.
    has_last_resort: bool,
    /// Locale of the lines.
    locale: &'a Locale,
}

impl<'a> Underline<'a> {
    /// Creates the value for lines of `locale` sorted by `order`.
    pub fn new(order: &TextOrder, locale: &'a Locale) -> sortwell::Result<Self> {
        let begins_line = |start: Position| start.field == 0 && start.byte == 0;
        let (mut starts, mut ends) = (order.clone(), order.clone());
        for spec in &mut starts.specs {
            spec.start.skips_blanks &= !begins_line(spec.start);
        }
        for spec in &mut ends.specs {
            spec.start = Position::default();
        }
        let types = order.specs.iter().map(|spec| {
            (spec.text_type.clone(), spec.start.skips_blanks && begins_line(spec.start))
        });
        Ok(Self {
            starts: TextKey::new(&starts)?,
            ends: TextKey::new(&ends)?,
            types: types.collect(),
            numbers: order.options.numbers,
            months: order.options.months.clone(),
            terminator: order.body.terminator(),
            has_last_resort: order.options.then_whole.is_some() || order.specs.is_empty(),
            locale,
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
        // What the terminator's byte stands behind is a whole record, whatever it ends with.
        let record = [line, &[self.terminator]].concat();
        for index in 0..self.types.len() {
            let marked = self.extent(&record, index);
            self.mark(&shown, marked, out)?;
        }
        if self.has_last_resort {
            self.mark(&shown, 0..shown.len(), out)?;
        }
        Ok(())
    }

    /// Returns the bytes of a record that a key is taken from.
    fn extent(&self, record: &[u8], index: usize) -> Range<usize> {
        let (text_type, skips_blanks) = &self.types[index];
        let key = self.starts.located(record, index).unwrap_or_default();
        let end = self.ends.located(record, index).unwrap_or_default().len();
        let start = key.as_ptr().addr().saturating_sub(record.as_ptr().addr());
        // Behind its end nothing keeps a key from going on, to the end of the line.
        let rest = if start > end { &record[start..record.len() - 1] } else { key };
        let has_value = extent::has_value(text_type);
        let blanks = if has_value || *skips_blanks { extent::blanks(rest) } else { 0 };
        let start = start + blanks;
        if start >= end {
            return start..start;
        }
        match has_value {
            true => {
                let text = &record[start..end];
                start..start + extent::of(text, text_type, self.numbers, &self.months)
            }
            false => start..end,
        }
    }

    /// Marks the columns of some bytes.
    fn mark(&self, shown: &[u8], bytes: Range<usize>, out: &mut impl Write) -> io::Result<()> {
        let columns = |text| self.locale.columns(text);
        let (before, marked) = (columns(&shown[..bytes.start]), columns(&shown[bytes]));
        out.write_all(&vec![b' '; before])?;
        match marked {
            0 => out.write_all(b"^ no match for key\n"),
            _ => {
                out.write_all(&vec![b'_'; marked])?;
                out.write_all(b"\n")
            }
        }
    }
}

#[cfg(test)]
mod tests;
