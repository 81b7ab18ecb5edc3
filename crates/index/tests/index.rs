//! Indexes of random data beside a model of a few lines, and beside LMDB itself.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod damaged;
#[expect(unsafe_code, reason = "LMDB maps a file, which must not change meanwhile")]
mod lmdb;
mod model;
mod resumed;
mod rewritten;
mod slices;
#[cfg(feature = "sqlite")]
mod sqlite;
mod watched;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lmdb::{appended_by_lmdb, opened_by_lmdb, processor_seconds};
use model::{Case, Random};
use rustix::fs::{FlockOperation, flock};
use sortwell_engine::ByteSize;
use sortwell_engine::format::{CsvFormat, Format, HeaderLines, Ragged};
use sortwell_engine::io::{Direct, TempFile};
use sortwell_engine::job::Budget;
use sortwell_engine::key::OrderOptions;
use sortwell_engine::operator::Unique;
use sortwell_engine::stats::Progress;
use sortwell_index::lmdb::writer::{NewTree, PageFile};
use sortwell_index::{
    AppendJob, BuildJob, Built, Effort, Include, Index, IndexTarget, Matches, SortSettings,
};

/// A build of an index with the default for every option.
pub fn build(data: &[PathBuf], output: &Path, format: Format, keys: &[&str]) -> BuildJob {
    BuildJob {
        data: data.to_vec(),
        output: output.to_owned(),
        format,
        keys: keys.iter().map(|key| key.parse().unwrap()).collect(),
        order: OrderOptions::default(),
        header: HeaderLines::NONE,
        include: Vec::new(),
        target: IndexTarget::Lmdb,
        unique: None,
        memory: Budget::Bytes(ByteSize::mib(64)),
        threads: Some(2),
        temp: Vec::new(),
        sort: SortSettings::default(),
        force: false,
        sync: false,
        resume: false,
    }
}

fn run(job: &BuildJob) -> Built {
    job.run(&Progress::new()).unwrap()
}

fn append_to(index: &Path, memory: Budget, threads: Option<usize>) -> AppendJob {
    AppendJob {
        index: index.to_owned(),
        data: Vec::new(),
        memory,
        threads,
        temp: Vec::new(),
        force: false,
        sync: false,
    }
}

/// Builds an index of a part of the data, and adds the rest.
fn appended(job: &mut BuildJob, case: &Case, random: &mut Random) -> Built {
    let data = job.data.clone();
    let last = data.last().unwrap();
    let mut append = append_to(&job.output, job.memory, job.threads);
    if data.len() > 1 && random.below(2) == 0 {
        job.data.truncate(1);
        append.data = data[1..].to_vec();
        run(job);
    } else if case.is_bgzf {
        return run(job);
    } else {
        let whole = fs::read(last).unwrap();
        // A file may be empty at first, without a header. The first one names the columns.
        let is_empty = data.len() > 1 && random.below(6) == 0;
        let kept = match is_empty {
            true => 0,
            false => case.row_start(data.len() - 1, random).unwrap_or(whole.len()),
        };
        fs::write(last, &whole[..kept]).unwrap();
        run(job);
        let mut file = fs::OpenOptions::new().append(true).open(last).unwrap();
        file.write_all(&whole[kept..]).unwrap();
    }
    append.run(&Progress::new()).unwrap()
}

/// Returns the records of a walk, by file and offset.
fn places(walk: Matches) -> Vec<(usize, u64)> {
    walk.map(Result::unwrap).map(|found| (found.file, found.offset)).collect()
}

/// Returns values with an empty one in the place of the last.
fn with_last_empty(values: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut values = values.to_vec();
    values.last_mut().unwrap().clear();
    values
}

/// Returns the number of random cases, and the seed of the first.
fn random_cases() -> (u64, u64) {
    let number =
        |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    (number("INDEX_CASES", 40), number("INDEX_SEED", 1))
}

/// Writes the data of a case, and returns a build of it with random resources.
fn job_of(case: &Case, folder: &Path, random: &mut Random) -> BuildJob {
    let data = case.write(folder);
    let keys: Vec<&str> = case.keys.iter().map(String::as_str).collect();
    let mut job = build(&data, &folder.join("index"), case.format, &keys);
    job.order.separator = case.separator;
    job.unique = case.unique;
    job.threads = Some(1 + random.below(3) as usize);
    job.memory = Budget::Bytes(ByteSize::mib(40 + 24 * random.below(2)));
    job.resume = random.below(4) == 0;
    job.include = case.include().map(Include::from_text).into_iter().collect();
    job
}

