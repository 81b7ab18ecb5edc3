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
//! Invariant: a table is used only where [`Levels::new`] found, by comparing texts of a
//! list with each other both ways, that keys and the library agree.

use std::cmp::Ordering;
use std::ops::Range;

use super::codes::Codes;
use super::weights::{Element, LEVELS_MAX, Weights};

/// Byte that ends a level. All weights are greater, so that a text ends before every longer one.
const LEVEL_END: u8 = 1;

/// Addition of a byte to the first level.
#[derive(Clone, Copy, Debug)]
struct ByteCode {
    code: u8,
    /// Number of codes, 0 or 1; otherwise [`LOOKED_UP`] or [`PIECE_END`].
    count: u8,
}

/// The count of a byte whose element has to be looked up.
const LOOKED_UP: u8 = 2;

/// The count of a byte that ends a piece.
const PIECE_END: u8 = 3;

/// Bytes of the characters of a range at most: those of a character in any encoding, and more.
const RANGE_BYTES_MAX: usize = 16;

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

/// Data that a sort uses of a locale's tables.
#[derive(Debug)]
pub(super) struct Levels {
    weights: Weights,
    /// Codes of weights at the first level.
    codes: Codes,
    /// Codes of bytes that are elements by themselves.
    first_level: Box<[ByteCode; 256]>,
    /// Levels at which any character is taken backwards.
    has_backward: [bool; LEVELS_MAX],
    /// True if the last but one of a run taken backwards is passed over.
    passes_over: bool,
}

impl Levels {
    /// Levels by `weights`, if their keys stand in the order of `compare`.
    pub fn new(weights: Weights, compare: impl Fn(&[u8], &[u8]) -> Ordering) -> Option<Self> {
        let mut first_level = Box::new([ByteCode { code: 0, count: LOOKED_UP }; 256]);
        first_level[0].count = PIECE_END;
        let singles = (1..0x80).filter_map(|byte| weights.single(byte));
        let codes = Codes::of(singles.map(|element| weights.weight(element, 0)));
        let mut has_backward = [false; LEVELS_MAX];
        for byte in 1..=u8::MAX {
            let Some(element) = weights.single(byte) else { continue };
            let mut coded = Vec::new();
            codes.append(weights.weight(element, 0), &mut coded);
            match coded[..] {
                [] => first_level[usize::from(byte)].count = 0,
                [code] => first_level[usize::from(byte)] = ByteCode { code, count: 1 },
                _ => {}
            }
            for (level, has) in has_backward.iter_mut().enumerate().take(weights.levels()) {
                *has |= weights.is_backward(element, level);
            }
        }
        let mut levels = Self { weights, codes, first_level, has_backward, passes_over: false };
        [false, true].into_iter().find(|passes_over| {
            levels.passes_over = *passes_over;
            !levels.has_backward[0] && levels.agrees(&compare)
        })?;
        Some(levels)
    }

    /// Returns whether [`PROBES`], put in the order of their keys, stand in that of `compare`.
    /// Comparing neighbours is enough: the library walks each text by itself, so that its order is
    /// one, though not always the one that was meant.
    fn agrees(&self, compare: impl Fn(&[u8], &[u8]) -> Ordering) -> bool {
        let mut probes = PROBES.map(|text| {
            let mut key = Vec::new();
            self.append_key(text, &mut KeyOut::beginning(&mut key, usize::MAX));
            (key, text)
        });
        probes.sort_unstable();
        probes.windows(2).all(|pair| match pair {
            [(key_a, a), (key_b, b)] => compare(a, b) == key_a.cmp(key_b),
            _ => true,
        })
    }

