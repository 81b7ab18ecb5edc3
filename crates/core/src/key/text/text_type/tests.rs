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
    assert_eq!(values.words(), "low|mid|high");
}

#[test]
fn lists_that_say_nothing_are_refused() {
    assert!(list(&[]).unwrap_err().contains("no values"));
    assert!(list(&["a", ""]).unwrap_err().contains("empty value"));
    assert!(list(&["a", "b", "a"]).unwrap_err().contains("'a' twice"));
}
