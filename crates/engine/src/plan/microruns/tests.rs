//! Sizes of runs in memory, and that their memory is within the budget.

use crate::plan::levers::Levers;
use crate::plan::tests::need;
use crate::plan::{Algorithm, MicrorunPlan, Need, Plan};
use crate::units::ByteSize;

const GIB: u64 = 1 << 30;

fn plan(algorithm: Algorithm, levers: Levers, bytes: u64, budget: ByteSize) -> Plan {
    Plan::new(&Need { algorithm, levers, ..need(100, Some(bytes), budget) }).unwrap()
}

fn runs(algorithm: Algorithm, levers: Levers, records: u64) -> MicrorunPlan {
    plan(algorithm, levers, records * 100, ByteSize(64 * GIB)).microruns.unwrap()
}

#[test]
fn defaults_are_those_of_the_papers() {
    for (records, entries) in [(100, 16), (1_000_000, 1024), (10_000_000, 4096)] {
        let made = runs(Algorithm::MERGESORT, Levers::default(), records);
        assert_eq!(made.sort.entries, entries);
        assert!(made.width_max as u64 >= records / entries as u64);
    }
    for (records, count) in [(10_000, 10), (1_000_000, 30), (100_000_000, 100)] {
        let made = runs(Algorithm::ALPHASORT, Levers::default(), records);
        assert_eq!(records.div_ceil(made.sort.entries as u64), count);
    }
    let usual = plan(Algorithm::Auto, Levers::default(), GIB, ByteSize(GIB));
    assert_eq!(usual.microruns, None);
}

#[test]
fn roots_are_rounded_up() {
    let squares = [1, 2, 4, 5, (1 << 24), (1 << 24) + 1];
    assert_eq!(squares.map(super::root_upwards), [1, 2, 2, 3, 4096, 4097]);
}

#[test]
fn levers_decide() {
    let levers = Levers { microrun: Some(1000), ..Levers::default() };
    let made = runs(Algorithm::MERGESORT, levers, 1_000_000);
    assert!(made.sort.entries == 1000 && made.is_asked);
    let levers = Levers { alphasort_runs: Some(7), ..Levers::default() };
    let made = runs(Algorithm::ALPHASORT, levers, 700_000);
    assert!(made.sort.entries >= 100_000 && made.sort.entries < 101_000, "{made:?}");
    let need = Need { levers, ..need(100, Some(GIB), ByteSize(GIB)) };
    assert!(Plan::new(&need).is_err());
}

#[test]
fn all_parts_are_within_the_budget() {
    for algorithm in [Algorithm::MERGESORT, Algorithm::ALPHASORT] {
        for mib in [24, 32, 64, 300, 2000] {
            for microrun in [None, Some(16), Some(1 << 20)] {
                let microrun = microrun.filter(|_| algorithm == Algorithm::MERGESORT);
                let levers = Levers { microrun, ..Levers::default() };
                let budget = ByteSize::mib(mib);
                let need = Need { algorithm, levers, ..need(100, Some(GIB), budget) };
                let Ok(plan) = Plan::new(&need) else { continue };
                let made = plan.microruns.unwrap();
                let outside = plan.threads * made.heap_bytes();
                assert!((plan.arena_bytes + outside) as u64 + (12 << 20) <= budget.bytes());
                assert!(made.hold(&plan.load), "{made:?} {:?}", plan.load);
            }
        }
    }
}
