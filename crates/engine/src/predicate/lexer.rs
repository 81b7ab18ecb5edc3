//! The words of an expression: parentheses, comparisons, texts in quotes, and everything else.
//!
//! ```text
//!     not ("full name":text == "Smith" or amount:decimal >= 10.5)
//!     --- ----------------- -- -------    -------------- -- ----
//!     word       word       op quoted           word     op word
//! ```
//!
//! A key is one word, with its colons, brackets and quotes; what it says is for others to read. So
//! an equals sign after a colon belongs to the word (`1:text:locale=de`), unless a second one
//! follows it. Quotes open where a word begins, or a part of a key, and are read alike in keys and
//! texts.

use super::expression::Comparison;
use super::fault::Mistake;

/// One word and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub kind: WordKind,
    /// Text as written; empty at the end.
    pub text: &'a str,
    /// Byte of its beginning.
    pub at: usize,
}

/// Kind of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordKind {
    Open,
    Close,
    Comparison(Comparison),
    /// `=~`, the sign for `matches`.
    Matches,
    /// Text in quotes, with the quotes, and nothing else.
    Quoted,
    /// Anything else.
    Word,
    End,
}

impl Token<'_> {
    /// Returns whether it is this word of the language; case does not count.
    pub fn is(&self, keyword: &str) -> bool {
        self.kind == WordKind::Word && self.text.eq_ignore_ascii_case(keyword)
    }
}

/// Signs, the longer before their beginnings.
pub(super) const SIGNS: [(&str, WordKind); 9] = [
    ("==", WordKind::Comparison(Comparison::Equal)),
    ("!=", WordKind::Comparison(Comparison::NotEqual)),
    ("<=", WordKind::Comparison(Comparison::LessOrEqual)),
    (">=", WordKind::Comparison(Comparison::GreaterOrEqual)),
    ("=~", WordKind::Matches),
    ("<", WordKind::Comparison(Comparison::Less)),
    (">", WordKind::Comparison(Comparison::Greater)),
    ("(", WordKind::Open),
    (")", WordKind::Close),
];

/// Cuts an expression into its words.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    /// All before it has been given out.
    at: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Returns the next word; after the last one, always [`WordKind::End`].
    pub fn next(&mut self) -> Result<Token<'a>, Mistake> {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        let (kind, length) = match SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            Some((sign, kind)) => (*kind, sign.len()),
            None if rest.is_empty() => (WordKind::End, 0),
            None if rest.starts_with('=') => {
                return Err(Mistake::new(self.at, "'=' is not an operator; write == for equality"));
            }
            None if rest.starts_with('!') => {
                let message = "'!' is not an operator; write not, or != for inequality";
                return Err(Mistake::new(self.at, message));
            }
            None => word(rest).map_err(|at| {
                Mistake::new(self.at + at, "the text that begins here has no closing quote")
            })?,
        };
        let token = Token { kind, text: &rest[..length], at: self.at };
        self.at += length;
        Ok(token)
    }
}

/// Returns what the word is that `rest` begins with, and how long; or where in it quotes open that
/// do not close.
fn word(rest: &str) -> Result<(WordKind, usize), usize> {
    let bytes = rest.as_bytes();
    let mut at = 0;
    if opens(bytes, 0) {
        at = behind_quotes(bytes, 0, bytes[0])?;
        if !matches!(bytes.get(at), Some(b':' | b'[')) {
            return Ok((WordKind::Quoted, at));
        }
    }
    let mut has_colon = false;
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1);
        match byte {
            b'(' | b')' | b'<' | b'>' => break,
            b'!' if next == Some(&b'=') => break,
            b'=' if !has_colon || matches!(next, Some(b'=' | b'~')) => break,
            b'"' if opens(bytes, at) => at = behind_quotes(bytes, at, byte)?,
            _ if rest[at..].starts_with(char::is_whitespace) => break,
            _ => {
                has_colon |= byte == b':';
                at += 1;
                while !rest.is_char_boundary(at) {
                    at += 1;
                }
            }
        }
    }
    Ok((WordKind::Word, at))
}

/// Returns the place after the quotes that open at `open`. Inside, a backslash takes away the
/// meaning of what follows it, and two quotes are one.
fn behind_quotes(bytes: &[u8], open: usize, quote: u8) -> Result<usize, usize> {
    let mut at = open + 1;
    loop {
        match (bytes.get(at), bytes.get(at + 1)) {
            (None, _) => return Err(open),
            (Some(b'\\'), Some(_)) => at += 2,
            (Some(byte), next) if *byte == quote => match next {
                Some(next) if *next == quote => at += 2,
                _ => return Ok(at + 1),
            },
            _ => at += 1,
        }
    }
}

/// Returns a key as it is written where there is no expression around it: what is in quotes has no
/// backslashes there, and quotes in it are doubled.
pub(super) fn key(word: &str) -> String {
    let bytes = word.as_bytes();
    let mut written = String::with_capacity(word.len());
    let (mut at, mut copied) = (0, 0);
    while at < bytes.len() {
        if !opens(bytes, at) {
            at += 1;
            continue;
        }
        // They close, or there would be no such word.
        let end = behind_quotes(bytes, at, bytes[at]).unwrap_or(bytes.len());
        let said = unquoted(&word[at..end]).replace('"', "\"\"");
        written.extend([&word[copied..at], "\"", &said, "\""]);
        (at, copied) = (end, end);
    }
    written + &word[copied..]
}

/// Returns whether quotes open at a place in a word: at its beginning, and double ones where a part
/// of a key begins.
fn opens(word: &[u8], at: usize) -> bool {
    match at.checked_sub(1) {
        None => matches!(word[at], b'"' | b'\''),
        Some(before) => word[at] == b'"' && matches!(word[before], b':' | b'=' | b'|' | b'@'),
    }
}

/// Returns what text in quotes says.
pub(super) fn unquoted(text: &str) -> String {
    let mut characters = text.chars();
    let quote = characters.next();
    characters.next_back();
    let mut said = String::with_capacity(text.len());
    while let Some(character) = characters.next() {
        let ahead = characters.clone().next();
        let meant = match (character, ahead) {
            ('\\', Some('n')) => Some('\n'),
            ('\\', Some('r')) => Some('\r'),
            ('\\', Some('t')) => Some('\t'),
            ('\\', Some('"' | '\'' | '\\')) => ahead,
            _ if Some(character) == quote => ahead,
            // A backslash before anything else is itself, so that "\d" is one in a pattern.
            _ => None,
        };
        if meant.is_some() {
            characters.next();
        }
        said.push(meant.unwrap_or(character));
    }
    said
}

/// Returns `text` in quotes, so that it reads back unchanged.
pub(super) fn quoted(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 2);
    written.push('"');
    for character in text.chars() {
        match character {
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            '"' | '\\' => written.extend(['\\', character]),
            _ => written.push(character),
        }
    }
    written.push('"');
    written
}

/// Returns the hint for a word to compare with that is not a key of these records, if it may be
/// meant as text: it begins with a letter, and has no quotes.
pub(super) fn quoting_hint(word: &str) -> Option<String> {
    let is_text = word.starts_with(char::is_alphabetic) && !word.contains('"');
    is_text.then(|| format!("write text in quotes, as in {}", quoted(word)))
}

#[cfg(test)]
mod tests;
