//! Remarks against what GNU sort 9.1 was seen to write.

use std::sync::Arc;

use sortwell::unstable::locale::Locale;

use super::super::order;
use super::super::parse::{GnuRequest, parse};
use super::*;

const BLANKS_1: &str = "leading blanks are significant in key 1; consider also specifying 'b'";
const SPANS_1: &str = "key 1 is numeric and spans multiple fields";
const POINT: &str = "note numbers use '.' as a decimal point in this locale";

fn remarks_on(line: &str) -> Vec<String> {
    let environment = Environment {
        is_posixly_correct: false,
        has_old_keys: true,
        locale: Arc::new(Locale::c()),
        is_locale_missing: false,
    };
    let arguments: Vec<Vec<u8>> =
        line.split_whitespace().map(|word| word.as_bytes().to_vec()).collect();
    let Ok(GnuRequest::Sort(options)) = parse(&arguments, &environment) else { panic!("{line}") };
    let keys = order::keys(&options).expect(line);
    let remarks = remarks(&options, &keys, &environment);
    let mut remarks: Vec<String> =
        remarks.into_iter().map(|words| String::from_utf8(words).expect("UTF-8")).collect();
    assert_eq!(remarks.remove(0), "text ordering performed using simple byte comparison");
    remarks
}

#[test]
fn harmless_lines_get_no_remarks() {
    for line in ["", "-r", "-rs", "-k1b,1", "-k1.9,1.9", "-k1,1.2", "-tx -k2", "-bdf", "-M -k1,2"] {
        assert_eq!(remarks_on(line), [""; 0], "{line}");
    }
}

#[test]
fn keys_get_remarks() {
    let old =
        |old: &str, new: &str| format!("obsolescent key '{old}' used; consider '{new}' instead");
    let cases: [(&str, &[&str]); 16] = [
        ("-k2", &[BLANKS_1]),
        ("-k2,1", &["key 1 has zero width and will be ignored"]),
        ("-k3,2n", &["key 1 has zero width and will be ignored", POINT]),
        ("-k2.3,2.1", &[BLANKS_1]),
        ("-k2b,2.3", &[BLANKS_1]),
        ("-k2,2.3b", &[BLANKS_1]),
        ("-k1.2M,1", &[BLANKS_1]),
        ("-k1,1.3M", &[]),
        ("+0 -0", &[&old("+0 -1", "-k 1,1"), BLANKS_1]),
        ("+1", &[&old("+1", "-k 2"), BLANKS_1]),
        ("+1b -2.1b", &[&old("+1 -3", "-k 2,3")]),
        ("-k2n", &[SPANS_1, POINT]),
        ("-k2,2n", &[POINT]),
        ("-k2.2n", &[BLANKS_1, SPANS_1, POINT]),
        ("-k2,3.1n", &[BLANKS_1, SPANS_1, POINT]),
        ("-n", &[POINT]),
    ];
    for (line, expected) in cases {
        assert_eq!(remarks_on(line), expected, "{line}");
    }
}

#[test]
fn separators_within_numbers_get_remarks() {
    let role = |byte: char, role: &str| {
        format!("field separator '{byte}' is treated as a {role} in numbers")
    };
    let cases: [(&str, &[&str]); 8] = [
        ("-t. -k1n", &[SPANS_1, &role('.', "decimal point")]),
        ("-t. -k1,1n", &["numbers use '.' as a decimal point in this locale"]),
        ("-t. -n", &["numbers use '.' as a decimal point in this locale"]),
        ("-t- -k1n", &[SPANS_1, &role('-', "minus sign"), POINT]),
        ("-t- -k1,1n", &[POINT]),
        ("-t+ -k1g", &[SPANS_1, &role('+', "plus sign"), POINT]),
        ("-t+ -k1n", &[SPANS_1, POINT]),
        ("-t, -k1n", &[SPANS_1, POINT]),
    ];
    for (line, expected) in cases {
        assert_eq!(remarks_on(line), expected, "{line}");
    }
}

#[test]
fn options_without_effect_get_remarks() {
    let last = "option '-r' only applies to last-resort comparison";
    let cases: [(&str, &[&str]); 9] = [
        ("-k1,1n -b", &[POINT, "option '-b' is ignored"]),
        ("-k1,1n -bdfir", &[POINT, "options '-bdf' are ignored", last]),
        ("-s -k1,1n -r", &[POINT, "option '-r' is ignored"]),
        ("-u -k1,1n -r", &[POINT, "option '-r' is ignored"]),
        ("-k1,1b -b", &[BLANKS_1, "option '-b' is ignored"]),
        ("-n -k1,1r", &[BLANKS_1, "option '-n' is ignored"]),
        ("-k1,1n -k2,2n -n", &[POINT]),
        ("-k1,1 -k2b -k3,3n -nb", &[POINT]),
        ("-k1,1r -r", &[BLANKS_1]),
    ];
    for (line, expected) in cases {
        assert_eq!(remarks_on(line), expected, "{line}");
    }
}
