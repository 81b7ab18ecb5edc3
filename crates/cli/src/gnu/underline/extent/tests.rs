//! Values as `sort --debug` was seen to underline them.

use super::*;

const GROUPED: NumberFormat = NumberFormat { radix: b'.', thousands: Some(b',') };

#[test]
fn values_reach_as_far_as_shown() {
    let cases: &[(TextType, &str, Range<usize>)] = &[
        (TextType::Decimal, "", 0..0),
        (TextType::Decimal, "  abc", 2..2),
        (TextType::Decimal, " 12k", 1..3),
        (TextType::Decimal, "-0.50x", 0..5),
        (TextType::Decimal, "+3", 0..0),
        (TextType::Decimal, "-.5", 0..3),
        (TextType::Decimal, "-.", 0..0),
        (TextType::Decimal, "5.", 0..2),
        (TextType::Decimal, "1..", 0..2),
        (TextType::Decimal, "1,,2", 0..1),
        (TextType::Decimal, "1,2,", 0..3),
        (TextType::Decimal, "1,.5", 0..1),
        (TextType::Decimal, "1,2,3.4.5", 0..7),
        (TextType::Decimal, "-,1", 0..0),
        (TextType::Decimal, "1.2,3", 0..3),
        (TextType::Human, "1,000K", 0..6),
        (TextType::Human, "1,K", 0..1),
        (TextType::Human, "5kk", 0..2),
        (TextType::Human, "5m", 0..1),
        (TextType::Human, ".K", 0..0),
        (TextType::Month, " Mayo", 1..4),
        (TextType::Month, "ja", 0..0),
        (TextType::General, " \x0b 5", 1..4),
        (TextType::General, "0x", 0..1),
        (TextType::General, "0x.", 0..1),
        (TextType::General, "0x1p", 0..3),
        (TextType::General, "0x.8p1x", 0..6),
        (TextType::General, "+0x1.p-2", 0..8),
        (TextType::General, "1e+", 0..1),
        (TextType::General, "1e-5x", 0..4),
        (TextType::General, ".e5", 0..0),
        (TextType::General, "infinit", 0..3),
        (TextType::General, "-Infinity", 0..9),
        (TextType::General, "nan(a_b)", 0..8),
        (TextType::General, "-nan()", 0..6),
        (TextType::General, "nan(a b)", 0..3),
        (TextType::General, "- 1", 0..0),
        (TextType::Version, " a1 ", 0..4),
    ];
    for (text_type, key, expected) in cases {
        let found = of(key.as_bytes(), *text_type, GROUPED, &Months::default());
        assert_eq!(found, *expected, "{text_type:?} {key}");
    }
}
