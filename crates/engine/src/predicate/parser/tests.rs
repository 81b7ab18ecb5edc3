//! What is read, and whole messages of what is not, so that a change in any of them is seen.

use super::super::expression::Expression;
use super::*;
use crate::key::Key;

fn shown(text: &str) -> String {
    text.parse::<Expression>().map_or_else(|error| error.to_string(), |it| it.to_string())
}

/// The message alone, and the column of its mark.
fn fault(text: &str) -> (String, usize) {
    let words = text.parse::<Expression>().expect_err(text).to_string();
    let mut lines = words.lines();
    let message = lines.next().unwrap_or_default().to_owned();
    assert_eq!(lines.next().map(str::trim_end), Some(format!("  {text}").trim_end()), "{words}");
    let column = lines.next().map_or(0, |line| line.len() - 3);
    assert_eq!(lines.next(), None, "{words}");
    (message, column)
}

#[test]
fn what_begins_as_a_number_is_one_on_the_right() {
    for bare in [
        "5",
        "-5",
        "+5",
        ".5",
        "-.5",
        "1e9",
        "2.5Gi",
        "2024-01-01",
        "12:30",
        "10.0.0.1",
        "2024-01-01T12:30:00Z",
        "1.10.2-rc1",
        "0x1f",
    ] {
        assert!(is_bare(bare), "{bare}");
    }
    for key in
        ["2:int", "2:", "2[0..4]", "0..4", "4..", "..", "..8", "name", "name:int", "a5", "-", ""]
    {
        assert!(!is_bare(key), "{key}");
    }
}

#[test]
fn words_of_the_language_may_be_keys_in_quotes_and_texts() {
    for text in ["\"and\" == \"x\"", "\"not\":int > 5", "'is' is empty", "contains == \"x\""] {
        assert_eq!(shown(text), text);
    }
    assert_eq!(shown("2 == \"not\" and 3 contains 'or'"), "2 == \"not\" and 3 contains \"or\"");
    assert_eq!(shown("2 contains 'is empty'"), "2 contains \"is empty\"");
}

const KEY: &str = "expected a key such as 2:int or 0..4, 'not' or a parenthesis";
const TEST: &str = "expected a comparison (== != < <= > >=), 'contains', 'matches', 'starts with', \
                    'ends with' or 'is empty'";
const VALUE: &str =
    "expected a value to compare with: a text in quotes, a number or a date, or another key";
const MORE: &str = "expected 'and', 'or' or the end";
const BLANKS: &str = "(write a value with blanks, or a key with special characters, in quotes)";

#[test]
fn faults_say_what_was_expected_and_where() {
    let end = "but found the end";
    let table = [
        ("", format!("{KEY}, {end}"), 0),
        ("  ", format!("{KEY}, {end}"), 2),
        ("2:int > 5 and", format!("{KEY}, {end}"), 13),
        ("2:int > 5 and or", format!("{KEY}, but found 'or'"), 14),
        ("()", format!("{KEY}, but found ')'"), 1),
        ("== 5", format!("{KEY}, but found '=='"), 0),
        ("not", format!("{KEY}, {end}"), 3),
        ("2:int", format!("{TEST}, {end}"), 5),
        ("2:int 5", format!("{TEST}, but found '5'"), 6),
        ("2 \"x\"", format!("{TEST}, but found \"x\""), 2),
        ("2:int >", format!("{VALUE}, {end}"), 7),
        ("2:int > > 5", format!("{VALUE}, but found '>'"), 8),
        ("2:int > and", format!("{VALUE}, but found 'and'"), 8),
        ("2:int > (5)", format!("{VALUE}, but found '('"), 8),
        ("2 contains x", "expected a text in quotes, but found 'x'".to_owned(), 11),
        ("2 matches 5", "expected a pattern in quotes, but found '5'".to_owned(), 10),
        ("2 =~", format!("expected a pattern in quotes, {end}"), 4),
        ("2 starts \"x\"", "expected 'with', but found \"x\"".to_owned(), 9),
        ("2 ends with", format!("expected a text in quotes, {end}"), 11),
        ("2 is 5", "expected 'empty' or 'not empty', but found '5'".to_owned(), 5),
        ("2 is not", format!("expected 'empty', {end}"), 8),
        ("1:int < 5 < 7", format!("{MORE}, but found '<'"), 10),
        ("1:int < 5 && 2:int < 5", format!("{MORE} {BLANKS}, but found '&&'"), 10),
        ("1:version < 5 PM", format!("{MORE} {BLANKS}, but found 'PM'"), 14),
        ("1:int < 5)", "this parenthesis was never opened".to_owned(), 9),
        ("(1:int < 5", "this parenthesis is never closed".to_owned(), 0),
        ("((1:int < 5)", "this parenthesis is never closed".to_owned(), 0),
        ("(1:int < 5 7)", "expected 'and', 'or' or ')', but found '7'".to_owned(), 11),
        ("1:int = 5", "'=' is not an operator; write == for equality".to_owned(), 6),
        ("0 == \"x\"", "fields count from 1, and key '0' names field 0".to_owned(), 0),
        (
            "1:int < 5 or 2:int:big > 5",
            "2:int:big".parse::<Key>().expect_err("no modifier").to_string(),
            13,
        ),
        (
            "1:ip == fe80::1",
            "key 'fe80::1' has a colon with nothing after it; write text in quotes, as in \
             \"fe80::1\""
                .to_owned(),
            8,
        ),
        ("1 == 2:", "2:".parse::<Key>().expect_err("no type").to_string(), 5),
    ];
    for (text, message, column) in table {
        assert_eq!(fault(text), (message, column), "{text}");
    }
}

#[test]
fn depth_is_limited_and_length_is_not() {
    for (open, close) in [("(", ")"), ("not ", ""), ("not (", ")")] {
        let nested =
            |times: usize| format!("{}1 is empty{}", open.repeat(times), close.repeat(times));
        let per = if open == "not (" { 2 } else { 1 };
        assert!(nested(DEPTH_MAX / per).parse::<Expression>().is_ok(), "{open}");
        for times in [DEPTH_MAX / per + 1, 100_000] {
            let words = nested(times).parse::<Expression>().expect_err(open).to_string();
            let message = "the expression is nested too deeply (limit: 64); simplify it\n";
            assert!(words.starts_with(message), "{words}");
        }
    }
    let long = vec!["(1 == 'x' and not 2 == 'y')"; 20_000].join(" or ");
    let expression: Expression = long.parse().expect("flat");
    assert_eq!(expression.to_string().parse(), Ok(expression));
}
