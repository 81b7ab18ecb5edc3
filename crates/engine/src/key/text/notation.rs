//! Types that read a value as a whole, in a notation of its own: days, addresses, versions.
//!
//! Such a type is one file of `encode` that implements [`Notation`], and one row of
//! [`TYPES`](super::encode::TYPES). The row holds the functions of the type, so that finding the
//! type of a value is one indirect call.

use std::fmt;

use super::date_format::DateFormat;
use super::difference::BlockSink;
use super::sink::{BufferSink, FewSink, NoSink, Sink, WordSink};
use super::text_type::{TextType, Traits};

/// A type that reads a value as a whole.
pub(super) trait Notation {
    /// Name in a key.
    const NAME: &'static str;
    /// Description of the values, in words that follow "is not".
    const EXPECTED: &'static str;
    /// The traits of its values and keys.
    const TRAITS: Traits;
    /// The parts of a moment that its values contain, if they are days or times.
    const DAY: Option<Day> = None;
    /// True if it is suggested where keys of another type have no values.
    const IS_SUGGESTED: bool = true;

    /// Appends the key of the value that is all of `text`, where days and times have the form of
    /// `format`. Returns `None`, with nothing appended, where it is not a value.
    fn append<S: Sink>(text: &[u8], format: Option<&DateFormat>, out: &mut S) -> Option<()>;
}

/// The parts of a moment that days and times contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Day {
    pub has_date: bool,
    pub has_time: bool,
}

/// The key of a value, appended to a sink of one kind.
type Append<S> = fn(&[u8], Option<&DateFormat>, &mut S) -> Option<()>;

/// A type that reads a value as a whole, as its name, its traits and its functions.
#[derive(Clone, Copy)]
pub struct NotationRow {
    pub(super) name: &'static str,
    pub(super) expected: &'static str,
    pub(super) traits: Traits,
    pub(super) day: Option<Day>,
    pub(super) is_suggested: bool,
    is_value: Append<NoSink>,
    append_word: Append<WordSink>,
    append_few: Append<FewSink>,
    append_buffer: for<'a> fn(&[u8], Option<&DateFormat>, &mut BufferSink<'a>) -> Option<()>,
    append_block: Append<BlockSink>,
}

impl NotationRow {
    const fn of<N: Notation>() -> Self {
        Self {
            name: N::NAME,
            expected: N::EXPECTED,
            traits: N::TRAITS,
            day: N::DAY,
            is_suggested: N::IS_SUGGESTED,
            is_value: N::append::<NoSink>,
            append_word: N::append::<WordSink>,
            append_few: N::append::<FewSink>,
            append_buffer: |text, format, out| N::append(text, format, out),
            append_block: N::append::<BlockSink>,
        }
    }

    /// Returns whether all of `text` is a value.
    #[inline]
    pub(super) fn is_value(&self, text: &[u8], format: Option<&DateFormat>) -> bool {
        NoSink.append_value(self, text, format).is_some()
    }
}

/// Returns the row of a type in the table of types.
pub(super) const fn row<N: Notation>() -> (&'static str, TextType) {
    (N::NAME, TextType::Notation(const { &NotationRow::of::<N>() }))
}

/// A sink for keys of values in a notation.
pub(super) trait NotationSink {
    /// Appends the key of the value that is all of `text`, as [`Notation::append`] does, by the
    /// function of the row that is for such sinks.
    fn append_value(
        &mut self,
        row: &NotationRow,
        text: &[u8],
        format: Option<&DateFormat>,
    ) -> Option<()>;
}

macro_rules! appends_by {
    ($sink:ty, $function:ident) => {
        impl NotationSink for $sink {
            #[inline]
            fn append_value(
                &mut self,
                row: &NotationRow,
                text: &[u8],
                format: Option<&DateFormat>,
            ) -> Option<()> {
                (row.$function)(text, format, self)
            }
        }
    };
}

appends_by!(NoSink, is_value);
appends_by!(WordSink, append_word);
appends_by!(FewSink, append_few);
appends_by!(BufferSink<'_>, append_buffer);
appends_by!(BlockSink, append_block);

impl PartialEq for NotationRow {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for NotationRow {}

/// Shows the name alone: where the functions lie differs from run to run.
impl fmt::Debug for NotationRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
