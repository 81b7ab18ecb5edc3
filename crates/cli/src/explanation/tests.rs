//! The words of a plan, from fixed figures.

use super::*;
use sortwell::Phase;
use sortwell::unstable::plan::outlook::Outlook;
use sortwell::unstable::stats::{PhasePrediction, Prediction, WriteBuffers};

fn explanation() -> Explanation {
    let mut of = Explanation::default();
    of.bytes = ByteSize(20_000_000_000);
    of.record_length = 100;
    of.budget = ByteSize::mib(64);
    of.arena_bytes = ByteSize::mib(50);
    of.buffer_bytes = ByteSize::mib(8);
    of.scratch_bytes = ByteSize::mib(2);
    of.load_bytes = ByteSize::mib(20);
    of.loads_at_once = 2;
    of.threads = 2;
    of.threads_wanted = 4;
    of.engine = "uring";
    (of.is_direct, of.is_asynchronous) = (true, true);
    of.write_buffers = WriteBuffers { count: 4, bytes: ByteSize::mib(1) };
    of.block_bytes = ByteSize(256 << 10);
    of.read_depth = 4;
    of.outlook = Outlook {
        passes: 3,
        loads: 1000,
        runs: 1000,
        run_bytes: ByteSize::mib(19),
        merge_width_max: 40,
        merge_width: 40,
        merged_before: 985,
        slab_bytes: ByteSize::mib(20),
        piece_bytes: ByteSize(512 << 10),
        spilled_bytes: ByteSize(40_000_000_000),
        spill_space: ByteSize(21_000_000_000),
        in_place_space: ByteSize::mib(60),
        moved_bytes: ByteSize(120_000_000_000),
        one_pass_budget: Some(ByteSize::gib(30)),
        two_pass_budget: Some(ByteSize::mib(400)),
    };
    of.unpredicted = Some("nobody has measured it".into());
    of
}

#[test]
fn a_plan_of_three_passes() {
    let expected = "input    18.6 GiB (20000000000 bytes): 200000000 records of 100 bytes
plan     3 passes, 1000 runs of 19 MiB, 2 threads of 4
merge    40 runs at once, 40 possible; slabs of 20 MiB, 512 KiB of each run; 985 runs merged before
bytes    111.8 GiB read and written in total, 37.3 GiB of it spilled; spill space 19.6 GiB
memory   50 MiB of 64 MiB: 2 loads of 20 MiB, write buffers 8 MiB (4 of 1 MiB \
         for each thread), sorting 2 MiB
i/o      uring, input past the page cache, 8 reads of 256 KiB in flight
budgets  two passes from 400MiB on, one pass from 30GiB on
time     not known: nobody has measured it
";
    assert_eq!(text(&explanation(), None), expected);
}

#[test]
fn a_plan_of_one_pass() {
    let mut of = explanation();
    of.outlook = Outlook {
        passes: 1,
        loads: 1,
        runs: 0,
        merge_width: 0,
        merge_width_max: 0,
        merged_before: 0,
        spilled_bytes: ByteSize(0),
        moved_bytes: ByteSize(40_000_000_000),
        one_pass_budget: None,
        ..of.outlook
    };
    (of.varies, of.loads_at_once, of.threads) = (true, 1, 4);
    let words = text(&of, None);
    for part in [
        ": about 200000000 records of 100 bytes\n",
        "plan     1 pass, 4 threads\n",
        "merge    none: all records are sorted in memory\n",
        "bytes    37.3 GiB read and written in total\n",
        ": a load 20 MiB,",
        "16 reads of",
        "one pass with no budget\n",
    ] {
        assert!(words.contains(part), "'{part}' is missing:\n{words}");
    }
}

#[test]
fn what_may_be_less_says_so() {
    let mut of = explanation();
    (of.is_at_most, of.is_in_place) = (true, true);
    let words = text(&of, None);
    for part in [
        "memory   50 MiB of 64 MiB: 2 loads",
        "plan     at most 3 passes, 1000 runs",
        "bytes    at most 111.8 GiB read",
        "spill space 19.6 GiB, or 60 MiB next to the input on its own device\n",
    ] {
        assert!(words.contains(part), "'{part}' is missing:\n{words}");
    }
}

#[test]
fn merges_of_streams_have_no_slabs() {
    let mut of = explanation();
    of.outlook.slab_bytes = ByteSize(0);
    let expected =
        "merge    40 runs at once, 40 possible; as streams, 512 KiB of each run ahead; 985";
    assert!(text(&of, None).contains(expected), "{}", text(&of, None));
}

#[test]
fn times_are_foretold_by_phase() {
    let phase = |phase, seconds, disk_seconds| PhasePrediction {
        phase,
        seconds,
        most_seconds: seconds,
        disk_seconds,
        processor_seconds: 1.5,
    };
    let phases = vec![phase(Phase::Reading, 1.5, 0.75), phase(Phase::Writing, 2.0, 2.0)];
    let told = |most_seconds| {
        let prediction = Prediction { seconds: 3.5, most_seconds, phases: phases.clone() };
        let mut of = explanation();
        of.prediction = Some(prediction);
        text(&of, None)
    };
    let expected = "time     3.50 s: 1.50 s reading (processors), 2.00 s writing output (disks)";
    assert!(told(3.6).ends_with(&format!("{expected}\n")), "{}", told(3.6));
    let words = told(9.0);
    assert!(
        words.ends_with(&format!("{expected}; up to 9.00 s if new memory is slow\n")),
        "{words}"
    );
}

#[test]
fn programs_get_figures() {
    let json: serde_json::Value =
        serde_json::from_str(&json(&explanation(), None, Some("csv"))).expect("JSON");
    assert_eq!(json["outlook"]["runs"], 1000);
    assert_eq!(json["record_length"], 100);
    assert_eq!(json["format_by_names"], "csv");
}
