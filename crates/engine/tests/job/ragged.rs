//! Rows that are left out for the number of their cells: the others come out as if these had not
//! been there, and their count is the same for any memory, threads, ways of reading, and stops.

use std::fmt::Write;
use std::fs;

use sortwell_engine::ByteSize;
use sortwell_engine::format::{CsvFormat, Format, Ragged};
use sortwell_engine::job::{Algorithm, Budget, Input, MergeJob, Output, Resume, SortJob};
use sortwell_engine::key::Key;
use sortwell_engine::stats::{Progress, Statistics};

use crate::random::Random;
use crate::resuming::run_in_pieces;
use crate::trial::Folder;

const FORMAT: Format =
    Format::Csv(CsvFormat { ragged: Ragged::Drop, ..CsvFormat::separated_by(b',') });

fn keys() -> Vec<Key> {
    vec!["1".parse().expect("a key")]
}

/// A table, its rows that have as many cells as the header, and the number of those that have not.
fn table(rows: usize, one_in: usize, random: &mut Random) -> (String, Vec<String>, u64) {
    let (mut text, mut good, mut ragged) = ("a,b\n".to_owned(), Vec::new(), 0);
    for _ in 0..rows {
        let key = random.next() % 1_000_000;
        let row = match random.below(one_in) {
            0 => format!("{key}\n"),
            1 => format!("{key},\"x\n\",{key}\n"),
            _ => format!("{key:06},\"{key},\n\"\n"),
        };
        text += &row;
        if row.starts_with(&format!("{key:06},\"{key},")) { good.push(row) } else { ragged += 1 }
    }
    (text, good, ragged)
}

/// The rows in order, under a header.
fn sorted(mut rows: Vec<String>) -> String {
    rows.sort_by(|a, b| a[..6].cmp(&b[..6]));
    rows.iter().fold("a,b\n".to_owned(), |mut all, row| {
        write!(all, "{row}").expect("a string");
        all
    })
}

fn assert_dropped(folder: &Folder, statistics: &Statistics, (expected, ragged): (&str, u64)) {
    assert_eq!(statistics.ragged_rows_dropped, Some(ragged), "{statistics:?}");
    assert_eq!(statistics.records, expected.matches(",\n\"").count() as u64);
    assert!(fs::read(folder.output()).expect("read") == expected.as_bytes());
    folder.assert_clean(true);
}

/// Two tables, laid out, and a sort of both.
fn two_tables(rows: usize, one_in: usize) -> (Folder, SortJob, (String, u64)) {
    let mut random = Random::fresh();
    let folder = Folder::on_disk();
    let (mut all, mut ragged) = (Vec::new(), 0);
    for index in 0..2 {
        let (text, good, dropped) = table(rows, one_in, &mut random);
        fs::write(folder.input(index), text).expect("write");
        all.extend(good);
        ragged += dropped;
    }
    let inputs = (0..2).map(|index| Input::File(folder.input(index))).collect();
    let mut job = SortJob::new(inputs, Output::File(folder.output()), FORMAT);
    job.keys = keys();
    job.temp = vec![folder.at("spill")];
    job.sync = false;
    (folder, job, (sorted(all), ragged))
}

#[test]
fn the_count_is_that_of_the_inputs() {
    for (rows, one_in) in [(300_000, 3), (500_000, 40)] {
        let (folder, mut job, (expected, ragged)) = two_tables(rows, one_in);
        for (mib, threads, algorithm) in Random::fresh().some([
            (256, 1, Algorithm::Auto),
            (256, 3, Algorithm::Auto),
            (26, 1, Algorithm::Auto),
            (30, 3, Algorithm::Auto),
            (30, 1, Algorithm::ReplacementSelection),
        ]) {
            job.memory = Budget::Bytes(ByteSize::mib(mib));
            (job.threads, job.algorithm) = (Some(threads), algorithm);
            let statistics = job.run(&Progress::new()).expect("sorted");
            assert_eq!(statistics.passes > 1, mib < 100);
            assert_dropped(&folder, &statistics, (&expected, ragged));
        }
    }
}

