//! Sizes: `1K` is 1000, `2.5Gi` and `2.5GiB` are 2684354560. By value and exact, however long.

use std::cmp::Ordering;
use std::iter;

use super::digits;
use super::number::{Number, SIGNED, length, trimmed};
use super::{Class, Detail, KeySink, KeyType, Traits, TypeNames, Typed};

/// A size with an optional SI or IEC suffix, by value: `1K` is 1000, `2.5Gi` is 2684354560.
#[derive(Debug)]
pub struct SizeType;

impl KeyType for SizeType {
    const NAMES: TypeNames = &[("size", Detail::None)];
    const EXPECTED: &'static str = "a size, as in 512, 1K or 2.5GiB";
    const TRAITS: Traits = Traits::of(Class::Loose).fills_word().spares_ends();

    fn append<S: KeySink>(text: &[u8], of: &Typed, out: &mut S) -> Option<()> {
        let number = Number::read(text, of.options.numbers, SIGNED);
        let (steps, is_binary) = suffix(number.rest);
        if steps == 0 || number.is_zero() || !is_binary {
            number.append(3 * i64::from(steps), out);
        } else {
            let (exponent, digits) = number.digits();
            let factor = 1 << (10 * u32::from(steps));
            append_product(number.is_negative, exponent, digits, factor, out);
        }
        Some(())
    }

    /// Returns whether `text` is a number and perhaps a unit: `512`, `1K`, `2.5 GiB`.
    fn is_value(text: &[u8], of: &Typed) -> bool {
        let text = trimmed(text);
        let Some(length) = length(text, of.options.numbers) else { return false };
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

    /// Compares two sizes with one suffix.
    fn order_of(texts: [&[u8]; 2], _: usize, of: &Typed) -> Option<Ordering> {
        let [a, b] = texts.map(|text| Number::read(text, of.options.numbers, SIGNED));
        if suffix(a.rest) == suffix(b.rest) { a.compare(&b) } else { None }
    }
}

/// Each stands for a thousand, or 1024, of the one before.
const PREFIXES: &[u8; 10] = b"KMGTPEZYRQ";

/// Digits of a number that are multiplied together.
const BLOCK_DIGITS: usize = 4096;

/// Appends 0.d1d2d3... x 10^`exponent` times `factor`, of which the first digit is not 0. Digits
/// are multiplied from the last to the first, and written from the first to the last: so all of
/// them are multiplied twice, and only what is carried into each block is kept in between.
fn append_product<S: KeySink>(
    is_negative: bool,
    exponent: i64,
    mut digits: impl DoubleEndedIterator<Item = u8> + Clone,
    factor: u128,
    out: &mut S,
) {
    let (mut count, mut zeros, mut carry) = (0, 0, 0);
    let mut carries = Vec::new();
    for digit in digits.clone().rev() {
        if count % BLOCK_DIGITS == 0 {
            carries.push(carry);
        }
        let product = times(digit, factor, &mut carry);
        zeros += usize::from(zeros == count && product == b'0');
        count += 1;
    }
    let leading = if carry > 0 { carry.to_string() } else { String::new() };
    if zeros == count {
        zeros += leading.bytes().rev().take_while(|&digit| digit == b'0').count();
    }
    let total = leading.len() + count;
    let mut left = count;
    let mut block = Vec::with_capacity(count.min(BLOCK_DIGITS));
    let mut place = 0;
    let products = iter::from_fn(|| {
        if place == block.len() {
            let mut carry = carries.pop()?;
            let length = left - carries.len() * BLOCK_DIGITS;
            left -= length;
            block.clear();
            block.extend(digits.by_ref().take(length));
            block.iter_mut().rev().for_each(|digit| *digit = times(*digit, factor, &mut carry));
            place = 0;
        }
        place += 1;
        block.get(place - 1).copied()
    });
    let products = leading.bytes().chain(products).take(total - zeros);
    digits::append(is_negative, exponent + leading.len() as i64, products, out);
}

/// Returns the last digit of `digit` times `factor` plus `carry`, which becomes what is before it.
fn times(digit: u8, factor: u128, carry: &mut u128) -> u8 {
    let product = u128::from(digit - b'0') * factor + *carry;
    // Short ones are divided many times as fast.
    let (tenth, last) = match u64::try_from(product) {
        Ok(product) => (u128::from(product / 10), product % 10),
        Err(_) => (product / 10, (product % 10) as u64),
    };
    *carry = tenth;
    b'0' + last as u8
}

/// Returns the steps of a thousand that a suffix stands for, and whether they are of 1024. A blank
/// may stand before it, and case does not count. Letters that only begin like a suffix are not
/// one: `3 pieces` are 3, and `10 min` are 10. Nor is a letter with a digit or a sign after it,
/// which may be an exponent: `1e3` is 1.
fn suffix(rest: &[u8]) -> (u8, bool) {
    let rest = rest.strip_prefix(b" ").unwrap_or(rest);
    let Some((prefix, rest)) = rest.split_first() else { return (0, false) };
    let prefix = prefix.to_ascii_uppercase();
    let Some(at) = PREFIXES.iter().position(|&known| known == prefix) else { return (0, false) };
    let (is_binary, rest) = match rest {
        [b'i' | b'I', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let after = match rest {
        [b'b' | b'B', rest @ ..] => rest.first(),
        rest => rest.first(),
    };
    // Bytes beyond ASCII belong to letters of other alphabets.
    let goes_on =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-') || !byte.is_ascii();
    let is_word = after.copied().is_some_and(goes_on);
    if is_word { (0, false) } else { (at as u8 + 1, is_binary) }
}
