//! Collation tables of glibc, with the weights of characters at each level.
//!
//! glibc lends the tables of a locale by `nl_langinfo_l`, under names that its headers publish and
//! whose meaning has not changed since its version 2.3 (2002). Other C libraries have none of them.
//!
//! ```text
//!     table     [first byte]    index | rule << 24; where more bytes count, minus a place in extra
//!     extra     entries         index, bytes that follow (their number first); or a range of them
//!     indirect  [offset]        index | rule << 24 of each character in a range
//!     weights   [index]         for each level: the number of weight bytes, the bytes
//!     rulesets  [rule][level]   forward 1, backward 2, position 4
//! ```
//!
//! Invariant: nothing here is trusted before the maker of the tables has compared keys
//! made with them against the library's own comparison (`levels`).

use libc::locale_t;

/// Names in `nl_langinfo_l`: the number of levels, rulesets, table, weights, extra, indirect.
const ITEMS: [libc::nl_item; 6] = {
    let first = libc::LC_COLLATE << 16;
    [first, first + 1, first + 2, first + 3, first + 4, first + 5]
};

/// Bits of an index; the rule stands above them.
const INDEX_BITS: u32 = 24;

/// Alignment of entries of `extra`.
const ENTRY_ALIGNMENT: usize = 4;

/// Levels that any locale of glibc has at most.
pub(super) const LEVELS_MAX: usize = 7;

const BACKWARD: u8 = 2;
const POSITION: u8 = 4;

/// The tables of one locale. They live as long as the locale object does, whose owner keeps this.
#[derive(Debug)]
pub(super) struct Weights {
    levels: usize,
    rulesets: *const u8,
    table: *const i32,
    weights: *const u8,
    extra: *const u8,
    indirect: *const i32,
}

// SAFETY: the tables are a file's pages that nobody writes to.
unsafe impl Send for Weights {}
// SAFETY: as above.
unsafe impl Sync for Weights {}

/// A character, or several that sort as one: where its weights are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element(u32);

impl Weights {
    /// Returns the tables of `locale`; `None` where it has none.
    ///
    /// # Safety
    ///
    /// `locale` must be a live locale object, and what is returned must not outlive it.
    pub unsafe fn of(locale: locale_t) -> Option<Self> {
        if !cfg!(target_env = "gnu") {
            return None;
        }
        // SAFETY: the caller says that the locale lives; items it does not know are empty strings.
        let [levels, rulesets, table, weights, extra, indirect] =
            ITEMS.map(|item| unsafe { libc::nl_langinfo_l(item, locale) });
        // The number of levels is an integer of four bytes in the place of a pointer.
        let levels = levels.addr() as u32 as usize;
        let tables = [rulesets, table, weights, extra, indirect];
        let is_whole = tables.iter().all(|at| !at.is_null() && at.addr() % ENTRY_ALIGNMENT == 0);
        ((1..=LEVELS_MAX).contains(&levels) && is_whole).then(|| Self {
            levels,
            rulesets: rulesets.cast(),
            table: table.cast(),
            weights: weights.cast(),
            extra: extra.cast(),
            indirect: indirect.cast(),
        })
    }

    /// Returns the number of levels that texts are compared by.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// Returns whether the level takes runs of this element and others like it from the end.
    pub fn is_backward(&self, element: Element, level: usize) -> bool {
        self.rule(element, level) & BACKWARD != 0
    }

    /// Returns whether at the level it counts how many elements without weight stand before one
    /// with any. It is the same for all elements.
    pub fn counts_ignored(&self, level: usize) -> bool {
        self.rule(Element(0), level) & POSITION != 0
    }

    fn rule(&self, element: Element, level: usize) -> u8 {
        let rule = (element.0 >> INDEX_BITS) as usize;
        // SAFETY: the table has a row of all levels for every rule that an element names.
        unsafe { *self.rulesets.add(rule * self.levels + level) }
    }

    /// Returns the weight of an element at a level; empty where the level ignores it.
    #[inline]
    pub fn weight(&self, element: Element, level: usize) -> &[u8] {
        let mut at = (element.0 & ((1 << INDEX_BITS) - 1)) as usize;
        for _ in 0..level {
            at += 1 + usize::from(self.weight_byte(at));
        }
        let length = usize::from(self.weight_byte(at));
        // SAFETY: the table holds `length` bytes behind each length; it lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.weights.add(at + 1), length) }
    }

    #[inline]
    fn weight_byte(&self, at: usize) -> u8 {
        // SAFETY: elements name places in the table, and lengths lead from there to others.
        unsafe { *self.weights.add(at) }
    }

    /// Returns the element of a byte, if the byte is one regardless of the bytes after it.
    #[inline]
    pub fn single(&self, byte: u8) -> Option<Element> {
        u32::try_from(self.first(byte)).ok().map(Element)
    }

    #[inline]
    fn first(&self, byte: u8) -> i32 {
        // SAFETY: the table has an entry for each byte.
        unsafe { *self.table.add(usize::from(byte)) }
    }

    /// Returns the first element of a text that is not empty, and its length. Of several that fit,
    /// the first in the list is meant; the last of each list fits always.
    pub fn element(&self, text: &[u8]) -> (Element, usize) {
        let Some((&byte, rest)) = text.split_first() else { return (Element(0), 1) };
        if let Some(element) = self.single(byte) {
            return (element, 1);
        }
        let mut at = self.first(byte).unsigned_abs() as usize;
        loop {
            let (index, bytes) = self.entry(at);
            let length = bytes.len();
            if index >= 0 {
                if rest.starts_with(bytes) {
                    return (Element(index as u32), 1 + length);
                }
                at += entry_bytes(length);
                continue;
            }
            // A range: bytes of its first, then bytes of its last character.
            let last = self.extra_bytes(at + 5 + length, length);
            if let Some(here) = rest.get(..length)
                && (bytes..=last).contains(&here)
            {
                let offset = range_offset(bytes, here);
                let place = index.unsigned_abs() as usize + offset;
                // SAFETY: the table has an entry for each character of each range.
                let index = unsafe { *self.indirect.add(place) };
                return (Element(index as u32), 1 + length);
            }
            at += entry_bytes(2 * length);
        }
    }

    /// Returns the index in the entry at `at`, and the bytes that have to follow.
    #[inline]
    fn entry(&self, at: usize) -> (i32, &[u8]) {
        // SAFETY: `at` is the place of an entry, which is aligned: an index and a number of bytes.
        let (index, length) =
            unsafe { (*self.extra.add(at).cast::<i32>(), *self.extra.add(at + 4)) };
        (index, self.extra_bytes(at + 5, usize::from(length)))
    }

    #[inline]
    fn extra_bytes(&self, at: usize, length: usize) -> &[u8] {
        // SAFETY: the entry that begins before `at` says that it holds these bytes.
        unsafe { std::slice::from_raw_parts(self.extra.add(at), length) }
    }
}

/// Returns the bytes of an entry with `bytes` bytes of characters: index, length, bytes, and
/// padding.
fn entry_bytes(bytes: usize) -> usize {
    4 + (1 + bytes).next_multiple_of(ENTRY_ALIGNMENT)
}

/// Returns the distance of a character from the first of its range, by the bytes that differ.
fn range_offset(first: &[u8], here: &[u8]) -> usize {
    let bytes = first.iter().zip(here).skip_while(|(first, here)| first == here);
    bytes.fold(0usize, |offset, (&first, &here)| {
        (offset << 8).wrapping_add(usize::from(here).wrapping_sub(usize::from(first)))
    })
}
