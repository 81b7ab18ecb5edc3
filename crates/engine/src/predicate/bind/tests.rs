//! Whole messages of what cannot be asked, so that a change in any of them is seen.

use super::super::evaluate::Predicate;
use super::super::filter::RecordFilter;
use super::*;
use crate::Error;
use crate::format::Format;
use crate::key::ListMemory;

fn bind(format: Format, text: &str) -> Result<Predicate> {
    let filter = RecordFilter { include: vec![text.parse().expect(text)], exclude: Vec::new() };
    let bound = filter.predicate(&TextOrder::of(format), |spec| match spec.locale() {
        Some(locale) => Err(format!("no order of text is called {locale}").into()),
        None => spec.spec(ListMemory::UNBOUNDED).map_err(|error| error.message()),
    });
    bound.map(|predicate| predicate.expect("a condition"))
}

/// What is wrong, behind the condition it is wrong with.
fn fault(format: Format, text: &str) -> String {
    match bind(format, text) {
        Err(Error::Config(error)) => {
            let message = error.to_string();
            let start = format!("in '{text}': ");
            message.strip_prefix(&start).map(str::to_owned).unwrap_or(message)
        }
        other => panic!("{text}: {other:?}"),
    }
}

/// Conditions, and what is wrong with each.
const FAULTS: [(&str, &str); 23] = [
    (
        "2 > 9",
        "2 is compared byte by byte, so 10 comes before 9; write 2:int or another type before 9, \
         or \"9\" if bytes are meant",
    ),
    (
        "2:ci == 12",
        "2:ci is compared byte by byte, so 10 comes before 9; write 2:int or another type before \
         12, or \"12\" if bytes are meant",
    ),
    ("2:int == \"\"", "\"\" is not a value of 2:int; write 2:int is empty"),
    (
        "2:int >= \"abc\"",
        "'abc' is not a value of 2:int; write one of that type, or another type after the colon",
    ),
    (
        "2:decimal == 1e5",
        "'1e5' is not a value of 2:decimal; write one of that type, or another type after the \
         colon",
    ),
    ("2:int:desc < 5", "2:int:desc has a direction, and conditions have none; leave out desc"),
    (
        "2:random == \"x\"",
        "2:random has type random, which is not for conditions; leave out random",
    ),
    (
        "2:int contains \"5\"",
        "2:int has a type, and this condition looks at bytes; leave out the type",
    ),
    (
        "2:version starts with \"1.\"",
        "2:version has a type, and this condition looks at bytes; leave out the type",
    ),
    (
        "2:month ends with \"y\"",
        "2:month has a type, and this condition looks at bytes; leave out the type",
    ),
    (
        "2:size matches \"K\"",
        "2:size has a type, and this condition looks at bytes; leave out the type",
    ),
    (
        "2:int < 3:decimal",
        "2:int and 3:decimal differ in their types; give both the same, as in 1:int < 2:int",
    ),
    (
        "2:ci == 3:bytes",
        "2:ci and 3:bytes differ in their types; give both the same, as in 1:int < 2:int",
    ),
    (
        "2:int == abc:ci",
        "abc:ci names the column 'abc', but the input has no names of columns, as it is empty or \
         has no header; give the number of the column; write text in quotes, as in \"abc:ci\"",
    ),
    (
        "2:ci == count",
        "count names the column 'count', but the input has no names of columns, as it is empty or \
         has no header; give the number of the column; write text in quotes, as in \"count\"",
    ),
    (
        "\"a\":ci == \"b\":ci",
        "\"a\":ci names the column 'a', but the input has no names of columns, as it is empty or \
         has no header; give the number of the column",
    ),
    ("2:int < 3:int:desc", "3:int:desc has a direction, and conditions have none; leave out desc"),
    (
        "amount:int == 5",
        "amount:int names the column 'amount', but the input has no names of columns, as it is \
         empty or has no header; give the number of the column",
    ),
    (
        "2:ebcdic < 5",
        "2:ebcdic is compared byte by byte, so 10 comes before 9; write 2:int or another type \
         before 5, or \"5\" if bytes are meant",
    ),
    (
        "2:ebcdic contains \"\u{20ac}\"",
        "'\u{20ac}' has characters that values of 2:ebcdic cannot have, or a pattern beyond \
         ASCII; write text of that code page, and patterns in ASCII",
    ),
    (
        "2:ebcdic matches \"\u{e4}\"",
        "'\u{e4}' has characters that values of 2:ebcdic cannot have, or a pattern beyond ASCII; \
         write text of that code page, and patterns in ASCII",
    ),
    ("2:locale=xx == \"x\"", "no order of text is called xx"),
    ("2 == 3:locale=xx", "no order of text is called xx"),
];

