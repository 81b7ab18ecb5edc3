//! The types of text: what the bytes of a key mean.
//!
//! Three kinds differ in what they make of bytes that are no value of theirs. *Text* has none such.
//! *Loose* types, those of lines as sorting has always known them, take what they can read at the
//! beginning. *Strict* types know a value only where all of the text is one. Which kind a type is
//! of where it is not said otherwise stands in `TextType::traits`.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::super::key_type::NumberType;
use super::encode::number::trimmed;
use super::notation::{Day, NotationRow};

/// The type of the bytes of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TextType {
    /// Bytes, or text where there is a collation.
    #[default]
    Bytes,
    /// A whole number of any length after optional blanks and a sign; anything else is 0.
    Int,
    /// A number of any length with an optional fraction after optional blanks and a minus sign;
    /// anything else is 0. No plus sign, no exponent (the `-n` of POSIX sort).
    Decimal,
    /// A floating-point number as C's `strtold` reads it, compared as an 80-bit value: no number,
    /// then NaN, then from -infinity to infinity (GNU's `-g`).
    General,
    /// A binary64 as Rust reads it. Text that is not a number comes first, NaN last.
    Float,
    /// A size with an optional SI or IEC suffix, by value: `1K` is 1000, `2.5Gi` is 2684354560.
    Size,
    /// A number with a suffix of `K M G T P E Z Y R Q`: first by sign, then by suffix, then by
    /// number (GNU's `-h`).
    Human,
    /// The name of a month after optional blanks, case ignored; anything else comes first.
    Month,
    /// File names with version numbers in them (GNU's `-V`).
    Version,
    /// A number as people write it.
    Written(NumberStyle),
    /// Text in which runs of digits compare by value and stand where digits do.
    Natural,
    /// A keyed hash: a shuffle that keeps equal keys together.
    Random,
    /// A value in a notation of its own, such as a day or an address.
    Notation(&'static NotationRow),
    /// One of some values, in an order of their own.
    List(Arc<ValueList>),
    /// A packed decimal of mainframes (COBOL's `COMP-3`): two digits a byte, the sign in the last
    /// half byte.
    Packed,
    /// A zoned decimal of mainframes (COBOL's `DISPLAY`): one digit a byte.
    Zoned(Zoned),
    /// Text in EBCDIC, ordered as the characters of Unicode that it stands for.
    Ebcdic(CodePage),
    /// Text in a user-defined collating sequence: the byte `b` sorts as `sequence[b]`.
    Sequence(Arc<[u8; 256]>),
    /// A number as machines have it.
    Binary(NumberType),
}

/// The fate of bytes that are not a value of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// All bytes are values.
    Text,
    /// Whatever can be read is taken; the rest is not looked at, unless checks are asked for.
    Loose,
    /// Everything that can be read is taken, without checks.
    Unchecked,
    /// Text that is a value as a whole, blanks at its ends aside.
    Strict,
    /// Bytes that are a value, blanks and all.
    StrictBytes,
}

/// The traits of the values and keys of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Traits {
    pub class: Class,
    /// True if the first word of a key distinguishes most values.
    pub fills_word: bool,
    /// True if there are so few values that most records share theirs.
    pub is_coarse: bool,
    /// True if neither the first byte of a value's key nor its complement is one of the two least
    /// and the two largest bytes. These can then mark text that is not a value.
    pub spares_ends: bool,
}

impl Traits {
    /// Returns the traits of a class.
    pub const fn of(class: Class) -> Self {
        Self { class, fills_word: false, is_coarse: false, spares_ends: false }
    }

    /// Sets that the first word of a key distinguishes most values.
    pub const fn fills_word(self) -> Self {
        Self { fills_word: true, ..self }
    }

    /// Adds that most records share their values.
    pub const fn is_coarse(self) -> Self {
        Self { is_coarse: true, ..self }
    }

