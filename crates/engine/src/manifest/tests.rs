//! The manifest: what was noted is the limit of, a torn end is as if it were not there, and nothing
//! else may differ by a bit.

use super::*;
use crate::key::{KeySeen, KeyTally};
use crate::load::InputPlace;
use crate::order::KeptRecord;
use crate::proof::Sum;
use crate::run::Run;
use crate::units::text::AsText;

fn job(directory: &Path) -> JobEntry {
    use std::os::unix::ffi::OsStrExt;
    let odd = Path::new(std::ffi::OsStr::from_bytes(b"/odd \xff%41\n\"name"));
    JobEntry {
        version: "1".to_owned(),
        output: odd.to_owned(),
        part: PathBuf::from("/out/.part"),
        directories: vec![AsText(directory.to_owned())],
        is_in_place: false,
        is_merge: false,
        inputs: vec![InputEntry {
            path: odd.to_owned(),
            inode: u64::MAX,
            bytes: 1 << 40,
            modified: (-5, 999_999_999),
            ends: (AsText(u128::MAX), AsText(1)),
        }],
        settings: vec![("keys".to_owned(), "\u{1f600}".to_owned())],
    }
}

fn run(directory: &Path, number: u64) -> Run {
    let path = directory.join(format!("run-{number:06}"));
    Run { path, bytes: 1000 * number, records: 10 * number, longest_bytes: 100 }
}

fn sum(records: u64) -> Sum {
    Sum { records, checksum: u128::MAX - u128::from(records) }
}

fn tally(invalid: u64) -> KeyTally {
    let seen = KeySeen { invalid, has_other: true, ..KeySeen::default() };
    let mut tally = KeyTally::default();
    (tally.invalid, tally.keys) = (invalid, vec![seen]);
    tally
}

/// Three runs, of which the first two are merged, and a slab of the output.
fn entries(directory: &Path) -> Vec<LogEntry> {
    let load = |number: u64| {
        LogEntry::Run(RunEntry {
            run: run(directory, number),
            next: InputPlace { source: 0, offset: 1000 * number },
            taken: (10 * number, 1000 * number),
            ragged: number,
            read: sum(10 * number),
            dropped: sum(1),
            keys: tally(number),
        })
    };
    let (range, run, read) = ((0, 2), run(directory, 9), Sum::default());
    let merged =
        MergedEntry { range, run, read, ragged: 3, dropped: sum(2), keys: KeyTally::default() };
    let slab = SlabEntry {
        bound: (1, 3000),
        ends: vec![5000, 3000],
        offset: 8000,
        edge: (0..=255).collect(),
        written: sum(80),
        selected: Some(selected()),
        streams: None,
        last: Some(KeptRecord::Whole(vec![0, 255, b'%'])),
    };
    vec![load(1), load(2), load(3), LogEntry::Merged(merged), LogEntry::Slab(slab)]
}

/// How far a selection has come, with a group that is open.
fn selected() -> SelectedEntry {
    let values = vec![
        ValueText::Nothing {},
        ValueText::Number("-12.50".to_owned()),
        ValueText::Text(b"a%\xff".to_vec()),
        ValueText::Integer((-1_i128 << 100).to_string()),
    ];
    let open = Some(GroupText { record: b"x,\n".to_vec(), count: 3, values });
    SelectedEntry { taken: 80, passed: 9, records: 7, open }
}

/// A manifest with all of these, in a directory of its own.
fn written() -> (tempfile::TempDir, Vec<LogEntry>) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    let mut manifest = Manifest::create(path, &job(path)).expect("created");
    let mut all = vec![LogEntry::Job(job(path))];
    for entry in entries(path) {
        manifest.append(&entry).expect("appended");
        all.push(entry);
    }
    (directory, all)
}

#[test]
fn what_was_noted_is_read_again_and_gone_on_with() {
    let (directory, mut all) = written();
    assert_eq!(Manifest::look(directory.path()).expect("read"), all);
    let (mut manifest, read) = Manifest::open(directory.path()).expect("opened");
    assert_eq!(read, all);
    let more = entries(directory.path()).remove(4);
    manifest.append(&more).expect("appended");
    *all.last_mut().expect("a slab") = more;
    assert_eq!(Manifest::look(directory.path()).expect("read"), all);
    assert!(Manifest::create(directory.path(), &job(directory.path())).is_err(), "it is there");
}

