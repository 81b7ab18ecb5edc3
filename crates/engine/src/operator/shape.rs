//! The shape in which a record is written: with a count, or some of its fields alone.
//!
//! Records of bytes have their count as an integer of eight bytes at their end, the most
//! significant byte first, and the length in front of them counts these.

use super::place::{BadPlace, FoundPlace, Place, RecordForm, RowColumns};
use crate::error::{Message, Setting, message};
use crate::format::csv::{BYTE_ORDER_MARK, Cells, append_cell, append_last_cell};
use crate::format::{FIXED_LENGTH_MAX, Framing, LineGroup, Prefix, PrefixWidth};

/// Bytes of a count at the end of records of bytes.
const COUNT_BYTES: usize = 8;

/// The name of the column with counts.
const COUNT: &[u8] = b"count";

/// Parts of a record that are written, and their order.
#[derive(Clone, Debug, Default)]
pub struct RecordShape {
    layout: Option<RecordForm>,
    /// Cells or bytes; empty for the record as it is.
    parts: Vec<FoundPlace>,
    /// Number of cells from the first one to the last one that is a part.
    cells: usize,
    /// True if the last cell, or the last bytes, hold the number of records.
    counts: bool,
    /// Number of cells before that of the count; none where rows need not agree.
    width: Option<usize>,
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
        let find = |place| layout.find(place, columns, Setting::Select);
        let parts: Vec<FoundPlace> = places.iter().map(find).collect::<Result<_, _>>()?;
        // Before lines stands how many they are.
        let counts = counts
            && !matches!(
                layout,
                RecordForm::Lines { .. } | RecordForm::Group(_) | RecordForm::Json
            );
        if counts && layout == RecordForm::Prefixed(Prefix::KEYED) {
            return Err(message!(
                "{} does not apply to keyed records; leave it out",
                Setting::Count
            )
            .into());
        }
        if let (true, RecordForm::Fixed(whole)) = (counts, layout) {
            let length = fixed_length(&parts, counts, whole);
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
        // A first row without anything in it does not say how many cells others have.
        let tells = |of: &RowColumns<'_>| counts && parts.is_empty() && of.cells != [b""];
        let width = columns.filter(tells).map(|columns| columns.cells.len());
        let number = |part: &FoundPlace| match part {
            FoundPlace::Cell(number) => number + 1,
            FoundPlace::Bytes(..) => 0,
        };
        let cells = parts.iter().map(number).max().unwrap_or(0);
        Ok(Self { layout: Some(layout), parts, cells, counts, width })
    }

    /// Returns whether records are written as they are.
    pub fn is_whole(&self) -> bool {
        self.parts.is_empty() && !self.counts
    }

    /// Returns whether a cell or bytes at the end hold the number of records.
    pub fn counts(&self) -> bool {
        self.counts
    }

    /// Returns the framing of records in this shape, given that of the records they are made of.
    pub fn framing(&self, framing: Framing) -> Framing {
        match framing {
            Framing::Fixed(whole) => Framing::Fixed(fixed_length(&self.parts, self.counts, whole)),
            Framing::Grouped(group) if !self.parts.is_empty() => {
                Framing::Grouped(LineGroup { lines: self.parts.len() as u32, ..group })
            }
            // A shape keeps line ends and quotes, and changes lengths in front of records.
            _ => framing,
        }
    }

    /// Writes a record that stands for `count`.
    ///
    /// # Errors
    ///
    /// In words: it got too long for its prefix, its last cell needs quotes and there are none, or
    /// it has more cells than the table, so that its count would have no column.
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
            header.extend_from_slice(mark);
            if row.is_empty() {
                continue; // A mark alone stands above rows without a header.
            }
            self.write_with(row, COUNT, &mut shaped)?;
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
        let end = &record[body.len()..];
        match layout.dialect() {
            None if !self.is_whole() => {
                return write_bytes(layout, body, &self.parts, count, out);
            }
            Some(dialect) if !self.parts.is_empty() => {
                let cells: Vec<&[u8]> = Cells::new(dialect, body).take(self.cells).collect();
                for (place, part) in self.parts.iter().enumerate() {
                    if place > 0 {
                        out.push(dialect.separator);
                    }
                    let FoundPlace::Cell(number) = part else { continue };
                    let cell = cells.get(*number).copied().unwrap_or_default();
                    let is_last = place + 1 == self.parts.len() && !self.counts;
                    match layout {
                        RecordForm::Cells(_) if is_last => {
                            append_last_cell(dialect, cell, end, out)?;
                        }
                        _ => out.extend_from_slice(cell),
                    }
                }
            }
            _ => out.extend_from_slice(body),
        }
        if let (Some(width), Some(dialect)) = (self.width, layout.dialect()) {
            let cells = Cells::new(dialect, body).count();
            if cells > width {
                return Err(message!(
                    "the row has {} cells, and the table {}, so its count would have no column; \
                     leave out {}, or such rows with {}",
                    cells,
                    width,
                    Setting::Count,
                    Setting::Ragged.to("drop"),
                ));
            }
            // Cells that a short or an empty row lacks.
            out.resize(out.len() + width - cells, dialect.separator);
        }
        if let (true, Some(dialect)) = (self.counts, layout.dialect()) {
            out.push(dialect.separator);
            append_cell(dialect, count, out);
        }
        // A row of one empty cell would be read as no row at all.
        if let (true, Some(quote)) = (out.is_empty(), layout.dialect().and_then(|d| d.quote)) {
            out.extend_from_slice(&[quote, quote]);
        }
        out.extend_from_slice(end);
        Ok(())
    }
}

/// Returns the length of records made of records with `whole` bytes.
fn fixed_length(parts: &[FoundPlace], counts: bool, whole: usize) -> usize {
    let length_of = |part: &FoundPlace| match part {
        FoundPlace::Bytes(start, end) => end.unwrap_or(whole) - start,
        FoundPlace::Cell(_) => 0,
    };
    let selected = if parts.is_empty() { whole } else { parts.iter().map(length_of).sum() };
    selected + if counts { COUNT_BYTES } else { 0 }
}

/// Writes parts of a record of bytes, all of it without any, and a count.
fn write_bytes(
    layout: RecordForm,
    body: &[u8],
    parts: &[FoundPlace],
    count: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), Message> {
    let parts = if parts.is_empty() { &[FoundPlace::Bytes(0, None)] } else { parts };
    let ranges = parts.iter().map(|part| part.bytes(body));
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
        PrefixWidth::Keyed => unreachable!("keyed records are written whole"),
    }
    Ok(())
}

#[cfg(test)]
mod tests;
