//! Conditions on the command line, right ones and wrong ones.

use clap::Parser;

use super::*;

#[derive(Debug, Parser)]
struct Words {
    #[command(flatten)]
    filtering: Filtering,
}

fn filter(words: &[&str]) -> Result<RecordFilter, clap::Error> {
    Words::try_parse_from([&["sortwell"], words].concat()).map(|words| words.filtering.filter())
}

#[test]
fn nothing_said_is_all() {
    assert!(filter(&[]).expect("nothing wrong").is_all());
}

#[test]
fn both_are_repeatable_and_kept_apart() {
    let words = ["--include", "1:int>5", "--exclude=1:int == 7", "--include", "2 == 'x'"];
    let RecordFilter { include, exclude } = filter(&words).expect("a filter");
    let shown = |all: &[Expression]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(shown(&include), ["1:int > 5", "2 == \"x\""]);
    assert_eq!(shown(&exclude), ["1:int == 7"]);
}

#[test]
fn faults_show_their_place() {
    for option in ["--include", "--exclude"] {
        let fault = filter(&[option, "1:int > 5 und 2 is empty"]).expect_err("no such word");
        let words = fault.to_string();
        let shown = format!("invalid value '1:int > 5 und 2 is empty' for '{option} <EXPR>': ");
        assert!(words.contains(&shown), "{words}");
        assert!(
            words.contains("but found 'und'\n  1:int > 5 und 2 is empty\n            ^\n"),
            "{words}"
        );
    }
}
