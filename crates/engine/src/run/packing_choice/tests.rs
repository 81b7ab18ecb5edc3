//! `auto` compresses where the disk is the limit and the data shrinks, and nowhere else.

use super::*;
use crate::codec::Codec;

/// Two threads that read a GB at `rate`, and waited for that part of the time.
fn evidence(rate: f64, waiting: f64) -> PackingEvidence {
    let seconds = 1e9 / rate;
    let waited_seconds = 2.0 * waiting * seconds;
    PackingEvidence {
        read_bytes: 1e9 as u64,
        seconds,
        waited_seconds,
        threads: 2,
        profile_rate: None,
    }
}

fn trials(lz4: (f64, f64), zstd: (f64, f64)) -> Vec<PackingTrial> {
    let [first, second] = CompressRuns::CANDIDATES;
    let trial = |compression, (size, rate): (f64, f64)| PackingTrial {
        compression,
        size,
        seconds: 1.0 / rate,
    };
    vec![trial(first, lz4), trial(second, zstd)]
}

fn choice(evidence: PackingEvidence, trials: &[PackingTrial]) -> Option<Codec> {
    evidence.choose(trials).0.map(Compression::codec)
}

#[test]
fn slow_disks_and_data_that_shrinks_are_compressed() {
    let text = trials((0.45, 300e6), (0.3, 200e6));
    assert_eq!(choice(evidence(250e6, 0.8), &text), Some(Codec::Lz4), "disk of 250 MB/s");
    assert_eq!(choice(evidence(150e6, 0.8), &text), Some(Codec::Zstd), "disk of 150 MB/s");
    assert_eq!(choice(evidence(350e6, 0.8), &text), None, "more work than a pass has time for");
    assert_eq!(choice(evidence(250e6, 0.1), &text), None, "busy processors");
    assert_eq!(choice(evidence(2e9, 0.5), &text), None, "a fast disk");
    let noise = trials((1.0, 300e6), (0.98, 500e6));
    assert_eq!(choice(evidence(100e6, 0.9), &noise), None, "data that does not shrink");
    let slow_zstd = trials((0.45, 600e6), (0.4, 60e6));
    assert_eq!(choice(evidence(250e6, 0.8), &slow_zstd), Some(Codec::Lz4));
    assert_eq!(choice(PackingEvidence::default(), &text), None, "nothing is known");
    let profiled = PackingEvidence { profile_rate: Some(150e6), ..evidence(1e9, 0.1) };
    assert_eq!(choice(profiled, &text), Some(Codec::Zstd), "a slow disk by its profile");
}

#[test]
fn trials_measure_size_and_time() {
    let bytes = vec![7; 20 * BLOCK];
    let tried = PackingTrial::all(&bytes).expect("enough blocks");
    assert!(tried.iter().all(|trial| trial.size < 0.1 && trial.seconds > 0.0), "{tried:?}");
    assert_eq!(PackingTrial::all(&bytes[..3 * BLOCK]), None);
}
