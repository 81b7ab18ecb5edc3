//! Runs read through buffers in every order: all their bytes, in memory that is never exceeded, and
//! in reads that grow with the geometry.

use std::path::Path;

use super::*;
use crate::format::Framing;
use crate::io::{Direct, Engine};
use crate::pipeline::sorted::feed::{Feed, Reading};
use crate::plan::geometry::Geometry;
use crate::run::tests::{ascending, key_of, write_run};
use crate::run::{Run, RunReader};
use crate::stats::Progress;

const LENGTH: usize = 512;

/// Order in which runs are read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pace {
    /// All alike.
    Even,
    /// Early runs more often than late ones.
    Skewed,
    /// One after the other.
    InTurn,
}

/// Small random numbers, the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % bound
    }

    fn pick(&mut self, pace: Pace, count: usize) -> usize {
        match pace {
            Pace::Even => self.below(count),
            Pace::Skewed => {
                let bound = self.below(count) + 1;
                self.below(bound)
            }
            Pace::InTurn => 0,
        }
    }
}

/// Writes `count` runs of about `blocks` blocks, some a little longer; their bytes.
fn runs(folder: &Path, count: usize, blocks: usize) -> Vec<(Run, Vec<u8>)> {
    let key = key_of("0..8", LENGTH);
    let framing = Framing::Fixed(LENGTH);
    (0..count)
        .map(|number| {
            let mut data = ascending(blocks * BLOCK / LENGTH + 3 * number, LENGTH);
            data.iter_mut().skip(9).step_by(LENGTH).for_each(|byte| *byte = number as u8);
            let path = folder.join(format!("{number}-{blocks}"));
            (write_run(&path, key.encoder(), (&data, framing), (500, 1)), data)
        })
        .collect()
}

/// Reads all of `runs` at a pace, in steps of up to `window` bytes; the account of it.
fn read_all(
    runs: &[(Run, Vec<u8>)],
    plan: BufferPlan,
    engine: Engine,
    (pace, window): (Pace, usize),
) -> MergeBuffers {
    let progress = Progress::new();
    let pool = BufferPool::new(plan).unwrap();
    let mut feed = Feed::of_runs(engine, pool, 0, &progress).unwrap();
    let mut dice = Dice(7);
    let mut open: Vec<(Reading, &[u8])> = Vec::new();
    for (number, (run, data)) in runs.iter().enumerate() {
        let blocks = RunBlocks::new(RunReader::open(run, Direct::Auto).unwrap(), 0).unwrap();
        // Some begin in the middle of a block.
        let from = if number % 3 == 2 { BLOCK + 5 * LENGTH } else { 0 };
        let from = from.min(data.len());
        open.push((feed.open_run(blocks, from as u64, None).unwrap(), &data[from..]));
    }
    let mut window = vec![0; window];
    while !open.is_empty() {
        let at = dice.pick(pace, open.len());
        let (reading, rest) = &mut open[at];
        let step = 1 + dice.below(window.len());
        let read = reading.read(&mut window[..step], &mut feed).unwrap();
        assert!(read <= step && window[..read] == rest[..read], "{plan:?} {pace:?}");
        *rest = &rest[read..];
        if read == 0 {
            assert!(rest.is_empty(), "{} bytes are missing", rest.len());
            open.swap_remove(at).0.close(&mut feed).unwrap();
        }
    }
    feed.buffers().unwrap()
}

fn plan(text: &str, runs: usize, blocks: usize) -> BufferPlan {
    BufferPlan::new(text.parse::<Geometry>().unwrap(), runs, blocks * BLOCK, 16)
}

#[test]
fn all_bytes_come_at_every_pace_and_with_every_geometry() {
    let folder = tempfile::tempdir().unwrap();
    let mut engines = [Engine::Auto, Engine::Threads, Engine::Sync].into_iter().cycle();
    for (count, blocks) in [(1, 9), (2, 7), (5, 12), (33, 5)] {
        let runs = runs(folder.path(), count, blocks);
        for geometry in ["geometry=0", "geometry=0.5,refill=0", "geometry=1,refill=1", "geometry=1"]
        {
            for each in [2, 3, 6] {
                for pace in [Pace::Even, Pace::Skewed, Pace::InTurn] {
                    let engine = engines.next().unwrap();
                    let plan = plan(geometry, count, each * count);
                    let window = [700, BLOCK, 2 * BLOCK][(each + count) % 3];
                    let account = read_all(&runs, plan, engine, (pace, window));
                    let bytes: usize = runs.iter().map(|(_, data)| data.len()).sum();
                    assert!(account.refill_bytes.0 >= (bytes - 2 * count * BLOCK) as u64);
                    assert!(account.refill_max <= account.buffer_max, "{account:?}");
                }
                // The next group meets each engine at another pace.
                engines.next();
            }
        }
    }
}

