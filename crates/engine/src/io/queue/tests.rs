//! Conformance: what every engine must do, on disk with and without the page cache and in memory.
//!
//! A new engine is one more row in [`engines`]; a new place is one more row in [`places`]. The last
//! engine cannot be chosen by users: it shows that an engine needs the contract alone.

use std::collections::HashMap;
use std::path::Path;

use tempfile::TempDir;

use super::*;
use crate::error::Error;
use crate::io::transfer::{Transfer, TransferState};
use crate::io::{Arena, Direct, Engine, sync};
use crate::units::ByteSize;

const DEPTH: usize = 4;

/// An engine under test.
#[derive(Clone, Copy)]
struct Candidate {
    name: &'static str,
    queue: fn(Self, usize) -> Result<Box<dyn Queue>>,
    engine: Engine,
}

impl Candidate {
    fn queue(self, depth: usize) -> Result<Box<dyn Queue>> {
        (self.queue)(self, depth)
    }
}

/// Every engine that works on this machine, and the one below.
fn engines() -> impl Iterator<Item = Candidate> {
    let named = Engine::ALL.into_iter().filter(|engine| *engine != Engine::Auto);
    let named = named.filter(|engine| engine.probe().is_ok()).map(|engine| Candidate {
        name: engine.name(),
        queue: |candidate, depth| candidate.engine.queue(depth),
        engine,
    });
    let lazy = Candidate {
        name: Lazy::NAME,
        queue: |_, _| Ok(Box::new(Lazy(Vec::new()))),
        engine: Engine::Sync,
    };
    named.chain([lazy])
}

/// An engine that does nothing before it must, and begins with the last request.
struct Lazy(Vec<Request>);

impl Lazy {
    const NAME: &'static str = "lazy";
}

impl Queue for Lazy {
    fn submit(&mut self, request: Request) -> Result<()> {
        self.0.push(request);
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<Completion>> {
        Ok(self.0.pop().map(|request| match Transfer::start(request) {
            TransferState::Again(transfer) => transfer.run(sync::perform),
            TransferState::Finished(completion) => completion,
        }))
    }

    fn wait(&mut self) -> Result<Option<Completion>> {
        self.poll()
    }

    fn in_flight(&self) -> usize {
        self.0.len()
    }

    fn name(&self) -> &'static str {
        Self::NAME
    }
}

/// A directory on disk and, where there is one, a directory in memory.
fn places() -> impl Iterator<Item = TempDir> {
    [tempfile::tempdir().ok(), tempfile::tempdir_in("/dev/shm").ok()].into_iter().flatten()
}

/// Runs a test for every engine, place and way through or past the cache.
fn everywhere(test: impl Fn(Candidate, &Path, Direct)) {
    for place in places() {
        for direct in [Direct::Auto, Direct::Off] {
            for engine in engines() {
                let name = format!("{}-{direct}", engine.name);
                println!("{} {name}", place.path().display());
                test(engine, &place.path().join(name), direct);
            }
        }
    }
}

/// Small, seeded, and good enough to shuffle requests (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

fn contents(length: usize) -> Vec<u8> {
    let mut random = Random(length as u64);
    (0..length).map(|_| random.next() as u8).collect()
}

fn region(bytes: usize) -> Region {
    Arena::new(ByteSize(bytes as u64)).unwrap()
}

fn request(operation: Direction, file: &Arc<File>, offset: usize, bytes: usize) -> Request {
    let (file, region) = (Arc::clone(file), region(bytes));
    Request { operation, file, offset: offset as u64, region, range: 0..bytes, tag: offset as u64 }
}

/// Submits all and collects all, with a look between submissions.
fn complete(queue: &mut dyn Queue, requests: Vec<Request>) -> Vec<Completion> {
    let (expected, mut done) = (requests.len(), Vec::new());
    for request in requests {
        queue.submit(request).unwrap();
        done.extend(queue.poll().unwrap());
    }
    assert_eq!(queue.in_flight(), expected - done.len());
    while let Some(completion) = queue.wait().unwrap() {
        done.push(completion);
    }
    assert_eq!((done.len(), queue.in_flight()), (expected, 0));
    done
}

fn complete_one(queue: &mut dyn Queue, request: Request) -> Completion {
    complete(queue, vec![request]).pop().unwrap()
}

/// Cuts `0..length` into pieces, some of them whole blocks at aligned places, in random order.
fn pieces(random: &mut Random, length: usize, block: usize) -> Vec<Range<usize>> {
    let (mut pieces, mut at) = (Vec::new(), 0);
    while at < length {
        let bytes = match random.below(3) {
            0 => 1 + random.below(3 * block),
            1 => block * (1 + random.below(16)) - at % block,
            _ => 1 + random.below(100),
        };
        let end = (at + bytes).min(length);
        pieces.push(at..end);
        at = end;
    }
    for index in 1..pieces.len() {
        let other = random.below(index + 1);
        pieces.swap(index, other);
    }
    pieces
}

