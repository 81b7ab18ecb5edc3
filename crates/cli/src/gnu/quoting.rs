//! The user's words in messages: quoted as text, or as a shell would want a file's name.
//!
//! Both show every byte: what has no picture in the locale is written as an escape.

use sortwell::unstable::locale::Locale;

/// Characters that are special to a shell at any position. The colon is not special, but would look
/// like the end of the name.
const SHELL_SPECIAL: &[u8] = b" !\"$&'()*:;<=>?[\\^`|\n\t\r";
/// Characters that are special to a shell only at the beginning of a word.
const SHELL_SPECIAL_FIRST: &[u8] = b"#~";
/// Characters that keep a meaning between double quotes.
const SPECIAL_IN_DOUBLE_QUOTES: &[u8] = b"\"$\\`!";

/// Quoting of words in a locale.
#[derive(Clone, Copy, Debug)]
pub struct Quoter<'a> {
    locale: &'a Locale,
}

/// A piece of text: a character with a picture, or a byte that needs an escape.
enum QuotedPiece<'a> {
    Shown(&'a [u8]),
    Hidden(u8),
}

impl<'a> Quoter<'a> {
    /// Creates the quoting for the locale's letters and quotation marks.
    pub fn new(locale: &'a Locale) -> Self {
        Self { locale }
    }

    /// Returns text between quotation marks: curved ones where the locale writes UTF-8.
    pub fn text(self, text: &[u8]) -> Vec<u8> {
        let (open, close) =
            if self.locale.is_utf8() { ("\u{2018}", "\u{2019}") } else { ("'", "'") };
        let mut quoted = open.as_bytes().to_vec();
        for piece in self.pieces(text) {
            match piece {
                QuotedPiece::Hidden(byte) => quoted.extend_from_slice(&escape(byte)),
                QuotedPiece::Shown(shown) => {
                    if shown == b"\\" || shown == close.as_bytes() {
                        quoted.push(b'\\');
                    }
                    quoted.extend_from_slice(shown);
                }
            }
        }
        quoted.extend_from_slice(close.as_bytes());
        quoted
    }

    /// Returns a file's name as it can be given to a shell; bare where that is possible.
    pub fn file(self, name: &[u8]) -> Vec<u8> {
        let is_special = |(at, byte): (usize, &u8)| {
            SHELL_SPECIAL.contains(byte) || at == 0 && SHELL_SPECIAL_FIRST.contains(byte)
        };
        let is_brace = matches!(name, b"{" | b"}");
        let is_hidden = self.pieces(name).any(|piece| matches!(piece, QuotedPiece::Hidden(_)));
        if name.is_empty() || is_brace || is_hidden || name.iter().enumerate().any(is_special) {
            self.file_always(name)
        } else {
            name.to_vec()
        }
    }

    /// Returns a file's name as it can be given to a shell, in quotes in any case.
    pub fn file_always(self, name: &[u8]) -> Vec<u8> {
        let pieces: Vec<QuotedPiece> = self.pieces(name).collect();
        let is_plain = pieces.iter().all(|piece| matches!(piece, QuotedPiece::Shown(_)))
            && !name.iter().any(|byte| SPECIAL_IN_DOUBLE_QUOTES.contains(byte));
        if name.contains(&b'\'') && is_plain {
            return [b"\"", name, b"\""].concat();
        }
        let mut quoted = vec![b'\''];
        let mut is_escaping = false;
        for piece in pieces {
            match piece {
                QuotedPiece::Hidden(byte) => {
                    if !is_escaping {
                        quoted.extend_from_slice(b"'$'");
                        is_escaping = true;
                    }
                    quoted.extend_from_slice(&escape(byte));
                }
                QuotedPiece::Shown(shown) => {
                    if is_escaping {
                        quoted.extend_from_slice(b"''");
                        is_escaping = false;
                    }
                    let shown = if shown == b"'" { b"'\\''" } else { shown };
                    quoted.extend_from_slice(shown);
                }
            }
        }
        quoted.push(b'\'');
        quoted
    }

    /// Cuts text into what can be shown and what cannot.
    fn pieces(self, text: &[u8]) -> impl Iterator<Item = QuotedPiece<'_>> {
        let classes = self.locale.byte_classes();
        let is_utf8 = self.locale.is_utf8();
        let mut rest = text;
        std::iter::from_fn(move || {
            let &first = rest.first()?;
            let character = if is_utf8 { first_character(rest) } else { None };
            let (length, is_shown) = match character {
                Some(character) => (character.len_utf8(), self.locale.is_printable(character)),
                None => (1, classes.is_printable[usize::from(first)]),
            };
            // A character of several bytes without a picture is escaped byte by byte.
            let length = if is_shown { length } else { 1 };
            let (piece, behind) = rest.split_at(length);
            rest = behind;
            Some(if is_shown { QuotedPiece::Shown(piece) } else { QuotedPiece::Hidden(first) })
        })
    }
}

/// Returns the first character, where the text begins with a whole one.
fn first_character(text: &[u8]) -> Option<char> {
    let start = &text[..text.len().min(4)];
    let valid = match std::str::from_utf8(start) {
        Ok(valid) => valid,
        Err(error) => std::str::from_utf8(&start[..error.valid_up_to()]).ok()?,
    };
    valid.chars().next()
}

/// Returns the escape of a byte as C and shells write it.
fn escape(byte: u8) -> Vec<u8> {
    let letter = match byte {
        0x07 => b'a',
        0x08 => b'b',
        0x0b => b'v',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => return format!("\\{byte:03o}").into_bytes(),
    };
    vec![b'\\', letter]
}

#[cfg(test)]
mod tests;
