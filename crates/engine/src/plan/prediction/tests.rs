//! Predictions that can be reckoned by hand.

use super::*;
use crate::plan::levers::Overlap;
use crate::plan::tests::need;
use crate::units::ByteSize;

const GIGABYTE: u64 = 1_000_000_000;

/// A disk that reads 2 GB/s, writes 1 GB/s, and does both at 1.5 GB/s.
fn disk(device: u64) -> DiskPart {
    let disk = DiskProfile {
        read: 2e9,
        write: 1e9,
        both: 1.5e9,
        sync_seconds: 0.25,
        remove: 4e9,
        ..DiskProfile::default()
    };
    DiskPart { device, share: 1.0, disk }
}

/// Rates where only disks take time.
fn rates(input: DiskPart, spill: DiskPart, output: DiskPart) -> Rates {
    let (input, spill, output) = (vec![input], vec![spill], vec![output]);
    let (costs, memory) = (Costs::default(), f64::INFINITY);
    let (fresh_memory, reused_memory) = (memory, memory);
    Rates { input, spill, output, costs, fresh_memory, reused_memory, cores: 2 }
}

fn seconds(rates: &Rates, bytes: u64, budget: ByteSize) -> (f64, Vec<(Phase, f64)>) {
    let plan = Plan::new(&need(100, Some(bytes), budget)).expect("a plan");
    let told = rates.predict(&plan, bytes);
    let phases = told.phases.iter().map(|told| (told.phase, told.seconds)).collect();
    (told.seconds, phases)
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
}

#[test]
fn one_pass_takes_as_long_as_disks_read_and_write() {
    let (all, phases) = seconds(&rates(disk(1), disk(1), disk(1)), GIGABYTE, ByteSize::gib(4));
    let stages = 2.0 * STAGE_SECONDS;
    assert_near(all, 0.5 + 1.0 + 0.25 + stages);
    let [(reading, _), (writing, _), (finishing, _)] = phases[..] else { panic!("{phases:?}") };
    assert_eq!((reading, writing, finishing), (Phase::Reading, Phase::Writing, Phase::Finishing));
    let cached = Rates { input: Vec::new(), ..rates(disk(1), disk(1), disk(1)) };
    assert_near(seconds(&cached, GIGABYTE, ByteSize::gib(4)).0, 1.25 + stages);
}

#[test]
fn a_disk_for_everything_takes_longer_than_two() {
    let bytes = 6 * GIGABYTE;
    let (one, _) = seconds(&rates(disk(1), disk(1), disk(1)), bytes, ByteSize::gib(1));
    // What was spilled is removed in the end.
    let removed = 6.0 / 4.0;
    let plan = Plan::new(&need(100, Some(bytes), ByteSize::gib(1))).expect("a plan");
    let slabs = bytes.div_ceil(plan.external().unwrap().slab_wanted as u64);
    let stages = STAGE_SECONDS * (plan.volume(bytes).runs as u64 + slabs) as f64;
    let beside = 0.25 + removed + stages;
    assert_near(one, 2.0 * (12.0 / 1.5) + beside);
    let (two, _) = seconds(&rates(disk(1), disk(2), disk(1)), bytes, ByteSize::gib(1));
    assert_near(two, 6.0 + 6.0 + beside);
    // Halves on two disks each.
    let half = |device| DiskPart { share: 0.5, ..disk(device) };
    let mut both = rates(disk(3), disk(1), disk(3));
    both.spill = vec![half(1), half(2)];
    assert_near(seconds(&both, bytes, ByteSize::gib(1)).0, 3.0 + 6.0 + beside);
}

