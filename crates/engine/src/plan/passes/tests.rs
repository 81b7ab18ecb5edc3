//! The promise behind the merge width: slabs of as many runs as the plan merges at once fit the
//! memory it grants them, whatever the keys.

use super::*;
use crate::format::Framing;
use crate::io::Direct;
use crate::plan::levers::{Levers, Overlap};
use crate::plan::tests::{files, need};
use crate::plan::{Need, Plan};
use crate::run::layout::RunGeometry;
use crate::run::tests::{key_of, sparse_run};
use crate::run::{Run, RunReader};
use crate::units::ByteSize;

/// How the keys of the runs lie to one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// All over.
    Random,
    /// Every run has the same keys.
    Alike,
    /// One run after the other, last one first.
    Disjoint,
}

/// The first bytes of a key: they rise with `number` from run to run as `order` says.
fn key_start(order: Order, run: u64, number: u64) -> u32 {
    let jitter = (run << 20 | number).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44;
    let value = match order {
        Order::Random => number << 20 | jitter,
        Order::Alike => number << 20,
        Order::Disjoint => (1000 - run) << 20 | number,
    };
    value as u32
}

/// Cuts all slabs of a merge at full width, of about four slabs of data.
fn check(need: &Need, key_length: usize, plan: &Plan, order: Order) {
    let folder = tempfile::tempdir().unwrap();
    let (width, length) = (plan.external().unwrap().merge_width, need.record_length);
    let records = (4 * plan.external().unwrap().slab_bytes / width / length).max(3);
    let key = key_of(&format!("0..{key_length}"), length);
    let write = |run: usize| -> Run {
        // Uneven runs, so that parts end at blocks in every way.
        let (count, bytes) = ((records - run % 3) as u64, length as u64);
        let framing = Framing::Fixed(length);
        let geometry = RunGeometry::new(framing, key_length, count * bytes, count, bytes);
        sparse_run(&folder.path().join(run.to_string()), &geometry, |number, key| {
            key[..4].copy_from_slice(&key_start(order, run as u64, number).to_be_bytes());
        })
    };
    let open = |run: Run| RunReader::open(&run, Direct::Off).unwrap();
    let readers: Vec<RunReader> = (0..width).map(write).map(open).collect();
    let walked: Vec<&RunReader> = readers.iter().collect();
    let (starts, capacity) = (vec![0; width], plan.external().unwrap().slab_bytes);
    let mut planner = Planner::new(key.encoder(), &walked, &starts, capacity, 0).unwrap();
    let (mut needed, mut read) = (0, 0);
    while let Some(slab) = planner.next_slab().unwrap() {
        let explain =
            || format!("{need:?}, {width} runs, {order:?}: {} bytes", slab.memory_bytes());
        assert!(slab.memory_bytes() <= plan.external().unwrap().slab_bytes, "{}", explain());
        read += slab.memory_bytes();
    }
    for run in &readers {
        needed += run.geometry().blocks() as usize * BLOCK;
    }
    let (needed_mb, read_mb) = (needed >> 20, read >> 20);
    assert!(read >= needed, "{need:?}, {order:?}: {read_mb} MiB read of {needed_mb}");
    assert!(read < 2 * needed, "{need:?}, {order:?}: {read_mb} MiB read for {needed_mb}");
}

#[test]
fn slabs_fit_at_full_width() {
    let mut checked = 0;
    for mib in [33, 64, 256] {
        for record_length in [16, 100, 300, 5000, 70_000] {
            for key_length in [10, record_length] {
                let budget = ByteSize::mib(mib);
                let need = need(record_length, None, budget);
                let Ok(plan) = Plan::new(&need) else { continue };
                for order in [Order::Random, Order::Alike, Order::Disjoint] {
                    // Keys that agree beyond the index are read from records, which are not there.
                    if order != Order::Alike || key_length <= 300 {
                        check(&need, key_length, &plan, order);
                        checked += 1;
                    }
                }
            }
        }
    }
    assert!(checked >= 80, "{checked} plans were held to their promise");
}

