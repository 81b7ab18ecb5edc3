//! Choices as they are written, and Oracle 7's read factor.

use super::*;
use crate::io::{Direct, DirectStreams};

#[test]
fn overlap_is_chosen_for_all_phases_or_for_each() {
    let parsed = |text: &str| text.parse::<PhaseOverlap>();
    let both = |overlap| PhaseOverlap { runs: overlap, merge: overlap };
    assert_eq!(parsed("sync").expect("one for all"), both(Overlap::Sync));
    assert_eq!(parsed("auto").expect("one for all"), PhaseOverlap::default());
    let mixed = PhaseOverlap { runs: Overlap::Sync, merge: Overlap::Pipelined };
    assert_eq!(parsed("runs=sync,merge=pipelined").expect("each"), mixed);
    assert_eq!(parsed("merge=pipelined,runs=sync").expect("in any order"), mixed);
    let merge = PhaseOverlap { runs: Overlap::Auto, merge: Overlap::Sync };
    assert_eq!(parsed("merge=sync").expect("one alone"), merge);
    for wrong in ["", "both", "runs", "runs=", "runs=on", "sort=sync", "runs=sync,", "sync,sync"] {
        assert!(parsed(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn open_choices_of_overlap_are_filled_in() {
    let levers = |overlap, merge_overlap| Levers { overlap, merge_overlap, ..Levers::default() };
    let filled = levers(Overlap::Auto, None).with_open_overlap(Overlap::Sync);
    assert_eq!(filled, levers(Overlap::Sync, None));
    let mixed = levers(Overlap::Pipelined, Some(Overlap::Auto));
    assert!(mixed.is_overlap_open());
    let filled = mixed.with_open_overlap(Overlap::Sync);
    assert_eq!(filled, levers(Overlap::Pipelined, Some(Overlap::Sync)));
    assert!(!filled.is_overlap_open() && filled.overlap_of_merges() == Overlap::Sync);
}

/// `SORT_READ_FAC - 1` is the time to begin a read, in blocks of 4 KiB. Of a piece, three times as
/// many bytes are added.
#[test]
fn each_read_factor_asks_for_other_pieces() {
    let seek = |factor| Levers { read_factor: Some(factor), ..Levers::default() }.seek_bytes();
    assert_eq!((seek(1), Levers::default().seek_bytes()), (0, 0));
    assert_eq!(seek(42), 3 * 41 * 4096, "that of Oracle's tests");
    assert!((1..1024).all(|factor| seek(factor) < seek(factor + 1)));
    assert_eq!(seek(u32::MAX), SEEK_MAX);
}

#[test]
fn engines_of_one_request_at_a_time_are_not_asynchronous() {
    let probe = |async_io, engine| Levers { async_io, ..Levers::default() }.probe(engine);
    for engine in Engine::ALL.into_iter().filter(|engine| engine.probe().is_ok()) {
        assert!(probe(AsyncIo::Auto, engine).is_ok() && probe(AsyncIo::Off, engine).is_ok());
        let refused = probe(AsyncIo::On, engine).is_err();
        assert_eq!(refused, matches!(engine, Engine::Sync | Engine::Mmap | Engine::MmapPlain));
    }
    for choice in AsyncIo::ALL {
        assert_eq!(choice.name().parse::<AsyncIo>().expect("a name"), choice);
    }
    assert!("maybe".parse::<AsyncIo>().is_err());
}

#[test]
fn levers_that_are_set_are_named() {
    assert_eq!(JobChoices::default().set(), []);
    let levers = Levers {
        write_buffers: Some(2),
        write_buffer: Some(ByteSize(32 << 10)),
        merge_overlap: Some(Overlap::Sync),
        async_io: AsyncIo::Off,
        ..Levers::default()
    };
    let direct = DirectStreams { output: Direct::Off, ..DirectStreams::default() };
    let (algorithm, engine) = (Algorithm::MERGESORT, Engine::Sync);
    let set = JobChoices { algorithm, engine, direct, levers }.set();
    let words: Vec<String> = set.iter().map(|set| format!("{} {}", set.name, set.value)).collect();
    let expected = [
        "algorithm mergesort",
        "I/O engine sync",
        "direct output off",
        "write buffers 2",
        "write buffer size 32 KiB",
        "overlap of merges sync",
        "asynchronous I/O off",
    ];
    assert_eq!(words, expected);
}
