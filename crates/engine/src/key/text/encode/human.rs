//! Numbers with a suffix by order of magnitude, as the manual of GNU sort has them (`-h`).

use std::cmp::Ordering;

use super::super::order::NumberFormat;
use super::number::{NO_PLUS, Number, without_blanks};
use super::{Class, KeySink, KeyType, Traits, Typed};

/// A number with a suffix of `K M G T P E Z Y R Q`: first by sign, then by suffix, then by number
/// (GNU's `-h`).
#[derive(Debug)]
pub struct HumanType;

impl KeyType for HumanType {
    const TRAITS: Traits = Traits::of(Class::Unchecked).fills_word();

    fn append<S: KeySink>(text: &[u8], of: &Typed, out: &mut S) -> Option<()> {
        let (magnitude, number) = human(text, of.options.numbers, of.folds_case);
        out.push(magnitude);
        number.append(0, out);
        Some(())
    }

    fn order_of(texts: [&[u8]; 2], _: usize, of: &Typed) -> Option<Ordering> {
        let [(magnitude_a, a), (magnitude_b, b)] =
            texts.map(|text| human(text, of.options.numbers, of.folds_case));
        a.compare(&b).map(|order| magnitude_a.cmp(&magnitude_b).then(order))
    }
}

/// The suffixes, least first.
const SUFFIXES: &[u8; 10] = b"KMGTPEZYRQ";

/// Returns the byte for sign and suffix of a number, and the number. The byte is 80 hexadecimal
/// without a suffix, one more for each step up and one less where the number is negative. A small
/// letter is a suffix where it `folds_case`; `k` always is.
fn human(text: &[u8], format: NumberFormat, folds_case: bool) -> (u8, Number<'_>) {
    let number = Number::read(text, format, NO_PLUS);
    let steps = if number.is_zero() { 0 } else { steps(&number, text, format, folds_case) };
    (if number.is_negative { 0x80 - steps } else { 0x80 + steps }, number)
}

/// Returns how many steps up the suffix of a number in `text` stands.
fn steps(number: &Number<'_>, text: &[u8], format: NumberFormat, folds_case: bool) -> u8 {
    let Some(&suffix) = number.rest.first() else { return 0 };
    // A separator that does not stand between two digits ends the search for a suffix; the digits
    // beyond still count (GNU sort 9.1).
    if let Some(separator) = format.thousands {
        let read = without_blanks(&text[..text.len() - number.rest.len()]);
        let is_digit = |at: usize| read.get(at).is_some_and(u8::is_ascii_digit);
        let is_between = |at: usize| at > 0 && is_digit(at - 1) && is_digit(at + 1);
        if (0..read.len()).any(|at| read[at] == separator && !is_between(at)) {
            return 0;
        }
    }
    let suffix = if folds_case || suffix == b'k' { suffix.to_ascii_uppercase() } else { suffix };
    SUFFIXES.iter().position(|&known| known == suffix).map_or(0, |at| at as u8 + 1)
}
