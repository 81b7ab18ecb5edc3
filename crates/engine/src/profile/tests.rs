//! Profiles are written as they are read, and what is wrong with one is told.

use super::*;

fn profile() -> Profile {
    let cost = Cost { record: 12.5, byte: 0.25 };
    let costs = Costs { reading: cost, writing: cost, run_generation: cost, merging: cost };
    let disk = |directory: &Path| DiskProfile {
        measured: "2026-11-22T12:00:00Z".to_owned(),
        directory: directory.to_owned(),
        read: 2e9,
        write: 1.5e9,
        both: 2.25e9,
        spread: 0.1,
        sync_seconds: 0.01,
        remove: 5e9,
        request_bytes: 1 << 20,
        queue_depth: 8,
        read_factor: 40.0,
        is_direct: true,
    };
    Profile {
        memory: Some(MemoryProfile {
            measured: "2026-11-22T12:00:00Z".to_owned(),
            usable_bytes: 20 << 30,
            is_limit: false,
            claimed_bytes: 24 << 30,
            small_pages_one: 1e9,
            small_pages_all: 2e9,
            huge_pages_one: 3e9,
            huge_pages_all: 4e9,
            reused_pages_all: 5e9,
        }),
        processor: Some(ProcessorProfile {
            measured: "2026-11-22T12:00:00Z".to_owned(),
            threads: 2,
            fixed: costs,
            lines: costs,
        }),
        disks: vec![disk(Path::new("/"))],
        ..Profile::default()
    }
}

#[test]
fn profiles_are_written_as_they_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config/machine.toml");
    for made in [profile(), Profile::default()] {
        made.write(&path).unwrap();
        assert_eq!(Profile::read(&path).unwrap(), made);
    }
}

#[test]
fn a_profile_that_could_not_be_read_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("machine.toml");
    let good = profile();
    good.write(&path).unwrap();
    let mut paged = good.clone();
    paged.memory.as_mut().unwrap().reused_pages_all = 0.0;
    let mut endless = good.clone();
    endless.disks[0].remove = f64::INFINITY;
    let later = Profile { version: 2, ..good.clone() };
    for (bad, words) in [
        (paged, "reused pages: 0 is not a rate"),
        (endless, "remove: inf is not a rate"),
        (later, "version 2"),
    ] {
        let said = bad.write(&path).unwrap_err().to_string();
        assert!(said.contains(words) && said.contains("measure again"), "{said}");
    }
    assert_eq!(Profile::read(&path).unwrap(), good);
}

#[test]
fn a_disk_is_known_by_its_file_system() {
    let folder = tempfile::tempdir().unwrap();
    let mut made = profile();
    let other = DiskProfile { directory: folder.path().to_owned(), ..made.disks[0].clone() };
    made.add_disk(other.clone());
    made.add_disk(other.clone());
    assert_eq!(made.disks.iter().filter(|disk| **disk == other).count(), 1);
    let inside = folder.path().join("inside");
    fs::create_dir(&inside).unwrap();
    assert_eq!(made.disk_of(&inside), Some(&other));
    assert_eq!(made.disk_of(Path::new("/nowhere at all")), None);
}

#[test]
fn what_is_wrong_with_a_profile_is_told() {
    let good = toml::to_string(&profile()).unwrap();
    assert_eq!(Profile::of_text(&good).unwrap(), profile());
    let wrong = |from: &str, to: &str, words: &str| {
        assert!(good.contains(from), "{from}");
        let said = Profile::of_text(&good.replacen(from, to, 1)).unwrap_err();
        assert!(said.to_string().contains(words), "{to}: {said}");
    };
    wrong("version = 1", "version = 2", "version 2");
    wrong("version = 1", "versoin = 1", "versoin");
    wrong("read = 2000000000.0", "read = -1.0", "not a rate");
    wrong("read = 2000000000.0", "read = nan", "not a rate");
    wrong("record = 12.5", "record = inf", "not possible");
    wrong("record = 12.5", "record = 1e30", "cost of a record: 1");
    wrong("record = 12.5", "record = nan", "cost of a record: NaN is not possible");
    wrong("threads = 2", "threads = 0", "threads: 0 is not possible");
    wrong("queue_depth = 8", "queue_depth = 0", "queue_depth: 0 is not possible");
    wrong("request_bytes = 1048576", "request_bytes = 0", "request_bytes: 0 is not possible");
    wrong("queue_depth = 8", "queue_depth = 70000", "70000 is not possible; it is at most 65536");
    wrong("request_bytes = 1048576", "request_bytes = 2000000000", "it is at most 1073741824");
    wrong("record = 12.5", "record = 1e300", "cost of a record: 1e300 is not possible");
    wrong("usable_bytes = 21474836480", "usable_bytes = 0", "usable_bytes: 0 is not possible");
    wrong("read_factor = 40.0", "read_factor = inf", "read_factor: inf is not possible");
    wrong("reused_pages_all = 5000000000.0", "reused_pages_all = 0.0", "a calibration");
    wrong("huge_pages_all = 4000000000.0", "", "huge_pages_all");
}
