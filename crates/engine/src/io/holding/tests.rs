//! Tests of what places hold: limits that are kept, and clocks that run while something is written.

use super::*;

fn allowance(bytes: u64) -> Arc<Allowance> {
    Allowance::new(Some(ByteSize(bytes)))
}

#[test]
fn all_places_share_a_limit() {
    let allowance = allowance(100);
    let (a, b) = (Holding::new(&allowance, 0), Holding::new(&allowance, 30));
    a.claim(50).unwrap();
    b.claim(20).unwrap();
    assert_eq!((a.bytes(), b.bytes()), (50, 50));
    assert!(matches!(a.claim(1), Err(Error::OverLimit { needed: None, limit: ByteSize(100) })));
    assert_eq!(a.bytes(), 50, "nothing claimed where it was refused");
    b.release(50);
    allowance.check(50).unwrap();
    let Err(Error::OverLimit { needed: Some(needed), .. }) = allowance.check(51) else {
        panic!("refused beforehand");
    };
    assert_eq!(needed, ByteSize(101));
    a.claim(50).unwrap();
}

#[test]
fn without_a_limit_anything_goes() {
    let allowance = Allowance::new(None);
    allowance.check(u64::MAX - 1).unwrap();
    Holding::new(&allowance, 1).claim(u64::MAX / 2).unwrap();
}

/// What is there already counts, even if it is too much.
#[test]
fn what_is_held_already_counts() {
    let allowance = allowance(100);
    let kept = Holding::new(&allowance, 101);
    kept.claim(0).expect_err("no more, not even nothing");
    kept.release(2);
    kept.claim(1).unwrap();
}

#[test]
fn files_claim_as_they_grow() {
    let holding = Holding::new(&allowance(100), 0);
    let (reserved, open) = (HoldingShare::new(&holding, 0), HoldingShare::new(&holding, 0));
    reserved.write_begins(60).unwrap();
    reserved.write_begins(20).unwrap();
    assert_eq!(holding.bytes(), 60, "bytes behind one another count once");
    open.write_begins(40).unwrap();
    assert!(open.write_begins(41).is_err());
    open.write_failed();
    open.write_ended(1);
    assert!(open.has_failed() && !reserved.has_failed());
    reserved.give_up();
    reserved.give_up();
    assert_eq!(holding.bytes(), 40, "what was refused was not claimed");
    open.give_up();
    assert_eq!(holding.bytes(), 0);
}

#[test]
fn clocks_run_while_something_is_under_way() {
    let start = Instant::now();
    let at = |seconds: u64| start + Duration::from_secs(seconds);
    let mut clock = BusyClock::default();
    assert_eq!(clock.speed(at(0)), None);
    clock.begin(at(10));
    clock.begin(at(11));
    clock.end(at(12), TELLING_BYTES / 2);
    assert_eq!(clock.speed(at(13)), None, "too little to tell");
    clock.end(at(14), TELLING_BYTES / 2);
    // Nothing was under way from 14 to 20.
    assert_eq!(clock.speed(at(20)), Some(TELLING_BYTES as f64 / 4.0));
    clock.begin(at(20));
    assert_eq!(clock.speed(at(24)), Some(TELLING_BYTES as f64 / 8.0));
    clock.end(at(24), TELLING_BYTES);
    assert_eq!(clock.speed(at(99)), Some(TELLING_BYTES as f64 / 4.0));
}