#[test]
fn many_requests_at_any_offset_write_and_read_what_they_should() {
    everywhere(|engine, path, direct| {
        for seed in 0..3 {
            println!("seed {seed}");
            let mut random = Random(seed);
            let expected = contents(1_000_000 + random.below(5000));
            let _ = std::fs::remove_file(path);
            let file = File::create(path, direct).unwrap();
            let mut queue = engine.queue(DEPTH).unwrap();
            if seed % 2 == 0 {
                file.preallocate(expected.len() as u64).unwrap();
            }
            let block = file.block_bytes();
            let writes = pieces(&mut random, expected.len(), block).into_iter().map(|piece| {
                // As often as possible memory is aligned like the file, as a direct transfer needs.
                let skip = if piece.start % 5 == 0 { 1 } else { piece.start % block };
                let mut request = request(Direction::Write, &file, piece.start, skip + piece.len());
                request.range = skip..skip + piece.len();
                request.region[skip..].copy_from_slice(&expected[piece]);
                request
            });
            let writes = writes.collect();
            for completion in complete(&mut *queue, writes) {
                assert_eq!(completion.result.unwrap(), completion.request.range.len());
            }
            assert_eq!(file.len(), expected.len() as u64);
            assert!(std::fs::read(path).unwrap() == expected, "engine {}", engine.name);

            let reads = (0..100).map(|_| {
                let bytes = 1 + random.below(9 * block);
                let offset = random.below(expected.len());
                let offset = if random.below(2) == 0 { offset } else { offset / block * block };
                request(Direction::Read, &file, offset, bytes)
            });
            let reads = reads.collect();
            for Completion { request, result, .. } in complete(&mut *queue, reads) {
                let from = request.offset as usize;
                let there = request.region.len().min(expected.len() - from);
                assert_eq!(result.unwrap(), there, "a read may be short only at the end");
                assert!(request.region[..there] == expected[from..from + there]);
                assert!(request.region[there..].iter().all(|byte| *byte == 0));
                assert_eq!(request.tag, request.offset);
            }
        }
    });
}

#[test]
fn large_blocks_beyond_the_depth_all_come_back() {
    const BLOCK: usize = 4 << 20;
    everywhere(|engine, path, direct| {
        let length = 2 * BLOCK + 12_345;
        let expected = contents(length);
        std::fs::write(path, &expected).unwrap();
        let file = File::open_read(path, direct).unwrap();
        let mut queue = engine.queue(2).unwrap();
        let starts = (0..length).step_by(BLOCK).chain((0..length).step_by(BLOCK));
        let reads = starts.map(|at| request(Direction::Read, &file, at, BLOCK)).collect();
        for Completion { request, result, .. } in complete(&mut *queue, reads) {
            let from = request.offset as usize;
            let there = result.unwrap();
            assert_eq!(there, BLOCK.min(length - from));
            assert!(request.region[..there] == expected[from..from + there]);
        }
    });
}

#[test]
fn the_end_of_a_file_is_where_reads_stop() {
    everywhere(|engine, path, direct| {
        for length in [0, 1, 4095, 4096, 4097, 100_000] {
            std::fs::write(path, contents(length)).unwrap();
            // `On` where it works: a cached file would otherwise not be read past the cache.
            let file = match direct {
                Direct::Auto => File::open_read(path, Direct::On),
                _ => File::open_read(path, direct),
            };
            let file = file.or_else(|_| File::open_read(path, Direct::Off)).unwrap();
            let mut queue = engine.queue(DEPTH).unwrap();
            for (offset, bytes) in [(0, 8192), (0, length + 1), (4096, 8192), (length, 10)] {
                let read = request(Direction::Read, &file, offset, bytes);
                let completion = complete_one(&mut *queue, read);
                let expected = bytes.min(length.saturating_sub(offset));
                assert_eq!(completion.result.unwrap(), expected, "{length}: {bytes} at {offset}");
            }
            let read = request(Direction::Read, &file, length + 1_000_000, 4096);
            assert_eq!(complete_one(&mut *queue, read).result.unwrap(), 0);
        }
    });
}

#[test]
fn a_file_cut_short_after_opening_reads_short() {
    everywhere(|engine, path, direct| {
        std::fs::write(path, contents(1 << 20)).unwrap();
        let file = File::open_read(path, direct).unwrap();
        std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(10_000).unwrap();
        let mut queue = engine.queue(DEPTH).unwrap();
        for (offset, expected) in [(0, 10_000), (8192, 1808), (65_536, 0)] {
            let read = request(Direction::Read, &file, offset, 32_768);
            assert_eq!(complete_one(&mut *queue, read).result.unwrap(), expected);
        }
    });
}

