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
        let geometry = Geometry::new(length, key_length, (records - run % 3) as u64);
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
        let explain = || format!("{need:?}, {width} runs, {order:?}: {} bytes", slab.bytes());
        assert!(slab.bytes() <= plan.slab_bytes, "{}", explain());
        read += slab.bytes();
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
