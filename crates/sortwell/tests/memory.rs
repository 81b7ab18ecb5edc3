//! The memory of a sorter, measured. There is one test, as others would take memory meanwhile.

use std::fs;

use sortwell::{ByteSize, Sorter};

/// Returns the bytes in a line of `/proc/self/status`.
fn status(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib << 10)
}

/// Memory of the process before the sort, in bytes.
struct Before {
    all: u64,
    /// Pages of files, which is the program itself here: more of it is read as it runs, as the
    /// system sees fit.
    program: u64,
}

impl Before {
    fn now() -> Option<Self> {
        Some(Self { all: status("VmRSS")?, program: status("RssFile")? })
    }

    fn assert_within(&self, memory: ByteSize) {
        let (peak, now) = (status("VmHWM"), Self::now());
        assert!(peak.is_some(), "the system knows the memory of this process");
        let program = now.map_or(0, |now| now.program.saturating_sub(self.program));
        let taken = peak.unwrap_or_default().saturating_sub(self.all + program);
        assert!(taken <= memory.bytes(), "{} of {memory}", ByteSize(taken));
    }
}

#[test]
fn a_sorter_keeps_to_its_own_memory() {
    const COUNT: u32 = 2_000_000;
    let folder = tempfile::tempdir().expect("a folder");
    let before = Before::now().expect("the memory of this process");
    let memory = ByteSize::mib(48);
    let mut sorter = Sorter::new();
    sorter.memory(memory).threads(2).temp(folder.path());
    for number in 0..COUNT {
        let key = number.wrapping_mul(2_654_435_761).to_be_bytes();
        sorter.push(&key, &[7; 92]).expect("a push");
    }
    let mut sorted = sorter.finish().expect("a sort");
    let (mut last, mut count) = ([0; 4], 0);
    while let Some(record) = sorted.next().expect("a record") {
        let key = <[u8; 4]>::try_from(record.key).expect("four bytes");
        assert!(last <= key);
        (last, count) = (key, count + 1);
    }
    assert_eq!(count, COUNT);
    let statistics = sorted.close().expect("statistics");
    assert!(statistics.runs > 1, "{statistics:?}");
    before.assert_within(memory);

    const LONG: usize = 10 << 20;
    let memory = ByteSize::mib(64);
    let mut sorter = Sorter::new();
    sorter.memory(memory).threads(2).temp(folder.path());
    let mut payload = vec![0; LONG];
    for number in (0..12_u8).rev() {
        payload[LONG - 1] = number;
        sorter.push(&[number], &payload).expect("a push");
    }
    drop(payload);
    let mut sorted = sorter.finish().expect("a sort");
    for number in 0..12_u8 {
        let record = sorted.next().expect("a record").expect("twelve of them");
        assert_eq!((record.key, record.payload.len()), (&[number][..], LONG));
        assert_eq!(record.payload[LONG - 1], number);
    }
    assert!(sorted.next().expect("the end").is_none());
    // The payload that is pushed is the program's, and one record is lent.
    before.assert_within(ByteSize(memory.bytes() + 2 * LONG as u64));
}
