//! Disks: how fast they are read and written in order, alone and all together, with which requests,
//! and how long it takes to begin one.
//!
//! ```text
//!   of each     sizes and depths, a slice of time each   the best of them, several slices each
//!               write | read                             write | read | both | page by page
//!   together    the best of each, all at the same time   read | write
//! ```
//!
//! A slice is a part of the time given. Several of the same, apart in time, say how sure the result
//! is.

mod written;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use sortwell::Progress;
use sortwell::unstable::io::{Arena, Direct, Direction, Engine, Queue, Region, Request, TempFile};
use sortwell::unstable::profile::DiskProfile;
use sortwell::unstable::sys::{block_devices, space};
use sortwell::{ByteSize, Error, Result};

use self::written::WrittenRanges;
use super::strides::{DirectoryRate, StripeUse, carried};
use super::{not_started, now};
use crate::samples::median_and_spread;

/// Values that are tried: bytes of a request, and requests in flight.
const REQUESTS: [usize; 3] = [256 << 10, 1 << 20, 4 << 20];
const DEPTHS: [usize; 2] = [4, 16];

/// Most memory in flight.
const MEMORY: usize = 64 << 20;

/// A smaller request is taken if it reaches this share of the best.
const NEARLY: f64 = 0.95;

/// Slices of the same measurement.
const TIMES: usize = 4;

/// Slices of each disk, and of all together.
const SLICES_EACH: usize = 2 * REQUESTS.len() * DEPTHS.len() + 3 * TIMES + 1;
const SLICES_TOGETHER: usize = 2 * TIMES;

/// Most bytes of the file that is written and read, and the fewest that give a useful result.
const FILE_MAX: u64 = 2 << 30;
const FILE_MIN: u64 = 128 << 20;

/// A page: the least that is read past the cache.
const PAGE: usize = 4096;

/// Results of the measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct DiskReport {
    /// Each directory's disk, in the order asked for.
    pub disks: Vec<DiskProfile>,
    /// The names of the devices under each directory, such as `sda`.
    pub devices: Vec<BTreeSet<String>>,
    /// All of them at the same time, if there are several.
    pub together: Option<Together>,
}

impl DiskReport {
    /// Returns the speed of each directory while all work, in bytes per second: what strides go by.
    pub fn speeds(&self, usage: StripeUse) -> Vec<f64> {
        let rate = |number: usize, alone: f64, together: Option<&Vec<f64>>| DirectoryRate {
            alone,
            together: together.map_or(alone, |rates| rates[number]),
            disk: self.first_on_disks_of(number),
        };
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for (number, disk) in self.disks.iter().enumerate() {
            let together = self.together.as_ref();
            reads.push(rate(number, disk.read, together.map(|rates| &rates.read)));
            writes.push(rate(number, disk.write, together.map(|rates| &rates.write)));
        }
        let (reads, writes) = (carried(&reads), carried(&writes));
        match usage {
            StripeUse::Read => reads,
            StripeUse::Write => writes,
            StripeUse::Both => {
                let both = |(read, write): (f64, f64)| 2.0 / (1.0 / read + 1.0 / write);
                reads.into_iter().zip(writes).map(both).collect()
            }
        }
    }

    /// Returns the first directory that lies on the same devices as one: their disk's number.
    pub fn first_on_disks_of(&self, number: usize) -> usize {
        let own = self.devices.get(number);
        self.devices.iter().position(|devices| Some(devices) == own).unwrap_or(number)
    }
}

/// Directories at the same time, each in bytes per second.
#[derive(Clone, Debug, PartialEq)]
pub struct Together {
    /// Reads of each, while all are read.
    pub read: Vec<f64>,
    /// Writes of each, while all are written.
    pub write: Vec<f64>,
}

