//! The key of a text record: its parts one after the other, made when they are asked for.

use std::cmp::Ordering;

use super::super::{CutRecord, FEW_WORDS, KeyEncoder, KeyTally, differing_word};
use super::difference::{KeySource, difference};
use super::field::Fields;
use super::order::{Body, Invalid, InvalidPlace, Separator, TextOrder, TextSpec};
use super::part::TextKeyPart;
use super::sink::{BufferSink, FewSink, KeySink, WordSink};
use super::watch::KeyWatch;
use crate::error::{ConfigErrorKind, Error, Message, Result, config};
use crate::format::FieldCutter;
use crate::stats::KeyFindings;

/// Any order of text records. The order of lines by their bytes is `LineKey`, and far cheaper.
#[derive(Clone, Debug)]
pub struct TextKey {
    separator: Separator,
    body: Body,
    /// Parts of the key; at least one.
    parts: Box<[TextKeyPart]>,
    /// True if a record may have a fault in one of them.
    is_partial: bool,
    /// The place of records of which one of the first parts is invalid, and the number of these
    /// parts. `None` if the mark of the first part places such records.
    invalid: Option<(InvalidPlace, usize)>,
    /// Cells up to the last that a part looks at.
    cells: usize,
    /// A cutter that finds the ends of these cells, where that is done in one look.
    cutter: Option<FieldCutter>,
    /// The checks of each record that is read, if some text may be no value.
    watch: Option<Box<KeyWatch>>,
}

/// Ends of cells that are worth noting for all rows; what lies after is looked for.
const CELLS_NOTED_MAX: usize = 64;

impl TextKey {
    /// Creates the key that orders records as `order` says.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for a number format whose characters could be taken for something else.
    pub fn new(order: &TextOrder) -> Result<Self> {
        let numbers = order.options.numbers;
        if Some(numbers.radix) == numbers.thousands
            || numbers.radix.is_ascii_digit()
            || numbers.thousands.is_some_and(|byte| byte.is_ascii_digit())
        {
            return Err(config!(
                ConfigErrorKind::InvalidValue,
                "the radix character and the separator of thousands have to be two different \
                 characters, and no digits",
            ));
        }
        if let Some(fault) = order.specs.iter().find_map(|spec| order.fault_of(spec, "a key")) {
            return Err(Error::config(ConfigErrorKind::InvalidKey, fault));
        }
        let whole = match &order.options.then_whole {
            Some(last) => Some(TextSpec {
                collation: last.collation.clone(),
                is_descending: last.is_descending,
                ..TextSpec::default()
            }),
            None => order.specs.is_empty().then(TextSpec::default),
        };
        let count = order.specs.len() + usize::from(whole.is_some());
        let specs = order.specs.iter().chain(&whole).enumerate();
        let parts = specs.map(|(index, spec)| TextKeyPart::new(spec, order, index + 1 == count));
        let mut parts: Box<[TextKeyPart]> = parts.collect();
        let invalid = match order.options.invalid {
            Some(Invalid::Placed(place)) => {
                let placing = order.placing_keys.min(count);
                let later = parts.iter().take(placing).skip(1);
                later.into_iter().any(TextKeyPart::places_invalid).then_some((place, placing))
            }
            _ => None,
        };
        if invalid.is_some() {
            parts[0].mark_values();
        }
        let is_partial = parts.iter().any(TextKeyPart::is_partial);
        let cells = match order.separator {
            Separator::Cells(_) => parts.iter().map(TextKeyPart::fields).max().unwrap_or(0),
            _ => 0,
        };
        let fields = parts.iter().map(TextKeyPart::ends_wanted).max().unwrap_or(0);
        let cutter = match (order.separator, order.body) {
            (Separator::Cells(dialect), _) => FieldCutter::of_rows(dialect, cells),
            (Separator::Byte(byte), Body::Terminated(end)) => {
                FieldCutter::of_lines(end, Some(byte), fields)
            }
            (Separator::Blanks, Body::Terminated(end)) => FieldCutter::of_lines(end, None, fields),
            _ => None,
        };
        let watch = KeyWatch::new(&parts, order).map(Box::new);
        let (separator, body) = (order.separator, order.body);
        Ok(Self { separator, body, parts, is_partial, invalid, cells, cutter, watch })
    }

    /// Returns the key of its first `count` parts: the beginning of each record's key, but for the
    /// mark of an invalid later part.
    pub(in crate::key) fn beginning(mut self, count: usize) -> Self {
        self.parts = self.parts.into_iter().take(count).collect();
        self.is_partial = self.parts.iter().any(TextKeyPart::is_partial);
        self.invalid = self.invalid.map(|(place, placing)| (place, placing.min(count)));
        self.watch = None;
        self
    }

    /// Returns the byte in front of the keys of records of which any part is invalid; `None` if the
    /// first part alone can be, or none.
    pub(in crate::key) fn invalid_mark(&self) -> Option<u8> {
        self.invalid.map(|(place, _)| mark_of(place))
    }

