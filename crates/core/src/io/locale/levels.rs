//! Keys in the order of the C library's comparison, made from its own tables, level by level.
//!
//! ```text
//!     "a-B"   51 5e 01   02 02 01   02 07 01   02 e2 94 92   02 c7 9c   02 e2 ac 8e
//!             letters    accents    case       the rest: weights, each behind the number of
//!                                              characters without one before it (here always none)
//! ```
//!
//! They are made from the front and no further than they are asked for: the first word of a line's
//! key looks at eight letters, where a key of `strxfrm_l` costs all levels of all letters. And they
//! agree with `strcoll_l` where keys of `strxfrm_l` do not. Levels may take runs of characters
//! backwards (in most of glibc's UTF-8 locales: accents of digits, blanks and signs, but not of
//! letters), and where such a run is followed by any other character, `strcoll_l` from glibc 2.28
//! on at least to 2.36 passes over the last character but one of the run. So `"1 a"` comes before
//! `" 1a"`: the blank never had an accent to compare, and the digit, which had, is passed over. And
//! where characters without any accent weight (Chinese ones) stand right before a run, it counts
//! the characters of the run from the first of these.
//!
//! What must stay true: a table is used only where [`Levels::new`] found, by comparing texts of a
//! list with each other both ways, that keys and the library agree.

use std::cmp::Ordering;

use super::weights::{Element, LEVELS_MAX, Weights};

/// Ends a level. All weights are greater, so that a text ends before every longer one.
const LEVEL_END: u8 = 1;

/// Bytes of a weight that a table of single bytes keeps: the first level of letters takes 1 or 2.
const KEPT_BYTES: usize = 3;

/// Bytes of the first level that are written at once.
const BLOCK_BYTES: usize = 64;

/// Texts that show what a library does: runs that are taken backwards in front of letters, levels
/// one by one, several letters as one, ranges, and bytes that are no characters.
pub(super) const PROBES: [&[u8]; 38] = [
    b"a",
    b"A",
    b"b",
    b"ab",
    b"aB",
    b"a b",
    b" ab",
    b"ab ",
    b"a-b",
    b"1",
    b" 1a",
    b"1 a",
    b"1a ",
    b"12a",
    b"1 2a",
    b"1  a",
    b"- 1 a2",
    b"a 1-b 2c",
    b"-1",
    b"+1",
    b"$1",
    b"\xff",
    b"a\x80b",
    b"\xc3",
    "é".as_bytes(),
    "é1".as_bytes(),
    "1é".as_bytes(),
    "e1é".as_bytes(),
    "ß".as_bytes(),
    "l·l".as_bytes(),
    "漢字".as_bytes(),
    "한".as_bytes(),
    "²1a".as_bytes(),
    "1²a".as_bytes(),
    "漢1 ".as_bytes(),
    "(漢1 ".as_bytes(),
    "漢漢1 2a".as_bytes(),
    "-漢漢1 2a".as_bytes(),
];

/// What a sort knows of a locale's tables.
#[derive(Debug)]
pub(super) struct Levels {
    weights: Weights,
    /// Weights at the first level of bytes that are elements by themselves: the number of bytes,
    /// then these; more than [`KEPT_BYTES`] where they have to be looked up.
    first_level: Box<[[u8; KEPT_BYTES + 1]; 256]>,
    /// Levels at which any character is taken backwards.
    has_backward: [bool; LEVELS_MAX],
    /// Whether the last but one of a run taken backwards is passed over.
    passes_over: bool,
}

impl Levels {
    /// Levels by `weights`, if their keys stand in the order of `compare`.
    pub fn new(weights: Weights, compare: impl Fn(&[u8], &[u8]) -> Ordering) -> Option<Self> {
        let mut first_level = Box::new([[u8::MAX; KEPT_BYTES + 1]; 256]);
        let mut has_backward = [false; LEVELS_MAX];
        for byte in 1..=u8::MAX {
            let Some(element) = weights.single(byte) else { continue };
            let weight = weights.weight(element, 0);
            if let [length, kept @ ..] = &mut first_level[usize::from(byte)]
                && let Some(kept) = kept.get_mut(..weight.len())
            {
                *length = weight.len() as u8;
                kept.copy_from_slice(weight);
            }
            for (level, has) in has_backward.iter_mut().enumerate().take(weights.levels()) {
                *has |= weights.is_backward(element, level);
            }
        }
        let mut levels = Self { weights, first_level, has_backward, passes_over: false };
        [false, true].into_iter().find(|passes_over| {
            levels.passes_over = *passes_over;
            !levels.has_backward[0] && levels.agrees(&compare)
        })?;
        Some(levels)
    }

    /// Whether [`PROBES`], put in the order of their keys, stand in that of `compare`. Neighbours
    /// tell: the library walks each text by itself, so that its order is one, though not always the
    /// one that was meant.
    fn agrees(&self, compare: impl Fn(&[u8], &[u8]) -> Ordering) -> bool {
        let mut probes = PROBES.map(|text| {
            let mut key = Vec::new();
            self.append_key(text, usize::MAX, &mut key);
            (key, text)
        });
        probes.sort_unstable();
        probes.windows(2).all(|pair| match pair {
            [(key_a, a), (key_b, b)] => compare(a, b) == key_a.cmp(key_b),
            _ => true,
        })
    }