/// Measures the disks that `directories` lie on, in about `time`. Files are made there and removed.
///
/// # Errors
///
/// Those of making, writing and reading files; [`Error::NoSpace`]; [`Error::Interrupted`].
pub fn disks(directories: &[PathBuf], time: Duration, progress: &Progress) -> Result<DiskReport> {
    let together = if directories.len() > 1 { SLICES_TOGETHER } else { 0 };
    let slices = SLICES_EACH * directories.len() + together;
    let slice = time / slices as u32;
    let (mut disks, mut benches) = (Vec::new(), Vec::new());
    let devices = directories.iter().map(|directory| block_devices::disks_of(directory));
    let devices = devices.collect::<Result<_>>()?;
    for directory in directories {
        let mut bench = DiskBench::new(directory, progress)?;
        disks.push(bench.measure(slice)?);
        benches.push(bench);
    }
    let together = (benches.len() > 1).then(|| at_once(&mut benches, slice)).transpose()?;
    for (disk, bench) in disks.iter_mut().zip(benches) {
        disk.remove = bench.remove();
    }
    Ok(DiskReport { disks, devices, together })
}

/// Measures all disks at the same time.
fn at_once(benches: &mut [DiskBench<'_>], slice: Duration) -> Result<Together> {
    let rate = |benches: &mut [DiskBench<'_>], way: Access| -> Result<Vec<f64>> {
        let mut rates = vec![Vec::with_capacity(TIMES); benches.len()];
        for _ in 0..TIMES {
            let moved = slice_of_each(benches, way, slice)?;
            for (rates, moved) in rates.iter_mut().zip(moved) {
                rates.push(moved);
            }
        }
        Ok(rates.iter().map(|rates| median_and_spread(rates).0).collect())
    };
    let read = rate(benches, Access::Read)?;
    Ok(Together { read, write: rate(benches, Access::Write)? })
}

/// Measures one slice of all disks, each by a thread of its own. They begin when all threads have
/// been started. Returns the bytes per second of each disk.
fn slice_of_each(benches: &mut [DiskBench<'_>], way: Access, slice: Duration) -> Result<Vec<f64>> {
    thread::scope(|scope| {
        let (mut threads, mut starts) = (Vec::new(), Vec::new());
        for bench in benches {
            let (start, started) = channel::<()>();
            let work = move || match started.recv() {
                Ok(()) => bench.best(way, slice),
                // A thread could not be started, and that error is returned.
                Err(_) => Err(Error::Interrupted),
            };
            let thread = thread::Builder::new().spawn_scoped(scope, work);
            threads.push(thread.map_err(not_started)?);
            starts.push(start);
        }
        for start in starts {
            // A thread waits for it, or has panicked, which the join shows.
            let _ = start.send(());
        }
        let join = |thread: thread::ScopedJoinHandle<'_, Result<f64>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(join).collect()
    })
}

/// Kind of requests in a slice of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    /// Reads in order.
    Read,
    /// Writes in order.
    Write,
    /// Both by turns, each in a half of the file of its own.
    Both,
}

/// Bytes of a request, and requests in flight.
#[derive(Clone, Copy, Debug)]
struct RequestShape {
    bytes: usize,
    depth: usize,
}

/// A file on a disk, and what it is read and written with.
struct DiskBench<'p> {
    directory: PathBuf,
    file: TempFile,
    /// Bytes of the file, which are reserved, and the ranges that were written.
    length: u64,
    written: WrittenRanges,
    queue: Box<dyn Queue>,
    memory: Vec<Region>,
    best: RequestShape,
    /// Places where reads and writes continue.
    next: [u64; 2],
    progress: &'p Progress,
}

