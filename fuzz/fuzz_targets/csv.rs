//! Rows are told apart in pieces as they are from the beginning, and as by a reader that goes byte
//! by byte: their ends, their cells, and quotes that should not be.
//!
//! The first byte chooses the separator, the second how long pieces are; the rest is the table.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sortwell_engine::format::csv::{Gap, Dialect, Quoting, Rows};
use sortwell_engine::format::{Framing, Passage, Tracker};

const QUOTE: u8 = b'"';
const QUOTING: Quoting = Quoting::Strict { quote: QUOTE };

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
    let (mut trackers, mut at, mut step) = ([Tracker::new(Framing::Quoted(QUOTING)); 2], 0, 0);
    while at < text.len() {
        step = (step * 31 + usize::from(*length)) % 200 + 1;
        let end = (at + step).min(text.len());
        let piece = &text[at..end];
        let expected = ends_in(at, end);
        let (is_inside, is_inside_behind) = (found.is_inside[at], found.is_inside[end]);
        let place = if is_inside { Gap::Quoted } else { Gap::Text };
        let passage = QUOTING.passage(piece);
        let (place_behind, ends) = QUOTING.pass(piece, place, &passage);
        assert_eq!((place_behind == Gap::Quoted, ends), (is_inside_behind, expected));
        assert_eq!(trackers[0].pass(piece), Ok(expected));
        assert_eq!(trackers[1].pass_known(piece, &Passage::Rows(passage)), Ok(expected));
        assert_eq!(QUOTING.first_end(piece, place), expected.map(|(first, _)| first));
        at = end;
    }
    let lacks_end = !text.is_empty() && found.ends.last() != Some(&text.len());
    let is_closed = !found.is_inside[text.len()];
    assert_eq!(trackers[0].pass_end().ok(), is_closed.then_some(lacks_end));

    // From the beginning, and what the framing makes of it.
    let dialect = Dialect::strict(separator, Some(QUOTE));
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
    let framing = Framing::Quoted(QUOTING);
    assert_eq!(framing.count(text), found.ends.len());
    assert_eq!(framing.whole_bytes(text), found.ends.last().copied().unwrap_or(0));
    assert_eq!(framing.whole_length(text), found.ends.first().copied());
    lenient(separator, text, usize::from(*length) + 1);
});

/// Reads `text` with lenient quotes, whole and in pieces of `step` bytes.
fn lenient(separator: u8, text: &[u8], step: usize) {
    let dialect = Dialect { is_lenient: true, ..Dialect::strict(separator, Some(QUOTE)) };
    let quoting = Quoting::Lenient { quote: QUOTE, separator };
    let (mut at, mut ends) = (Gap::Start, Vec::new());
    for (place, byte) in text.iter().enumerate() {
        at = quoting.after(at, *byte);
        if *byte == b'\n' && at != Gap::Quoted {
            ends.push(place + 1);
        }
    }
    let mut tracker = Tracker::new(Framing::Quoted(quoting));
    for begun in (0..text.len()).step_by(step) {
        let end = (begun + step).min(text.len());
        let mut among = ends.iter().filter(|at| (begun + 1..=end).contains(at));
        let first = among.next();
        let last = among.next_back().or(first);
        let expected = first.zip(last).map(|(first, last)| (first - begun, last - begun));
        assert_eq!(tracker.pass(&text[begun..end]), Ok(expected));
    }
    assert_eq!(tracker.pass_end().is_ok(), at != Gap::Quoted);
    let mut rows = Rows::new(dialect, text);
    let mut start = 0;
    for end in ends {
        let row = rows.next().expect("a row");
        assert_eq!((row.bytes, row.stray_quote), (&text[start..end], None));
        start = end;
    }
    assert_eq!(rows.next().map_or(0, |row| row.bytes.len()), text.len() - start);
}