#[test]
fn rows_are_found_as_in_a_model() {
    let (cases, seed) = random_cases();
    for number in 0..cases {
        let mut random = Random::new(seed * 1_000_003 + number);
        let case = Case::random(&mut random);
        let folder = tempfile::tempdir().unwrap();
        let mut job = job_of(&case, folder.path(), &mut random);
        let output = job.output.clone();
        let words = format!("case {number} of seed {seed}: {case:?}");
        let built =
            if random.below(2) == 0 { run(&job) } else { appended(&mut job, &case, &mut random) };
        assert_eq!(built.entries, case.sorted().len() as u64, "{words}");
        let index = Index::open(&output).unwrap();
        let all = case.sorted();
        assert_eq!(places(index.entries().unwrap()), all, "all, {words}");
        let mut backwards = all.clone();
        backwards.reverse();
        let walk = index.entries().unwrap().reversed().unwrap();
        assert_eq!(places(walk), backwards, "reversed, {words}");
        let twice = index.entries().unwrap().reversed().unwrap().reversed().unwrap();
        assert_eq!(places(twice), places(index.entries().unwrap()), "reversed twice, {words}");
        for _ in 0..20 {
            let values = case.values(&mut random);
            let found = index.get(&values).unwrap();
            assert_eq!(places(found), case.get(&values), "get {values:?}, {words}");
            let (from, to) = (case.bound(&mut random), case.bound(&mut random));
            let bounds = (from.clone(), to.clone());
            let wanted = case.range(&from, &to);
            let found = places(index.range(bounds.clone()).unwrap());
            assert_eq!(found, wanted, "range {bounds:?}, {words}");
            let mut found = places(index.range(bounds.clone()).unwrap().reversed().unwrap());
            found.reverse();
            assert_eq!(found, wanted, "reversed range {bounds:?}, {words}");
            if !case.has_beginnings(values.len()) && !case.is_binary() {
                let error = index.prefix(&values).unwrap_err().to_string();
                assert!(error.contains("has no beginnings to look for"), "{error}, {words}");
            }
            if case.has_beginnings(values.len()) {
                for values in [values.clone(), with_last_empty(&values)] {
                    let found = index.prefix(&values).unwrap();
                    assert_eq!(places(found), case.prefix(&values), "prefix {values:?}, {words}");
                }
            }
        }
        let mut walk = index.entries().unwrap();
        while let Some(found) = walk.next().map(Result::unwrap) {
            let record = index.read(&found).unwrap();
            assert_eq!(record, case.record(found.file, found.offset), "{words}");
            if case.include().is_some() {
                let cell = case.included(found.file, found.offset);
                assert_eq!(walk.included().unwrap(), [cell], "{words}");
            }
        }
        if number % 8 == 0 {
            opened_by_lmdb(&output, all.len());
        }
    }
}

#[test]
fn unique_keys() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data.csv");
    fs::write(&data, "id,name\n2,Bob\n1,Ann\n2,Cid\n").unwrap();
    let output = folder.path().join("index");
    let mut job = build(std::slice::from_ref(&data), &output, Format::CSV, &["id:int"]);
    job.unique = Some(Unique::Error);
    let error = job.run(&Progress::new()).unwrap_err().to_string();
    assert!(error.contains("offset 20") && error.contains("offset 8"), "{error}");
    assert!(!output.exists());
    for (unique, wanted) in [(Unique::First, [14, 8]), (Unique::Last, [14, 20])] {
        job.unique = Some(unique);
        assert_eq!(run(&job).entries, 2);
        let index = Index::open(&output).unwrap();
        let found = places(index.entries().unwrap());
        assert_eq!(found, wanted.map(|offset| (0, offset)));
        assert_eq!(places(index.get(&["2"]).unwrap()), [(0, wanted[1])]);
    }
}

