//! Sorts of numbers in memory, alone or each with a second number. They begin with all elements in
//! a vector, and end when the last one in order was seen.

use std::sync::Arc;

use rayon::slice::ParallelSliceMut as _;
use sortwell::unstable::job::{Budget, Input, Output, SortJob};
use sortwell::unstable::stats::Progress;
use sortwell::unstable_sort::BlockSort;
use sortwell::{ByteSize, Format};
use voracious_radix_sort::{RadixSort as _, Radixable};

use crate::Outcome;
use crate::figures::{Begun, Figures};
use crate::options::Options;
use crate::records::OrderSum;

/// Bytes of a key.
const KEY: usize = 8;

/// The elements that are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// Keys alone.
    Numbers,
    /// Keys, each with its number in the input.
    Pairs,
}

/// A sort in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySort {
    /// The elements are summed in the order in which they are.
    None,
    /// Sortwell, which gets them as bytes and returns blocks of bytes.
    Sortwell,
    Rdst,
    Voracious,
    /// The standard library, by one thread.
    Std,
    Rayon,
    /// Rayon's stable sort.
    RayonStable,
    /// Highway's vectorized quicksort, by one thread; of numbers alone.
    #[cfg(feature = "vqsort")]
    Vqsort,
}

/// An element.
trait Element: voracious_radix_sort::Radixable<u64, Key = u64> + rdst::RadixKey {
    fn new(key: u64, number: u64) -> Self;
    fn add_to(self, sum: &mut OrderSum);

    /// Sorts elements by vectors, if they can be sorted so.
    #[cfg(feature = "vqsort")]
    fn sort_by_vectors(_elements: &mut [Self]) {}
}

impl Element for u64 {
    fn new(key: u64, _number: u64) -> Self {
        key
    }

    fn add_to(self, sum: &mut OrderSum) {
        sum.add(&self.to_le_bytes(), &[]);
    }

    #[cfg(feature = "vqsort")]
    fn sort_by_vectors(elements: &mut [Self]) {
        vqsort_rs::sort(elements);
    }
}

/// A key and a number.
#[derive(Clone, Copy, Debug)]
struct Pair(u64, u64);

impl Element for Pair {
    fn new(key: u64, number: u64) -> Self {
        Self(key, number)
    }

    fn add_to(self, sum: &mut OrderSum) {
        sum.add(&self.0.to_le_bytes(), &self.1.to_le_bytes());
    }
}

impl rdst::RadixKey for Pair {
    const LEVELS: usize = KEY;

    #[inline]
    fn get_level(&self, level: usize) -> u8 {
        (self.0 >> (8 * level)) as u8
    }
}

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.0.partial_cmp(&other.0)
    }
}

impl Radixable<u64> for Pair {
    type Key = u64;

    #[inline]
    fn key(&self) -> u64 {
        self.0
    }
}

impl MemorySort {
    /// Sorts the elements that the options ask for.
    pub fn run(self, elements: Elements, options: &Options) -> Outcome<Figures> {
        match (self, elements) {
            (Self::Sortwell, Elements::Numbers) => by_sortwell::<KEY>(options),
            (Self::Sortwell, Elements::Pairs) => by_sortwell::<{ 2 * KEY }>(options),
            (_, Elements::Numbers) => self.by_crate::<u64>(options),
            (_, Elements::Pairs) => self.by_crate::<Pair>(options),
        }
    }

    fn by_crate<E: Element>(self, options: &Options) -> Outcome<Figures> {
        let elements = each_key(options).map(|(key, number)| E::new(key, number));
        let mut elements: Vec<E> = elements.collect();
        let begun = Begun::now()?;
        match self {
            Self::None | Self::Sortwell => {}
            Self::Rdst => rdst::RadixSort::radix_sort_unstable(&mut elements),
            Self::Voracious => elements.voracious_mt_sort(options.threads),
            Self::Std => elements.sort_unstable_by_key(Radixable::key),
            Self::Rayon => elements.par_sort_unstable_by_key(Radixable::key),
            Self::RayonStable => elements.par_sort_by_key(Radixable::key),
            #[cfg(feature = "vqsort")]
            Self::Vqsort => E::sort_by_vectors(&mut elements),
        }
        let mut sum = OrderSum::default();
        elements.into_iter().for_each(|element| element.add_to(&mut sum));
        Ok(Figures { sum, ..begun.end()? })
    }
}

/// Sorts records of `BYTES` bytes.
fn by_sortwell<const BYTES: usize>(options: &Options) -> Outcome<Figures> {
    let bytes = |(key, number): (u64, u64)| {
        let mut record = [0; BYTES];
        record[..KEY].copy_from_slice(&key.to_le_bytes());
        record[KEY..].copy_from_slice(&number.to_le_bytes()[..BYTES - KEY]);
        record
    };
    let records: Vec<[u8; BYTES]> = each_key(options).map(bytes).collect();
    let begun = Begun::now()?;
    let format = Format::Fixed { length: BYTES as u32 };
    let job = SortJob {
        keys: vec!["0..8:u64le".parse()?],
        memory: Budget::Bytes(ByteSize::mib(options.memory_mib)),
        threads: Some(options.threads),
        ..SortJob::new(vec![Input::Stdin], Output::Stdout, format)
    };
    let mut sort = BlockSort::new(job, Arc::new(Progress::new()));
    sort.push(records.as_flattened())?;
    let (mut blocks, mut sum) = (sort.finish()?, OrderSum::default());
    while let Some(block) = blocks.next_block()? {
        for record in block.chunks_exact(BYTES) {
            sum.add(&record[..KEY], &record[KEY..]);
        }
    }
    blocks.close()?;
    Ok(Figures { sum, ..begun.end()? })
}

/// Returns the keys of the records, each with its number.
fn each_key(options: &Options) -> impl Iterator<Item = (u64, u64)> {
    let mut records = options.records();
    (0..).map_while(move |number| Some((records.next_key()?, number)))
}