/// The plan of an endless stream of lines of some 100 bytes.
fn plan_within(budget: ByteSize) -> Plan {
    Plan::new(&Need { varies: true, ..need(100, None, budget) }).unwrap()
}

/// Runs as large as the plan's loads, of lines of some 100 bytes but for the longest of each.
fn runs(plan: &Plan, longest: &[u64]) -> Vec<Run> {
    let run = |longest: &u64| Run {
        path: "run".into(),
        bytes: plan.load.records_bytes + longest,
        records: 1 + plan.load.records_bytes / 100,
        longest_bytes: *longest,
    };
    longest.iter().map(run).collect()
}

/// The way that is chosen, and its width.
fn choose(plan: &Plan, longest: &[u64]) -> (MergeMethod, usize) {
    let Choice { way, width, .. } =
        Choice::new(plan, plan.external().unwrap(), &runs(plan, longest), 0).unwrap();
    (way, width)
}

/// The budget that an error names.
fn named(error: &Error) -> ByteSize {
    let said = error.to_string();
    let rest = said.split("at least ").nth(1).unwrap();
    rest.split(" with").next().unwrap().parse().unwrap()
}

/// What the user says counts, as far as records allow for it.
#[test]
fn a_way_that_is_set_is_taken() {
    let of = |merge| {
        let levers = Levers { merge: Some(merge), ..Levers::default() };
        let need = Need { levers, ..need(100, None, ByteSize::mib(64)) };
        Plan::new(&need).unwrap()
    };
    let (slabs, streams) = (of(MergeMethod::Slabs), of(MergeMethod::Streams));
    assert_eq!(choose(&slabs, &[100; 20]).0, MergeMethod::Slabs);
    let (way, width) = choose(&streams, &[100; 600]);
    assert_eq!(way, MergeMethod::Streams);
    assert!(
        streams.external().unwrap().merge_width <= width,
        "{} predicted, {width}",
        streams.external().unwrap().merge_width
    );
    // Two such records are too much for slabs, and none too many for streams.
    let long = [12 << 20; 3];
    assert_eq!(choose(&streams, &long).0, MergeMethod::Streams);
    let error =
        Choice::new(&slabs, slabs.external().unwrap(), &runs(&slabs, &long), 0).unwrap_err();
    assert!(error.to_string().contains("by slabs"), "{error}");
}

/// Long records in all runs make slabs narrower, then streams of them, then nothing; and then the
/// budget that is named would do.
#[test]
fn the_longest_records_decide_the_width_and_the_way() {
    for mib in [64, 256, 4096] {
        let budget = ByteSize::mib(mib);
        let plan = plan_within(budget);
        assert_eq!(
            choose(&plan, &[100; 600]),
            (MergeMethod::Slabs, plan.external().unwrap().merge_width)
        );
        let (mut before, mut longest) = (plan.external().unwrap().merge_width, 100);
        let mut has_been_streams = false;
        let error = loop {
            let runs = runs(&plan, &[longest; 9]);
            let Choice { way, width, .. } =
                match Choice::new(&plan, plan.external().unwrap(), &runs, 0) {
                    Ok(choice) => choice,
                    Err(error) => break error,
                };
            let is_streams = way == MergeMethod::Streams;
            assert!(is_streams || !has_been_streams, "{longest} bytes in {budget}");
            assert!(width >= 2 && (width <= before || is_streams != has_been_streams));
            let needed = match way {
                MergeMethod::Slabs => Planner::least_capacity(vec![longest; width]) * 2,
                MergeMethod::Streams => RunStreams::least_bytes(vec![longest; width]),
            };
            assert!(needed <= plan.stream_bytes() as u64, "{width} runs as {way:?}");
            assert!(longest > longest_merged(&plan, 0) || width >= 2);
            (before, has_been_streams) = (width, is_streams);
            longest += longest / 20 + 1;
        };
        assert!(before == 2 && has_been_streams);
        assert!(longest > budget.bytes() / 3, "{longest} bytes in {budget}");
        assert!(matches!(error, Error::Config(_)));
        assert!(error.to_string().contains(&ByteSize(longest).to_string()), "{error}");
        let enough = named(&error);
        assert!(enough > budget && enough.bytes() < 2 * budget.bytes(), "{error}");
        assert_eq!(choose(&plan_within(enough), &[longest; 2]).1, 2, "{error}");
        let less = plan_within(ByteSize(enough.bytes() - (2 << 20)));
        assert!(
            Choice::new(&less, less.external().unwrap(), &runs(&less, &[longest; 2]), 0).is_err(),
            "{error}"
        );
    }
}

