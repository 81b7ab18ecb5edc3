//! A file written by many tasks on many lanes: every byte arrives once, at its place, whatever the
//! tasks' sizes; granules that tasks share are put together and checksummed.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use xxhash_rust::xxh3::xxh3_64;

use super::*;
use crate::io::{Arena, Direct, Engine, File, Region};
use crate::stats::{Phase, Progress, Stream};
use crate::units::ByteSize;

/// Alignment of buffers.
const PAGE: usize = 4096;

/// A lane of its own: buffers of `capacity` bytes with `slack` behind, edges of `edge_bytes`.
pub(crate) fn lane<'p>(
    engine: Engine,
    shape: (usize, usize, usize),
    progress: &'p Progress,
) -> Lane<'p> {
    lane_of(3, engine, shape, progress)
}

/// A lane of `count` buffers.
fn lane_of<'p>(
    count: usize,
    engine: Engine,
    (capacity, slack, edge_bytes): (usize, usize, usize),
    progress: &'p Progress,
) -> Lane<'p> {
    let region = |bytes: usize| -> Region { Arena::new(ByteSize(bytes as u64)).unwrap() };
    let slack = slack.next_multiple_of(PAGE);
    let slack = if capacity + slack == edge_bytes { slack + PAGE } else { slack };
    let buffers = (0..count).map(|_| region(capacity + slack)).collect();
    let edges = (0..3).map(|_| region(edge_bytes)).collect();
    Lane::new(engine.queue(4).unwrap(), buffers, edges, capacity, progress)
}

/// Keeps the checksums it is told; every granule's once.
#[derive(Debug)]
struct Told(Mutex<Vec<Option<u64>>>);

impl GranuleSums for Told {
    fn granules_written(
        &self,
        _: &mut Lane<'_>,
        first: u64,
        granules: &[WrittenGranule],
    ) -> Result<()> {
        let mut told = self.0.lock().unwrap();
        for (slot, granule) in told[first as usize..][..granules.len()].iter_mut().zip(granules) {
            assert_eq!(slot.replace(granule.checksum), None, "told once");
        }
        Ok(())
    }
}

/// How a file is written.
#[derive(Clone, Debug)]
struct Case {
    granule: usize,
    /// Bytes of each task, one after the other.
    tasks: Vec<usize>,
    /// Most bytes brought at a time; the slack of the buffers.
    piece: usize,
    /// Bytes of a buffer without its slack: whole granules, or a part of one.
    capacity: usize,
    lanes: usize,
    base: u64,
    direct: Direct,
    /// True if workers wait for each write.
    waits: bool,
}

