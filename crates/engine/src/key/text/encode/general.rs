//! Floating-point numbers as C's `strtold` reads them: `inf`, `nan`, exponents, hexadecimal.
//!
//! ```text
//!     00 no number | 01 and ten bytes: a NaN | 02 and ten bytes: sign and exponent, mantissa
//! ```
//!
//! Bits of negative numbers are complemented, those of others have the top one set. Zero has one
//! sign. NaNs differ in sign and payload (`nan(7)`), and GNU sort orders them by their bytes in
//! memory, the low ones first; so they are appended in that order.

use super::super::leading::leading;
use super::extended::{self, Extended};
use super::{Class, KeySink, KeyType, Traits, Typed};

/// A floating-point number as C's `strtold` reads it, compared as an 80-bit value: no number, then
/// NaN, then from -infinity to infinity (GNU's `-g`).
#[derive(Debug)]
pub struct GeneralType;

impl KeyType for GeneralType {
    const TRAITS: Traits = Traits::of(Class::Unchecked);

    fn append<S: KeySink>(text: &[u8], of: &Typed, out: &mut S) -> Option<()> {
        let is_space = |byte: u8| matches!(byte, b' ' | b'\t'..=b'\r');
        let text = &text[leading(text, is_space)..];
        let is_negative = text.first() == Some(&b'-');
        let text = &text[usize::from(matches!(text.first(), Some(b'-' | b'+')))..];
        match read(text, of.options.numbers.radix) {
            Value::None => out.push(NONE),
            Value::Nan(payload) => append_nan(payload, is_negative, out),
            Value::Number(number) => append_number(number, is_negative, out),
        }
        Some(())
    }
}

const NONE: u8 = 0;
const NAN: u8 = 1;
const NUMBER: u8 = 2;

/// Value of a text.
enum Value {
    None,
    /// NaN with its payload.
    Nan(u64),
    Number(Extended),
}

fn append_number<S: KeySink>(number: Extended, is_negative: bool, out: &mut S) {
    out.push(NUMBER);
    out.inverted_if(is_negative && number != Extended::ZERO, |out| {
        out.extend(&(number.exponent | 1 << 15).to_be_bytes());
        out.extend(&number.mantissa.to_be_bytes());
    });
}

fn append_nan<S: KeySink>(payload: u64, is_negative: bool, out: &mut S) {
    // The two bits above the payload make it a quiet NaN.
    let mantissa = 3 << 62 | payload;
    let exponent = 0x7fff | u16::from(is_negative) << 15;
    out.push(NAN);
    out.extend(&mantissa.to_le_bytes());
    out.extend(&exponent.to_le_bytes());
}

/// Returns the number in brackets that may follow `nan`, as in C; 0 without brackets.
fn payload(text: &[u8]) -> u64 {
    let Some(text) = text.strip_prefix(b"(") else { return 0 };
    let length = text.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let (digits, base) = match &text[..length] {
        [b'0', b'x' | b'X', digits @ ..] => (digits, 16),
        [b'0', digits @ ..] => (digits, 8),
        digits => (digits, 10),
    };
    let value = digits.iter().try_fold(0u64, |value, &digit| {
        let digit = char::from(digit).to_digit(base)?;
        Some(value.saturating_mul(u64::from(base)).saturating_add(u64::from(digit)))
    });
    match (text.get(length), value) {
        (Some(b')'), Some(value)) => value & (u64::MAX >> 2),
        _ => 0,
    }
}

fn read(text: &[u8], radix: u8) -> Value {
    let begins = |word: &[u8]| text.len() >= 3 && text[..3].eq_ignore_ascii_case(word);
    if begins(b"inf") {
        return Value::Number(Extended::INFINITY);
    }
    if begins(b"nan") {
        return Value::Nan(payload(&text[3..]));
    }
    if let [b'0', b'x' | b'X', hexadecimal @ ..] = text {
        let digits = Digits::read(hexadecimal, radix, |byte| byte.is_ascii_hexdigit());
        // Without digits it is the zero in front of the x.
        return Value::Number(digits.map_or(Extended::ZERO, |digits| digits.hexadecimal()));
    }
    match Digits::read(text, radix, |byte| byte.is_ascii_digit()) {
        Some(digits) => Value::Number(digits.decimal()),
        None => Value::None,
    }
}

