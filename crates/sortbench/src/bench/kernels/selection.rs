//! Replacement selection beside quicksort of the same memory, by the size of the tree.
//!
//! Nyberg et al., "AlphaSort: A Cache-Sensitive Parallel External Sort", VLDB Journal 1995, section
//! 4: a tournament makes runs twice as long as memory and touches a node in every level of its tree
//! for each record, which is a cache miss for most of them unless nodes are clustered in lines;
//! quicksort's runs are half as long, and its misses few.

use sortwell::Result;
use sortwell::unstable::format::Framing;
use sortwell::unstable::incore::replacement::{LEAF_BYTES, SelectionTournament};

use super::super::finding::{Cell, Chart, ChartLine, FigureSource, FigureTable};
use super::entries;
use super::memory::{AlignedValues, touched};
use super::meter::{KernelMeter, Laps, Section};
use super::own::key_of_first;
use super::quicksort;
use super::tournament::{Clustered, KernelTree, LevelLayout, NodeLayout};

/// Levels of the smallest and the largest tree, and the step between two: factors of four from
/// about a thousand to about a million leaves.
const LEVELS: [u32; 2] = [10, 20];
const LEVELS_STEP: usize = 2;

/// Records for each leaf: two runs are begun and ended in the middle of them.
const RECORDS_PER_LEAF: usize = 4;

/// Bytes of a record: its entry.
const ENTRY_BYTES: usize = size_of::<u64>();

/// The names of all four.
pub const WAYS: [&str; 4] =
    ["quicksort", "tournament by level", "tournament in lines", "sortwell's tournament"];

/// Returns the number of bytes of memory for trees of up to `keys` keys.
pub fn bytes_needed(keys: usize) -> u64 {
    let leaves = levels(keys).last().map_or(0, |levels| 1_usize << levels);
    // Two trees with three nodes and two pointers a leaf together, input, output, and our own.
    let each = 3 * 8 + 2 * 4 + 2 * RECORDS_PER_LEAF * ENTRY_BYTES + LEAF_BYTES + 2 * ENTRY_BYTES;
    (leaves * each) as u64
}

/// Returns the numbers of levels of the trees for at most `keys` keys.
fn levels(keys: usize) -> impl Iterator<Item = u32> {
    let [least, most] = LEVELS;
    let fits = move |levels: &u32| RECORDS_PER_LEAF << levels <= keys;
    (least..=most).step_by(LEVELS_STEP).take_while(fits)
}

/// Measures trees of a thousand leaves to a million, as long as there are four keys to each.
///
/// # Errors
///
/// That there is no memory, or the wish to stop.
pub fn measure(meter: &mut KernelMeter<'_>, keys: usize) -> Result<Section> {
    let mut section = Section::default();
    let mut rows = Vec::new();
    let mut lines = WAYS.map(|name| ChartLine {
        name: name.into(),
        source: FigureSource::Measured,
        points: Vec::new(),
    });
    for levels in levels(keys) {
        let mut space = SelectionSpace::new(levels)?;
        let leaves = space.leaves;
        let (plain, first_run) = space.tree::<LevelLayout>(meter, levels)?;
        let (clustered, _) = space.tree::<Clustered>(meter, levels)?;
        let ways = [space.quicksort(meter)?, plain, clustered, space.own(meter)?];
        let mut row: Vec<Cell> = vec![(leaves as f64).into()];
        for ((way, laps), line) in WAYS.into_iter().zip(&ways).zip(&mut lines) {
            let of = format!("{way}, {leaves} in memory");
            let spread = section.note_nanoseconds(&of, laps, space.source.len());
            line.points.push([leaves as f64, spread.median]);
            row.push(spread.into());
        }
        row.push((first_run as f64 / leaves as f64).into());
        rows.push(row);
    }
    let mut columns = vec!["records in memory".to_owned()];
    columns.extend(WAYS.map(|way| format!("{way} ns")));
    columns.push("first run by memory".into());
    section.tables.push(FigureTable {
        title: "Nanoseconds per record to make runs by replacement selection".into(),
        source: FigureSource::Measured,
        columns,
        rows,
        note: format!(
            "The input has {RECORDS_PER_LEAF} records for each that fits in memory; quicksort \
             sorts one memory of records at a time. Nodes lie level by level, or as three levels \
             of a subtree per cache line. In theory, a tournament's first run has e - 1 = 1.72 \
             memories, and later runs have 2. sortwell's tournament has nodes of 16 bytes, holds \
             records (of 8 bytes here), and is stable."
        ),
    });
    section.charts.push(Chart {
        title: "Replacement selection and quicksort".into(),
        x: "records in memory".into(),
        y: "ns per record".into(),
        logarithmic: true,
        lines: lines.into(),
    });
    Ok(section)
}

