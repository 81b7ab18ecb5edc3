//! Fault of an expression, and its place: a sentence, and the text with a mark under the
//! place.

use std::fmt::Write;

/// Characters of the text that are shown.
const SHOWN: usize = 72;
/// Number of these before the place.
const SHOWN_BEFORE: usize = 40;

/// A fault and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    /// Byte of the text.
    at: usize,
    message: String,
}

impl Mistake {
    pub fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }

    /// Returns the fault with a hint after its message, if there is one.
    pub fn with_hint(mut self, hint: Option<String>) -> Self {
        if let Some(hint) = hint {
            self.message = format!("{}; {hint}", self.message);
        }
        self
    }

    /// Returns the message, and under it `text`, in which the fault was found, with its place
    /// marked. Of a long text only what lies around the place.
    pub fn shown_in(&self, text: &str) -> String {
        let before = text[..self.at].chars().count();
        let length = text.chars().count();
        // A mark behind the text counts as one of its characters.
        let start = if length <= SHOWN { 0 } else { before.saturating_sub(SHOWN_BEFORE) };
        let shown = text.chars().skip(start).take(SHOWN);
        // One column for each, so that the mark stands under its place.
        let shown: String = shown.map(|c| if c.is_control() { ' ' } else { c }).collect();
        let cut_before = if start > 0 { "..." } else { "" };
        let cut_after = if start + SHOWN < length { "..." } else { "" };
        let mut words = format!("{}\n  {cut_before}{shown}{cut_after}\n  ", self.message);
        let column = cut_before.len() + before - start;
        let _ = write!(words, "{:column$}^", "");
        words
    }
}

#[cfg(test)]
mod tests;
