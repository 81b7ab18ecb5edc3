//! The promise behind the merge width: slabs of as many runs as the plan merges at once fit the
//! memory it grants them, whatever the keys.

use super::*;
use crate::io::Direct;
use crate::plan::{Need, Plan};
use crate::run::layout::Geometry;
use crate::run::tests::{key_of, sparse_run};
use crate::run::{Run, RunReader};
use crate::units::ByteSize;

/// How the keys of the runs lie to one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// All over.
    Random,
    /// Every run has the same keys.
    Alike,
    /// One run after the other, last one first.
    Disjoint,
}

/// The first bytes of a key: they rise with `number` from run to run as `order` says.
fn key_start(order: Order, run: u64, number: u64) -> u32 {
    let jitter = (run << 20 | number).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44;
    let value = match order {
        Order::Random => number << 20 | jitter,
        Order::Alike => number << 20,
        Order::Disjoint => (1000 - run) << 20 | number,
    };
    value as u32
}

/// Cuts all slabs of a merge at full width, of about four slabs of data.
fn check(need: &Need, key_length: usize, plan: &Plan, order: Order) {
    let folder = tempfile::tempdir().unwrap();
    let (width, length) = (plan.merge_width, need.record_length);
    let records = (4 * plan.slab_bytes / width / length).max(3);
    let key = key_of(&format!("0..{key_length}"), length);
    let write = |run: usize| -> Run {
        // Uneven runs, so that parts end at blocks in every way.
        let geometry = Geometry::fixed(length, key_length, (records - run % 3) as u64);
        sparse_run(&folder.path().join(run.to_string()), &geometry, |number, key| {
            key[..4].copy_from_slice(&key_start(order, run as u64, number).to_be_bytes());
        })
    };
    let open = |run: Run| RunReader::open(&run, Direct::Off).unwrap();
    let readers: Vec<RunReader> = (0..width).map(write).map(open).collect();
    let walked: Vec<&RunReader> = readers.iter().collect();
    let mut planner = Planner::new(key.encoder(), &walked, plan.slab_bytes, 0).unwrap();
    let (mut needed, mut read) = (0, 0);
    while let Some(slab) = planner.next_slab().unwrap() {
        let explain =
            || format!("{need:?}, {width} runs, {order:?}: {} bytes", slab.memory_bytes());
        assert!(slab.memory_bytes() <= plan.slab_bytes, "{}", explain());
        read += slab.memory_bytes();
    }
    for run in &readers {
        needed += run.geometry().blocks() as usize * BLOCK;
    }
    let (needed_mb, read_mb) = (needed >> 20, read >> 20);
    assert!(read >= needed, "{need:?}, {order:?}: {read_mb} MiB read of {needed_mb}");
    assert!(read < 2 * needed, "{need:?}, {order:?}: {read_mb} MiB read for {needed_mb}");
}

#[test]
fn slabs_fit_at_full_width() {
    let mut checked = 0;
    for mib in [33, 64, 256] {
        for record_length in [16, 100, 300, 5000, 70_000] {
            for key_length in [10, record_length] {
                let budget = ByteSize::mib(mib);
                let need = Need {
                    input_bytes: None,
                    inputs: 1,
                    record_length,
                    varies: false,
                    budget,
                    threads: 2,
                };
                let Ok(plan) = Plan::new(&need) else { continue };
                for order in [Order::Random, Order::Alike, Order::Disjoint] {
                    // Keys that agree beyond the index are read from records, which are not there.
                    if order != Order::Alike || key_length <= 300 {
                        check(&need, key_length, &plan, order);
                        checked += 1;
                    }
                }
            }
        }
    }
    assert!(checked >= 80, "{checked} plans were held to their promise");
}

/// The plan of an endless stream of 100-byte records.
fn plan_within(budget: ByteSize) -> Plan {
    let need = Need {
        input_bytes: None,
        inputs: 1,
        record_length: 100,
        varies: false,
        budget,
        threads: 2,
    };
    Plan::new(&need).unwrap()
}

/// Long records make merges narrower, then of two, then impossible; and then the budget that is
/// named would do.
#[test]
fn the_longest_record_decides_the_width() {
    for mib in [64, 256, 4096] {
        let budget = ByteSize::mib(mib);
        let plan = plan_within(budget);
        assert_eq!(width_of(&plan, 100).unwrap(), plan.merge_width);
        let (mut before, mut longest_bytes) = (plan.merge_width, 100);
        let error = loop {
            match width_of(&plan, longest_bytes) {
                Ok(width) => assert!((2..=before).contains(&width), "{width} after {before}"),
                Err(error) => break error,
            }
            let width = width_of(&plan, longest_bytes).unwrap();
            let room = Planner::least_capacity(vec![longest_bytes; width]);
            assert!(room <= plan.slab_bytes as u64, "{width} runs");
            (before, longest_bytes) = (width, longest_bytes + longest_bytes / 20 + 1);
        };
        assert_eq!(before, 2);
        assert!(longest_bytes > budget.bytes() / 14, "{longest_bytes} bytes in {budget}");
        assert_eq!(error.exit_code(), 2);
        let said = error.to_string();
        assert!(said.contains(&ByteSize(longest_bytes).to_string()), "{said}");
        let named = said.split("at least ").nth(1).unwrap().split(" with").next().unwrap();
        let enough: ByteSize = named.parse().unwrap();
        assert!(enough > budget && enough.bytes() < 2 * budget.bytes(), "{said}");
        assert_eq!(width_of(&plan_within(enough), longest_bytes).unwrap(), 2, "{said}");
    }
}
