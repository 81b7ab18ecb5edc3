//! Values against `slice::sort_by`, and sources and codecs that fail.

use super::*;

fn encode(value: &(u32, String), bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&value.0.to_le_bytes());
    bytes.extend_from_slice(value.1.as_bytes());
}

fn decode(bytes: &[u8]) -> std::result::Result<(u32, String), CodecError> {
    let (number, text) = bytes.split_first_chunk().ok_or("too short")?;
    Ok((u32::from_le_bytes(*number), String::from_utf8(text.to_vec())?))
}

#[test]
fn values_are_sorted_by_several_keys() {
    for count in [0, 10, 200_000_u32] {
        let number = |place: u32| place.wrapping_mul(2_654_435_761);
        let values = (0..count).map(|place| (number(place) % 100, format!("text {place}")));
        let mut expected: Vec<_> = values.clone().collect();
        expected.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let sorted = Sorter::new()
            .sort_values(values, |value, key| key.desc(value.0).asc(&value.1), (encode, decode))
            .expect("a sort");
        let found: Vec<_> = sorted.collect::<Result<_>>().expect("values");
        assert!(found == expected, "{count} values");
    }
}

#[test]
fn sources_and_codecs_that_fail_end_the_sort() {
    let values = [Ok((1, "a".to_owned())), Err("the network is gone")];
    let sorted = Sorter::new().try_sort_values(values, |v, key| key.asc(v.0), (encode, decode));
    let error = sorted.err().expect("an error").to_string();
    assert!(error.contains("value 2 is missing: the network is gone"), "{error}");

    let fails = || Err(Error::Caller { message: "the network is gone".to_owned() });
    let values = [Ok((1, "a".to_owned())), fails()];
    let sorted = Sorter::new().try_sort_values(values, |v, key| key.asc(v.0), (encode, decode));
    let error = sorted.err().expect("an error").to_string();
    assert_eq!(error.matches("no output file was written").count(), 1, "{error}");

    let values = [(1, "a".to_owned()), (2, "b".to_owned())];
    let fails = |bytes: &[u8]| match decode(bytes)? {
        (2, _) => Err("no such value".into()),
        value => Ok(value),
    };
    let codec = (encode, fails);
    let mut sorted =
        Sorter::new().sort_values(values, |v, key| key.asc(v.0), codec).expect("a sort");
    assert!(sorted.next().is_some_and(|value| value.is_ok()));
    let error = sorted.next().and_then(Result::err).expect("an error").to_string();
    assert!(error.contains("value 2 cannot be decoded: no such value"), "{error}");
    assert!(sorted.next().is_none(), "it ends after an error");
    assert!(matches!(sorted.close(), Err(Error::Interrupted)));
}

#[test]
fn no_value_is_passed_over_after_a_panic_of_the_codec() {
    let values = [1, 2, 3].map(|number| (number, "text".to_owned()));
    let panics = |bytes: &[u8]| match decode(bytes)? {
        (2, _) => panic!("no such value"),
        value => Ok(value),
    };
    let sorted = || {
        let codec = (encode, panics);
        let mut sorted = Sorter::new().sort_values(values.clone(), |v, key| key.asc(v.0), codec)?;
        assert!(sorted.next().is_some_and(|value| value.is_ok()));
        let next = std::panic::AssertUnwindSafe(|| drop(sorted.next()));
        std::panic::catch_unwind(next).expect_err("a panic");
        Ok::<_, Error>(sorted)
    };
    let mut walked = sorted().expect("a sort");
    assert!(matches!(walked.next(), Some(Err(Error::Interrupted))));
    assert!(walked.next().is_none() && walked.close().is_err());
    assert!(matches!(sorted().expect("a sort").close(), Err(Error::Interrupted)));
}

#[cfg(feature = "serde")]
#[test]
fn serde_writes_and_reads_values() {
    use serde::{Deserialize, Serialize};

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    enum Shape {
        Point,
        Circle { radius: f64, names: Vec<Option<String>> },
    }

    let shape = |number: u32| match number % 3 {
        0 => Shape::Point,
        rest => Shape::Circle {
            radius: f64::from(number),
            names: vec![Some(number.to_string()); rest as usize],
        },
    };
    let number = |shape: &Shape| match shape {
        Shape::Point => 0,
        Shape::Circle { radius, .. } => -(*radius as i64),
    };
    let shapes: Vec<_> = (0..5000).map(shape).collect();
    let mut expected = shapes.clone();
    expected.sort_by_key(number);
    let sorted = Sorter::new()
        .sort_values(shapes, |shape, key| key.asc(number(shape)), Postcard)
        .expect("a sort");
    assert!(sorted.collect::<Result<Vec<_>>>().expect("values") == expected);

    let mut bytes = b"before".to_vec();
    Postcard.encode(&7_u8, &mut bytes).expect("a number");
    assert_eq!(bytes, b"before\x07");
    let excess: std::result::Result<u8, _> = Postcard.decode(b"\x07\x08");
    assert_eq!(excess.expect_err("two numbers").to_string(), "1 bytes are left after the value");
    let lacking: std::result::Result<String, _> = Postcard.decode(b"\x07a");
    lacking.expect_err("a short text");

    /// A value that serde cannot write.
    #[derive(Debug, Deserialize)]
    struct Secret;
    impl Serialize for Secret {
        fn serialize<S: serde::Serializer>(&self, _: S) -> std::result::Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("it is secret"))
        }
    }
    let error = Sorter::new().sort_values([Secret], |_, key| key.asc(1), Postcard);
    let error = error.expect_err("an error").to_string();
    assert!(error.starts_with("value 1 cannot be encoded: "), "{error}");
}