/// A third of the budget, whatever the number of workers; with equal records to be dropped a
/// quarter.
#[test]
fn lines_of_a_third_of_the_budget_can_be_merged() {
    for mib in [64, 96, 256, 1024, 16 << 10] {
        for threads in [1, 2, 3, 8] {
            let need = Need { varies: true, threads, ..need(100, None, ByteSize::mib(mib)) };
            let plan = Plan::new(&need).unwrap();
            let longest = longest_merged(&plan, 0);
            assert!(longest >= need.budget.bytes() / 3, "{need:?}: {longest}");
            assert_eq!(choose(&plan, &[longest; 3]), (MergeMethod::Streams, 2));
            let kept = longest_merged(&plan, 1);
            let share = if mib < 96 { 5 } else { 4 };
            assert!(kept >= need.budget.bytes() / share, "{need:?}: {kept}");
            assert_eq!(
                Choice::new(&plan, plan.external().unwrap(), &runs(&plan, &[kept; 3]), 1)
                    .unwrap()
                    .width,
                2
            );
        }
    }
}

/// One long line somewhere takes no more than its room: the others are merged as if it were not
/// there, as far as that goes.
#[test]
fn one_long_line_changes_little() {
    let plan = plan_within(ByteSize::gib(1));
    let mut longest = [100; 40];
    longest[17] = 50 << 20;
    assert_eq!(choose(&plan, &longest).0, MergeMethod::Slabs);
    assert!(choose(&plan, &longest).1 >= 40);
    longest[17] = 340 << 20;
    assert_eq!(choose(&plan, &longest), (MergeMethod::Streams, 40));
    longest[18..21].fill(100 << 20);
    let (way, width) = choose(&plan, &longest);
    assert!(way == MergeMethod::Streams && width >= 40, "{way:?} of {width}");
    assert_eq!(choose(&plan, &longest[..1]).0, MergeMethod::Slabs);
    assert_eq!(choose(&plan, &[340 << 20]), (MergeMethod::Streams, 1));
}

/// Where all runs are alike, groups are those of the merge width.
#[test]
fn alike_runs_are_grouped_as_planned() {
    let plan = plan_within(ByteSize::mib(64));
    for count in [1, 2, 20, 27, 60, 600, 1300] {
        let Choice { groups, width, .. } =
            Choice::new(&plan, plan.external().unwrap(), &runs(&plan, &vec![100; count]), 0)
                .unwrap();
        assert_eq!(groups, intermediate_groups(count, width.max(2)), "{count} runs by {width}");
    }
}

/// Few long lines make few narrow groups.
#[test]
fn runs_without_long_lines_make_wide_groups() {
    let plan = plan_within(ByteSize::mib(40));
    let mut longest = [100; 111];
    for number in 0..6 {
        longest[5 + 18 * number] = 5 << 20;
    }
    let all = runs(&plan, &longest);
    assert!(
        Shares::of_streams(plan.external().unwrap(), plan.stream_bytes() as u64, &all, 0).rounds()
            <= 3
    );
    let Choice { groups, .. } = Choice::new(&plan, plan.external().unwrap(), &all, 0).unwrap();
    assert!(groups.iter().any(|group| group.len() > 12), "{groups:?}");
}

