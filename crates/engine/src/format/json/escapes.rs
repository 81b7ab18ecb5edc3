//! Escapes in strings of JSON (RFC 8259, section 7).

/// The bytes that an escape stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Escape {
    /// Bytes of the escape, with its backslash.
    pub length: usize,
    /// UTF-8; bytes beyond `count` are zero.
    pub bytes: [u8; 4],
    /// The number of bytes that it stands for.
    pub count: usize,
}

/// Returns the escape that `text` starts with: its first byte is a backslash. Half of a surrogate
/// pair stands for U+FFFD. At the end of text that is no string, the backslash stands for itself.
pub fn escape_at(text: &[u8]) -> Escape {
    let (character, length) = match text.get(1) {
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'n') => ('\n', 2),
        Some(b'r') => ('\r', 2),
        Some(b't') => ('\t', 2),
        Some(b'u') => character_at(text),
        Some(&byte) => (char::from(byte), 2),
        None => ('\\', 1),
    };
    let mut bytes = [0; 4];
    let count = character.encode_utf8(&mut bytes).len();
    Escape { length: length.min(text.len()), bytes, count }
}

/// Returns the character that `\uXXXX`, or a pair of them, stands for, and the bytes it takes.
fn character_at(text: &[u8]) -> (char, usize) {
    let Some(high) = unit_at(text) else { return (char::REPLACEMENT_CHARACTER, 2) };
    if let Some(character) = char::from_u32(high) {
        return (character, 6);
    }
    let low = text.get(6..).filter(|rest| rest.starts_with(b"\\u")).and_then(unit_at);
    let pair = low.filter(|low| high < 0xdc00 && (0xdc00..0xe000).contains(low));
    let joined =
        pair.and_then(|low| char::from_u32(0x10000 + ((high - 0xd800) << 10) + low - 0xdc00));
    joined.map_or((char::REPLACEMENT_CHARACTER, 6), |character| (character, 12))
}

/// Returns the number in `\uXXXX`.
fn unit_at(text: &[u8]) -> Option<u32> {
    let digits = std::str::from_utf8(text.get(2..6)?).ok()?;
    u32::from_str_radix(digits, 16).ok()
}
