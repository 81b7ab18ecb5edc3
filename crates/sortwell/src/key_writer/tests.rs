//! Keys compare as their values do, alone and one after the other.

use std::cmp::Ordering;

use super::*;

fn key_of(write: impl FnOnce(&mut KeyWriter<'_>)) -> Vec<u8> {
    let mut key = Vec::new();
    write(&mut KeyWriter::new(&mut key));
    key
}

/// Checks that keys of `values` compare as `compare` says, alone and before another value, and the
/// other way round in descending order.
fn assert_order<V: KeyValue + Clone + std::fmt::Debug>(
    values: &[V],
    compare: impl Fn(&V, &V) -> Ordering,
) {
    for a in values {
        for b in values {
            let expected = compare(a, b);
            let asc = |value: &V, then: u8| {
                key_of(|key| {
                    key.asc(value).asc(then);
                })
            };
            let desc = |value: &V, then: u8| {
                key_of(|key| {
                    key.desc(value).asc(then);
                })
            };
            let (up, down) = (asc(a, 1).cmp(&asc(b, 1)), desc(a, 1).cmp(&desc(b, 1)));
            assert_eq!((up, down), (expected, expected.reverse()), "{a:?} {b:?}");
            if expected.is_eq() {
                assert!(asc(a, 1) < asc(b, 2) && desc(a, 1) < desc(b, 2), "{a:?} {b:?}");
            } else {
                assert_eq!(asc(a, 2).cmp(&asc(b, 1)), expected, "{a:?} {b:?}");
            }
        }
    }
}

#[test]
fn integers_of_all_widths_keep_their_order() {
    macro_rules! assert_all {
        ($($type:ty),+) => { $(
            let (least, most) = (<$type>::MIN, <$type>::MAX);
            assert_order(&[least, least + 1, most / 2, 0, 1, most - 1, most], Ord::cmp);
        )+ };
    }
    assert_all!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);
    assert_order(&[-1_i64, -256, 255, 256, 1 << 40], Ord::cmp);
}

#[test]
fn floats_are_in_total_order() {
    let values = [f64::NAN, f64::INFINITY, 1.5, f64::MIN_POSITIVE, 0.0, -0.0, -2.0, -f64::NAN];
    assert_order(&values, f64::total_cmp);
    assert_order(&values.map(|value| value as f32), f32::total_cmp);
}

#[test]
fn bytes_and_texts_are_in_the_order_of_their_bytes() {
    let values: Vec<Vec<u8>> = [
        &b""[..],
        b"\0",
        b"\0\0",
        b"\0\x01",
        b"\x01",
        b"\x01\0",
        b"\x01\xff",
        b"\x02",
        b"a",
        b"a\0",
        b"a\0b",
        b"ab",
        b"b",
        b"\xff",
        b"\xff\xff",
    ]
    .map(<[u8]>::to_vec)
    .to_vec();
    assert_order(&values, Ord::cmp);
    assert_order(&["", "a", "a\u{0}", "ab", "\u{e9}", "z"], Ord::cmp);
    assert_order(&["b".to_owned(), "a".to_owned()], Ord::cmp);
    assert_order(&[[0, 1], [1, 0], [1, 1]], Ord::cmp);
}

#[test]
fn other_values_are_in_their_order() {
    assert_order(&[false, true], Ord::cmp);
    assert_order(&['a', 'z', '\u{e9}', '\u{10ffff}'], Ord::cmp);
    assert_order(&[None, Some(-1), Some(0), Some(7)], Ord::cmp);
    assert_order(&[None, Some(""), Some("a")], Ord::cmp);
    assert_order(&[None, Some(None), Some(Some(3_u8))], Ord::cmp);
}

#[test]
fn the_first_value_counts_most() {
    let pairs = [("a", 2), ("a", 10), ("ab", -1), ("b", -5), ("b", 0)];
    let keys = pairs.map(|(text, number)| {
        key_of(|key| {
            key.asc(text).asc(number);
        })
    });
    assert!(keys.is_sorted());
    let keys = pairs.map(|(text, number)| {
        key_of(|key| {
            key.desc(text).desc(number);
        })
    });
    assert!(keys.iter().rev().is_sorted());
}
