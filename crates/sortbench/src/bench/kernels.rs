//! The sorts in memory of the classics, measured anew: AlphaSort's QuickSorts and tournament,
//! NOW-Sort's buckets and radix, psort's microruns, and what sortwell does in their place.
//!
//! All of it is on one thread, in memory that was touched before, and checked: every output is
//! asserted to be in order and to be its input. `quicksort`, `buckets` and `tournament` are the
//! kernels; `quicksorts`, `nowsort`, `microruns` and `selection` are what is measured of them, a
//! file for each paper's figure; `own` is what the library does; `memory` and `meter` measure.

mod buckets;
mod entries;
mod memory;
mod meter;
mod microruns;
mod nowsort;
#[cfg(test)]
mod orders;
mod own;
mod quicksort;
mod quicksorts;
mod selection;
mod tournament;

use sortwell::ConfigErrorKind;
use sortwell::unstable::sys::counters::CounterEvent;
use sortwell::unstable::sys::limits;
use sortwell::{ByteSize, Error, Result};

use self::meter::{KernelCounts, KernelMeter, Section};
use super::finding::{Cell, FigureSource, FigureTable, Finding, FindingSetting};
use super::ground::Ground;
use super::{papers, text};
use crate::samples::Spread;

/// Numbers of records and keys that are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelSizes {
    /// Records of the QuickSorts.
    pub records: u64,
    /// Most keys of the others.
    pub keys: u64,
}

impl KernelSizes {
    /// AlphaSort's number of records, and as many keys as a minute or two allow.
    pub const USUAL: Self = Self { records: 1_000_000, keys: 10_000_000 };

    /// Most of either: pointers have 32 bits.
    pub const MOST: u64 = u32::MAX as u64;
}

/// Fewest keys of NOW-Sort's sorts, and how many times as many come next.
const KEYS_LEAST: usize = 100_000;
const KEYS_GROWTH: usize = 10;

/// Memory that is left to the rest of the program.
const MARGIN: u64 = 64 << 20;

const ABOUT: &str = "Sorts in memory on one thread, with checked results: the methods of \
                     AlphaSort, NOW-Sort and psort in one language, next to those of sortwell. \
                     Memory is touched before the clock starts.";

const UNFAIR: [&str; 8] = [
    "The machines are thirty years apart. AlphaSort measured these QuickSorts at 150 MHz; the \
     paper gives a cache of 4 MB for another machine, the DEC 7000. NOW-Sort's machine is an \
     UltraSPARC Model 170 with a cache of 512 KB. A processor of today runs several instructions \
     per cycle, and a miss costs it hundreds of them. Compare the factors between two methods \
     only.",
    "Keys here are 10 random bytes, compared as bytes; AlphaSort's were three integers of 4 \
     bytes. Random keys suit prefixes and buckets; long common prefixes would slow both down.",
    "One plain quicksort with bounds checks stands for those of the authors, and the compiler is \
     a new one. Nothing here is their code.",
    "sortwell's methods are tuned for machines like this one. The others are not, and have no \
     prefetching and no stores past the cache. sortwell's output also copies records; the others' \
     does not.",
    "Memory is in huge pages if the system has them, and is touched before; the machines of the \
     papers had pages of 8 KB.",
    "The sizes of buckets and lines suit most processors, and are not tuned to this one. All runs \
     of a measurement share one allocation.",
    "AlphaSort's tree nodes used cache lines of 32 bytes, these use lines of 64.",
    "Other programs may run on the machine, and share its last cache and its memory.",
];

/// Printed tables that the bench shows: those of QuickSorts first, then NOW-Sort's, then those of
/// replacement selection.
pub(super) const PRINTED: [&str; 6] = [
    "quicksorts",
    "quicksort-talk",
    "clock-alphasort",
    "instructions-alphasort",
    "shares-now",
    "replacement-selection",
];

/// The number of tables of QuickSorts, and of those before replacement selection.
const QUICKSORTS: usize = 4;
const SELECTION: usize = 5;

/// Measures all kernels.
///
/// # Errors
///
/// [`Error::Config`] where memory does not hold what is asked for; [`Error::Interrupted`].
pub fn kernels(ground: &Ground, sizes: KernelSizes) -> Result<Finding> {
    let [records, keys] = in_memory(sizes, limits::memory())?;
    let mut meter = KernelMeter::new(ground.runs, ground.progress);
    let quicksorts = quicksorts::measure(&mut meter, records)?;
    let nowsort = nowsort::measure(&mut meter, &numbers(keys))?;
    let microruns = microruns::measure(&mut meter, keys)?;
    let selection = selection::measure(&mut meter, keys)?;
    let answer = answer([&quicksorts, &nowsort, &selection], meter.without_counters());
    let mut all = Section::default();
    for (section, names) in [
        (quicksorts, &PRINTED[..QUICKSORTS]),
        (nowsort, &PRINTED[QUICKSORTS..SELECTION]),
        (microruns, &[]),
        (selection, &PRINTED[SELECTION..]),
    ] {
        all.tables.extend(section.tables);
        all.tables.extend(papers::tables(names));
        all.charts.extend(section.charts);
        all.samples.extend(section.samples);
        all.counted.extend(section.counted);
    }
    all.tables.extend(counted(&all.counted));
    Ok(Finding {
        bench: "kernels",
        title: "sorts in memory: AlphaSort's, NOW-Sort's, psort's and sortwell's",
        about: ABOUT.to_owned(),
        answer,
        tables: all.tables,
        charts: all.charts,
        unfair: UNFAIR.map(str::to_owned).to_vec(),
        references: papers::references(&PRINTED),
        setting: FindingSetting { cold: "in memory, which was touched before", ..ground.setting() },
        samples: all.samples,
    })
}

