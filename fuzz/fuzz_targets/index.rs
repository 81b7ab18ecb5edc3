//! Whatever stands in the file of an index, opening it and searching in it ends, with entries or
//! with an error.
//!
//! The input changes a small index: a first byte of 0 puts the rest into the page of the second
//! byte; otherwise, groups of four bytes are an offset and a byte to write there.

#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use sortwell::{ByteSize, Format, Index, IndexJob};

const PAGE: usize = 4096;

/// A file for this process, and the bytes of an index of three levels.
fn whole() -> &'static (PathBuf, Vec<u8>) {
    static WHOLE: OnceLock<(PathBuf, Vec<u8>)> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let name = |end: &str| {
            std::env::temp_dir().join(format!("sortwell-fuzz-{}.{end}", std::process::id()))
        };
        let (data, file) = (name("data"), name("index"));
        let long = "k".repeat(600);
        let row = |number: u64| match number % 50 {
            0 => format!("{long}{number},{number}\n"),
            _ => format!("{:060},{number}\n", number * 7919 % 5003),
        };
        fs::write(&data, (0..5000).map(row).collect::<String>()).expect("room");
        let mut job = IndexJob::new(Format::LINES, &data, &file);
        job.separator(b',').key("1".parse().expect("a key")).memory(ByteSize::mib(64)).threads(1);
        job.run().expect("an index");
        let bytes = fs::read(&file).expect("an index");
        (file, bytes)
    })
}

fuzz_target!(|data: &[u8]| {
    let (file, whole) = whole();
    let mut bytes = whole.clone();
    match data {
        [0, page, rest @ ..] => {
            let start = usize::from(*page) * PAGE % bytes.len();
            let end = (start + rest.len()).min(bytes.len());
            bytes[start..end].copy_from_slice(&rest[..end - start]);
        }
        [_, edits @ ..] => {
            for edit in edits.as_chunks::<4>().0 {
                let at = u32::from_le_bytes([edit[0], edit[1], edit[2], 0]) as usize;
                let length = bytes.len();
                bytes[at % length] = edit[3];
            }
        }
        [] => return,
    }
    fs::write(file, &bytes).expect("room");
    let Ok(index) = Index::open_without_data(file) else { return };
    let Ok(entries) = index.entries() else { return };
    // A page may be the child of several others, but a tree has a greatest depth.
    let _ = entries.take(100_000).filter(Result::is_err).count();
    if let Ok(found) = index.entries().and_then(sortwell::Matches::reversed) {
        let _ = found.take(100_000).filter(Result::is_err).count();
    }
    for value in ["", "000", &"k".repeat(600)] {
        let _ = index.get(&[value]).map(|found| found.take(100).count());
        let _ = index.prefix(&[value]).map(|found| found.take(100).count());
    }
});
