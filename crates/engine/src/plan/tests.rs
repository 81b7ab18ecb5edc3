//! The plan as a pure function: what it decides, that its parts add up to no more than the budget,
//! and what it foretells of the passes.

use super::*;
use crate::error::{ConfigErrorKind, Error};
use crate::incore::sort::bucket_records;
use crate::run::layout::BLOCK;
use levers::{AREAS_MAX, Overlap};
use memory::{BUFFERS, BUFFERS_ENOUGH};
use passes::{MergeMethod, intermediate_groups, merge_width};

const LENGTHS: [usize; 12] = [1, 2, 8, 13, 16, 17, 100, 1000, 5000, 65_536, 70_000, 1 << 20];

/// The smallest piece of a run, where nothing is said: four parts of three blocks.
const PIECE: usize = 12 * BLOCK;

/// The need of most tests: records of one length, two workers.
pub(in crate::plan) fn need(
    record_length: usize,
    input_bytes: Option<u64>,
    budget: ByteSize,
) -> Need {
    Need {
        input_bytes,
        inputs: 1,
        record_length,
        varies: false,
        is_key_wide: false,
        wanted: None,
        drops_copies: false,
        algorithm: Algorithm::Auto,
        budget,
        besides: Besides::default(),
        files: files(1 << 20),
        run_members: 1,
        selects: false,
        threads: 2,
        levers: Levers::default(),
    }
}

/// Descriptors for this number of files, each of which takes two.
pub fn files(left: usize) -> OpenFiles {
    OpenFiles { left, per_file: 2, per_queue: 1 }
}

/// Budgets from too small to plenty, in steps of a few percent.
fn budgets() -> impl Iterator<Item = ByteSize> {
    let mut bytes = 1 << 20;
    std::iter::from_fn(move || {
        bytes += bytes / 11;
        (bytes < 64 << 30).then_some(ByteSize(bytes))
    })
}

fn gigabytes(record_length: usize, count: u64) -> Option<u64> {
    Some(count * 1_000_000_000 / record_length as u64 * record_length as u64)
}

/// Longer records are dealt themselves where that costs no worker and needs no larger budget.
#[test]
fn short_records_are_dealt_where_memory_allows() {
    let plan = |length, budget| {
        let plan = Plan::new(&need(length, gigabytes(length, 1), budget)).ok();
        plan.map(|plan| (plan.threads, plan.item))
    };
    let item = |length, mib| plan(length, ByteSize::mib(mib)).expect("a plan").1;
    assert_eq!((item(16, 32), item(18, 24)), (Item::Record(16), Item::Entry));
    assert_eq!((item(18, 256), item(31, 256)), (Item::Record(18), Item::Record(31)));
    assert_eq!(item(32, 256), Item::Entry);
    // Buffers for these reads leave nothing for loads.
    let mut deep = need(24, gigabytes(24, 5), ByteSize::mib(256));
    deep.levers.queue_depth = Some(64);
    deep.levers.block = Some(ByteSize::mib(4));
    assert_eq!(Plan::new(&deep).expect("a plan").item, Item::Entry);
    for budget in budgets() {
        let threads = |length| plan(length, budget).map(|plan| plan.0);
        assert_eq!((threads(18), threads(31)), (threads(100), threads(100)), "{budget:?}");
    }
}

/// The system takes long to give fresh memory, and a larger request is no faster.
#[test]
fn buffers_of_many_workers_take_no_more_memory_than_helps() {
    let plan = |length, threads| {
        let need = Need { threads, ..need(length, gigabytes(length, 1), ByteSize::mib(16 << 10)) };
        Plan::new(&need).expect("a plan")
    };
    for threads in [1, 2, 4, 8, 16, 32] {
        let (long, short) = (plan(100, threads), plan(16, threads));
        let written = [&long, &short].map(|plan| plan.threads * BUFFERS * plan.lane.capacity);
        let read = short.threads * short.read_depth * short.block_bytes;
        let all = (4 << 20) * threads * BUFFERS;
        assert_eq!(written, [all.min(BUFFERS_ENOUGH); 2], "{threads} threads");
        assert_eq!(
            read,
            ((4 << 20) * (2 * threads).max(8)).min(BUFFERS_ENOUGH),
            "{threads} threads"
        );
        assert_eq!(long.block_bytes, 4 << 20, "{threads} threads");
    }
}

