//! Strict checks that all of a text is a value, for types that are read loosely in lines.
//!
//! The encoders of these types take what they can read at the beginning, as sorting lines always
//! has; in tables, text that says something else is a mistake. Blanks at the ends never count.

use super::encode::number::{Grammar, Number, plain, trimmed};
use super::encode::size::PREFIXES;
use super::order::{Months, NumberFormat};

/// Returns whether `text` is an optional sign and digits.
#[inline]
pub(super) fn is_int(text: &[u8], format: NumberFormat) -> bool {
    if plain(text).is_some() {
        return true;
    }
    let text = trimmed(text);
    let digits = match text {
        [b'-' | b'+', digits @ ..] => digits,
        digits => digits,
    };
    let is_one = |byte: u8| byte.is_ascii_digit() || Some(byte) == format.thousands;
    digits.first().is_some_and(u8::is_ascii_digit) && digits.iter().all(|&byte| is_one(byte))
}

/// Returns whether `text` is an optional sign and digits, with a fraction or without.
#[inline]
pub(super) fn is_decimal(text: &[u8], format: NumberFormat) -> bool {
    let text = trimmed(text);
    number_length(text, format).is_some_and(|length| length == text.len())
}

/// Returns the number of bytes of the number that `text` begins with, which has digits.
#[inline]
fn number_length(text: &[u8], format: NumberFormat) -> Option<usize> {
    let grammar = Grammar { takes_plus: true, takes_fraction: true };
    let length = text.len() - Number::read(text, format, grammar).rest.len();
    text[..length].iter().any(u8::is_ascii_digit).then_some(length)
}

/// Returns whether `text` is a binary64 as Rust reads it.
pub(super) fn is_float(text: &[u8]) -> bool {
    let number = std::str::from_utf8(text.trim_ascii()).ok();
    number.is_some_and(|text| text.parse::<f64>().is_ok())
}

/// Returns whether `text` is a number and perhaps a unit: `512`, `1K`, `2.5 GiB`.
pub(super) fn is_size(text: &[u8], format: NumberFormat) -> bool {
    let text = trimmed(text);
    let Some(length) = number_length(text, format) else { return false };
    let unit = &text[length..];
    let unit = unit.strip_prefix(b" ").unwrap_or(unit);
    let unit = unit.to_ascii_uppercase();
    let unit = unit.strip_suffix(b"B").unwrap_or(&unit);
    let is_prefix = |byte: &u8| PREFIXES.contains(byte);
    match unit {
        [] => true,
        [prefix] | [prefix, b'I'] => is_prefix(prefix),
        _ => false,
    }
}

/// Returns whether `text` is the name of a month: of three letters, or the whole English name.
pub(super) fn is_month(text: &[u8], months: &Months) -> bool {
    const ENGLISH: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let text = trimmed(text);
    let is_whole = |name: &str| text.eq_ignore_ascii_case(name.as_bytes());
    months
        .beginning(text)
        .is_some_and(|(month, length)| length == text.len() || is_whole(ENGLISH[month]))
}

#[cfg(test)]
mod tests;