/// Where a load is read before another is written, their times are added, on whichever disks.
#[test]
fn nothing_is_hidden_where_nothing_overlaps() {
    let bytes = 6 * GIGABYTE;
    let levers = Levers { overlap: Overlap::Sync, ..Levers::default() };
    let need = Need { levers, ..need(100, Some(bytes), ByteSize::gib(1)) };
    let plan = Plan::new(&need).expect("a plan");
    let slabs = bytes.div_ceil(plan.external().unwrap().slab_wanted as u64);
    let stages = STAGE_SECONDS * 2.0 * (plan.volume(bytes).runs as u64 + slabs) as f64;
    let beside = 0.25 + 6.0 / 4.0 + stages;
    for spill in [1, 2] {
        let mut rates = rates(disk(1), disk(spill), disk(1));
        assert_near(rates.predict(&plan, bytes).seconds, 2.0 * (3.0 + 6.0) + beside);
        // Of both threads a second to deal, and one to sort, which the disks hide in part.
        rates.costs.reading = Cost { record: 0.0, byte: 1.0 / 3.0 };
        rates.costs.run_generation = Cost { record: 0.0, byte: 2.0 / 3.0 };
        let hidden = |disk: f64| (disk.powf(1.5) + 1.0).powf(1.0 / 1.5);
        let told = rates.predict(&plan, bytes);
        assert_near(told.seconds, hidden(3.0) + hidden(6.0) + 9.0 + beside);
        let first = &told.phases[0];
        assert_near(first.disk_seconds, 9.0);
        assert_near(first.processor_seconds, 2.0);
    }
}

#[test]
fn processors_and_memory_take_longer_where_disks_are_fast() {
    let mut slow = rates(disk(1), disk(1), disk(1));
    slow.costs.reading = Cost { record: 100.0, byte: 1.0 };
    // 10 million records: a second for them and one for their bytes, by two threads. Half a second
    // of reading is not hidden behind that altogether.
    let (_, phases) = seconds(&slow, GIGABYTE, ByteSize::gib(4));
    assert_near(phases[0].1, (1.0 + 0.5_f64.powf(1.5)).powf(1.0 / 1.5) + STAGE_SECONDS);
    slow.reused_memory = 1e9;
    let (_, more) = seconds(&slow, GIGABYTE, ByteSize::gib(4));
    assert!(more[0].1 > phases[0].1 + 0.9, "the load was never touched: {more:?}");
}

/// Memory is foretold of which hardly any was in no use shortly before; it may take longer.
#[test]
fn memory_may_come_slowly_or_fast() {
    let mut rates = rates(disk(1), disk(1), disk(1));
    (rates.reused_memory, rates.fresh_memory) = (1e12, 1e9);
    let plan = Plan::new(&need(100, Some(GIGABYTE), ByteSize::gib(4))).expect("a plan");
    let told = rates.predict(&plan, GIGABYTE);
    assert!((1.75..1.8).contains(&told.seconds), "{told:?}");
    assert!((2.25..3.25).contains(&told.most_seconds), "{told:?}");
    rates.fresh_memory = 1e15;
    let told = rates.predict(&plan, GIGABYTE);
    assert_near(told.most_seconds, told.seconds);
}

#[test]
fn what_has_little_to_do_is_hidden() {
    let mut rates = rates(disk(1), disk(1), disk(1));
    rates.costs.reading = Cost { record: 0.0, byte: 0.1 };
    let (_, phases) = seconds(&rates, GIGABYTE, ByteSize::gib(4));
    assert!((0.5..0.52).contains(&phases[0].1), "a tenth of the time of the disk: {phases:?}");
}

#[test]
fn further_passes_move_everything_again() {
    let rates = rates(disk(1), disk(1), disk(1));
    let bytes = 20 * GIGABYTE;
    let (two, _) = seconds(&rates, bytes, ByteSize::gib(1));
    let (more, phases) = seconds(&rates, bytes, ByteSize::mib(64));
    assert!(more > two && phases.iter().any(|(phase, _)| *phase == Phase::IntermediateMerge));
}