#[test]
fn what_fits_takes_one_pass_and_what_does_not_takes_more() {
    let plan = |bytes, budget| Plan::new(&need(100, Some(bytes), budget)).unwrap();
    assert!(plan(0, ByteSize::mib(64)).is_one_pass());
    assert!(plan(30_000_000, ByteSize::mib(64)).is_one_pass());
    assert!(!plan(100_000_000, ByteSize::mib(64)).is_one_pass());
    assert!(plan(1_000_000_000, ByteSize::gib(2)).is_one_pass());
    assert!(!plan(5_000_000_000, ByteSize::gib(1)).is_one_pass());
    let stream = Plan::new(&need(100, None, ByteSize::gib(64))).unwrap();
    assert!(!stream.is_one_pass(), "nobody knows how long a stream is");
}

#[test]
fn loads_of_which_little_is_wanted_are_small() {
    let plan = |bytes, budget, wanted| {
        Plan::new(&Need { wanted, ..need(100, Some(bytes), budget) }).unwrap()
    };
    let (few, many) = (Some(1000), Some(1_000_000));
    let (small, large) = (200_000_000, 2_000_000_000);
    assert!(plan(small, ByteSize::gib(8), few).is_one_pass(), "it is not worth runs");
    let limited = plan(large, ByteSize::gib(8), few);
    assert!(!limited.is_one_pass() && limited.load.bytes() <= 64 << 20);
    assert!(
        limited.external().unwrap().slab_bytes > 1 << 30,
        "a long record gets more than a load has"
    );
    assert!(plan(large, ByteSize::gib(8), many).is_one_pass());
    assert_eq!(plan(large, ByteSize::mib(64), few).load, plan(large, ByteSize::mib(64), None).load);
}

/// Beyond what makes pieces of runs large, memory would have to be got for nothing.
#[test]
fn two_passes_take_no_more_memory_than_helps() {
    let of = |bytes, budget| need(100, Some(bytes), budget);
    let plan = |need: &Need| Plan::new(need).unwrap();
    let (four, gibibytes) = (4_000_000_000, ByteSize::gib(2));
    let enough = plan(&of(four, gibibytes));
    assert!(!enough.is_one_pass() && enough.used_bytes() < 640 << 20, "{enough:?}");
    assert!(enough.external().unwrap().slab_bytes > 900 << 20, "a long record gets what there is");
    assert_eq!(plan(&of(four, ByteSize::gib(3))).load, enough.load);
    let piece = enough.external().unwrap().slab_wanted / enough.volume(four).merge_width;
    assert!((12 << 20..20 << 20).contains(&piece), "{piece}");
    // What a small budget has is never enough.
    let small = plan(&of(four, ByteSize::mib(256)));
    assert_eq!(small.used_bytes(), small.arena_bytes);
    let whole = |need: &Need| {
        let plan = plan(need);
        plan.used_bytes() == plan.arena_bytes
            && plan.load.bytes() * 10 > plan.external().unwrap().slab_bytes * 9
    };
    assert!(!whole(&of(four, gibibytes)));
    assert!(whole(&Need { files: files(32), ..of(four, gibibytes) }), "or runs would be too many");
    assert!(whole(&Need { input_bytes: None, ..of(four, gibibytes) }), "it may be any size");
    let algorithm = Algorithm::ReplacementSelection;
    assert!(whole(&Need { algorithm, ..of(four, gibibytes) }), "it is for long runs");
    let levers = Levers { merge: Some(MergeMethod::Streams), ..Levers::default() };
    assert!(whole(&Need { levers, ..of(four, gibibytes) }), "they divide all of it");
    // A disk that takes long to begin wants larger pieces.
    let levers = Levers { read_factor: Some(512), ..Levers::default() };
    let slow = plan(&Need { levers, ..of(four, gibibytes) });
    assert!(slow.used_bytes() > enough.used_bytes() + (256 << 20), "{slow:?}");
}