    /// Appends the key of a text up to its first NUL, as far as it is wanted. Returns the number of
    /// bytes before the NUL; where no more is wanted, perhaps fewer.
    pub fn append_key(&self, text: &[u8], out: &mut KeyOut<'_>) -> usize {
        let length = self.append_first_level(text, out);
        let text = &text[..length];
        if text.is_empty() {
            return length;
        }
        let mut elements = Elements::default();
        for level in 1..self.weights.levels() {
            if !out.is_wanted() {
                return length;
            }
            out.key.push(LEVEL_END);
            let mut out = Level { weights: &self.weights, level, ignored: None, out };
            if self.weights.counts_ignored(level) {
                out.ignored = Some(0);
            }
            if self.has_backward[level] {
                self.append_both_ways(text, &mut elements, &mut out);
            } else {
                out.append_forward(text);
            }
        }
        length
    }

    /// Appends the first level, which decides most comparisons and never runs backwards, up to the
    /// first NUL, and returns where it stopped. Codes of bytes are collected in a block, each with
    /// a store and no branch on whether the byte is ignored.
    fn append_first_level(&self, text: &[u8], out: &mut KeyOut<'_>) -> usize {
        let mut rest = text;
        while !rest.is_empty() && out.is_wanted() {
            let (mut block, mut filled, mut passed) = ([0; BLOCK_BYTES], 0, 0);
            let room = BLOCK_BYTES.min(out.limit - out.key.len());
            let mut special = None;
            for &byte in rest.iter().take(room) {
                let ByteCode { code, count } = self.first_level[usize::from(byte)];
                if count >= LOOKED_UP {
                    special = Some(count);
                    break;
                }
                block[filled] = code;
                filled += usize::from(count);
                passed += 1;
            }
            out.key.extend_from_slice(&block[..filled]);
            rest = &rest[passed..];
            match special {
                None => {}
                Some(PIECE_END) => break,
                Some(_) => {
                    let (element, bytes) = self.weights.element(up_to_nul(rest));
                    self.codes.append(self.weights.weight(element, 0), out.key);
                    rest = &rest[bytes..];
                }
            }
        }
        text.len() - rest.len()
    }

    /// Appends a level at which some characters run backwards.
    fn append_both_ways(&self, text: &[u8], elements: &mut Elements, out: &mut Level<'_, '_>) {
        let mut run = BackwardRun::default();
        let mut rest = text;
        while !rest.is_empty() && out.out.is_wanted() {
            let (here, (element, bytes)) = (rest, self.weights.element(rest));
            rest = &rest[bytes..];
            let is_backward = self.weights.is_backward(element, out.level);
            let has_weight = !self.weights.weight(element, out.level).is_empty();
            if is_backward || run.backward == 0 && !has_weight {
                run.text = if run.passed + run.backward == 0 { here } else { run.text };
            }
            if is_backward {
                (run.backward, run.last) = (run.backward + 1, Some(element));
                continue;
            }
            if run.backward == 0 && !has_weight {
                run.passed += 1;
            } else {
                self.append_run(&run, true, elements, out);
                run = BackwardRun::default();
            }
            out.append(element);
        }
        self.append_run(&run, false, elements, out);
    }

    /// Appends a run of characters from its end, the way the library does.
    fn append_run(
        &self,
        run: &BackwardRun<'_>,
        is_inner: bool,
        elements: &mut Elements,
        out: &mut Level<'_, '_>,
    ) {
        let Some(last) = run.last else { return };
        if !self.passes_over {
            let all = run.passed..run.passed + run.backward;
            return elements.append_reversed(run.text, all, out);
        }
        out.append(last);
        // The others are counted from where the library looked last, before what it passed.
        let others = (run.backward - 1).saturating_sub(usize::from(is_inner));
        elements.append_reversed(run.text, 0..others, out);
    }
}

/// Returns text of which the first element is that of `text`: no element holds a NUL, but a range
/// of some might be taken to.
fn up_to_nul(text: &[u8]) -> &[u8] {
    let near = &text[..text.len().min(RANGE_BYTES_MAX)];
    near.iter().position(|&byte| byte == 0).map_or(text, |nul| &text[..nul])
}

/// Characters that are taken backwards, and those right before them that were passed over.
#[derive(Default)]
struct BackwardRun<'a> {
    /// The text from the first of them on.
    text: &'a [u8],
    /// Forward characters without weight right before the others.
    passed: usize,
    /// Characters taken backwards.
    backward: usize,
    /// The last of these.
    last: Option<Element>,
}