#[test]
fn it_comes_to_where_the_job_stands() {
    let (directory, all) = written();
    let lost = [all.clone(), vec![LogEntry::Lost {}]].concat();
    assert_eq!(Past::of(directory.path(), lost).expect("no contradiction").1.slab, None);
    let (found, past) = Past::of(directory.path(), all).expect("no contradiction");
    assert_eq!(found, job(directory.path()));
    let runs: Vec<u64> = past.runs.iter().map(|run| run.bytes).collect();
    assert_eq!((runs, past.generated), (vec![9000, 3000], 3));
    assert_eq!(past.next, InputPlace { source: 0, offset: 3000 });
    assert_eq!((past.taken, past.read.records, past.dropped.records), ((60, 6000), 60, 5));
    assert_eq!(past.slab.map(|slab| slab.offset), Some(8000));
}

#[test]
fn a_torn_end_is_as_if_it_were_not_there() {
    let (directory, all) = written();
    let path = directory.path().join(KEPT_NAME);
    let whole = std::fs::read(&path).expect("read");
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).expect("write");
        let lines = whole[..length].iter().filter(|byte| **byte == b'\n').count();
        let (mut manifest, read) = Manifest::open(directory.path()).expect("opened");
        assert_eq!(read, all[..lines]);
        if length % 97 == 0 {
            let more = entries(directory.path()).remove(0);
            manifest.append(&more).expect("appended");
            let read = Manifest::look(directory.path()).expect("what was torn is gone");
            assert_eq!((read.len(), read.last()), (lines + 1, Some(&more)));
        }
    }
}

#[test]
fn a_flipped_bit_is_told_with_its_line() {
    let (directory, all) = written();
    let path = directory.path().join(KEPT_NAME);
    let whole = std::fs::read(&path).expect("read");
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(&path, &bytes).expect("write");
        let line = whole[..at].iter().filter(|byte| **byte == b'\n').count() as u64;
        match Manifest::look(directory.path()) {
            Err(Error::Corrupt { block, .. }) => assert_eq!(block, line, "byte {at}"),
            // Its last byte: the last line is not whole then.
            Ok(read) => assert_eq!((at, read.len()), (whole.len() - 1, all.len() - 1)),
            Err(e) => panic!("{e}"),
        }
    }
}

#[test]
fn entries_that_contradict_each_other() {
    let directory = Path::new("/d");
    let check = |change: &dyn Fn(&mut Vec<LogEntry>)| {
        let mut all = vec![LogEntry::Job(job(directory))];
        all.extend(entries(directory));
        change(&mut all);
        let told = Past::of(directory, all);
        assert!(matches!(told, Err(Error::Corrupt { .. })), "{told:?}");
    };
    check(&Vec::clear);
    check(&|all| drop(all.remove(0)));
    check(&|all| all.push(all[0].clone()));
    check(&|all| all.swap(1, 2));
    check(&|all| drop(all.drain(2..4)));
    check(&|all| drop(all.remove(3)));
    check(&|all| {
        if let LogEntry::Run(entry) = &mut all[1] {
            entry.run.path = PathBuf::from("/etc/run-000001");
        }
    });
}

/// A merge of four sorted inputs: the middle two are merged, then these and the last, and some of
/// that and the first is in the output.
fn merge(directory: &Path) -> Vec<LogEntry> {
    let of = job(directory);
    let inputs = vec![of.inputs[0].clone(); 4];
    let merged = |range, number| {
        let (run, read, dropped) = (run(directory, number), sum(10 * number), sum(1));
        LogEntry::Merged(MergedEntry { range, run, read, ragged: 0, dropped, keys: tally(number) })
    };
    let streams =
        StreamsEntry { passed: vec![(5, 0), (50, 50)], read: sum(40), ragged: 7, keys: tally(7) };
    let slab = SlabEntry {
        bound: (0, 500),
        ends: vec![500, 3000],
        offset: 3500,
        edge: Vec::new(),
        written: sum(38),
        selected: None,
        streams: Some(streams),
        last: Some(KeptRecord::KeyStart(vec![7; 300])),
    };
    let first = LogEntry::Job(JobEntry { is_merge: true, inputs, ..of });
    vec![first, merged((1, 3), 2), merged((1, 3), 3), LogEntry::Slab(slab)]
}