#[test]
fn more_memory_never_makes_more_passes() {
    for record_length in LENGTHS {
        let mut was_one_pass = false;
        for budget in budgets() {
            let need = need(record_length, gigabytes(record_length, 1), budget);
            let Ok(plan) = Plan::new(&need) else { continue };
            assert!(plan.is_one_pass() || !was_one_pass, "{need:?}: {plan:?}");
            was_one_pass = plan.is_one_pass();
        }
        assert!(was_one_pass, "64 GiB are enough for a gigabyte");
    }
}

/// All that is planned lies within the budget, and leaves something for the program itself.
#[test]
fn memory_adds_up_to_less_than_the_budget() {
    for record_length in LENGTHS {
        for input_bytes in
            [None, Some(0), gigabytes(record_length, 1), gigabytes(record_length, 99)]
        {
            for threads in [1, 2, 3, 8, 64] {
                for (inputs, overlap) in [(1, Overlap::Auto), (1000, Overlap::Sync)] {
                    for budget in budgets() {
                        let need = need(record_length, input_bytes, budget);
                        let levers = Levers { overlap, ..Levers::default() };
                        let need = Need { threads, inputs, levers, ..need };
                        if let Ok(plan) = Plan::new(&need) {
                            assert_adds_up(&need, &plan);
                        }
                    }
                }
            }
        }
    }
}

fn assert_adds_up(need: &Need, plan: &Plan) {
    let explain = || format!("{need:?}: {plan:?}");
    assert!(plan.arena_bytes as u64 + (8 << 20) < need.budget.bytes(), "{}", explain());
    assert!((1..=need.threads).contains(&plan.threads), "{}", explain());
    let own = plan.threads * (plan.lane.bytes() + plan.scratch_bytes);
    let loads = plan.arena_bytes - own;
    let mut pages = vec![plan.scratch_bytes, plan.lane.buffer_bytes()];
    if let Some(external) = plan.external() {
        let ExternalPlan { slab_bytes, merge_width, .. } = *external;
        assert!(external.areas_bytes() <= loads, "{}", explain());
        assert!(plan.load.bytes() <= slab_bytes, "{}", explain());
        assert!(plan.load.records_max >= 2 && merge_width >= 2, "{}", explain());
        // Slabs hold at least a part of every run, with the blocks at its ends, and a part more.
        let part = BLOCK.next_multiple_of(need.record_length) + 2 * BLOCK;
        assert!((merge_width + 1) * part <= slab_bytes, "{}", explain());
        pages.push(slab_bytes);
    } else {
        assert!(plan.load.bytes() <= loads, "{}", explain());
        let records = need.input_bytes.unwrap() / need.record_length as u64;
        assert!(u64::from(plan.load.records_max) >= records, "{}", explain());
    }
    assert!(plan.lane.slack >= need.record_length && plan.lane.capacity.is_multiple_of(BLOCK));
    assert!(plan.lane.capacity >= BLOCK && plan.task_bytes > 0 && plan.read_depth > 0);
    assert!(plan.block_bytes.is_multiple_of(PAGE) && plan.block_bytes > 0);
    assert!(pages.iter().all(|bytes| bytes.is_multiple_of(PAGE)), "{}", explain());
}

/// The least budget that an error names.
fn least_of(error: &Error) -> ByteSize {
    match error.config_kind() {
        Some(ConfigErrorKind::BudgetTooSmall { least: Some(least) }) => least,
        other => panic!("{other:?}: {error}"),
    }
}

#[test]
fn a_budget_too_small_is_refused_with_one_that_will_do() {
    let limits = [None, Some(1), Some(4186)];
    for (record_length, wanted) in LENGTHS.into_iter().flat_map(|n| limits.map(|w| (n, w))) {
        for threads in [1, 2, 8] {
            let small = need(record_length, gigabytes(record_length, 9), ByteSize::mib(3));
            let small = Need { threads, wanted, ..small };
            let error = Plan::new(&small).expect_err("too small");
            let budget = least_of(&error);
            let said = error.to_string();
            let named = format!("give at least {} MiB with memory", budget.bytes() >> 20);
            assert!(said.contains("3 MiB") && said.ends_with(&named), "{said}");
            assert!(Plan::new(&Need { budget, ..small }).is_ok(), "{said}, {threads} threads");
        }
    }
}

