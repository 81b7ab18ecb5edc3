//! That expressions say themselves, and that what they say reads back as the same.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use super::*;

#[test]
fn expressions_are_shown_in_one_form() {
    let table = [
        ("2:int<5", "2:int < 5"),
        ("2 == 'x' OR 3 == \"y\" And 4=='z'", r#"2 == "x" or 3 == "y" and 4 == "z""#),
        ("(2 == 'x')", r#"2 == "x""#),
        ("(2 == 'x' or 3 == 'y') and 4 == 'z'", r#"(2 == "x" or 3 == "y") and 4 == "z""#),
        ("1 == 'x' and (2 == 'x' and 3 == 'y')", r#"1 == "x" and (2 == "x" and 3 == "y")"#),
        ("1 == 'x' or (2 == 'x' or 3 == 'y')", r#"1 == "x" or (2 == "x" or 3 == "y")"#),
        ("1 == 'x' or (2 == 'x' and 3 == 'y')", r#"1 == "x" or 2 == "x" and 3 == "y""#),
        ("not(2 == 'x')", r#"not 2 == "x""#),
        ("not (2 == 'x' and 3 is empty)", r#"not (2 == "x" and 3 is empty)"#),
        ("NOT NOT 2 IS EMPTY", "not 2 is not empty"),
        ("2 Starts With 'a\\\\b'", r#"2 starts with "a\\b""#),
        ("2 ends with \"it's\"", r#"2 ends with "it's""#),
        (r#"2 =~ "\d""#, r#"2 matches "\\d""#),
        ("1:date>=2024-01-01", "1:date >= 2024-01-01"),
        ("1:int != 2:int", "1:int != 2:int"),
        ("amount:int>'full name':int", "amount:int > 'full name':int"),
    ];
    for (written, shown) in table {
        let expression: Expression = written.parse().expect(written);
        assert_eq!(expression.to_string(), shown, "{written}");
        assert_eq!(shown.parse().as_ref(), Ok(&expression), "{written}");
    }
}

fn location() -> impl Strategy<Value = OperandLocation> {
    select(vec![
        "1",
        "2:int",
        "3:text:ci",
        "4[0..2]",
        "0..4",
        "5:decimal:trim",
        "..",
        "amount",
        "\"and\":int",
    ])
    .prop_map(|written| {
        let spec = written.parse().expect("a key");
        OperandLocation { written: written.to_owned(), spec }
    })
}

fn operand() -> impl Strategy<Value = Operand> {
    let with_type = |location: &OperandLocation| location.written != "1";
    prop_oneof![
        any::<String>().prop_map(Operand::Text),
        "[+-]?[0-9]{1,3}(\\.[0-9]{1,2}|-[0-9]{2}|:[0-9]{2}|[KM])?".prop_map(Operand::Bare),
        location().prop_filter("else a number", with_type).prop_map(Operand::Location),
    ]
}

fn condition() -> impl Strategy<Value = ConditionTree> {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    let comparison = select(vec![Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual]);
    let test = prop_oneof![
        4 => (comparison, operand()).prop_map(|(sign, operand)| ValueTest::Compare(sign, operand)),
        1 => any::<String>().prop_map(ValueTest::Contains),
        1 => any::<String>().prop_map(ValueTest::StartsWith),
        1 => any::<String>().prop_map(ValueTest::EndsWith),
        1 => any::<String>().prop_map(ValueTest::Matches),
        1 => Just(ValueTest::IsEmpty),
    ];
    (location(), test).prop_map(|(location, test)| Condition { location, test }.into())
}

fn tree() -> impl Strategy<Value = ConditionTree> {
    condition().prop_recursive(6, 40, 4, |inner| {
        let some = proptest::collection::vec(inner.clone(), 2..5);
        prop_oneof![
            some.clone().prop_map(ConditionTree::All),
            some.prop_map(ConditionTree::Any),
            inner.prop_map(|tree| ConditionTree::Not(Box::new(tree))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2048,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0043),
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_shown_reads_back_as_the_same(root in tree()) {
        let expression = Expression { root };
        let shown = expression.to_string();
        prop_assert_eq!(shown.parse(), Ok(expression), "{}", shown);
    }
}
