//! The order of records as a whole: all that keys do not say, and both together bound to a format.

use std::sync::Arc;

use super::compared::OrderFunction;
use super::spec::{Key, ListMemory};
use super::text::{
    DateFormat, Invalid, LastResort, Months, NumberFormat, Separator, TextOrder, TextSpec,
};
use crate::error::{ConfigErrorKind, Result, config};
use crate::format::{Format, LineGroup};
use crate::locale::ByteClasses;
use crate::stats::Progress;

/// Everything about an order of records that is not said key by key. The default is that of
/// `sortwell sort` without an option.
///
/// ```
/// use sortwell_engine::key::OrderOptions;
/// use sortwell_engine::key::text::{Invalid, InvalidPlace};
///
/// let options = OrderOptions {
///     separator: Some(b';'),
///     invalid: Some(Invalid::Placed(InvalidPlace::Last)),
///     ..OrderOptions::default()
/// };
/// assert!(options.date_format.is_none());
/// ```
#[derive(Clone, Debug)]
pub struct OrderOptions {
    /// The byte between fields of lines; blanks without it. Cells of rows are divided as their
    /// format says.
    pub separator: Option<u8>,
    /// The treatment of records with a key that is not a value of its type.
    pub invalid: Option<Invalid>,
    /// The form of days and times, if not that of ISO 8601.
    pub date_format: Option<Arc<DateFormat>>,
    /// The key of the hash of keys of type random.
    pub seed: [u8; 16],
    /// The byte that stands for those which a record with its length in front is too short to have.
    /// Without it, a record that ends before a range of its bytes has no key.
    pub pad: Option<u8>,
    /// The order of records that are equal in every key; `None` leaves them as they came.
    pub then_whole: Option<LastResort>,
    /// The form of numbers.
    pub numbers: NumberFormat,
    /// The names of months.
    pub months: Months,
    /// The classes of single bytes, for keys that fold case or leave some out. Blanks are always
    /// space, tab and newline.
    pub classes: Arc<ByteClasses>,
    /// A function that orders records instead of keys.
    pub comparison: Option<OrderFunction>,
}

impl Default for OrderOptions {
    fn default() -> Self {
        Self {
            separator: None,
            invalid: None,
            date_format: None,
            seed: [0; 16],
            pad: None,
            then_whole: None,
            numbers: NumberFormat::default(),
            months: Months::default(),
            classes: Arc::new(ByteClasses::c()),
            comparison: None,
        }
    }
}

impl OrderOptions {
    /// Has a function that compares records stop with the job of `progress`.
    pub(crate) fn stop_with(&mut self, progress: &Progress) {
        let linked = |comparison: OrderFunction| comparison.for_job(progress.stop_of_job());
        self.comparison = self.comparison.take().map(linked);
    }

    /// Returns the result of a job that used the order.
    ///
    /// # Errors
    ///
    /// [`Error::Caller`](crate::Error::Caller) if the function that compares records panicked, and
    /// [`Error::Interrupted`](crate::Error::Interrupted) if it was not called because of a stop.
    pub fn checked<T>(&self, result: Result<T>) -> Result<T> {
        match &self.comparison {
            Some(comparison) => comparison.checked(result),
            None => result,
        }
    }

    /// Returns the order of records of `format` by `keys`, most significant first; by the whole
    /// record as bytes without any. Files that keys name are read; lists of values take a part of
    /// `memory`.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) for a key that means nothing in such records, and
    /// the errors of [`Key::spec`].
    pub fn bind(&self, keys: &[Key], format: Format, memory: ListMemory) -> Result<TextOrder> {
        if self.comparison.is_some() && !keys.is_empty() {
            return Err(config!(
                ConfigErrorKind::InvalidKey,
                "a function that compares records excludes keys, and options that change their \
                 order, such as reverse; leave one out",
            ));
        }
        let mut taken = memory.taken;
        let mut bound = |key: &Key| -> Result<TextSpec> {
            key.check(format)?;
            let spec = key.spec(ListMemory { taken, ..memory })?;
            taken += spec.list_bytes();
            Ok(spec)
        };
        // An order may have thousands of keys: a vector that grows would leave holes in the heap.
        let mut specs = Vec::with_capacity(keys.len());
        for key in keys {
            specs.push(bound(key)?);
        }
        let order = TextOrder::of(format);
        let separator = match (format, self.separator) {
            (Format::Lines { .. }, Some(byte)) => Separator::Byte(byte),
            (Format::LineGroups(LineGroup { end, .. }), within) => Separator::Lines { end, within },
            _ => order.separator,
        };
        Ok(TextOrder { separator, specs, options: self.clone(), ..order })
    }
}
