//! Streams written by several workers: everything in its place, and nobody waits for what will not
//! come.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{JoinHandle, sleep, spawn};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::*;
use crate::io::{Arena, Engine};
use crate::stats::Progress;
use crate::units::ByteSize;

/// Bytes per buffer of a lane; a task has several.
const BUFFER: usize = 16384;

/// Most bytes that are written at once.
const WRITTEN: usize = 1000;

/// Bytes of a block, where the stream is taken in blocks.
const BLOCK: usize = 4 * WRITTEN;

/// A lane as a worker has it.
fn lane(progress: &Progress) -> Lane<'_> {
    let region = || Arena::new(ByteSize(BUFFER as u64)).unwrap();
    let (buffers, edges) = (vec![region(), region()], vec![region()]);
    Lane::new(Engine::Sync.queue(1).unwrap(), buffers, edges, BUFFER - WRITTEN, progress)
}

/// A sink into a pipe, and what its other end does with it.
fn sink<T: Send + 'static>(
    read: impl FnOnce(File) -> T + Send + 'static,
) -> (StreamSink, JoinHandle<T>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap();
    let reader = {
        let path = path.clone();
        spawn(move || read(File::open(path).unwrap()))
    };
    let stream = pipe::PipeWriter::open(Path::new(&path), &Progress::new()).unwrap();
    (StreamSink::new(stream), reader)
}

/// Writes task `number` of `bytes` bytes, each of them the task's number.
fn write(sink: &StreamSink, lane: &mut Lane<'_>, number: usize, bytes: usize) -> Result<()> {
    let mut writer = StreamWriter::new(sink, lane, (number * bytes) as u64)?;
    let mut left = bytes;
    while left > 0 {
        let count = writer.room().len().min(left).min(WRITTEN);
        writer.room()[..count].fill(number as u8);
        writer.commit(count)?;
        left -= count;
    }
    writer.finish(((number + 1) * bytes) as u64)
}

