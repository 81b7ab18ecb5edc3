//! Semantic versions (semver.org, version 2.0.0, section 11): `1.0.0-rc.1` before `1.0.0`.
//!
//! ```text
//!     major, minor, patch      numbers, as in `digits`
//!     pre-release              01 and a number | 02, letters and 00      per identifier, then 00
//!     none                     03
//! ```
//!
//! So numbers come before letters, fewer identifiers before more that begin alike, and a version
//! without a pre-release after those that have one. Build metadata is checked and left out. A `v`
//! may stand in front, as in the names of tags.

use super::digits;
use super::{Class, Detail, KeySink, KeyType, Traits, TypeNames, Typed};

/// A semantic version (semver.org), a pre-release before its release.
#[derive(Debug)]
pub struct Semver;

impl KeyType for Semver {
    const NAMES: TypeNames = &[("semver", Detail::None)];
    const EXPECTED: &'static str = "a semantic version, as in 1.10.0-rc.1";
    const TRAITS: Traits = Traits::of(Class::Strict).spares_ends().is_suggested();

    #[inline]
    fn append<S: KeySink>(text: &[u8], _: &Typed, out: &mut S) -> Option<()> {
        let text = text.strip_prefix(b"v").or_else(|| text.strip_prefix(b"V")).unwrap_or(text);
        let (text, build) = parted(text, b'+');
        let (core, pre_release) = parted(text, b'-');
        let mut pieces = core.split(is_point);
        let numbers = [pieces.next()?, pieces.next()?, pieces.next()?];
        let is_good = pieces.next().is_none()
            && numbers.into_iter().all(is_number)
            && pre_release.is_none_or(|text| text.split(is_point).all(is_of_pre_release))
            && build.is_none_or(|text| text.split(is_point).all(is_identifier));
        if !is_good {
            return None;
        }
        numbers.into_iter().for_each(|number| append_number(number, out));
        match pre_release {
            Some(identifiers) => append_identifiers(identifiers, out),
            None => out.push(RELEASE),
        }
        Some(())
    }
}

const END: u8 = 0;
const NUMBER: u8 = 1;
const LETTERS: u8 = 2;
const RELEASE: u8 = 3;

fn is_point(byte: &u8) -> bool {
    *byte == b'.'
}

/// Returns the text before the first `sign`, and the text that follows it.
fn parted(text: &[u8], sign: u8) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|byte| *byte == sign) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

fn has_digits_alone(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// Returns whether `text` is a number without zeros in front.
fn is_number(text: &[u8]) -> bool {
    has_digits_alone(text) && (text.len() == 1 || text[0] != b'0')
}

fn is_identifier(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

fn is_of_pre_release(text: &[u8]) -> bool {
    if has_digits_alone(text) { is_number(text) } else { is_identifier(text) }
}

/// Appends the identifiers of a pre-release; they end themselves.
fn append_identifiers<S: KeySink>(identifiers: &[u8], out: &mut S) {
    for identifier in identifiers.split(is_point) {
        if out.room() == 0 {
            return;
        }
        if has_digits_alone(identifier) {
            out.push(NUMBER);
            append_number(identifier, out);
        } else {
            out.push(LETTERS);
            out.extend(identifier);
            out.push(END);
        }
    }
    out.push(END);
}

fn append_number<S: KeySink>(digits: &[u8], out: &mut S) {
    match digits {
        b"0" => digits::append_zero(out),
        _ => digits::append_whole(false, 0, digits, out),
    }
}