#[test]
fn appends_that_cannot_be_made_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let output = folder.path().join("index");
    let append = || {
        let job = append_to(&output, Budget::Auto, Some(1));
        job.run(&Progress::new()).map(|built| built.entries).map_err(|error| error.to_string())
    };
    let mut job = build(std::slice::from_ref(&data), &output, Format::LINES, &["1"]);
    fs::write(&data, "b\na").unwrap();
    run(&job);
    assert_eq!(append(), Ok(2), "nothing is new");
    fs::write(&data, "b\nab\n").unwrap();
    assert!(append().unwrap_err().contains("the record before offset 3 had no end"));
    fs::write(&data, "c\na\nd\n").unwrap();
    assert!(append().unwrap_err().contains("the part of the file that was indexed has changed"));
    job.unique = Some(Unique::Error);
    run(&job);
    fs::write(&data, "c\na\nd\na\n").unwrap();
    assert!(append().unwrap_err().contains("offset 6 has the key of the record at offset 2"));
    for (unique, wanted) in [(Unique::First, [2, 0, 4]), (Unique::Last, [6, 0, 4])] {
        fs::write(&data, "c\na\nd\n").unwrap();
        job.unique = Some(unique);
        run(&job);
        fs::write(&data, "c\na\nd\na\n").unwrap();
        assert_eq!(append(), Ok(3));
        let index = Index::open(&output).unwrap();
        let found = places(index.entries().unwrap());
        assert_eq!(found, wanted.map(|offset| (0, offset)));
    }
}

/// The first and the last MiB do not show what is between them.
#[test]
fn data_that_changed_in_the_middle_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (data, output) = (folder.path().join("data"), folder.path().join("index"));
    let lines = |middle: &str| format!("{0}{middle}\n{0}", "abcdefg\n".repeat(200_000));
    fs::write(&data, lines("before")).unwrap();
    let mut job = build(std::slice::from_ref(&data), &output, Format::LINES, &["1"]);
    job.memory = Budget::Auto;
    run(&job);
    let append = || {
        let made = append_to(&output, Budget::Auto, Some(1)).run(&Progress::new());
        made.map(|built| built.entries).map_err(|error| error.to_string())
    };
    let opened = || Index::open(&output).map(drop).map_err(|error| error.to_string());
    assert_eq!((append(), opened()), (Ok(400_001), Ok(())));
    std::thread::sleep(std::time::Duration::from_millis(20));
    fs::write(&data, lines("after.")).unwrap();
    assert!(append().unwrap_err().contains("the file was modified since"));
    assert!(opened().unwrap_err().contains("the file was modified since"));
    let copy = folder.path().join("copy");
    fs::write(&copy, lines("after.")).unwrap();
    fs::rename(&copy, &data).unwrap();
    assert!(append().unwrap_err().contains("the file was replaced by another one"));
    assert!(opened().unwrap_err().contains("the file was replaced by another one"));
}

/// A header that was not whole is read again.
#[test]
fn records_are_added_to_a_file_without_any() {
    let folder = tempfile::tempdir().unwrap();
    let (first, last) = (folder.path().join("first"), folder.path().join("last"));
    let output = folder.path().join("index");
    let csv = || build(&[first.clone(), last.clone()], &output, Format::CSV, &["1"]);
    let lines = |header| BuildJob { header, format: Format::LINES, ..csv() };
    let two = HeaderLines::Count(2);
    let comments = HeaderLines::Prefix(b"#".to_vec());
    for (job, before, after, wanted) in [
        (csv(), "", "id\nb\na\n", [5, 3]),
        (csv(), "id", "id\nb\na\n", [5, 3]),
        (lines(two.clone()), "", "x\ny\nb\na\n", [6, 4]),
        (lines(two), "x\n", "x\ny\nb\na\n", [6, 4]),
        (lines(comments), "#x\n", "#x\n#y\nb\na\n", [8, 6]),
    ] {
        fs::write(&first, "").unwrap();
        fs::write(&last, before).unwrap();
        assert_eq!(run(&job).entries, 0);
        fs::write(&last, after).unwrap();
        let append = append_to(&output, Budget::Auto, Some(1));
        assert_eq!(append.run(&Progress::new()).unwrap().entries, 2, "{before}");
        let index = Index::open(&output).unwrap();
        assert_eq!(places(index.entries().unwrap()), wanted.map(|at| (1, at)), "{before}");
        let named = (job.format == Format::CSV).then(|| vec![b"id".to_vec()]);
        assert_eq!(index.description().columns, named);
    }
}