/// Levers can take so much of each thread's share that fewer threads have room for a load.
#[test]
fn loads_have_room_for_a_record() {
    let room = |length: usize, varies, budget| {
        let levers = Levers {
            overlap: Overlap::Sync,
            merge: Some(MergeMethod::Streams),
            write_buffer: Some(ByteSize(256 << 10)),
            ..Levers::default()
        };
        let need = Need { varies, levers, ..need(length, gigabytes(length, 1), budget) };
        Some(Plan::new(&need).ok()?.load.records_bytes)
    };
    let small = (16 << 20..24 << 20).step_by(PAGE).map(ByteSize);
    for (budget, length) in small.flat_map(|budget| [9, 5000].map(|length| (budget, length))) {
        for bytes in [false, true].into_iter().filter_map(|varies| room(length, varies, budget)) {
            // A page at either end of an input is its neighbour's, and a terminator may follow.
            let least = (length.next_multiple_of(PAGE) + 3 * PAGE) as u64;
            assert!(bytes >= least, "{budget:?}, {length}: {bytes}");
        }
    }
}

#[test]
fn more_memory_is_never_refused_where_less_would_do() {
    let write_buffers = Some(9);
    let small_runs = |run, depth: usize| Levers {
        run: Some(ByteSize(run)),
        queue_depth: Some(depth),
        write_buffers,
        merge: Some(MergeMethod::Streams),
        ..Levers::default()
    };
    let cases = [(5, false, 64, 4), (16, true, 4, 4), (100, true, 4, 4), (23, false, 4, 16)];
    for (record_length, varies, depth, threads) in cases {
        let mut was_enough = false;
        for mib in 8..80 {
            let levers = small_runs(12 << 10, depth);
            let need = need(record_length, Some(30_000), ByteSize::mib(mib));
            let plan = Plan::new(&Need { varies, levers, threads, ..need });
            assert!(plan.is_ok() || !was_enough, "{record_length} bytes in {mib} MiB");
            was_enough = plan.is_ok();
            // A load that begins within a page of a file reads that page, and the last one whole.
            let least = if varies { 1 } else { 3 * PAGE + 2 * record_length };
            let is_enough = |plan: Plan| plan.load.records_bytes >= least as u64;
            assert!(plan.is_ok_and(is_enough) || !was_enough, "room for no record");
        }
        assert!(was_enough);
    }
}

#[test]
fn no_groups_where_all_can_be_merged_at_once() {
    for width in 2..20 {
        for runs in 0..=width {
            assert!(intermediate_groups(runs, width).is_empty());
        }
    }
}

/// Groups are of neighbours, in order, no wider than can be; each round does no more than it must.
#[test]
fn groups_narrow_runs_to_the_width_with_least_work() {
    for width in 2..12 {
        for runs in width + 1..300 {
            let mut left = runs;
            let mut rounds = 0;
            while left > width {
                let groups = intermediate_groups(left, width);
                assert!(!groups.is_empty(), "{left} runs by {width}");
                let mut end = 0;
                for group in &groups {
                    assert!((2..=width).contains(&group.len()) && group.start >= end);
                    end = group.end;
                }
                assert!(end <= left);
                let after = left - groups.iter().map(|group| group.len() - 1).sum::<usize>();
                assert!(after >= width, "{left} runs by {width}: merged to {after}, too many");
                left = after;
                rounds += 1;
            }
            assert_eq!(left, width, "the last merge is full");
            let mut least = 0;
            let mut reach = width;
            while reach < runs {
                (reach, least) = (reach * width, least + 1);
            }
            assert_eq!(rounds, least, "{runs} runs by {width}");
        }
    }
}

#[test]
fn wider_slabs_merge_more_runs_up_to_a_limit() {
    let mut before = 0;
    for mib in [1, 2, 8, 64, 512, 4096] {
        let width = merge_width(mib << 20, 100, 0);
        assert!(width >= before);
        before = width;
    }
    assert!((100..10_000).contains(&before), "{before} files are open at once");
    assert!(merge_width(64 << 20, 1 << 20, 0) < merge_width(64 << 20, 100, 0));
    assert!(merge_width(64 << 20, 100, 1 << 20) < merge_width(64 << 20, 100, 0));
}

