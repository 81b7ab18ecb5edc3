//! Values, and what is none, of the types that are loose in lines.

use super::super::super::order::{TextOrder, TextSpec};
use super::super::super::text_type::TextType;
use super::*;

/// The check of a type, with numbers in a format.
fn of(text_type: TextType, numbers: NumberFormat) -> impl Fn(&[u8]) -> bool {
    let order = TextOrder::by_bytes(b'\n').with(|options| options.numbers = numbers);
    let typed = Typed::new(&TextSpec { text_type, ..TextSpec::default() }, &order, true, true);
    move |text| typed.is_valid(text)
}

#[track_caller]
fn check(is_valid: impl Fn(&[u8]) -> bool, values: &[&str], others: &[&str]) {
    for text in values {
        assert!(is_valid(text.as_bytes()), "'{text}' is one");
    }
    for text in others {
        assert!(!is_valid(text.as_bytes()), "'{text}' is none");
    }
}

const PLAIN: NumberFormat = NumberFormat { radix: b'.', thousands: None };
const GERMAN: NumberFormat = NumberFormat { radix: b',', thousands: Some(b'.') };

#[test]
fn whole_numbers() {
    let values = ["0", "-0", "+7", "007", " 12 ", "\t-1\n", "123456789012345678901234567890"];
    let others = ["", " ", "-", "+", "1.0", "1e3", "1 2", "x1", "1x", "--1", "+-1", "- 1", "1,000"];
    check(of(TextType::INT, PLAIN), &values, &others);
    check(of(TextType::INT, GERMAN), &["1.000", "-1.000.000"], &["1,0", ".5", "."]);
}

#[test]
fn numbers_with_fractions() {
    let values = ["0", "-1.50", "+2.5", ".5", "5.", "-.5", " 1 ", "00.00"];
    let others = ["", ".", "-", "-.", "1e3", "1.2.3", "1,5", "1 5", "x", "1x", "nan", "inf"];
    check(of(TextType::DECIMAL, PLAIN), &values, &others);
    check(of(TextType::DECIMAL, GERMAN), &["1.000,25", "0,5"], &["1,000,25", ","]);
    check(
        of(TextType::FLOAT, PLAIN),
        &["1", "-1e300", "inf", "NaN", " .5 ", "1."],
        &["", "x", "1x", "0x1", "1e"],
    );
}

#[test]
fn sizes() {
    let values = ["0", "512", "1K", "1k", "2.5Gi", "2.5 GiB", "10 mb", "7B", "-1K", "1Q"];
    let others = ["", "K", "1KK", "1Kx", "1 K B", "1  K", "1iB", "B", "1X"];
    check(of(TextType::SIZE, PLAIN), &values, &others);
}

#[test]
fn months() {
    let values = ["jan", "FEB", " March ", "may", "september", "Dec"];
    let others = ["", "ja", "janu", "mars", "January 5", "x", "13"];
    check(of(TextType::MONTH, PLAIN), &values, &others);
}
