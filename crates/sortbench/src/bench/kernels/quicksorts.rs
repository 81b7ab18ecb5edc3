//! AlphaSort's four QuickSorts of records in memory, and beside them what sortwell does.
//!
//! Nyberg et al., "AlphaSort: A Cache-Sensitive Parallel External Sort", VLDB Journal 1995, section
//! 4 with Table 2. All four are one quicksort of ours; they differ in what is moved and in what is
//! looked at:
//!
//! ```text
//!                        moved                      looked at
//!   pointer              4 bytes                    both records, at each comparison
//!   key/pointer          16: key of 10, pointer     what is moved
//!   key-prefix/pointer   8: prefix of 4, pointer    what is moved; records where prefixes tie
//!   record               100                        what is moved
//! ```
//!
//! Each has three steps: make the array, sort it, and follow the order from record to record, with
//! a look whether keys ascend and a checksum of whole records.

use std::cmp::Ordering;

use bytemuck::Pod;
use sortwell::Result;
use sortwell::unstable::format::Framing;
use sortwell::unstable::incore::{Item, gather};
use sortwell::unstable::load::Records;
use sortwell::unstable::order::OrderCheck;
use sortwell::unstable::proof::Sum;

use super::super::finding::{Cell, FigureSource, FigureTable};
use super::entries::{entry, pointer, prefix};
use super::memory::AlignedValues;
use super::meter::{KernelMeter, Lap, Laps, Section};
use super::own::{self, Own, key_of_first};
use super::quicksort;
use crate::{KEY_LENGTH, RECORD_LENGTH, RecordKind};

type BenchRecord = [u8; RECORD_LENGTH];

/// Bytes gathered at a time, as in a sort of a file.
const BLOCK_BYTES: usize = 4 << 20;

const STEPS: [&str; 3] = ["generate the array", "QuickSort", "output"];

/// The names of all five.
pub const WAYS: [&str; 5] = [
    "pointer",
    "key/pointer",
    "key-prefix/pointer",
    "record",
    "sortwell's entries, by buckets and radix",
];

const NOTE: &str = "The output follows the order, checks it and sums whole records. sortwell's \
                    array has 8-byte entries, which it samples and deals into buckets that fit a \
                    cache. It sorts each bucket by radix, with its ties. Its output prefetches \
                    records and copies them too.";

/// Returns the number of bytes of memory for `records` records.
pub fn bytes_needed(records: usize) -> u64 {
    let own = own::bytes_needed(records, RECORD_LENGTH);
    own + (2 * records * RECORD_LENGTH + BLOCK_BYTES) as u64
}

/// Measures all five with `records` records.
///
/// # Errors
///
/// That there is no memory, or the wish to stop.
pub fn measure(meter: &mut KernelMeter<'_>, records: usize) -> Result<Section> {
    let load = Load::new(records)?;
    let mut section = Section::default();
    let mut rows = Vec::new();
    let ways = [
        load.pointer(meter)?,
        load.key_pointer(meter)?,
        load.prefix_pointer(meter)?,
        load.record(meter)?,
        load.own(meter)?,
    ];
    for (name, steps) in WAYS.into_iter().zip(&ways) {
        let mut row: Vec<Cell> = vec![name.into()];
        for (step, laps) in STEPS.into_iter().zip(steps) {
            let is_none = name == "record" && step == STEPS[0];
            row.push(match is_none {
                true => Cell::Empty,
                false => section.note_seconds(&format!("{name}, {step}"), laps).into(),
            });
            section.note_counts(format!("{name}, {step}"), laps, records);
        }
        let [generate, sort, output] = steps;
        let whole = section.note_seconds(&format!("{name}, all"), &generate.and(sort).and(output));
        row.push(whole.into());
        rows.push(row);
    }
    section.tables.push(FigureTable {
        title: format!("Seconds of QuickSorts of {records} records of 100 bytes in memory"),
        source: FigureSource::Measured,
        columns: ["QuickSort of", STEPS[0], STEPS[1], STEPS[2], "all"].map(str::to_owned).to_vec(),
        rows,
        note: NOTE.into(),
    });
    Ok(section)
}

/// Records in memory.
#[derive(Debug)]
struct Load {
    records: AlignedValues<BenchRecord>,
    sum: Sum,
}

fn key(record: &BenchRecord) -> &[u8] {
    &record[..KEY_LENGTH]
}

/// Returns the first four bytes of a record's key, as a number of the same order.
fn key_prefix(record: &BenchRecord) -> u32 {
    let [a, b, c, d, ..] = *record;
    u32::from_be_bytes([a, b, c, d])
}

impl Load {
    fn new(count: usize) -> Result<Self> {
        let mut records = AlignedValues::<BenchRecord>::of(count)?;
        RecordKind::default().fill(0, records.as_flattened_mut());
        let mut sum = Sum::default();
        records.iter().for_each(|record| sum.add_record(record));
        Ok(Self { records, sum })
    }

    fn pointer(&self, meter: &mut KernelMeter<'_>) -> Result<[Laps; 3]> {
        let records = &*self.records;
        let at = |pointer: &u32| &records[*pointer as usize];
        self.sorted(meter, |number, _| number, |a, b| key(at(a)).cmp(key(at(b))), at)
    }

