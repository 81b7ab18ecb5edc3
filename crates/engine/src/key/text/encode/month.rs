//! Months: one byte, 0 for text that is not a month.

use super::number::{trimmed, without_blanks};
use super::{Class, Detail, KeySink, KeyType, Traits, TypeNames, Typed};

/// The name of a month after optional blanks, case ignored; anything else comes first.
#[derive(Debug)]
pub struct MonthType;

impl KeyType for MonthType {
    const NAMES: TypeNames = &[("month", Detail::None)];
    const EXPECTED: &'static str = "a month";
    const TRAITS: Traits = Traits::of(Class::Loose).is_coarse();

    fn append<S: KeySink>(text: &[u8], of: &Typed, out: &mut S) -> Option<()> {
        let month = of.options.months.beginning(without_blanks(text));
        out.push(month.map_or(0, |(index, _)| index as u8 + 1));
        Some(())
    }

    /// Returns whether `text` is the name of a month: of three letters, or the whole English name.
    fn is_value(text: &[u8], of: &Typed) -> bool {
        let text = trimmed(text);
        let is_whole = |name: &str| text.eq_ignore_ascii_case(name.as_bytes());
        let month = of.options.months.beginning(text);
        month.is_some_and(|(month, length)| length == text.len() || is_whole(ENGLISH[month]))
    }
}

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
