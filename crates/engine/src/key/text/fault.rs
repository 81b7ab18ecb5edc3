//! Messages about a key that is not a value of its type: its place, the text found, the text
//! expected and the remedy. The caller adds which record it is.

use super::date_format::DateFormat;
use super::order::{End, Position, Separator, TextOrder, TextSpec};
use super::text_type::TextType;
use crate::error::{Message, Setting, message};

/// Bytes of a key that are shown.
pub(super) const SHOWN_BYTES: usize = 40;

/// The words that are the same for all records with a fault of one key.
#[derive(Clone, Debug)]
pub(super) struct FaultWords {
    /// `column 'amount'`, `field 2`, `bytes 4..8`.
    place: String,
    /// `an int`, `a date, as in 2026-11-22`.
    expected: String,
    /// Further advice.
    advice: Message,
    /// True if bytes are shown as numbers.
    is_binary: bool,
}

impl FaultWords {
    /// Creates the words for the key of `spec`.
    pub fn new(spec: &TextSpec, order: &TextOrder) -> Self {
        let format = order.options.date_format.as_deref();
        let is_day = spec.text_type.is_day() && format.is_none();
        Self {
            place: place(spec, order.separator),
            expected: expected(&spec.text_type, format),
            advice: match is_day {
                true => message!("give its pattern with {}, or ", Setting::DateFormat),
                false => Message::default(),
            },
            is_binary: spec.text_type.traits().counts_blanks(),
        }
    }

    /// Returns the words for bytes of a range as they are.
    pub fn of_range(start: usize, end: Option<usize>) -> Self {
        let at = |byte| Position { byte, ..Position::default() };
        let end = end.map_or(End::Record, |end| End::At(at(end)));
        let spec = TextSpec { start: at(start), end, ..TextSpec::default() };
        Self::new(&spec, &TextOrder::by_bytes(b'\n'))
    }

    /// Returns the place of the key, and a description of its valid values.
    pub fn of_key(&self) -> (&str, &str) {
        (&self.place, &self.expected)
    }

    /// Returns the message that `text` is no value.
    pub fn invalid(&self, text: &[u8]) -> Message {
        let Self { place, expected, advice, is_binary } = self;
        let text = if *is_binary { in_numbers(text) } else { format!("'{}'", shown(text)) };
        message!(
            "{}: {} is not {}; {}sort such records after all others with {}",
            place,
            text,
            expected,
            advice,
            Setting::Invalid.to("last"),
        )
    }

    /// Returns the message that a record of `length` bytes has not the bytes `needs`.
    pub fn short(&self, length: usize, needs: usize) -> Message {
        let place = &self.place;
        let length = if length == 1 { "1 byte".to_owned() } else { format!("{length} bytes") };
        message!(
            "{}: the record has {}, and the key needs {}; give a byte for the missing ones \
             with {}, or sort such records after all others with {}",
            place,
            length,
            needs,
            Setting::Pad.to("0"),
            Setting::Invalid.to("last"),
        )
    }
}

/// Returns the place of a key in words: `field 2`, `bytes 4..8`.
pub(super) fn place(spec: &TextSpec, separator: Separator) -> String {
    let field = match separator {
        Separator::Cells(_) => "column",
        Separator::Lines { .. } if spec.line.is_none() => "line",
        _ => "field",
    };
    let place = place_in(spec, field, separator);
    spec.line.map_or(place.clone(), |line| format!("{place} of line {}", line.saturating_add(1)))
}

fn place_in(spec: &TextSpec, kind: &str, separator: Separator) -> String {
    let first = spec.start.field.saturating_add(1);
    let field = match spec.end {
        End::Field(last) | End::Within(_, last) if last == spec.start.field => last,
        End::Field(last) | End::Within(_, last) if last > spec.start.field => {
            return format!("{kind}s {first} to {}", last.saturating_add(1));
        }
        End::At(end) if end.field == 0 && spec.start.field == 0 => {
            return format!("bytes {}..{}", spec.start.byte, end.byte);
        }
        _ if spec.start == Position::default() && spec.line.is_none() => {
            return "the record".to_owned();
        }
        _ if spec.start.field == 0 && spec.line.is_none() => {
            return format!("bytes {}..", spec.start.byte);
        }
        _ => return format!("{kind}s {first} to the last"),
    };
    match (&spec.name, separator) {
        (Some(name), Separator::Members) => format!("'{}'", shown(name.as_bytes())),
        (Some(name), _) => format!("column '{}'", shown(name.as_bytes())),
        (None, _) => format!("{kind} {}", field.saturating_add(1)),
    }
}

/// Returns the values of a type, in words that go after "is not".
fn expected(text_type: &TextType, format: Option<&DateFormat>) -> String {
    match format.filter(|_| text_type.is_day()) {
        Some(format) => format!("a {} of the form {}", text_type.row.name(), format.pattern()),
        None => (text_type.row.expected)(&text_type.detail),
    }
}

/// Returns the beginning of some text, on one line.
pub(super) fn shown(text: &[u8]) -> String {
    let cut = text.len() > SHOWN_BYTES;
    let mut text = &text[..text.len().min(SHOWN_BYTES)];
    if cut {
        // Not in the middle of a character.
        let is_behind = |byte: &u8| byte & 0xc0 == 0x80;
        let behind = text.iter().rev().take(3).take_while(|byte| is_behind(byte)).count();
        let first = text.len() - behind - 1;
        let is_whole = std::str::from_utf8(&text[first..]).is_ok();
        text = if is_whole { text } else { &text[..first] };
    }
    let mut words: String = match std::str::from_utf8(text) {
        Ok(text) => text.chars().map(one).collect(),
        Err(_) => text.escape_ascii().to_string(),
    };
    words.push_str(if cut { "..." } else { "" });
    words
}

/// Returns a character, escaped if it is not visible.
fn one(character: char) -> String {
    match character {
        '\'' | '"' => character.to_string(),
        other => other.escape_debug().to_string(),
    }
}

/// Returns the beginning of some bytes, as hexadecimal numbers.
fn in_numbers(bytes: &[u8]) -> String {
    let numbers: Vec<String> =
        bytes.iter().take(SHOWN_BYTES / 2).map(|byte| format!("{byte:02X}")).collect();
    let more = if bytes.len() > SHOWN_BYTES / 2 { " ..." } else { "" };
    format!("{}{more}", numbers.join(" "))
}

#[cfg(test)]
mod tests;
