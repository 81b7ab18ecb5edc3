//! Memory: how much of it can be touched without harm, and how fast it comes.
//!
//! The figure of the system is a claim: a machine may page before, or a control group kill. So
//! memory is taken bit by bit, as long as the claim, less a margin, allows. A binary search finds
//! the most of it that can be touched again without paging (`wall`).
//!
//! Memory is filled by writing a byte of each page or, as in NOW-Sort's tool, also by copying a
//! mapped file (`mapped_source`). The system may keep pages of such a file, so that less can be
//! used.
//!
//! Memory that is given back and taken again at once comes as fast as the system clears it. Memory
//! that was in no use for some seconds may have gone to the host of a virtual machine: where we
//! measured, it comes ten times as slowly then.

mod mapped_source;
mod wall;

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use sortwell::unstable::io::{Arena, PageSize, Region};
use sortwell::unstable::profile::MemoryProfile;
use sortwell::unstable::sys::limits;
use sortwell::{ByteSize, Error, Result};
use sortwell::{ConfigErrorKind, Progress};

use self::mapped_source::MappedSource;
use self::wall::{FoundWall, MemoryFit};
use super::{not_started, now};
use crate::samples::median_and_spread;

/// Memory that is taken at a time.
const STEP: u64 = 64 << 20;

/// Memory that is not touched: a share of the claim, as its divisor, and the least.
const MARGIN_SHARE: u64 = 10;
const MARGIN_MIN: u64 = 256 << 20;

/// Measurements of each kind of page.
const TIMES: usize = 3;

/// Measurements of memory that was in use shortly before.
const TIMES_AGAIN: usize = 8;

/// Choices of a measurement of memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryChoices<'a> {
    /// Memory of the claim that is not touched. By default a tenth, and 256 MiB at least.
    pub margin: Option<ByteSize>,
    /// File that memory is also filled from, through mappings.
    pub copied_from: Option<&'a Path>,
}

/// Results of the measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryReport {
    /// The figures.
    pub profile: MemoryProfile,
    /// Reason why no more memory was touched.
    pub end: MemoryEnd,
    /// Sizes that were touched again, in the order in which they were tried.
    pub probes: Vec<MemoryProbe>,
    /// Most bytes that could be touched again without paging, and the first size at least.
    pub wall_bytes: u64,
    /// Memory that could be used when it was filled from a mapped file.
    pub copied: Option<CopiedMemory>,
    /// Largest spread of repeated measurements, as a share of their median.
    pub spread: f64,
}

/// A size that was touched again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryProbe {
    /// Bytes.
    pub bytes: u64,
    /// Utilisation of the processor, from 0 to 1.
    pub utilisation: f64,
}

/// Memory that could be used when it was filled from a mapped file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopiedMemory {
    /// Bytes.
    pub bytes: u64,
    /// Reason why it was not more.
    pub end: MemoryEnd,
}

/// Reason why no more memory was touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryEnd {
    /// All of the claim, less the margin, was there.
    Whole,
    /// More was paged, or hardly any was left.
    Paging,
    /// The time was up.
    Time,
}

impl MemoryEnd {
    /// Returns why a search ended, of which `next` is what came of the next size.
    const fn of(next: MemoryFit) -> Self {
        match next {
            MemoryFit::Fits => Self::Whole,
            MemoryFit::TooMuch => Self::Paging,
            MemoryFit::Unknown => Self::Time,
        }
    }
}

