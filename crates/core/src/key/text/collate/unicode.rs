//! The Unicode collation algorithm with the data of CLDR, by ICU4X.
//!
//! Text that is not UTF-8 is no error: what cannot be read counts as U+FFFD, as Unicode wants it
//! (chapter 3.9, "U+FFFD Substitution of Maximal Subparts"). Texts that only differ in such bytes
//! are equal here, and for the last resort to tell apart.
//!
//! Keys are made no further than they are wanted: letters come first in them, accents and case
//! after all letters.

use std::fmt;

use icu_collator::options::CollatorOptions;
use icu_collator::preferences::CollationType;
use icu_collator::{CollationKeySink, CollatorBorrowed, CollatorPreferences};
use icu_locale::extensions::unicode::key;
use icu_locale::{LanguageIdentifier, Locale, LocaleExpander, TransformResult};

use super::super::order::Collation;

/// The version of CLDR whose data is compiled in.
const CLDR: &str = icu_collator_data::cldr_tag!();

/// The order of one locale.
pub(super) struct Unicode {
    locale: Locale,
    collator: CollatorBorrowed<'static>,
}

impl Unicode {
    /// The order of the locale that `name` says; else what is wrong with it.
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
        if let Some(wished) = locale.extensions.unicode.keywords.get(&key!("co"))
            && CollationType::try_from(wished).is_err()
        {
            return Err(format!(
                "locale '{name}' asks for the order '{wished}', which is none; some are phonebk, \
                 trad, pinyin and stroke"
            ));
        }
        let preferences = CollatorPreferences::from(&locale);
        let collator = CollatorBorrowed::try_new(preferences, CollatorOptions::default())
            .map_err(|error| format!("cannot sort text by locale '{name}': {error}"))?;
        Ok(Self { locale, collator })
    }
}

/// Whether a language is one: then it is known how it is written. `und` stands for all of them.
fn is_known(id: &LanguageIdentifier) -> bool {
    let mut language = LanguageIdentifier::from(id.language);
    id.language.is_unknown()
        || LocaleExpander::new_extended().maximize(&mut language) == TransformResult::Modified
}

impl Collation for Unicode {
    fn append_key(&self, text: &[u8], out: &mut Vec<u8>) {
        self.append_beginning(text, usize::MAX, out);
    }

    fn append_beginning(&self, text: &[u8], limit: usize, out: &mut Vec<u8>) {
        let limit = out.len().saturating_add(limit);
        // The only error is that there is enough.
        let _ = self.collator.write_sort_key_utf8_to(text, &mut Beginning { out, limit });
    }

    fn describe(&self) -> String {
        format!("icu {} (CLDR {CLDR})", self.locale)
    }
}

impl fmt::Debug for Unicode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unicode").field("locale", &self.locale).finish_non_exhaustive()
    }
}

/// Takes a key until it is long enough.
struct Beginning<'a> {
    out: &'a mut Vec<u8>,
    limit: usize,
}

/// There is enough of the key.
struct Enough;

impl CollationKeySink for Beginning<'_> {
    type Error = Enough;
    type State = ();
    type Output = ();

    fn write(&mut self, (): &mut (), bytes: &[u8]) -> Result<(), Enough> {
        self.out.extend_from_slice(bytes);
        if self.out.len() >= self.limit { Err(Enough) } else { Ok(()) }
    }

    fn finish(&mut self, (): ()) -> Result<(), Enough> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
