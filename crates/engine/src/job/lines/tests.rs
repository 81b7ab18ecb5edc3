//! Lines in memory come out as a job would write them: in order, stable, with ends, and once where
//! that is asked for.

use super::*;
use crate::format::Format;
use crate::job::{Budget, Input, SortJob};
use crate::key::text::LastResort;
use crate::key::{Key, ListMemory, OrderOptions};
use crate::units::ByteSize;

/// Keys, and what they do not say.
type Order = (Vec<Key>, OrderOptions);

/// By the bytes of the lines.
fn by_bytes() -> Order {
    (Vec::new(), OrderOptions::default())
}

/// By the number behind the first comma; equal ones stay as they came.
fn by_number() -> Order {
    let options = OrderOptions { separator: Some(b','), ..OrderOptions::default() };
    (vec!["2:decimal".parse().expect("a key")], options)
}

fn bound((keys, options): &Order) -> TextOrder {
    options.bind(keys, Format::LINES, ListMemory::UNBOUNDED).expect("an order")
}

fn sorted(text: &str, order: &Order, is_unique: bool) -> String {
    let sorted = sort_lines(text.as_bytes(), &bound(order), is_unique).expect("sort");
    String::from_utf8(sorted).expect("text")
}

#[test]
fn lines_get_their_order_and_their_ends() {
    assert_eq!(sorted("", &by_bytes(), false), "");
    assert_eq!(sorted("\n", &by_bytes(), false), "\n");
    assert_eq!(sorted("b\na", &by_bytes(), false), "a\nb\n");
    assert_eq!(
        sorted("a long line\na long liar\n\na\n", &by_bytes(), false).lines().next(),
        Some("")
    );
    assert_eq!(sorted("b\na\nb\na\nb", &by_bytes(), true), "a\nb\n");
}

#[test]
fn equal_lines_stay_as_they_came_and_the_first_is_kept() {
    let text = "c,2\nb,10\na,2\nd,1\nb,2";
    assert_eq!(sorted(text, &by_number(), false), "d,1\nc,2\na,2\nb,2\nb,10\n");
    assert_eq!(sorted(text, &by_number(), true), "d,1\nc,2\nb,10\n");
}

/// By the bytes of the lines whatever their case, then by their bytes; keys are longer than what is
/// kept of them.
fn by_folded() -> Order {
    let options =
        OrderOptions { then_whole: Some(LastResort::default()), ..OrderOptions::default() };
    (vec!["..:ci".parse().expect("a key")], options)
}

#[test]
fn a_job_writes_the_same() {
    let line = |number: u64| {
        let begin = ["", &"x".repeat(KEPT_BYTES - 2), &"X".repeat(KEPT_BYTES)];
        let begin = begin[(number * 13 % 3) as usize];
        format!("{begin}{},{}\n", number * 7919 % 1000, number * 31 % 97)
    };
    let text: String = (0..3000).map(line).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let (input, output) = (folder.path().join("in"), folder.path().join("out"));
    std::fs::write(&input, &text).expect("write");
    let orders = [by_bytes(), by_number(), by_folded()];
    for (order, is_unique) in orders.iter().flat_map(|order| [(order, false), (order, true)]) {
        let target = Output::File(output.clone());
        let mut job = SortJob::new(vec![Input::File(input.clone())], target.clone(), Format::LINES);
        job.memory = Budget::Bytes(ByteSize::mib(64));
        (job.keys, job.order) = order.clone();
        job.select.unique = is_unique.then_some(crate::operator::Unique::First);
        job.run(&Progress::new()).expect("sort");
        let by_job = std::fs::read(&output).expect("read");
        let by_us = sort_lines(text.as_bytes(), &bound(order), is_unique).expect("sort");
        assert!(by_us == by_job, "{is_unique}");
        write_lines(&by_us, &target, true, &Progress::new()).expect("write");
        assert!(std::fs::read(&output).expect("read") == by_job);
        assert_eq!(std::fs::read_dir(folder.path()).expect("list").count(), 2, "nothing is left");
    }
}
