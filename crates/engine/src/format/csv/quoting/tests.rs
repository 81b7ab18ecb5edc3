//! Quotes against a reader that takes one byte after the other, as Python's csv module does.

use proptest::prelude::*;

use super::*;
use crate::format::csv::{Cells, Dialect, Rows, value, without_end};
use crate::format::{Framing, Tracker};

const LENIENT: Dialect = Dialect { separator: b',', quote: Some(b'"'), is_lenient: true };

/// The rows of a text as a reader of single bytes finds them.
#[derive(Debug, Default)]
struct Read {
    /// For each row, its end and the ends of its cells in it.
    rows: Vec<(usize, Vec<usize>)>,
    /// For each byte and the end, whether it lies in quotes.
    is_inside: Vec<bool>,
}

/// Reads `text`: a quote opens where a cell starts, in quotes two stand for one, and a single one
/// closes; what follows it up to the next separator belongs to the cell.
fn read(text: &[u8]) -> Read {
    let (mut found, mut cells, mut start) = (Read::default(), Vec::new(), 0);
    let (mut is_inside, mut is_at_start, mut at) = (false, true, 0);
    while at < text.len() {
        found.is_inside.push(is_inside);
        match text[at] {
            b'"' if is_inside && text.get(at + 1) == Some(&b'"') => {
                // The pair's second half: between the two, as it were, no quotes are open.
                found.is_inside.push(false);
                at += 1;
            }
            b'"' if is_inside => is_inside = false,
            _ if is_inside => {}
            b'"' if is_at_start => is_inside = true,
            b',' => {
                cells.push(at - start);
                (is_at_start, at) = (true, at + 1);
                continue;
            }
            b'\n' => {
                cells.push(without_end(&text[start..=at]).len());
                found.rows.push((at + 1, std::mem::take(&mut cells)));
                (is_at_start, at, start) = (true, at + 1, at + 1);
                continue;
            }
            _ => {}
        }
        (is_at_start, at) = (false, at + 1);
    }
    found.is_inside.push(is_inside);
    found
}

fn assert_rows(text: &[u8]) {
    let Read { rows, is_inside } = read(text);
    let last = rows.last().map_or(0, |(end, _)| *end);
    let (mut behind, mut found) = (0, Rows::new(LENIENT, text).noting(100));
    for (end, cells) in &rows {
        let row = found.next().expect("a row");
        behind += row.bytes.len();
        let ends: Vec<usize> = found.cell_ends().iter().map(|end| *end as usize).collect();
        assert_eq!((behind, row.cells, &ends), (*end, cells.len(), cells));
        assert_eq!(row.stray_quote, None);
        let mut at = 0;
        for (cell, end) in Cells::new(LENIENT, without_end(row.bytes)).zip(cells) {
            assert_eq!(cell.len(), end - at);
            at = end + 1;
        }
    }
    let left = found.next();
    assert_eq!(left.map(|row| row.bytes.len()).unwrap_or_default(), text.len() - last);
    let is_open = left.is_some_and(|row| row.stray_quote.is_some());
    assert_eq!(is_open, is_inside[text.len()]);
    let framing = Framing::Quoted(LENIENT.quoting().expect("quotes"));
    assert_eq!(framing.count(text), rows.len());
    assert_eq!(framing.whole_bytes(text), last);
}

/// Passes `text` in pieces that end at multiples of `step`.
fn assert_pieces(text: &[u8], step: usize) {
    let Read { rows, is_inside } = read(text);
    let quoting = LENIENT.quoting().expect("quotes");
    let mut tracker = Tracker::new(Framing::Quoted(quoting));
    for begun in (0..text.len()).step_by(step) {
        let end = (begun + step).min(text.len());
        let mut ends = rows.iter().map(|row| row.0).filter(|at| (begun + 1..=end).contains(at));
        let first = ends.next();
        let last = ends.next_back().or(first);
        let expected = first.zip(last).map(|(first, last)| (first - begun, last - begun));
        assert_eq!(tracker.pass(&text[begun..end]), Ok(expected));
    }
    let end = tracker.pass_end();
    let lacks_end = !text.is_empty() && rows.last().is_none_or(|(end, _)| *end < text.len());
    assert_eq!(end.ok(), (!is_inside[text.len()]).then_some(lacks_end));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes_are_read_as_one_by_one(
        text in proptest::collection::vec(prop_oneof![
            4 => Just(b'"'), 3 => Just(b','), 2 => Just(b'\n'), 1 => Just(b'\r'), 5 => Just(b'x'),
        ], 0..400),
        ahead in 0..70_usize,
        step in 1..150_usize,
    ) {
        let text = [vec![b'y'; ahead], text].concat();
        assert_rows(&text);
        assert_pieces(&text, step);
    }

    #[test]
    fn passages_are_those_of_single_bytes(
        text in proptest::collection::vec(prop_oneof![
            2 => Just(b'"'), 2 => Just(b','), 1 => Just(b'\n'), 5 => Just(b'x'),
        ], 1..300),
        is_lenient: bool,
    ) {
        let quoting = Dialect { is_lenient, ..LENIENT }.quoting().expect("quotes");
        let passage = quoting.passage(&text);
        for from in [Gap::Start, Gap::Text, Gap::Quoted] {
            let (mut at, mut ends) = (from, None);
            for (place, byte) in text.iter().enumerate() {
                at = quoting.after(at, *byte);
                if *byte == ROW_END && at != Gap::Quoted {
                    ends = Some((ends.map_or(place + 1, |(first, _)| first), place + 1));
                }
            }
            let (after, found) = quoting.pass(&text, from, &passage);
            prop_assert_eq!(found, ends);
            prop_assert_eq!(after == Gap::Quoted, at == Gap::Quoted);
            prop_assert!(!is_lenient || after == at);
            prop_assert_eq!(quoting.first_end(&text, from), ends.map(|(first, _)| first));
        }
    }
}

#[test]
fn cells_say_what_is_in_quotes_or_all_they_have() {
    let cells = [
        ("40° 26' 46\" N", "40° 26' 46\" N"),
        ("\"a,b\"", "a,b"),
        ("\"a\"\"b\"", "a\"b"),
        ("\"a\" b", "\"a\" b"),
        ("\"a\"b\"", "\"a\"b\""),
        ("a\"\"b", "a\"\"b"),
        ("\"\"", ""),
        ("\"\"x\"\"", "\"\"x\"\""),
    ];
    for (cell, expected) in cells {
        assert_eq!(String::from_utf8_lossy(&value(LENIENT, cell.as_bytes())), expected);
    }
    let row = cells.map(|(cell, _)| cell).join(",");
    let found: Vec<_> = Cells::new(LENIENT, row.as_bytes()).map(String::from_utf8_lossy).collect();
    assert_eq!(found, cells.map(|(cell, _)| cell));
}