    /// Adds that the ends of the first byte are spared.
    pub const fn spares_ends(self) -> Self {
        Self { spares_ends: true, ..self }
    }
}

impl TextType {
    /// Returns the traits of its values and keys.
    #[inline]
    pub(super) const fn traits(&self) -> Traits {
        match self {
            Self::Bytes | Self::Ebcdic(_) | Self::Sequence(_) => Traits::of(Class::Text),
            Self::Version | Self::Natural | Self::Random => Traits::of(Class::Text),
            Self::Int | Self::Decimal | Self::Size => {
                Traits::of(Class::Loose).fills_word().spares_ends()
            }
            Self::Float => Traits::of(Class::Loose),
            Self::Month => Traits::of(Class::Loose).is_coarse(),
            Self::General => Traits::of(Class::Unchecked),
            Self::Human => Traits::of(Class::Unchecked).fills_word(),
            Self::Written(_) => Traits::of(Class::Strict).fills_word().spares_ends(),
            Self::List(_) => Traits::of(Class::Strict).is_coarse().spares_ends(),
            Self::Packed | Self::Zoned(_) => {
                Traits::of(Class::StrictBytes).fills_word().spares_ends()
            }
            Self::Binary(_) => Traits::of(Class::StrictBytes),
            Self::Notation(row) => row.traits,
        }
    }

    /// Returns its class.
    #[inline]
    pub(super) const fn class(&self) -> Class {
        self.traits().class
    }

    /// Returns whether all bytes are values.
    pub(in crate::key) const fn is_text(&self) -> bool {
        matches!(self.class(), Class::Text)
    }

    /// Returns the parts of a moment that its values contain, if they are days or times.
    pub(super) const fn day(&self) -> Option<Day> {
        match self {
            Self::Notation(row) => row.day,
            _ => None,
        }
    }

    /// Returns whether its values are days or times.
    pub fn is_day(&self) -> bool {
        self.day().is_some()
    }
}

/// The style in which people write a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberStyle {
    /// Between the number and its fraction.
    pub radix: u8,
    /// Between groups of three digits of the whole number.
    pub thousands: Option<u8>,
    /// True if a sign of a currency may stand before or after the number.
    pub has_currency: bool,
    /// True if the number has no fraction.
    pub is_whole: bool,
}

/// Sign position and character set of a zoned decimal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Zoned {
    /// True if the sign is at the beginning, not at the end.
    pub is_leading: bool,
    /// True if the sign has a byte of its own, `+` or `-`; else it is in the zone of a digit.
    pub is_separate: bool,
    /// True if digits are those of EBCDIC, not of ASCII.
    pub is_ebcdic: bool,
}

/// A code page of EBCDIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodePage {
    /// United States, Canada and others.
    Cp037,
    /// International.
    Cp500,
    /// Open systems: z/OS UNIX and C.
    Cp1047,
}

/// Values in an order of their own: their bytes one after the other, where each ends, and a table
/// of their numbers by hash (open addressing with linear probing).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueList {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Numbers of values, or [`FREE`]: a power of two, a third of them free at least.
    slots: Vec<u32>,
    longest_bytes: usize,
}

/// A slot without a value.
const FREE: u32 = u32::MAX;

/// Values that a list may have: their numbers take three bytes of a key.
pub const VALUES_MAX: usize = 1 << 22;

impl ValueList {
    /// Creates the list of `values`, least first. Blanks at their ends do not count.
    ///
    /// # Errors
    ///
    /// What is wrong with the list, in words: a value twice, an empty one, or none.
    pub fn new<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> Result<Self, String> {
        let mut list = Self::default();
        values.into_iter().try_for_each(|value| list.add(value))?;
        list.finish()
    }

