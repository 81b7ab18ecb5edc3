//! The whole block, word for word, for one pass and for two; and what programs read.

use sortwell::Phase;
use sortwell::unstable::stats::{
    InvalidKey, InvalidKeys, KeyFindings, PhaseTime, Proof, Requests, Streams, UnmatchedKey,
};

use super::*;

fn one_pass() -> Statistics {
    let mut of = Statistics::default();
    of.records = 10_000_000;
    of.bytes = ByteSize(1_000_000_000);
    of.seconds = 1.6;
    of.passes = 1;
    of.loads = 1;
    of.algorithm = Some("radix");
    of.threads = 2;
    of.engine = "uring";
    of.direct_input = true;
    of.asynchronous = true;
    of.memory_budget = ByteSize::gib(4);
    of.memory_peak = ByteSize::mib(1200);
    of.streams = Streams {
        input_read: ByteSize(1_000_000_000),
        output_written: ByteSize(1_000_000_000),
        ..Streams::default()
    };
    of.phases = vec![PhaseTime {
        phase: Phase::Reading,
        seconds: 0.75,
        io_wait_seconds: 0.5,
        user_seconds: 0.25,
        system_seconds: 0.125,
    }];
    of.user_seconds = 0.71;
    of.system_seconds = 0.4;
    of.proof = Some(Proof { records: 10_000_000, checksum: 0xab });
    of.is_order_proven = true;
    of
}

#[test]
fn one_pass_in_words() {
    let expected = "sorted   10000000 records, 953.7 MiB (1000000000 bytes), in 1.60 s
speed    625 MB/s, 6250000 records/s
plan     1 pass, 1 load, 2 threads
i/o      uring, input past the page cache, output through the page cache
bytes    953.7 MiB read, 953.7 MiB written
time     0.75 s reading (0.50 s waiting for I/O)
cpu      0.71 s user, 0.40 s system
memory   1.2 GiB at the peak, 4 GiB allowed
proof    10000000 records in and out, checksum 000000000000000000000000000000ab of both, \
         in proven order
";
    assert_eq!(text(&one_pass()), expected);
}

