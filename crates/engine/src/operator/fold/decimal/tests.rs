//! Decimals against integers of 128 bits, and as they are written.

use proptest::prelude::*;

use super::*;

fn number(text: &str) -> Decimal {
    Decimal::read(text.as_bytes()).unwrap_or_else(|| panic!("{text}"))
}

fn text(number: &Decimal) -> String {
    let mut out = Vec::new();
    number.write(&mut out);
    String::from_utf8(out).unwrap()
}

fn sum(a: &str, b: &str) -> String {
    let mut sum = number(a);
    sum.add(&number(b));
    text(&sum)
}

#[test]
fn numbers_are_read_and_written_plainly() {
    for (written, plain) in [
        ("0", "0"),
        ("-0", "0"),
        ("-0.00", "0.00"),
        ("007", "7"),
        ("+5", "5"),
        (" 12.50\t", "12.50"),
        (".5", "0.5"),
        ("-.05", "-0.05"),
        ("5.", "5"),
        ("00.10", "0.10"),
    ] {
        assert_eq!(text(&number(written)), plain, "{written}");
    }
    for wrong in [
        "", " ", "-", ".", "+.", "1e5", "1,5", "0x1", "1 2", "--1", "1.2.3", "NaN", "٣", "5\r",
        "\u{c}5",
    ] {
        assert_eq!(Decimal::read(wrong.as_bytes()), None, "{wrong}");
    }
}

#[test]
fn sums_have_the_longest_scale_and_any_length() {
    assert_eq!(sum("1.5", "2.50"), "4.00");
    assert_eq!(sum("1", "-1.00"), "0.00");
    assert_eq!(sum("0.1", "0.2"), "0.3");
    assert_eq!(sum("99", "1"), "100");
    assert_eq!(sum("-0.05", "1"), "0.95");
    let nines = "9".repeat(500);
    assert_eq!(sum(&nines, "1"), format!("1{}", "0".repeat(500)));
    assert_eq!(sum(&format!("-{nines}.5"), &nines), "-0.5");
    // Of 18 digits and a few more; zeros before them do not count.
    let most = "9".repeat(18);
    assert_eq!(
        sum(&most, &format!("0.{}1", "0".repeat(17))),
        format!("{most}.{}1", "0".repeat(17))
    );
    assert_eq!(sum(&format!("{most}9"), &format!("-{most}")), "9".to_owned() + &"0".repeat(18));
    assert_eq!(sum(&format!("-{}5", "0".repeat(40)), "-0.0"), "-5.0");
}

/// Terms whose sum at one scale is too large for an integer of 128 bits.
#[test]
fn many_terms_of_two_scales() {
    let terms = ["999999999999999999", "0.00000000000000001"];
    let mut sum = Decimal::default();
    for _ in 0..3000 {
        terms.iter().for_each(|term| sum.add(&number(term)));
    }
    let whole = 3000 * (10_i128.pow(18) - 1);
    assert_eq!(text(&sum), format!("{whole}.{:017}", 3000));
    for _ in 0..3000 {
        terms.iter().for_each(|term| sum.add(&number(&format!("-{term}"))));
    }
    assert_eq!(text(&sum), format!("0.{:017}", 0));
}

/// A long sum takes many short terms: not in time that grows with its length.
#[test]
fn short_terms_of_long_sums() {
    let zeros = "0".repeat(3_000_000);
    let mut sum = number(&format!("0.{zeros}1"));
    let terms = ["1", "-2.5", "9.99", "1000", "-1000", "-0.001"].map(number);
    for _ in 0..50_000 {
        terms.iter().for_each(|term| sum.add(term));
    }
    assert_eq!(text(&sum), format!("424450.{}1", "0".repeat(3_000_000)));
    // Its sign changes with each term, and so does the scale of the terms.
    let mut sum = number(&format!("-0.{zeros}1"));
    let terms = ["1", "-2", "1.000", "0.999999999999999999", "-0.999999999999999999"].map(number);
    for _ in 0..50_000 {
        terms.iter().for_each(|term| sum.add(term));
    }
    assert_eq!(text(&sum), format!("-0.{}1", "0".repeat(3_000_000)));
}

proptest! {
    #[test]
    fn sums_are_those_of_integers(
        a in -10_i128.pow(20)..10_i128.pow(20), b in -10_i128.pow(9)..10_i128.pow(9),
        scale in 0_usize..6, more in 0_usize..4,
    ) {
        // Both as whole numbers of the finer unit, to be told apart by the point alone.
        let show = |value: i128, scale: usize| {
            let sign = if value < 0 { "-" } else { "" };
            let digits = format!("{:0>1$}", value.unsigned_abs(), scale + 1);
            let (whole, behind) = digits.split_at(digits.len() - scale);
            if scale == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{behind}") }
        };
        let (x, y) = (show(a, scale), show(b, scale + more));
        let fine = a * 10_i128.pow(more as u32);
        prop_assert_eq!(sum(&x, &y), show(fine + b, scale + more));
        prop_assert_eq!(sum(&y, &x), show(fine + b, scale + more));
    }
}
