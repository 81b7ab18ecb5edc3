//! Sorts, merges and checks of striped files: the same to the byte as of the files they stand for.

use std::fs;
use std::path::{Path, PathBuf};

use sortwell_engine::format::Format;
use sortwell_engine::io::{Direct, File};
use sortwell_engine::job::{
    Budget, CheckJob, CopyJob, Input, MergeJob, Output, Resume, SortJob, leftovers,
};
use sortwell_engine::stats::Progress;
use sortwell_engine::stripe::{Definition, Member, Stride};
use sortwell_engine::{ByteSize, Error};

use crate::csv_trial::Table;
use crate::data::{Order, records};
use crate::folds::table;
use crate::line_trial::{Lines, assert_same};
use crate::random::Random;
use crate::reference::{self, Part};
use crate::trial::{Folder, Trial, engines};

/// A set of so many members of unequal strides, each in a directory of its own.
pub fn set(folder: &Folder, name: &str, members: usize, random: &mut Random) -> PathBuf {
    let member = |number: usize| {
        let directory = folder.at(&format!("{name}-{number}"));
        fs::create_dir(&directory).expect("a directory");
        let stride = Stride::Times(1 + random.below(3) as u64);
        Member { path: directory.join("member"), stride, checksum: None }
    };
    let members = (0..members).map(member).collect();
    let base = random.pick(&[4096, 65536]);
    let path = folder.at(&format!("{name}.str"));
    Definition::new(members, Some(base)).expect("a set").write(&path, false).expect("written");
    path
}

fn fill(set: &Path, content: &[u8], folder: &Folder) {
    let plain = folder.at("plain");
    fs::write(&plain, content).expect("write");
    let job = CopyJob::new(Input::File(plain.clone()), Output::Striped(set.to_owned()));
    assert_eq!(job.run(&Progress::new()).expect("copied"), content.len() as u64);
    fs::remove_file(plain).expect("remove");
}

fn read(set: &Path, folder: &Folder) -> Vec<u8> {
    let plain = folder.at("read back");
    let job = CopyJob::new(Input::Striped(set.to_owned()), Output::File(plain.clone()));
    job.run(&Progress::new()).expect("copied");
    fs::read(plain).expect("read")
}

/// Files in the directories of a set's members.
pub fn members(set: &Path) -> usize {
    let places = Definition::read(set).expect("read").places(set);
    let count = |place: &PathBuf| {
        let directory = place.parent().expect("a directory");
        fs::read_dir(directory).expect("read").count()
    };
    places.iter().map(count).sum()
}

#[test]
fn records_of_one_to_many_members() {
    let mut random = Random::fresh();
    for count in [1, 2, 3, 7, 36] {
        let data = records(Order::Random, 120_000, 100, (0, 8), &mut random);
        let mut trial = Trial::new(100, vec![Part::bytes(0, 8)], data);
        trial.memory = random.pick(&[trial.modest_memory(), ByteSize::mib(128)]);
        trial.engine = random.pick(&engines());
        let folder = Folder::on_disk();
        let input = set(&folder, "input", count, &mut random);
        fill(&input, &trial.inputs[0], &folder);
        let is_same = random.one_in(2);
        let output = match is_same {
            true => input.clone(),
            false => set(&folder, "output", 1 + random.below(5), &mut random),
        };
        let job = SortJob {
            inputs: vec![Input::Striped(input)],
            output: Output::Striped(output.clone()),
            ..trial.job(&folder)
        };
        let statistics = job.run(&Progress::new()).expect("sorted");
        let expected = reference::sorted(&trial.inputs[0], 100, &trial.parts);
        let words = format!("{count} members, same {is_same}, {}", trial.memory);
        assert_same(&read(&output, &folder), &expected, &words);
        assert_eq!(statistics.records, 120_000, "{words}");
        assert_eq!(members(&output), Definition::read(&output).expect("read").members.len());
        folder.assert_clean(false);
        let check = CheckJob {
            keys: job.keys.clone(),
            ..CheckJob::new(vec![Input::Striped(output)], job.format)
        };
        assert_eq!(check.run(&Progress::new()).expect("checked").disorder, None, "{words}");
    }
}

