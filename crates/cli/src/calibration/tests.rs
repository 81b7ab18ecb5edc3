//! The words of measurements, from fixed figures.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::*;
use sortbench::calibrate::{CopiedMemory, MemoryProbe, Together};

fn disk(directory: &str, spread: f64) -> DiskProfile {
    DiskProfile {
        directory: PathBuf::from(directory),
        read: 2e9,
        write: 1e9,
        both: 1.5e9,
        spread,
        request_bytes: 1 << 20,
        queue_depth: 4,
        read_factor: 39.6,
        is_direct: true,
        ..DiskProfile::default()
    }
}

fn names(name: &str) -> BTreeSet<String> {
    BTreeSet::from([name.to_owned()])
}

#[test]
fn one_disk_alone() {
    let devices = vec![names("sda")];
    let of = DiskReport { disks: vec![disk("/a", 0.04)], devices, together: None };
    let expected = "disk     /a, past the page cache
speed    read 2000 MB/s, write 1000 MB/s, both at once 1500 MB/s (measurements lie 4% apart)
requests 1 MiB with 4 in flight; read factor 40 (time of a 4 KiB read, in further blocks)
";
    assert_eq!(disks(&of), expected);
}

#[test]
fn disks_that_share_something() {
    let together = Some(Together { read: vec![2e9, 1.9e9], write: vec![4e8, 8e8] });
    let disks_of = vec![disk("/a", 0.3), disk("/b", 0.1)];
    let devices = vec![names("sda"), names("sdb")];
    let mut of = DiskReport { disks: disks_of, devices, together };
    let words = disks(&of);
    for part in [
        "30% apart: uncertain; measure again)",
        "together read 3900 MB/s, 98% of the sum\n",
        "together write 1200 MB/s, 60% of the sum; a disk or a connection is shared by /a, /b",
        "strides  1x,1x for reading: 3800 MB/s of 3900 MB/s\n",
        "         1x,2x for writing: 1200 MB/s of 1200 MB/s\n",
        "x for both: ",
    ] {
        assert!(words.contains(part), "'{part}' is missing:\n{words}");
    }
    assert!(!words.contains("shared   "), "{words}");
    // One disk is slower than alone, but both together are not.
    let together = Together { read: vec![2e9, 1.9e9], write: vec![8e8, 1.3e9] };
    let words = disks(&DiskReport { together: Some(together), ..of.clone() });
    assert!(words.contains("together write 2100 MB/s, 105% of the sum\n"), "{words}");
    of.devices[1] = names("sda");
    let words = disks(&of);
    for part in [
        "shared   /a, /b lie on sda: equal strides\n",
        "strides  1x,1x for reading: 3900 MB/s of 3900 MB/s\n",
        "         1x,1x for writing: 1200 MB/s of 1200 MB/s\n",
        "         1x,1x for both: ",
    ] {
        assert!(words.contains(part), "'{part}' is missing:\n{words}");
    }
}

#[test]
fn memory_and_processors() {
    let profile = MemoryProfile {
        usable_bytes: 20 << 30,
        is_limit: false,
        claimed_bytes: 22 << 30,
        small_pages_one: 5e8,
        small_pages_all: 1e9,
        huge_pages_one: 2e9,
        huge_pages_all: 3.6e9,
        reused_pages_all: 4.1e9,
        ..MemoryProfile::default()
    };
    let probe = |gib: u64, utilisation| MemoryProbe { bytes: gib << 30, utilisation };
    let probes = vec![probe(10, 0.99), probe(20, 0.97)];
    let mut of = MemoryReport {
        profile,
        end: MemoryEnd::Whole,
        probes,
        wall_bytes: 20 << 30,
        copied: Some(CopiedMemory { bytes: 18 << 30, end: MemoryEnd::Whole }),
        spread: 0.05,
    };
    let words = memory(&of);
    assert!(words.contains("copied   18 GiB if filled from a mapped file: 10% less"), "{words}");
    of.end = MemoryEnd::Time;
    let words = memory(&of);
    assert!(words.contains("copied   18 GiB from a mapped file; give more --seconds"), "{words}");
    assert!(words.contains("20 GiB of 22 GiB could be used: then the time was over"), "{words}");
    assert!(
        words.contains("2 sizes touched again, with the processor busy for 97% to 99%"),
        "{words}"
    );
    assert!(words.contains("huge pages: 2000 MB/s to one thread, 3600 MB/s to all"), "{words}");
    assert!(words.contains("again    huge pages: 4100 MB/s to all"), "{words}");
    let cost = Cost { record: 12.4, byte: 0.256 };
    let costs = Costs { reading: cost, ..Costs::default() };
    let of = ProcessorProfile { threads: 2, fixed: costs, ..ProcessorProfile::default() };
    let words = processor(&of, 0.01);
    assert!(words.contains("records  in memory 12 + 0.26 ns to read and 0 + 0.00 ns"), "{words}");
    assert!(words.contains("of 2 threads, by record and byte (measurements lie 1%"), "{words}");
}