/// Where no row is left, or every row of a load is left out.
#[test]
fn all_rows_may_go() {
    let folder = Folder::on_disk();
    fs::write(folder.input(0), "a,b\n".to_owned() + &"x\n".repeat(20_000_000)).expect("write");
    let inputs = vec![Input::File(folder.input(0))];
    let mut job = SortJob::new(inputs, Output::File(folder.output()), FORMAT);
    job.temp = vec![folder.at("spill")];
    for mib in Random::fresh().some([24, 600]) {
        job.memory = Budget::Bytes(ByteSize::mib(mib));
        let statistics = job.run(&Progress::new()).expect("sorted");
        assert_dropped(&folder, &statistics, ("a,b\n", 20_000_000));
    }
}

#[test]
fn sorts_in_pieces_count_all() {
    let mut random = Random::fresh();
    let (folder, mut plain, (expected, mut ragged)) = two_tables(500_000, 20);
    if random.one_in(2) {
        // Loads between the two of which no row is left.
        fs::write(folder.input(2), "a,b\n".to_owned() + &"x\n".repeat(8_000_000)).expect("write");
        plain.inputs.insert(1, Input::File(folder.input(2)));
        ragged += 8_000_000;
    }
    let job = |random: &mut Random| SortJob {
        memory: Budget::Bytes(ByteSize::mib(26 + random.next() % 4)),
        threads: Some(1 + random.below(3)),
        resume: Resume::Often,
        ..plain.clone()
    };
    let (resumed, statistics) = run_in_pieces(job, (&folder, 30 << 20), &mut random);
    assert!(resumed.times > 0, "{resumed:?}");
    assert_dropped(&folder, &statistics, (&expected, ragged));
}

#[test]
fn merges_in_pieces_count_all() {
    let mut random = Random::fresh();
    let folder = Folder::on_disk();
    let (mut all, mut ragged, mut inputs) = (Vec::new(), 0, Vec::new());
    for index in 0..6 {
        let (_, good, _) = table(100_000, 1000, &mut random);
        let text = sorted(good.clone());
        let rows = text.split("\n\"\n").collect::<Vec<_>>();
        // Rows that belong nowhere in the order, between any two others and at both ends.
        let mut mixed = String::from("a,b\n~\n");
        for row in rows.iter().map(|row| row.trim_start_matches("a,b\n")) {
            if !row.is_empty() {
                let _ = write!(mixed, "{row}\n\"\n");
            }
            if random.one_in(7) {
                mixed += ["~\n", "0,1,2\n"][random.below(2)];
            }
        }
        ragged += mixed.lines().filter(|line| ["~", "0,1,2"].contains(line)).count() as u64;
        all.extend(good);
        fs::write(folder.input(index), mixed).expect("write");
        inputs.push(Input::File(folder.input(index)));
    }
    let mut plain = MergeJob::new(inputs, Output::File(folder.output()), FORMAT);
    plain.keys = keys();
    plain.temp = vec![folder.at("spill")];
    plain.memory = Budget::Bytes(ByteSize::mib(24));
    (plain.check, plain.sync) = (true, false);
    let expected = sorted(all);
    for width in random.some([None, Some(2)]) {
        plain.levers.merge_width = width;
        plain.resume = Resume::Off;
        let statistics = plain.run(&Progress::new()).expect("merged");
        assert_dropped(&folder, &statistics, (&expected, ragged));
        fs::remove_file(folder.output()).expect("remove");
        let job = |_: &mut Random| MergeJob { resume: Resume::Often, ..plain.clone() };
        let (resumed, statistics) = run_in_pieces(job, (&folder, 12 << 20), &mut random);
        assert!(resumed.times > 0, "{resumed:?}");
        assert_dropped(&folder, &statistics, (&expected, ragged));
    }
}
