//! NOW-Sort's three ways with keys and pointers in memory, and sortwell's, by the number of keys.
//!
//! Arpaci-Dusseau et al., "High-Performance Sorting on Networks of Workstations", SIGMOD 1997,
//! section 4.2 with Figure 3. Entries are 32 bits of the key above a pointer of 32, sorted as
//! integers; each way begins with the entries in the order of the input.

use sortwell::Result;
use sortwell::unstable::incore::bucket::BUCKET_ENTRIES;
use sortwell::unstable::incore::gather;
use sortwell::unstable::order::OrderCheck;

use super::super::finding::{Cell, Chart, ChartLine, FigureSource, FigureTable};
use super::buckets::{bits_for, distribute, partial_radix, sort_each};
use super::entries;
use super::memory::AlignedValues;
use super::meter::{KernelMeter, Laps, Section};
use super::own::{self, Own, key_of_first};
use super::quicksort;

/// Bytes of an entry, and of the part of the key in it.
const ENTRY_BYTES: usize = size_of::<u64>();
const PREFIX_BYTES: usize = 4;

/// The names of all four.
pub const WAYS: [&str; 4] =
    ["quicksort", "bucket + quicksort", "bucket + partial radix", "sortwell's radix"];

/// Returns the number of bytes of memory for `keys` keys.
pub fn bytes_needed(keys: usize) -> u64 {
    3 * (keys * ENTRY_BYTES) as u64 + own::bytes_needed(keys, ENTRY_BYTES)
}

/// Measures all four with these numbers of keys.
///
/// # Errors
///
/// That there is no memory, or the wish to stop.
pub fn measure(meter: &mut KernelMeter<'_>, numbers: &[usize]) -> Result<Section> {
    let mut section = Section::default();
    let mut rows = Vec::new();
    let mut lines = WAYS.map(|way| ChartLine {
        name: way.to_owned(),
        source: FigureSource::Measured,
        points: Vec::new(),
    });
    for &keys in numbers {
        let mut row: Vec<Cell> = vec![(keys as f64).into()];
        let mut space = NowSortSpace::new(keys)?;
        let ways = [
            space.quicksort(meter)?,
            space.bucket_quicksort(meter)?,
            space.bucket_radix(meter)?,
            space.own(meter)?,
        ];
        for ((way, laps), line) in WAYS.into_iter().zip(&ways).zip(&mut lines) {
            let spread = section.note_nanoseconds(way, laps, keys);
            line.points.push([keys as f64, spread.median]);
            row.push(spread.into());
        }
        rows.push(row);
    }
    let mut columns = vec!["keys".to_owned()];
    columns.extend(WAYS.map(|way| format!("{way} ns")));
    section.tables.push(FigureTable {
        title: "Nanoseconds per key to sort keys with pointers".into(),
        source: FigureSource::Measured,
        columns,
        rows,
        note: format!(
            "Buckets have up to {BUCKET_ENTRIES} entries, which take 384 KiB with their spare \
             space. sortwell deals its entries as records of 8 bytes and sorts them stably."
        ),
    });
    section.charts.push(Chart {
        title: "Sorts of keys with pointers".into(),
        x: "keys".into(),
        y: "ns per key".into(),
        logarithmic: true,
        lines: lines.into(),
    });
    Ok(section)
}

/// Entries to sort, and room to do it.
#[derive(Debug)]
struct NowSortSpace {
    source: AlignedValues<u64>,
    work: AlignedValues<u64>,
    spare: AlignedValues<u64>,
    /// Number of top bits that select a bucket.
    bits: u32,
}

impl NowSortSpace {
    fn new(keys: usize) -> Result<Self> {
        let [mut source, work, spare] =
            [AlignedValues::of(keys)?, AlignedValues::of(keys)?, AlignedValues::of(keys)?];
        entries::fill(&mut source);
        Ok(Self { source, work, spare, bits: bits_for(keys, BUCKET_ENTRIES) })
    }

    fn quicksort(&mut self, meter: &mut KernelMeter<'_>) -> Result<Laps> {
        let [laps] = meter.repeat(|meter| {
            self.work.copy_from_slice(&self.source);
            let ((), lap) = meter.lap(|| quicksort::sort(&mut self.work, u64::cmp));
            entries::assert_sorted(&self.work);
            Ok([lap])
        })?;
        Ok(laps)
    }

    fn bucket_quicksort(&mut self, meter: &mut KernelMeter<'_>) -> Result<Laps> {
        let [laps] = meter.repeat(|meter| {
            let ((), lap) = meter.lap(|| {
                let ends = distribute(&self.source, &mut self.work, self.bits);
                sort_each(&mut self.work, &ends, |bucket| quicksort::sort(bucket, u64::cmp));
            });
            entries::assert_sorted(&self.work);
            Ok([lap])
        })?;
        Ok(laps)
    }

    fn bucket_radix(&mut self, meter: &mut KernelMeter<'_>) -> Result<Laps> {
        let [laps] = meter.repeat(|meter| {
            let ((), lap) = meter.lap(|| {
                let ends = distribute(&self.source, &mut self.work, self.bits);
                let sort = |bucket: &mut [u64]| partial_radix(bucket, &mut self.spare, self.bits);
                sort_each(&mut self.work, &ends, sort);
            });
            entries::assert_sorted(&self.work);
            Ok([lap])
        })?;
        Ok(laps)
    }

    /// Returns the entries as records of eight bytes, in the order of bytes, sorted by the first
    /// four.
    fn own(mut self, meter: &mut KernelMeter<'_>) -> Result<Laps> {
        let key = key_of_first(PREFIX_BYTES, ENTRY_BYTES)?;
        for (from, to) in self.source.iter().zip(&mut *self.spare) {
            *to = from.to_be();
        }
        let mut own = Own::new(&key, self.spare)?;
        let [dealing, sorting] = meter.repeat(|meter| {
            let (load, dealing) = meter.lap(|| own.deal());
            let load = load?;
            let ((), sorting) = meter.lap(|| {
                let mut to: &mut [u8] = bytemuck::cast_slice_mut(&mut self.work);
                own.sort(&load, |entries, records| {
                    let room = std::mem::take(&mut to);
                    let (here, rest) = room.split_at_mut(entries.len() * ENTRY_BYTES);
                    gather(entries, records, here, None, &mut OrderCheck::new(&key, false));
                    to = rest;
                });
            });
            self.work.iter_mut().for_each(|entry| *entry = u64::from_be(*entry));
            entries::assert_sorted(&self.work);
            own.clear(load);
            Ok([dealing, sorting])
        })?;
        Ok(dealing.and(&sorting))
    }
}

#[cfg(test)]
mod tests;