fn content(length: usize) -> Vec<u8> {
    (0..length as u64).map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

/// Brings the bytes of one task, some at a time.
fn bring(writer: &mut dyn Writer, mut bytes: &[u8], piece: usize) -> Result<()> {
    let mut turn = 0;
    while !bytes.is_empty() {
        let room = writer.room();
        assert!(room.len() >= piece, "room for the longest record: {} of {piece}", room.len());
        turn += 1;
        let now = bytes.len().min(room.len()).min(if turn % 3 == 0 { room.len() } else { piece });
        room[..now].copy_from_slice(&bytes[..now]);
        writer.commit(now)?;
        bytes = &bytes[now..];
    }
    Ok(())
}

/// Writes a case's tasks, several at a time, in order of `engine`'s luck.
fn write(case: &Case, engine: Engine, path: &Path) -> (Vec<u8>, Vec<u64>) {
    let data = content(case.tasks.iter().sum());
    let file = File::create(path, case.direct).unwrap();
    let length = data.len() as u64;
    let granules = data.len().div_ceil(case.granule);
    let told = Arc::new(Told(Mutex::new(vec![None; granules])));
    let sums: Arc<dyn GranuleSums> = Arc::<Told>::clone(&told);
    let sink = FileSink::with_checksums(Arc::clone(&file), case.base, length, case.granule, sums);
    let sink = Sink::File(sink);
    let mut starts = vec![0];
    starts.extend(case.tasks.iter().scan(0, |end, bytes| {
        *end += bytes;
        Some(*end)
    }));
    let next = AtomicUsize::new(0);
    let progress = Progress::new();
    let shape = (case.capacity, case.piece, case.granule);
    std::thread::scope(|scope| {
        for _ in 0..case.lanes {
            scope.spawn(|| {
                let mut lane = lane_of(2, engine, shape, &progress).waiting(case.waits);
                loop {
                    let task = next.fetch_add(1, Ordering::Relaxed);
                    if task >= case.tasks.len() {
                        break;
                    }
                    let (start, bytes) = (starts[task], case.tasks[task]);
                    sink.write(&mut lane, start as u64, bytes as u64, |writer| {
                        bring(writer, &data[start..start + bytes], case.piece)
                    })
                    .unwrap();
                }
                lane.flush().unwrap();
                let unit = case.capacity.min(case.granule) as u64;
                assert!(lane.counters().bytes_written.is_multiple_of(unit));
            });
        }
    });
    sink.assert_whole();
    let checksums = told.0.lock().unwrap().iter().map(|sum| sum.unwrap()).collect();
    let mut written = std::fs::read(path).unwrap();
    let written = written.split_off(written.len().min(case.base as usize));
    assert_eq!(written.len() as u64, length.next_multiple_of(case.granule as u64));
    assert!(written[..data.len()] == data, "every byte at its place");
    (written, checksums)
}

fn check(case: &Case, engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let (written, checksums) = write(case, engine, &folder.path().join("file"));
    let length = case.tasks.iter().sum::<usize>();
    assert!(written[length..].iter().all(|byte| *byte == 0), "the last granule ends in zeros");
    let expected: Vec<u64> = written.chunks(case.granule).map(xxh3_64).collect();
    assert_eq!(checksums, expected);
}

fn case() -> impl Strategy<Value = Case> {
    let task = prop_oneof![3 => 1..300_usize, 3 => 1..9000_usize, 1 => 1..200_000_usize];
    let shape = (
        prop::sample::select(vec![PAGE, 4 * PAGE, 16 * PAGE]),
        prop::collection::vec(task, 0..40),
        prop::sample::select(vec![1, 100, 5000, 70_000]),
        (1..9_usize, 0..4_u32),
    );
    let direct = prop::sample::select(vec![Direct::Auto, Direct::Off]);
    let place = (1..4_usize, 0..3_u64, direct, any::<bool>());
    (shape, place).prop_map(|((granule, tasks, piece, times), (lanes, base, direct, waits))| {
        let base = base * PAGE as u64;
        let capacity = match times {
            (times, 0 | 1) => granule * times,
            (_, halves) => (granule >> (halves - 1)).max(PAGE),
        };
        Case { granule, tasks, piece, capacity, lanes, base, direct, waits }
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 150,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0014),
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_byte_arrives_once(case in case()) {
        check(&case, Engine::Auto);
    }
}

/// Records that are longer than a buffer, brought whole.
#[test]
fn more_than_there_is_room_for_is_put_piece_by_piece() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for lengths in [vec![0, 1, PAGE], vec![50_000], vec![100, 3 * PAGE, 7, 20_000, 2 * PAGE]] {
        let data = content(lengths.iter().sum());
        let file = File::create(&path, Direct::Off).unwrap();
        let sink = Sink::File(FileSink::new(file, 0, data.len() as u64, PAGE));
        let progress = Progress::new();
        let mut lane = lane(Engine::Sync, (PAGE, 0, PAGE), &progress);
        sink.write(&mut lane, 0, data.len() as u64, |writer| {
            let mut rest = data.as_slice();
            for length in &lengths {
                writer.put(&rest[..*length])?;
                rest = &rest[*length..];
            }
            Ok(())
        })
        .unwrap();
        lane.flush().unwrap();
        sink.assert_whole();
        assert!(std::fs::read(&path).unwrap()[..data.len()] == data, "{lengths:?}");
        std::fs::remove_file(&path).unwrap();
    }
}

/// One granule, and as many tasks as it has bytes.
#[test]
fn a_granule_shared_by_thousands() {
    for engine in [Engine::Auto, Engine::Sync] {
        let tasks = vec![1; 2 * PAGE + 1];
        let shared = Case {
            granule: PAGE,
            tasks,
            piece: 1,
            capacity: PAGE,
            lanes: 3,
            base: 0,
            direct: Direct::Auto,
            waits: false,
        };
        check(&shared, engine);
    }
}

#[test]
#[should_panic(expected = "granules lack bytes")]
fn a_task_that_never_came_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let file = File::create(&folder.path().join("file"), Direct::Off).unwrap();
    let sink = Sink::File(FileSink::new(file, 0, 3000, PAGE));
    let progress = Progress::new();
    let mut lane = lane(Engine::Sync, (PAGE, 100, PAGE), &progress);
    sink.write(&mut lane, 0, 1000, |writer| bring(writer, &[7; 1000], 100)).unwrap();
    sink.assert_whole();
}