/// Characters of a long run that are held at once.
const HELD: usize = 4096;

/// Space for a part of a run, and where each part begins.
#[derive(Default)]
struct Elements {
    held: Vec<Element>,
    parts: Vec<usize>,
}

impl Elements {
    /// Appends the characters of `text` with numbers in `range`, the last first. A long run is
    /// walked twice, so that no more than a part of it is held.
    fn append_reversed(&mut self, text: &[u8], range: Range<usize>, out: &mut Level<'_, '_>) {
        self.parts.clear();
        let mut at = 0;
        for number in 0..range.end {
            if number % HELD == 0 {
                self.parts.push(at);
                if range.end - number <= HELD {
                    break;
                }
            }
            at += out.weights.element(&text[at..]).1;
        }
        for (part, start) in self.parts.iter().enumerate().rev() {
            let first = part * HELD;
            let mut rest = &text[*start..];
            self.held.clear();
            self.held.extend((first..range.end.min(first + HELD)).map(|_| {
                let (element, bytes) = out.weights.element(rest);
                rest = &rest[bytes..];
                element
            }));
            let wanted = self.held.get(range.start.saturating_sub(first)..).unwrap_or_default();
            wanted.iter().rev().for_each(|element| out.append(*element));
            if !out.out.is_wanted() {
                return;
            }
        }
    }
}

/// Destination of a key: a buffer for as much as is wanted, or a buffer that is read piece by
/// piece.
pub struct KeyOut<'a> {
    pub key: &'a mut Vec<u8>,
    /// Bytes of the buffer from which on no more is wanted, or it is shown.
    limit: usize,
    show: Option<&'a mut Show<'a>>,
}

/// Looks at a piece of a key, and says whether it wants more.
type Show<'a> = dyn FnMut(&[u8]) -> bool + 'a;

/// Bytes that are shown at once.
const SHOWN_BYTES: usize = 16 << 10;

impl<'a> KeyOut<'a> {
    /// Takes the first `limit` bytes, and perhaps more.
    pub fn beginning(key: &'a mut Vec<u8>, limit: usize) -> Self {
        Self { limit: key.len().saturating_add(limit), key, show: None }
    }

    /// Shows all pieces to `show`, until that says that it wants no more.
    pub fn shown(key: &'a mut Vec<u8>, show: &'a mut dyn FnMut(&[u8]) -> bool) -> Self {
        Self { limit: SHOWN_BYTES, key, show: Some(show) }
    }

    /// Returns whether more is wanted.
    #[inline]
    pub fn is_wanted(&mut self) -> bool {
        self.key.len() < self.limit || self.flush()
    }

    /// Shows what there is. Whether more is wanted.
    #[cold]
    pub fn flush(&mut self) -> bool {
        let Some(show) = &mut self.show else { return false };
        if self.limit > 0 && !show(self.key) {
            self.limit = 0;
        }
        self.key.clear();
        self.limit > 0
    }
}

/// A level of a key, being written.
struct Level<'a, 'o> {
    weights: &'a Weights,
    level: usize,
    /// Characters without a weight since the last that had one, where they count.
    ignored: Option<usize>,
    out: &'a mut KeyOut<'o>,
}

impl Level<'_, '_> {
    fn append_forward(&mut self, text: &[u8]) {
        let mut rest = text;
        while !rest.is_empty() && self.out.is_wanted() {
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
            append_count(std::mem::take(ignored), self.out.key);
        }
        self.out.key.extend_from_slice(weight);
    }
}

/// Appends a count so that larger ones sort later, in bytes above [`LEVEL_END`].
fn append_count(count: usize, key: &mut Vec<u8>) {
    const DIGITS: usize = (u8::MAX - LEVEL_END - 1) as usize;
    key.extend(std::iter::repeat_n(u8::MAX, count / DIGITS));
    key.push(LEVEL_END + 1 + (count % DIGITS) as u8);
}
