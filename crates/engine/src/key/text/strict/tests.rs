//! Values, and what is none, of the types that are loose in lines.

use super::*;

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
    check(|text| is_int(text, PLAIN), &values, &others);
    check(|text| is_int(text, GERMAN), &["1.000", "-1.000.000"], &["1,0", ".5", "."]);
}

#[test]
fn numbers_with_fractions() {
    let values = ["0", "-1.50", "+2.5", ".5", "5.", "-.5", " 1 ", "00.00"];
    let others = ["", ".", "-", "-.", "1e3", "1.2.3", "1,5", "1 5", "x", "1x", "nan", "inf"];
    check(|text| is_decimal(text, PLAIN), &values, &others);
    check(|text| is_decimal(text, GERMAN), &["1.000,25", "0,5"], &["1,000,25", ","]);
    check(is_float, &["1", "-1e300", "inf", "NaN", " .5 ", "1."], &["", "x", "1x", "0x1", "1e"]);
}

#[test]
fn sizes() {
    let values = ["0", "512", "1K", "1k", "2.5Gi", "2.5 GiB", "10 mb", "7B", "-1K", "1Q"];
    let others = ["", "K", "1KK", "1Kx", "1 K B", "1  K", "1iB", "B", "1X"];
    check(|text| is_size(text, PLAIN), &values, &others);
}

#[test]
fn months() {
    let months = Months::default();
    let values = ["jan", "FEB", " March ", "may", "september", "Dec"];
    let others = ["", "ja", "janu", "mars", "January 5", "x", "13"];
    check(|text| is_month(text, &months), &values, &others);
}
