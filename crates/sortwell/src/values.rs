//! Sorts of values: a function writes the key of each, and a codec makes it a payload and back.

use std::error::Error as StdError;
use std::iter::FusedIterator;
use std::marker::PhantomData;

use sortwell_engine::stats::Statistics;
use sortwell_engine::{Error, Result};

use crate::key_writer::KeyWriter;
use crate::sorter::{Sorted, Sorter};

/// An error of a [`ValueCodec`]: any error.
pub type CodecError = Box<dyn StdError + Send + Sync>;

/// A way to write values as bytes and to read them again. A pair of functions is one. With the
/// feature `serde`, `Postcard` is one for all types that serde knows.
///
/// ```
/// use sortwell::{CodecError, Sorter, ValueCodec};
///
/// /// Numbers of four bytes.
/// struct Numbers;
///
/// impl ValueCodec<u32> for Numbers {
///     fn encode(&self, value: &u32, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
///         bytes.extend_from_slice(&value.to_le_bytes());
///         Ok(())
///     }
///
///     fn decode(&self, bytes: &[u8]) -> Result<u32, CodecError> {
///         Ok(u32::from_le_bytes(bytes.try_into()?))
///     }
/// }
///
/// let sorted = Sorter::new().sort_values([3, 1, 2], |number, key| key.asc(number), Numbers)?;
/// assert_eq!(sorted.collect::<sortwell::Result<Vec<_>>>()?, [1, 2, 3]);
/// # Ok::<(), sortwell::Error>(())
/// ```
pub trait ValueCodec<T> {
    /// Appends the bytes of a value.
    ///
    /// # Errors
    ///
    /// Any error, which the sort passes on as [`Error::Caller`].
    fn encode(&self, value: &T, bytes: &mut Vec<u8>) -> std::result::Result<(), CodecError>;

    /// Returns the value that was written as these bytes.
    ///
    /// # Errors
    ///
    /// Any error, which the sort passes on as [`Error::Caller`].
    fn decode(&self, bytes: &[u8]) -> std::result::Result<T, CodecError>;
}

/// The codec of values that serde can write and read, in the form of the crate `postcard`. It takes
/// the feature `serde`.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use sortwell::{Postcard, Sorter};
///
/// #[derive(Debug, PartialEq, Serialize, Deserialize)]
/// struct Person {
///     name: String,
///     age: Option<u8>,
/// }
///
/// let person = |name: &str, age| Person { name: name.to_owned(), age };
/// let people = [person("Cid", Some(30)), person("Ann", None), person("Bob", Some(41))];
/// let sorted =
///     Sorter::new().sort_values(people, |person, key| key.desc(person.age), Postcard)?;
/// let names: Vec<_> = sorted.map(|person| Ok(person?.name)).collect::<sortwell::Result<_>>()?;
/// assert_eq!(names, ["Bob", "Cid", "Ann"]);
/// # Ok::<(), sortwell::Error>(())
/// ```
#[cfg(feature = "serde")]
#[derive(Clone, Copy, Debug, Default)]
pub struct Postcard;

#[cfg(feature = "serde")]
impl<T: serde::Serialize + serde::de::DeserializeOwned> ValueCodec<T> for Postcard {
    fn encode(&self, value: &T, bytes: &mut Vec<u8>) -> std::result::Result<(), CodecError> {
        *bytes = postcard::to_extend(value, std::mem::take(bytes))?;
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> std::result::Result<T, CodecError> {
        match postcard::take_from_bytes(bytes)? {
            (value, []) => Ok(value),
            (_, rest) => Err(format!("{} bytes are left after the value", rest.len()).into()),
        }
    }
}

impl<T, E, D> ValueCodec<T> for (E, D)
where
    E: Fn(&T, &mut Vec<u8>),
    D: Fn(&[u8]) -> std::result::Result<T, CodecError>,
{
    fn encode(&self, value: &T, bytes: &mut Vec<u8>) -> std::result::Result<(), CodecError> {
        (self.0)(value, bytes);
        Ok(())
    }

    fn decode(&self, bytes: &[u8]) -> std::result::Result<T, CodecError> {
        (self.1)(bytes)
    }
}

impl Sorter {
    /// Sorts values by the keys that `key` writes. They are held as bytes, so that there may be
    /// more of them than fit into memory.
    ///
    /// # Errors
    ///
    /// Those of [`push`](Self::push) and [`finish`](Self::finish).
    pub fn sort_values<T, C: ValueCodec<T>>(
        self,
        values: impl IntoIterator<Item = T>,
        key: impl for<'v, 'k, 'w> Fn(&'v T, &'w mut KeyWriter<'k>) -> &'w mut KeyWriter<'k>,
        codec: C,
    ) -> Result<SortedValues<T, C>> {
        self.try_sort_values(values.into_iter().map(Ok::<T, Error>), key, codec)
    }