/// Measures memory, in about `time`, or twice as long if there is a file to fill it from; `threads`
/// touch it at the same time.
///
/// # Errors
///
/// [`Error::Config`] where the system does not say what it has, or has hardly any, and for an empty
/// file; [`Error::Io`] where the file cannot be read; [`Error::Interrupted`].
pub fn memory(
    choices: &MemoryChoices<'_>,
    time: Duration,
    threads: usize,
    progress: &Progress,
) -> Result<MemoryReport> {
    let begun = Instant::now();
    let source = choices.copied_from.map(MappedSource::open).transpose()?;
    let (claimed, margin) = claim(choices)?;
    let most = claimed.bytes() - margin;
    let mut growth = HeldMemory::new(most, margin.min(MARGIN_MIN), progress);
    let mut rates = first_rates(&mut growth, threads)?;
    let found = wall::search(STEP, most, |bytes| {
        growth.fits(bytes, begun + time, |growth| {
            let rate = growth.step(PageSize::Huge, threads)?;
            rates[3].extend(rate);
            Ok(rate.is_some())
        })
    })?;
    let wall_bytes = growth.keep(found);
    let end = MemoryEnd::of(found.next);
    let [small_one, small_all, huge_one, huge_all] = rates.map(|rates| median_and_spread(&rates));
    let safe = match end {
        MemoryEnd::Paging => wall_bytes / 100 * wall::SAFE_PERCENT,
        MemoryEnd::Whole | MemoryEnd::Time => wall_bytes,
    };
    let reused = growth.again(threads)?;
    let profile = MemoryProfile {
        measured: now(),
        usable_bytes: safe,
        is_limit: end == MemoryEnd::Paging,
        claimed_bytes: claimed.bytes(),
        small_pages_one: small_one.0,
        small_pages_all: small_all.0,
        huge_pages_one: huge_one.0,
        huge_pages_all: huge_all.0,
        reused_pages_all: reused,
    };
    let copied = source.map(|source| growth.copied(source, time, threads)).transpose()?;
    let spreads = [small_one, small_all, huge_one, huge_all].map(|(_, spread)| spread);
    let spread = spreads.into_iter().fold(0.0, f64::max);
    Ok(MemoryReport { profile, end, probes: growth.probes, wall_bytes, copied, spread })
}

/// Returns the memory that the system says it has, and how much of it is not touched.
fn claim(choices: &MemoryChoices<'_>) -> Result<(ByteSize, u64)> {
    let claimed = limits::memory().ok_or_else(|| {
        Error::config(
            ConfigErrorKind::Unsupported,
            "the system does not say how much memory there is",
        )
    })?;
    let usual = (claimed.bytes() / MARGIN_SHARE).max(MARGIN_MIN);
    let margin = choices.margin.map_or(usual, ByteSize::bytes);
    let most = claimed.bytes().saturating_sub(4 * STEP);
    if let Some(wanted) = choices.margin.filter(|wanted| wanted.bytes() > most && most > 0) {
        return Err(Error::config(
            ConfigErrorKind::InvalidValue,
            format!(
                "--margin {wanted} leaves too little of {claimed} of memory to measure; give a \
                 smaller margin"
            ),
        ));
    }
    if claimed.bytes().saturating_sub(margin) < 4 * STEP {
        return Err(Error::config(
            ConfigErrorKind::Unsupported,
            format!("{claimed} of memory is too little to measure"),
        ));
    }
    Ok((claimed, margin))
}

/// Takes memory in pages of each kind, to one thread and to all, several times. Returns the rates
/// of each.
///
/// # Errors
///
/// [`Error::Config`] if there is too little memory to measure each once.
fn first_rates(growth: &mut HeldMemory<'_>, threads: usize) -> Result<[Vec<f64>; 4]> {
    let kinds = [
        (PageSize::Small, 1),
        (PageSize::Small, threads),
        (PageSize::Huge, 1),
        (PageSize::Huge, threads),
    ];
    let mut rates: [Vec<f64>; 4] = Default::default();
    // By turns, so that what others do meanwhile touches all kinds alike.
    for _ in 0..TIMES {
        for (rates, (pages, threads)) in rates.iter_mut().zip(kinds) {
            rates.extend(growth.step(pages, threads)?);
        }
    }
    if rates.iter().any(Vec::is_empty) {
        let message = format!(
            "only {} of memory could be taken, which is too little to measure; measure again when \
             more is free",
            ByteSize(growth.bytes())
        );
        return Err(Error::config(ConfigErrorKind::Unsupported, message));
    }
    Ok(rates)
}

/// Memory that is taken bit by bit and held, so that each is fresh.
struct HeldMemory<'p> {
    most: u64,
    /// Memory that others keep.
    margin: u64,
    /// File that memory is filled from.
    source: Option<MappedSource>,
    taken: Vec<Region>,
    probes: Vec<MemoryProbe>,
    /// True if some size did not fit; from then on no more than what is tried is held.
    is_short: bool,
    progress: &'p Progress,
}

impl<'p> HeldMemory<'p> {
    fn new(most: u64, margin: u64, progress: &'p Progress) -> Self {
        let (taken, probes, is_short) = (Vec::new(), Vec::new(), false);
        Self { most, margin, source: None, taken, probes, is_short, progress }
    }