/// The memory of two loads in turn is that of one alone, so that runs are twice as long; and so it
/// is with slabs. All memory together stays the same, be it the budget or what is enough.
#[test]
fn one_load_is_as_large_as_two_in_turn() {
    let plan = |need: &Need, overlap| {
        let levers = Levers { overlap, ..need.levers };
        Plan::new(&Need { levers, ..*need }).unwrap()
    };
    for length in [2, 16, 100, 5000, 70_000] {
        for (count, budget) in
            [(1, ByteSize::mib(64)), (1, ByteSize::mib(200)), (20, ByteSize::gib(4))]
        {
            let bytes = gigabytes(length, count);
            // Of long lines a load has room for some more entries anyway.
            let may_vary = length == 100 || length == 5000;
            for (input_bytes, varies) in [(bytes, false), (None, false), (bytes, may_vary)] {
                let need = Need { varies, ..need(length, input_bytes, budget) };
                let (two, one) = (plan(&need, Overlap::Pipelined), plan(&need, Overlap::Sync));
                let explain = || format!("{need:?}: {two:?}, {one:?}");
                assert_eq!(
                    (two.load_areas(), one.load_areas(), two.is_one_pass()),
                    (2, 1, false),
                    "{}",
                    explain()
                );
                assert!(two.arena_bytes.abs_diff(one.arena_bytes) <= PAGE, "{}", explain());
                assert!(two.used_bytes().abs_diff(one.used_bytes()) <= PAGE, "{}", explain());
                assert!(
                    one.external()
                        .unwrap()
                        .slab_wanted
                        .abs_diff(2 * two.external().unwrap().slab_wanted)
                        <= PAGE,
                    "{}",
                    explain()
                );
                let share = one.load.records_bytes as f64 / two.load.records_bytes as f64;
                // Short records are read through buffers, which one load wants no more of.
                let most = if length > 16 { 2.2 } else { 3.0 };
                assert!((1.9..most).contains(&share), "{share}: {}", explain());
                assert!(
                    one.external().unwrap().merge_width >= two.external().unwrap().merge_width,
                    "{}",
                    explain()
                );
                let runs = |plan: &Plan| plan.volume(bytes.unwrap()).runs as f64;
                assert!((runs(&two) / runs(&one) - share).abs() < 0.5, "{}", explain());
            }
        }
    }
    // What is said of runs counts, and what fits in memory has nothing to take turns with.
    let levers = Levers { run: Some(ByteSize::mib(4)), ..Levers::default() };
    let given = Need { levers, ..need(100, gigabytes(100, 1), ByteSize::mib(256)) };
    assert_eq!(plan(&given, Overlap::Sync).load, plan(&given, Overlap::Pipelined).load);
    for bytes in [30_000_000, 44_000_000, 60_000_000] {
        let small = need(100, Some(bytes), ByteSize::mib(64));
        let (two, one) = (plan(&small, Overlap::Pipelined), plan(&small, Overlap::Sync));
        assert_eq!(two.is_one_pass(), one.is_one_pass(), "{bytes}");
    }
}

/// The figures of both forms, of 5 GB of 100-byte records within 256 MiB.
#[test]
fn plans_of_both_forms() {
    let told = |overlap| {
        let levers = Levers { overlap, ..Levers::default() };
        let need = Need { levers, ..need(100, Some(5_000_000_000), ByteSize::mib(256)) };
        let plan = Plan::new(&need).unwrap();
        let volume = plan.volume(5_000_000_000);
        let mib = |bytes: usize| bytes >> 20;
        let memory = (
            mib(plan.arena_bytes),
            mib(plan.load.bytes()),
            mib(plan.external().unwrap().slab_bytes),
        );
        (
            memory,
            volume.runs,
            volume.run_bytes >> 20,
            volume.load_stages,
            plan.external().unwrap().merge_width,
        )
    };
    assert_eq!(told(Overlap::Pipelined), ((235, 107, 107), 49, 98, 49, 143));
    assert_eq!(told(Overlap::Sync), ((235, 215, 215), 25, 197, 50, 287));
}