#[test]
fn it_comes_to_where_a_merge_stands() {
    let directory = Path::new("/d");
    let (_, past) = Past::of(directory, merge(directory)).expect("no contradiction");
    assert_eq!(past.merging, [PastMerge::Input(0), PastMerge::Run]);
    let runs: Vec<u64> = past.runs.iter().map(|run| run.bytes).collect();
    assert_eq!((runs, past.read.records, past.dropped.records), (vec![3000], 50, 2));
    let read = past.slab.and_then(|slab| slab.streams).map(|streams| streams.read);
    assert_eq!((read, past.is_begun), (Some(sum(40)), true));

    let check = |change: &dyn Fn(&mut Vec<LogEntry>)| {
        let mut all = merge(directory);
        change(&mut all);
        let told = Past::of(directory, all);
        assert!(matches!(told, Err(Error::Corrupt { .. })), "{told:?}");
    };
    check(&|all| drop(all.remove(1)));
    check(&|all| all.insert(1, entries(directory).remove(0)));
    let change_slab = |change: &dyn Fn(&mut SlabEntry)| {
        check(&|all| {
            if let Some(LogEntry::Slab(slab)) = all.last_mut() {
                change(slab);
            }
        });
    };
    change_slab(&|slab| slab.ends[1] = 3001);
    change_slab(&|slab| slab.streams = None);
    change_slab(&|slab| slab.bound.0 = 2);
}

/// Only the last slab is in memory, and a fault after slabs has the number of its line.
#[test]
fn only_the_last_slab_is_kept() {
    let (directory, mut all) = written();
    let (mut manifest, _) = Manifest::open(directory.path()).expect("opened");
    let slab = all.last().expect("a slab").clone();
    let LogEntry::Slab(plain) = slab.clone() else { panic!("{slab:?}") };
    let plain = LogEntry::Slab(SlabEntry { selected: None, ..plain });
    for slab in [&plain, &slab, &plain] {
        manifest.append(slab).expect("appended");
    }
    *all.last_mut().expect("a slab") = plain;
    assert_eq!(Manifest::look(directory.path()).expect("read"), all);
    Past::of(directory.path(), all).expect("as it was noted");
    manifest.append(&LogEntry::Whole {}).expect("appended");
    let path = directory.path().join(KEPT_NAME);
    let mut bytes = std::fs::read(&path).expect("read");
    let at = bytes.len() - 2;
    bytes[at] ^= 1;
    std::fs::write(&path, bytes).expect("write");
    let error = Manifest::look(directory.path()).expect_err("damaged");
    assert!(matches!(error, Error::Corrupt { block: 9, .. }), "{error}");
}

/// A line that would not be read again is not written.
#[test]
fn a_job_of_too_many_inputs_is_refused_and_leaves_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut job = job(directory.path());
    job.inputs = vec![job.inputs[0].clone(); 400_000];
    let error = Manifest::create(directory.path(), &job).expect_err("too many").to_string();
    assert!(
        error.contains("more than the limit of 64 MiB") && error.contains("join some"),
        "{error}"
    );
    assert_eq!(directory.path().read_dir().expect("a directory").count(), 0);
    job.inputs.truncate(250_000);
    drop(Manifest::create(directory.path(), &job).expect("created"));
    let first = Manifest::first(directory.path()).expect("read again");
    assert_eq!(first, Some(LogEntry::Job(job)));
}

/// A slab whose open group has a long record is not noted; what was noted before still counts.
#[test]
fn a_slab_that_would_not_be_read_again_is_left_out() {
    let (directory, all) = written();
    let (mut manifest, _) = Manifest::open(directory.path()).expect("read");
    let Some(LogEntry::Slab(slab)) = all.last() else { panic!("the last is a slab") };
    let with_open = |bytes: usize| {
        let mut slab = slab.clone();
        let record = vec![0xff; bytes];
        let selected = slab.selected.as_mut().expect("a selection");
        selected.open = Some(GroupText { record, count: 1, values: Vec::new() });
        LogEntry::Slab(slab)
    };
    let noted = manifest.append_if_short(&with_open(22 << 20)).expect("no error");
    assert!(!noted && manifest.append(&with_open(22 << 20)).is_err());
    assert_eq!(Manifest::look(directory.path()).expect("read"), all);
    assert!(manifest.append_if_short(&with_open(20 << 20)).expect("noted"));
    let found = Manifest::look(directory.path()).expect("read");
    assert_eq!((found.len(), found.last()), (all.len(), Some(&with_open(20 << 20))));
}
