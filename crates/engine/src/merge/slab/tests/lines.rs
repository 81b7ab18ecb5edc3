//! Slabs of records of any length, with open keys.

use super::*;
use crate::run::tests::{LINE_FEED, WholeRecord};

/// Lines that `make` makes of random numbers, sorted.
fn sorted_lines(count: usize, run: u64, make: impl Fn(u64) -> Vec<u8>) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> =
        (0..count as u64).map(|number| make(mixed(run << 32 | number))).collect();
    lines.sort();
    lines.iter().flat_map(|line| [line.as_slice(), b"\n"].concat()).collect()
}

/// Runs of uneven length, in little memory and in more.
fn check_all(lines: usize, make: impl Fn(u64) -> Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let key = WholeRecord(b'\n');
    for runs in [1, 2, 3, 7] {
        let count = |run: usize| lines * (run % 3 + 1) / 3 + 1;
        let data = (0..runs).map(|run| sorted_lines(count(run), run as u64, &make)).collect();
        let opened = open(folder.path(), &key, LINE_FEED, data);
        for capacity in capacities(&opened) {
            for window_bytes in [0, 1 << 20] {
                check(&key, &opened, LINE_FEED, (capacity, window_bytes));
            }
        }
        for run in &opened {
            std::fs::remove_file(run.reader.path()).unwrap();
        }
    }
}

/// Digits of a random number, and `length` bytes more.
fn text(random: u64, length: usize) -> Vec<u8> {
    let digits = format!("{random:020}").into_bytes();
    [digits, vec![b'x'; length]].concat()
}

#[test]
fn lines_short_and_long() {
    check_all(20_000, |random| text(random, 80)[..(random % 80) as usize].into());
    check_all(400, |random| text(random, (random % 7000) as usize));
}

/// Most lines are short, some are longer than several blocks.
#[test]
fn lines_longer_than_blocks() {
    check_all(3000, |random| {
        let length = if random % 100 == 7 { 5 * BLOCK } else { 100 };
        text(random, length + (random % 1000) as usize)
    });
    check_all(20, |random| text(random, (random % 1_000_000) as usize));
}

#[test]
fn empty_and_equal_lines() {
    check_all(200_000, |_| Vec::new());
    check_all(20_000, |random| vec![b'e'; (random % 3) as usize * 20]);
    check_all(2000, |_| vec![b'e'; 1000]);
}

/// Lines that differ in how many zeros they end with: padded, their keys would be the same.
#[test]
fn lines_of_zeros() {
    check_all(20_000, |random| vec![0; (random % 50) as usize]);
    check_all(1500, |random| vec![0; (random % 2000) as usize]);
    check_all(150, |random| vec![0; KEPT_KEY_MAX - 3 + (random % 9) as usize]);
}

/// Lines that agree for as long as the index keeps keys, as long as keys are kept, and longer.
#[test]
fn lines_that_agree_for_long() {
    for agreed in [INDEX_KEY_MAX - 1, INDEX_KEY_MAX, 1000, KEPT_KEY_MAX - 1, KEPT_KEY_MAX + 20] {
        check_all(1_000_000 / agreed, |random| {
            let differing = &random.to_string().into_bytes()[..(random % 6) as usize];
            [&vec![b'a'; agreed], differing].concat()
        });
    }
}
