//! Months: one byte, 0 for what is none.

use super::super::order::Months;
use super::super::sink::Sink;
use super::number::without_blanks;

/// Appends the month that `text` begins with, after blanks; the longest name that fits counts.
pub fn append<S: Sink>(text: &[u8], months: &Months, out: &mut S) {
    let text = without_blanks(text);
    let is_named = |name: &[u8]| {
        !name.is_empty()
            && text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    let fitting = months.names().iter().enumerate().filter(|(_, name)| is_named(name));
    let month = fitting.max_by_key(|(_, name)| name.len()).map_or(0, |(index, _)| index as u8 + 1);
    out.push(month);
}
