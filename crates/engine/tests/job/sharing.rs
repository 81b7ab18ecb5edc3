//! Spill directories on two small file systems: what one has no room for goes to the other, and
//! only what both have no room for is refused.
//!
//! Left out where mounts are forbidden, as the cases of `no_space` are.

use std::fs;

use sortwell_engine::error::Setting;
use sortwell_engine::job::{Resume, SortJob};
use sortwell_engine::manifest::{Manifest, Past};
use sortwell_engine::plan::levers::Overlap;
use sortwell_engine::stats::Progress;
use sortwell_engine::{ByteSize, Error};

use crate::data::{Order, records};
use crate::no_space::Small;
use crate::random::Random;
use crate::reference;
use crate::resuming::run_for;
use crate::trial::{Folder, Trial, assert_same};

/// Two file systems with so many KiB each.
fn two((a, b): (u32, u32)) -> Option<[Small; 2]> {
    Some([Small::new(a)?, Small::new(b)?])
}

/// 200,000 records of 100 bytes, which make runs of about 3 MB.
fn trial() -> Trial {
    let mut trial = Trial { threads: 2, ..Trial::new(100, Vec::new(), Vec::new()) };
    trial.memory = trial.modest_memory();
    trial.inputs = vec![records(Order::Random, 200_000, 100, (0, 10), &mut Random::new(91))];
    trial
}

/// The job of a trial, laid out in `folder`, that spills to both.
fn job(trial: &Trial, folder: &Folder, places: &[Small; 2]) -> SortJob {
    trial.lay_out(folder);
    SortJob { temp: places.iter().map(Small::place).collect(), ..trial.job(folder) }
}

/// Asserts that the output is right and nothing is left in any place.
fn assert_sorted(trial: &Trial, folder: &Folder, places: &[Small; 2]) {
    let expected = reference::sorted(&trial.inputs[0], 100, &trial.parts);
    assert_same(&fs::read(folder.output()).expect("read"), &expected, 100);
    places.iter().for_each(Small::assert_empty);
    folder.assert_clean(true);
}

/// The sizes of two of which neither has room for all runs.
const TOGETHER: [(u32, u32); 2] = [(9 << 10, 16 << 10), (16 << 10, 9 << 10)];

#[test]
fn what_one_has_no_room_for_goes_to_the_other() {
    for is_streamed_in in [false, true] {
        let trial = Trial { is_streamed_in, ..trial() };
        for sizes in TOGETHER {
            let Some(places) = two(sizes) else { return };
            let folder = Folder::on_disk();
            job(&trial, &folder, &places).run(&Progress::new()).expect("room in both");
            assert_sorted(&trial, &folder, &places);
        }
    }
}

/// So small a place may not even have room for a directory; it is no hindrance.
#[test]
fn one_without_any_room_is_passed_over() {
    for is_streamed_in in [false, true] {
        let trial = Trial { is_streamed_in, ..trial() };
        for sizes in [(4, 24 << 10), (24 << 10, 4), (64, 24 << 10)] {
            let Some(places) = two(sizes) else { return };
            let folder = Folder::on_disk();
            job(&trial, &folder, &places).run(&Progress::new()).expect("room in one");
            assert_sorted(&trial, &folder, &places);
        }
    }
}

/// Merges in between go where there is room, too.
#[test]
fn merges_in_between_share_places() {
    let (threads, overlap) = (1, Overlap::Pipelined);
    let mut trial = Trial { threads, overlap, ..Trial::new(100, Vec::new(), Vec::new()) };
    trial.memory = trial.least_memory();
    trial.inputs = vec![records(Order::Random, 33_000, 100, (0, 10), &mut Random::new(92))];
    let volume = trial.plan().volume(trial.bytes());
    let needed_kib = volume.run_space() as u32 / 1024;
    assert!(volume.passes > 2 && volume.twice_bytes > 0, "{volume:?}");
    // What merges into the largest run needs one place to itself.
    let small = needed_kib / 4;
    for sizes in [(small, needed_kib - small / 2), (needed_kib - small / 2, small)] {
        let Some(places) = two(sizes) else { return };
        let folder = Folder::on_disk();
        let statistics = job(&trial, &folder, &places).run(&Progress::new()).expect("room");
        assert!(statistics.passes > 2, "{statistics:?}");
        assert_sorted(&trial, &folder, &places);
    }
}

/// Room for all runs that is in pieces too small for the last of them is none.
#[test]
fn what_both_have_no_room_for_is_refused() {
    let trial = trial();
    for sizes in [(9 << 10, 8 << 10), (10 << 10, 10 << 10)] {
        let Some(places) = two(sizes) else { return };
        let folder = Folder::on_disk();
        match job(&trial, &folder, &places).run(&Progress::new()) {
            Err(Error::NoSpace {
                path,
                others: 1,
                needed,
                available,
                setting: Some(Setting::Temp),
            }) => {
                assert!(
                    sizes.0 >= sizes.1 && path == places[usize::from(sizes.0 > sizes.1)].place()
                );
                assert!(available < needed && needed > ByteSize::mib(19), "{available}, {needed}");
                assert!(available.bytes() <= u64::from(sizes.0 + sizes.1) << 10);
            }
            other => panic!("refused, but {other:?}"),
        }
        places.iter().for_each(Small::assert_empty);
        folder.assert_clean(false);
    }
    let Some(places) = two((9 << 10, 8 << 10)) else { return };
    let folder = Folder::on_disk();
    let trial = Trial { is_streamed_in: true, ..trial };
    let error = job(&trial, &folder, &places).run(&Progress::new()).expect_err("full disks");
    assert!(matches!(error, Error::Io { .. } | Error::NoSpace { .. }), "{error}");
    places.iter().for_each(Small::assert_empty);
    folder.assert_clean(false);
}

/// A job that goes on finds the runs of both places, and puts the rest where there is room.
#[test]
fn runs_in_both_places_are_gone_on_with() {
    let trial = trial();
    let Some(places) = two((9 << 10, 16 << 10)) else { return };
    let folder = Folder::on_disk();
    let job = SortJob { resume: Resume::Often, ..job(&trial, &folder, &places) };
    let mut both = 0;
    for round in 0..200 {
        match run_for(&job, (12 + round) << 20) {
            Ok(_) => break,
            Err(Error::Kept { directory, .. }) => {
                let entries = Manifest::look(&directory).expect("a manifest");
                let (_, past) = Past::of(&directory, entries).expect("no contradiction");
                let lie_in = |small: &Small| {
                    past.runs.iter().filter(|run| run.path.starts_with(small.place())).count()
                };
                both += usize::from(places.iter().all(|small| lie_in(small) > 0));
            }
            Err(Error::Interrupted) => {}
            Err(e) => panic!("{e}"),
        }
    }
    assert!(both > 0, "never stopped with runs in both");
    assert_sorted(&trial, &folder, &places);
}