/// Whatever is merged by slabs or as streams fits.
#[test]
fn slabs_fit_where_some_lines_are_long() {
    let mut seed = 1_u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    // All of a small budget is used, of a large one what is enough.
    let some = need(100, Some(4_000_000_000), ByteSize::gib(2));
    let levers = Levers { overlap: Overlap::Sync, ..Levers::default() };
    let of = |levers| Plan::new(&Need { varies: true, levers, ..some }).unwrap();
    let plans = [plan_within(ByteSize::mib(256)), of(Levers::default()), of(levers)];
    assert!(
        plans[1..].iter().all(|plan| plan.external().unwrap().slab_wanted
            < plan.external().unwrap().slab_bytes * 5 / 8)
    );
    for round in 0..3000 {
        let plan = &plans[round % plans.len()];
        let count = 1 + random(60);
        let longest: Vec<u64> = (0..count).map(|_| 100 << random(20)).collect();
        let runs = runs(plan, &longest);
        let Ok(choice) = Choice::new(plan, plan.external().unwrap(), &runs, 0) else {
            continue;
        };
        assert!(choice.width >= longest.len().min(2));
        let mut groups = choice.groups;
        if groups.is_empty() {
            groups.push(0..longest.len());
        }
        let mut end = 0;
        for group in &groups {
            assert!(group.start >= end && group.len() >= longest.len().min(2));
            end = group.end;
            let some = longest[group.clone()].iter().copied();
            match choice.way {
                MergeMethod::Slabs => {
                    let external = plan.external().unwrap();
                    let slab_bytes = external.slab_for(&runs[group.clone()], 0);
                    assert!(Planner::least_capacity(some) <= slab_bytes as u64);
                    // Long records that are compared leave less.
                    let kept = kept_bytes(&runs[group.clone()], 0);
                    let slab_max = external.slab_beside(kept) as usize;
                    assert!(slab_max <= external.slab_bytes);
                    let slab_min = external.slab_wanted.min(slab_max);
                    assert!((slab_min..=slab_max).contains(&slab_bytes));
                }
                MergeMethod::Streams => {
                    assert!(RunStreams::least_bytes(some) <= plan.stream_bytes() as u64);
                }
            }
        }
        assert!(end <= longest.len());
    }
}

/// Buffers are as large as memory allows, and windows always have room for the longest records.
#[test]
fn streams_divide_what_there_is() {
    for longest in [vec![100; 2], vec![20 << 20, 20 << 20], vec![1 << 20; 30], vec![90_000; 70]] {
        let least = RunStreams::least_bytes(longest.iter().copied()) as usize;
        let mut before = 0;
        let mut sizes = [least, least + (1 << 20), 2 * least, 20 * least];
        sizes.sort_unstable();
        for bytes in sizes {
            let streams = RunStreams::new(&longest, bytes, &Levers::default());
            let RunStreams { window_bytes, spare_bytes, buffers } = streams;
            let windows = window_bytes * longest.len();
            assert!(windows + spare_bytes + buffers.bytes() <= bytes, "{streams:?} in {bytes}");
            let grown = |most: &u64| most.saturating_sub(window_bytes as u64);
            assert!(longest.iter().map(grown).sum::<u64>() <= spare_bytes as u64);
            assert!(buffers.runs == longest.len() && window_bytes.is_multiple_of(BLOCK));
            let taken = windows + spare_bytes + buffers.bytes();
            assert!(taken >= before, "{streams:?} in {bytes}");
            assert!(taken + (1 << 20) > bytes || bytes >= 2 * least, "{streams:?} in {bytes}");
            before = taken;
        }
    }
}