/// Makes the definition of a set one of two columns, with its files as they are.
fn in_columns(set: &Path) {
    let made = Definition::read(set).expect("read");
    let (places, layout) = (made.places(set), made.layout());
    let mut text = String::from("# blocks of 4 KiB\n");
    for (number, (file, place)) in made.files(set).iter().zip(&places).enumerate() {
        fs::rename(file, place).expect("rename");
        let (name, blocks) = (place.display(), layout.stride(number) / 4096);
        text.push_str(&format!("{name}\t{blocks}\n"));
    }
    fs::write(set, text).expect("write");
}

/// Definitions of two columns as inputs and as outputs, whose files stay as they are.
#[test]
fn sets_of_two_columns_are_sorted() {
    let mut random = Random::fresh();
    for count in [1, 2, 5] {
        let data = records(Order::Random, 60_000, 100, (0, 8), &mut random);
        let mut trial = Trial::new(100, vec![Part::bytes(0, 8)], data);
        trial.memory = random.pick(&[trial.modest_memory(), ByteSize::mib(128)]);
        trial.engine = random.pick(&engines());
        let folder = Folder::on_disk();
        let input = set(&folder, "input", count, &mut random);
        fill(&input, &trial.inputs[0], &folder);
        in_columns(&input);
        assert!(Definition::is_at(&input));
        let output = match random.one_in(2) {
            true => input.clone(),
            false => set(&folder, "output", 1 + random.below(5), &mut random),
        };
        let old = Definition::read(&input).expect("read").files(&input);
        let job = SortJob {
            inputs: vec![Input::Striped(input)],
            output: Output::Striped(output.clone()),
            ..trial.job(&folder)
        };
        job.run(&Progress::new()).expect("sorted");
        let expected = reference::sorted(&trial.inputs[0], 100, &trial.parts);
        assert_same(&read(&output, &folder), &expected, &format!("{count}, {}", trial.memory));
        assert!(old.iter().all(|file| file.exists()), "{old:?}");
        folder.assert_clean(false);
    }
}

/// Lines of striped and other files together, and rows behind a header.
#[test]
fn text_of_striped_and_other_files() {
    let mut random = Random::fresh();
    let text = |random: &mut Random| -> Vec<u8> {
        let lines = (0..200_000).map(|_| format!("{:x}\n", random.below(1 << 30)));
        lines.collect::<String>().into_bytes()
    };
    let lines = Lines::new(vec![text(&mut random), text(&mut random)]);
    let lines = Lines { memory: ByteSize::mib(34), ..lines };
    let folder = Folder::on_disk();
    lines.lay_out(&folder);
    let striped = set(&folder, "input", 3, &mut random);
    fill(&striped, &lines.inputs[1], &folder);
    let inputs = vec![Input::File(folder.input(0)), Input::Striped(striped)];
    SortJob { inputs, ..lines.job(&folder) }.run(&Progress::new()).expect("sorted");
    let (expected, _) = lines.expected();
    assert_same(&fs::read(folder.output()).expect("read"), &expected, "lines");

    let (rows, _) = table(100_000, 1000, &mut random);
    let rows = Table { memory: ByteSize::mib(34), ..Table::new(vec![rows]) };
    let striped = set(&folder, "rows", 4, &mut random);
    fill(&striped, &rows.inputs[0], &folder);
    let output = set(&folder, "output", 2, &mut random);
    let inputs = vec![Input::Striped(striped)];
    let job = SortJob { inputs, output: Output::Striped(output.clone()), ..rows.job(&folder) };
    job.run(&Progress::new()).expect("sorted");
    assert_same(&read(&output, &folder), &rows.expected().0, "rows");
    // What is merged has its header once.
    let inputs = vec![Input::Striped(output.clone()), Input::Striped(output)];
    let merged = folder.at("merged");
    let merge = MergeJob {
        keys: job.keys.clone(),
        memory: Budget::Bytes(ByteSize::mib(64)),
        ..MergeJob::new(inputs, Output::File(merged.clone()), job.format)
    };
    let statistics = merge.run(&Progress::new()).expect("merged");
    assert_eq!(statistics.records, 200_000);
    let lines = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(lines(&fs::read(merged).expect("read")), 200_001);
}