    fn key_pointer(&self, meter: &mut KernelMeter<'_>) -> Result<[Laps; 3]> {
        let records = &*self.records;
        let make = |number: u32, record: &BenchRecord| {
            let mut pair = [0; 16];
            pair[..KEY_LENGTH].copy_from_slice(key(record));
            pair[12..].copy_from_slice(&number.to_ne_bytes());
            pair
        };
        let at = |pair: &[u8; 16]| {
            let [.., a, b, c, d] = *pair;
            &records[u32::from_ne_bytes([a, b, c, d]) as usize]
        };
        self.sorted(meter, make, |a, b| a[..KEY_LENGTH].cmp(&b[..KEY_LENGTH]), at)
    }

    fn prefix_pointer(&self, meter: &mut KernelMeter<'_>) -> Result<[Laps; 3]> {
        let records = &*self.records;
        let at = |pair: &u64| &records[pointer(*pair) as usize];
        let compare = |a: &u64, b: &u64| match prefix(*a).cmp(&prefix(*b)) {
            Ordering::Equal => key(at(a)).cmp(key(at(b))),
            order => order,
        };
        self.sorted(meter, |number, record| entry(key_prefix(record), number), compare, at)
    }

    /// Generates, sorts and follows an array of anything that leads to records.
    fn sorted<'r, T: Pod>(
        &self,
        meter: &mut KernelMeter<'_>,
        make: impl Fn(u32, &BenchRecord) -> T,
        compare: impl Fn(&T, &T) -> Ordering,
        at: impl Fn(&T) -> &'r BenchRecord,
    ) -> Result<[Laps; 3]> {
        let mut array = AlignedValues::<T>::of(self.records.len())?;
        meter.repeat(|meter| {
            let ((), generate) = meter.lap(|| {
                for (number, (record, to)) in (0..).zip(self.records.iter().zip(&mut *array)) {
                    *to = make(number, record);
                }
            });
            let ((), sort) = meter.lap(|| quicksort::sort(&mut array, &compare));
            let (check, output) = meter.lap(|| NeighbourCheck::of(array.iter().map(&at)));
            check.assert_whole(&self.sum);
            Ok([generate, sort, output])
        })
    }

    /// Sorts the records where they are, in a copy.
    fn record(&self, meter: &mut KernelMeter<'_>) -> Result<[Laps; 3]> {
        let mut array = AlignedValues::<BenchRecord>::of(self.records.len())?;
        meter.repeat(|meter| {
            array.copy_from_slice(&self.records);
            let ((), sort) = meter.lap(|| quicksort::sort(&mut array, |a, b| key(a).cmp(key(b))));
            let (check, output) = meter.lap(|| NeighbourCheck::of(array.iter()));
            check.assert_whole(&self.sum);
            Ok([Lap::default(), sort, output])
        })
    }

    fn own(self, meter: &mut KernelMeter<'_>) -> Result<[Laps; 3]> {
        let key = key_of_first(KEY_LENGTH, RECORD_LENGTH)?;
        let framing = Framing::Fixed(RECORD_LENGTH);
        assert_eq!(Item::for_length(RECORD_LENGTH), Item::Entry, "locations are of the load");
        let mut sorted = AlignedValues::<u64>::of(self.records.len())?;
        let mut out = AlignedValues::<BenchRecord>::of(BLOCK_BYTES / RECORD_LENGTH)?;
        let mut own = Own::new(&key, self.records)?;
        meter.repeat(|meter| {
            let (load, generate) = meter.lap(|| own.deal());
            let load = load?;
            let ((), sort) = meter.lap(|| {
                let mut done = 0;
                own.sort(&load, |entries, _| {
                    sorted[done..done + entries.len()].copy_from_slice(entries);
                    done += entries.len();
                });
            });
            let records = Records::new(load.loaded_bytes().unwrap_or_default(), framing);
            let (check, output) = meter.lap(|| {
                let mut check = NeighbourCheck::default();
                for entries in sorted.chunks(out.len()) {
                    let out = &mut out[..entries.len()];
                    let to = out.as_flattened_mut();
                    let order = &mut OrderCheck::new(&key, false);
                    gather(entries, &records, to, Some(&mut check.sum), order);
                    out.iter().for_each(|record| check.look_at(record));
                }
                check
            });
            check.assert_whole(&self.sum);
            own.clear(load);
            Ok([generate, sort, output])
        })
    }
}

/// Facts about records that are looked at one after the other.
#[derive(Clone, Debug, Default)]
struct NeighbourCheck {
    last: [u8; KEY_LENGTH],
    is_unordered: bool,
    sum: Sum,
}

impl NeighbourCheck {
    fn of<'r>(records: impl Iterator<Item = &'r BenchRecord>) -> Self {
        let mut check = Self::default();
        for record in records {
            check.look_at(record);
            check.sum.add_record(record);
        }
        check
    }

    /// Notes whether the record's key comes before that of the last record.
    #[inline]
    fn look_at(&mut self, record: &BenchRecord) {
        self.is_unordered |= *key(record) < self.last[..];
        self.last.copy_from_slice(key(record));
    }

    #[track_caller]
    fn assert_whole(&self, sum: &Sum) {
        assert!(!self.is_unordered, "a kernel's output is in order");
        assert_eq!(self.sum, *sum, "a kernel's output is its input");
    }
}

#[cfg(test)]
mod tests;
