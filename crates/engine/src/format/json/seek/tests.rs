//! Values found here, and by the parser.

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::format::json::Path;

/// Returns the value as the parser finds it; names in `line` are there once.
fn parsed(line: &str, steps: &[PathStep]) -> Option<Value> {
    let whole: Value = serde_json::from_str(line).ok()?;
    let step = |value: &Value, step: &PathStep| match value {
        Value::Object(members) => members.get(&step.name).cloned(),
        Value::Array(elements) => elements.get(step.index?).cloned(),
        _ => None,
    };
    steps.iter().try_fold(whole, |value, wanted| step(&value, wanted))
}

/// Any value, its strings full of what ends and begins values.
fn values() -> impl Strategy<Value = Value> {
    let text = prop_oneof![Just("a".to_owned()), "[\\]\\[{}\",:\\\\ a\u{e9}]{0,40}"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    let names =
        prop_oneof![Just("a".to_owned()), Just("b\"c".to_owned()), Just("0".to_owned()), text];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map(names.clone(), inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn values_are_those_of_the_parser(
        value in values(),
        is_wide: bool,
        path in proptest::collection::vec(
            prop_oneof![Just("a"), Just("b\"c"), Just("0"), Just("1")], 1..4),
    ) {
        let line = match is_wide {
            true => serde_json::to_string_pretty(&value).expect("text").replace('\n', "\r\t"),
            false => value.to_string(),
        };
        let path = Path::read(&format!("/{}", path.join("/"))).expect("a path");
        let found = find(line.as_bytes(), &path.0);
        let has_escapes = |text: &[u8]| text.starts_with(b"\"") && text.contains(&b'\\');
        prop_assert!(found.is_none_or(|(text, escapes)| escapes == has_escapes(text)), "{}", line);
        let found = found.map(|(text, _)| serde_json::from_slice::<Value>(text).expect("a value"));
        prop_assert_eq!(found, parsed(&line, &path.0), "{}", line);
    }

    #[test]
    fn any_bytes_are_looked_through(
        text in proptest::collection::vec(
            prop_oneof![Just(b'{'), Just(b'['), Just(b'"'), Just(b':'), Just(b','), Just(b'a'),
                        Just(b'\\'), Just(b']'), Just(b'}'), Just(b' '), any::<u8>()], 0..60),
    ) {
        for path in ["a", "a.a", "0", "1.a"] {
            let found = find(&text, &Path::read(path).expect("a path").0);
            prop_assert!(found.is_none_or(|(found, _)| found.len() <= text.len()));
        }
    }
}

#[test]
fn the_first_member_of_a_name_counts() {
    let path = |text| Path::read(text).expect("a path").0;
    let line = br#"{"a\u0062":1,"ab":2,"c":{"x":"a long text, \"longer\" than short"},"c":3}"#;
    assert_eq!(find(line, &path("ab")), Some((&b"1"[..], false)));
    let long = &br#""a long text, \"longer\" than short""#[..];
    assert_eq!(find(line, &path("c.x")), Some((long, true)));
    assert_eq!(find(line, &path("c.y")), None);
}
