//! Observation of keys as records are read: the records with invalid keys, and keys that have no
//! value in any record.
//!
//! The first byte of a key tells whether its record is placed, so that a record which is not costs
//! a comparison. Whether there are values is asked until the first one is found.

use super::super::tally::{KeySeen, KeyTally};
use super::content::Content;
use super::encode::number::trimmed;
use super::encode::{TYPES, written};
use super::field::Fields;
use super::notation::NotationRow;
use super::order::{Invalid, NumberFormat, Place, TextOrder};
use super::part::Part;
use super::strict;
use super::text_type::{Class, NumberStyle, TextType};
use crate::stats::{InvalidKey, InvalidKeys, KeyFindings, UnmatchedKey};

/// Most bytes of text that is tried as another type.
const LOOKED_AT: usize = 256;

/// A type that may be the one meant: its text in a key, and whether text is a value of it.
type Suggestion = (&'static str, fn(&[u8]) -> bool);

/// Types of numbers that are suggested, the narrowest first. Those with a notation of their own
/// follow in the order of [`TYPES`].
const NUMBERS: [Suggestion; 9] = [
    ("int", |text| strict::is_int(text, NumberFormat::default())),
    ("decimal", |text| strict::is_decimal(text, NumberFormat::default())),
    ("decimal:thousands=,", |text| is_written(text, b'.', Some(b','), false)),
    ("decimal=,", |text| is_written(text, b',', None, false)),
    ("decimal=,:thousands=.", |text| is_written(text, b',', Some(b'.'), false)),
    ("decimal:thousands=,:currency", |text| is_written(text, b'.', Some(b','), true)),
    ("decimal=,:thousands=.:currency", |text| is_written(text, b',', Some(b'.'), true)),
    ("float", strict::is_float),
    ("size", |text| strict::is_size(text, NumberFormat::default())),
];

/// Returns the types with a notation of their own that are suggested.
fn notations() -> impl Iterator<Item = &'static NotationRow> {
    let row = |(_, text_type): &'static (&str, TextType)| match text_type {
        TextType::Notation(row) => Some(*row),
        _ => None,
    };
    TYPES.iter().filter_map(row).filter(|row| row.is_suggested)
}

fn is_written(text: &[u8], radix: u8, thousands: Option<u8>, has_currency: bool) -> bool {
    let style = NumberStyle { radix, thousands, has_currency, is_whole: false };
    written::parse(text, style).is_some()
}

/// The value of a part of a key in one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// A value.
    Value,
    /// Nothing.
    Empty,
    /// Neither.
    Other,
}

/// The parts of a key that are checked.
#[derive(Clone, Debug)]
pub(super) struct KeyWatch {
    /// Place of records with an invalid key, if they have one.
    place: Option<Place>,
    /// The parts that may meet what is no value.
    parts: Vec<Watched>,
    /// The number of them that place records.
    placing: usize,
}

/// A part that is looked at.
#[derive(Clone, Copy, Debug)]
struct Watched {
    /// Number of the part in the key.
    number: usize,
    /// True if it places records.
    is_placing: bool,
    /// The types that cannot be meant.
    ruled_out: u32,
}

impl KeyWatch {
    /// Returns what is to be looked at of the key that these parts make; `None` if no text of a
    /// record that has a key is no value.
    pub fn new(parts: &[Part], order: &TextOrder) -> Option<Self> {
        let watched = |(number, part): (usize, &Part)| {
            let is_placing = part.places_invalid() && number < order.placing_keys;
            let is_watched = part.places_invalid() || part.is_loose();
            is_watched.then(|| Watched { number, is_placing, ruled_out: ruled_out(part, order) })
        };
        let parts: Vec<Watched> = parts.iter().enumerate().filter_map(watched).collect();
        let placing = parts.iter().filter(|watched| watched.is_placing).count();
        let place = match order.invalid {
            Some(Invalid::Placed(place)) if placing > 0 => Some(place),
            _ => None,
        };
        (!parts.is_empty()).then_some(Self { place, parts, placing })
    }

    /// Returns whether records may be placed by a key that is no value.
    #[inline]
    pub fn places(&self) -> bool {
        self.place.is_some()
    }

