//! Each decision names the reason that brought it about.

use super::*;
use crate::plan::Algorithm;
use crate::plan::levers::{AsyncIo, Levers};
use crate::plan::tests::{files, need};

const INPUT: u64 = 5_000_000_000;

fn usual() -> Need {
    need(100, Some(INPUT), ByteSize::mib(64))
}

const USUAL: JobConditions = JobConditions { is_asynchronous: true, is_overlap_of_place: false };

/// Returns the choice about `topic` and its reason, in one sentence.
fn said(need: &Need, topic: &str) -> String {
    said_of(USUAL, need, topic)
}

fn said_of(of: JobConditions, need: &Need, topic: &str) -> String {
    let plan = Plan::new(need).expect("a plan");
    let decisions = plan.decisions(need, INPUT, of);
    let found = decisions.iter().find(|decision| decision.topic == topic);
    found.map_or_else(String::new, |found| format!("{}: {}", found.choice, found.reason))
}

#[track_caller]
fn assert_said(need: &Need, topic: &str, expected: &str) {
    let words = said(need, topic);
    assert!(words.contains(expected), "'{expected}' is not in '{words}'");
}

#[test]
fn passes_follow_from_memory_runs_and_limits() {
    assert_said(&usual(), "passes", "3 passes: the input with its entries takes 5.1 GiB, and ");
    let large = Need { budget: ByteSize::gib(8), ..usual() };
    assert_said(&large, "passes", "1 pass: the input fits in memory: with its entries it takes 5");
    let run = Levers { run: Some(ByteSize::mib(300)), ..Levers::default() };
    assert_said(&Need { levers: run, ..large }, "passes", "2 passes: a run may have 300 MiB");
    assert_said(&Need { levers: run, ..large }, "load", ": as asked for");
    let few = Need { wanted: Some(10), ..large };
    assert_said(&few, "passes", "few records are wanted");
    assert_said(&few, "load", "loads of 64 MiB: few records of each load are wanted");
    assert_said(&Need { input_bytes: None, ..large }, "passes", "length of the input is not known");
}

#[test]
fn a_sort_in_memory_has_no_decisions_about_runs() {
    let large = Need { budget: ByteSize::gib(8), ..usual() };
    for topic in ["runs", "overlap", "load", "merge", "width", "copies"] {
        assert_eq!(said(&large, topic), "", "{topic}");
        assert_eq!(said(&usual(), topic).is_empty(), topic == "copies", "{topic}");
    }
}

#[test]
fn threads_that_memory_has_no_room_for_are_named() {
    assert_said(&usual(), "threads", "2 threads: the number of processors");
    let many = Need { threads: 64, ..usual() };
    assert_said(&many, "threads", ": memory has no room for the buffers of 64");
    // Nor may their stacks and rings take all of it.
    for threads in [100, 1000, usize::MAX] {
        let crowd = Need { threads, budget: ByteSize::mib(64), ..usual() };
        assert_said(&crowd, "threads", "memory has no room for the buffers of");
    }
}

#[test]
fn loads_and_their_number_have_reasons() {
    let half = Need { budget: ByteSize::mib(400), ..usual() };
    assert_said(&half, "load", ": half of the memory for records");
    assert_said(&half, "overlap", "two loads take turns: one is read while");
    assert_said(&usual(), "overlap", "one load at a time: runs of all memory are fewer");
    let sync = Levers { overlap: Overlap::Sync, ..Levers::default() };
    assert_said(&Need { levers: sync, ..usual() }, "overlap", "one load at a time: as asked for");
    assert_said(&Need { levers: sync, ..usual() }, "load", ": the memory for records");
    let pipelined = Need { levers: Levers { overlap: Overlap::Pipelined, ..sync }, ..usual() };
    let in_place = JobConditions { is_overlap_of_place: true, ..USUAL };
    let words = said_of(in_place, &pipelined, "overlap");
    assert!(words.starts_with("two loads take turns: a sort in place needs it"), "{words}");
    let enough = Need { budget: ByteSize::gib(3), ..usual() };
    assert_said(&enough, "load", ": more memory would make nothing faster");
}

#[test]
fn runs_and_merges_have_reasons() {
    assert_said(&usual(), "runs", "each load becomes a run: ");
    let selected = Need { algorithm: Algorithm::ReplacementSelection, ..usual() };
    assert_said(&selected, "runs", "runs by replacement selection: as asked for");
    assert_eq!(said(&selected, "overlap"), "");
    assert_said(&selected, "load", "one tree with about ");
    assert!(!said(&selected, "load").contains("loads of"));
    assert_said(&usual(), "merge", "runs merged by slabs: all threads");
    let streams = Levers { merge: Some(MergeMethod::Streams), ..Levers::default() };
    assert_said(&Need { levers: streams, ..usual() }, "merge", "as streams: as asked for");
    assert_said(&Need { levers: streams, ..usual() }, "buffers", "refill=0.25: it is the default");
    let words = "runs at once: each run needs at least 256 KiB of the ";
    assert_said(&Need { levers: streams, ..usual() }, "width", words);
    let geometry = Some("geometry=1,refill=0.1".parse().expect("a geometry"));
    let set = Levers { merge_buffers: geometry, ..streams };
    let expected = "buffers of runs with geometry=1,refill=0.1: as asked for";
    assert_said(&Need { levers: set, ..usual() }, "buffers", expected);
    assert_eq!(said(&usual(), "buffers"), "");
    assert_said(&usual(), "width", "runs at once: each run needs at least 768 KiB of the ");
    let three = Levers { merge_width: Some(3), ..Levers::default() };
    assert_said(&Need { levers: three, ..usual() }, "width", "at most 3 runs at once: as asked");
    assert_said(&Need { files: files(60), ..usual() }, "width", ": each run is an open file");
}

#[test]
fn dropped_copies_have_reasons() {
    let copies = Need { drops_copies: true, varies: true, ..usual() };
    assert_said(&copies, "copies", "dropped as they are read: one of them is wanted");
    let small = Need { input_bytes: Some(1_000_000), ..copies };
    assert_said(&small, "copies", "dropped after they are sorted: the input is small");
}

#[test]
fn requests_have_reasons() {
    assert_said(&usual(), "reads", "8 reads of 648 KiB in flight: all reads in flight have");
    let large = Need { budget: ByteSize::gib(8), ..usual() };
    assert_said(&large, "reads", "8 reads of 4 MiB in flight: enough to keep most disks busy");
    let deep = Levers { queue_depth: Some(64), ..Levers::default() };
    assert_said(&Need { levers: deep, ..large }, "reads", "64 reads of 4 MiB in flight: as asked");
    let plan = Plan::new(&Need { levers: deep, ..large }).expect("a plan");
    let decisions = plan.decisions(&large, INPUT, USUAL);
    let reads = decisions.last().expect("decisions");
    assert_eq!(reads.reason.to_string(), "the disks were measured to be faster so");
    let small = Need { budget: ByteSize::mib(24), ..usual() };
    assert_said(&small, "reads", "8 reads of 256 KiB in flight: smaller requests would be slow");
    let sync = JobConditions { is_asynchronous: false, ..USUAL };
    let words = "reads of 4 MiB, one at a time: the I/O engine carries out one request after";
    assert!(said_of(sync, &large, "reads").starts_with(words));
    let waits = Levers { async_io: AsyncIo::Off, ..Levers::default() };
    let waits = said_of(sync, &Need { levers: waits, ..large }, "reads");
    assert!(waits.ends_with("one at a time: each thread waits for each read, as asked for"));
}
