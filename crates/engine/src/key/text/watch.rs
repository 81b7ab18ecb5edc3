//! Observation of keys as records are read: the records with invalid keys, and keys that have no
//! value in any record.
//!
//! The first byte of a key tells whether its record is placed, so that a record which is not costs
//! a comparison. Whether there are values is asked until the first one is found.

use std::sync::LazyLock;

use super::content::Content;
use super::encode::TYPES;
use super::encode::written::NumberStyle;
use super::field::Fields;
use super::order::{Invalid, InvalidPlace, TextOrder, TextSpec};
use super::part::TextKeyPart;
use super::text_type::{Class, TextType};
use super::typed::Typed;
use crate::stats::{InvalidKey, InvalidKeys, KeyFindings, KeySeen, KeyTally, UnmatchedKey};

/// Most bytes of text that is tried as another type.
const LOOKED_AT: usize = 256;

/// Types of numbers that are suggested by their text in a key, the narrowest first. Those with a
/// notation of their own follow in the order of [`TYPES`].
static NUMBERS: [(&str, TextType); 9] = [
    ("int", TextType::INT),
    ("decimal", TextType::DECIMAL),
    ("decimal:thousands=,", written(b'.', Some(b','), false)),
    ("decimal=,", written(b',', None, false)),
    ("decimal=,:thousands=.", written(b',', Some(b'.'), false)),
    ("decimal:thousands=,:currency", written(b'.', Some(b','), true)),
    ("decimal=,:thousands=.:currency", written(b',', Some(b'.'), true)),
    ("float", TextType::FLOAT),
    ("size", TextType::SIZE),
];

const fn written(radix: u8, thousands: Option<u8>, has_currency: bool) -> TextType {
    TextType::written(NumberStyle { radix, thousands, has_currency, is_whole: false })
}

/// The types that are suggested, with their text in a key.
static SUGGESTED: LazyLock<Vec<(&str, Typed)>> = LazyLock::new(|| {
    let notations = TYPES.iter().filter(|row| row.traits.is_suggested);
    let types = NUMBERS.iter().cloned().chain(notations.map(|row| (row.name(), row.only())));
    let order = TextOrder::by_bytes(b'\n');
    let typed =
        |text_type| Typed::new(&TextSpec { text_type, ..TextSpec::default() }, &order, true, true);
    types.map(|(name, text_type)| (name, typed(text_type))).collect()
});

/// The value of a part of a key in one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartValue {
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
    place: Option<InvalidPlace>,
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
    pub fn new(parts: &[TextKeyPart], order: &TextOrder) -> Option<Self> {
        let watched = |(number, part): (usize, &TextKeyPart)| {
            let is_placing = part.places_invalid() && number < order.placing_keys;
            let is_watched = part.places_invalid() || part.is_loose();
            is_watched.then(|| Watched { number, is_placing, ruled_out: ruled_out(part, order) })
        };
        let parts: Vec<Watched> = parts.iter().enumerate().filter_map(watched).collect();
        let placing = parts.iter().filter(|watched| watched.is_placing).count();
        let place = match order.options.invalid {
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
        parts: &[TextKeyPart],
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
                PartValue::Value => seen.has_value = true,
                PartValue::Empty => {}
                PartValue::Other => {
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
    pub fn findings(&self, parts: &[TextKeyPart], tally: &KeyTally) -> KeyFindings {
        let seen = || self.parts.iter().zip(&tally.keys);
        let words = |watched: &Watched| parts[watched.number].words();
        let invalid = self.place.map(|place| InvalidKeys {
            records: tally.invalid,
            of_records: tally.records,
            place: if place == InvalidPlace::First { "first" } else { "last" },
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
        KeyFindings { invalid, unmatched, tally: tally.clone() }
    }
}

/// Returns the types that a part cannot have been meant to have.
fn ruled_out(part: &TextKeyPart, order: &TextOrder) -> u32 {
    if !matches!(part.class(), Class::Loose | Class::Strict) {
        return u32::MAX;
    }
    // Of days and times in the usual form, `--date-format` says that they are not in it.
    let is_possible =
        |typed: &Typed| order.options.date_format.is_none() || !typed.text_type.is_day();
    let possible = SUGGESTED.iter().enumerate().filter(|(_, (_, typed))| is_possible(typed));
    !possible.fold(0, |bits, (number, _)| bits | 1 << number)
}

/// Rules out the types of which `text` is no value.
fn rule_out(text: &Content<'_>, ruled_out: &mut u32) {
    text.with_slice(LOOKED_AT + 1, |text| {
        for (number, (_, typed)) in SUGGESTED.iter().enumerate() {
            let is_left = *ruled_out >> number & 1 == 0;
            if is_left && (text.len() > LOOKED_AT || !typed.is_valid(text)) {
                *ruled_out |= 1 << number;
            }
        }
    });
}

/// Returns the first type that is not ruled out.
fn suggestion(ruled_out: u32) -> Option<&'static str> {
    let mut left = SUGGESTED.iter().enumerate().filter(|(number, _)| ruled_out >> number & 1 == 0);
    left.next().map(|(_, (name, _))| *name)
}

#[cfg(test)]
mod tests;
