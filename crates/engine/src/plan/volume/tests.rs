//! Volumes of plans whose figures can be counted by hand.

use super::*;
use crate::plan::Need;
use crate::plan::tests::need;
use crate::units::ByteSize;

const GIGABYTE: u64 = 1_000_000_000;

fn volume(bytes: u64, budget: ByteSize, wanted: Option<u64>) -> (Volume, Plan) {
    let plan = Plan::new(&Need { wanted, ..need(100, Some(bytes), budget) }).expect("a plan");
    (plan.volume(bytes), plan)
}

#[test]
fn one_pass_reads_and_writes_once() {
    let (one, _) = volume(10_000_000, ByteSize::gib(1), None);
    assert_eq!((one.passes, one.runs, one.moved_bytes()), (1, 0, 20_000_000));
    assert_eq!((one.spilled_bytes(), one.run_space(), one.in_place_space()), (0, 0, 0));
}

#[test]
fn two_passes_spill_everything_once() {
    let (two, plan) = volume(5 * GIGABYTE, ByteSize::gib(1), None);
    assert_eq!((two.passes, two.merged_before, two.twice_bytes), (2, 0, 0));
    assert_eq!((two.runs, two.merge_width), (two.merge_width, two.runs));
    assert_eq!(two.moved_bytes(), 20 * GIGABYTE);
    assert!((two.runs as u64 - 1) * plan.load.records_bytes < 5 * GIGABYTE);
    assert_eq!(two.run_space(), 5 * GIGABYTE + 5 * GIGABYTE / 100);
    assert_eq!(two.in_place_space(), 3 * plan.load.records_bytes);
}

/// Twenty gigabytes through 64 MiB: more runs than can be merged at once.
#[test]
fn further_passes_need_room_for_what_is_there_twice() {
    let (many, plan) = volume(20 * GIGABYTE, ByteSize::mib(64), None);
    assert!(many.passes > 2 && many.merged_before > 0);
    assert!(
        many.merge_width <= plan.external().unwrap().merge_width
            && many.runs > plan.external().unwrap().merge_width
    );
    assert!((80 * GIGABYTE..=160 * GIGABYTE).contains(&many.moved_bytes()), "{many:?}");
    assert!((1..=20 * GIGABYTE).contains(&many.twice_bytes), "{many:?}");
    assert_eq!(many.run_space(), many.generated_bytes / 100 * 101 + many.twice_bytes);
}

/// Of each load no more is kept than is wanted of all.
#[test]
fn what_is_not_wanted_is_not_spilled() {
    let (all, _) = volume(20 * GIGABYTE, ByteSize::gib(1), None);
    let (few, plan) = volume(20 * GIGABYTE, ByteSize::gib(1), Some(1000));
    assert!(few.runs >= all.runs);
    let most = 100 * (1000 + BUCKET_ENTRIES_MAX as u64);
    assert_eq!(few.run_bytes, most.min(plan.load.records_bytes));
    assert_eq!(few.generated_bytes, few.runs as u64 * few.run_bytes);
    assert_eq!(few.output_bytes, 100_000);
    assert_eq!(few.input_bytes, 20 * GIGABYTE);
    assert!(few.moved_bytes() < all.moved_bytes() / 2);
    let (more, _) = volume(GIGABYTE, ByteSize::mib(64), Some(u64::MAX));
    assert_eq!((more.generated_bytes, more.output_bytes), (GIGABYTE, GIGABYTE));
}

/// The phases of a sort move all bytes, and less where another job has done some of it.
#[test]
fn phases_share_all_bytes() {
    let bytes = |shares: &[PhaseShare]| shares.iter().map(|share| share.bytes).sum::<u64>();
    for budget in [ByteSize::mib(32), ByteSize::mib(256), ByteSize::gib(4)] {
        let plan = Plan::new(&need(100, Some(1_000_000_000), budget)).expect("a plan");
        let volume = plan.volume(1_000_000_000);
        let shares = volume.shares(0, 0);
        assert_eq!(bytes(&shares), volume.moved_bytes(), "{budget}");
        assert!(shares.iter().all(|share| share.weight > 0.0 || share.bytes == 0), "{shares:?}");
        assert_eq!(shares.last().map(|share| share.phase), Some(Phase::Finishing));
        if volume.passes > 1 {
            let left = volume.shares(400_000_000, 100_000_000);
            assert_eq!(bytes(&left), volume.moved_bytes() - 2 * 500_000_000);
        }
    }
}