impl<'p> DiskBench<'p> {
    fn new(directory: &Path, progress: &'p Progress) -> Result<Self> {
        let free = space::free(directory)?.bytes();
        if free / 4 < FILE_MIN {
            return Err(Error::NoSpace {
                path: directory.to_owned(),
                others: 0,
                needed: ByteSize(4 * FILE_MIN),
                available: ByteSize(free),
                setting: None,
            });
        }
        let file = TempFile::create(&directory.join("calibration"), Direct::Auto)?;
        let length = (free / 4).min(FILE_MAX) / MEMORY as u64 * MEMORY as u64;
        file.file().preallocate(length)?;
        let mut memory: Region = Arena::new(ByteSize(MEMORY as u64))?;
        fill(&mut memory);
        Ok(Self {
            directory: directory.to_owned(),
            file,
            length,
            written: WrittenRanges::default(),
            queue: Engine::Auto.probe()?.queue(DEPTHS[DEPTHS.len() - 1])?,
            memory: vec![memory],
            best: RequestShape { bytes: REQUESTS[0], depth: DEPTHS[0] },
            next: [0; 2],
            progress,
        })
    }

    fn measure(&mut self, slice: Duration) -> Result<DiskProfile> {
        let writing = self.requests(Access::Write, slice)?;
        let (write, write_spread) = self.rate(Access::Write, writing, slice)?;
        let begun = Instant::now();
        self.file.file().sync_data()?;
        let sync_seconds = begun.elapsed().as_secs_f64();
        self.best = self.requests(Access::Read, slice)?;
        let (read, read_spread) = self.rate(Access::Read, self.best, slice)?;
        // Each is read and written as a sort would.
        self.best.bytes = self.best.bytes.max(writing.bytes);
        self.best.depth = self.best.depth.max(writing.depth);
        let (both, both_spread) = self.rate(Access::Both, self.best, slice)?;
        let latency = self.latency(slice)?;
        Ok(DiskProfile {
            measured: now(),
            directory: self.directory.clone(),
            read,
            write,
            both,
            spread: write_spread.max(read_spread).max(both_spread),
            sync_seconds,
            remove: f64::INFINITY, // known in the end
            request_bytes: self.best.bytes as u64,
            queue_depth: self.best.depth,
            read_factor: read_factor(latency, read),
            is_direct: self.file.file().is_direct(),
        })
    }

    /// Removes the file; bytes of it per second.
    fn remove(self) -> f64 {
        let (begun, bytes) = (Instant::now(), self.written.bytes().max(1));
        drop(self.file);
        bytes as f64 / begun.elapsed().as_secs_f64().max(1e-6)
    }

    /// Returns the smallest requests, and the fewest in flight, that are nearly as good as the
    /// best.
    fn requests(&mut self, way: Access, slice: Duration) -> Result<RequestShape> {
        let mut found = Vec::new();
        for depth in DEPTHS {
            for bytes in REQUESTS {
                let shape = RequestShape { bytes, depth };
                found.push((self.slice(way, shape, slice)?, shape));
            }
        }
        let best = found.iter().map(|(rate, _)| *rate).fold(0.0, f64::max);
        // In flight at once is what they have in common.
        found.sort_by_key(|(_, shape)| shape.bytes * shape.depth);
        let good = found.iter().find(|(rate, _)| *rate >= NEARLY * best);
        let least = RequestShape { bytes: REQUESTS[0], depth: DEPTHS[0] };
        Ok(good.map_or(least, |(_, shape)| *shape))
    }

    fn rate(&mut self, way: Access, of: RequestShape, slice: Duration) -> Result<(f64, f64)> {
        let rates: Result<Vec<f64>> = (0..TIMES).map(|_| self.slice(way, of, slice)).collect();
        Ok(median_and_spread(&rates?))
    }

    fn best(&mut self, way: Access, slice: Duration) -> Result<f64> {
        self.slice(way, self.best, slice)
    }