#[test]
fn no_command_undoes_the_work_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let (data, output) = (folder.path().join("data"), folder.path().join("index"));
    fs::write(&data, "b\na\n").unwrap();
    let job = build(std::slice::from_ref(&data), &data, Format::LINES, &["1"]);
    let error = job.run(&Progress::new()).unwrap_err().to_string();
    assert!(error.contains("is a data file; give the index a name of its own"), "{error}");
    assert_eq!(fs::read(&data).unwrap(), b"b\na\n");
    let job = BuildJob { output: output.clone(), ..job };
    run(&job);
    let other = fs::File::open(&output).unwrap();
    flock(&other, FlockOperation::LockExclusive).unwrap();
    let append = append_to(&output, Budget::Auto, Some(1));
    let refused = "another command is writing";
    let error = append.run(&Progress::new()).unwrap_err().to_string();
    assert!(error.contains(refused), "{error}");
    let error = job.run(&Progress::new()).unwrap_err().to_string();
    assert!(error.contains(refused), "{error}");
    drop(other);
    append.run(&Progress::new()).unwrap();
    // An append that a build has overtaken leaves the new index.
    let (more, next) = (folder.path().join("more"), folder.path().join("next"));
    fs::write(&more, "x\n".repeat(400_000)).unwrap();
    let copy = folder.path().join("copy");
    fs::copy(&data, &copy).unwrap();
    run(&BuildJob { data: vec![data, copy], output: next.clone(), ..job });
    let append = AppendJob { data: vec![more], ..append };
    let probe = fs::File::open(&output).unwrap();
    std::thread::scope(|scope| {
        let appended = scope.spawn(|| append.run(&Progress::new()));
        while flock(&probe, FlockOperation::NonBlockingLockShared).is_ok() {
            flock(&probe, FlockOperation::Unlock).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        fs::rename(&next, &output).unwrap();
        let error = appended.join().unwrap().unwrap_err().to_string();
        assert!(error.contains(refused), "{error}");
    });
    assert_eq!(Index::open(&output).unwrap().entries().unwrap().count(), 4);
}

/// Records with an invalid key come first or last, but a search for their first keys finds them.
#[test]
fn records_with_an_invalid_later_key_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data.csv");
    let output = folder.path().join("index");
    fs::write(&data, "c,n\nOslo,5\nOslo,x\nRome,1\nOslo,\n").unwrap();
    let build = |keys: &[&str], place: &str| {
        let mut job = build(std::slice::from_ref(&data), &output, Format::CSV, keys);
        job.order.invalid = Some(place.parse().unwrap());
        job.run(&Progress::new()).map(|built| built.entries).map_err(|error| error.to_string())
    };
    let (five, x, one, none) = ((0, 4), (0, 11), (0, 18), (0, 25));
    for (place, all, oslo) in [
        ("last", [five, none, one, x], [five, none, x]),
        ("first", [x, five, none, one], [x, five, none]),
    ] {
        assert_eq!(build(&["c", "n:int"], place), Ok(4));
        let index = Index::open(&output).unwrap();
        assert_eq!(places(index.entries().unwrap()), all);
        assert_eq!(places(index.get(&["Oslo"]).unwrap()), oslo);
        assert_eq!(places(index.prefix(&["O"]).unwrap()), oslo);
        let mut backwards = oslo;
        backwards.reverse();
        assert_eq!(places(index.get(&["Oslo"]).unwrap().reversed().unwrap()), backwards);
        assert_eq!(places(index.get(&["Oslo", "x"]).unwrap()), [x]);
        assert_eq!(places(index.get(&["Oslo", "5"]).unwrap()), [five]);
        assert_eq!(places(index.get(&["Rome"]).unwrap()), [one]);
        assert_eq!(places(index.range(["Oslo"]..=["Rome"]).unwrap()).len(), 3);
    }
    assert_eq!(build(&["n:int"], "last"), Ok(4));
    assert!(build(&[], "last").unwrap_err().contains("an index needs a key"));
}

