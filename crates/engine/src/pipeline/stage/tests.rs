//! A stage that goes wrong: whoever fails, the others stop and the first real error comes back; and
//! one that goes right does everything exactly once.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};

use super::*;
use crate::error::ConfigErrorKind;
use crate::incore::{Item, Method};
use crate::io::{Arena, Direct, Direction, Engine, File, Region, pipe};
use crate::key::KeyTally;
use crate::stats::Progress;
use crate::units::ByteSize;

const BLOCK: usize = 4096;

fn region(bytes: usize) -> Region {
    Arena::new(ByteSize(bytes as u64)).unwrap()
}

fn crew<'p>(count: usize, progress: &'p Progress) -> Vec<Worker<'p>> {
    let item = Item::Entry;
    let worker = |number| Worker {
        number,
        read_depth: 2,
        overlaps: true,
        processors: None,
        lane: crate::sink::tests::lane(Engine::Auto, (2 * BLOCK, 100, BLOCK), progress),
        scratch: Scratch::new(
            region(Scratch::bytes_needed(1, item).max(BLOCK)),
            1,
            item,
            Method::default(),
        ),
        sum_in: Sum::default(),
        sum_out: Sum::default(),
        keys: KeyTally::default(),
        seen: WorkerObservations::default(),
        clock: WorkerClock::default(),
    };
    (0..count).map(worker).collect()
}

fn fault(what: &str) -> Error {
    Error::config(ConfigErrorKind::Other, what)
}

/// Reads a file's blocks; fails when asked for, or handed, a certain one.
struct Blocks {
    file: Arc<File>,
    count: usize,
    next: AtomicUsize,
    arrived: Mutex<Vec<u64>>,
    fails_to_claim: Option<usize>,
    fails_on_arrival: Option<u64>,
}

impl Blocks {
    fn new(file: &Arc<File>, count: usize) -> Self {
        Self {
            file: Arc::clone(file),
            count,
            next: AtomicUsize::new(0),
            arrived: Mutex::default(),
            fails_to_claim: None,
            fails_on_arrival: None,
        }
    }
}

impl Fill for Blocks {
    fn claim(&self, _: &mut Worker<'_>) -> Result<Claim> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if self.fails_to_claim == Some(number) {
            return Err(fault("claim"));
        }
        if number >= self.count {
            return Ok(Claim::Exhausted);
        }
        Ok(Claim::Read(Request {
            operation: Direction::Read,
            file: Arc::clone(&self.file),
            offset: (number * BLOCK) as u64,
            region: region(BLOCK),
            range: 0..BLOCK,
            tag: number as u64,
        }))
    }

    fn arrived(&self, _: &mut Worker<'_>, completion: Completion) -> Result<bool> {
        assert_eq!(completion.result?, BLOCK);
        let tag = completion.request.tag;
        assert!(completion.request.region[..BLOCK].iter().all(|byte| *byte == tag as u8));
        if self.fails_on_arrival == Some(tag) {
            return Err(fault("arrival"));
        }
        self.arrived.lock().unwrap().push(tag);
        Ok(true)
    }
}

/// Counts tasks; fails in a certain one.
struct Tasks {
    count: usize,
    next: AtomicUsize,
    done: Mutex<Vec<usize>>,
    fails_in: Option<usize>,
}

impl Tasks {
    fn new(count: usize) -> Self {
        Self { count, next: AtomicUsize::new(0), done: Mutex::default(), fails_in: None }
    }
}

impl Drain for Tasks {
    fn claim(&self) -> Option<usize> {
        let task = self.next.fetch_add(1, Ordering::Relaxed);
        (task < self.count).then_some(task)
    }

    fn produce(&self, task: usize, _: &mut Worker<'_>) -> Result<()> {
        if self.fails_in == Some(task) {
            return Err(fault("task"));
        }
        self.done.lock().unwrap().push(task);
        Ok(())
    }
}

/// A file whose block `n` is full of `n`.
fn blocks(count: usize) -> (tempfile::TempDir, Arc<File>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let content: Vec<u8> = (0..count).flat_map(|number| [number as u8; BLOCK]).collect();
    std::fs::write(&path, content).unwrap();
    let file = File::open_read(&path, Direct::Auto).unwrap();
    (folder, file)
}

/// A number of blocks and tasks that no worker can do alone before others have begun.
const MANY: usize = 200;

#[test]
fn everything_is_done_once() {
    let (_folder, file) = blocks(MANY);
    for workers in [1, 2, 5] {
        let progress = Progress::new();
        let (fill, drain) = (Blocks::new(&file, MANY), Tasks::new(MANY));
        let mut crew = crew(workers, &progress);
        let value = run(&mut crew, Some(&fill), Some(&drain), Some(|| Ok(7))).unwrap();
        assert_eq!(value, Some(7));
        let mut arrived = fill.arrived.into_inner().unwrap();
        arrived.sort_unstable();
        assert!(arrived.into_iter().eq(0..MANY as u64));
        let mut done = drain.done.into_inner().unwrap();
        done.sort_unstable();
        assert!(done.into_iter().eq(0..MANY));
        let read: u64 = crew.iter().map(|worker| worker.lane.counters().bytes_read).sum();
        assert_eq!(read, (MANY * BLOCK) as u64);
        assert_eq!(progress.bytes().0, read);
        run(&mut crew, None, None, NOTHING_ELSE).unwrap();
    }
}

/// Runs a stage that must fail with the fault of that name.
fn fails(fill: &Blocks, drain: &Tasks, workers: usize, name: &str) {
    let progress = Progress::new();
    let mut crew = crew(workers, &progress);
    let error = run(&mut crew, Some(fill), Some(drain), NOTHING_ELSE).expect_err("a fault");
    assert!(matches!(&error, Error::Config(said) if said.to_string() == name), "{error}");
}

