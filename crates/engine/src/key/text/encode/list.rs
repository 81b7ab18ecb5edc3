//! Values in an order of their own, one of which a text is: the number of the value in their list,
//! three bytes.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::super::fault::{SHOWN_BYTES, shown};
use super::number::trimmed;
use super::{Class, Detail, KeySink, KeyType, KeyTypeRow, TextType, Traits, TypeNames, Typed};

/// One of some values, in an order of their own.
#[derive(Debug)]
pub struct ListType;

impl KeyType for ListType {
    const NAMES: TypeNames = &[("order=LIST", Detail::None), ("order=@FILE", Detail::None)];
    const TRAITS: Traits =
        Traits { has_case: true, ..Traits::of(Class::Strict).is_coarse().spares_ends() };

    #[inline]
    fn append<S: KeySink>(text: &[u8], of: &Typed, out: &mut S) -> Option<()> {
        let [_, bytes @ ..] = (of.text_type.list()?.place(text)? + BIAS).to_be_bytes();
        out.extend(&bytes);
        Some(())
    }

    fn expected(detail: &Detail) -> String {
        let Detail::List(values) = detail else { return String::new() };
        format!("in the order {}", shown(&values.beginning(SHOWN_BYTES)))
    }
}

impl TextType {
    /// Returns the list of its values, if it has one.
    pub(in crate::key) fn list(&self) -> Option<&ValueList> {
        if let Detail::List(values) = &self.detail { Some(values) } else { None }
    }
}

impl From<ValueList> for TextType {
    fn from(values: ValueList) -> Self {
        Self { row: KeyTypeRow::row::<ListType>(), detail: Detail::List(Arc::new(values)) }
    }
}

/// Keeps the first byte off the ends of its range. Numbers of values are less than 2^22.
const BIAS: u32 = 1 << 22;

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
    /// A description of the fault of the list: a value twice, an empty value, or no value.
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
