//! UUIDs (RFC 9562): their sixteen bytes.
//!
//! Thirty-two hexadecimal digits in either case, as 8-4-4-4-12 or without any hyphen, in braces,
//! after `urn:uuid:` or alone. RFC 9562 orders them by these bytes, whatever their version.

use super::{Class, Detail, KeySink, KeyType, Traits, TypeNames, Typed};

/// A UUID in any case, with or without hyphens, braces and `urn:uuid:`.
#[derive(Debug)]
pub struct Uuid;

impl KeyType for Uuid {
    const NAMES: TypeNames = &[("uuid", Detail::None)];
    const EXPECTED: &'static str = "a UUID";
    const TRAITS: Traits = Traits::of(Class::Strict).is_suggested();

    #[inline]
    fn append<S: KeySink>(text: &[u8], _: &Typed, out: &mut S) -> Option<()> {
        parse(text).map(|uuid| out.extend(&uuid))
    }
}

/// Start of a UUID as a name (RFC 9562, section 4), in either case.
const URN: &[u8] = b"urn:uuid:";

/// Returns the UUID that is all of `text`.
#[inline]
fn parse(text: &[u8]) -> Option<[u8; 16]> {
    let text = match text {
        [b'{', inner @ .., b'}'] => inner,
        text => match text.split_at_checked(URN.len()) {
            Some((start, rest)) if start.eq_ignore_ascii_case(URN) => rest,
            _ => text,
        },
    };
    let has_hyphens = match text.len() {
        32 => false,
        36 => true,
        _ => return None,
    };
    let mut uuid = [0; 16];
    let mut at = 0;
    for (index, byte) in uuid.iter_mut().enumerate() {
        if has_hyphens && matches!(index, 4 | 6 | 8 | 10) {
            if text[at] != b'-' {
                return None;
            }
            at += 1;
        }
        *byte = digit(text[at])? << 4 | digit(text[at + 1])?;
        at += 2;
    }
    Some(uuid)
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' | b'A'..=b'F' => Some((byte | 0x20) - b'a' + 10),
        _ => None,
    }
}