/// Uniform runs are read in larger pieces with a larger geometry, towards twice `B/n`; and of runs
/// that are not used up at one pace, none comes to a stop.
#[test]
fn reads_grow_with_the_geometry() {
    let folder = tempfile::tempdir().unwrap();
    let runs = runs(folder.path(), 20, 60);
    let mean = |geometry: &str, pace: Pace| {
        let plan = plan(geometry, 20, 20 * 8);
        let account = read_all(&runs, plan, Engine::Sync, (pace, BLOCK / 4));
        account.refill_bytes.0 as f64 / account.refills as f64 / BLOCK as f64
    };
    for pace in [Pace::Even, Pace::Skewed, Pace::InTurn] {
        for refill in ["", ",refill=0.125", ",refill=0.4"] {
            let means = ["geometry=0", "geometry=0.5", "geometry=1"]
                .map(|geometry| mean(&format!("{geometry}{refill}"), pace));
            println!("{pace:?} {refill}: {means:?} blocks");
            let [even, half, whole] = means;
            if pace == Pace::Even {
                assert!(even < half && even < whole, "{refill} {means:?}");
                let times = if refill.is_empty() { 1.4 } else { 1.25 };
                assert!(whole >= times * even, "{refill} {means:?}");
            }
        }
    }
}

/// A microbuffer returns to the pool as soon as it was read to its end, and all of them do.
#[test]
fn microbuffers_are_free_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let runs = runs(folder.path(), 2, 20);
    let mut pool = BufferPool::new(plan("geometry=0,refill=0", 2, 10)).unwrap();
    let BufferPlan { space, most, .. } = pool.plan;
    for (run, _) in &runs {
        let blocks = RunBlocks::new(RunReader::open(run, Direct::Auto).unwrap(), 0).unwrap();
        pool.open(blocks, 0, None);
    }
    let mut queue = Engine::Sync.queue(1).unwrap();
    let request = pool.next_refill(Some(1)).unwrap();
    assert_eq!((request.tag, request.range.len()), (1, most * BLOCK));
    assert!(pool.next_refill(Some(1)).is_none(), "the only area is taken");
    assert_eq!(pool.free.len(), space - most);
    queue.submit(request).unwrap();
    pool.arrive(queue.wait().unwrap().unwrap());
    let mut window = vec![0; BLOCK - 1];
    assert_eq!((pool.take(1, &mut window), pool.free.len()), (BLOCK - 1, space - most));
    assert_eq!((pool.take(1, &mut window[..1]), pool.free.len()), (1, space - most + 1));
    assert_eq!((pool.take(1, &mut window), pool.free.len()), (BLOCK - 1, space - most + 1));
    assert!(!pool.close(1) && pool.free.len() == space && !pool.is_reading());
    assert!(pool.is_over(1).unwrap() && !pool.is_over(0).unwrap());
}

/// A damaged block is reported when the merge comes to it, and not before.
#[test]
fn a_fault_is_kept_until_the_run_comes_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let runs = runs(folder.path(), 1, 8);
    let (run, data) = &runs[0];
    let mut bytes = std::fs::read(&run.path).unwrap();
    let at = crate::run::layout::DATA_START as usize + 5 * BLOCK + 99;
    bytes[at] ^= 4;
    std::fs::write(&run.path, bytes).unwrap();
    let progress = Progress::new();
    let pool = BufferPool::new(plan("geometry=0,refill=0.5", 1, 4)).unwrap();
    let mut feed = Feed::of_runs(Engine::Auto, pool, 0, &progress).unwrap();
    let blocks = RunBlocks::new(RunReader::open(run, Direct::Auto).unwrap(), 0).unwrap();
    let mut reading = feed.open_run(blocks, 0, None).unwrap();
    let (mut window, mut read) = (vec![0; BLOCK], 0);
    let error = loop {
        match reading.read(&mut window, &mut feed) {
            Ok(bytes) => {
                assert!(window[..bytes] == data[read..read + bytes]);
                read += bytes;
            }
            Err(error) => break error,
        }
    };
    assert!(matches!(&error, Error::Corrupt { block: 5, .. }), "{error}");
    assert!(read >= 4 * BLOCK, "{read} bytes before the fault");
}