#[test]
fn the_first_error_stops_all_and_comes_back() {
    let (_folder, file) = blocks(MANY);
    for workers in [1, 2, 5] {
        for at in [0, 1, 77, MANY - 1] {
            let endless = usize::MAX / 2; // only an error ends these
            let fill = Blocks { fails_to_claim: Some(at), ..Blocks::new(&file, MANY) };
            fails(&fill, &Tasks::new(endless), workers, "claim");
            let fill = Blocks { fails_on_arrival: Some(at as u64), ..Blocks::new(&file, MANY) };
            fails(&fill, &Tasks::new(endless), workers, "arrival");
            let drain = Tasks { fails_in: Some(at), ..Tasks::new(endless) };
            fails(&Blocks::new(&file, MANY), &drain, workers, "task");
        }
    }
}

#[test]
fn a_read_that_fails_comes_back_with_its_file() {
    let (folder, file) = blocks(3);
    let progress = Progress::new();
    let mut crew = crew(2, &progress);
    // Blocks behind the end of the file: the assertion of whoever is handed a short read.
    struct Short(Blocks);
    impl Fill for Short {
        fn claim(&self, worker: &mut Worker<'_>) -> Result<Claim> {
            self.0.claim(worker)
        }
        fn arrived(&self, _: &mut Worker<'_>, completion: Completion) -> Result<bool> {
            let Completion { request, result, .. } = completion;
            match result? {
                BLOCK => Ok(true),
                bytes => Err(Error::Malformed {
                    path: request.file.path().to_owned(),
                    message: format!("{bytes} bytes").into(),
                }),
            }
        }
    }
    let fill = Short(Blocks::new(&file, 9));
    let error = run(&mut crew, Some(&fill), None, NOTHING_ELSE).expect_err("short");
    let expected = folder.path().join("file");
    assert!(matches!(&error, Error::Malformed { path, .. } if *path == expected), "{error}");
}

#[test]
fn what_fails_meanwhile_stops_the_workers() {
    let (_folder, file) = blocks(MANY);
    let progress = Progress::new();
    let mut crew = crew(2, &progress);
    let (fill, drain) = (Blocks::new(&file, MANY), Tasks::new(usize::MAX / 2));
    let meanwhile = Some(|| Err::<(), _>(fault("meanwhile")));
    let outcome = run(&mut crew, Some(&fill), Some(&drain), meanwhile);
    assert!(matches!(outcome, Err(Error::Config(said)) if said.to_string() == "meanwhile"));
}

#[test]
fn a_request_to_stop_is_heard() {
    let progress = Progress::new();
    let mut crew = crew(3, &progress);
    let drain = Tasks::new(usize::MAX / 2);
    let meanwhile = || {
        progress.request_stop();
        Ok(())
    };
    let outcome = run(&mut crew, None, Some(&drain), Some(meanwhile));
    assert!(matches!(outcome, Err(Error::Interrupted)));
}

/// A stream that brings nothing: one worker waits for it, the others have
/// nothing to do meanwhile.
struct Standing {
    stream: Mutex<pipe::PipeReader>,
    is_waiting: AtomicBool,
}

impl Fill for Standing {
    fn claim(&self, worker: &mut Worker<'_>) -> Result<Claim> {
        let Ok(mut stream) = self.stream.try_lock() else { return Ok(Claim::Later) };
        self.is_waiting.store(true, Ordering::Relaxed);
        stream.fill(&mut [0; BLOCK], worker.lane.progress())?;
        Ok(Claim::Exhausted)
    }

    fn arrived(&self, _: &mut Worker<'_>, _: Completion) -> Result<bool> {
        Ok(false)
    }
}

/// Fails once a worker waits for the stream.
struct FailsLater<'a>(&'a Standing);

impl Drain for FailsLater<'_> {
    fn claim(&self) -> Option<usize> {
        Some(0)
    }

    fn produce(&self, _: usize, _: &mut Worker<'_>) -> Result<()> {
        while !self.0.is_waiting.load(Ordering::Relaxed) {
            std::thread::sleep(TURN);
        }
        Err(fault("write"))
    }
}

#[test]
fn nobody_waits_for_a_stream_when_a_worker_or_the_caller_fails() {
    for fails_meanwhile in [false, true] {
        let (from, held) = std::io::pipe().unwrap();
        let stream = Mutex::new(pipe::PipeReader::of(from, Path::new("a pipe")));
        let fill = Standing { stream, is_waiting: AtomicBool::new(false) };
        let drain = FailsLater(&fill);
        let drain: Option<&dyn Drain> = if fails_meanwhile { None } else { Some(&drain) };
        let meanwhile = || {
            while !fill.is_waiting.load(Ordering::Relaxed) {
                std::thread::sleep(TURN);
            }
            if fails_meanwhile { Err(fault("write")) } else { Ok(()) }
        };
        let progress = Progress::new();
        let mut crew = crew(3, &progress);
        let (told, outcome) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let (crew, fill) = (&mut crew, &fill);
            scope.spawn(move || told.send(run(crew, Some(fill), drain, Some(meanwhile))));
            let ended = outcome.recv_timeout(Duration::from_secs(5));
            drop(held); // Without the error, the stage ends now.
            let error = ended.expect("it waits").expect_err("a fault");
            assert!(matches!(&error, Error::Config(said) if said.to_string() == "write"));
        });
        assert!(!progress.is_stopping(), "the next job is not failing");
    }
}