/// Nothing is merged twice that one load after the other would merge once, unless that was wished
/// for.
#[test]
fn nothing_overlaps_where_less_is_merged_then() {
    let mut saved = 0;
    for (length, bytes) in LENGTHS
        .into_iter()
        .flat_map(|length| [1, 8, 40].map(|count| (length, gigabytes(length, count).unwrap())))
    {
        for budget in budgets().filter(|budget| budget.bytes() >= 64 << 20) {
            let plan = |overlap| {
                let levers = Levers { overlap, ..Levers::default() };
                Plan::new(&Need { levers, ..need(length, Some(bytes), budget) }).unwrap()
            };
            let [auto, pipelined, sync] =
                [Overlap::Auto, Overlap::Pipelined, Overlap::Sync].map(plan);
            let merged = |plan: &Plan| plan.volume(bytes).merged_bytes;
            if merged(&sync) < merged(&pipelined) {
                saved += 1;
                assert_eq!(auto, sync);
            } else {
                let levers = Levers::default();
                assert_eq!(auto, Plan { levers, ..pipelined });
            }
        }
    }
    assert!(saved > 100, "{saved}");
    let stream = Plan::new(&need(100, None, ByteSize::mib(64))).unwrap();
    assert_eq!(stream.load_areas(), AREAS_MAX, "nobody knows how many passes a stream takes");
}

/// The rest of a job has the form of the whole: runs that were to be merged at once are.
#[test]
fn what_is_left_is_done_as_it_was_begun() {
    for (length, count) in LENGTHS.into_iter().flat_map(|length| [(length, 1), (length, 40)]) {
        let bytes = gigabytes(length, count).unwrap();
        for budget in budgets().filter(|budget| budget.bytes() >= 64 << 20) {
            let need = need(length, Some(bytes), budget);
            let (whole, rest) = (Plan::new(&need).unwrap(), Plan::after_runs(&need).unwrap());
            let volume = whole.volume(bytes);
            assert!(!rest.is_one_pass());
            assert!(
                whole.is_one_pass() || rest.load_areas() == whole.load_areas(),
                "{whole:?} {rest:?}"
            );
            assert!(
                volume.passes > 2 || rest.external().unwrap().merge_width >= volume.runs,
                "{whole:?} {rest:?}"
            );
            assert_eq!(rest.besides, whole.besides, "room for runs");
        }
    }
}

#[test]
fn levers_move_what_they_say() {
    let plan = |levers| {
        Plan::new(&Need { levers, ..need(100, Some(5_000_000_000), ByteSize::mib(256)) }).unwrap()
    };
    let usual = plan(Levers::default());
    assert_eq!((usual.external().unwrap().piece_bytes, usual.read_depth), (PIECE, 4));
    assert_eq!(plan(Levers { queue_depth: Some(64), ..Levers::default() }).read_depth, 32);
    assert_eq!(plan(Levers { queue_depth: Some(1), ..Levers::default() }).read_depth, 2);
    let block = plan(Levers { block: Some(ByteSize::mib(1)), ..Levers::default() }).block_bytes;
    assert_eq!(block, 1 << 20);
    let (count, size) = (Some(3), Some(ByteSize::mib(8)));
    let buffers = plan(Levers { write_buffers: count, write_buffer: size, ..Levers::default() });
    assert_eq!((buffers.lane.buffers, buffers.lane.capacity), (3, 8 << 20));
    let halves = Levers { write_buffer: Some(ByteSize(32 << 10)), ..Levers::default() };
    let least = plan(Levers { write_buffers: Some(2), ..halves }).lane;
    assert_eq!((least.buffers, least.capacity, least.edges), (2, 32 << 10, 5), "Oracle's defaults");
    assert_eq!(
        plan(Levers { merge_width: Some(3), ..Levers::default() }).external().unwrap().merge_width,
        3
    );
}

