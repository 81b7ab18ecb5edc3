//! Orders of text: the C library's, by locale.

use super::order::Collation;
use crate::io::locale::{Category, Locale};

impl Collation for Locale {
    fn append_key(&self, text: &[u8], out: &mut Vec<u8>) {
        Self::append_key(self, text, usize::MAX, out);
    }

    fn append_beginning(&self, text: &[u8], limit: usize, out: &mut Vec<u8>) {
        Self::append_key(self, text, limit, out);
    }

    fn describe(&self) -> String {
        self.name(Category::Collation)
    }
}
