//! Values against `slice::sort_by`, and sources and codecs that fail.

use super::*;

type Failure = Box<dyn StdError + Send + Sync>;

fn encode(value: &(u32, String), bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&value.0.to_le_bytes());
    bytes.extend_from_slice(value.1.as_bytes());
}

fn decode(bytes: &[u8]) -> std::result::Result<(u32, String), Failure> {
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