    /// Adds a value after all others, without blanks at its ends.
    ///
    /// # Errors
    ///
    /// The fault of the value, in words.
    pub fn add(&mut self, value: &[u8]) -> Result<(), String> {
        let value = trimmed(value);
        if value.is_empty() {
            return Err("has an empty value; nulls-first and nulls-last decide where empty \
                        values go"
                .to_owned());
        }
        if self.place(value).is_some() {
            let shown = String::from_utf8_lossy(value);
            return Err(format!("has the value '{shown}' twice; leave one out"));
        }
        if self.ends.len() == VALUES_MAX {
            return Err(format!("has more than {VALUES_MAX} values"));
        }
        self.push(value);
        Ok(())
    }

    /// Returns the list of all values that were added.
    ///
    /// # Errors
    ///
    /// A missing list, in words.
    pub fn finish(mut self) -> Result<Self, String> {
        if self.ends.is_empty() {
            return Err("has no values; write order=low|mid|high".to_owned());
        }
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
        Ok(self)
    }

    /// Adds a value that is not there yet.
    fn push(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        self.ends.push(self.bytes.len());
        self.longest_bytes = self.longest_bytes.max(value.len());
        if 3 * self.ends.len() > 2 * self.slots.len() {
            self.slots = vec![FREE; (2 * self.slots.len()).max(16)];
            (0..self.ends.len()).for_each(|number| self.note(number));
        } else {
            self.note(self.ends.len() - 1);
        }
    }

    /// Puts a value into the table.
    fn note(&mut self, number: usize) {
        let hash = hash(self.value(number));
        let mut slots = probes(hash, self.slots.len());
        if let Some(slot) = slots.find(|slot| self.slots[*slot] == FREE) {
            self.slots[slot] = number as u32;
        }
    }

    fn value(&self, number: usize) -> &[u8] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[number]]
    }

    /// Returns the number of `value`, from 0.
    #[inline]
    pub fn place(&self, value: &[u8]) -> Option<u32> {
        if value.len() > self.longest_bytes {
            return None;
        }
        let numbers = probes(hash(value), self.slots.len()).map(|slot| self.slots[slot]);
        let mut taken = numbers.take_while(|number| *number != FREE);
        taken.find(|number| self.value(*number as usize) == value)
    }

    /// Returns the number of bytes of the longest value.
    pub fn longest_bytes(&self) -> usize {
        self.longest_bytes
    }

    /// Returns the number of bytes of memory that the list takes.
    pub fn bytes(&self) -> usize {
        let ends = self.ends.len() * size_of::<usize>();
        self.bytes.len() + ends + self.slots.len() * size_of::<u32>()
    }

    /// Returns the number of bytes of memory that a list of `values` values, of `bytes` bytes
    /// together, takes while it is made. A table that is too small is replaced by one twice as
    /// large.
    pub fn peak_bytes(values: u64, bytes: u64) -> u64 {
        let slots = values.saturating_mul(3).div_ceil(2).max(16).next_power_of_two();
        let table = slots * size_of::<u32>() as u64;
        bytes + values * size_of::<usize>() as u64 + table + table / 2
    }

    /// Returns the values that there are, and the bytes of all of them together.
    pub fn extent(&self) -> (u64, u64) {
        (self.ends.len() as u64, self.bytes.len() as u64)
    }

    /// Returns the first values, joined by `|`: more than `bytes` bytes if the list has enough.
    pub fn beginning(&self, bytes: usize) -> Vec<u8> {
        let mut words = Vec::new();
        for number in 0..self.ends.len() {
            if words.len() > bytes {
                break;
            }
            words.extend_from_slice(if number > 0 { b"|" } else { b"" });
            words.extend_from_slice(self.value(number));
        }
        words
    }
}

#[inline]
fn hash(value: &[u8]) -> usize {
    xxh3_64(value) as usize
}

/// Returns all of `slots` slots, a power of two or none, from that of a hash on.
#[inline]
fn probes(hash: usize, slots: usize) -> impl Iterator<Item = usize> {
    (0..slots).map(move |step| hash.wrapping_add(step) & (slots - 1))
}

#[cfg(test)]
mod tests;