    /// Returns whether the first word of a key says that its record is placed.
    #[inline]
    pub fn is_placed(&self, word: u64) -> bool {
        self.places() && matches!((word >> 56) as u8, 0 | 0xff)
    }

    /// Notes what a record has for keys.
    #[cold]
    pub fn look(
        &self,
        parts: &[Part],
        fields: &mut Fields<'_>,
        is_placed: bool,
        tally: &mut KeyTally,
    ) {
        tally.keys.resize(self.parts.len(), KeySeen::default());
        tally.invalid += u64::from(is_placed);
        for (watched, seen) in self.parts.iter().zip(&mut tally.keys) {
            let is_counted = is_placed && watched.is_placing;
            if seen.has_value && is_counted && self.placing == 1 {
                seen.invalid += 1;
                continue;
            }
            if seen.has_value && !is_counted {
                continue;
            }
            let part = &parts[watched.number];
            match part.standing(fields) {
                Standing::Value => seen.has_value = true,
                Standing::Empty => {}
                Standing::Other => {
                    seen.invalid += u64::from(is_counted);
                    seen.has_other = true;
                    seen.ruled_out |= watched.ruled_out;
                    if !seen.has_value && seen.ruled_out != u32::MAX {
                        rule_out(&part.content(fields), &mut seen.ruled_out);
                    }
                }
            }
        }
        tally.settle();
    }

    /// Says what a tally of all records comes to.
    pub fn findings(&self, parts: &[Part], tally: &KeyTally) -> KeyFindings {
        let seen = || self.parts.iter().zip(&tally.keys);
        let words = |watched: &Watched| parts[watched.number].words();
        let invalid = self.place.map(|place| InvalidKeys {
            records: tally.invalid,
            of_records: tally.records,
            place: if place == Place::First { "first" } else { "last" },
            keys: seen()
                .filter(|(_, seen)| seen.invalid > 0)
                .map(|(watched, seen)| InvalidKey {
                    key: words(watched).0.to_owned(),
                    expected: words(watched).1.to_owned(),
                    records: seen.invalid,
                })
                .collect(),
        });
        let unmatched = seen()
            .filter(|(_, seen)| seen.has_other && !seen.has_value)
            .map(|(watched, seen)| UnmatchedKey {
                key: words(watched).0.to_owned(),
                expected: words(watched).1.to_owned(),
                suggestion: suggestion(seen.ruled_out),
            })
            .collect();
        KeyFindings { invalid, unmatched }
    }
}

/// Returns the types that a part cannot have been meant to have.
fn ruled_out(part: &Part, order: &TextOrder) -> u32 {
    if !matches!(part.class(), Class::Loose | Class::Strict) {
        return u32::MAX;
    }
    // Of days and times in the usual form, `--date-format` says that they are not in it.
    let is_possible = |row: &NotationRow| order.date_format.is_none() || row.day.is_none();
    let possible = NUMBERS.iter().map(|_| true).chain(notations().map(is_possible));
    let possible = possible.enumerate().filter(|(_, is_possible)| *is_possible);
    !possible.fold(0, |bits, (number, _)| bits | 1 << number)
}

/// Rules out the types of which `text` is no value.
fn rule_out(text: &Content<'_>, ruled_out: &mut u32) {
    text.with_slice(LOOKED_AT + 1, |text| {
        let is_long = text.len() > LOOKED_AT;
        let mut bit = 1;
        let mut rule_out = |is_value: &dyn Fn(&[u8]) -> bool| {
            if *ruled_out & bit == 0 && (is_long || !is_value(text)) {
                *ruled_out |= bit;
            }
            bit <<= 1;
        };
        NUMBERS.iter().for_each(|(_, is_value)| rule_out(is_value));
        notations().for_each(|row| rule_out(&|text| row.is_value(trimmed(text), None)));
    });
}

/// Returns the first type that is not ruled out.
fn suggestion(ruled_out: u32) -> Option<&'static str> {
    let names = NUMBERS.iter().map(|(name, _)| *name).chain(notations().map(|row| row.name));
    let mut left = names.enumerate().filter(|(number, _)| ruled_out >> number & 1 == 0);
    left.next().map(|(_, name)| name)
}

#[cfg(test)]
mod tests;