#[test]
fn faults_say_what_to_write() {
    for (text, message) in FAULTS {
        assert_eq!(fault(Format::LINES, text), message, "{text}");
    }
}

/// A member of that name is missing in most lines, and two missing values are equal.
#[test]
fn words_that_json_has_for_values_are_no_members() {
    let member = "is the name of a member; write";
    for (text, message) in [
        (
            "deleted == true",
            format!(
                "without quotes, true {member} \"true\" in quotes for the value, or /true for the \
                 member"
            ),
        ),
        (
            "deleted:bool != false",
            format!(
                "without quotes, false {member} \"false\" in quotes for the value, or /false for \
                 the member"
            ),
        ),
        (
            "a.b == null",
            format!(
                "without quotes, null {member} a.b is empty for values that are null, empty or \
                 missing, or /null for the member"
            ),
        ),
    ] {
        assert_eq!(fault(Format::JsonLines, text), message, "{text}");
    }
    for text in ["true == \"true\"", "a == /true", "a == True", "a:bool == true:bool", "a == b"] {
        bind(Format::JsonLines, text).expect(text);
    }
}

#[test]
fn values_of_another_type_may_be_texts_without_quotes() {
    assert_eq!(
        fault(Format::JsonLines, "a:bool == yes"),
        "a:bool and yes differ in their types; give both the same, as in 1:int < 2:int; \
         write text in quotes, as in \"yes\""
    );
}

#[test]
fn records_without_fields_have_none() {
    for format in [Format::Fixed { length: 10 }, "u16be".parse().expect("a format")] {
        for place in ["1", "2:int", "1[0..4]"] {
            let message = format!(
                "{place} is a field, and only lines and rows have fields; write bytes of the \
                 record, as in 0..4"
            );
            assert_eq!(fault(format, &format!("{place} is empty")), message);
        }
        for place in ["0..4", "4..", "..", "2..4:int"] {
            bind(format, &format!("{place} is empty")).expect(place);
        }
    }
}

#[test]
fn patterns_that_cannot_be_used() {
    let open = fault(Format::LINES, "2 matches \"a(b\"");
    assert!(open.starts_with("the pattern cannot be used: regex parse error:"), "{open}");
    assert!(open.contains("unclosed group"), "{open}");
    let large = fault(Format::LINES, "2 matches \"(a{1000}){1000}\"");
    assert!(large.contains("exceeds size limit of 1048576 bytes"), "{large}");
    let deep = format!("2 matches \"{}x{}\"", "(".repeat(5000), ")".repeat(5000));
    assert!(fault(Format::LINES, &deep).contains("nest"), "the library's limit holds");
    bind(Format::LINES, r#"2 matches "^\p{L}+\s(?i:x)\w*\d{1,9}$""#).expect("an ordinary pattern");
}

#[test]
fn every_condition_is_bound() {
    for text in ["1 is empty and 2:int > \"x\"", "1 is empty or not (1 is empty and 2:int > \"x\")"]
    {
        let fault = bind(Format::LINES, text).expect_err("the last condition is wrong");
        assert!(fault.to_string().starts_with("in '2:int > \"x\"': 'x' is not a value"), "{fault}");
    }
}
