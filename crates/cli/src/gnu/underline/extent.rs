//! Extent of a value within the bytes of its key, as `--debug` of GNU sort shows it.
//!
//! What a key is compared by is the library's to say; here is only what people are shown. It is
//! less in one place: separators of thousands are shown as part of a number only between digits.

use sortwell::unstable::key::text::{Months, NumberFormat, TextType};

/// Returns whether a value is looked for in a key; else all of its bytes count.
pub fn has_value(text_type: &TextType) -> bool {
    [TextType::NUMERIC, TextType::GENERAL, TextType::HUMAN, TextType::MONTH].contains(text_type)
}

/// Returns the number of bytes of the blanks in front of a key.
pub fn blanks(key: &[u8]) -> usize {
    count(key, |byte| matches!(byte, b' ' | b'\t' | b'\n'))
}

/// Returns the number of bytes of the value that `text` begins with; 0 where it begins with none.
pub fn of(text: &[u8], text_type: &TextType, numbers: NumberFormat, months: &Months) -> usize {
    match text_type {
        numeric if *numeric == TextType::NUMERIC => number(text, numbers),
        human if *human == TextType::HUMAN => size(text, numbers),
        general if *general == TextType::GENERAL => self::general(text, numbers.radix),
        month if *month == TextType::MONTH => {
            months.beginning(text).map_or(0, |(_, length)| length)
        }
        _ => text.len(),
    }
}

/// Returns the number of bytes of a kind that `text` begins with.
fn count(text: &[u8], is_one: impl Fn(u8) -> bool) -> usize {
    text.iter().take_while(|&&byte| is_one(byte)).count()
}

fn digits(text: &[u8]) -> usize {
    count(text, |byte| byte.is_ascii_digit())
}

/// Returns the number of bytes of a decimal number.
fn number(text: &[u8], numbers: NumberFormat) -> usize {
    let sign = usize::from(text.first() == Some(&b'-'));
    let mut end = sign + digits(&text[sign..]);
    let mut has_digits = end > sign;
    while has_digits
        && text.get(end).is_some_and(|byte| Some(*byte) == numbers.thousands)
        && digits(&text[end + 1..]) > 0
    {
        end += 1 + digits(&text[end + 1..]);
    }
    if text.get(end) == Some(&numbers.radix) {
        let fraction = digits(&text[end + 1..]);
        has_digits |= fraction > 0;
        end += 1 + fraction;
    }
    if has_digits { end } else { 0 }
}

/// Returns the number of bytes of a number with its suffix.
fn size(text: &[u8], numbers: NumberFormat) -> usize {
    let end = number(text, numbers);
    let has_suffix = end > 0 && text.get(end).is_some_and(|byte| b"kKMGTPEZYRQ".contains(byte));
    end + usize::from(has_suffix)
}

/// Returns the number of bytes of a number as C's `strtold` reads it, spaces before it included.
fn general(text: &[u8], radix: u8) -> usize {
    let spaces = count(text, |byte| matches!(byte, b' ' | b'\t'..=b'\r'));
    let sign = usize::from(matches!(text.get(spaces), Some(b'-' | b'+')));
    let start = spaces + sign;
    let text = &text[start..];
    let begins =
        |word: &[u8]| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let length = if begins(b"infinity") {
        8
    } else if begins(b"inf") {
        3
    } else if begins(b"nan") {
        3 + payload(&text[3..])
    } else {
        let hexadecimal = match text {
            [b'0', b'x' | b'X', rest @ ..] => {
                power(rest, radix, |byte| byte.is_ascii_hexdigit(), b'p')
            }
            _ => 0,
        };
        match hexadecimal {
            0 => power(text, radix, |byte| byte.is_ascii_digit(), b'e'),
            length => 2 + length,
        }
    };
    if length == 0 { 0 } else { start + length }
}

/// Returns the number of bytes of the brackets that may follow `nan`.
fn payload(text: &[u8]) -> usize {
    let Some(inside) = text.strip_prefix(b"(") else { return 0 };
    let length = count(inside, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if inside.get(length) == Some(&b')') { length + 2 } else { 0 }
}

/// Returns the bytes of digits around a radix character, and of an exponent after `letter`.
fn power(text: &[u8], radix: u8, is_digit: impl Fn(u8) -> bool, letter: u8) -> usize {
    let mut end = count(text, &is_digit);
    let mut has_digits = end > 0;
    if text.get(end) == Some(&radix) {
        let fraction = count(&text[end + 1..], &is_digit);
        has_digits |= fraction > 0;
        end += 1 + fraction;
    }
    if !has_digits {
        return 0;
    }
    if text.get(end).is_some_and(|byte| byte.eq_ignore_ascii_case(&letter)) {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'-' | b'+')));
        let exponent = digits(&text[end + 1 + sign..]);
        end += if exponent > 0 { 1 + sign + exponent } else { 0 };
    }
    end
}

#[cfg(test)]
mod tests;
