//! Memory of the machine that tests run on: figures of sense, whatever it has.

use super::*;

#[test]
fn memory_is_found_and_comes() {
    let found = memory(Duration::from_millis(300), 2, &Progress::new()).expect("measured");
    let MemoryProfile { usable_bytes, claimed_bytes, huge_pages_all, small_pages_one, .. } =
        found.profile;
    assert!(usable_bytes < claimed_bytes);
    assert!(huge_pages_all > 1e6 && small_pages_one > 1e6, "{found:?}");
    assert!(found.profile.reused_pages_all > 1e6, "{found:?}");
    let progress = Progress::new();
    let mut growth = HeldMemory::new(2 * STEP, &progress);
    while growth.end.is_none() {
        growth.step(PageSize::Huge, 2).expect("touched");
    }
    assert!(growth.end == Some(MemoryEnd::Paging) || growth.bytes() == 2 * STEP);
}

#[test]
fn it_stops_when_told() {
    let progress = Progress::new();
    progress.request_stop();
    let stopped = memory(Duration::from_secs(60), 1, &progress);
    assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
}
