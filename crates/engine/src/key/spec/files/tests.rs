//! Lists that are larger than the budget, with and without a size of their own.

use std::fs;
use std::process::Command;

use super::*;
use crate::key::ListMemory;

fn list(path: &str, memory: u64) -> Result<ValueList, ConfigError> {
    let memory = ListMemory { budget: ByteSize(memory), taken: 0 };
    read_list(path, false, memory).expect("a file that can be read")
}

/// The least budget that an error names, in MiB.
fn advice(fault: &ConfigError) -> u64 {
    match fault.kind() {
        ConfigErrorKind::BudgetTooSmall { least: Some(least) } => least.bytes() >> 20,
        other => panic!("{other:?}: {fault}"),
    }
}

#[test]
fn lists_that_are_too_large_are_read_within_what_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list");
    let path = path.to_str().unwrap();
    let values: String = (0..300_000).map(|number| format!("value {number}\n")).collect();
    fs::write(path, &values).unwrap();
    for memory in [1 << 20, 8 << 20, 24 << 20] {
        let fault = list(path, memory).unwrap_err();
        let least = advice(&fault) << 20;
        assert!(least > memory, "{fault}");
        assert_eq!(list(path, least).unwrap().extent().0, 300_000);
    }
    // Where another list takes a part, more is named.
    let memory = ListMemory { budget: ByteSize::mib(32), taken: 30 << 20 };
    let fault = read_list(path, false, memory).unwrap().unwrap_err();
    let memory = ListMemory { budget: ByteSize::mib(advice(&fault)), ..memory };
    assert!(read_list(path, false, memory).unwrap().is_ok(), "{fault}");
    // A pipe has no size, and neither have files of the kernel.
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let fed = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::write(pipe, values)
    });
    let fault = list(pipe.to_str().unwrap(), 24 << 20).unwrap_err();
    fed.join().unwrap().unwrap();
    assert!(list(path, advice(&fault) << 20).is_ok(), "{fault}");
}

#[test]
fn files_without_an_end_are_not_read_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sparse");
    File::create(&path).unwrap().set_len(1 << 40).unwrap();
    let path = path.to_str().unwrap();
    let fault = list(path, 32 << 20).unwrap_err();
    assert!(advice(&fault) >= 1 << 20, "{fault}");
    let fault = list("/dev/zero", 32 << 20).unwrap_err();
    assert!(fault.to_string().contains("more than 1 MiB in line 1"), "{fault}");
    let fault = read_sequence(path).unwrap().unwrap_err();
    assert!(fault.contains("1099511627776 bytes"), "{fault}");
    let fault = read_sequence("/dev/zero").unwrap().unwrap_err();
    assert!(fault.contains("more than 256 bytes"), "{fault}");
}

#[test]
fn lists_are_read_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list");
    let path = path.to_str().unwrap();
    let read = |text: &str| {
        fs::write(path, text).unwrap();
        read_list(path, true, ListMemory::UNBOUNDED).unwrap().map(|list| list.beginning(99))
    };
    assert_eq!(read("\u{feff}low\r\n\nMid\n high \n").unwrap(), b"LOW|MID|HIGH");
    assert_eq!(read("low\nhigh").unwrap(), b"LOW|HIGH");
    assert!(read("\u{feff}\n").unwrap_err().to_string().contains("no values"));
    assert!(read("a\nb\nA\n").unwrap_err().to_string().contains("twice"));
}
