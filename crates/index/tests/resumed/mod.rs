//! Builds of unique keys that continue with the parts of an earlier one.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use sortwell_engine::ByteSize;
use sortwell_engine::format::Format;
use sortwell_engine::job::Budget;
use sortwell_engine::operator::Unique;
use sortwell_engine::stats::Progress;
use sortwell_index::{BuildJob, Index};

use crate::{build, places};

const LINES: u64 = 300_000;
const KEYS: u64 = 1000;
const LINE_BYTES: u64 = 120;

/// Returns the directories of saved work.
fn kept(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_dir()).collect()
}

/// Runs a job until it has made a part.
fn stop_after_a_part(job: &BuildJob, folder: &Path) {
    let progress = Progress::new();
    thread::scope(|scope| {
        let built = scope.spawn(|| job.run(&progress));
        while !built.is_finished() {
            if kept(folder).iter().any(|directory| directory.join("part-0").exists()) {
                progress.request_stop();
            }
            thread::sleep(Duration::from_millis(1));
        }
        let error = built.join().unwrap().unwrap_err();
        assert!(error.to_string().contains("the finished work is kept in"), "{error}");
    });
}

#[test]
fn parts_may_have_keys_in_common() {
    let folder = tempfile::tempdir().unwrap();
    let [data, output] = ["data", "index"].map(|name| folder.path().join(name));
    let line = |number: u64| format!("{:0119}\n", number % KEYS);
    fs::write(&data, (0..LINES).map(line).collect::<String>()).unwrap();
    let mut job = build(&[data], &output, Format::LINES, &["1:int"]);
    (job.memory, job.resume) = (Budget::Bytes(ByteSize::mib(32)), true);
    for (unique, first) in [(Unique::First, 0), (Unique::Last, LINES - KEYS)] {
        job.unique = Some(unique);
        for stops in [false, true] {
            if stops {
                stop_after_a_part(&job, folder.path());
            }
            let built = job.run(&Progress::new()).unwrap();
            assert_eq!(built.entries, KEYS, "{unique:?}, {stops}");
            let found = places(Index::open(&output).unwrap().entries().unwrap());
            let wanted = (first..first + KEYS).map(|line| (0, line * LINE_BYTES));
            assert_eq!(found, wanted.collect::<Vec<_>>(), "{unique:?}, {stops}");
            assert!(kept(folder.path()).is_empty());
        }
    }
}