    /// Appends the first `limit` bytes of the key of a text without NULs, and perhaps more.
    pub fn append_key(&self, text: &[u8], limit: usize, key: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        let limit = key.len().saturating_add(limit);
        self.append_first_level(text, limit, key);
        for level in 1..self.weights.levels() {
            if key.len() >= limit {
                return;
            }
            key.push(LEVEL_END);
            let mut out = Level { weights: &self.weights, level, ignored: None, limit, key };
            if self.weights.counts_ignored(level) {
                out.ignored = Some(0);
            }
            if self.has_backward[level] {
                self.append_both_ways(text, &mut out);
            } else {
                out.append_forward(text);
            }
        }
    }

    /// Appends the first level, which decides most comparisons and never runs backwards. Weights of
    /// a byte or two are collected in a block: a copy of unknown length costs more than all else.
    fn append_first_level(&self, text: &[u8], limit: usize, key: &mut Vec<u8>) {
        let mut block = [0; BLOCK_BYTES];
        let mut filled = 0;
        let mut rest = text;
        while let Some(&byte) = rest.first() {
            let [length, kept @ ..] = &self.first_level[usize::from(byte)];
            let length = usize::from(*length);
            if length <= KEPT_BYTES {
                block[filled..filled + KEPT_BYTES].copy_from_slice(kept);
                filled += length;
                rest = &rest[1..];
                if filled <= BLOCK_BYTES - KEPT_BYTES && key.len() + filled < limit {
                    continue;
                }
            }
            key.extend_from_slice(&block[..filled]);
            filled = 0;
            if length > KEPT_BYTES {
                let (element, bytes) = self.weights.element(rest);
                key.extend_from_slice(self.weights.weight(element, 0));
                rest = &rest[bytes..];
            }
            if key.len() >= limit {
                return;
            }
        }
        key.extend_from_slice(&block[..filled]);
    }

    /// Appends a level at which some characters run backwards.
    fn append_both_ways(&self, text: &[u8], out: &mut Level<'_>) {
        // Forward characters without weight right before the run.
        let mut passed: Vec<Element> = Vec::new();
        let mut run: Vec<Element> = Vec::new();
        let mut rest = text;
        while !rest.is_empty() && out.is_wanted() {
            let (element, bytes) = self.weights.element(rest);
            rest = &rest[bytes..];
            if self.weights.is_backward(element, out.level) {
                run.push(element);
                continue;
            }
            let has_weight = !self.weights.weight(element, out.level).is_empty();
            if run.is_empty() && !has_weight {
                passed.push(element);
            } else {
                self.append_run(&passed, &run, true, out);
                passed.clear();
                run.clear();
            }
            out.append(element);
        }
        self.append_run(&passed, &run, false, out);
    }

    /// Appends a run of characters from its end, the way the library does.
    fn append_run(&self, passed: &[Element], run: &[Element], is_inner: bool, out: &mut Level<'_>) {
        if !self.passes_over {
            run.iter().rev().for_each(|element| out.append(*element));
            return;
        }
        let Some(last) = run.last() else { return };
        out.append(*last);
        // The others are counted from where the library looked last, before what it passed.
        let others = (run.len() - 1).saturating_sub(usize::from(is_inner));
        for index in (0..others).rev() {
            let counted = passed.iter().chain(run).nth(index);
            counted.into_iter().for_each(|element| out.append(*element));
        }
    }
}

/// A level of a key, being written.
struct Level<'a> {
    weights: &'a Weights,
    level: usize,
    /// Characters without a weight since the last that had one, where they count.
    ignored: Option<usize>,
    limit: usize,
    key: &'a mut Vec<u8>,
}

impl Level<'_> {
    fn is_wanted(&self) -> bool {
        self.key.len() < self.limit
    }

    fn append_forward(&mut self, text: &[u8]) {
        let mut rest = text;
        while !rest.is_empty() && self.is_wanted() {
            let (element, bytes) = self.weights.element(rest);
            self.append(element);
            rest = &rest[bytes..];
        }
    }

    #[inline]
    fn append(&mut self, element: Element) {
        let weight = self.weights.weight(element, self.level);
        if let Some(ignored) = &mut self.ignored {
            if weight.is_empty() {
                *ignored += 1;
                return;
            }
            append_count(std::mem::take(ignored), self.key);
        }
        self.key.extend_from_slice(weight);
    }
}

/// Appends a count so that larger ones sort later, in bytes above [`LEVEL_END`].
fn append_count(count: usize, key: &mut Vec<u8>) {
    const DIGITS: usize = (u8::MAX - LEVEL_END - 1) as usize;
    key.extend(std::iter::repeat_n(u8::MAX, count / DIGITS));
    key.push(LEVEL_END + 1 + (count % DIGITS) as u8);
}
