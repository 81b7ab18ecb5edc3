//! Figures of the disk that tests run on: of sense, whatever it is, and nothing is left there.

use super::*;
use crate::calibrate::strides;

#[test]
fn a_disk_is_measured_alone_and_with_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let directories = ["one", "two"].map(|name| folder.path().join(name));
    for directory in &directories {
        std::fs::create_dir(directory).expect("a directory");
    }
    let time = Duration::from_secs(2);
    let found = disks(&directories, time, &Progress::new()).expect("measured");
    assert_eq!(found.disks.len(), 2);
    for (disk, directory) in found.disks.iter().zip(&directories) {
        assert_eq!(disk.directory, *directory);
        assert!(disk.read > 1e6 && disk.write > 1e6 && disk.both > 1e6, "{disk:?}");
        assert!(REQUESTS.contains(&(disk.request_bytes as usize)), "{disk:?}");
        assert!(DEPTHS.contains(&disk.queue_depth) && disk.read_factor >= 1.0, "{disk:?}");
        assert_eq!(std::fs::read_dir(directory).expect("read").count(), 0, "nothing is left");
    }
    let together = found.together.as_ref().expect("two");
    assert_eq!((together.read.len(), together.write.len()), (2, 2));
    let all = together.read.iter().chain(&together.write);
    assert!(all.into_iter().all(|rate| *rate > 1e6), "{together:?}");
    // Both are on one disk, so neither gets more than the other.
    assert_eq!(found.devices[0], found.devices[1]);
    for usage in [StripeUse::Read, StripeUse::Write, StripeUse::Both] {
        assert_eq!(strides(&found.speeds(usage)), [1, 1], "{found:?}");
    }
}

/// A disk has nothing to do for what is only reserved.
#[test]
fn only_what_was_written_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let progress = Progress::new();
    let mut bench = DiskBench::new(folder.path(), &progress).expect("a file");
    let (bytes, depth) = (REQUESTS[1], DEPTHS[0]);
    for way in [Access::Write, Access::Both] {
        let rate =
            bench.slice(way, RequestShape { bytes, depth }, Duration::ZERO).expect("measured");
        assert!(rate > 0.0, "one round of requests, even in no time");
    }
    // Four from the start on, and two from the middle on.
    let middle = bench.length / 2;
    let first: Vec<u64> = (0..4).map(|number| number * bytes as u64).collect();
    let all = [&first[..], &[middle, middle + bytes as u64]].concat();
    assert_eq!(bench.written.bytes(), 6 * bytes as u64);
    let mut offsets = |is_half: bool| {
        let read = |_| {
            let region = Arena::new(ByteSize(bytes as u64)).expect("memory");
            bench.request(region, false, is_half).offset
        };
        (0..12).map(read).collect::<BTreeSet<u64>>().into_iter().collect::<Vec<_>>()
    };
    assert_eq!((offsets(false), offsets(true)), (all.clone(), first));
    let mut content = vec![0; PAGE];
    for offset in all {
        bench.file.file().read_at(&mut content, offset).expect("read");
        assert!(content.iter().any(|byte| *byte != 0), "zeros at {offset}");
    }
    assert!(bench.latency(Duration::ZERO).expect("measured") > 0.0);
}

#[test]
fn what_cannot_be_measured_says_so() {
    let nowhere = [PathBuf::from("/nowhere at all")];
    let failed = disks(&nowhere, Duration::from_secs(1), &Progress::new());
    assert!(matches!(failed, Err(Error::Io { .. })), "{failed:?}");
    let progress = Progress::new();
    progress.request_stop();
    let folder = tempfile::tempdir().expect("a folder");
    let stopped = disks(&[folder.path().to_owned()], Duration::from_secs(60), &progress);
    assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("read").count(), 0);
}

#[test]
fn reads_and_writes_have_speeds_of_their_own() {
    let disk = |read, write| DiskProfile { read, write, ..DiskProfile::default() };
    let names = |name: &str| BTreeSet::from([name.to_owned()]);
    let mut found = DiskReport {
        disks: vec![disk(6.0, 2.0), disk(6.0, 6.0)],
        devices: vec![names("sda"), names("sdb")],
        together: None,
    };
    let strides = |found: &DiskReport| {
        [StripeUse::Read, StripeUse::Write, StripeUse::Both]
            .map(|usage| strides(&found.speeds(usage)))
    };
    assert_eq!(strides(&found), [[1, 1], [1, 3], [1, 2]]);
    // Reads share a bus on which the second has less.
    found.together = Some(Together { read: vec![4.0, 2.0], write: vec![2.0, 6.0] });
    assert_eq!(strides(&found), [[2, 1], [1, 3], [5, 6]]);
    found.devices[1] = names("sda");
    assert_eq!(strides(&found), [[1, 1]; 3]);
}

/// The document's formula: a disk that takes 10 ms to begin and 0.25 ms for a block has factor 41.
#[test]
fn the_read_factor_counts_the_block_itself() {
    let (begin, transfer) = (10e-3, 0.25e-3);
    let rate = PAGE as f64 / transfer;
    let factor = read_factor(begin + transfer, rate);
    assert!((factor - (begin / transfer + 1.0)).abs() < 1e-9, "{factor}");
    assert_eq!(read_factor(0.0, rate), 1.0, "no less than the block");
}
