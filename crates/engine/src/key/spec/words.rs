//! The words of a key: text between colons, some of it in double quotes.
//!
//! A quote opens where a word or a value begins and closes at the next one that is not doubled.
//! Nothing between them separates.

use std::borrow::Cow;

/// Returns the pieces of `text` between `separator`s, quotes and all; `None` where a quote does not
/// close.
pub fn split(text: &str, separator: char) -> Option<Vec<&str>> {
    let mut pieces = Vec::new();
    let (mut start, mut is_quoted, mut opens) = (0, false, true);
    for (at, character) in text.char_indices() {
        match character {
            // Of a doubled quote, the first closes and the second opens again.
            '"' if is_quoted || opens || text[..at].ends_with('"') => is_quoted = !is_quoted,
            _ if is_quoted => {}
            _ if character == separator => {
                pieces.push(&text[start..at]);
                start = at + character.len_utf8();
            }
            _ => {}
        }
        opens =
            !is_quoted && (character == separator || matches!(character, ':' | '=' | '|' | '@'));
    }
    pieces.push(&text[start..]);
    (!is_quoted).then_some(pieces)
}

/// Returns the text of a word that may be in quotes, and the rest after the closing one; `None`
/// where none closes.
pub fn unquoted(word: &str) -> Option<(Cow<'_, str>, &str)> {
    let Some(inner) = word.strip_prefix('"') else { return Some((Cow::Borrowed(word), "")) };
    let mut said = String::new();
    let mut rest = inner;
    loop {
        let (before, after) = rest.split_once('"')?;
        said.push_str(before);
        match after.strip_prefix('"') {
            Some(next) => rest = next,
            None => return Some((Cow::Owned(said), after)),
        }
        said.push('"');
    }
}

/// Returns `text` in quotes.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests;