/// Lets workers take tasks in order until there are no more or one fails; how each ended.
fn work(sink: &StreamSink, workers: usize, tasks: usize, bytes: usize) -> Vec<Result<()>> {
    let (progress, next) = (Progress::new(), AtomicUsize::new(0));
    let one = || {
        let mut lane = lane(&progress);
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= tasks {
                return Ok(());
            }
            write(sink, &mut lane, number, bytes)?;
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(one)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn tasks_of_many_workers_come_in_order() {
    let (sink, reader) = sink(|mut pipe| {
        let mut found = Vec::new();
        pipe.read_to_end(&mut found).unwrap();
        found
    });
    let bytes = 3 * BUFFER + 17;
    assert!(work(&sink, 4, 50, bytes).iter().all(Result::is_ok));
    drop(sink);
    let expected: Vec<u8> = (0..50 * bytes).map(|at| (at / bytes) as u8).collect();
    assert!(reader.join().unwrap() == expected);
}

/// Keeps the blocks that it takes.
#[derive(Debug)]
struct KeptBlocks {
    blocks: Mutex<Vec<Vec<u8>>>,
    block_bytes: usize,
}

impl Inlet for KeptBlocks {
    fn write_all(&self, data: &[u8], progress: &Progress) -> Result<()> {
        self.write_block(data.to_vec(), progress)
    }

    fn bytes(&self) -> u64 {
        self.blocks.lock().unwrap().iter().map(|block| block.len() as u64).sum()
    }

    fn name(&self) -> &Path {
        Path::new("kept")
    }

    fn block_bytes(&self) -> usize {
        self.block_bytes
    }

    fn write_block(&self, block: Vec<u8>, _: &Progress) -> Result<()> {
        self.blocks.lock().unwrap().push(block);
        Ok(())
    }
}

/// Blocks have whole records, which are written at once. Where blocks are larger than a buffer, or
/// small for the records, buffers are copied.
#[test]
fn blocks_of_many_workers_come_in_order() {
    let bytes = 3 * BUFFER + 17;
    let expected: Vec<u8> = (0..50 * bytes).map(|at| (at / bytes) as u8).collect();
    for (block_bytes, longest) in
        [(BLOCK, BLOCK), (BLOCK - 1, BUFFER), (BUFFER - WRITTEN, BUFFER), (BUFFER, BUFFER)]
    {
        let kept = Arc::new(KeptBlocks { blocks: Mutex::default(), block_bytes });
        let sink = StreamSink::new(pipe::PipeWriter::inlet(Arc::<KeptBlocks>::clone(&kept)));
        assert!(work(&sink, 4, 50, bytes).iter().all(Result::is_ok));
        drop(sink);
        let blocks = kept.blocks.lock().unwrap();
        assert!(blocks.concat() == expected);
        let lengths = blocks.iter().map(Vec::len);
        assert!(lengths.clone().all(|length| length > 0 && length <= longest));
        let is_filled = block_bytes == BLOCK;
        assert_eq!(lengths.max() == Some(BLOCK), is_filled, "{block_bytes}");
    }
}

#[test]
fn one_reports_that_the_reader_went_away_and_the_others_do_not_wait() {
    for _ in 0..20 {
        let (sink, reader) = sink(|mut pipe| pipe.read_exact(&mut [0; 100]).unwrap());
        let outcomes = work(&sink, 5, 1000, BUFFER);
        reader.join().unwrap();
        let is_broken = |outcome: &&Result<()>| match outcome {
            Err(Error::Io { source, .. }) => source.kind() == std::io::ErrorKind::BrokenPipe,
            Err(Error::Interrupted) => false,
            other => panic!("{other:?}"),
        };
        assert_eq!(outcomes.iter().filter(is_broken).count(), 1, "{outcomes:?}");
    }
}

/// Lets a worker wait for its turn behind task 0; how it ends once `give_up` has done its work.
fn waiting_behind(sink: &StreamSink, progress: &Progress, give_up: impl FnOnce()) -> Result<()> {
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| write(sink, &mut lane(progress), 1, BUFFER));
        sleep(Duration::from_millis(60));
        assert!(!waiting.is_finished());
        let begun = Instant::now();
        give_up();
        let outcome = waiting.join().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
        outcome
    })
}

#[test]
fn a_task_dropped_before_its_end_ends_the_stream() {
    let (sink, reader) = sink(|mut pipe| pipe.read_to_end(&mut Vec::new()).unwrap());
    let progress = Progress::new();
    let mut first = lane(&progress);
    let writer = StreamWriter::new(&sink, &mut first, 0).unwrap();
    let outcome = waiting_behind(&sink, &progress, || drop(writer));
    assert!(matches!(outcome, Err(Error::Interrupted)), "{outcome:?}");
    let later = write(&sink, &mut first, 0, BUFFER);
    assert!(matches!(later, Err(Error::Interrupted)), "failed once, failed for good: {later:?}");
    drop(sink);
    assert_eq!(reader.join().unwrap(), 0);
}

#[test]
fn a_panic_in_a_task_ends_the_stream() {
    let (sink, _reader) = sink(|mut pipe| pipe.read_to_end(&mut Vec::new()).unwrap());
    let progress = Progress::new();
    let outcome = waiting_behind(&sink, &progress, || {
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut lane = lane(&progress);
            let _writer = StreamWriter::new(&sink, &mut lane, 0).unwrap();
            panic!("on purpose");
        }));
        assert!(panicked.is_err());
    });
    assert!(matches!(outcome, Err(Error::Interrupted)), "{outcome:?}");
}

#[test]
fn whoever_waits_for_a_turn_is_interrupted_by_a_stop() {
    let (sink, _reader) = sink(|mut pipe| pipe.read_to_end(&mut Vec::new()).unwrap());
    let progress = Progress::new();
    let outcome = waiting_behind(&sink, &progress, || progress.request_stop());
    assert!(matches!(outcome, Err(Error::Interrupted)), "{outcome:?}");
}
