//! Numbers on the command line: counts in keys, sizes with suffixes.

use std::num::IntErrorKind;

/// Fault of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberFault {
    /// Text that is not a number.
    Invalid,
    /// Unknown suffix after the number.
    Suffix,
    /// Number that does not fit.
    TooLarge,
}

impl NumberFault {
    /// Returns the message about an option's value.
    pub fn message(self, option: &str, value: &[u8]) -> Vec<u8> {
        let (before, behind) = match self {
            Self::Invalid => ("invalid ", ""),
            Self::Suffix => ("invalid suffix in ", ""),
            Self::TooLarge => ("", " too large"),
        };
        let start = format!("{before}{option} argument '");
        [start.as_bytes(), value, b"'", behind.as_bytes()].concat()
    }
}

/// An amount of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySize {
    /// So many bytes.
    Bytes(u64),
    /// So many hundredths of the machine's memory.
    Percent(u64),
}

/// Returns the number that a text begins with, after blanks and a plus sign: its value, `None`
/// where it is too large, and what stands after it. No result where there is no number.
pub fn leading(text: &[u8]) -> Option<(Option<u64>, &[u8])> {
    let blanks = text.iter().take_while(|byte| is_space(**byte)).count();
    let unsigned = text[blanks..].strip_prefix(b"+").unwrap_or(&text[blanks..]);
    let length = unsigned.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, behind) = unsigned.split_at(length);
    let value = match std::str::from_utf8(digits).ok()?.parse::<u64>() {
        Ok(value) => Some(value),
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => None,
        Err(_) => return None,
    };
    Some((value, behind))
}

/// Returns a plain number, as of `--parallel`.
pub fn plain(text: &[u8]) -> Result<u64, NumberFault> {
    match leading(text).ok_or(NumberFault::Invalid)? {
        (Some(value), b"") => Ok(value),
        (None, b"") => Err(NumberFault::TooLarge),
        _ => Err(NumberFault::Suffix),
    }
}

/// Returns the value of `-S`: KiB where there is no suffix, `b` for bytes, `%` for a share of
/// memory, and letters from K to Q for powers of 1024. A letter alone is one of it.
pub fn size(text: &[u8]) -> Result<MemorySize, NumberFault> {
    let (value, suffix) = match leading(text) {
        Some(number) => number,
        None if matches!(text, [letter] if power(*letter).is_some()) => (Some(1), text),
        None => return Err(NumberFault::Invalid),
    };
    match (suffix, value) {
        (b"b", Some(bytes)) => Ok(MemorySize::Bytes(bytes)),
        (b"%", Some(percent)) => Ok(MemorySize::Percent(percent)),
        (b"b" | b"%", None) => Err(NumberFault::Suffix),
        (b"", value) => times(value, 1),
        (&[letter], value) => times(value, power(letter).ok_or(NumberFault::Suffix)?),
        _ => Err(NumberFault::Suffix),
    }
}

fn times(value: Option<u64>, power: u32) -> Result<MemorySize, NumberFault> {
    let unit = 1024_u64.checked_pow(power);
    let bytes = match (value, unit) {
        (Some(0), _) => Some(0),
        (Some(value), Some(unit)) => value.checked_mul(unit),
        _ => None,
    };
    bytes.map(MemorySize::Bytes).ok_or(NumberFault::TooLarge)
}

/// Returns which power of 1024 a letter stands for. Small letters are known for the first four.
fn power(letter: u8) -> Option<u32> {
    let number = match letter {
        b'k' | b'K' => 1,
        b'm' | b'M' => 2,
        b'g' | b'G' => 3,
        b't' | b'T' => 4,
        b'P' => 5,
        b'E' => 6,
        b'Z' => 7,
        b'Y' => 8,
        b'R' => 9,
        b'Q' => 10,
        _ => return None,
    };
    Some(number)
}

/// Returns whether the byte is white space in C.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

#[cfg(test)]
mod tests;
