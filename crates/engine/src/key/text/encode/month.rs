//! Months: one byte, 0 for text that is not a month.

use super::super::order::Months;
use super::super::sink::Sink;
use super::number::without_blanks;

/// Appends the month that `text` begins with, after blanks; the longest name that fits counts.
pub fn append<S: Sink>(text: &[u8], months: &Months, out: &mut S) {
    let text = without_blanks(text);
    let month = months.beginning(text).map_or(0, |(index, _)| index as u8 + 1);
    out.push(month);
}
