//! The types of text: what the bytes of a key mean.
//!
//! A type is one file of `encode` that implements [`KeyType`], and one row of
//! [`TYPES`](super::encode::TYPES). The row holds the functions of the type, so that finding the
//! type of a value is one indirect call. The values that nearly all records have are encoded
//! without it ([`Usual`]).
//!
//! Three kinds differ in what they make of bytes that are no value of theirs. *Text* has none such.
//! *Loose* types, those of lines as sorting has always known them, take what they can read at the
//! beginning. *Strict* types know a value only where all of the text is one.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use super::content::Content;
use super::difference::BlockSink;
use super::encode::bytes::{append_text, restart_of};
use super::encode::list::ValueList;
use super::encode::machine::NumberType;
use super::encode::number::{Grammar, trimmed};
use super::encode::written::NumberStyle;
use super::encode::zoned::Zoned;
use super::sink::{BufferSink, FewSink, KeySink, WordSink};
use super::typed::Typed;

/// The type of the bytes of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextType {
    pub(super) row: &'static KeyTypeRow,
    pub(in crate::key) detail: Detail,
}

/// The part of a type that others of its row do not share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::key) enum Detail {
    None,
    Style(NumberStyle),
    List(Arc<ValueList>),
    Zoned(Zoned),
    /// Characters of a code page of EBCDIC that are not those of page 037.
    Page(&'static [(u8, u8)]),
    /// The rank of each byte.
    Ranks(Arc<[u8; 256]>),
    Number(NumberType),
}

/// The fate of bytes that are not a value of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// All bytes are values.
    Text,
    /// Whatever can be read is taken; the rest is not looked at, unless checks are asked for.
    Loose,
    /// Everything that can be read is taken, without checks.
    Unchecked,
    /// Text that is a value as a whole, blanks at its ends aside.
    Strict,
    /// Bytes that are a value, blanks and all.
    StrictBytes,
}

/// The values of a type that are encoded without a call of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usual {
    /// Decimal numbers with these elements.
    Numbers(Grammar),
    /// Bytes as they are.
    Bytes,
    None,
}

/// The meaning of single bytes in a type that orders by bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteMeaning {
    /// Bytes stand for themselves.
    Plain,
    /// Characters of a code page.
    Page,
    /// Ranks of the user's own.
    Ranks,
}

/// The parts of a moment that days and times contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Day {
    pub has_date: bool,
    pub has_time: bool,
}

/// The traits of the values and keys of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::key) struct Traits {
    pub(super) class: Class,
    pub(super) usual: Usual,
    /// The meaning of bytes, if the type orders by bytes.
    pub alphabet: Option<ByteMeaning>,
    /// The parts of a moment that values contain, if they are days or times.
    pub(super) day: Option<Day>,
    /// True if the first word of a key distinguishes most values.
    pub(super) fills_word: bool,
    /// True if there are so few values that most records share theirs.
    pub(super) is_coarse: bool,
    /// True if neither the first byte of a value's key nor its complement is one of the two least
    /// and the two largest bytes. These can then mark text that is not a value.
    pub(super) spares_ends: bool,
    /// True if case is a part of values.
    pub has_case: bool,
    /// True if values are not text, so that blanks and ends of lines mean nothing in them.
    pub is_binary: bool,
    /// True if the order of values means nothing.
    pub is_shuffle: bool,
    /// True if it is suggested where keys of another type have no values.
    pub(super) is_suggested: bool,
}

impl Traits {
    /// Returns the traits of a class.
    pub(super) const fn of(class: Class) -> Self {
        Self {
            class,
            usual: Usual::None,
            alphabet: None,
            day: None,
            fills_word: false,
            is_coarse: false,
            spares_ends: false,
            has_case: matches!(class, Class::Text),
            is_binary: false,
            is_shuffle: false,
            is_suggested: false,
        }
    }

    /// Sets that the first word of a key distinguishes most values.
    pub(super) const fn fills_word(self) -> Self {
        Self { fills_word: true, ..self }
    }

