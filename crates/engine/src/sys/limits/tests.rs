//! Tests of the parsers over the texts of machines and containers, and of the answers here.

use std::fs::{create_dir_all, write};

use super::*;

#[test]
fn memory_of_the_machine() {
    let text = "MemTotal: 24684084 kB\nMemFree: 100 kB\nMemAvailable:   2048 kB\nCached: 300 kB\n";
    assert_eq!(memory_available(text), Some(2048 << 10));
    assert_eq!(memory_available("MemFree: 100 kB\nCached: 300 kB\n"), Some(400 << 10));
    assert_eq!(memory_available("MemTotal: 5 kB\n"), None);
    assert_eq!(memory_available(""), None);
}

#[test]
fn lines_with_units() {
    let status = "Name:\tsortwell\nVmPeak:\t  900 kB\nVmHWM:\t  1234 kB\nVmRSS:\t 12 kB\n";
    assert_eq!(kilobytes(status, "VmHWM:"), Some(1234 << 10));
    assert_eq!(kilobytes(status, "VmSwap:"), None);
    assert_eq!(kilobytes("VmHWM: many kB", "VmHWM:"), None);
    assert_eq!(kilobytes("VmHWM: 12 pages", "VmHWM:"), None);
    assert_eq!(kilobytes(&format!("VmHWM: {} kB", u64::MAX), "VmHWM:"), None);
}

#[test]
fn our_group_in_either_version() {
    let hybrid = "9:name=systemd:/init\n5:cpu,memory:/docker/abc\n0::/user.slice\n";
    assert_eq!(group_path(hybrid, "memory"), Some("/docker/abc"));
    assert_eq!(group_path(hybrid, ""), Some("/user.slice"));
    assert_eq!(group_path("0::/\n", "memory"), None);
    assert_eq!(group_path("0::/odd:name\n", ""), Some("/odd:name"));
    assert_eq!(group_path("garbage", ""), None);
}

#[test]
fn limits_that_are_none() {
    assert_eq!(limit("1048576\n"), Some(1 << 20));
    assert_eq!(limit("max\n"), None);
    assert_eq!(limit("9223372036854771712\n"), None);
}

#[test]
fn room_counts_the_cache_as_free() {
    assert_eq!(room(100, 30, 0), 70);
    assert_eq!(room(100, 90, 80), 90);
    assert_eq!(room(100, 130, 0), 0);
    assert_eq!(room(100, 10, 50), 100);
    let stat = "anon 5\ninactive_file 7\nactive_file 11\nslab 13\ninactive_file_x 1\n";
    assert_eq!(counters(stat, VERSION_2.reclaimable), 18);
}

#[test]
fn the_least_of_all_groups_above_counts() {
    let mount = tempfile::tempdir().unwrap();
    let inner = mount.path().join("outer/inner");
    create_dir_all(&inner).unwrap();
    let least = |group| least_of_groups(mount.path(), group, &VERSION_2, room_of_group);
    assert_eq!(least("/outer/inner"), None);

    write(inner.join("memory.max"), "max\n").unwrap();
    write(mount.path().join("outer/memory.max"), "5000\n").unwrap();
    write(mount.path().join("outer/memory.current"), "2000\n").unwrap();
    write(mount.path().join("outer/memory.stat"), "inactive_file 500\n").unwrap();
    assert_eq!(least("/outer/inner"), Some(3500));

    write(inner.join("memory.high"), "3000\n").unwrap();
    assert_eq!(least("/outer/inner"), Some(3000));

    // A container that sees the host's path but not its tree still finds its own limit at the root.
    write(mount.path().join("memory.max"), "700\n").unwrap();
    assert_eq!(least("/docker/unknown"), Some(700));
    assert_eq!(least("/"), Some(700));
}

#[test]
fn the_first_version_has_its_own_names() {
    let mount = tempfile::tempdir().unwrap();
    write(mount.path().join("memory.limit_in_bytes"), "9223372036854771712\n").unwrap();
    assert_eq!(least_of_groups(mount.path(), "/", &VERSION_1, room_of_group), None);
    write(mount.path().join("memory.limit_in_bytes"), "4096\n").unwrap();
    write(mount.path().join("memory.usage_in_bytes"), "1000\n").unwrap();
    write(mount.path().join("memory.stat"), "cache 9\ntotal_active_file 900\n").unwrap();
    assert_eq!(least_of_groups(mount.path(), "/", &VERSION_1, room_of_group), Some(3996));
}

#[test]
fn this_machine_answers() {
    assert!(memory().unwrap() > ByteSize::mib(16));
    assert!(cores() >= 1);
    let before = memory_peak().unwrap();
    assert!(before > ByteSize::kib(100));
    let mut region = crate::io::Arena::new(ByteSize::mib(16)).unwrap();
    region.touch();
    assert!(memory_peak().unwrap() >= before);
    let first = processor_time();
    assert!(first.user_seconds + first.system_seconds > 0.0);
    assert!(processor_time().user_seconds >= first.user_seconds);
}
