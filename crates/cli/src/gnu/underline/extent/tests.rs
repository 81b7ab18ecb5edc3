//! Values as `sort --debug` was seen to underline them.

use super::*;

const GROUPED: NumberFormat = NumberFormat { radix: b'.', thousands: Some(b',') };

#[test]
fn values_reach_as_far_as_shown() {
    let cases: &[(TextType, &str, usize)] = &[
        (TextType::Decimal, "", 0),
        (TextType::Decimal, "abc", 0),
        (TextType::Decimal, "12k", 2),
        (TextType::Decimal, "-0.50x", 5),
        (TextType::Decimal, "+3", 0),
        (TextType::Decimal, "-.5", 3),
        (TextType::Decimal, "-.", 0),
        (TextType::Decimal, "5.", 2),
        (TextType::Decimal, "1..", 2),
        (TextType::Decimal, "1,,2", 1),
        (TextType::Decimal, "1,2,", 3),
        (TextType::Decimal, "1,.5", 1),
        (TextType::Decimal, "1,2,3.4.5", 7),
        (TextType::Decimal, "-,1", 0),
        (TextType::Decimal, "1.2,3", 3),
        (TextType::Human, "1,000K", 6),
        (TextType::Human, "1,K", 1),
        (TextType::Human, "5kk", 2),
        (TextType::Human, "5m", 1),
        (TextType::Human, ".K", 0),
        (TextType::Month, "Mayo", 3),
        (TextType::Month, "ja", 0),
        (TextType::General, "\x0b 5", 3),
        (TextType::General, "0x", 1),
        (TextType::General, "0x.", 1),
        (TextType::General, "0x1p", 3),
        (TextType::General, "0x.8p1x", 6),
        (TextType::General, "+0x1.p-2", 8),
        (TextType::General, "1e+", 1),
        (TextType::General, "1e-5x", 4),
        (TextType::General, ".e5", 0),
        (TextType::General, "infinit", 3),
        (TextType::General, "-Infinity", 9),
        (TextType::General, "nan(a_b)", 8),
        (TextType::General, "-nan()", 6),
        (TextType::General, "nan(a b)", 3),
        (TextType::General, "- 1", 0),
        (TextType::Version, "a1 ", 3),
    ];
    for (text_type, key, expected) in cases {
        let found = of(key.as_bytes(), text_type, GROUPED, &Months::default());
        assert_eq!(found, *expected, "{text_type:?} {key}");
    }
}