/// Returns the sizes that fit in `memory`.
fn in_memory(sizes: KernelSizes, memory: Option<ByteSize>) -> Result<[usize; 2]> {
    let KernelSizes { records, keys } = sizes;
    let [records, keys] = [("records", records), ("keys", keys)].map(|(name, number)| {
        let is_known = (1..=KernelSizes::MOST).contains(&number);
        let wrong = || {
            Error::config(
                ConfigErrorKind::InvalidValue,
                format!("{number} {name} are too many; give 1 to {}", KernelSizes::MOST),
            )
        };
        usize::try_from(number).ok().filter(|_| is_known).ok_or_else(wrong)
    });
    let (records, keys) = (records?, keys?);
    let of_keys = [nowsort::bytes_needed, microruns::bytes_needed, selection::bytes_needed];
    let of_keys = of_keys.map(|needed| needed(keys)).into_iter().max().unwrap_or(0);
    for (number, name, needed) in
        [(records, "--records", quicksorts::bytes_needed(records)), (keys, "--keys", of_keys)]
    {
        if let Some(available) = memory.filter(|memory| memory.0 < needed + MARGIN) {
            return Err(Error::config(
                ConfigErrorKind::InvalidValue,
                format!(
                    "{name} {number} needs {} of memory, but only {available} is free; give a \
                     smaller number",
                    ByteSize(needed + MARGIN)
                ),
            ));
        }
    }
    Ok([records, keys])
}

/// Returns numbers of keys up to the most.
fn numbers(keys: usize) -> Vec<usize> {
    let numbers = std::iter::successors(Some(KEYS_LEAST), |keys| keys.checked_mul(KEYS_GROWTH));
    let mut numbers: Vec<usize> = numbers.take_while(|number| *number < keys).collect();
    numbers.push(keys);
    numbers
}

/// Returns the table of processor counts, if any.
fn counted(kernels: &[KernelCounts]) -> Option<FigureTable> {
    let is_known = |place: usize| kernels.iter().any(|kernel| kernel.counts[place].is_some());
    let known: Vec<usize> = (0..CounterEvent::ALL.len()).filter(|place| is_known(*place)).collect();
    let mut columns = vec!["kernel, records".to_owned()];
    columns.extend(
        known.iter().map(|place| format!("{} per record", CounterEvent::ALL[*place].name())),
    );
    let row = |kernel: &KernelCounts| {
        let cells = known.iter().map(|place| Cell::from(kernel.counts[*place]));
        std::iter::once(kernel.of.as_str().into()).chain(cells).collect()
    };
    (!known.is_empty()).then(|| FigureTable {
        title: "Processor counters".into(),
        source: FigureSource::Measured,
        columns,
        rows: kernels.iter().map(row).collect(),
        note: "In user mode. The processor decides which cache's misses it counts.".into(),
    })
}

/// Returns the answer in a few sentences: the best and the worst of each paper's, and sortwell.
fn answer(of: [&Section; 3], without_counters: Option<&str>) -> String {
    let [quicksorts, nowsort, selection] = of;
    let median = |section: &Section, of: &str| {
        let samples = section.samples.iter().rfind(|samples| samples.of.starts_with(of));
        samples.map_or(f64::NAN, |samples| Spread::of(&samples.values).median)
    };
    let seconds =
        quicksorts::WAYS.map(|way| text::figure(median(quicksorts, &format!("{way}, all"))));
    let nanoseconds = nowsort::WAYS.map(|way| text::figure(median(nowsort, &format!("{way}, "))));
    let [pointer, key, prefix, record, own] = seconds;
    let [quicksort, buckets, radix, own_radix] = nanoseconds;
    let [base, plain, clustered, _] =
        selection::WAYS.map(|way| median(selection, &format!("{way}, ")));
    // Few keys have no tree.
    let trees = if base.is_nan() {
        String::new()
    } else {
        let [plain, clustered] = [plain, clustered].map(|tree| text::figure(tree / base));
        format!(
            " The largest tournament took {plain} times as long as quicksort, and {clustered} \
             times with nodes in cache lines."
        )
    };
    let counters = without_counters
        .map_or_else(String::new, |why| format!(" No cycles, instructions or misses: {why}."));
    format!(
        "QuickSort took {pointer} s by pointers, {key} s by keys with pointers, {prefix} s by key \
         prefixes with pointers and {record} s of whole records; sortwell took {own} s. Of the \
         most keys, quicksort took {quicksort} ns each, bucket + quicksort {buckets}, bucket + \
         partial radix {radix}, and sortwell {own_radix}.{trees}{counters}"
    )
}

#[cfg(test)]
mod tests;