    /// Sorts values as [`sort_values`](Self::sort_values) does, from a source that may fail.
    ///
    /// # Errors
    ///
    /// The first error of the source as [`Error::Caller`], and the errors of
    /// [`sort_values`](Self::sort_values).
    pub fn try_sort_values<T, E: std::fmt::Display, C: ValueCodec<T>>(
        mut self,
        values: impl IntoIterator<Item = std::result::Result<T, E>>,
        key: impl for<'v, 'k, 'w> Fn(&'v T, &'w mut KeyWriter<'k>) -> &'w mut KeyWriter<'k>,
        codec: C,
    ) -> Result<SortedValues<T, C>> {
        let mut payload = Vec::new();
        for (number, value) in (1_u64..).zip(values) {
            let value = value.map_err(|error| Error::Caller {
                message: format!("value {number} is missing: {}", cause_in(&error.to_string())),
            })?;
            payload.clear();
            codec.encode(&value, &mut payload).map_err(|error| Error::Caller {
                message: format!("value {number} cannot be encoded: {error}"),
            })?;
            self.push_by(|writer| key(&value, writer), &payload).map_err(|error| match error {
                // A record without a key does not know its number.
                Error::Malformed { message, .. } => {
                    Error::Malformed { path: format!("value {number}").into(), message }
                }
                other => other,
            })?;
        }
        Ok(SortedValues {
            sorted: Some(self.finish()?),
            codec,
            number: 0,
            is_decoding: false,
            value: PhantomData,
        })
    }
}

/// Returns the words of an error of a source, without those that the error around it repeats.
fn cause_in(words: &str) -> &str {
    words.strip_suffix("; no output file was written").unwrap_or(words)
}

/// Values in order. It ends after the first error.
///
/// ```
/// use sortwell::Sorter;
///
/// let texts = ["pear", "fig", "apple"].map(str::to_owned);
/// let codec = (
///     |text: &String, bytes: &mut Vec<u8>| bytes.extend_from_slice(text.as_bytes()),
///     |bytes: &[u8]| Ok(String::from_utf8(bytes.to_vec())?),
/// );
/// let mut sorted =
///     Sorter::new().sort_values(texts, |text, key| key.desc(text.len()).asc(text), codec)?;
/// assert_eq!(sorted.next().transpose()?.as_deref(), Some("apple"));
/// assert_eq!(sorted.close()?.records, 3);
/// # Ok::<(), sortwell::Error>(())
/// ```
#[derive(Debug)]
pub struct SortedValues<T, C> {
    /// The records; `None` after the last one and after an error.
    sorted: Option<Sorted>,
    codec: C,
    /// Values that were asked for.
    number: u64,
    /// True while a value is decoded; also after a panic of the codec.
    is_decoding: bool,
    value: PhantomData<fn() -> T>,
}

impl<T, C: ValueCodec<T>> SortedValues<T, C> {
    /// Returns the next value; `None` after the last one.
    fn take(&mut self) -> Result<Option<T>> {
        let Some(sorted) = &mut self.sorted else { return Ok(None) };
        if self.is_decoding {
            return Err(Error::Interrupted); // the caller has caught a panic
        }
        let Some(record) = sorted.next()? else { return Ok(None) };
        self.number += 1;
        self.is_decoding = true;
        let value = self.codec.decode(record.payload).map_err(|error| Error::Caller {
            message: format!("value {} cannot be decoded: {error}", self.number),
        })?;
        self.is_decoding = false;
        Ok(Some(value))
    }

    /// Passes the values that are left, and returns the statistics of the sort.
    ///
    /// # Errors
    ///
    /// Those of [`Sorted::close`], and [`Error::Interrupted`] after an error or a panic of the
    /// codec.
    pub fn close(self) -> Result<Statistics> {
        if self.is_decoding {
            return Err(Error::Interrupted);
        }
        self.sorted.ok_or(Error::Interrupted)?.close()
    }
}

impl<T, C: ValueCodec<T>> Iterator for SortedValues<T, C> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        let value = self.take().transpose();
        if matches!(value, Some(Err(_))) {
            self.sorted = None;
        }
        value
    }
}

impl<T, C: ValueCodec<T>> FusedIterator for SortedValues<T, C> {}

#[cfg(test)]
mod tests;
