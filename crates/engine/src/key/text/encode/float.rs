//! Binary64 numbers: eight bytes, the bits of the number so that they order as it does.

use super::{Class, Detail, KeySink, KeyType, Traits, TypeNames, Typed};

/// A binary64 as Rust reads it. Text that is not a number comes first, NaN last.
#[derive(Debug)]
pub struct FloatType;

impl KeyType for FloatType {
    const NAMES: TypeNames = &[("float", Detail::None)];
    const EXPECTED: &'static str = "a float";
    const TRAITS: Traits = Traits::of(Class::Loose);

    fn append<S: KeySink>(text: &[u8], _: &Typed, out: &mut S) -> Option<()> {
        // All zeros are no number's. Negative zero is zero.
        out.extend(&parse(text).map_or(0, order).to_be_bytes());
        Some(())
    }

    fn is_value(text: &[u8], _: &Typed) -> bool {
        parse(text).is_some()
    }
}

/// Returns the number that is all of `text`, blanks at its ends aside.
fn parse(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text.trim_ascii()).ok()?.parse().ok()
}

/// Returns the bits of a number, as an integer in the order of numbers; NaN, of either sign, is the
/// last.
fn order(number: f64) -> u64 {
    let number = if number.is_nan() { f64::NAN.abs() } else { number + 0.0 };
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}
