//! Whatever a file holds, compressed or not, looking at it as records of any format ends with an
//! answer or with an error that names it: beginnings and ends of records, names of columns, marks of
//! the byte order, headers and blocks of compressed data.
//!
//! The first byte chooses the format, the second how the file is compressed; the rest is the file.

#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use sortwell_engine::{ByteSize, Error};
use sortwell_engine::io::Engine;
use sortwell_engine::codec::{Codec, Decompress};
use sortwell_engine::job::{Budget, CheckJob, Input};
use sortwell_engine::stats::Progress;

const FORMATS: [&str; 9] = [
    "lines",
    "csv",
    "tsv",
    "fixed:7",
    "u16le",
    "u32be:self",
    "rdw",
    "lines:0",
    "lines:group=3",
];

/// A file of this process, in memory where there is such a place.
fn file() -> &'static PathBuf {
    static PLACE: OnceLock<PathBuf> = OnceLock::new();
    PLACE.get_or_init(|| {
        let shared = PathBuf::from("/dev/shm");
        let parent = if shared.is_dir() { shared } else { std::env::temp_dir() };
        parent.join(format!("sortwell-fuzz-input-{}", std::process::id()))
    })
}

fuzz_target!(|data: &[u8]| {
    let [format, codec, content @ ..] = data else { return };
    std::fs::write(file(), content).expect("a file");
    let format = FORMATS[usize::from(*format) % FORMATS.len()].parse().expect("a format");
    let decompress = match usize::from(*codec) % 4 {
        0 => Decompress::Off,
        number => Decompress::All(Codec::ALL[number - 1]),
    };
    let mut job = CheckJob::new(vec![Input::File(file().clone())], format);
    (job.decompress, job.engine) = (decompress, Engine::Sync);
    job.memory = Budget::Bytes(ByteSize::mib(64));
    if let Err(error) = job.run(&Progress::new()) {
        assert!(matches!(error, Error::Config(_) | Error::Malformed { .. } | Error::BudgetExceeded { .. }), "{error}");
        let name = file().to_str().expect("a name");
        assert!(error.to_string().contains(name), "{error}");
    }
});
