//! Lists of values, good and bad.

use super::*;

fn list(values: &[&str]) -> Result<ValueList, String> {
    ValueList::new(values.iter().map(|value| value.as_bytes()))
}

#[test]
fn values_have_the_places_they_were_given() {
    let values = list(&["low", "mid", "high"]).unwrap();
    let place = |value: &str| values.place(value.as_bytes());
    assert_eq!((place("low"), place("mid"), place("high")), (Some(0), Some(1), Some(2)));
    assert_eq!((place("Low"), place("")), (None, None));
    assert_eq!(values.beginning(99), b"low|mid|high");
    assert_eq!(values.beginning(4), b"low|mid");
}

#[test]
fn lists_that_say_nothing_are_refused() {
    assert!(list(&[]).unwrap_err().contains("no values"));
    assert!(list(&["a", ""]).unwrap_err().contains("empty value"));
    assert!(list(&["a", "b", "a"]).unwrap_err().contains("'a' twice"));
}

#[test]
fn long_lists_know_their_values_and_take_little_more() {
    let values: Vec<String> = (0..100_000).map(|number| format!("v{}", number * 7)).collect();
    let list = ValueList::new(values.iter().map(String::as_bytes)).unwrap();
    for (place, value) in values.iter().enumerate() {
        assert_eq!(list.place(value.as_bytes()), Some(place as u32));
    }
    assert_eq!((list.place(b"v1"), list.place(b"v70000000")), (None, None));
    let written: usize = values.iter().map(String::len).sum();
    assert!(list.bytes() < written + 20 * values.len(), "{} bytes", list.bytes());
}