#[test]
fn a_task_that_brings_too_little_or_too_much_is_an_error() {
    for bytes in [999, 1001, PAGE + 1000, 10 * PAGE] {
        let folder = tempfile::tempdir().unwrap();
        let file = File::create(&folder.path().join("file"), Direct::Off).unwrap();
        let sink = Sink::File(FileSink::new(file, 0, 3000, PAGE));
        let progress = Progress::new();
        let mut lane = lane(Engine::Sync, (PAGE, 100, PAGE), &progress);
        let data = vec![7; bytes];
        let brought = sink.write(&mut lane, 100, 1000, |writer| bring(writer, &data, 100));
        let error = brought.expect_err("another length");
        assert!(matches!(error, Error::Changed { .. }), "{error}");
        assert!(error.to_string().contains("memory changed"), "{error}");
    }
}

/// A write that is refused is an error with the file's name, sooner or later, and never a success.
#[test]
fn a_write_that_fails_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, [0; 100]).unwrap();
    for engine in [Engine::Auto, Engine::Threads, Engine::Sync] {
        // Opened for reading only: every write is refused.
        let file = File::open_read(&path, Direct::Off).unwrap();
        let sink = Sink::File(FileSink::new(file, 0, 100_000, PAGE));
        let progress = Progress::new();
        let mut lane = lane(engine, (PAGE, 100, PAGE), &progress);
        let data = content(100_000);
        let brought = sink.write(&mut lane, 0, 100_000, |writer| bring(writer, &data, 100));
        let error = brought.and_then(|()| lane.flush()).expect_err("refused");
        assert!(matches!(error, Error::Io { .. } | Error::NoSpace { .. }), "{error}");
        assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    }
}

/// Each request of a worker that waits is over when the next one begins.
#[test]
fn a_worker_that_waits_has_one_request_in_flight() {
    let folder = tempfile::tempdir().unwrap();
    for engine in [Engine::Auto, Engine::Threads, Engine::Sync] {
        let file = File::create(&folder.path().join(engine.name()), Direct::Off).unwrap();
        let sink = Sink::File(FileSink::new(file, 0, 100_000, PAGE));
        let progress = Progress::new();
        let mut lane = lane_of(2, engine, (PAGE, 100, PAGE), &progress).waiting(true);
        let data = content(100_000);
        sink.write(&mut lane, 0, 100_000, |writer| bring(writer, &data, 100)).unwrap();
        let writes = lane.counters().writes;
        assert!(writes.count > 20 && writes.in_flight == writes.count, "{writes:?}");
        assert_eq!(lane.counters().bytes_written, 25 * PAGE as u64, "all are over");
    }
}

/// Who waits while nothing is being read waits for a write, whatever the phase reads.
#[test]
fn a_wait_is_for_what_is_in_flight() {
    let folder = tempfile::tempdir().unwrap();
    let file = File::create(&folder.path().join("file"), Direct::Off).unwrap();
    let progress = Progress::new();
    progress.enter(Phase::Writing);
    let mut lane = lane(Engine::Threads, (PAGE, 0, PAGE), &progress);
    let buffer = lane.take_buffer().unwrap();
    lane.write(&file, 0, buffer, 0..PAGE).unwrap();
    lane.wait().unwrap();
    let waited = lane.counters().waited;
    assert!(!waited.of(Stream::OutputWritten).is_zero(), "{waited:?}");
    assert!(waited.of(Stream::SpillRead).is_zero(), "{waited:?}");
}
