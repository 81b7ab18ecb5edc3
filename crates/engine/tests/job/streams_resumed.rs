//! What is merged as streams, sorted inputs or the runs of a sort, stopped again and again: the
//! output is the same as if it had not been, and what was merged is not merged again.

use std::fs;
use std::path::PathBuf;

use sortwell_engine::format::Format;
use sortwell_engine::job::{Budget, Input, MergeJob, Output, Resume, SortJob};
use sortwell_engine::manifest::{LogEntry, Manifest, SlabEntry};
use sortwell_engine::operator::{Select, Unique};
use sortwell_engine::plan::levers::Levers;
use sortwell_engine::plan::passes::MergeMethod;
use sortwell_engine::stats::Progress;
use sortwell_engine::{ByteSize, Error};

use crate::line_shapes::text;
use crate::line_trial::{Lines, assert_same};
use crate::merging;
use crate::random::Random;
use crate::resuming::{run_for, run_in_pieces, sort_in_pieces, until};
use crate::trial::Folder;

/// Sorted lines of about `bytes` bytes, the last without its end; many are equal, some are long.
fn lines(bytes: usize, random: &mut Random) -> Vec<u8> {
    let mut all: Vec<Vec<u8>> = Vec::new();
    let mut left = bytes;
    while left > 0 {
        let pad = if random.one_in(5000) { 100_000 } else { random.below(80) };
        let line = format!("{:05x}{}", random.below(9000), "-".repeat(pad)).into_bytes();
        left = left.saturating_sub(line.len() + 1);
        all.push(line);
    }
    all.sort();
    all.join(&b'\n')
}

/// Sorted records of 50 bytes, by their first two.
fn records(bytes: usize, random: &mut Random) -> Vec<u8> {
    let mut all = vec![[0; 50]; bytes / 50];
    all.iter_mut().for_each(|record| random.fill(record));
    all.sort_by_key(|record| [record[0], record[1]]);
    all.concat()
}

/// Inputs of all sizes, a file for each, merged at once or in rounds.
#[test]
fn merges_in_pieces() {
    let mut random = Random::fresh();
    for (format, inputs, is_unique) in random.some([
        (Format::LINES, 3, false),
        (Format::LINES, 5, true),
        (Format::Fixed { length: 50 }, 4, false),
        (Format::LINES, 40, true),
        (Format::Fixed { length: 50 }, 40, false),
    ]) {
        let bytes = |index: usize| if index % 5 == 4 { 0 } else { (32 << 20) / inputs };
        let inputs: Vec<Vec<u8>> = (0..inputs)
            .map(|index| match format {
                Format::LINES => lines(bytes(index), &mut random),
                _ => records(bytes(index), &mut random),
            })
            .collect();
        let folder = Folder::on_disk();
        let mut whole = merging::job(&folder, &inputs, format);
        (whole.select.unique, whole.check) = (is_unique.then_some(Unique::First), random.one_in(2));
        if format != Format::LINES {
            whole.keys = vec!["0..2".parse().expect("a key")];
        }
        let unbroken = whole.run(&Progress::new()).expect("merged");
        let expected = fs::read(folder.output()).expect("read");
        fs::remove_file(folder.output()).expect("removed");
        let job = |random: &mut Random| {
            let mut job = whole.clone();
            job.resume = random.pick(&[Resume::On, Resume::Often, Resume::Often]);
            // Other widths merge in other rounds, and the same output.
            job.levers.merge_width = random.pick(&[None, None, None, Some(7)]);
            // With more memory, several workers merge ranges of keys.
            job.memory = Budget::Bytes(ByteSize::mib(random.pick(&[24, 256, 256])));
            job.threads = random.pick(&[None, Some(2), Some(3)]);
            job
        };
        until(
            |resumed| resumed.behind_slabs > 1,
            || {
                let (resumed, statistics) = run_in_pieces(job, (&folder, 30 << 20), &mut random);
                println!("{format:?}, {} inputs: {resumed:?}", inputs.len());
                assert_same(&fs::read(folder.output()).expect("read"), &expected, "resumed");
                assert_eq!(
                    (statistics.records, statistics.proof),
                    (unbroken.records, unbroken.proof)
                );
                assert_eq!(statistics.bytes, unbroken.bytes);
                assert_eq!(statistics.records_selected, unbroken.records_selected);
                assert_eq!(statistics.bytes_selected, unbroken.bytes_selected);
                folder.assert_clean(true);
                fs::remove_file(folder.output()).expect("removed");
                resumed
            },
        );
    }
}

