//! The sieve: nothing is lost, and copies are dropped, whatever the size of table and store and
//! however many workers there are.

use std::collections::HashMap;

use super::*;
use crate::format::Framing;
use crate::io::Arena;
use crate::load::Records;
use crate::units::ByteSize;

fn sieve(table: usize, store: usize) -> Sieve {
    let region = |bytes: usize| Arena::new(ByteSize(bytes as u64)).expect("memory");
    Sieve::new(region(table), region(store))
}

/// Lines of different lengths, of which `distinct` are different.
fn lines(count: usize, distinct: usize) -> Vec<Vec<u8>> {
    let mixed = |at: usize| (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
    let line = |at: usize| {
        let which = mixed(at) as usize % distinct;
        format!("{which}{}\n", "x".repeat(which % 90)).into_bytes()
    };
    (0..count).map(line).collect()
}

/// Sifts and asserts that what is said to be kept lies where it is said to lie; kept records.
fn kept(sieve: &Sieve, records: &[Vec<u8>]) -> Vec<(Vec<u8>, u64)> {
    let (mut shelf, mut kept, mut shown) = (Shelf::default(), Vec::new(), 0);
    let passed = sieve.sift(&mut shelf, records.iter().map(Vec::as_slice), |record, of, place| {
        assert_eq!((record, of), (records[shown].as_slice(), hash(record)), "in order");
        shown += 1;
        if let Some(location) = place {
            assert_eq!(sieve.kept(location), record);
            kept.push((record.to_vec(), location));
        }
    });
    assert_eq!((passed, shown), (Ok(()), records.len()));
    kept
}

fn counted(kept: impl IntoIterator<Item = Vec<u8>>) -> HashMap<Vec<u8>, usize> {
    let mut counts = HashMap::new();
    kept.into_iter().for_each(|record| *counts.entry(record).or_default() += 1);
    counts
}

#[test]
fn of_copies_the_first_is_kept_and_stays_where_it_is() {
    for count in [0, 1, 15, 16, 17, 31, 48, 49, 20_000] {
        let (lines, sieve) = (lines(count, 3000), sieve(1 << 20, 4 << 20));
        let kept = kept(&sieve, &lines);
        let expected = counted(lines);
        assert_eq!(kept.len(), expected.len(), "of {count} lines each once");
        let (_, store) = sieve.into_regions();
        let records = Records::new(&store, Framing::Terminated(b'\n'));
        for (record, location) in kept {
            assert_eq!(records.get(location), record);
        }
    }
}

#[test]
fn what_the_table_has_no_room_for_is_kept_again() {
    for table in [LINE, 4 * LINE, 100 * LINE] {
        let (lines, sieve) = (lines(20_000, 500), sieve(table, 4 << 20));
        let kept = counted(kept(&sieve, &lines).into_iter().map(|(record, _)| record));
        assert_eq!(kept.len(), counted(lines).len(), "none is lost");
        let once = kept.values().filter(|count| **count == 1).count();
        assert!(once >= 8, "what is in the table of {table} bytes is there once: {once}");
    }
}

#[test]
fn workers_share_what_they_have_seen() {
    let (lines, sieve) = (lines(30_000, 2000), sieve(1 << 20, 8 << 20));
    let mut all = Vec::new();
    std::thread::scope(|scope| {
        let worker = |part: usize| (part, &lines, &sieve);
        let threads: Vec<_> = (0..4)
            .map(worker)
            .map(|(part, lines, sieve)| {
                scope.spawn(move || {
                    let own: Vec<_> = lines.iter().skip(part).step_by(4).cloned().collect();
                    kept(sieve, &own)
                })
            })
            .collect();
        for thread in threads {
            all.extend(thread.join().expect("a worker").into_iter().map(|(record, _)| record));
        }
    });
    // Two workers may meet the same line at once and find two slots for it.
    let kept = counted(all);
    assert_eq!(kept.len(), counted(lines).len(), "none is lost");
    let more = kept.values().filter(|count| **count > 1).count();
    assert!(more < kept.len() / 10, "{more} of {} more than once", kept.len());
}

#[test]
fn a_full_store_says_so() {
    let (lines, sieve) = (lines(60_000, 50_000), sieve(1 << 20, 2 * SHELF));
    let (mut shelf, mut bytes) = (Shelf::default(), 0);
    let records = lines.iter().map(Vec::as_slice);
    let passed = sieve.sift(&mut shelf, records, |record, _, place| {
        bytes += place.map_or(0, |_| LENGTH + record.len());
    });
    assert_eq!((passed, sieve.room()), (Err(Full), 0));
    assert!(bytes > 2 * SHELF - 200, "{bytes} bytes were kept before");
    let long = vec![b'y'; 3 * SHELF];
    let passed = sieve.sift(&mut shelf, [long.as_slice()].into_iter(), |_, _, _| {});
    assert_eq!(passed, Err(Full));
}
