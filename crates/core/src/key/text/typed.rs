//! Text as a value of its type: whether it is one, and its bytes of the key.

use std::cell::Cell;
use std::sync::Arc;

use super::date_format::DateFormat;
use super::encode::number::{Grammar, Number, trimmed};
use super::encode::time::Fraction;
use super::encode::{
    boolean, bytes, date, float, general, ip, list, machine, month, natural, number, packed,
    random, size, time, timestamp, uuid, version, zoned,
};
use super::order::{Collation, Months, NumberFormat, TextOrder, TextSpec};
use super::part::with_buffer;
use super::sink::Sink;
use super::strict;
use super::text_type::TextType;

/// A type, and all that its values depend on.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    text_type: TextType,
    collation: Option<Arc<dyn Collation>>,
    /// Whether nothing need end the key of a value.
    is_open: bool,
    /// Whether nothing but values is taken.
    is_checked: bool,
    numbers: NumberFormat,
    months: Months,
    date_format: Option<Arc<DateFormat>>,
    seed: [u8; 16],
}

thread_local! {
    /// Space for a collation's key.
    static COLLATED: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

impl Typed {
    /// The type of `spec` within `order`.
    pub fn new(spec: &TextSpec, order: &TextOrder, is_open: bool, is_checked: bool) -> Self {
        Self {
            text_type: spec.text_type.clone(),
            collation: spec.collation.clone(),
            is_open,
            is_checked,
            numbers: order.numbers,
            months: order.months.clone(),
            date_format: order.date_format.clone(),
            seed: order.seed,
        }
    }

    /// Appends the bytes of a value. Of checked text that is no value, anything.
    #[inline]
    pub fn append<S: Sink>(&self, text: &[u8], out: &mut S) {
        match &self.text_type {
            TextType::Bytes | TextType::Ebcdic(_) | TextType::Sequence(_) => {
                self.append_bytes(text, out);
            }
            TextType::Int => number::append_int(text, self.numbers, out),
            TextType::Decimal if self.is_checked => {
                let grammar = Grammar { takes_plus: true, takes_fraction: true };
                Number::read(text, self.numbers, grammar).append(0, out);
            }
            TextType::Decimal => number::append_decimal(text, self.numbers, out),
            TextType::General => general::append(text, self.numbers, out),
            TextType::Float => float::append(text, out),
            TextType::Size => size::append(text, self.numbers, out),
            TextType::Human => number::append_human(text, self.numbers, out),
            TextType::Month => month::append(text, &self.months, out),
            TextType::Version => version::append(text, out),
            TextType::Natural => natural::append(text, self.is_open, out),
            TextType::Random => self.append_shuffled(text, out),
            TextType::Packed => packed::append(text, out),
            TextType::Zoned(form) => zoned::append(text, *form, out),
            TextType::Binary(number) => machine::append(text, *number, out),
            _ => {
                self.append_parsed(trimmed(text), out);
            }
        }
    }

    fn append_bytes<S: Sink>(&self, text: &[u8], out: &mut S) {
        let Some(collation) = &self.collation else {
            bytes::append(text, self.is_open, out);
            return;
        };
        with_buffer(&COLLATED, |key| {
            collation.append_beginning(text, out.room(), key);
            bytes::append_collated(key, self.is_open, out);
        });
    }

    fn append_shuffled<S: Sink>(&self, text: &[u8], out: &mut S) {
        let Some(collation) = &self.collation else {
            random::append(text, self.seed, out);
            return;
        };
        with_buffer(&COLLATED, |key| {
            collation.append_key(text, key);
            random::append(key, self.seed, out);
        });
    }

    /// Appends the bytes of a value that has to be read as a whole; nothing where it is none.
    #[inline]
    fn append_parsed<S: Sink>(&self, text: &[u8], out: &mut S) -> Option<()> {
        match &self.text_type {
            TextType::Date => date::append(self.date(text)?, out),
            TextType::Time => match &self.date_format {
                None => {
                    let (second, fraction) = time::parse(text)?;
                    time::append(second, fraction, out);
                }
                Some(format) => {
                    let (second, digits) = format.time(text)?;
                    time::append(second, Fraction { is_leap: false, digits: &digits }, out);
                }
            },
            TextType::Timestamp => match &self.date_format {
                None => {
                    let (second, fraction) = timestamp::parse(text)?;
                    timestamp::append(second, fraction, out);
                }
                Some(format) => {
                    let (second, digits) = format.timestamp(text)?;
                    timestamp::append(second, Fraction { is_leap: false, digits: &digits }, out);
                }
            },
            TextType::Ip => ip::append(ip::parse(text)?, out),
            TextType::Uuid => out.extend(&uuid::parse(text)?),
            TextType::Bool => boolean::append(boolean::parse(text)?, out),
            TextType::List(values) => list::append(values.place(text)?, out),
            _ => return None,
        }
        Some(())
    }

    fn date(&self, text: &[u8]) -> Option<i32> {
        match &self.date_format {
            None => date::parse(text),
            Some(format) => format.date(text),
        }
    }

    /// Whether all of `text` is a value.
    #[inline]
    pub fn is_valid(&self, text: &[u8]) -> bool {
        match &self.text_type {
            TextType::Int => strict::is_int(text, self.numbers),
            TextType::Decimal => strict::is_decimal(text, self.numbers),
            TextType::Float => strict::is_float(text),
            TextType::Size => strict::is_size(text, self.numbers),
            TextType::Month => strict::is_month(text, &self.months),
            TextType::Packed => packed::is_valid(text),
            TextType::Zoned(form) => zoned::is_valid(text, *form),
            TextType::Binary(number) => text.len() == number.width_bytes,
            TextType::Date => self.date(trimmed(text)).is_some(),
            TextType::Time => match &self.date_format {
                None => time::parse(trimmed(text)).is_some(),
                Some(format) => format.time(trimmed(text)).is_some(),
            },
            TextType::Timestamp => match &self.date_format {
                None => timestamp::parse(trimmed(text)).is_some(),
                Some(format) => format.timestamp(trimmed(text)).is_some(),
            },
            TextType::Ip => ip::parse(trimmed(text)).is_some(),
            TextType::Uuid => uuid::parse(trimmed(text)).is_some(),
            TextType::Bool => boolean::parse(trimmed(text)).is_some(),
            TextType::List(values) => values.place(trimmed(text)).is_some(),
            TextType::Bytes
            | TextType::General
            | TextType::Human
            | TextType::Version
            | TextType::Natural
            | TextType::Random
            | TextType::Ebcdic(_)
            | TextType::Sequence(_) => true,
        }
    }

    /// Whether the first byte of a value's key, and its complement, are none of the two least and
    /// the two largest bytes: these can then mark what is no value.
    pub fn spares_ends(&self) -> bool {
        matches!(
            self.text_type,
            TextType::Int
                | TextType::Decimal
                | TextType::Size
                | TextType::Packed
                | TextType::Zoned(_)
                | TextType::Date
                | TextType::Time
                | TextType::Timestamp
                | TextType::Ip
                | TextType::Bool
                | TextType::List(_)
        )
    }
}

#[cfg(test)]
mod tests;