    /// Adds that most records share their values.
    pub(super) const fn is_coarse(self) -> Self {
        Self { is_coarse: true, ..self }
    }

    /// Adds that the ends of the first byte are spared.
    pub(super) const fn spares_ends(self) -> Self {
        Self { spares_ends: true, ..self }
    }

    /// Adds that it is suggested where keys of another type have no values.
    pub(super) const fn is_suggested(self) -> Self {
        Self { is_suggested: true, ..self }
    }

    /// Returns whether every byte of a value counts, blanks and all.
    pub fn counts_blanks(self) -> bool {
        self.class == Class::StrictBytes
    }

    /// Returns whether values are bytes, which only records of bytes have.
    pub fn is_of_bytes(self) -> bool {
        self.counts_blanks()
            || matches!(self.alphabet, Some(ByteMeaning::Page | ByteMeaning::Ranks))
    }

    /// Returns whether values are plain decimal numbers.
    pub fn is_number(self) -> bool {
        matches!(self.usual, Usual::Numbers(_))
    }

    /// Returns whether values are plain numbers without a fraction.
    pub fn is_whole(self) -> bool {
        matches!(self.usual, Usual::Numbers(Grammar { takes_fraction: false, .. }))
    }
}

/// Names of a type in a key, as messages list them, with the type that each stands for. A part in
/// capitals stands for any text.
pub(super) type TypeNames = &'static [(&'static str, Detail)];

/// A type of keys. Most types read a value as a whole and implement `append`; those whose texts may
/// be long implement `append_content`, and those that order by bytes neither.
pub(super) trait KeyType {
    /// Its names; none if no key names it.
    const NAMES: TypeNames = &[];
    /// Description of the values, in words that follow "is not". A type that takes all bytes has
    /// no value only where the record is too short.
    const EXPECTED: &'static str = "in the record";
    /// The traits of its values and keys.
    const TRAITS: Traits;

    /// Appends the key of the value that is all of `text`, of strict types without blanks at its
    /// ends. Returns `None`, with nothing appended, where it is not a value of a strict type.
    #[inline]
    fn append<S: KeySink>(text: &[u8], of: &Typed, out: &mut S) -> Option<()> {
        Self::append_content(text.into(), of, out);
        Some(())
    }

    /// Appends the key of a value. Of text that is not a value, anything.
    #[inline]
    fn append_content<S: KeySink>(text: Content<'_>, of: &Typed, out: &mut S) {
        if Self::TRAITS.alphabet.is_some() {
            return append_text(text, of, out);
        }
        of.with_slice(text, |text| {
            Self::append(read(text, Self::TRAITS.class), of, out);
        });
    }

    /// Returns whether all of `text` is a value, of strict types without blanks at its ends.
    #[inline]
    fn is_value(text: &[u8], of: &Typed) -> bool {
        Self::append(text, of, &mut WordSink::new(0)).is_some()
    }

    /// Returns the description of the values of one of its types.
    fn expected(_: &Detail) -> String {
        Self::EXPECTED.to_owned()
    }

    /// Returns the order of two values that agree in their first `agreed` bytes, if it can be found
    /// without making keys.
    fn order_of(_: [&[u8]; 2], _: usize, _: &Typed) -> Option<Ordering> {
        None
    }

