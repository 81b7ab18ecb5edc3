//! Progress of jobs whose inputs are streams: known as soon as the source of a stream is.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use sortwell_engine::format::Format;
use sortwell_engine::io::{Supplied, Supply};
use sortwell_engine::job::{Budget, Input, Output, SortJob};
use sortwell_engine::stats::{Phase, Progress, SourceShare};
use sortwell_engine::{ByteSize, Result};

/// Bytes of which each third stands in its source, and the shares done that were seen meanwhile.
struct Packed {
    left: Vec<u8>,
    read: Arc<AtomicU64>,
    seen: Arc<Mutex<Vec<Option<f64>>>>,
}

impl Supply for Packed {
    fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        self.seen.lock().expect("no panic").push(progress.done());
        let bytes = self.left.len().min(buffer.len());
        buffer[..bytes].copy_from_slice(&self.left[..bytes]);
        self.left.drain(..bytes);
        self.read.fetch_add(bytes as u64 / 3, Ordering::Relaxed);
        Ok(bytes)
    }
}

/// Returns `records` records of ten bytes.
fn random(records: u64, seed: u64) -> Vec<u8> {
    let mix = |number: u64| (number + seed).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31);
    let record = |number: u64| format!("{:010}", mix(number) % 10_000_000_000).into_bytes();
    (0..records).flat_map(record).collect()
}

fn job(input: Input, output: &Path) -> SortJob {
    let job =
        SortJob::new(vec![input], Output::File(output.to_owned()), Format::Fixed { length: 10 });
    SortJob { memory: Budget::Bytes(ByteSize::mib(24)), threads: Some(2), ..job }
}

/// Runs a job. Returns the phases and the shares done that another thread saw meanwhile.
fn watch(job: &SortJob) -> Vec<(Phase, Option<f64>)> {
    let (progress, is_over) = (Progress::new(), AtomicBool::new(false));
    let mut seen = Vec::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            job.run(&progress).expect("sorts");
            is_over.store(true, Ordering::Relaxed);
        });
        while !is_over.load(Ordering::Relaxed) {
            seen.push((progress.phase(), progress.done()));
            thread::sleep(Duration::from_micros(200));
        }
    });
    assert_eq!(progress.done(), Some(1.0));
    seen
}

fn of(phase: Phase, seen: &[(Phase, Option<f64>)]) -> Vec<Option<f64>> {
    seen.iter().filter(|(at, _)| *at == phase).map(|(_, done)| *done).collect()
}

#[test]
fn a_stream_with_a_source_shows_how_far_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = random(2_000_000, 1);
    let (read, seen) = (Arc::new(AtomicU64::new(0)), Arc::default());
    let all = bytes.len() as u64 / 3;
    let packed = Packed { left: bytes, read: Arc::clone(&read), seen: Arc::clone(&seen) };
    let stream = Supplied::new(Path::new("packed"), packed);
    let stream = stream.made_from(Some(SourceShare::Part { read, all }));
    let job = job(Input::Supplied(stream), &folder.path().join("out"));
    let watched = watch(&job);
    let seen = seen.lock().expect("no panic");
    let (first, later) = seen.split_first().expect("a request");
    assert_eq!(*first, None, "nothing was read");
    let later: Vec<f64> = later.iter().map(|done| done.expect("known")).collect();
    assert!(later.iter().all(|done| (0.0..0.9).contains(done)), "{later:?}");
    assert!(later.last() > Some(&0.15), "{later:?}");
    let written: Vec<Option<f64>> = of(Phase::Writing, &watched);
    assert!(written.iter().all(|done| *done > Some(0.15)), "{written:?}");
}

/// The bytes of many small files are known before they are read one after the other.
#[test]
fn small_files_in_order_show_how_far_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let inputs: Vec<Input> = (0..2000_u64)
        .map(|number| {
            let path = folder.path().join(number.to_string());
            fs::write(&path, random(100, number)).expect("written");
            Input::File(path)
        })
        .collect();
    let unsorted = Input::File(folder.path().join("0"));
    let job = SortJob { inputs, ..job(unsorted, &folder.path().join("out")) };
    let watched = watch(&job);
    let all: Vec<_> = watched.iter().filter(|(phase, _)| *phase != Phase::Planning).collect();
    assert!(!all.is_empty() && all.iter().all(|(_, done)| done.is_some()), "{all:?}");
}

/// The sort may be a part of a longer job that it does not know.
#[test]
fn a_stream_without_a_source_shows_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let packed = Packed { left: random(2_000_000, 2), read: Arc::default(), seen: Arc::default() };
    let stream = Supplied::new(Path::new("given"), packed);
    let watched = watch(&job(Input::Supplied(stream), &folder.path().join("out")));
    assert!(watched.iter().all(|(_, done)| done.is_none() || *done == Some(1.0)), "{watched:?}");
}

#[cfg(feature = "compression")]
#[test]
fn a_compressed_file_shows_how_far_it_is() {
    use sortwell_engine::codec::{Compress, Decompress};

    let folder = tempfile::tempdir().expect("a folder");
    let [plain, packed, out] = ["plain", "packed.zst", "out"].map(|name| folder.path().join(name));
    fs::write(&plain, random(5_000_000, 3)).expect("written");
    let mut packing = job(Input::File(plain), &packed);
    (packing.compress, packing.memory) = (Compress::Auto, Budget::Bytes(ByteSize::mib(40)));
    packing.run(&Progress::new()).expect("sorts");
    let mut job = job(Input::File(packed), &out);
    (job.decompress, job.memory) = (Decompress::Auto, packing.memory);
    let watched = watch(&job);
    let read = of(Phase::RunGeneration, &watched);
    assert!(read.iter().flatten().any(|done| (0.01..0.9).contains(done)), "{read:?}");
    let written = of(Phase::Writing, &watched);
    assert!(!written.is_empty() && written.iter().all(|done| *done > Some(0.2)), "{written:?}");
}