    /// Returns the bytes that key number `spec` of the order looks at, as a part of `record`; for
    /// showing them to people. `None` where there is no such key. Of a cell, those between its
    /// quotes.
    pub fn located<'a>(&self, record: &'a [u8], spec: usize) -> Option<&'a [u8]> {
        self.parts.get(spec).map(|part| part.located(&mut self.fields(record)).0)
    }

    #[inline]
    fn fields<'a>(&self, record: &'a [u8]) -> Fields<'a> {
        Fields::new(self.body.of_record(record), self.separator)
    }

    #[inline]
    fn cut_fields<'a>(&self, CutRecord { bytes, field_ends }: CutRecord<'a>) -> Fields<'a> {
        Fields::given(self.body.of_record(bytes), self.separator, field_ends)
    }

    #[inline]
    fn append<S: KeySink>(&self, record: &[u8], out: &mut S) {
        self.append_fields(&mut self.fields(record), out);
    }

    /// Returns whether one of the first `placing` parts of a record is no value.
    fn has_invalid(&self, placing: usize, fields: &mut Fields<'_>) -> bool {
        self.parts[..placing].iter().any(|part| part.is_invalid(fields))
    }

    #[inline]
    fn append_fields<S: KeySink>(&self, fields: &mut Fields<'_>, out: &mut S) {
        if let Some((place, placing)) = self.invalid
            && self.has_invalid(placing, fields)
        {
            out.push(mark_of(place));
        }
        for part in &self.parts {
            part.append(fields, out);
            if out.room() == 0 {
                break;
            }
        }
    }
}

/// Returns the mark of records that have this place for an invalid part.
fn mark_of(place: InvalidPlace) -> u8 {
    if place == InvalidPlace::First { 0 } else { 0xff }
}

impl KeyEncoder for TextKey {
    #[inline]
    fn key_length(&self) -> usize {
        usize::MAX
    }

    fn key_bytes(&self, record: CutRecord<'_>, limit: usize, out: &mut Vec<u8>) {
        let end = out.len().saturating_add(limit);
        self.append_fields(&mut self.cut_fields(record), &mut BufferSink::new(out, limit));
        out.truncate(end);
    }

    #[inline]
    fn is_costly(&self) -> bool {
        true
    }

    #[inline]
    fn is_partial(&self) -> bool {
        self.is_partial
    }

    fn places_invalid(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.places())
    }

    fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    #[inline]
    fn tally(&self, record: CutRecord<'_>, word: u64, tally: &mut KeyTally) {
        let Some(watch) = &self.watch else { return };
        let is_placed = watch.is_placed(word);
        tally.records += u64::from(watch.places());
        if is_placed || !tally.is_settled() {
            watch.look(&self.parts, &mut self.cut_fields(record), is_placed, tally);
        }
    }

    fn findings(&self, tally: &KeyTally) -> KeyFindings {
        let watch = self.watch.as_ref();
        watch.map(|watch| watch.findings(&self.parts, tally)).unwrap_or_default()
    }

    fn scratch_bytes(&self, record: &[u8]) -> usize {
        let mut fields = self.fields(record);
        self.parts.iter().map(|part| part.scratch_bytes(&mut fields)).max().unwrap_or(0)
    }

    fn fault(&self, record: &[u8]) -> Option<Message> {
        let mut fields = self.fields(record);
        self.parts.iter().find_map(|part| part.fault(&mut fields))
    }

    #[inline]
    fn cells_wanted(&self) -> usize {
        self.cells.min(CELLS_NOTED_MAX)
    }

    #[inline]
    fn checked_word(&self, record: CutRecord<'_>) -> std::result::Result<u64, Message> {
        let (mut fields, mut sink) = (self.cut_fields(record), WordSink::new(0));
        if self.is_partial {
            let mut parts = self.parts.iter();
            parts.try_for_each(|part| part.append_checked(&mut fields, &mut sink))?;
        } else {
            self.append_fields(&mut fields, &mut sink);
        }
        Ok(sink.word())
    }

    #[inline]
    fn first_word(&self, record: CutRecord<'_>) -> u64 {
        let mut sink = WordSink::new(0);
        self.append_fields(&mut self.cut_fields(record), &mut sink);
        sink.word()
    }

    #[inline]
    fn field_cutter(&self) -> Option<&FieldCutter> {
        self.cutter.as_ref()
    }

    fn few_words(&self, record: CutRecord<'_>, first: usize) -> [u64; FEW_WORDS] {
        let mut sink = FewSink::new(first);
        self.append_fields(&mut self.cut_fields(record), &mut sink);
        sink.words()
    }

    #[inline]
    fn word(&self, record: &[u8], index: usize) -> u64 {
        let mut sink = WordSink::new(index);
        self.append(record, &mut sink);
        sink.word()
    }

    fn first_difference(&self, a: &[u8], b: &[u8], _first: usize) -> Option<usize> {
        if a == b {
            return None;
        }
        let found = difference(&mut [a, b].map(|record| WholeKey { key: self, record }))?;
        Some(differing_word(found.at, found.is_end))
    }

    fn compare_from(&self, a: &[u8], b: &[u8], _word: usize) -> Ordering {
        let (mut fields_a, mut fields_b) = (self.fields(a), self.fields(b));
        // What records agree in is read here alone.
        let agreed = fields_a.agreement(&fields_b);
        if agreed == fields_a.length().max(fields_b.length()) {
            return Ordering::Equal; // and no key has to be made to see it
        }
        if let Some((place, placing)) = self.invalid {
            let [a, b] =
                [&mut fields_a, &mut fields_b].map(|fields| self.has_invalid(placing, fields));
            if a != b {
                return if place == InvalidPlace::First { b.cmp(&a) } else { a.cmp(&b) };
            }
        }
        for part in &self.parts {
            let order = part.compare(&mut fields_a, &mut fields_b, agreed);
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }
}

/// The key of a record.
struct WholeKey<'a> {
    key: &'a TextKey,
    record: &'a [u8],
}

impl KeySource for WholeKey<'_> {
    fn append<S: KeySink>(&mut self, out: &mut S) {
        self.key.append(self.record, out);
    }

    fn text_bytes(&self) -> usize {
        self.record.len()
    }
}

#[cfg(test)]
mod tests;
