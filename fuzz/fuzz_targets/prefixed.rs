//! Records that begin with their length are told apart in pieces as they are from the beginning,
//! and as by a reader that goes from one to the next.
//!
//! The first byte chooses the prefix, the second how long pieces are; the rest is the records.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sortwell_engine::format::{Framing, Prefix, PrefixWidth, Tracker};

/// What the naive reader finds.
struct Naive {
    /// Behind each record.
    ends: Vec<usize>,
    /// Behind the prefix that cannot be one, if there is one.
    fault: Option<usize>,
    /// Whether the last record is cut off.
    is_cut: bool,
}

fn length(prefix: Prefix, bytes: &[u8]) -> Option<u64> {
    let said = match (prefix.width, prefix.is_little_endian) {
        (PrefixWidth::U16, true) => u64::from(bytes[0]) | u64::from(bytes[1]) << 8,
        (PrefixWidth::U16, false) => u64::from(bytes[1]) | u64::from(bytes[0]) << 8,
        (PrefixWidth::U32, true) => (0..4).map(|at| u64::from(bytes[at]) << (8 * at)).sum(),
        (PrefixWidth::U32, false) => (0..4).map(|at| u64::from(bytes[3 - at]) << (8 * at)).sum(),
        (PrefixWidth::Rdw, _) if bytes[2] != 0 || bytes[3] != 0 => return None,
        (PrefixWidth::Rdw, _) => u64::from(bytes[1]) | u64::from(bytes[0]) << 8,
    };
    let whole = said + if prefix.counts_itself { 0 } else { prefix.bytes() as u64 };
    (whole >= prefix.bytes() as u64).then_some(whole)
}

fn naive(prefix: Prefix, text: &[u8]) -> Naive {
    let (mut found, mut at) = (Naive { ends: Vec::new(), fault: None, is_cut: false }, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.len() < prefix.bytes() {
            found.is_cut = true;
            break;
        }
        let Some(length) = length(prefix, rest) else {
            found.fault = Some(at + prefix.bytes());
            break;
        };
        if length > rest.len() as u64 {
            found.is_cut = true;
            break;
        }
        at += length as usize;
        found.ends.push(at);
    }
    found
}

fuzz_target!(|data: &[u8]| {
    let [chosen, seed, text @ ..] = data else { return };
    let Some(prefix) = Prefix::of_code(u32::from(*chosen) % 9) else { return };
    let found = naive(prefix, text);

    // In pieces of varying length, as blocks arrive.
    let (mut tracker, mut at, mut step) = (Tracker::new(Framing::Prefixed(prefix)), 0, 0);
    let mut has_failed = false;
    while at < text.len() {
        step = (step * 31 + usize::from(*seed)) % 50 + 1;
        let end = (at + step).min(text.len());
        let passed = tracker.pass(&text[at..end]);
        if found.fault.is_some_and(|behind| behind <= end) {
            let fault = passed.expect_err("a prefix that cannot be one");
            assert!(fault.at < end - at && !fault.message.to_string().is_empty());
            has_failed = true;
            break;
        }
        let mut ends = found.ends.iter().filter(|place| (at + 1..=end).contains(*place));
        let first = ends.next();
        let expected = first.map(|first| (first - at, ends.next_back().unwrap_or(first) - at));
        assert_eq!(passed, Ok(expected));
        at = end;
    }
    assert_eq!(has_failed, found.fault.is_some());
    if !has_failed {
        assert_eq!(tracker.pass_end(), if found.is_cut { tracker.pass_end() } else { Ok(false) });
        assert_eq!(tracker.pass_end().is_err(), found.is_cut);
    }

    // From the beginning.
    let framing = Framing::Prefixed(prefix);
    let whole = found.ends.last().copied().unwrap_or(0);
    assert_eq!(framing.whole_bytes(text), whole);
    assert_eq!(framing.count(text), found.ends.len());
    let lengths = framing.records(&text[..whole]).map(<[u8]>::len);
    let ends = lengths.scan(0, |end, length| {
        *end += length;
        Some(*end)
    });
    assert!(ends.eq(found.ends.iter().copied()));
    for boundary in [0, whole / 2, whole.saturating_sub(1)] {
        let starts = [0].into_iter().chain(found.ends.iter().copied());
        let expected = starts.filter(|start| *start >= boundary && *start < whole).min();
        assert_eq!(framing.first_from(&text[..whole], boundary), expected);
    }
});