/// Runs merged as streams and as slabs in turn: streams go on where either was, slabs where slabs
/// were.
#[test]
fn sorts_merged_as_streams_in_pieces() {
    let mut random = Random::fresh();
    let selects = [
        Select::default(),
        Select { unique: Some(Unique::First), count: true, ..Select::default() },
        Select { skip: 1000, ..Select::default() },
    ];
    for select in random.some(selects) {
        let make = |_| format!("{:x}", random.below(1 << 20)).into_bytes();
        let inputs = vec![text(18_000_000, make)];
        let lines = Lines { select, memory: ByteSize::mib(32), ..Lines::new(inputs) };
        let folder = Folder::on_disk();
        lines.lay_out(&folder);
        let job = |random: &mut Random| {
            let merge = random.pick(&[
                Some(MergeMethod::Streams),
                Some(MergeMethod::Streams),
                Some(MergeMethod::Slabs),
            ]);
            let levers = Levers { merge, ..Levers::default() };
            SortJob { resume: Resume::Often, levers, ..lines.job(&folder) }
        };
        let expected = lines.expected();
        println!("{:?}", lines.select);
        until(
            |resumed| resumed.behind_slabs > 0,
            || sort_in_pieces(&expected, job, (&folder, 14 << 20), &mut random),
        );
    }
}

/// Asserts that a merge ends with an error in these words.
fn fails(job: &MergeJob, words: &[&str]) {
    let said = job.run(&Progress::new()).expect_err("a fault").to_string();
    assert!(words.iter().all(|word| said.contains(word)), "{said}");
}

/// What was begun with other inputs, or otherwise, is not gone on with; what nobody could go on
/// with is not begun.
#[test]
fn a_merge_that_is_another_is_refused() {
    let mut random = Random::new(5);
    let folder = Folder::on_disk();
    let inputs: Vec<Vec<u8>> = (0..3).map(|_| lines(8 << 20, &mut random)).collect();
    let mut job = merging::job(&folder, &inputs, Format::LINES);
    job.resume = Resume::Often;
    fails(&MergeJob { output: Output::Stdout, ..job.clone() }, &["resume needs an output"]);
    let stdin = vec![job.inputs[0].clone(), Input::Stdin];
    fails(
        &MergeJob { inputs: stdin, ..job.clone() },
        &["resume needs inputs that are uncompressed files"],
    );
    folder.assert_clean(false);

    let kept = (1..40).find_map(|round| match run_for(&job, round << 20) {
        Err(Error::Kept { directory, .. }) => Some(directory),
        Err(Error::Interrupted) => None,
        ended => panic!("{ended:?}"),
    });
    assert!(kept.expect("kept").is_dir());
    let mut unique = job.clone();
    unique.select.unique = Some(Unique::First);
    fails(&unique, &["has another selection"]);
    let mut sort = SortJob::new(job.inputs.clone(), job.output.clone(), job.format);
    (sort.resume, sort.temp) = (Resume::On, job.temp.clone());
    let said = sort.run(&Progress::new()).expect_err("a fault").to_string();
    assert!(said.contains("has another command"), "{said}");
    fs::write(folder.input(1), lines(8 << 20, &mut random)).expect("write");
    fails(&job, &["in/1", "input has changed", "a cleanup of spill directories ("]);
    fs::write(folder.input(1), &inputs[1]).expect("write");
    fails(&job, &["in/1", "input has changed"]);
}

/// What a manifest says of the output is not believed where it cannot be: the header was written
/// before anything was noted.
#[test]
fn an_output_that_ends_before_its_header_is_refused() {
    let mut random = Random::new(6);
    let folder = Folder::on_disk();
    let table = |_| [b"key\n".to_vec(), lines(16 << 20, &mut random)].concat();
    let inputs: Vec<Vec<u8>> = (0..2).map(table).collect();
    let mut job = merging::job(&folder, &inputs, Format::CSV);
    job.resume = Resume::Often;
    let stopped = |round: u64| match run_for(&job, round << 18) {
        Err(Error::Kept { directory, .. }) => Some(directory),
        Err(Error::Interrupted) => None,
        ended => panic!("{ended:?}"),
    };
    let noted = |directory: PathBuf| {
        let (manifest, entries) = Manifest::open(&directory).expect("opened");
        let slab = entries.into_iter().rev().find_map(|entry| match entry {
            LogEntry::Slab(slab) => Some(slab),
            _ => None,
        });
        slab.map(|slab| (manifest, slab))
    };
    let stopped = (1..200).filter_map(stopped).find_map(noted);
    let (mut manifest, slab) = stopped.expect("stopped when some of the output was noted");
    assert!(slab.offset > 4 && slab.streams.is_some(), "{slab:?}");
    let edge = b"key".to_vec();
    manifest.append(&LogEntry::Slab(SlabEntry { offset: 3, edge, ..slab })).expect("noted");
    drop(manifest);
    fails(&job, &["of the output belongs to another job"]);
}
