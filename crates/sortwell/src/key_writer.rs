//! Keys from values of the program, as bytes that compare as the values do.
//!
//! ```text
//!   unsigned        big-endian
//!   signed          big-endian, with the sign bit flipped
//!   float           its bits; all flipped if negative, else the sign bit (IEEE 754 totalOrder)
//!   bytes, text     00 as 01 01, 01 as 01 02, all others as they are; then 00
//!   Option          00 for None; 01 and the value for Some
//!   descending      all bytes of the value flipped
//! ```
//!
//! No encoding of a value is the beginning of another one's, so that values can follow each other
//! (key normalization; Graefe, "Implementing Sorting in Database Systems", ACM Computing Surveys
//! 38(3), 2006). The escapes of bytes are those of the keys of text records.

use sortwell_engine::job::RecordKey;
use sortwell_engine::{Error, Result};

/// The end of bytes; it is less than every byte of them.
const END: u8 = 0;

/// The first of the two bytes that 00 and 01 are written as.
const ESCAPE: u8 = 1;

/// Marks of `None` and of `Some`.
const NONE: u8 = 0;
const SOME: u8 = 1;

/// Writes values one after the other into a key. The first one counts most.
///
/// ```
/// use sortwell::Sorter;
///
/// let people = [("Cid", Some(30)), ("Ann", None), ("Bob", Some(41)), ("Abe", Some(30))];
/// let mut sorter = Sorter::new();
/// for (name, age) in people {
///     // The oldest first, then by name; people without an age come last.
///     sorter.push_by(|key| key.desc(age).asc(name), name.as_bytes())?;
/// }
/// let mut sorted = sorter.finish()?;
/// let mut names = Vec::new();
/// while let Some(record) = sorted.next()? {
///     names.push(String::from_utf8_lossy(record.payload).into_owned());
/// }
/// assert_eq!(names, ["Bob", "Abe", "Cid", "Ann"]);
/// # Ok::<(), sortwell::Error>(())
/// ```
#[derive(Debug)]
pub struct KeyWriter<'k> {
    key: &'k mut Vec<u8>,
    /// The fault of a record that has no key.
    fault: Option<Error>,
}

/// Memory of the key that is written next.
#[derive(Debug, Default)]
pub struct WrittenKey(Vec<u8>);

impl WrittenKey {
    /// Returns the key that `write` writes.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] for a record that has no key.
    pub(crate) fn by(
        &mut self,
        write: impl for<'k, 'w> FnOnce(&'w mut KeyWriter<'k>) -> &'w mut KeyWriter<'k>,
    ) -> Result<&[u8]> {
        self.0.clear();
        let mut writer = KeyWriter::new(&mut self.0);
        write(&mut writer);
        writer.finish()?;
        Ok(&self.0)
    }
}

impl<'k> KeyWriter<'k> {
    /// Returns a writer that appends to `key`.
    pub fn new(key: &'k mut Vec<u8>) -> Self {
        Self { key, fault: None }
    }

    /// Appends a value in ascending order.
    pub fn asc(&mut self, value: impl KeyValue) -> &mut Self {
        value.append_to(self.key);
        self
    }

    /// Appends a value in descending order. `None` comes last.
    pub fn desc(&mut self, value: impl KeyValue) -> &mut Self {
        let start = self.key.len();
        value.append_to(self.key);
        self.key[start..].iter_mut().for_each(|byte| *byte = !*byte);
        self
    }

    /// Appends the key that the command's words give to a record. If the record has none,
    /// [`finish`](Self::finish) returns the fault, and so does the call that pushes the record.
    pub fn record(&mut self, key: &RecordKey, record: &[u8]) -> &mut Self {
        let start = self.key.len();
        match key.append_to(record, self.key) {
            Ok(()) => end_bytes(self.key, start),
            Err(fault) => self.fault = self.fault.take().or(Some(fault)),
        }
        self
    }

    /// Ends the key.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] for the first record without a key.
    pub fn finish(self) -> Result<()> {
        self.fault.map_or(Ok(()), Err)
    }
}

