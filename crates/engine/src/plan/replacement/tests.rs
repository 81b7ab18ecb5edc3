//! What is divided is no more than there is, and hardly less.

use crate::error::ConfigErrorKind;
use crate::incore::replacement::LEAF_BYTES;
use crate::load::layout::PAGE;
use crate::plan::levers::{Levers, Overlap};
use crate::plan::tests::need;
use crate::plan::{Algorithm, Need, Plan};
use crate::units::ByteSize;

fn plan(length: usize, varies: bool, mib: u64) -> Plan {
    let need = need(length, None, ByteSize::mib(mib));
    let algorithm = Algorithm::ReplacementSelection;
    Plan::new(&Need { varies, algorithm, ..need }).unwrap()
}

#[test]
fn the_parts_are_the_memory_of_both_loads() {
    for mib in [32, 64, 128, 1024, 100_000] {
        for (length, varies) in [(1, true), (16, false), (100, true), (100, false), (70_000, false)]
        {
            let plan = plan(length, varies, mib);
            let external = plan.external().unwrap();
            let memory = external.replacement().unwrap();
            let parts = memory.leaves as usize * LEAF_BYTES + memory.store_bytes;
            assert_eq!(parts + memory.left_alone(), 2 * external.slab_bytes, "{memory:?}");
            let levers = Levers { overlap: Overlap::Sync, ..Levers::default() };
            let algorithm = Algorithm::ReplacementSelection;
            let need = Need { varies, algorithm, levers, ..need(length, None, ByteSize::mib(mib)) };
            let alone = Plan::new(&need).unwrap();
            let alone = alone.external().unwrap().replacement().unwrap();
            assert!(alone.store_bytes.abs_diff(memory.store_bytes) <= PAGE, "{alone:?}");
            assert!(memory.window_bytes >= length && memory.piece_bytes > 0);
            let longest = memory.window_bytes + memory.spare_bytes;
            assert!(!varies || u32::try_from(memory.longest_bytes).is_ok(), "{memory:?}");
            assert!(!varies || length == 1 || longest <= memory.longest_bytes + memory.piece_bytes);
            let least = [0, 2, 4][usize::from(length > 1) + usize::from(length >= 100)];
            assert!(
                memory.records as usize * length >= external.slab_bytes / 6 * least,
                "{memory:?}"
            );
        }
    }
}

#[test]
fn other_plans_have_none() {
    let buckets = need(100, None, ByteSize::mib(64));
    assert_eq!(Plan::new(&buckets).unwrap().external().unwrap().replacement(), None);
    let algorithm = Algorithm::ReplacementSelection;
    let small = Need { algorithm, ..need(100, Some(1000), ByteSize::mib(64)) };
    assert_eq!(Plan::new(&small).unwrap().external(), None, "one pass has no runs");
}

#[test]
fn records_of_which_no_few_have_room_are_refused() {
    let algorithm = Algorithm::ReplacementSelection;
    let long = Need { algorithm, ..need(4 << 20, None, ByteSize::mib(64)) };
    match Plan::new(&long) {
        Ok(plan) => {
            assert!(plan.external().unwrap().replacement().is_some_and(|memory| memory.leaves > 2));
        }
        Err(e) => {
            assert!(matches!(e.config_kind(), Some(ConfigErrorKind::BudgetTooSmall { .. })), "{e}");
        }
    }
}