#[test]
fn two_passes_name_runs_and_spill() {
    let mut two = one_pass();
    (two.passes, two.loads, two.runs, two.merge_width) = (2, 6, 6, 6);
    two.streams.spill_written = ByteSize::gib(5);
    two.streams.spill_read = ByteSize::gib(5);
    two.stages = Stages { count: 9, overlapped: 6, merging: 3, merging_overlapped: 1 };
    two.write_buffers = WriteBuffers { count: 3, bytes: ByteSize::mib(1) };
    two.proof = None;
    let text = text(&two);
    for part in [
        "plan     2 passes, 6 loads, 6 runs by radix, merge width 6, 2 threads, overlap in 5 of 6 \
         steps of run generation and in 1 of 3 steps of merges\n",
        "output through the page cache, 3 write buffers of 1 MiB\n",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert!(text.contains(" read, 5 GiB spilled, 5 GiB read back, 953.7 MiB written\n"), "{text}");
    assert!(text.contains("proof    order only: records written, in proven order"), "{text}");
}

#[test]
fn a_merge_has_no_loads() {
    let mut merge = one_pass();
    (merge.loads, merge.runs, merge.merge_width, merge.threads) = (0, 12, 12, 1);
    merge.algorithm = None;
    let text = text(&merge);
    assert!(text.starts_with("merged   10000000 records, "), "{text}");
    assert!(text.contains("plan     1 pass, 12 runs, merge width 12, 1 thread\n"), "{text}");
}

#[test]
fn no_time_is_no_speed() {
    let mut none = one_pass();
    none.seconds = 0.0;
    assert!(text(&none).contains("speed    too short to measure\n"));
}

#[test]
fn json_is_one_line_with_the_library_s_names() {
    let inputs: Vec<Input> = (0..30).map(|n| Input::File(format!("in {n}").into())).collect();
    let files = JobFiles {
        inputs: &inputs,
        output: &Output::Stdout,
        is_split: false,
        force: false,
        format_by_names: Some("csv"),
    };
    let line = json(&one_pass(), Named::new(&files, std::env::args_os()));
    assert!(!line.contains('\n'));
    let value: serde_json::Value = serde_json::from_str(&line).expect("valid JSON");
    assert_eq!(value["records"], 10_000_000);
    assert_eq!(value["streams"]["input_read"], 1_000_000_000);
    assert_eq!(value["phases"][0]["phase"], "reading");
    assert_eq!(
        (&value["job"]["inputs"][19], &value["job"]["input_count"]),
        (&"in 19".into(), &30.into())
    );
    assert_eq!(value["job"]["output"], "standard output");
    assert_eq!(value["job"]["format_by_names"], "csv");
    assert!(value["machine"]["cores"].as_u64() > Some(0), "{value}");
    assert_eq!(value["proof"]["checksum"], "000000000000000000000000000000ab");
}

#[test]
fn requests_are_told_where_there_were_some() {
    let mut of = one_pass();
    assert!(!text(&of).contains("requests "));
    of.streams.input_read = ByteSize::mib(8);
    of.requests.input_read = Requests { count: 4, in_flight: 10, ..Requests::default() };
    assert!(text(&of).contains("requests input 4 of 2 MiB, 2.5 in flight\n"), "{}", text(&of));
}

#[test]
fn buffers_of_merged_streams_have_a_line() {
    let mut of = one_pass();
    of.merge_buffers = Some(MergeBuffers {
        geometry: 0.5,
        refill: 0.25,
        runs: 17,
        buffer_max: ByteSize::mib(3),
        buffer_min: ByteSize::mib(1),
        refills: 60,
        refill_bytes: ByteSize::mib(120),
        refill_max: ByteSize::mib(3),
        ..MergeBuffers::default()
    });
    let expected = "buffers  geometry 0.5, refilled below 0.25: 17 runs of 1 MiB to 3 MiB each, \
                    60 refills of 2 MiB, 3 MiB at most\n";
    assert!(text(&of).contains(expected), "{}", text(&of));
}

#[test]
fn words_are_quoted_as_shells_take_them() {
    let quoted = |word: &str| quoted(OsStr::new(word));
    assert_eq!(quoted("-k"), "-k");
    assert_eq!(quoted("/a/b-1.txt"), "/a/b-1.txt");
    assert_eq!(quoted("it's a $file"), "'it'\\''s a $file'");
    assert_eq!(quoted(""), "''");
}

#[test]
fn advice_stands_below() {
    let mut of = one_pass();
    of.advice = vec!["Do less.".to_owned().into(), "Wait.".to_owned().into()];
    assert!(text(&of).ends_with("\nadvice   Do less.\nadvice   Wait.\n"), "{}", text(&of));
}

#[test]
fn invalid_keys_are_counted() {
    let key = |key: &str, records| InvalidKey {
        key: key.to_owned(),
        expected: "a decimal".to_owned(),
        records,
    };
    let mut found = InvalidKeys {
        records: 12,
        of_records: 3000,
        place: "last",
        keys: vec![key("column 'price'", 10), key("column 'tax'", 2)],
    };
    let mut of = one_pass();
    let mut lines = |found: &InvalidKeys| {
        of.keys = KeyFindings { invalid: Some(found.clone()), ..KeyFindings::default() };
        assert_eq!(text(&of).contains("\nkeys     "), found.records > 0);
        key_lines(&of)
    };
    let several = "sortwell: 12 of 3000 records have an invalid key, and come last: column \
                   'price' is not a decimal (10 records); column 'tax' is not a decimal (2 \
                   records)\n";
    assert_eq!(lines(&found), several);
    found =
        InvalidKeys { records: 1, of_records: 1, place: "first", keys: vec![key("field 2", 1)] };
    let one = "sortwell: 1 of 1 record has an invalid key, and comes first: field 2 is not a \
               decimal\n";
    assert_eq!(lines(&found), one);
    (found.records, found.keys) = (0, Vec::new());
    assert_eq!(lines(&found), "");
}

#[test]
fn a_key_without_values_is_warned_of() {
    let mut of = one_pass();
    let unmatched = |suggestion| UnmatchedKey {
        key: "field 2".to_owned(),
        expected: "an int".to_owned(),
        suggestion,
    };
    of.keys.unmatched = vec![unmatched(None), unmatched(Some("size"))];
    let warning = "sortwell: warning: field 2 has no valid value in any record: it is not an int";
    let expected = format!("{warning}\n{warning}; all values fit type size\n");
    assert_eq!(key_lines(&of), expected);
    let line = "\nwarning  field 2 has no valid value in any record: it is not an int; all values";
    assert!(text(&of).contains(line));
}
