//! The shape in which a record is written: with a count, or some of its fields alone.
//!
//! Records of bytes have their count as an integer of eight bytes at their end, the most
//! significant byte first, and the length in front of them counts these.

use super::fold::append_cell;
use super::place::{BadPlace, Place, RecordForm, RowColumns};
use crate::error::{Message, Setting, message};
use crate::format::csv::{BYTE_ORDER_MARK, Cells};
use crate::format::{FIXED_LENGTH_MAX, Prefix, PrefixWidth};

/// Bytes of a count at the end of records of bytes.
const COUNT_BYTES: usize = 8;

/// The name of the column with counts.
const COUNT: &[u8] = b"count";

/// Parts of a record that are written, and their order.
#[derive(Clone, Debug, Default)]
pub struct RecordShape {
    layout: Option<RecordForm>,
    parts: RecordShapeParts,
    /// True if the last cell, or the last bytes, hold the number of records.
    counts: bool,
}

#[derive(Clone, Debug, Default)]
enum RecordShapeParts {
    /// The record as it is.
    #[default]
    All,
    /// Cells by their numbers.
    Cells(Vec<usize>),
    /// Bytes from each first to before each last.
    Ranges(Vec<(usize, Option<usize>)>),
}

impl RecordShape {
    /// Returns the shape of records of `layout` with `places` alone, if there are any, and at their
    /// end a cell or bytes for counts, if `counts`.
    ///
    /// # Errors
    ///
    /// What is wrong with the places, in words.
    pub fn new(
        places: &[Place],
        counts: bool,
        layout: RecordForm,
        columns: Option<RowColumns<'_>>,
    ) -> Result<Self, BadPlace> {
        let said = |fault: BadPlace| fault.of(Setting::Select);
        let parts = match layout {
            _ if places.is_empty() => RecordShapeParts::All,
            RecordForm::Cells(_)
            | RecordForm::Lines { .. }
            | RecordForm::Group(_)
            | RecordForm::Json => {
                let column = |place| layout.column(place, columns);
                RecordShapeParts::Cells(
                    places.iter().map(column).collect::<Result<_, _>>().map_err(said)?,
                )
            }
            RecordForm::Fixed(_) | RecordForm::Prefixed(_) => {
                let range = |place| layout.range(place);
                RecordShapeParts::Ranges(
                    places.iter().map(range).collect::<Result<_, _>>().map_err(said)?,
                )
            }
        };
        // Before lines stands how many they are.
        let counts = counts
            && !matches!(
                layout,
                RecordForm::Lines { .. } | RecordForm::Group(_) | RecordForm::Json
            );
        if let (true, RecordForm::Fixed(whole)) = (counts, layout) {
            let length = COUNT_BYTES
                + match &parts {
                    RecordShapeParts::Ranges(ranges) => {
                        ranges.iter().map(|(start, end)| end.unwrap_or(whole) - start).sum()
                    }
                    _ => whole,
                };
            if length as u64 > FIXED_LENGTH_MAX.bytes() {
                return Err(message!(
                    "{} makes records of {} bytes, and fixed:N has up to {}; write fewer bytes \
                     of them with {}",
                    Setting::Count,
                    length,
                    FIXED_LENGTH_MAX.bytes(),
                    Setting::Select,
                )
                .into());
            }
        }
        Ok(Self { layout: Some(layout), parts, counts })
    }

    /// Returns whether records are written as they are.
    pub fn is_whole(&self) -> bool {
        matches!(self.parts, RecordShapeParts::All) && !self.counts
    }

    /// Returns whether a cell or bytes at the end hold the number of records.
    pub fn counts(&self) -> bool {
        self.counts
    }

    /// Writes a record that stands for `count`.
    ///
    /// # Errors
    ///
    /// That it got too long for its prefix, in words.
    pub fn write(&self, record: &[u8], count: u64, out: &mut Vec<u8>) -> Result<(), Message> {
        match (self.counts, self.layout) {
            (false, _) => self.write_with(record, &[], out),
            (true, Some(RecordForm::Fixed(_) | RecordForm::Prefixed(_))) => {
                self.write_with(record, &count.to_be_bytes(), out)
            }
            (true, _) => self.write_with(record, count.to_string().as_bytes(), out),
        }
    }

