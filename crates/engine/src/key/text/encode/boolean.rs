//! Truth: one byte, false before true.

use super::{Class, Detail, KeySink, KeyType, Traits, TypeNames, Typed};

/// True or false, false first.
#[derive(Debug)]
pub struct Bool;

impl KeyType for Bool {
    const NAMES: TypeNames = &[("bool", Detail::None)];
    const EXPECTED: &'static str = "a bool, as in true or false";
    const TRAITS: Traits = Traits::of(Class::Strict).is_coarse().spares_ends();

    /// Appends one byte: neither it nor its complement is at an end of the range.
    #[inline]
    fn append<S: KeySink>(text: &[u8], _: &Typed, out: &mut S) -> Option<()> {
        let is_in =
            |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()));
        let is_true = is_in(&TRUE);
        (is_true || is_in(&FALSE)).then(|| out.push(0x40 + u8::from(is_true)))
    }
}

/// The words for each, in any case.
const FALSE: [&str; 6] = ["false", "f", "no", "n", "0", "off"];
const TRUE: [&str; 6] = ["true", "t", "yes", "y", "1", "on"];