#[test]
fn included_columns_stand_as_in_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let output = folder.path().join("index");
    let included = |text: &str, format: Format, parts: &[&str]| {
        fs::write(&data, text).unwrap();
        let mut job = build(std::slice::from_ref(&data), &output, format, &["1"]);
        job.include = parts.iter().map(|part| Include::from_text(part)).collect();
        job.run(&Progress::new()).map(|_| {
            let index = Index::open(&output).unwrap();
            let mut walk = index.entries().unwrap();
            let mut all = Vec::new();
            assert!(walk.included().unwrap().is_empty(), "before the first entry");
            while walk.next().is_some() {
                let parts = walk.included().unwrap();
                all.push(parts.iter().map(|part| String::from_utf8_lossy(part).into()).collect());
            }
            assert!(walk.included().unwrap().is_empty(), "after the last entry");
            let mut one = index.entries().unwrap();
            let first = one.next().unwrap().unwrap();
            let absent = sortwell_index::Found { file: 9, ..first };
            let error = index.read(&absent).unwrap_err().to_string();
            assert!(error.contains("1 data files, from number 0 on, and no number 9"), "{error}");
            all
        })
    };
    let rows = "id,name,note\n2,Bob,\"a,b\"\n1,,x\n";
    let found: Vec<Vec<String>> = included(rows, Format::CSV, &["note", "2"]).unwrap();
    assert_eq!(found, [["x", ""], ["\"a,b\"", "Bob"]]);
    let found = included("bcd\na\n", Format::LINES, &["1..3", "0..1"]).unwrap();
    assert_eq!(found, [["", "a"], ["cd", "b"]]);
    let error = included(rows, Format::CSV, &["4"]).unwrap_err().to_string();
    assert!(error.contains("'4' cannot be included: there is no such column"), "{error}");
    assert!(included("a\n", Format::LINES, &["name"]).is_err());
    let long = "y".repeat(10_000);
    let found = included(&format!("id,name\n1,{long}\n"), Format::CSV, &["name"]).unwrap();
    assert_eq!(found, [[long]]);
}

#[test]
fn a_stopped_build_goes_on_with_its_parts() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let output = folder.path().join("index");
    let lines: Vec<String> = (0..600_000_u64)
        .map(|number| format!("{:07}{:60}\n", number * 7919 % 600_000, ""))
        .collect();
    fs::write(&data, lines.concat()).unwrap();
    let mut job = build(std::slice::from_ref(&data), &output, Format::LINES, &["1:int"]);
    job.memory = Budget::Bytes(ByteSize::mib(32));
    job.resume = true;
    let kept = || {
        let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.is_dir()).collect::<Vec<_>>()
    };
    let progress = Progress::new();
    std::thread::scope(|scope| {
        let built = scope.spawn(|| job.run(&progress));
        while !built.is_finished() {
            if kept().iter().any(|directory| directory.join("part-1").exists()) {
                progress.request_stop();
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let error = built.join().unwrap().unwrap_err();
        assert!(error.to_string().contains("the finished work is kept in"), "{error}");
    });
    assert!(!output.exists());
    let [directory] = &kept()[..] else { panic!("one directory of parts: {:?}", kept()) };
    let first = fs::read(directory.join("part-0")).unwrap();
    assert!(!first.is_empty());
    let other = BuildJob { keys: vec!["2".parse().unwrap()], ..job.clone() };
    let error = other.run(&Progress::new()).unwrap_err().to_string();
    assert!(error.contains("the saved work for this output has another order"), "{error}");
    // A part that is there is not made again.
    let manifest = fs::read_to_string(directory.join("manifest")).unwrap();
    let noted = manifest.matches("\"part\":{\"records\"").count();
    assert!(noted >= 1, "{manifest}");
    fs::write(directory.join("part-0"), [first.clone(), b"x".to_vec()].concat()).unwrap();
    let error = job.run(&Progress::new()).unwrap_err().to_string();
    assert!(error.contains("is missing or has another length"), "{error}");
    fs::write(directory.join("part-0"), first).unwrap();
    let small = BuildJob { memory: Budget::Bytes(ByteSize::mib(4)), ..job.clone() };
    let error = small.run(&Progress::new()).unwrap_err().to_string();
    assert!(error.contains("the finished work is kept in"), "{error}");
    assert_eq!(run(&job).entries, 600_000);
    assert!(kept().is_empty(), "{:?}", kept());
    let index = Index::open(&output).unwrap();
    for (number, found) in index.entries().unwrap().map(Result::unwrap).enumerate() {
        if number % 1000 == 0 {
            let record = index.read(&found).unwrap();
            assert!(record.starts_with(format!("{number:07}").as_bytes()), "{number}");
        }
    }
    assert_eq!(index.entries().unwrap().count(), 600_000);
}

/// Builds an index of lines in random order by a key of nine digits, and compares its leaf pages
/// with those of LMDB's append puts.
fn compare_leaf_pages(folder: &Path, lines: u64) {
    let (data, output) = (folder.join("data"), folder.join("index"));
    let mut file = std::io::BufWriter::new(fs::File::create(&data).unwrap());
    for number in 0..lines {
        let key = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 34;
        writeln!(file, "{key:09},{:32}", "").unwrap();
    }
    file.into_inner().unwrap();
    let mut job = build(&[data], &output, Format::LINES, &["1"]);
    job.order.separator = Some(b',');
    job.threads = Some(2);
    let built = run(&job);
    let (leaf_pages, seconds) = appended_by_lmdb(&output);
    assert_eq!(Index::open(&output).unwrap().sizes()[1], built.leaf_pages);
    let ratio = built.leaf_pages as f64 / leaf_pages as f64;
    println!("{} leaf pages, {ratio:.4} of LMDB's; its puts take {seconds:.2} s", built.leaf_pages);
    assert!(ratio <= 1.01, "{ratio}");
}

#[test]
fn leaves_are_as_full_as_those_of_append_puts() {
    let folder = tempfile::tempdir().unwrap();
    compare_leaf_pages(folder.path(), 300_000);
}

#[test]
#[ignore = "slow: ten million entries"]
fn leaves_of_large_indexes_are_as_full() {
    let folder = tempfile::tempdir().unwrap();
    compare_leaf_pages(folder.path(), 10_000_000);
}

/// Compares the processor time of packing entries of 17 and 2 bytes with that of append puts.
#[test]
#[ignore = "slow: ten million entries, three times"]
fn packing_beside_append_puts() {
    const ENTRIES: u64 = 10_000_000;
    for _ in 0..3 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("packed");
        let begun = processor_seconds();
        let temporary = TempFile::create(&path, Direct::Off).unwrap();
        let file = Arc::new(PageFile::new(Arc::clone(temporary.file())));
        let tree = NewTree::new(&file);
        let mut leaves = tree.begin(0);
        let mut key = [b'k'; 17];
        for number in 0..ENTRIES {
            key[..8].copy_from_slice(&number.to_be_bytes());
            leaves.add(&key, [&[44], b"x"]).unwrap();
        }
        leaves.finish(1).unwrap();
        let tree = tree.finish().unwrap();
        file.finish(&[("entries", tree)]).unwrap();
        temporary.persist(&path, true).unwrap();
        let seconds = processor_seconds() - begun;
        let (leaf_pages, by_puts) = appended_by_lmdb(&path);
        let ratio = seconds / by_puts;
        println!("packing {seconds:.2} s, append puts {by_puts:.2} s: {ratio:.2} times");
        assert_eq!(tree.entries, ENTRIES);
        assert!(tree.leaf_pages as f64 <= 1.01 * leaf_pages as f64, "{tree:?} {leaf_pages}");
    }
}