/// Digits around a radix character, and what follows them.
struct Digits<'a> {
    whole: &'a [u8],
    fraction: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Digits<'a> {
    /// Returns the digits that `text` begins with, if there are any.
    fn read(text: &'a [u8], radix: u8, is_digit: impl Fn(u8) -> bool) -> Option<Self> {
        let count = |text| leading(text, &is_digit);
        let (whole, mut rest) = text.split_at(count(text));
        let mut fraction: &[u8] = &[];
        if let Some((&point, behind)) = rest.split_first()
            && point == radix
        {
            (fraction, rest) = behind.split_at(count(behind));
        }
        let has_digits = !whole.is_empty() || !fraction.is_empty();
        has_digits.then_some(Self { whole, fraction, rest })
    }

    /// Returns all digits from the first that is not 0.
    fn significant(&self) -> impl Iterator<Item = u8> + '_ {
        self.whole.iter().chain(self.fraction).copied().skip_while(|&digit| digit == b'0')
    }

    fn decimal(&self) -> Extended {
        let power = exponent(self.rest, b'e').saturating_sub(self.fraction.len() as i64);
        // Nearly every number fits into the array, and is spared the allocation.
        let mut short = [0; 32];
        let mut count = 0;
        for (place, digit) in short.iter_mut().zip(self.significant()) {
            *place = digit;
            count += 1;
        }
        if count < short.len() {
            return extended::from_decimal(&short[..count], power);
        }
        let is_zero = |byte| byte == b'0';
        let whole = &self.whole[leading(self.whole, is_zero)..];
        let zeros = if whole.is_empty() { leading(self.fraction, is_zero) } else { 0 };
        let fraction = &self.fraction[zeros..];
        // Of digits that decide nothing by themselves, it counts whether any is not 0.
        let (first, whole) = whole.split_at(whole.len().min(extended::DIGITS_MAX));
        let room = extended::DIGITS_MAX - first.len();
        let (second, fraction) = fraction.split_at(fraction.len().min(room));
        let mut digits = [first, second].concat();
        let mut dropped = (whole.len() + fraction.len()) as i64;
        if [whole, fraction].iter().any(|rest| leading(rest, is_zero) < rest.len()) {
            digits.push(b'1');
            dropped -= 1;
        }
        extended::from_decimal(&digits, power.saturating_add(dropped))
    }

    fn hexadecimal(&self) -> Extended {
        let (mut value, mut dropped, mut is_more) = (0u128, 0i64, false);
        for digit in self.significant() {
            let digit = char::from(digit).to_digit(16).unwrap_or(0);
            if value >> 120 == 0 {
                value = value << 4 | u128::from(digit);
            } else {
                dropped += 1;
                is_more |= digit != 0;
            }
        }
        let digits = dropped - self.fraction.len() as i64;
        let power = exponent(self.rest, b'p').saturating_add(4 * digits);
        // Beyond this everything is zero or infinity; and sums of such powers stay small.
        extended::round(value, power.clamp(-1 << 32, 1 << 32), is_more)
    }
}

/// Returns the exponent that `text` begins with, after `letter`; 0 without an exponent.
fn exponent(text: &[u8], letter: u8) -> i64 {
    let Some((first, text)) = text.split_first() else { return 0 };
    if !first.eq_ignore_ascii_case(&letter) {
        return 0;
    }
    let is_negative = text.first() == Some(&b'-');
    let text = &text[usize::from(matches!(text.first(), Some(b'-' | b'+')))..];
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    let value = digits.fold(0i64, |value, digit| {
        value.saturating_mul(10).saturating_add(i64::from(digit - b'0'))
    });
    if is_negative { -value } else { value }
}
