//! NOW-Sort's two forms: the same output, be loads read while others are written or one after the
//! other; and where nothing overlaps, runs of twice the length.

use std::fs;

use sortwell_engine::job::{Algorithm, Resume, SortJob};
use sortwell_engine::operator::{Select, Unique};
use sortwell_engine::plan::levers::Overlap;
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::{ByteSize, Error};

use crate::csv_shapes::{table, tricky_row};
use crate::csv_trial::Table;
use crate::data::{Order, records};
use crate::differential::in_pieces;
use crate::line_shapes::{SHAPES, letters, shape, text};
use crate::line_trial::{Lines, assert_same};
use crate::random::Random;
use crate::reference::{self, Part};
use crate::resuming::{is_behind_a_slab, run_for, run_in_pieces};
use crate::trial::{Folder, Trial, engines};

/// Both, the one with overlap first.
pub const FORMS: [Overlap; 2] = [Overlap::Pipelined, Overlap::Sync];

/// Asserts that of two sorts of the same the second makes longer runs, and that only the first
/// reads one load while another is written.
fn assert_longer(both: &[Statistics], words: &str) {
    let [pipelined, sync] = both else { panic!("two forms") };
    println!("{words}: {} runs, {} where nothing overlaps", pipelined.runs, sync.runs);
    assert!(sync.runs < pipelined.runs, "{words}");
    assert_eq!((sync.loads, sync.stages.overlapped), (sync.runs, 0), "{words}");
    assert!(pipelined.stages.overlapped > 0 && pipelined.proof == sync.proof, "{words}");
}

/// Runs a trial in both forms.
fn in_both_forms(trial: &Trial) -> [Statistics; 2] {
    FORMS.map(|overlap| Trial { overlap, ..trial.clone() }.run())
}

#[test]
fn runs_of_records_are_as_long_as_each_form_plans() {
    let mut random = Random::fresh();
    for length in random.some([16, 100, 5000]) {
        let mut trial = Trial::new(length, vec![Part::bytes(0, 8)], Vec::new());
        trial.memory = trial.modest_memory();
        let endless = Trial { is_streamed_in: true, ..trial.clone() }.plan();
        let count = 6 * endless.load.records_max as usize;
        let data = records(Order::Random, count, length, (0, 2), &mut random);
        trial.inputs = in_pieces(&data, length, &mut random);
        trial.threads = 1 + random.below(3);
        if random.one_in(2) {
            trial = Trial { is_streamed_in: true, is_streamed_out: true, ..trial };
        }
        let both = in_both_forms(&trial);
        for (overlap, statistics) in FORMS.into_iter().zip(&both) {
            let load = Trial { overlap, ..trial.clone() }.plan().load.records_bytes;
            // Loads begin and end at pages of the inputs, those of streams some reads earlier.
            let bytes = trial.bytes() + (trial.inputs.len() << 13) as u64;
            let most = bytes.div_ceil(load - load / 8) + 1;
            println!("{overlap:?}: {} runs of {load} bytes, {most} at most", statistics.runs);
            assert!(statistics.runs <= most, "{trial:?}");
        }
        assert_longer(&both, &format!("{trial:?}"));
    }
}

/// Merges have the memory of both slabs, too: more runs are merged at once.
#[test]
fn merges_are_wider() {
    let mut random = Random::fresh();
    let mut trial = Trial::new(100, vec![Part::bytes(0, 8)], Vec::new());
    trial.memory = trial.least_memory().max(ByteSize::mib(20));
    let data = records(Order::Random, 400_000, 100, (0, 8), &mut random);
    trial.inputs = vec![data];
    trial.engine = random.pick(&engines());
    let [pipelined, sync] = in_both_forms(&trial);
    assert!(sync.passes <= pipelined.passes, "{pipelined:?} {sync:?}");
    assert!(sync.merge_width >= pipelined.merge_width.min(sync.runs));
}

/// Whatever is in memory when a load ends goes with the next one, which has the same memory.
#[test]
fn lines_of_every_shape() {
    let mut random = Random::fresh();
    let memory = ByteSize::mib(28);
    for name in random.some(SHAPES) {
        println!("{name}");
        let input = shape(name, 8 << 20, &mut random);
        let (threads, is_streamed) = (1 + random.below(3), random.one_in(2));
        let lines = Lines { overlap: Overlap::Sync, threads, memory, ..Lines::new(vec![input]) };
        Lines { is_streamed: (is_streamed, false), ..lines }.run();
    }
    let inputs = [16 << 20, 0, 5 << 20].map(|bytes| {
        text(bytes, |_| {
            let length = random.below(99);
            letters(&mut random, length)
        })
    });
    let lines = Lines { memory, ..Lines::new(inputs.to_vec()) };
    let both = FORMS.map(|overlap| Lines { overlap, ..lines.clone() }.run());
    assert_longer(&both, "lines");
}

