//! Random expressions over random rows, against a reading of the rules that does everything the
//! slow way: cells split by hand, numbers as integers, truth as a table.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use super::predicate;
use crate::format::Format;

/// A condition on rows of a number, another number and a text.
#[derive(Clone, Debug)]
enum Wanted {
    All(Vec<Wanted>),
    Any(Vec<Wanted>),
    Not(Box<Wanted>),
    /// A column of numbers, 0 or 1, against a number.
    Number(usize, &'static str, i64),
    /// The first number against the second.
    Numbers(&'static str),
    /// The text, with or without case, against another.
    Text(bool, &'static str, String),
    Empty(usize),
}

impl Wanted {
    fn written(&self) -> String {
        let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
        let joined = |all: &[Self], word: &str| {
            let written: Vec<String> =
                all.iter().map(|one| format!("({})", one.written())).collect();
            written.join(word)
        };
        match self {
            Self::All(all) => joined(all, " AND "),
            Self::Any(any) => joined(any, "or"),
            Self::Not(one) => format!("not({})", one.written()),
            Self::Number(column, sign, number) => format!("{}:int{sign}{number}", column + 1),
            Self::Numbers(sign) => format!("1:int {sign} 2:int"),
            Self::Text(true, sign, text) => format!("3:ci {sign} {}", quoted(text)),
            Self::Text(false, sign, text) => format!("3 {sign} {}", quoted(text)),
            Self::Empty(column) => format!("{} is empty", column + 1),
        }
    }

    fn holds(&self, row: &[String; 3]) -> Option<bool> {
        let number = |column: usize| row[column].parse::<i64>().ok();
        match self {
            Self::All(all) => {
                let said: Vec<Option<bool>> = all.iter().map(|one| one.holds(row)).collect();
                if said.contains(&Some(false)) {
                    return Some(false);
                }
                (!said.contains(&None)).then_some(true)
            }
            Self::Any(any) => {
                let said: Vec<Option<bool>> = any.iter().map(|one| one.holds(row)).collect();
                if said.contains(&Some(true)) {
                    return Some(true);
                }
                (!said.contains(&None)).then_some(false)
            }
            Self::Not(one) => one.holds(row).map(|holds| !holds),
            Self::Number(column, sign, other) => Some(holds(&number(*column)?, sign, other)),
            Self::Numbers(sign) => Some(holds(&number(0)?, sign, &number(1)?)),
            Self::Text(ignores_case, sign, other) => {
                let fold = |text: &str| match ignores_case {
                    true => text.to_ascii_uppercase(),
                    false => text.to_owned(),
                };
                let (text, other) = (fold(&row[2]), fold(other));
                Some(match *sign {
                    "contains" => text.contains(&other),
                    "starts with" => text.starts_with(&other),
                    "ends with" => text.ends_with(&other),
                    sign => holds(text.as_bytes(), sign, other.as_bytes()),
                })
            }
            Self::Empty(column) => Some(row[*column].is_empty()),
        }
    }
}

fn holds<T: Ord + ?Sized>(left: &T, sign: &str, right: &T) -> bool {
    match sign {
        "==" => left == right,
        "!=" => left != right,
        "<" => left < right,
        "<=" => left <= right,
        ">" => left > right,
        ">=" => left >= right,
        other => panic!("no sign: {other}"),
    }
}

const SIGNS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];
const TEXT: &str = "[abAB\"',\n]{0,4}";

fn wanted() -> impl Strategy<Value = Wanted> {
    let signs = || select(&SIGNS[..]);
    let text_signs = select([&SIGNS[..], &["contains", "starts with", "ends with"]].concat());
    let one = prop_oneof![
        (0usize..2, signs(), -20i64..20).prop_map(|(at, sign, to)| Wanted::Number(at, sign, to)),
        signs().prop_map(Wanted::Numbers),
        (any::<bool>(), text_signs, TEXT).prop_map(|(ci, sign, to)| Wanted::Text(ci, sign, to)),
        (0usize..3).prop_map(Wanted::Empty),
    ];
    one.prop_recursive(4, 24, 3, |inner| {
        let some = || proptest::collection::vec(inner.clone(), 2..4);
        prop_oneof![
            some().prop_map(Wanted::All),
            some().prop_map(Wanted::Any),
            inner.clone().prop_map(|one| Wanted::Not(Box::new(one))),
        ]
    })
}

fn rows() -> impl Strategy<Value = Vec<[String; 3]>> {
    let number = || "-?[0-9]{1,2}|0[0-9]|[0-9]|x|1x|";
    let row = (number(), number(), TEXT).prop_map(|(a, b, text)| [a, b, text]);
    proptest::collection::vec(row, 1..8)
}

/// A row of CSV, in quotes where it needs them and where `is_quoted` says so.
fn written(row: &[String; 3], is_quoted: bool) -> String {
    let cell = |cell: &String| match is_quoted || cell.contains(['"', ',', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    row.each_ref().map(cell).join(",") + if is_quoted { "\r\n" } else { "\n" }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4096,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0041),
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_expressions_admit_what_they_say((wanted, rows) in (wanted(), rows())) {
        let text = wanted.written();
        let predicate = predicate(Format::CSV, &text);
        for row in rows {
            for is_quoted in [false, true] {
                let record = written(&row, is_quoted);
                let expected = wanted.holds(&row) == Some(true);
                let admitted = predicate.admits(record.as_bytes());
                prop_assert_eq!(admitted, expected, "{} of {}", text, record);
            }
        }
    }
}
