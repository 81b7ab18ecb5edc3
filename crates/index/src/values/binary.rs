//! Values of keys of binary records, as a user writes them, and length fields.

use sortwell_engine::format::{Prefix, PrefixWidth};
use sortwell_engine::key::text::ValueKey;

use super::exact::is_beyond;

/// Returns the length field of a record.
pub fn length_field(prefix: Prefix, counted: u32) -> Vec<u8> {
    let number = counted.to_be_bytes();
    let mut field = match prefix.width {
        PrefixWidth::U32 | PrefixWidth::Keyed => number.to_vec(),
        PrefixWidth::U16 | PrefixWidth::Rdw => number[2..].to_vec(),
    };
    if prefix.is_little_endian {
        field.reverse();
    }
    field.resize(prefix.bytes(), 0);
    field
}

/// Returns the bytes of a value of binary data: those after `0x` as hexadecimal digits, a number of
/// the type that the key names, or text, filled with zeros up to `width`. `name` is that of the
/// key.
pub fn bytes_of(key: &ValueKey, name: &str, value: &[u8], width: Option<usize>) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(value).ok();
    let mut bytes = match text.and_then(|text| text.strip_prefix("0x")) {
        Some(digits) if digits.len().is_multiple_of(2) => {
            let pairs = (0..digits.len()).step_by(2);
            pairs
                .map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok())
                .collect::<Option<_>>()?
        }
        _ => {
            let word = name.split(':').nth(1).unwrap_or_default();
            // Bytes that are no text are no number either.
            let text = text.unwrap_or("\u{fffd}");
            let converted = key.written(text, width).or_else(|| number_bytes(word, text));
            match converted {
                Some(bytes) => bytes?,
                None => value.to_vec(),
            }
        }
    };
    match width {
        Some(width) if bytes.len() > width => None,
        Some(width) => {
            bytes.resize(width, 0);
            Some(bytes)
        }
        None => Some(bytes),
    }
}

/// Returns the bytes of a number of a type; `None` if the word names no type of numbers, and
/// `Some(None)` if the text is no such number.
fn number_bytes(word: &str, text: &str) -> Option<Option<Vec<u8>>> {
    let (name, is_little) = match word.strip_suffix("le") {
        Some(name) => (name, true),
        None => (word.strip_suffix("be").unwrap_or(word), false),
    };
    let (class, bits) = name.split_at_checked(1)?;
    let bits: usize = bits.parse().ok().filter(|bits| [8, 16, 32, 64].contains(bits))?;
    let number: Option<Vec<u8>> = match class {
        "u" => text.parse::<u64>().ok().map(|number| number.to_be_bytes().to_vec()),
        "i" => text.parse::<i64>().ok().map(|number| number.to_be_bytes().to_vec()),
        "f" if bits == 32 => {
            let number = text.parse::<f32>().ok();
            let number = number.filter(|number| !is_beyond(text, f64::from(*number)));
            number.map(|number| number.to_be_bytes().to_vec())
        }
        "f" if bits == 64 => {
            let number = text.parse::<f64>().ok().filter(|number| !is_beyond(text, *number));
            number.map(|number| number.to_be_bytes().to_vec())
        }
        _ => return None,
    };
    let number = number.and_then(|number| {
        let (above, mut kept) = (number[..number.len() - bits / 8].to_vec(), number);
        kept.drain(..above.len());
        let sign = if class == "i" && kept[0] & 0x80 != 0 { 0xff } else { 0 };
        if is_little {
            kept.reverse();
        }
        above.iter().all(|byte| *byte == sign).then_some(kept)
    });
    Some(number)
}