    /// Returns the byte from which two texts that agree in the first `agreed` bytes have to be
    /// compared; see [`Typed::restart`].
    fn restart(texts: &[Content<'_>; 2], agreed: usize, of: &Typed) -> usize {
        if Self::TRAITS.alphabet.is_some() { restart_of(texts, agreed, of) } else { 0 }
    }

    /// Appends the key of a number that a person wrote, where values are not written as text is.
    /// Returns `None` where values are.
    fn append_number(_: &str, _: &Typed, _: &mut BufferSink<'_>) -> Option<bool> {
        None
    }

    /// Returns the byte that each byte sorts as, if not as itself. `upper` has the capital of each
    /// where case does not count.
    fn table(_: &Detail, _: Option<&[u8; 256]>) -> Option<[u8; 256]> {
        None
    }
}

/// Returns the bytes of a text that a type of this class reads.
#[inline]
fn read(text: &[u8], class: Class) -> &[u8] {
    if class == Class::Strict { trimmed(text) } else { text }
}

/// The key of a value, appended to a sink of one kind.
type Append<S> = fn(Content<'_>, &Typed, &mut S);

/// The byte that each byte sorts as.
type TableOf = fn(&Detail, Option<&[u8; 256]>) -> Option<[u8; 256]>;

/// A type of keys as its names, its traits and its functions.
pub struct KeyTypeRow {
    pub(in crate::key) names: TypeNames,
    pub(in crate::key) traits: Traits,
    /// Full name of the type that implements it: tells rows apart.
    id: fn() -> &'static str,
    pub(super) expected: fn(&Detail) -> String,
    pub(super) is_value: fn(Content<'_>, &Typed) -> bool,
    pub(super) order_of: fn([&[u8]; 2], usize, &Typed) -> Option<Ordering>,
    pub(super) restart: fn(&[Content<'_>; 2], usize, &Typed) -> usize,
    pub(super) append_number: fn(&str, &Typed, &mut BufferSink<'_>) -> Option<bool>,
    pub(super) table: TableOf,
    pub(super) append_word: Append<WordSink>,
    pub(super) append_few: Append<FewSink>,
    pub(super) append_buffer: fn(Content<'_>, &Typed, &mut BufferSink<'_>),
    pub(super) append_block: Append<BlockSink>,
}

impl KeyTypeRow {
    const fn of<T: KeyType>() -> Self {
        Self {
            names: T::NAMES,
            traits: T::TRAITS,
            id: std::any::type_name::<T>,
            expected: T::expected,
            is_value: |text, of| {
                of.with_slice(text, |text| T::is_value(read(text, T::TRAITS.class), of))
            },
            order_of: T::order_of,
            restart: T::restart,
            append_number: T::append_number,
            table: T::table,
            append_word: T::append_content::<WordSink>,
            append_few: T::append_content::<FewSink>,
            append_buffer: |text, of, out| T::append_content(text, of, out),
            append_block: T::append_content::<BlockSink>,
        }
    }

    /// Returns the row of a type.
    pub(super) const fn row<T: KeyType>() -> &'static Self {
        const { &Self::of::<T>() }
    }

    /// Returns its only type, or the first.
    pub(super) const fn only(&'static self) -> TextType {
        TextType { row: self, detail: Detail::None }
    }

    /// Returns its first name.
    pub(in crate::key) fn name(&self) -> &'static str {
        self.names.first().map_or("", |(name, _)| name)
    }
}

impl TextType {
    /// Returns the type that a word names, in any case, and the name. A list or a sequence has no
    /// values yet.
    pub(in crate::key) fn named(word: &str) -> Option<(&'static str, Self)> {
        let is_it = |name: &str| {
            let open = name.find(|letter: char| letter.is_ascii_uppercase());
            let length = open.unwrap_or(word.len());
            word.get(..length)
                .is_some_and(|word| word.eq_ignore_ascii_case(&name[..open.unwrap_or(name.len())]))
        };
        super::encode::TYPES.iter().find_map(|row| {
            let (name, detail) = row.names.iter().find(|(name, _)| is_it(name))?;
            Some((*name, Self { row, detail: detail.clone() }))
        })
    }

    /// Returns the traits of its values and keys.
    #[inline]
    pub(in crate::key) const fn traits(&self) -> Traits {
        self.row.traits
    }

    /// Returns the meaning of bytes, if it orders by bytes.
    pub fn alphabet(&self) -> Option<ByteMeaning> {
        self.row.traits.alphabet
    }

    /// Returns whether its values are days or times.
    pub fn is_day(&self) -> bool {
        self.row.traits.day.is_some()
    }
}

impl PartialEq for KeyTypeRow {
    fn eq(&self, other: &Self) -> bool {
        (self.id)() == (other.id)()
    }
}

impl Eq for KeyTypeRow {}

/// Shows the type alone: where the functions lie differs from run to run.
impl fmt::Debug for KeyTypeRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str((self.id)())
    }
}
