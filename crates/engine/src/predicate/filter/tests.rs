//! What several expressions do together.

use super::*;
use crate::format::Format;
use crate::key::ListMemory;

fn filter(include: &[&str], exclude: &[&str]) -> RecordFilter {
    let read = |texts: &[&str]| texts.iter().map(|text| text.parse().expect(text)).collect();
    RecordFilter { include: read(include), exclude: read(exclude) }
}

fn admitted(filter: &RecordFilter, lines: &[&str]) -> Vec<String> {
    let order = TextOrder::of(Format::LINES);
    let predicate = filter
        .predicate(&order, |spec| spec.spec(ListMemory::UNBOUNDED).map_err(|error| error.message()))
        .expect("a predicate");
    let predicate = predicate.expect("something is said");
    let admitted = lines.iter().filter(|line| predicate.admits(line.as_bytes()));
    admitted.map(|line| (*line).to_owned()).collect()
}

#[test]
fn nothing_said_is_no_predicate() {
    let filter = RecordFilter::default();
    assert!(filter.is_all());
    let order = TextOrder::of(Format::LINES);
    let predicate = filter
        .predicate(&order, |spec| spec.spec(ListMemory::UNBOUNDED).map_err(|error| error.message()))
        .expect("nothing wrong");
    assert!(predicate.is_none());
}

#[test]
fn every_include_holds_and_no_exclude() {
    let lines = ["1", "2", "3", "4", "5", "x"];
    assert_eq!(admitted(&filter(&["1:int > 1", "1:int < 5"], &[]), &lines), ["2", "3", "4"]);
    assert_eq!(admitted(&filter(&["1:int > 1"], &["1:int == 3"]), &lines), ["2", "4", "5"]);
    let both = filter(&[], &["1:int == 3", "1 == \"x\""]);
    assert_eq!(admitted(&both, &lines), ["1", "2", "4", "5"]);
    assert!(!both.is_all());
}

#[test]
fn what_is_unknown_is_neither_included_nor_excluded() {
    let lines = ["1", "x", ""];
    assert_eq!(admitted(&filter(&["1:int < 5"], &[]), &lines), ["1"]);
    assert_eq!(admitted(&filter(&["not 1:int >= 5"], &[]), &lines), ["1"]);
    assert_eq!(admitted(&filter(&[], &["1:int >= 5"]), &lines), ["1", "x", ""]);
    assert_eq!(admitted(&filter(&[], &["not 1:int >= 5"]), &lines), ["x", ""]);
}

#[test]
fn faults_are_those_of_the_expression_at_fault() {
    let order = TextOrder::of(Format::LINES);
    for filter in [
        filter(&["1 == \"x\"", "1:int == \"x\""], &[]),
        filter(&["1 == \"x\""], &["1:int == \"x\""]),
    ] {
        let fault = filter
            .predicate(&order, |spec| {
                spec.spec(ListMemory::UNBOUNDED).map_err(|error| error.message())
            })
            .expect_err("no number");
        assert!(fault.to_string().starts_with("in '1:int == \"x\"': "), "{fault}");
    }
}

#[test]
fn count_is_that_of_a_group_where_conditions_are_on_groups() {
    let order = TextOrder::of(Format::LINES);
    let resolve = |spec: &Key| spec.spec(ListMemory::UNBOUNDED).map_err(|error| error.message());
    let holds = |condition: &str, count: u64| {
        let filter = filter(&[condition], &[]);
        let predicate = filter.group_predicate(&order, resolve).expect("a predicate");
        predicate.expect("something is said").admits_group(b"7 x\n", count)
    };
    assert!(holds("count > 9", 10) && !holds("count > 9", 9));
    assert!(holds("1:int == count", 7) && !holds("count != 1:int", 7));
    assert!(holds("not count == 18446744073709551615", 1));
    assert!(filter(&["1:int < 2 or not (1:int > count)"], &[]).asks_count());
    assert!(!filter(&["1:int > 2"], &["1 is empty"]).asks_count());
    for wrong in ["count:int > 1", "count > \"x\"", "count contains \"1\""] {
        assert!(filter(&[wrong], &[]).group_predicate(&order, resolve).is_err(), "{wrong}");
    }
}