/// A job that fails leaves a striped output as it was, and members of its own nowhere.
#[test]
fn an_output_that_is_not_made_changes_nothing() {
    let mut random = Random::fresh();
    let folder = Folder::on_disk();
    let output = set(&folder, "output", 3, &mut random);
    fill(&output, b"what was there before", &folder);
    let before = fs::read(&output).expect("read");
    let data = records(Order::Random, 200_000, 100, (0, 8), &mut random);
    let trial = Trial::new(100, vec![Part::bytes(0, 8)], data);
    trial.lay_out(&folder);
    let job = SortJob { output: Output::Striped(output.clone()), ..trial.job(&folder) };
    let progress = Progress::new();
    progress.request_stop();
    assert!(matches!(job.run(&progress), Err(Error::Interrupted)));
    let resumed = SortJob { resume: Resume::On, ..job.clone() };
    assert!(matches!(resumed.run(&Progress::new()), Err(Error::Config(_))));
    assert_eq!(leftovers(&folder.at("spill")).expect("read"), []);
    assert_eq!((fs::read(&output).expect("read"), members(&output)), (before, 3));
    assert_eq!(read(&output, &folder), b"what was there before");
    let missing = Definition::read(&output).expect("read").files(&output)[2].clone();
    fs::remove_file(&missing).expect("remove");
    let input = SortJob { inputs: vec![Input::Striped(output.clone())], ..job };
    assert!(matches!(input.run(&Progress::new()), Err(Error::Io { path, .. }) if path == missing));
    assert!(File::open_stripes(&output, Direct::Off).is_err());
    let lines = Format::Lines { terminator: b'\n' };
    let check = CheckJob::new(vec![Input::Striped(output)], lines);
    assert!(check.run(&Progress::new()).is_err());
}

/// Rows and bytes in messages are those of the logical file.
#[test]
fn what_is_wrong_with_striped_text_is_told_as_of_a_plain_file() {
    let mut random = Random::fresh();
    let folder = Folder::on_disk();
    let (rows, _) = table(20_000, 1000, &mut random);
    let bad = [&rows[..], b"\"one\n\",\n"].concat();
    let long = [&rows[..], b"\"", &vec![b'x'; 60 << 20], b"\n"].concat();
    for (name, content) in [("bad", bad), ("long", long)] {
        let trial = Table { memory: ByteSize::mib(34), ..Table::new(vec![content]) };
        fs::write(folder.input(0), &trial.inputs[0]).expect("write");
        let striped = set(&folder, name, 3, &mut random);
        fill(&striped, &trial.inputs[0], &folder);
        let job = trial.job(&folder);
        let said = |input: Input| {
            let job = SortJob { inputs: vec![input], ..job.clone() };
            match job.run(&Progress::new()) {
                Err(
                    Error::Malformed { path, message }
                    | Error::BudgetExceeded { path, message, .. },
                ) => (path, message),
                other => panic!("{other:?}"),
            }
        };
        let (_, expected) = said(job.inputs[0].clone());
        let number = if name == "bad" { "row 20001, line" } else { "give at least " };
        assert!(expected.to_string().contains(number), "{expected}");
        assert_eq!(said(Input::Striped(striped.clone())), (striped, expected));
    }
}
