//! Values as `sort --debug` was seen to underline them.

use super::*;

const GROUPED: NumberFormat = NumberFormat { radix: b'.', thousands: Some(b',') };

#[test]
fn values_reach_as_far_as_shown() {
    let cases: &[(TextType, &str, usize)] = &[
        (TextType::NUMERIC, "", 0),
        (TextType::NUMERIC, "abc", 0),
        (TextType::NUMERIC, "12k", 2),
        (TextType::NUMERIC, "-0.50x", 5),
        (TextType::NUMERIC, "+3", 0),
        (TextType::NUMERIC, "-.5", 3),
        (TextType::NUMERIC, "-.", 0),
        (TextType::NUMERIC, "5.", 2),
        (TextType::NUMERIC, "1..", 2),
        (TextType::NUMERIC, "1,,2", 1),
        (TextType::NUMERIC, "1,2,", 3),
        (TextType::NUMERIC, "1,.5", 1),
        (TextType::NUMERIC, "1,2,3.4.5", 7),
        (TextType::NUMERIC, "-,1", 0),
        (TextType::NUMERIC, "1.2,3", 3),
        (TextType::HUMAN, "1,000K", 6),
        (TextType::HUMAN, "1,K", 1),
        (TextType::HUMAN, "5kk", 2),
        (TextType::HUMAN, "5m", 1),
        (TextType::HUMAN, ".K", 0),
        (TextType::MONTH, "Mayo", 3),
        (TextType::MONTH, "ja", 0),
        (TextType::GENERAL, "\x0b 5", 3),
        (TextType::GENERAL, "0x", 1),
        (TextType::GENERAL, "0x.", 1),
        (TextType::GENERAL, "0x1p", 3),
        (TextType::GENERAL, "0x.8p1x", 6),
        (TextType::GENERAL, "+0x1.p-2", 8),
        (TextType::GENERAL, "1e+", 1),
        (TextType::GENERAL, "1e-5x", 4),
        (TextType::GENERAL, ".e5", 0),
        (TextType::GENERAL, "infinit", 3),
        (TextType::GENERAL, "-Infinity", 9),
        (TextType::GENERAL, "nan(a_b)", 8),
        (TextType::GENERAL, "-nan()", 6),
        (TextType::GENERAL, "nan(a b)", 3),
        (TextType::GENERAL, "- 1", 0),
        (TextType::VERSION, "a1 ", 3),
    ];
    for (text_type, key, expected) in cases {
        let found = of(key.as_bytes(), text_type, GROUPED, &Months::default());
        assert_eq!(found, *expected, "{text_type:?} {key}");
    }
}