/// Lines become shorter from load to load, so that there are more than have room for an entry; and
/// some are longer than half of the memory.
#[test]
fn lines_that_memory_was_not_divided_for() {
    let mut random = Random::fresh();
    let mut input = text(8 << 20, |_| letters(&mut random, 500));
    input.extend(text(4 << 20, |number| vec![b'a' + (number % 3) as u8; (number % 2) as usize]));
    let long = letters(&mut random, 1021);
    for length in [7 << 20, 9 << 20, 5 << 20] {
        input.extend(long.iter().copied().cycle().take(length));
        input.push(b'\n');
        input.extend(text(3 << 20, |_| letters(&mut random, 7)));
    }
    let lines = Lines { overlap: Overlap::Sync, ..Lines::new(vec![input]) };
    let expected = lines.expected();
    let settings = [(36, 1, false), (40, 2, true), (36, 3, false)];
    for (mib, threads, is_streamed) in random.some(settings) {
        let (memory, is_streamed) = (ByteSize::mib(mib), (is_streamed, false));
        let lines = Lines { memory, threads, is_streamed, ..lines.clone() };
        assert!(lines.run_against(&expected).passes > 1);
    }
}

#[test]
fn rows_selections_and_replacement_selection() {
    let mut random = Random::fresh();
    let row = |_| tricky_row(&mut random, 4, 40, (b',', b'"'));
    let input = table("a,b,c,d", 12 << 20, row);
    let (overlap, memory) = (Overlap::Sync, ByteSize::mib(30));
    assert!(Table { overlap, memory, ..Table::new(vec![input]) }.run().runs > 1);

    let input = text(9 << 20, |_| format!("{:x} .", random.below(700_000)).into_bytes());
    for select in random.some([
        Select { unique: Some(Unique::Last), ..Select::default() },
        Select { count: true, ..Select::default() },
        Select { limit: Some(50_000), ..Select::default() },
    ]) {
        Lines { overlap, memory, select, ..Lines::new(vec![input.clone()]) }.run();
    }
    let algorithm = Algorithm::ReplacementSelection;
    let lines = Lines { memory, algorithm, ..Lines::new(vec![input]) };
    let runs = FORMS.map(|overlap| Lines { overlap, ..lines.clone() }.run().runs);
    assert!(runs[0] == runs[1] && runs[0] > 1, "all memory is one tree in any case: {runs:?}");
}

/// What was merged once where nothing overlapped is merged once when it goes on: slabs that are
/// done are not done again.
#[test]
fn the_form_that_saves_a_pass_is_gone_on_with() {
    let mut random = Random::fresh();
    let mut trial = Trial::new(100, vec![Part::bytes(0, 8)], Vec::new());
    trial.memory = trial.modest_memory();
    let passes = |trial: &Trial| trial.plan().volume(trial.bytes()).passes;
    let saves_a_pass = |count: &usize| {
        trial.inputs = vec![vec![0; count * 100]];
        let pipelined = Trial { overlap: Overlap::Pipelined, ..trial.clone() };
        (passes(&trial), passes(&pipelined)) == (2, 3)
    };
    let count = (1..).map(|part| part * 50_000).find(saves_a_pass).expect("some length");
    let data = records(Order::Random, count, 100, (0, 2), &mut random);
    let expected = reference::sorted(&data, 100, &trial.parts);
    trial.inputs = vec![data];
    let folder = trial.folder();
    trial.lay_out(&folder);
    let job = SortJob { resume: Resume::Often, ..trial.job(&folder) };
    loop {
        match run_for(&job, trial.bytes()) {
            Err(Error::Kept { directory, .. }) if is_behind_a_slab(&directory) => break,
            Err(Error::Kept { .. } | Error::Interrupted) => {}
            other => panic!("done before it was stopped behind a slab: {other:?}"),
        }
    }
    let statistics = job.run(&Progress::new()).expect("sorted");
    println!("{count} records: {statistics:?}");
    assert_same(&fs::read(folder.output()).expect("read"), &expected, "resumed");
    assert_eq!((statistics.passes, statistics.stages.overlapped), (2, 0));
    let streams = &statistics.streams;
    assert!(streams.output_written.bytes() < trial.bytes(), "slabs are done again: {streams:?}");
    assert_eq!(streams.spill_written, ByteSize(0), "runs are made again");
    folder.assert_clean(true);
}

/// A job goes on with what one of the other form has left.
#[test]
fn stopped_in_one_form_and_gone_on_with_in_the_other() {
    let mut random = Random::fresh();
    let mut trial = Trial::new(100, vec![Part::bytes(0, 8)], Vec::new());
    trial.memory = trial.modest_memory();
    let data = records(Order::Random, 200_000, 100, (0, 2), &mut random);
    let expected = reference::sorted(&data, 100, &trial.parts);
    trial.inputs = vec![data];
    let folder = trial.folder();
    trial.lay_out(&folder);
    let job = |random: &mut Random| {
        let mut job = SortJob { resume: Resume::Often, ..trial.job(&folder) };
        job.levers.overlap = random.pick(&FORMS);
        job
    };
    let (resumed, _) = run_in_pieces(job, (&folder, 12 << 20), &mut random);
    println!("{resumed:?}");
    assert_same(&fs::read(folder.output()).expect("read"), &expected, "resumed");
    folder.assert_clean(true);

    let input = text(18 << 20, |number| format!("{:x} {number}", random.below(999)).into_bytes());
    let lines = Lines { memory: ByteSize::mib(30), ..Lines::new(vec![input]) };
    let folder = Folder::on_disk();
    lines.lay_out(&folder);
    let job = |random: &mut Random| {
        let mut job = SortJob { resume: Resume::On, ..lines.job(&folder) };
        job.levers.overlap = random.pick(&FORMS);
        job
    };
    run_in_pieces(job, (&folder, 12 << 20), &mut random);
    let (expected, _) = lines.expected();
    assert_same(&fs::read(folder.output()).expect("read"), &expected, "resumed");
}