/// A gigabyte in one pass wants a gigabyte of memory; where that comes at a fortieth of the disk's
/// speed, two passes in less of it are done first.
#[test]
fn two_passes_are_chosen_where_memory_comes_slower_than_disks() {
    let need = need(100, Some(GIGABYTE), ByteSize::gib(4));
    let mut rates = rates(disk(1), disk(1), disk(1));
    let choose = |rates: &Rates| rates.choose(&need, GIGABYTE).expect("a plan");
    assert!(choose(&rates).is_one_pass(), "nobody knows better");
    rates.fresh_memory = 4e9;
    assert!(choose(&rates).is_one_pass());
    rates.fresh_memory = 5e7;
    let plan = choose(&rates);
    assert!(!plan.is_one_pass());
    assert!((LEAST_CHOSEN / 2..GIGABYTE / 2).contains(&(plan.arena_bytes as u64)), "{plan:?}");
    let whole = Plan::new(&need).expect("a plan");
    let seconds = |plan: &Plan| rates.predict(plan, GIGABYTE).most_seconds;
    assert!(seconds(&plan) < GAIN * seconds(&whole));
}

/// A disk that is fast only with many requests gets them, unless the user says otherwise.
#[test]
fn as_many_requests_as_disks_want() {
    let mut need = need(100, Some(GIGABYTE), ByteSize::mib(256));
    let mut rates = rates(disk(1), disk(1), disk(1));
    let usual = rates.choose(&need, GIGABYTE).expect("a plan").read_depth;
    rates.input[0].disk.queue_depth = 32;
    let depth =
        |rates: &Rates, need: &Need| rates.choose(need, GIGABYTE).expect("a plan").read_depth;
    assert_eq!(depth(&rates, &need), 4 * usual);
    rates.input[0].disk.queue_depth = 1_000_000;
    assert_eq!(depth(&rates, &need), 8 * usual);
    need.levers.queue_depth = Some(8);
    assert_eq!(depth(&rates, &need), usual);
    // In the least memory they would take what loads need.
    need.levers.queue_depth = None;
    let within = |mib: u64| Need { budget: ByteSize::mib(mib), ..need };
    let least = (1..64).find(|mib| Plan::new(&within(*mib)).is_ok());
    let need = within(least.expect("a budget that will do"));
    assert_eq!(rates.choose(&need, GIGABYTE).expect("a plan"), Plan::new(&need).expect("a plan"));
}

/// So does one that is fast only with large ones, and one that takes long to begin.
#[test]
fn requests_as_large_as_disks_want() {
    let mut need = need(100, Some(GIGABYTE), ByteSize::mib(128));
    let mut rates = rates(disk(1), disk(2), disk(1));
    let choose = |rates: &Rates, need: &Need| rates.choose(need, GIGABYTE).expect("a plan");
    let usual = choose(&rates, &need);
    assert!(usual.block_bytes < 2 << 20, "{usual:?}");
    rates.input[0].disk.request_bytes = 2 << 20;
    assert_eq!(choose(&rates, &need).block_bytes, 2 << 20);
    rates.input[0].disk.request_bytes = u64::MAX;
    assert_eq!(choose(&rates, &need).block_bytes, BLOCK_MAX);
    need.levers.block = Some(ByteSize::mib(1));
    assert_eq!(choose(&rates, &need).block_bytes, 1 << 20);
    need.levers.block = None;
    let small = choose(&rates, &Need { budget: ByteSize::mib(24), ..need });
    let in_flight = small.threads * small.read_depth * small.block_bytes;
    assert!(in_flight <= small.load.bytes(), "{small:?}");
    need.levers.block = Some(ByteSize::mib(1));

    rates.input[0].disk.read_factor = 512.0;
    assert_eq!(
        choose(&rates, &need).external().unwrap().piece_bytes,
        usual.external().unwrap().piece_bytes,
        "no run lies there"
    );
    rates.spill[0].disk.read_factor = 64.0;
    assert_eq!(
        choose(&rates, &need).external().unwrap().piece_bytes,
        usual.external().unwrap().piece_bytes + 3 * 63 * 4096
    );
    rates.spill[0].disk.read_factor = f64::INFINITY;
    let plan = choose(&rates, &need);
    assert_eq!(plan.volume(GIGABYTE).passes, 2, "no pass more for that: {plan:?}");
    rates.input[0].disk.queue_depth = 32;
    assert!(choose(&rates, &need).read_depth > usual.read_depth, "the one without the other");
    need.levers.read_factor = Some(1);
    assert_eq!(
        choose(&rates, &need).external().unwrap().piece_bytes,
        usual.external().unwrap().piece_bytes
    );
}