    /// Gives all back, and returns how much fits if it is filled from a mapped file.
    fn copied(
        &mut self,
        source: MappedSource,
        time: Duration,
        threads: usize,
    ) -> Result<CopiedMemory> {
        self.hold(0);
        (self.source, self.is_short) = (Some(source), false);
        let (until, most) = (Instant::now() + time, self.most);
        let fits = |bytes| {
            self.fits(bytes, until, |held| Ok(held.step(PageSize::Huge, threads)?.is_some()))
        };
        let found = wall::search(STEP, most, fits)?;
        Ok(CopiedMemory { bytes: found.bytes, end: MemoryEnd::of(found.next) })
    }

    /// Returns the number of bytes that were touched without harm.
    fn bytes(&self) -> u64 {
        self.taken.iter().map(|region| region.len() as u64).sum()
    }

    /// Returns whether `bytes` can be touched again without paging. Takes what is missing of them
    /// with `more`, which returns whether there was any.
    fn fits(
        &mut self,
        bytes: u64,
        until: Instant,
        mut more: impl FnMut(&mut Self) -> Result<bool>,
    ) -> Result<MemoryFit> {
        if self.is_short {
            self.hold(bytes);
        }
        while self.bytes() < bytes {
            if Instant::now() >= until {
                return Ok(MemoryFit::Unknown);
            }
            if !more(self)? {
                self.is_short = true;
                return Ok(MemoryFit::TooMuch);
            }
        }
        let utilisation = wall::utilisation(&mut self.taken[..(bytes / STEP) as usize]);
        self.probes.push(MemoryProbe { bytes, utilisation });
        if utilisation >= wall::PRESENT {
            return Ok(MemoryFit::Fits);
        }
        self.is_short = true;
        Ok(MemoryFit::TooMuch)
    }

    /// Gives back what is more than was found to fit. Returns the bytes that may be kept: the first
    /// size at least, as the rate of reused memory is measured with it.
    fn keep(&mut self, found: FoundWall) -> u64 {
        let bytes = found.bytes.max(STEP);
        self.hold(bytes);
        bytes
    }

    /// Gives back what is more than `bytes`.
    fn hold(&mut self, bytes: u64) {
        self.taken.truncate((bytes / STEP) as usize);
    }

    /// Takes more; bytes per second, if there was any.
    fn step(&mut self, pages: PageSize, threads: usize) -> Result<Option<f64>> {
        if self.progress.is_stopping() {
            return Err(Error::Interrupted);
        }
        if self.bytes() + STEP > self.most {
            return Ok(None);
        }
        // Others take memory too, while this grows.
        let left = limits::memory().map_or(u64::MAX, ByteSize::bytes);
        if left < STEP + self.margin {
            return Ok(None);
        }
        let (rate, mut region) = fresh(STEP, pages, threads)?;
        if let Some(source) = &mut self.source {
            region = source.fill(region)?;
        }
        self.progress.moved(STEP);
        self.taken.push(region);
        Ok(Some(rate))
    }

    /// Gives the last of it back and takes as much again, at once; bytes per second, the most of
    /// several times, as what comes may be in part what was in no use for long.
    fn again(&mut self, threads: usize) -> Result<f64> {
        let mut most = 0.0_f64;
        for _ in 0..TIMES_AGAIN.min(self.taken.len()) {
            drop(self.taken.pop());
            let (rate, region) = fresh(STEP, PageSize::Huge, threads)?;
            most = most.max(rate);
            self.taken.insert(0, region);
        }
        Ok(most)
    }
}

/// Touches new memory with all threads. Returns the bytes per second, and the memory.
///
/// # Errors
///
/// Memory that is not available, and a thread that cannot be started.
fn fresh(bytes: u64, pages: PageSize, threads: usize) -> Result<(f64, Region)> {
    let mut rest = Arena::of_pages(ByteSize(bytes), pages)?;
    let share = rest.len() / threads.max(1) / PART * PART;
    let mut parts = Vec::with_capacity(threads);
    for _ in 1..threads {
        let behind = rest.split_off(share);
        parts.push(std::mem::replace(&mut rest, behind));
    }
    parts.push(rest);
    let begun = Instant::now();
    let touched: Result<()> = thread::scope(|scope| {
        for part in &mut parts {
            let started = thread::Builder::new().spawn_scoped(scope, || part.touch());
            started.map_err(not_started)?;
        }
        Ok(())
    });
    touched?;
    let seconds = begun.elapsed().as_secs_f64();
    Ok((bytes as f64 / seconds.max(f64::MIN_POSITIVE), Region::join_all(parts)))
}

/// Parts begin at whole huge pages.
const PART: usize = 2 << 20;

#[cfg(test)]
mod tests;
