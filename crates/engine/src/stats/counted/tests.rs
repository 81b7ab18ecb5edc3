//! As programs read it.

use serde_json::json;

use super::*;

#[test]
fn events_are_numbers_by_their_names() {
    let counted = Counted::Events {
        cycles: Some(50_000_000_000),
        instructions: Some(70_000_000_000),
        cache_misses: Some(9),
        tlb_misses: None,
    };
    let expected = json!({
        "cycles": 50_000_000_000_u64,
        "instructions": 70_000_000_000_u64,
        "cache_misses": 9,
        "tlb_misses": null,
    });
    assert_eq!(serde_json::to_value(counted).expect("JSON"), expected);
}

#[test]
fn a_reason_stands_alone() {
    let counted = Counted::Nothing { missing: "the system forbids them".to_owned() };
    let expected = json!({ "missing": "the system forbids them" });
    assert_eq!(serde_json::to_value(counted).expect("JSON"), expected);
}