#[test]
fn requests_for_nothing_complete_and_idle_queues_say_so() {
    everywhere(|engine, path, direct| {
        let file = File::create(path, direct).unwrap();
        let mut queue = engine.queue(DEPTH).unwrap();
        assert_eq!(queue.name(), engine.name);
        assert!(queue.poll().unwrap().is_none() && queue.wait().unwrap().is_none());
        for operation in [Direction::Read, Direction::Write] {
            let nothing = request(operation, &file, 77, 0);
            let completion = complete_one(&mut *queue, nothing);
            assert_eq!(completion.result.unwrap(), 0);
            assert_eq!(completion.request.tag, 77);
        }
        assert_eq!((file.len(), std::fs::metadata(path).unwrap().len()), (0, 0));
    });
}

#[test]
fn a_file_opened_for_reading_refuses_writes_with_path_and_offset() {
    everywhere(|engine, path, direct| {
        std::fs::write(path, contents(8192)).unwrap();
        let file = File::open_read(path, direct).unwrap();
        let mut queue = engine.queue(DEPTH).unwrap();
        let write = request(Direction::Write, &file, 4096, 4096);
        let completion = complete_one(&mut *queue, write);
        assert_eq!(completion.request.region.len(), 4096);
        match completion.result.unwrap_err() {
            Error::Io { action: "write", path: found, offset: Some(4096), .. } => {
                assert_eq!(found, path);
            }
            error => panic!("{error}"),
        }
        // One failed request harms no other.
        let read = request(Direction::Read, &file, 0, 8192);
        assert_eq!(complete_one(&mut *queue, read).result.unwrap(), 8192);
    });
}

#[test]
fn bytes_outside_the_range_are_left_alone() {
    everywhere(|engine, path, direct| {
        std::fs::write(path, contents(20_000)).unwrap();
        let file = File::open_read(path, direct).unwrap();
        let mut queue = engine.queue(DEPTH).unwrap();
        let mut read = request(Direction::Read, &file, 4096, 16_384);
        read.region.fill(0xaa);
        read.range = 4096..12_288;
        let completion = complete_one(&mut *queue, read);
        let region = &completion.request.region;
        assert_eq!(completion.result.unwrap(), 8192);
        assert!(region[..4096].iter().chain(&region[12_288..]).all(|byte| *byte == 0xaa));
        assert!(region[4096..12_288] == contents(20_000)[4096..12_288]);
    });
}

#[test]
fn dropping_a_queue_with_requests_in_flight_lets_go_of_everything() {
    everywhere(|engine, path, direct| {
        std::fs::write(path, contents(4 << 20)).unwrap();
        let file = File::open_read(path, direct).unwrap();
        for collected in [0, 1, 3] {
            let mut rest = region(12 << 20);
            let mut queue = engine.queue(DEPTH).unwrap();
            for tag in 0..12 {
                let next = rest.split_off(1 << 20);
                let region = std::mem::replace(&mut rest, next);
                queue
                    .submit(Request {
                        operation: Direction::Read,
                        file: Arc::clone(&file),
                        offset: 0,
                        region,
                        range: 0..1 << 20,
                        tag,
                    })
                    .unwrap();
            }
            for _ in 0..collected {
                assert!(queue.wait().unwrap().unwrap().result.is_ok());
            }
            drop(queue);
            assert_eq!(Arc::strong_count(&file), 1, "{} still holds the file", engine.name);
        }
    });
}

#[test]
fn a_queue_may_change_threads_with_requests_in_flight() {
    everywhere(|engine, path, direct| {
        let expected = contents(3 << 20);
        std::fs::write(path, &expected).unwrap();
        let file = File::open_read(path, direct).unwrap();
        let mut queue = engine.queue(DEPTH).unwrap();
        for offset in (0..3 << 20).step_by(1 << 18) {
            queue.submit(request(Direction::Read, &file, offset, 1 << 18)).unwrap();
        }
        let found = std::thread::spawn(move || {
            let mut found = HashMap::new();
            while let Some(completion) = queue.wait().unwrap() {
                assert_eq!(completion.result.unwrap(), 1 << 18);
                found.insert(completion.request.offset as usize, completion.request.region);
            }
            found
        });
        let found = found.join().unwrap();
        assert_eq!(found.len(), 12);
        for (offset, region) in found {
            assert!(region[..] == expected[offset..offset + (1 << 18)]);
        }
    });
}

#[test]
fn polling_alone_brings_every_completion() {
    everywhere(|engine, path, direct| {
        std::fs::write(path, contents(1 << 20)).unwrap();
        let file = File::open_read(path, direct).unwrap();
        let mut queue = engine.queue(DEPTH).unwrap();
        for offset in (0..1 << 20).step_by(1 << 16) {
            queue.submit(request(Direction::Read, &file, offset, 1 << 16)).unwrap();
        }
        let mut done = 0;
        while queue.in_flight() > 0 {
            match queue.poll().unwrap() {
                Some(completion) => done += completion.result.unwrap(),
                None => std::thread::yield_now(),
            }
        }
        assert_eq!(done, 1 << 20);
    });
}