#[test]
fn changes_of_the_data_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let output = folder.path().join("index");
    fs::write(&data, "b\na\n").unwrap();
    run(&build(std::slice::from_ref(&data), &output, Format::LINES, &["1"]));
    let open = || Index::open(&output).map_err(|error| error.to_string());
    open().unwrap();
    fs::write(&data, "b\na\nc\n").unwrap();
    assert!(open().unwrap_err().contains("has grown from 4 to 6 bytes"));
    fs::write(&data, "b\n").unwrap();
    assert!(open().unwrap_err().contains("was truncated"));
    fs::write(&data, "b\nx\n").unwrap();
    assert!(open().unwrap_err().contains("was modified"));
    fs::remove_file(&data).unwrap();
    fs::write(folder.path().join("hole"), "").unwrap(); // so that the inode is another one
    fs::write(&data, "b\nz\n").unwrap();
    let error = open().unwrap_err();
    assert!(error.contains("was replaced") || error.contains("was modified"), "{error}");
    Index::open_stale(&output).unwrap();
}

#[test]
fn damaged_indexes_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let output = folder.path().join("index");
    let lines: String = (0..20_000).map(|number| format!("{}\n", number * 7919 % 20_000)).collect();
    fs::write(&data, lines).unwrap();
    run(&build(&[data], &output, Format::LINES, &["1:int"]));
    let whole = fs::read(&output).unwrap();
    let damaged = folder.path().join("damaged");
    let walk = |bytes: &[u8]| -> sortwell_engine::Result<usize> {
        fs::write(&damaged, bytes).unwrap();
        let index = Index::open_without_data(&damaged)?;
        let all: Vec<_> = index.entries()?.collect::<Result<_, _>>()?;
        index.get(&["777"])?.reversed()?.try_for_each(|found| found.map(drop))?;
        Ok(all.len())
    };
    assert_eq!(walk(&whole).unwrap(), 20_000);
    for length in [0, 1, 4095, 8192, whole.len() / 2, whole.len() - 1] {
        assert!(walk(&whole[..length]).is_err(), "{length} bytes");
    }
    assert!(walk(&vec![0; 20_000]).is_err());
    let mut random = Random::new(30);
    for _ in 0..300 {
        let mut bytes = whole.clone();
        for _ in 0..1 + random.below(20) {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = random.below(256) as u8;
        }
        // Any answer or error will do, but no panic and no endless loop.
        let _ = walk(&bytes);
    }
}

