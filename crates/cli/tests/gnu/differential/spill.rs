//! Inputs that do not fit in memory, beside GNU sort.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use super::random::Random;

/// Writes lines of words and numbers, a tenth of them again and again.
fn write_lines(file: &Path, bytes: usize) {
    let mut random = Random::new(bytes as u64);
    let mut out = BufWriter::new(File::create(file).expect("create"));
    let mut written = 0;
    while written < bytes {
        let number = random.next() >> random.below(64);
        let line = match random.below(10) {
            0 => format!("{} again\n", number % 100),
            _ => format!("{:x} {}.{}\t{:030}\n", random.next(), number, number % 7, random.next()),
        };
        written += line.len();
        out.write_all(line.as_bytes()).expect("write");
    }
    out.flush().expect("write");
}

fn output(program: &str, words: &[&str], folder: &Path) -> Vec<u8> {
    let mut command = Command::new(program);
    command.args(words).args(["-o", "sorted", "lines"]).current_dir(folder);
    command.env("LC_ALL", "C").env("TMPDIR", folder).stdin(Stdio::null());
    let ended = command.output().expect("run");
    assert!(ended.status.success(), "{program} {words:?}: {ended:?}");
    std::fs::read(folder.join("sorted")).expect("read")
}

/// Sorts by both; ours must say that it spilled where it can say so.
fn compare(bytes: usize, ours: &[&str], theirs: &[&str]) {
    if !crate::both::has_gnu_sort() {
        println!("LEFT OUT: this machine has no GNU sort of coreutils 9 to compare with");
        return;
    }
    let folder = tempfile::Builder::new().prefix("sortwell-test-").tempdir().expect("a folder");
    write_lines(&folder.path().join("lines"), bytes);
    let by_us = output(super::OURS, ours, folder.path());
    // Compared without printing megabytes.
    assert!(by_us == output(super::THEIRS, theirs, folder.path()), "{ours:?} {theirs:?}");
}

#[test]
fn whole_lines_that_spill() {
    compare(40 << 20, &["sort", "-M", "28MiB", "-j", "2"], &["-s"]);
}

#[test]
#[ignore = "half a gigabyte of lines by keys that are slow to compare"]
fn keys_that_spill() {
    for words in [
        &["-k2,2n", "-S1M"][..],
        &["-r", "-k1,1f", "-k2g", "-S1M", "--parallel=2"],
        &["-u", "-k2,2n", "-S1M"],
        &["-V", "-s", "-S1M"],
    ] {
        compare(120 << 20, &[&["gnu"], words].concat(), words);
    }
}