/// Most runs are open at once that may be, and there are more passes for it.
#[test]
fn no_more_runs_are_open_than_may_be() {
    let budget = ByteSize::gib(1);
    let plan = |descriptors| {
        Plan::new(&Need { files: files(descriptors), ..need(100, None, budget) }).unwrap()
    };
    let runs = runs(&plan(1 << 20), &[100; 200]);
    let choice = |plan: &Plan| Choice::new(plan, plan.external().unwrap(), &runs, 0).unwrap();
    assert!(choice(&plan(1 << 20)).groups.is_empty());
    for (descriptors, width) in [(1 << 20, WIDTH_MAX), (64, 25), (20, 3), (14, 2), (0, 2)] {
        let plan = plan(descriptors);
        assert_eq!(
            (plan.external().unwrap().open_max, plan.external().unwrap().merge_width),
            (width, plan.external().unwrap().merge_width.min(width))
        );
        let Choice { width: chosen, groups, .. } = choice(&plan);
        assert!(chosen <= width && groups.iter().all(|group| group.len() <= width));
        let left = runs.len() - groups.iter().map(|group| group.len() - 1).sum::<usize>();
        assert!(left < runs.len() || groups.is_empty());
    }
    // What is written, its table and a lock more for each file of a striped run.
    for (descriptors, members, width) in [(64, 2, 11), (64, 3, 6), (64, 36, 2), (1024, 36, 11)] {
        assert_eq!(open_max(files(descriptors), members, 2), width);
    }
}

/// Deciding how to merge them takes no longer than reading their list a few times would.
#[test]
fn a_hundred_thousand_runs() {
    let plan = plan_within(ByteSize::mib(32));
    for longest in [100, 100_000] {
        let longest: Vec<u64> = (0..100_000).map(|run| longest + run % 7).collect();
        let mut runs = runs(&plan, &longest);
        let (all, mut rounds) = (runs.iter().map(|run| run.records).sum::<u64>(), 0);
        loop {
            let Choice { width, groups, .. } =
                Choice::new(&plan, plan.external().unwrap(), &runs, 0).unwrap();
            assert!(groups.is_sorted_by(|a, b| a.end <= b.start), "neighbours, in order");
            if groups.is_empty() {
                assert!(runs.len() <= width, "{} runs left, {width} at once", runs.len());
                break;
            }
            (runs, rounds) = (merged(&runs, groups), rounds + 1);
        }
        assert!((3..=5).contains(&rounds), "{rounds} rounds");
        assert_eq!(runs.iter().map(|run| run.records).sum::<u64>(), all);
    }
    let groups = intermediate_groups(100_000, 20);
    assert!(groups.is_sorted_by(|a, b| a.end == b.start) && groups.len() == 5000);
}

/// The runs there are when these groups are merged.
fn merged(runs: &[Run], groups: Vec<Range<usize>>) -> Vec<Run> {
    let (mut left, mut done) = (Vec::new(), 0);
    for group in groups {
        left.extend_from_slice(&runs[done..group.start]);
        done = group.end;
        let group = &runs[group];
        left.push(Run {
            path: "merged".into(),
            bytes: group.iter().map(|run| run.bytes).sum(),
            records: group.iter().map(|run| run.records).sum(),
            longest_bytes: longest_bytes(group),
        });
    }
    left.extend_from_slice(&runs[done..]);
    left
}

/// A budget that a message names is never the one that was too small.
#[test]
fn budgets_are_raised() {
    for mib in [24, 46, 100, 1000] {
        for threads in [1, 2, 8] {
            let Ok(plan) = Plan::new(&Need { threads, ..need(100, None, ByteSize::mib(mib)) })
            else {
                continue;
            };
            assert_eq!(raised_budget_mib(&plan, mib + 1), mib + 1);
            for least in [1, mib - 1, mib] {
                let raised = raised_budget_mib(&plan, least);
                assert!((mib + 1..=mib * 2).contains(&raised), "{least}: {raised} after {mib}");
            }
        }
    }
}