/// Ordinals that do not grow from page to page could keep a search in one place for ever.
#[test]
fn a_search_among_long_keys_that_are_not_in_order_ends() {
    let folder = tempfile::tempdir().unwrap();
    let [data, output, damaged] = ["data", "index", "damaged"].map(|name| folder.path().join(name));
    let cut = "k".repeat(495);
    let key = |number: u32| format!("{cut}{number:0200}");
    fs::write(&data, (0..40).map(|number| key(number) + "\n").collect::<String>()).unwrap();
    run(&build(&[data], &output, Format::LINES, &["1"]));
    let whole = fs::read(&output).unwrap();
    let places = (0..whole.len() - 503).filter(|at| whole[*at..].starts_with(cut.as_bytes()));
    let mut found = 0;
    for at in places {
        let mut bytes = whole.clone();
        bytes[at + 495..at + 503].fill(0);
        fs::write(&damaged, bytes).unwrap();
        let index = Index::open_without_data(&damaged).unwrap();
        for number in 0..40 {
            let error = index.get(&[key(number)]).map(drop).map_err(|error| error.to_string());
            found += u32::from(error.is_err_and(|error| error.contains("not in order")));
        }
    }
    assert!(found > 0, "no damage was found");
}

#[test]
fn data_without_records() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data.csv");
    let output = folder.path().join("index");
    for (text, entries) in [("", 0), ("id\n", 0), ("id\n1", 1)] {
        fs::write(&data, text).unwrap();
        let job = build(std::slice::from_ref(&data), &output, Format::CSV, &["1"]);
        assert_eq!(run(&job).entries, entries);
        let index = Index::open(&output).unwrap();
        assert_eq!(places(index.entries().unwrap()).len() as u64, entries);
        assert_eq!(places(index.range(["1"]..).unwrap()).len() as u64, entries);
        opened_by_lmdb(&output, entries as usize);
    }
}

/// Without a header, the first row of the data says how many cells rows have.
#[test]
fn rows_without_a_header_are_as_wide_as_the_first_one() {
    let folder = tempfile::tempdir().unwrap();
    let [empty, data, more, output] =
        ["empty", "data", "more", "index"].map(|name| folder.path().join(name));
    let effort =
        Effort { memory: Budget::Auto, threads: Some(1), temp: vec![folder.path().to_owned()] };
    let verified = || {
        Index::open(&output)
            .unwrap()
            .verify(&effort, &Progress::new())
            .map_err(|error| error.to_string())
    };
    let append = |data: &[PathBuf]| {
        let job = append_to(&output, Budget::Auto, Some(1));
        let made = AppendJob { data: data.to_vec(), ..job }.run(&Progress::new());
        made.map(|built| built.entries).map_err(|error| error.to_string())
    };
    let start = |ragged, text: &str| {
        fs::write(&empty, "").unwrap();
        fs::write(&data, text).unwrap();
        let csv = CsvFormat { has_header: false, ragged, ..CsvFormat::separated_by(b',') };
        run(&build(&[empty.clone(), data.clone()], &output, Format::Csv(csv), &["1"])).entries
    };
    fs::write(&more, "p,1,q\nq,9\n").unwrap();
    let rows = "a,1,x\nb,2\nc,3,z\n";
    assert_eq!(start(Ragged::Drop, rows), 2);
    assert_eq!(verified(), Ok(None));
    fs::write(&data, format!("{rows}d,4\ne,5,v\n")).unwrap();
    assert_eq!(append(&[]), Ok(3));
    assert_eq!(append(std::slice::from_ref(&more)), Ok(4));
    assert_eq!(verified(), Ok(None));
    let found = places(Index::open(&output).unwrap().entries().unwrap());
    assert_eq!(found, [(1, 0), (1, 10), (1, 20), (2, 0)]);
    let rows = "a,1,x\nb,2,y\n";
    assert_eq!(start(Ragged::Refuse, rows), 2);
    let refused = "the row has 2 cells, and the first row has 3";
    assert!(append(std::slice::from_ref(&more)).unwrap_err().contains(refused));
    fs::write(&data, format!("{rows}c,3\n")).unwrap();
    assert!(append(&[]).unwrap_err().contains(refused));
    assert_eq!(start(Ragged::Keep, rows), 2);
    fs::write(&data, format!("{rows}c,3\n")).unwrap();
    assert_eq!(append(&[more]), Ok(5));
    assert_eq!(verified(), Ok(None));
}

