//! The Unicode collation algorithm with the data of CLDR, by ICU4X.
//!
//! Text that is not UTF-8 is no error: what cannot be read counts as U+FFFD, as Unicode wants it
//! (chapter 3.9, "U+FFFD Substitution of Maximal Subparts"). Texts that only differ in such bytes
//! are equal here, and for the last resort to tell apart.
//!
//! Settings in the name of a locale, after its language, go to the collator or are refused
//! (`keywords`). Text that differs only beyond the strength asked for has equal keys.
//!
//! Keys are made no further than they are wanted: letters come first in them, accents and case
//! after all letters.

mod keywords;

use std::cmp::Ordering;
use std::fmt;

use icu_collator::options::{AlternateHandling, CaseLevel};
use icu_collator::preferences::CollationNumericOrdering;
use icu_collator::{CollationKeySink, CollatorBorrowed, CollatorPreferences};
use icu_locale::extensions::unicode::{key, value};
use icu_locale::{LanguageIdentifier, Locale, LocaleExpander, TransformResult};
use icu_normalizer::properties::CanonicalCombiningClassMapBorrowed;

use super::super::order::Collation;

/// The version of CLDR whose data is compiled in.
const CLDR: &str = icu_collator_data::cldr_tag!();

/// The order of one locale.
pub(super) struct Unicode {
    locale: Locale,
    collator: CollatorBorrowed<'static>,
    /// True if the collator's comparison has the order of its keys.
    compares_like_keys: bool,
}

impl Unicode {
    /// Creates the order of the locale called `name`, or returns what is wrong with the name.
    pub fn new(name: &str) -> Result<Self, String> {
        let locale: Locale = name.parse().map_err(|_| {
            format!(
                "'{name}' is not the name of a locale; write a language as in de, sv-SE or \
                 de-u-co-phonebk"
            )
        })?;
        if !is_known(&locale.id) {
            return Err(format!("no language is called '{}'; write locale=de", locale.id.language));
        }
        let options = keywords::options(name, &locale)?;
        let preferences = CollatorPreferences::from(&locale);
        let collator = CollatorBorrowed::try_new(preferences, options)
            .map_err(|error| format!("cannot sort text by locale '{name}': {error}"))?;
        let mut order = Self { locale, collator, compares_like_keys: false };
        let differs = order.is_shifted() || order.is_backward() || order.has_emoji();
        order.compares_like_keys = !differs;
        Ok(order)
    }

    /// Returns whether punctuation or the like is ignored. A mark after it then counts in
    /// comparisons of ICU4X 2.4, but not in keys.
    fn is_shifted(&self) -> bool {
        self.collator.resolved_options().alternate_handling == AlternateHandling::Shifted
    }

    /// Returns whether emoji have an order of their own. Comparisons of ICU4X 2.4 then skip an
    /// equal beginning that ends within an emoji: between a digit and its enclosing keycap.
    fn has_emoji(&self) -> bool {
        let order = self.locale.extensions.unicode.keywords.get(&key!("co"));
        order.is_some_and(|order| *order == value!("emoji"))
    }

    /// Returns whether accents count from the end of the text, as in Canadian French. Comparisons
    /// of ICU4X 2.4 then order sequences of rare marks in another way than keys.
    fn is_backward(&self) -> bool {
        let [first, last] = ["\u{e0}a", "a\u{e0}"].map(|text| {
            let mut key = Vec::new();
            self.append_key(text.as_bytes(), usize::MAX, &mut key);
            key
        });
        first < last
    }
}

/// Returns whether a language is one: then it is known how it is written. `und` stands for all of
/// them.
fn is_known(id: &LanguageIdentifier) -> bool {
    let mut language = LanguageIdentifier::from(id.language);
    id.language.is_unknown()
        || LocaleExpander::new_extended().maximize(&mut language) == TransformResult::Modified
}

impl Collation for Unicode {
    fn append_key(&self, text: &[u8], limit: usize, out: &mut Vec<u8>) {
        let limit = out.len().saturating_add(limit);
        self.show_key(text, &mut |bytes| {
            out.extend_from_slice(bytes);
            out.len() < limit
        });
    }

    fn show_key(&self, text: &[u8], show: &mut dyn FnMut(&[u8]) -> bool) {
        // The only error is that there is enough.
        let _ = self.collator.write_sort_key_utf8_to(text, &mut Shown(show));
    }

    fn piece_bytes(&self, piece: &[u8]) -> usize {
        // The collator holds all levels but the first until the text is at its end.
        let (mut bytes, mut is_later) = (0, false);
        self.show_key(piece, &mut |shown| {
            is_later |= shown == [LEVEL_END];
            bytes += if is_later { shown.len() } else { 0 };
            true
        });
        // The case level is held in twice as many bytes as it is written in.
        let has_cases = self.collator.resolved_options().case_level == CaseLevel::On;
        (1 + usize::from(has_cases)) * bytes + self.held_bytes(piece)
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Option<Ordering> {
        self.compares_like_keys.then(|| self.collator.compare_utf8(a, b))
    }

    fn describe(&self) -> String {
        format!("icu {} (CLDR {CLDR})", self.locale)
    }
}

impl Unicode {
    /// Returns the number of bytes that the collator holds of a piece of text in addition to
    /// levels.
    fn held_bytes(&self, piece: &[u8]) -> usize {
        let is_numeric = self.collator.resolved_options().numeric == CollationNumericOrdering::True;
        let classes = CanonicalCombiningClassMapBorrowed::new();
        let (mut held, mut marks, mut digits) = (0, 0, 0);
        for character in String::from_utf8_lossy(piece).chars() {
            let is_mark = !character.is_ascii() && classes.get_u8(character) != 0;
            marks = if is_mark { marks + 1 } else { 0 };
            digits = if is_numeric && character.is_numeric() { digits + 1 } else { 0 };
            held += usize::from(marks > MARKS_USUAL || digits > DIGITS_USUAL);
        }
        held * HELD_BYTES
    }
}

impl fmt::Debug for Unicode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unicode").field("locale", &self.locale).finish_non_exhaustive()
    }
}

/// Takes a key as long as it is wanted.
struct Shown<'a>(&'a mut dyn FnMut(&[u8]) -> bool);

impl CollationKeySink for Shown<'_> {
    type Error = Enough;
    type State = ();
    type Output = ();

    fn write(&mut self, (): &mut (), bytes: &[u8]) -> Result<(), Enough> {
        if self.0(bytes) { Ok(()) } else { Err(Enough) }
    }

    fn finish(&mut self, (): ()) -> Result<(), Enough> {
        Ok(())
    }
}

/// There is enough of the key.
struct Enough;

/// Ends a level; no weight has such a byte.
const LEVEL_END: u8 = 1;

/// Marks that follow each other in text as people write it, at most (Unicode Standard Annex 15,
/// "Stream-Safe Text Format").
const MARKS_USUAL: usize = 30;

/// Bytes that the collator holds of each character of a longer sequence of marks, which it brings
/// into order before anything is written; and of each digit, where numbers count by their value.
const HELD_BYTES: usize = 24;

/// Digits of the longest numbers that are short.
const DIGITS_USUAL: usize = 256;

#[cfg(test)]
mod tests;
