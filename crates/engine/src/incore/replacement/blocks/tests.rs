//! Blocks against what was put into them, and how much of the memory is used.

use std::collections::VecDeque;

use super::{Blocks, FLAG_BITS, FREE, FREE_BEFORE, NONE, TAG, UNIT};
use crate::io::Arena;
use crate::units::ByteSize;

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

fn blocks(bytes: u64) -> Blocks {
    Blocks::new(Arena::new(ByteSize(bytes)).unwrap())
}

/// Walks over all blocks and asserts that tags and lists are as they must be; how many are free.
fn assert_sound(blocks: &Blocks) -> usize {
    let (mut place, mut is_free_before, mut free) = (0, false, 0);
    let end = (blocks.memory.len() / UNIT) as u32 - 1;
    while place < end {
        let word = blocks.get_word(place, 0);
        assert_eq!(word & FREE_BEFORE != 0, is_free_before, "at {place}");
        assert!(!(is_free_before && word & FREE != 0), "two free blocks side by side");
        is_free_before = word & FREE != 0;
        free += usize::from(is_free_before);
        place += word >> FLAG_BITS;
        if is_free_before {
            assert_eq!(blocks.word_before(place), word >> FLAG_BITS);
        }
    }
    assert_eq!(place, end);
    let some = |place: u32| (place != NONE).then_some(place);
    let listed = blocks.heads.iter().map(|head| {
        std::iter::successors(some(*head), |place| some(blocks.get_word(*place, 1))).count()
    });
    assert_eq!(listed.sum::<usize>(), free);
    free
}

#[test]
fn records_stay_what_they_were() {
    for (seed, longest) in [(1, 3), (2, 30), (3, 300), (4, 20_000)] {
        let (mut blocks, mut state) = (blocks(256 << 10), seed);
        let mut held: Vec<(u32, Vec<u8>)> = Vec::new();
        for step in 0..20_000 {
            let length = next(&mut state) % longest;
            let record = vec![next(&mut state) as u8; length as usize];
            match blocks.put(&record) {
                Some(place) if !next(&mut state).is_multiple_of(4) => held.push((place, record)),
                Some(place) => blocks.release(place),
                None => {
                    for _ in 0..held.len() / 3 {
                        let (place, record) =
                            held.swap_remove(next(&mut state) as usize % held.len());
                        assert!(blocks.get(place) == record);
                        blocks.release(place);
                    }
                }
            }
            if step % 500 == 0 {
                assert_sound(&blocks);
            }
        }
        for (place, record) in held {
            assert!(blocks.get(place) == record);
            blocks.release(place);
        }
        assert_eq!(assert_sound(&blocks), 1, "all of it is one free block again");
    }
}

/// The figures that the head of the file has.
#[test]
fn most_of_the_memory_is_used_in_the_long_run() {
    for (longest, least, least_with_tags) in [(200, 0.86, 0.96), (10_000, 0.91, 0.91)] {
        let (mut blocks, mut state) = (blocks(8 << 20), 7);
        let mut held = VecDeque::new();
        let (mut bytes, mut shares, mut steps) = ((0, 0), (0.0, 0.0), 0.0);
        for round in 0..400_000 {
            let record = vec![0; 1 + next(&mut state) as usize % longest];
            let place = loop {
                if let Some(place) = blocks.put(&record) {
                    break place;
                }
                // Any of them leaves, as the keys are.
                let other = next(&mut state) as usize % held.len();
                held.swap(0, other);
                let (place, length): (u32, usize) = held.pop_front().unwrap();
                bytes = (bytes.0 - length, bytes.1 - (length + TAG).next_multiple_of(UNIT));
                blocks.release(place);
            };
            bytes = (bytes.0 + record.len(), bytes.1 + (record.len() + TAG).next_multiple_of(UNIT));
            held.push_back((place, record.len()));
            if round >= 200_000 {
                let share = |bytes: usize| bytes as f64 / f64::from(8 << 20);
                shares = (shares.0 + share(bytes.0), shares.1 + share(bytes.1));
                steps += 1.0;
            }
        }
        let (share, with_tags) = (shares.0 / steps, shares.1 / steps);
        println!("up to {longest} bytes: {share:.3}, with tags {with_tags:.3}");
        assert!(share > least && with_tags > least_with_tags, "{share:.3} {with_tags:.3}");
    }
}