    /// Returns the bytes per second of one slice, in requests of this shape. As many requests as
    /// are in flight at once are made at least, however short the slice is.
    fn slice(&mut self, way: Access, of: RequestShape, slice: Duration) -> Result<f64> {
        let RequestShape { bytes, depth } = of;
        let depth = depth.min(MEMORY / bytes);
        let mut regions = cut(std::mem::take(&mut self.memory), bytes, depth);
        let rest = regions.split_off(depth);
        let (begun, mut moved, mut turn) = (Instant::now(), 0, 0);
        let result = loop {
            let is_over = turn > 0 && begun.elapsed() >= slice;
            if self.progress.is_stopping() {
                break Err(Error::Interrupted);
            }
            while let Some(region) = (!is_over).then(|| regions.pop()).flatten() {
                turn += 1;
                let is_write = way == Access::Write || (way == Access::Both && turn % 2 == 0);
                let request = self.request(region, is_write, way == Access::Both);
                self.queue.submit(request)?;
            }
            match self.queue.wait()? {
                Some(done) => {
                    let (bytes, offset) = (done.result? as u64, done.request.offset);
                    moved += bytes;
                    self.progress.moved(bytes);
                    if done.request.operation == Direction::Write {
                        self.written.add(offset..offset + bytes);
                    }
                    regions.push(done.request.region);
                }
                None => break Ok(moved as f64 / begun.elapsed().as_secs_f64()),
            }
        };
        regions.extend(rest);
        self.memory = regions;
        result
    }

    /// Returns the next request in order; where `is_half`, reads and writes have a half of the file
    /// each.
    fn request(&mut self, region: Region, is_write: bool, is_half: bool) -> Request {
        let bytes = region.len() as u64;
        let next = self.next[usize::from(is_write)];
        let offset = if is_write {
            let start = if is_half { self.length / 2 } else { 0 };
            if next < start || next + bytes > self.length { start } else { next }
        } else {
            let end = if is_half { self.length / 2 } else { self.length };
            let next = self.written.next(next, bytes, end);
            next.unwrap_or_else(|| unreachable!("requests of each size were written from 0 on"))
        };
        self.next[usize::from(is_write)] = offset + bytes;
        let operation = if is_write { Direction::Write } else { Direction::Read };
        let (file, range) = (Arc::clone(self.file.file()), 0..region.len());
        Request { operation, file, offset, region, range, tag: 0 }
    }

    /// Returns the number of seconds that it takes to read a page that was written, from anywhere,
    /// one after the other.
    fn latency(&mut self, slice: Duration) -> Result<f64> {
        let mut regions = cut(std::mem::take(&mut self.memory), PAGE, 1);
        let (begun, mut state, mut count) = (Instant::now(), 1_u64, 0_u32);
        while count == 0 || begun.elapsed() < slice {
            let Some(region) = regions.pop() else { break };
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let Some(offset) = self.written.page(state >> 20) else { break };
            let (file, range) = (Arc::clone(self.file.file()), 0..PAGE);
            let operation = Direction::Read;
            self.queue.submit(Request { operation, file, offset, region, range, tag: 0 })?;
            let Some(done) = self.queue.wait()? else { break };
            done.result?;
            regions.push(done.request.region);
            count += 1;
        }
        self.memory = regions;
        Ok(begun.elapsed().as_secs_f64() / f64::from(count.max(1)))
    }
}

/// Returns Oracle 7's `SORT_READ_FAC` of a disk: the time to read a block by itself, `latency`
/// seconds, divided by the time that a further block takes at `rate` bytes per second. That is
/// (seek + latency) / transfer + 1.
fn read_factor(latency: f64, rate: f64) -> f64 {
    (latency * rate / PAGE as f64).max(1.0)
}

/// Splits the memory into `count` regions of `bytes` bytes, and the rest.
fn cut(regions: Vec<Region>, bytes: usize, count: usize) -> Vec<Region> {
    let mut rest = Region::join_all(regions);
    let mut cut = Vec::with_capacity(count + 1);
    for _ in 0..count {
        let behind = rest.split_off(bytes);
        cut.push(std::mem::replace(&mut rest, behind));
    }
    cut.push(rest);
    cut
}

/// Fills a region with bytes that no disk can compress.
fn fill(region: &mut Region) {
    let mut state = 1_u64;
    for word in region.as_chunks_mut::<8>().0 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        *word = state.to_le_bytes();
    }
}

#[cfg(test)]
mod tests;