/// Escapes the bytes of a key from `start` on, and ends them.
fn end_bytes(key: &mut Vec<u8>, start: usize) {
    let mut from = key.len();
    let escapes = key[start..].iter().filter(|byte| **byte <= ESCAPE).count();
    key.resize(from + escapes, 0);
    let mut to = key.len();
    while from < to {
        from -= 1;
        to -= 1;
        key[to] = key[from];
        if key[to] <= ESCAPE {
            key[to] += 1;
            to -= 1;
            key[to] = ESCAPE;
        }
    }
    key.push(END);
}

/// A value that a [`KeyWriter`] can write: integers, floats in total order, `bool`, `char`, text,
/// bytes, references to them, and options, of which `None` comes first.
///
/// ```
/// use sortwell::KeyValue;
///
/// let key = |value: i32| {
///     let mut key = Vec::new();
///     value.append_to(&mut key);
///     key
/// };
/// assert!(key(-5) < key(-4) && key(-4) < key(0) && key(0) < key(7));
/// ```
pub trait KeyValue {
    /// Appends the bytes of the value. Bytes of two values compare as the values do, and those of
    /// none are the beginning of another's.
    fn append_to(&self, key: &mut Vec<u8>);
}

macro_rules! unsigned_values {
    ($($type:ty),+) => { $(
        impl KeyValue for $type {
            fn append_to(&self, key: &mut Vec<u8>) {
                key.extend_from_slice(&self.to_be_bytes());
            }
        }
    )+ };
}

macro_rules! signed_values {
    ($($type:ty),+) => { $(
        impl KeyValue for $type {
            fn append_to(&self, key: &mut Vec<u8>) {
                key.extend_from_slice(&(*self ^ <$type>::MIN).to_be_bytes());
            }
        }
    )+ };
}

macro_rules! float_values {
    ($($type:ty: $bits:ty),+) => { $(
        impl KeyValue for $type {
            fn append_to(&self, key: &mut Vec<u8>) {
                let bits = self.to_bits();
                let sign = 1 << (<$bits>::BITS - 1);
                let ordered = if bits & sign == 0 { bits | sign } else { !bits };
                key.extend_from_slice(&ordered.to_be_bytes());
            }
        }
    )+ };
}

unsigned_values!(u8, u16, u32, u64, u128);
signed_values!(i8, i16, i32, i64, i128);
float_values!(f32: u32, f64: u64);

/// Writes eight bytes, so that keys are equal on machines of any width.
impl KeyValue for usize {
    fn append_to(&self, key: &mut Vec<u8>) {
        (*self as u64).append_to(key);
    }
}

/// Writes eight bytes, so that keys are equal on machines of any width.
impl KeyValue for isize {
    fn append_to(&self, key: &mut Vec<u8>) {
        (*self as i64).append_to(key);
    }
}

impl KeyValue for bool {
    fn append_to(&self, key: &mut Vec<u8>) {
        key.push(u8::from(*self));
    }
}

impl KeyValue for char {
    fn append_to(&self, key: &mut Vec<u8>) {
        u32::from(*self).append_to(key);
    }
}

impl KeyValue for [u8] {
    fn append_to(&self, key: &mut Vec<u8>) {
        let start = key.len();
        key.reserve(self.len() + 1);
        key.extend_from_slice(self);
        end_bytes(key, start);
    }
}

impl<const N: usize> KeyValue for [u8; N] {
    fn append_to(&self, key: &mut Vec<u8>) {
        self.as_slice().append_to(key);
    }
}

impl KeyValue for Vec<u8> {
    fn append_to(&self, key: &mut Vec<u8>) {
        self.as_slice().append_to(key);
    }
}

impl KeyValue for str {
    fn append_to(&self, key: &mut Vec<u8>) {
        self.as_bytes().append_to(key);
    }
}

impl KeyValue for String {
    fn append_to(&self, key: &mut Vec<u8>) {
        self.as_bytes().append_to(key);
    }
}

impl<V: KeyValue + ?Sized> KeyValue for &V {
    fn append_to(&self, key: &mut Vec<u8>) {
        (**self).append_to(key);
    }
}

impl<V: KeyValue> KeyValue for Option<V> {
    fn append_to(&self, key: &mut Vec<u8>) {
        match self {
            None => key.push(NONE),
            Some(value) => {
                key.push(SOME);
                value.append_to(key);
            }
        }
    }
}

#[cfg(test)]
mod tests;
