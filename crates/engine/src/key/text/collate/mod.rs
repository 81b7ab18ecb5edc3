//! Orders of text: the C library's, which is that of this machine, and Unicode's, which is the same
//! on every machine.
//!
//! | order | who has the data | for |
//! | --- | --- | --- |
//! | [`Locale`] | the C library of the machine | the same bytes as GNU sort |
//! | [`collation`] | this program, where the feature `icu` is on | results that can be repeated |

#[cfg(feature = "icu")]
mod unicode;

use std::sync::Arc;

use super::order::Collation;
use crate::error::{ConfigErrorKind, Result, config};
use crate::locale::{Locale, LocaleCategory};

impl Collation for Locale {
    fn append_key(&self, text: &[u8], limit: usize, out: &mut Vec<u8>) {
        Self::append_key(self, text, limit, out);
    }

    fn show_key(&self, text: &[u8], show: &mut dyn FnMut(&[u8]) -> bool) {
        Self::show_key(self, text, show);
    }

    fn piece_bytes(&self, piece: &[u8]) -> usize {
        self.key_memory(piece.len())
    }

    fn describe(&self) -> String {
        self.name(LocaleCategory::Collation)
    }
}

/// Returns the order of text of a locale by the Unicode collation algorithm, with data that this
/// program brings along: `de`, `sv-SE`, or with wishes as in `de-u-co-phonebk` and `en-u-kn`.
///
/// # Errors
///
/// [`Error::Config`](crate::Error::Config) for an unknown locale, and without the feature `icu` for
/// all locales.
pub fn collation(locale: &str) -> Result<Arc<dyn Collation>> {
    #[cfg(feature = "icu")]
    let order = unicode::Unicode::new(locale);
    #[cfg(feature = "icu")]
    return match order {
        Ok(order) => Ok(Arc::new(order)),
        Err(reason) => Err(config!(ConfigErrorKind::InvalidKey, "{}", reason)),
    };
    #[cfg(not(feature = "icu"))]
    Err(config!(
        ConfigErrorKind::Unsupported,
        "cannot sort text by locale '{}': sortwell was built without Unicode collation (the \
         feature icu)",
        locale,
    ))
}