#[test]
fn runs_are_as_long_as_is_said() {
    let all = 5_000_000_000;
    for length in [16, 100, 10_000] {
        let plan = |run: u64, algorithm| {
            let levers = Levers { run: Some(ByteSize(run)), ..Levers::default() };
            let need = need(length, Some(all), ByteSize::gib(16));
            Plan::new(&Need { levers, algorithm, ..need })
        };
        for run in [64 << 10, 1 << 20, 100 << 20, 1 << 30] {
            let load = plan(run, Algorithm::Auto).unwrap().load;
            let (most, made) = (run as f64, load.records_bytes as f64);
            assert!(made > 0.9 * most && made < 1.1 * most, "{made} bytes of {most}");
        }
        assert!(plan(all, Algorithm::Auto).unwrap().is_one_pass());
        assert!(!plan(all - 1, Algorithm::Auto).unwrap().is_one_pass());
        assert!(plan(1, Algorithm::Auto).unwrap().load.records_max >= 2);
        let refused = plan(all, Algorithm::ReplacementSelection).unwrap_err();
        assert!(refused.to_string().starts_with("run size does not apply"), "{refused}");
    }
}

/// The knowledge of each run takes memory, too: where runs are very many, it is set aside.
#[test]
fn memory_is_set_aside_for_very_many_runs() {
    let plan = |all: u64, mib| {
        let levers = Levers { run: Some(ByteSize(16 << 10)), ..Levers::default() };
        Plan::new(&Need { levers, ..need(100, Some(all), ByteSize::mib(mib)) })
    };
    let (few, many) = (plan(30 << 20, 48).unwrap(), plan(800 << 20, 48).unwrap());
    let aside = few.arena_bytes - many.arena_bytes;
    assert!((18_000_000..22_000_000).contains(&aside), "{aside} bytes of 100,000 runs");
    let refused = plan(800 << 20, 32).unwrap_err();
    let least = least_of(&refused).bytes() >> 20;
    assert!(plan(800 << 20, least).is_ok() && plan(800 << 20, least - 1).is_err(), "{refused}");
}

/// The disk of a factor decides how many runs are merged at once, from 1 to 1024, and two are
/// merged with any disk.
#[test]
fn each_read_factor_has_its_plan() {
    let external = |factor, mib| {
        let overlap = Overlap::Pipelined;
        let levers = Levers { read_factor: factor, overlap, ..Levers::default() };
        let need = Need { levers, ..need(100, Some(5_000_000_000), ByteSize::mib(mib)) };
        Plan::new(&need).unwrap().external().unwrap().clone()
    };
    let usual = external(None, 40);
    assert_eq!((external(Some(1), 40), usual.seek_bytes), (usual.clone(), 0));
    let mut before = usual;
    for factor in [8, 16, 32, 42, 64, 96, 128, 192] {
        let plan = external(Some(factor), 40);
        assert!(plan.merge_width < before.merge_width, "{factor}: {plan:?}");
        assert!(plan.piece_bytes > before.piece_bytes, "{factor}: {plan:?}");
        before = plan;
    }
    assert_eq!(external(Some(1024), 40).merge_width, 2);
    let large: Vec<_> = (0..=10).map(|power| external(Some(1 << power), 512)).collect();
    let narrows = |pair: &[ExternalPlan]| pair[1].merge_width < pair[0].merge_width;
    assert!(large.windows(2).all(narrows), "{large:?}");
    assert!(large[10].merge_width > 2, "{large:?}");
    let streams = |factor| {
        let (read_factor, merge) = (Some(factor), Some(MergeMethod::Streams));
        let levers = Levers { read_factor, merge, ..Levers::default() };
        let need = Need { levers, ..need(100, Some(5_000_000_000), ByteSize::mib(40)) };
        Plan::new(&need).unwrap().external().unwrap().merge_width
    };
    assert!(streams(1) > streams(8) && streams(8) > streams(64) && streams(1024) == 2);
}

