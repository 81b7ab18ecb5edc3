//! Good values, bad values and the words for them.

use super::*;

#[test]
fn thread_counts() {
    assert_eq!(threads("1"), Ok(1));
    assert_eq!(threads("1024"), Ok(1024));
    assert_eq!((threads("0"), chosen(Some(0)), chosen(Some(2))), (Ok(0), None, Some(2)));
    for bad in ["1025", "-2", "two", ""] {
        assert!(threads(bad).is_err(), "{bad}");
    }
}

#[test]
fn directions_turn_around() {
    assert_eq!(reversed_text("0..10"), "0..10:desc");
    assert_eq!(reversed_text("0..10:desc"), "0..10");
    assert_eq!(reversed_text("8..16:u64le"), "8..16:u64le:desc");
    assert_eq!(reversed_text("8..16:u64le:asc"), "8..16:u64le:desc");
    assert_eq!(reversed_text("8..16:u64le:desc"), "8..16:u64le");
}

#[test]
fn turning_keys_around_twice_changes_nothing() {
    let keys: Vec<KeySpec> =
        ["0..10", "4..8:i32be:desc", "12.."].map(|key| key.parse().expect(key)).to_vec();
    let words = |keys: &[KeySpec]| keys.iter().map(ToString::to_string).collect::<Vec<_>>();
    let once = reversed(&keys).expect("once");
    assert_ne!(words(&once), words(&keys));
    assert_eq!(words(&reversed(&once).expect("twice")), words(&keys));
    assert_eq!(words(&reversed(&[]).expect("none")), ["0..:desc"]);
}
