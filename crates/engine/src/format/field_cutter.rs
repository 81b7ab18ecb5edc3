//! Cutting a record from what follows it and finding the ends of its first fields, in one look.
//!
//! A record whose key is wanted again has to be cut first, because an entry knows only where it
//! begins. Both need the same bytes: the quotes of a row, or the chunks of a line that were loaded.

use super::csv::{ChunkPair, Dialect, ROW_END, first_end_in_pairs, without_end};

/// Most fields of a record whose ends are found as it is cut. Keys after them are found by
/// themselves.
const FIELDS_MAX: usize = 8;

/// Cuts records and finds the ends of their first fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldCutter {
    form: FieldForm,
    /// The number of fields whose ends are found, at most [`FIELDS_MAX`].
    fields: usize,
}

/// The form of records and of their fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldForm {
    /// Cells of rows with strict quotes.
    Cells { quote: u8, separator: u8 },
    /// Fields of lines, with a byte between them.
    Separated { line_end: u8, separator: u8 },
    /// Fields of lines, each with the blanks before it.
    Blanks { line_end: u8 },
}

/// The ends of the first fields of one record, as far as they were found.
#[derive(Clone, Copy, Debug, Default)]
pub struct FieldEnds {
    ends: [u32; FIELDS_MAX],
    count: usize,
}

impl FieldEnds {
    /// Returns the ends of the first fields, each as a number of bytes from the start of the
    /// record.
    #[inline]
    pub fn ends(&self) -> &[u32] {
        &self.ends[..self.count.min(FIELDS_MAX)]
    }
}

impl FieldCutter {
    fn new(form: FieldForm, fields: usize) -> Option<Self> {
        (fields > 0).then_some(Self { form, fields: fields.min(FIELDS_MAX) })
    }

    /// Returns a cutter that finds the ends of the first `cells` cells of rows of `dialect`; none
    /// where that is not done in one look.
    pub fn of_rows(dialect: Dialect, cells: usize) -> Option<Self> {
        let Dialect { separator, quote, is_lenient } = dialect;
        let quote = quote.filter(|_| !is_lenient)?;
        Self::new(FieldForm::Cells { quote, separator }, cells)
    }

    /// Returns a cutter that finds the ends of the first `fields` fields of lines that end with
    /// `line_end`. The fields have a separator between them, or begin with blanks. None where no
    /// field is wanted.
    pub fn of_lines(line_end: u8, separator: Option<u8>, fields: usize) -> Option<Self> {
        let form = match separator {
            Some(separator) => FieldForm::Separated { line_end, separator },
            None => FieldForm::Blanks { line_end },
        };
        Self::new(form, fields)
    }

    /// Returns the number of bytes of the first record in `bytes`, and notes in `found` the ends of
    /// its first fields; `None` where its end is not found, and then `found` may have any.
    #[inline(always)]
    pub fn cut(&self, bytes: &[u8], found: &mut FieldEnds) -> Option<usize> {
        match self.form {
            FieldForm::Cells { quote, separator } => {
                let ends = |pair: &ChunkPair<'_>| pair.equal(separator) & pair.outside;
                let length = self.look(ROW_END, Some(quote), bytes, found, ends)?;
                Some(self.end_at(length, without_end(&bytes[..length]).len(), found))
            }
            FieldForm::Separated { line_end, separator } => {
                let ends = |pair: &ChunkPair<'_>| pair.equal(separator);
                let length = self.look(line_end, None, bytes, found, ends)?;
                Some(self.end_at(length, length - 1, found))
            }
            FieldForm::Blanks { line_end } => {
                // Blanks at the beginning belong to the first field.
                let mut is_behind_blank = 1;
                let ends = |pair: &ChunkPair<'_>| {
                    let blanks = pair.equal(b' ') | pair.equal(b'\t') | pair.equal(b'\n');
                    let ends = blanks & !(blanks << 1 | is_behind_blank);
                    is_behind_blank = blanks >> (u128::BITS - 1);
                    ends
                };
                let length = self.look(line_end, None, bytes, found, ends)?;
                Some(self.end_at(length, length - 1, found))
            }
        }
    }

    /// Looks for the end of a record, and notes the `ends` of fields in each pair of chunks.
    #[inline(always)]
    fn look(
        &self,
        record_end: u8,
        quote: Option<u8>,
        bytes: &[u8],
        found: &mut FieldEnds,
        mut ends: impl FnMut(&ChunkPair<'_>) -> u128,
    ) -> Option<usize> {
        let mut count = 0;
        let length = first_end_in_pairs(record_end, quote, bytes, false, |pair| {
            if count == self.fields {
                return;
            }
            // Only those before the end of the record: all where it has none.
            let before = pair.record_ends.wrapping_sub(1) & !pair.record_ends;
            let mut ends = ends(&pair) & before;
            while ends != 0 && count < self.fields {
                found.ends[count % FIELDS_MAX] = (pair.at + ends.trailing_zeros() as usize) as u32;
                count += 1;
                ends &= ends - 1;
            }
        });
        found.count = count;
        length.ok()
    }

    /// Notes that the last field of a record of `length` bytes ends with its `text` bytes, if that
    /// is wanted.
    #[inline(always)]
    fn end_at(&self, length: usize, text: usize, found: &mut FieldEnds) -> usize {
        if found.count < self.fields {
            found.ends[found.count % FIELDS_MAX] = text as u32;
            found.count += 1;
        }
        if length > u32::MAX as usize {
            // Ends that 32 bits do not count are found by those who want them.
            found.count = 0;
        }
        length
    }
}

#[cfg(test)]
mod tests;