/// The ordinals of long keys that were added differ from those of a build.
#[test]
fn an_index_with_added_long_keys_is_verified() {
    let folder = tempfile::tempdir().unwrap();
    let [data, output, wrong] = ["data", "index", "wrong"].map(|name| folder.path().join(name));
    let line = |number: u64| format!("{}{:03}\n", "k".repeat(600), number * 7 % 100);
    let lines = |numbers: std::ops::Range<u64>| numbers.map(line).collect::<String>();
    fs::write(&data, lines(0..50)).unwrap();
    let mut job = build(std::slice::from_ref(&data), &output, Format::LINES, &["1"]);
    job.include = vec![Include::Bytes(600..603)];
    run(&job);
    fs::write(&data, lines(0..100)).unwrap();
    let append = append_to(&output, Budget::Auto, Some(1));
    assert_eq!(append.run(&Progress::new()).unwrap().entries, 100);
    let effort = Effort { memory: Budget::Auto, threads: Some(1), temp: Vec::new() };
    let verified = |path: &Path| {
        let verified = Index::open(path).unwrap().verify(&effort, &Progress::new());
        verified.unwrap().map(|wrong| (wrong.entry, wrong.words))
    };
    assert_eq!(verified(&output), None);
    let assert_wrong = |from: &str, to: &str, wanted: (u64, &str)| {
        fs::write(&wrong, with_text(&output, from, to)).unwrap();
        let (entry, words) = verified(&wrong).unwrap();
        assert!(entry == wanted.0 && words.starts_with(wanted.1), "{entry}: {words}");
    };
    let key = "k".repeat(105);
    let included = "it does not have the included parts of the record at offset 0";
    assert_wrong("\u{3}000", "\u{3}001", (1, included));
    assert_wrong(&format!("{key}000"), &format!("{key}001"), (1, "it does not have the key of"));
    let cut = "k".repeat(495);
    let ordinal = |number: char| format!("{cut}\0\0\0\0\0\0\0{number}");
    let missed = "a search may miss the record at offset";
    assert_wrong(&ordinal('\u{9}'), &ordinal('\u{8}'), (10, missed));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "no temporary file is left");
}

/// Returns the bytes of an index with a text in place of another one of as many bytes.
fn with_text(index: &Path, from: &str, to: &str) -> Vec<u8> {
    let mut bytes = fs::read(index).unwrap();
    let found: Vec<usize> = (0..bytes.len() - from.len())
        .filter(|at| bytes[*at..].starts_with(from.as_bytes()))
        .collect();
    assert!(!found.is_empty() && from.len() == to.len(), "{from}");
    for at in found {
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    }
    bytes
}

/// The record of a value has bytes in front of the key. A key decides how many.
#[test]
fn keys_far_inside_records_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [data, output, other] = ["data", "index", "other"].map(|name| folder.path().join(name));
    fs::write(&data, "a,b\nc,d\n").unwrap();
    let cases = [
        (Format::LINES, "1[10000000..]", "1[40000000..]"),
        (Format::LINES, "1000000", "9000000"),
        (Format::LINES, "10000000..10000004", "40000000..40000004"),
        (Format::CSV, "1[10000000..]", "1[40000000..]"),
    ];
    for (format, near, far) in cases {
        let mut job = build(std::slice::from_ref(&data), &output, format, &[near]);
        job.order.separator = (format == Format::LINES).then_some(b',');
        run(&job);
        fs::write(&other, with_text(&output, near, far)).unwrap();
        let refused = "an index needs keys within the first 16 MiB of records";
        let error = Index::open_without_data(&other)
            .map(drop)
            .map_err(|error| error.to_string())
            .unwrap_err();
        assert!(error.contains(refused) && error.contains(far), "{error}");
        job.keys = vec![far.parse().unwrap()];
        let error =
            job.run(&Progress::new()).map(drop).map_err(|error| error.to_string()).unwrap_err();
        assert!(error.contains(refused) && error.contains(far), "{error}");
    }
}
