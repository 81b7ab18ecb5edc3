//! The hash is what its head says, on every processor, and tells records apart.

use std::collections::HashSet;

use super::lane::{HashLane, LookupLane};
use super::*;

/// Records of a length, as unlike as bytes can be; the `seed`-th.
fn record(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut byte = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 56) as u8
    };
    (0..length).map(|_| byte()).collect()
}

/// FIPS 197, appendix B: the first round of its example. Bytes are as they are printed there.
#[test]
fn a_round_is_that_of_the_standard() {
    let lane = |printed: u128| LookupLane::of(printed.swap_bytes());
    let begun = lane(0x193d_e3be_a0f4_e22b_9ac6_8d2a_e9f8_4808);
    let key = lane(0xa0fa_fe17_8854_2cb1_23a3_3939_2a6c_7605);
    let rounded = begun.round(key).value().swap_bytes();
    assert_eq!(rounded, 0xa49c_7ff2_689f_352b_6b5b_ea43_026a_5049);
}

#[test]
fn processors_and_the_table_agree() {
    for length in (0..200).chain([1000, 4095, 4096, 100_001]) {
        let record = record(length, 1);
        assert_eq!(hash(&record), digest::<LookupLane>(&record), "{length} bytes");
    }
    let all: Vec<Vec<u8>> = (0..1000).map(|number| record(number % 130, number as u64)).collect();
    let (count, summed) = sum(all.iter().map(Vec::as_slice));
    let one_by_one = all.iter().map(|record| hash(record)).fold(0, u128::wrapping_add);
    assert_eq!((count, summed), (1000, one_by_one));
}

/// Resumed sorts rely on it.
#[test]
fn hashes_do_not_change_from_version_to_version() {
    let found = [0, 1, 15, 16, 17, 100].map(|length| hash(&record(length, 7)));
    let expected = [
        0x7ba8_45e1_79ba_c700_4ca4_8940_0d18_b8c2,
        0x224c_5de6_ed57_d86d_72ab_97ae_d767_060d,
        0x0cd2_5d1d_f446_f1d8_0449_8fac_4531_4153,
        0xf147_4b9b_5eb5_1ab7_77d8_89ec_8c1f_2ce5,
        0x8a35_09d2_216a_92bf_f385_6067_37e3_770b,
        0xbf4f_a296_20c1_e8cf_a655_f852_405b_8e91,
    ];
    assert_eq!(found, expected);
}

/// Whatever a memory or a disk does to one bit, byte or block, and records of zeros alone.
#[test]
fn records_that_differ_have_other_hashes() {
    for length in 1..150 {
        let mut record = record(length, 3);
        let mut found = HashSet::from([hash(&record)]);
        for at in 0..length {
            for bit in 0..8 {
                record[at] ^= 1 << bit;
                assert!(found.insert(hash(&record)), "bit {bit} of byte {at} of {length}");
                record[at] ^= 1 << bit;
            }
        }
        for at in (0..length).step_by(16) {
            let end = length.min(at + 16);
            let kept = record[at..end].to_vec();
            record[at..end].fill(0);
            assert!(found.insert(hash(&record)), "zeros from {at} on, of {length}");
            record[at..end].copy_from_slice(&kept);
        }
        for shift in 1..length {
            record.rotate_left(1);
            assert!(found.insert(hash(&record)), "{length} bytes turned by {shift}");
        }
    }
    let zeros = vec![0; 300];
    let hashes: HashSet<u128> = (0..300).map(|length| hash(&zeros[..length])).collect();
    assert_eq!(hashes.len(), 300);
}

/// Parts that two records exchange leave no sum as it was.
#[test]
fn sums_tell_exchanged_parts() {
    for length in 2..120 {
        let whole = [record(length, 4), record(length, 5)];
        let sum_of = |records: &[Vec<u8>; 2]| sum(records.iter().map(Vec::as_slice)).1;
        let mut found = HashSet::from([sum_of(&whole)]);
        for at in 1..length {
            let [mut a, mut b] = whole.clone();
            a[at..].swap_with_slice(&mut b[at..]);
            assert!(found.insert(sum_of(&[a, b])), "from {at} on, of {length}");
        }
    }
}

/// Half of all bits change with any bit.
#[test]
fn every_bit_of_a_hash_hangs_on_every_bit_of_the_record() {
    for length in [1, 16, 40, 100] {
        let mut changed = [0_u32; 128];
        let mut trials = 0;
        for seed in 0..100 {
            let mut record = record(length, seed);
            let before = hash(&record);
            for at in 0..length {
                record[at] ^= 1 << (seed % 8);
                let difference = hash(&record) ^ before;
                record[at] ^= 1 << (seed % 8);
                (0..128).for_each(|bit| changed[bit] += (difference >> bit) as u32 & 1);
                trials += 1;
            }
        }
        let slack = 5.0 * (f64::from(trials) / 4.0).sqrt();
        let is_fair = |count: &u32| (f64::from(*count) - f64::from(trials) / 2.0).abs() < slack;
        assert!(changed.iter().all(is_fair), "{length} bytes, {trials} trials: {changed:?}");
    }
}