    /// Returns a header in the shape of the records below it; it may have several rows.
    ///
    /// # Errors
    ///
    /// Those of [`write`](Self::write).
    pub fn header<'a>(&self, rows: impl Iterator<Item = &'a [u8]>) -> Result<Vec<u8>, Message> {
        let (mut header, mut shaped) = (Vec::new(), Vec::new());
        for row in rows {
            let (mark, row) = match row.strip_prefix(BYTE_ORDER_MARK) {
                Some(rest) if header.is_empty() => row.split_at(row.len() - rest.len()),
                _ => row.split_at(0),
            };
            self.write_with(row, COUNT, &mut shaped)?;
            header.extend_from_slice(mark);
            header.extend_from_slice(&shaped);
        }
        Ok(header)
    }

    fn write_with(&self, record: &[u8], count: &[u8], out: &mut Vec<u8>) -> Result<(), Message> {
        out.clear();
        let Some(layout) = self.layout else {
            out.extend_from_slice(record);
            return Ok(());
        };
        let body = layout.body(record);
        match (&self.parts, layout.dialect()) {
            (RecordShapeParts::Ranges(ranges), _) => {
                return write_ranges(layout, body, (ranges, count), out);
            }
            (RecordShapeParts::All, None) if self.counts => {
                return write_ranges(layout, body, (&[(0, None)], count), out);
            }
            (RecordShapeParts::Cells(columns), Some(dialect)) => {
                let cells: Vec<&[u8]> = Cells::new(dialect, body).collect();
                for (place, column) in columns.iter().enumerate() {
                    if place > 0 {
                        out.push(dialect.separator);
                    }
                    out.extend_from_slice(cells.get(*column).copied().unwrap_or_default());
                }
            }
            _ => out.extend_from_slice(body),
        }
        if let (true, Some(dialect)) = (self.counts, layout.dialect()) {
            out.push(dialect.separator);
            append_cell(dialect, count, out);
        }
        // A row of one empty cell would be read as no row at all.
        if let (true, Some(quote)) = (out.is_empty(), layout.dialect().and_then(|d| d.quote)) {
            out.extend_from_slice(&[quote, quote]);
        }
        out.extend_from_slice(&record[body.len()..]);
        Ok(())
    }
}

/// Writes ranges of a record of bytes, and a count.
fn write_ranges(
    layout: RecordForm,
    body: &[u8],
    (ranges, count): (&[(usize, Option<usize>)], &[u8]),
    out: &mut Vec<u8>,
) -> Result<(), Message> {
    let ranges = ranges.iter().map(|(start, end)| {
        let end = end.unwrap_or(body.len()).min(body.len());
        &body[(*start).min(end)..end]
    });
    if let RecordForm::Prefixed(prefix) = layout {
        let length = ranges.clone().map(<[u8]>::len).sum::<usize>() + count.len();
        write_prefix(prefix, length, out)?;
    }
    ranges.for_each(|range| out.extend_from_slice(range));
    out.extend_from_slice(count);
    Ok(())
}

/// Writes the prefix of a record of `length` bytes.
fn write_prefix(prefix: Prefix, length: usize, out: &mut Vec<u8>) -> Result<(), Message> {
    let number = length + if prefix.counts_itself { prefix.bytes() } else { 0 };
    let wide = |bytes: usize| {
        let bits = 8 * bytes;
        message!(
            "the record made by {} and {} has {} bytes, too many for {} bits of length",
            Setting::Select,
            Setting::Count,
            length,
            bits,
        )
    };
    match prefix.width {
        PrefixWidth::U32 => {
            let number = u32::try_from(number).map_err(|_| wide(4))?;
            let bytes =
                if prefix.is_little_endian { number.to_le_bytes() } else { number.to_be_bytes() };
            out.extend_from_slice(&bytes);
        }
        PrefixWidth::U16 | PrefixWidth::Rdw => {
            let number = u16::try_from(number).map_err(|_| wide(2))?;
            let bytes =
                if prefix.is_little_endian { number.to_le_bytes() } else { number.to_be_bytes() };
            out.extend_from_slice(&bytes);
            out.extend(std::iter::repeat_n(0, prefix.bytes() - 2));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
