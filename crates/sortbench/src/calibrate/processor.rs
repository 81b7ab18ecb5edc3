//! Processors: what each phase of a sort costs them, by record and by byte.
//!
//! Real sorts are run, of short records and of long ones, in memory and in two passes, and their
//! processor time in user mode is taken: it is the same whatever the disks do, and clearing fresh
//! memory, which is the kernel's, is not in it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sortwell::unstable::io::{Direct, File, SpillDirectory};
use sortwell::unstable::job::SortJob;
use sortwell::unstable::profile::{Cost, Costs, ProcessorProfile};
use sortwell::{Budget, Format, Input, Output, Phase, Progress, Statistics};
use sortwell::{ByteSize, Result};

use super::now;
use crate::place::measurement_directory;
use crate::samples::median_and_spread;

/// Bytes that are sorted, and memory with which that takes two passes.
const BYTES: usize = 128 << 20;
const MODEST: ByteSize = ByteSize::mib(64);

/// Bytes of a short record and of a long one.
const LENGTHS: [usize; 2] = [40, 400];

/// Kinds and lengths of records: each has its part of the time, and is sorted at least once.
const PARTS: u32 = 4;

/// Measures what sorting costs, in about `time` and with `threads` workers; how far measurements of
/// the same lay apart is returned beside it. Files in `directory` are removed.
///
/// # Errors
///
/// Those of the sorts.
pub fn processor(
    directory: &Path,
    time: Duration,
    threads: usize,
    progress: &Progress,
) -> Result<(ProcessorProfile, f64)> {
    let bench =
        ProcessorBench { directory: directory.to_owned(), time: time / PARTS, threads, progress };
    let (fixed, fixed_spread) = bench.costs(SortedKind::Fixed)?;
    let (lines, lines_spread) = bench.costs(SortedKind::Lines)?;
    let profile = ProcessorProfile { measured: now(), threads, fixed, lines };
    Ok((profile, fixed_spread.max(lines_spread)))
}

/// Kind of the records that are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SortedKind {
    /// Records of one length.
    Fixed,
    /// Lines.
    Lines,
}

struct ProcessorBench<'p> {
    directory: PathBuf,
    /// For one kind of records of one length.
    time: Duration,
    threads: usize,
    progress: &'p Progress,
}

/// Nanoseconds of each phase, for one length of records.
#[derive(Clone, Copy, Debug, Default)]
struct PhaseNanoseconds([f64; 4]);

impl ProcessorBench<'_> {
    fn costs(&self, kind: SortedKind) -> Result<(Costs, f64)> {
        let (short, one) = self.nanoseconds(kind, LENGTHS[0])?;
        let (long, other) = self.nanoseconds(kind, LENGTHS[1])?;
        let cost = |phase: usize| cost([short.0[phase], long.0[phase]]);
        let costs =
            Costs { reading: cost(0), writing: cost(1), run_generation: cost(2), merging: cost(3) };
        Ok((costs, one.max(other)))
    }

    /// Measures the nanoseconds of a record of `length` bytes in each phase. Also returns the
    /// spread.
    fn nanoseconds(&self, kind: SortedKind, length: usize) -> Result<(PhaseNanoseconds, f64)> {
        // Removed with all that is in it.
        let directory = measurement_directory(&self.directory)?;
        let records = write(&directory.path().join("input"), kind, length)?;
        let mut found: [Vec<f64>; 4] = Default::default();
        let begun = Instant::now();
        while found[0].is_empty() || begun.elapsed() < self.time {
            let mut add = |place: usize, statistics: &Statistics, phase: Phase| {
                let seconds: f64 = statistics
                    .phases
                    .iter()
                    .filter(|time| time.phase == phase)
                    .map(|time| time.user_seconds)
                    .sum();
                found[place].push(seconds * 1e9 / records as f64);
            };
            let one = self.sort(kind, length, &directory, ByteSize::gib(1))?;
            add(0, &one, Phase::Reading);
            add(1, &one, Phase::Writing);
            let two = self.sort(kind, length, &directory, MODEST)?;
            add(2, &two, Phase::RunGeneration);
            add(3, &two, Phase::Writing);
        }
        let figures = found.map(|found| median_and_spread(&found));
        let spread = figures.iter().map(|(_, spread)| *spread).fold(0.0, f64::max);
        Ok((PhaseNanoseconds(figures.map(|(median, _)| median)), spread))
    }

    fn sort(
        &self,
        kind: SortedKind,
        length: usize,
        directory: &SpillDirectory,
        memory: ByteSize,
    ) -> Result<Statistics> {
        let format = match kind {
            SortedKind::Fixed => Format::Fixed { length: length as u32 },
            SortedKind::Lines => Format::Lines { terminator: b'\n' },
        };
        let [input, output] = ["input", "output"].map(|name| directory.path().join(name));
        let job = SortJob {
            memory: Budget::Bytes(memory),
            threads: Some(self.threads),
            sync: false,
            ..SortJob::new(vec![Input::File(input)], Output::File(output), format)
        };
        job.run(self.progress)
    }
}

/// Writes random records of `length` bytes each. Returns their number.
fn write(path: &Path, kind: SortedKind, length: usize) -> Result<u64> {
    let file = File::create(path, Direct::Off)?;
    let records = BYTES / length;
    let mut block = Vec::with_capacity(1 << 20);
    let (mut state, mut offset) = (1_u64, 0);
    for number in 0..records {
        for place in 0..length {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let byte = (state >> 32) as u8;
            block.push(match kind {
                SortedKind::Fixed => byte,
                SortedKind::Lines if place + 1 == length => b'\n',
                SortedKind::Lines => b'a' + byte % 26,
            });
        }
        if block.len() + length > block.capacity() || number + 1 == records {
            file.write_at(&block, offset)?;
            offset += block.len() as u64;
            block.clear();
        }
    }
    Ok(records as u64)
}

/// Returns the cost of a record and of a byte, given the costs of records of two lengths.
fn cost([short, long]: [f64; 2]) -> Cost {
    let [few, many] = LENGTHS.map(|length| length as f64);
    let byte = ((long - short) / (many - few)).max(0.0);
    Cost { record: (short - byte * few).max(0.0), byte }
}

#[cfg(test)]
mod tests;
