//! Rows are told apart in pieces as they are from the beginning, and as by a reader that goes byte
//! by byte: their ends, their cells, and quotes that should not be.
//!
//! The first byte chooses the separator, the second how long pieces are; the rest is the table.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sortwell::format::csv::{Dialect, Rows, first_end, is_odd, last_end};
use sortwell::format::{Framing, Tracker};

const QUOTE: u8 = b'"';

/// What the naive reader finds.
#[derive(Default)]
struct Naive {
    /// Behind each row end.
    ends: Vec<usize>,
    /// Of each row, the last one without an end among them: its cells, and the first quote or byte
    /// behind one that should not be where it is.
    rows: Vec<(usize, Option<usize>)>,
    /// Whether each byte, and the end, has an odd number of quotes before it.
    is_inside: Vec<bool>,
}

fn naive(separator: u8, text: &[u8]) -> Naive {
    let mut found = Naive::default();
    let (mut inside, mut cells, mut stray, mut start, mut opened) = (false, 1, None, 0, 0);
    for (at, &byte) in text.iter().enumerate() {
        found.is_inside.push(inside);
        // Whether the byte before closed a quote; one that a row begins with has none before it.
        let before = (at > start).then(|| text[at - 1]);
        let closed = !inside && before == Some(QUOTE);
        let is_end = byte == b'\n' && !inside;
        if byte == QUOTE {
            let may_open = closed || before.is_none_or(|before| before == separator);
            if !inside && !may_open {
                stray = stray.or(Some(at - start));
            }
            opened = at;
            inside = !inside;
        } else if closed {
            let is_return = byte == b'\r' && text.get(at + 1) == Some(&b'\n');
            if !(is_end || is_return || byte == separator) {
                stray = stray.or(Some(at - start));
            }
        }
        cells += usize::from(byte == separator && !inside);
        if is_end {
            found.ends.push(at + 1);
            found.rows.push((cells, stray));
            (cells, stray, start) = (1, None, at + 1);
        }
    }
    found.is_inside.push(inside);
    if start < text.len() {
        let open = inside.then(|| opened - start);
        found.rows.push((cells, stray.or(open)));
    }
    found
}

fuzz_target!(|data: &[u8]| {
    let [chosen, length, text @ ..] = data else { return };
    let separator = [b',', b';', b'\t', b'x'][usize::from(*chosen) % 4];
    let found = naive(separator, text);
    let ends_in = |from: usize, to: usize| {
        let mut ends = found.ends.iter().copied().filter(|end| (from + 1..=to).contains(end));
        let first = ends.next();
        first.map(|first| (first - from, ends.next_back().unwrap_or(first) - from))
    };

    // In pieces of varying length, as blocks arrive.
    let (mut trackers, mut at, mut step) = ([Tracker::new(Framing::Quoted(QUOTE)); 2], 0, 0);
    while at < text.len() {
        step = (step * 31 + usize::from(*length)) % 200 + 1;
        let end = (at + step).min(text.len());
        let piece = &text[at..end];
        let expected = ends_in(at, end);
        let (is_inside, is_inside_behind) = (found.is_inside[at], found.is_inside[end]);
        assert_eq!(is_odd(piece, QUOTE), is_inside != is_inside_behind);
        assert_eq!(trackers[0].pass(piece), Ok(expected));
        assert_eq!(trackers[1].pass_counted(piece, is_odd(piece, QUOTE)), Ok(expected));
        assert_eq!(first_end(QUOTE, piece, is_inside), expected.map(|(first, _)| first));
        assert_eq!(last_end(QUOTE, piece, is_inside_behind), expected.map(|(_, last)| last));
        at = end;
    }
    let lacks_end = !text.is_empty() && found.ends.last() != Some(&text.len());
    let is_closed = !found.is_inside[text.len()];
    assert_eq!(trackers[0].pass_end().ok(), is_closed.then_some(lacks_end));

    // From the beginning, and what the framing makes of it.
    let dialect = Dialect { separator, quote: Some(QUOTE) };
    let rows: Vec<_> = Rows::new(dialect, text).collect();
    let mut behind = 0;
    let ends = rows.iter().map(|row| {
        behind += row.bytes.len();
        behind
    });
    let last = lacks_end.then_some(text.len());
    assert!(ends.eq(found.ends.iter().copied().chain(last)));
    let seen: Vec<_> = rows.iter().map(|row| (row.cells, row.stray_quote)).collect();
    assert_eq!(seen, found.rows);
    let framing = Framing::Quoted(QUOTE);
    assert_eq!(framing.count(text), found.ends.len());
    assert_eq!(framing.whole_bytes(text), found.ends.last().copied().unwrap_or(0));
    assert_eq!(framing.whole_length(text), found.ends.first().copied());
});