/// Records to make runs of, and where these go.
#[derive(Debug)]
struct SelectionSpace {
    leaves: usize,
    source: AlignedValues<u64>,
    out: AlignedValues<u64>,
}

impl SelectionSpace {
    fn new(levels: u32) -> Result<Self> {
        let leaves = 1 << levels;
        let count = RECORDS_PER_LEAF * leaves;
        let [mut source, out] = [AlignedValues::of(count)?, AlignedValues::of(count)?];
        entries::fill(&mut source);
        Ok(Self { leaves, source, out })
    }

    /// Returns a memory of records at a time.
    fn quicksort(&mut self, meter: &mut KernelMeter<'_>) -> Result<Laps> {
        let [laps] = meter.repeat(|meter| {
            self.out.copy_from_slice(&self.source);
            let ((), lap) = meter.lap(|| {
                self.out.chunks_mut(self.leaves).for_each(|run| quicksort::sort(run, u64::cmp));
            });
            assert!(self.out.chunks(self.leaves).all(<[u64]>::is_sorted), "runs are in order");
            Ok([lap])
        })?;
        Ok(laps)
    }

    /// Measures a tree of this layout. Also returns the number of records in its first run.
    fn tree<L: NodeLayout>(
        &mut self,
        meter: &mut KernelMeter<'_>,
        levels: u32,
    ) -> Result<(Laps, usize)> {
        let mut tree = KernelTree::<L>::new(levels)?;
        let mut first_run = 0;
        let [laps] = meter.repeat(|meter| {
            let (starts, lap) = meter.lap(|| tree.select(&self.source, &mut self.out));
            first_run = starts.get(1).copied().unwrap_or(self.out.len());
            self.assert_runs(&starts);
            Ok([lap])
        })?;
        Ok((laps, first_run))
    }

    /// Measures the tree of the library, which also keeps the records.
    fn own(&mut self, meter: &mut KernelMeter<'_>) -> Result<Laps> {
        let key = key_of_first(4, ENTRY_BYTES)?;
        let framing = Framing::Fixed(ENTRY_BYTES);
        let bytes = self.leaves * LEAF_BYTES + (self.leaves + 1) * ENTRY_BYTES;
        let mut memory = Some(touched(bytes)?);
        let [laps] = meter.repeat(|meter| {
            let Some(region) = memory.take() else { return Ok([meter.lap(|| ()).1]) };
            let mut tournament =
                SelectionTournament::new(&key, framing, self.leaves as u32, region);
            let (starts, lap) = meter.lap(|| {
                let mut coming = self.source.iter().peekable();
                let mut starts = Vec::new();
                for (place, to) in self.out.iter_mut().enumerate() {
                    while let Some(entry) = coming.peek()
                        && tournament.take(&entry.to_be_bytes(), **entry & !0xffff_ffff)
                    {
                        coming.next();
                    }
                    let Some((run, record)) = tournament.first() else { break };
                    if run as usize > starts.len() {
                        starts.push(place);
                    }
                    *to = record.first_chunk().map_or(0, |record| u64::from_be_bytes(*record));
                    tournament.leave();
                }
                starts
            });
            self.assert_runs(&starts);
            memory = Some(tournament.into_region());
            Ok([lap])
        })?;
        Ok(laps)
    }

    #[track_caller]
    fn assert_runs(&self, starts: &[usize]) {
        let ends = starts.iter().skip(1).copied().chain([self.out.len()]);
        for (start, end) in starts.iter().zip(ends) {
            let run = &self.out[*start..end];
            let is_sorted = run.is_sorted_by_key(|entry| entries::prefix(*entry));
            assert!(is_sorted, "a run is in order");
        }
        let sum = |entries: &[u64]| entries.iter().fold(0_u64, |sum, one| sum.wrapping_add(*one));
        assert_eq!(sum(&self.out), sum(&self.source), "runs are the input");
    }
}

#[cfg(test)]
mod tests;
