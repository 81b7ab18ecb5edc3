//! Text whose references to settings are typed.
//!
//! The library names a setting by its own word ("memory"), a program by an option (`--memory`) or a
//! function. So a [`Message`] keeps each reference as a value, and the program that shows the
//! message gives the names. Messages are made by the macro `message!`, which reads like `format!`:
//!
//! ```text
//! message!("give at least {} with {}", least, Setting::Memory)
//! ```
//!
//! The template has `{}` only, so that a setting cannot be captured as text by mistake. Each
//! argument is a [`Fragment`]. A message that becomes part of another is passed as a fragment as
//! well: `format!` would turn its references into text.

use std::fmt;
use std::path;

use serde::{Serialize, Serializer};

use super::setting::{Operation, Reference, Setting};
use crate::units::ByteSize;

/// Text with references to settings and operations.
///
/// `Display` names them in the library's words, [`render`](Self::render) in those of the caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Parts of the message; never two texts in a row.
    parts: Vec<MessagePart>,
    /// The record that the message is about.
    position: RecordPosition,
}

/// Position of a record in an input, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordPosition {
    /// The number of the record, from 1.
    pub record: Option<u64>,
    /// The byte at which it begins.
    pub offset: Option<u64>,
}

impl RecordPosition {
    /// Returns the position of a record whose number and first byte are known.
    pub(crate) fn new(record: u64, offset: u64) -> Self {
        Self { record: Some(record), offset: Some(offset) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum MessagePart {
    Text(String),
    Reference(Reference),
}

impl Message {
    /// Returns the text of a template with a fragment in the place of each `{}`. There are as many
    /// of one as of the other, which `message!` makes sure of when it is compiled.
    pub(crate) fn of(template: &str, fragments: &[&dyn Fragment]) -> Self {
        debug_assert_eq!(places(template), fragments.len(), "{template}");
        let mut message = Self::default();
        let mut texts = template.split("{}");
        message.push_text(texts.next().unwrap_or_default());
        for (fragment, text) in fragments.iter().zip(texts) {
            fragment.add_to(&mut message);
            message.push_text(text);
        }
        message
    }

    /// Returns the message with the name that `name` gives to each reference.
    pub fn render(&self, name: impl Fn(&Reference) -> String) -> String {
        let text = |part: &MessagePart| match part {
            MessagePart::Text(text) => text.clone(),
            MessagePart::Reference(reference) => name(reference),
        };
        self.parts.iter().map(text).collect()
    }

    /// Returns the message with a reference after it, and then `text`. For crates of this project
    /// that have no `message!`.
    #[doc(hidden)]
    #[must_use]
    pub fn and(mut self, reference: Reference, text: &str) -> Self {
        self.parts.push(MessagePart::Reference(reference));
        self.push_text(text);
        self
    }

    /// Returns the message about the record at `position`.
    pub(crate) fn at(mut self, position: RecordPosition) -> Self {
        self.position = position;
        self
    }

    /// Returns the position of the record that the message is about, as far as it is known.
    pub(crate) fn position(&self) -> RecordPosition {
        self.position
    }

    /// Returns the references of the message, in order.
    pub fn references(&self) -> impl Iterator<Item = &Reference> {
        self.parts.iter().filter_map(|part| match part {
            MessagePart::Text(_) => None,
            MessagePart::Reference(reference) => Some(reference),
        })
    }

    fn push_text(&mut self, text: &str) {
        match self.parts.last_mut() {
            _ if text.is_empty() => {}
            Some(MessagePart::Text(last)) => last.push_str(text),
            _ => self.parts.push(MessagePart::Text(text.to_owned())),
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|part| match part {
            MessagePart::Text(text) => f.write_str(text),
            MessagePart::Reference(reference) => write!(f, "{reference}"),
        })
    }
}

/// A message is serialized as the text of its `Display`.
impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self::of("{}", &[&text])
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Self::of("{}", &[&text])
    }
}

/// A value that can stand in a message.
pub(crate) trait Fragment {
    /// Appends the value to a message.
    fn add_to(&self, message: &mut Message);
}

impl Fragment for Setting {
    fn add_to(&self, message: &mut Message) {
        Reference::Setting(*self, None).add_to(message);
    }
}

impl Fragment for Operation {
    fn add_to(&self, message: &mut Message) {
        Reference::Operation(*self, None).add_to(message);
    }
}

impl Fragment for Reference {
    fn add_to(&self, message: &mut Message) {
        message.parts.push(MessagePart::Reference(self.clone()));
    }
}

impl Fragment for Message {
    fn add_to(&self, message: &mut Message) {
        if message.position == RecordPosition::default() {
            message.position = self.position;
        }
        for part in &self.parts {
            match part {
                MessagePart::Text(text) => message.push_text(text),
                MessagePart::Reference(reference) => reference.add_to(message),
            }
        }
    }
}

impl<F: Fragment> Fragment for Option<F> {
    fn add_to(&self, message: &mut Message) {
        if let Some(fragment) = self {
            fragment.add_to(message);
        }
    }
}

impl<F: Fragment + ?Sized> Fragment for &F {
    fn add_to(&self, message: &mut Message) {
        (**self).add_to(message);
    }
}

/// Types that stand in a message as their `Display` shows them. A value of another type is passed
/// as `format_args!("{value}")`.
macro_rules! fragments_of_text {
    ($($type:ty),* $(,)?) => {
        $(impl Fragment for $type {
            fn add_to(&self, message: &mut Message) {
                message.push_text(&self.to_string());
            }
        })*
    };
}

fragments_of_text!(
    str,
    String,
    char,
    u8,
    u32,
    u64,
    usize,
    i64,
    f64,
    ByteSize,
    fmt::Arguments<'_>,
    dyn fmt::Display + '_,
    path::Display<'_>,
    std::ffi::os_str::Display<'_>,
    std::borrow::Cow<'_, str>,
    std::io::Error,
    rustix::io::Errno,
);

/// Returns the number of places `{}` of a template, which must have no other brace.
pub(crate) const fn places(template: &str) -> usize {
    let (bytes, mut at, mut places) = (template.as_bytes(), 0, 0);
    while at < bytes.len() {
        if bytes[at] == b'{' {
            at += 1;
            assert!(at < bytes.len() && bytes[at] == b'}', "a message names nothing in braces");
            places += 1;
        } else {
            assert!(bytes[at] != b'}', "a message has no single brace");
        }
        at += 1;
    }
    places
}

/// Makes a [`Message`](crate::error::Message) of a template with `{}` and a fragment for each.
macro_rules! message {
    ($template:literal $(, $fragment:expr)* $(,)?) => {{
        const {
            let fragments: &[&str] = &[$(stringify!($fragment)),*];
            assert!($crate::error::message::places($template) == fragments.len());
        }
        $crate::error::Message::of($template, &[$(&$fragment),*])
    }};
}

/// Makes an [`Error::Config`](crate::Error::Config) of a kind and a message, as `message!` has it.
macro_rules! config {
    ($kind:expr, $template:literal $(, $fragment:expr)* $(,)?) => {
        $crate::Error::config(
            $kind,
            $crate::error::message!($template $(, $fragment)*),
        )
    };
}

pub(crate) use {config, message};

#[cfg(test)]
mod tests;