/// Each phase has the memory of one load or slab, or of two in turn.
#[test]
fn overlap_is_planned_for_each_phase() {
    let plan = |overlap, merge_overlap| {
        let levers = Levers { overlap, merge_overlap, ..Levers::default() };
        Plan::new(&Need { levers, ..need(100, Some(5_000_000_000), ByteSize::mib(64)) }).unwrap()
    };
    let [sync, pipelined] =
        [Overlap::Sync, Overlap::Pipelined].map(|overlap| plan(overlap, Some(overlap)));
    let mixed = plan(Overlap::Sync, Some(Overlap::Pipelined));
    let other = plan(Overlap::Pipelined, Some(Overlap::Sync));
    let of = |plan: &Plan| plan.external().unwrap().clone();
    assert_eq!((mixed.load, other.load), (sync.load, pipelined.load));
    assert_eq!((of(&mixed).load_areas, of(&mixed).slabs), (1, 2));
    assert_eq!((of(&other).load_areas, of(&other).slabs), (2, 1));
    assert_eq!(of(&mixed).merge_width, of(&pipelined).merge_width);
    assert_eq!(of(&other).merge_width, of(&sync).merge_width);
    for plan in [&mixed, &other] {
        assert_eq!(plan.arena_bytes, sync.arena_bytes);
        assert_eq!(of(plan).areas_bytes(), of(&sync).areas_bytes());
    }
}

/// Oracle 7.3's rule for `SORT_DIRECT_WRITES=AUTO`, at the numbers of its document: two buffers of
/// 32 KiB are not used for a sort area of less than 640 KiB.
#[test]
fn the_rule_of_a_tenth_is_that_of_the_document() {
    use super::memory::suits_direct_writes;
    assert!(suits_direct_writes(1, 640 << 10) && !suits_direct_writes(1, (640 << 10) - 1));
    assert!(suits_direct_writes(16, 16 << 20), "sixteen areas of 1 MiB, as in its tests");
    assert!(suits_direct_writes(16, 10 << 20) && !suits_direct_writes(16, (10 << 20) - 1));
}

/// The rule is about the smallest buffers, which all plans have memory for, unless loads are small.
#[test]
fn runs_go_past_the_cache_unless_loads_are_small() {
    let plan = |levers, budget| {
        Plan::new(&Need { levers, ..need(100, Some(5_000_000_000), budget) }).unwrap()
    };
    let large = Levers { write_buffer: Some(ByteSize::mib(8)), ..Levers::default() };
    for (levers, mib) in [(Levers::default(), 34), (Levers::default(), 1024), (large, 256)] {
        let plan = plan(levers, ByteSize::mib(mib));
        for wish in [Direct::Auto, Direct::On, Direct::Off] {
            assert_eq!(plan.spill_direct(wish), wish);
        }
    }
    let small = Levers { run: Some(ByteSize(64 << 10)), ..Levers::default() };
    let plan = plan(small, ByteSize::mib(64));
    assert!(plan.load_areas() * plan.load.bytes() < plan.threads * (640 << 10), "{plan:?}");
    assert_eq!(plan.spill_direct(Direct::Auto), Direct::Off);
    assert_eq!(plan.spill_direct(Direct::On), Direct::On);
}

/// Workers keep a number for each block and bucket, in the part of the budget that is for such.
#[test]
fn marks_take_a_small_part_of_the_budget() {
    const SHARE: u64 = 48;
    let settings = (6..16).flat_map(|power| {
        let inputs = [None, Some(1 << 40)];
        let depths = [None, Some(1), Some(64)];
        inputs.into_iter().flat_map(move |input| depths.map(|depth| (3 << power, input, depth)))
    });
    for (mib, input, depth) in settings {
        for record_length in [1, 3, 8, 16, 17, 60, 100, 4000] {
            let budget = ByteSize::mib(mib);
            let mut need = need(record_length, input, budget);
            need.levers.queue_depth = depth;
            let plan = Plan::new(&need).unwrap();
            // A stream gets the memory of all loads at first.
            let memory = plan.external().unwrap().areas_bytes() as u64;
            let bucket = (bucket_records(record_length) * record_length) as u64;
            let span = (1 << 20).max(plan.block_least).min(plan.block_bytes) as u64;
            let marks = 4 * (memory / bucket + 1) * (memory / span + 1);
            assert!(marks <= budget.bytes() / SHARE, "{record_length}, {mib} MiB: {marks}");
            let files = memory / marks::file_least(memory, record_length) + 1;
            let marks = 4 * (memory / bucket + 1) * files;
            assert!(marks <= budget.bytes() / SHARE, "{record_length}, {mib} MiB: {marks}");
        }
    }
}
