//! Memory within the budget, and nothing left of a thousand jobs.

use std::fs;

use serde_json::Value;

use crate::harness::{installation, succeeded};

#[test]
fn callbacks_sort_within_64_mib_by_spilling() {
    let Some(installed) = installation() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let program = installed.program("tests/c/spill.c");
    let base = succeeded(installed.call(&program).arg("10"));
    let kib = |text: &str| text.lines().next().and_then(|line| line.parse::<u64>().ok());
    let base = kib(&base).expect("a size");
    for (records, order) in [(2_000_000, None), (600_000, Some("compare"))] {
        let mut call = installed.call(&program);
        call.arg(records.to_string()).arg(folder.path()).args(order);
        let printed = succeeded(&mut call);
        let peak = kib(&printed).expect("a size");
        let json = printed.lines().nth(1).expect("statistics");
        let statistics: Value = serde_json::from_str(json).expect("JSON");
        assert_eq!(statistics["records"], records);
        assert!(statistics["runs"].as_u64().is_some_and(|runs| runs > 1), "{json}");
        assert!(peak < base + (64 << 10), "{order:?}: {peak} KiB at the peak, {base} KiB without");
        assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 0);
    }
}

#[test]
fn a_thousand_jobs_leave_nothing() {
    let Some(installed) = installation() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let program = installed.program("tests/c/many.c");
    assert_eq!(succeeded(installed.call(&program).arg(folder.path())), "nothing is left\n");
}
