//! psort's microruns: runs that fit a cache, sorted one by one, then merged all at once.
//!
//! Bertasi, Bressan and Peserico, "psort, yet another fast stable external sorting software", 2008,
//! section 1.1: its speed depends on the size of a microrun. Small ones fit the caches next to the
//! processor and leave much to the merge; large ones leave little. Quicksort or the library's merge
//! sort of a bucket sorts them, and the library's loser tree merges them.

use sortwell::Result;
use sortwell::unstable::incore::Method;
use sortwell::unstable::key::SliceKey;
use sortwell::unstable::merge::loser_tree::{LoserTree, TreeSource as Sorted};

use super::super::finding::{Cell, Chart, ChartLine, FigureSource, FigureTable};
use super::entries;
use super::memory::AlignedValues;
use super::meter::{KernelMeter, Laps, Section};
use super::own::key_of_first;
use super::quicksort;

/// Entries of a run: from the smallest on, four times as many each time.
const SMALLEST: usize = 1 << 6;
const LARGEST: usize = 1 << 22;
const GROWTH: usize = 4;

/// Most entries that are sorted: they are in no cache, and more say no more.
const ENTRIES_MAX: usize = 10_000_000;

const STEPS: [&str; 4] = ["quicksort of runs", "merge", "both", "merge sort of runs"];

/// Returns the number of bytes of memory for `keys` keys.
pub fn bytes_needed(keys: usize) -> u64 {
    let count = keys.min(ENTRIES_MAX);
    // A leaf and a node of the tree for each run.
    (3 * count * size_of::<u64>() + count / SMALLEST * 4 * size_of::<MicroRun<'_>>()) as u64
}

/// Measures all sizes of runs, of `keys` keys but no more than ten million.
///
/// # Errors
///
/// That there is no memory, or the wish to stop.
pub fn measure(meter: &mut KernelMeter<'_>, keys: usize) -> Result<Section> {
    let count = keys.min(ENTRIES_MAX);
    let mut space = MicroRunSpace::new(count)?;
    let mut section = Section::default();
    let mut rows = Vec::new();
    let mut lines = STEPS.map(|name| ChartLine {
        name: name.into(),
        source: FigureSource::Measured,
        points: Vec::new(),
    });
    let sizes = std::iter::successors(Some(SMALLEST), |size| Some(size * GROWTH));
    for size in sizes.take_while(|size| *size <= LARGEST && *size <= count) {
        let [sorting, merging] = space.two_steps(meter, size)?;
        let [by_merging] = space.merge_sort(meter, size)?;
        let kibibytes = (size * size_of::<u64>()) as f64 / 1024.0;
        let mut row: Vec<Cell> = vec![(size as f64).into(), kibibytes.into()];
        row.push((count.div_ceil(size) as f64).into());
        let steps = [sorting.clone(), merging.clone(), sorting.and(&merging), by_merging];
        for ((step, laps), line) in STEPS.into_iter().zip(&steps).zip(&mut lines) {
            let of = format!("{step} of {size} entries");
            let spread = section.note_nanoseconds(&of, laps, count);
            line.points.push([size as f64, spread.median]);
            row.push(spread.into());
        }
        rows.push(row);
    }
    let mut columns = ["entries per run", "KiB", "runs"].map(str::to_owned).to_vec();
    columns.extend(STEPS.map(|step| format!("{step} ns")));
    section.tables.push(FigureTable {
        title: format!("Nanoseconds per entry to sort and merge runs, {count} entries"),
        source: FigureSource::Measured,
        columns,
        rows,
        note: "An entry has 8 bytes. All runs are merged at once, by one loser tree.".into(),
    });
    section.charts.push(Chart {
        title: "Microruns".into(),
        x: "entries per run".into(),
        y: "ns per entry".into(),
        logarithmic: true,
        lines: lines.into(),
    });
    Ok(section)
}

/// Entries to sort, and room to do it.
#[derive(Debug)]
struct MicroRunSpace {
    source: AlignedValues<u64>,
    work: AlignedValues<u64>,
    out: AlignedValues<u64>,
    key: SliceKey,
}

impl MicroRunSpace {
    fn new(count: usize) -> Result<Self> {
        let [mut source, work, out] =
            [AlignedValues::of(count)?, AlignedValues::of(count)?, AlignedValues::of(count)?];
        entries::fill(&mut source);
        Ok(Self { source, work, out, key: key_of_first(size_of::<u64>(), size_of::<u64>())? })
    }

    /// Runs of `size` by quicksort, and all of them merged.
    fn two_steps(&mut self, meter: &mut KernelMeter<'_>, size: usize) -> Result<[Laps; 2]> {
        meter.repeat(|meter| {
            self.work.copy_from_slice(&self.source);
            let ((), sorting) = meter.lap(|| {
                self.work.chunks_mut(size).for_each(|run| quicksort::sort(run, u64::cmp));
            });
            let ((), merging) =
                meter.lap(|| merge(&self.key, self.work.chunks(size), &mut self.out));
            entries::assert_sorted(&self.out);
            Ok([sorting, merging])
        })
    }

    /// Runs of `size` by merge sort alone.
    fn merge_sort(&mut self, meter: &mut KernelMeter<'_>, size: usize) -> Result<[Laps; 1]> {
        meter.repeat(|meter| {
            self.work.copy_from_slice(&self.source);
            let spare = &mut self.out[..size];
            let ((), lap) = meter.lap(|| {
                self.work.chunks_mut(size).for_each(|run| Method::Mergesort.sort(run, spare));
            });
            assert!(self.work.chunks(size).all(<[u64]>::is_sorted), "each run is in order");
            Ok([lap])
        })
    }
}

/// A sorted run, as far as it is left.
#[derive(Debug)]
struct MicroRun<'r>(&'r [u64]);

impl Sorted for MicroRun<'_> {
    type Prefix = u64;

    fn prefix(&self) -> u64 {
        self.0.first().copied().unwrap_or(u64::MAX)
    }

    fn record(&self) -> Option<&[u8]> {
        // Looked at where prefixes are equal, which are the whole entries: then any order will do.
        self.0.first().map(bytemuck::bytes_of)
    }
}

/// Merges sorted runs, all at once.
fn merge<'r>(key: &SliceKey, runs: impl Iterator<Item = &'r [u64]>, out: &mut [u64]) {
    let mut tree = LoserTree::new(key, runs.map(MicroRun).collect());
    for to in out {
        let next = tree.advance(|run| {
            let (first, rest) = run.0.split_first()?;
            run.0 = rest;
            Some(*first)
        });
        if let Some(next) = next {
            *to = next;
        }
    }
}

#[cfg(test)]
mod tests;
