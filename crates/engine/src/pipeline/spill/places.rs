//! Places of runs: directories of our own in each place the user named, made when first needed, and
//! what each place holds.
//!
//! A run goes to the place that its share calls for (`share`). Where that turns out to be full
//! before anything is written, as room for a run is reserved beforehand, another one takes it.

use std::path::Path;
use std::sync::Arc;

use super::room::Systems;
use super::share::{self, SpillStanding};
use crate::error::Result;
use crate::io::{Allowance, Holding, directory_of};
use crate::manifest::Past;
use crate::run::{Run, RunWriter};
use crate::stripe::{SpillPlace, SpillSet, spilled};
use crate::sys::limits;
use crate::units::ByteSize;

/// Files that are open at least for each member of a place: its lock, a run that is written, its
/// table, and two runs that are merged.
const RUN_FILES: usize = 5;

/// And those that are for a moment only.
const PASSING_FILES: usize = 1;

/// Bytes that a new run will take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// This number of bytes.
    Known(u64),
    /// This number of bytes or fewer.
    AtMost(u64),
    /// Nobody knows.
    Unknown,
}

/// The places of one job; directories are removed when dropped, unless they are kept.
#[derive(Debug)]
pub struct SpillSpots {
    /// Places as the user named them.
    named: Vec<SpillPlace>,
    made: Vec<SpillSpot>,
    allowance: Arc<Allowance>,
    /// Runs named so far.
    runs: usize,
}

#[derive(Debug)]
struct SpillSpot {
    set: SpillSet,
    holding: Arc<Holding>,
}

impl SpillSpots {
    /// Places for temporary files of at most `limit` bytes together. Nothing is made yet.
    pub fn new(named: Vec<SpillPlace>, limit: Option<ByteSize>) -> Self {
        assert!(!named.is_empty());
        Self { named, made: Vec::new(), allowance: Allowance::new(limit), runs: 0 }
    }

    /// Returns places in existing directories, where a number of names of runs are taken and runs
    /// of `past` lie.
    pub fn kept(
        sets: Vec<SpillSet>,
        past: Option<&Past>,
        runs: usize,
        limit: Option<ByteSize>,
    ) -> Self {
        let allowance = Allowance::new(limit);
        let place = |set: SpillSet| {
            let lie_there = |run: &&Run| run.path.parent() == Some(set.home());
            let kept = past.iter().flat_map(|past| &past.runs).filter(lie_there);
            let bytes = kept.map(file_bytes).sum();
            SpillSpot { set, holding: Holding::new(&allowance, bytes) }
        };
        let made = sets.into_iter().map(place).collect();
        Self { named: Vec::new(), made, allowance, runs }
    }

    /// Returns where directories are made when they are needed.
    pub fn named(&self) -> &[SpillPlace] {
        &self.named
    }

    /// Files of the system that a run is made of, at most.
    pub fn members(&self) -> usize {
        let named = self.named.iter().map(SpillPlace::members);
        named.chain(self.made.iter().map(|place| place.set.members())).max().unwrap_or(1)
    }

    /// Returns the number of locks still to be opened, apart from those of the largest place.
    pub fn further_locks(&self) -> usize {
        let named = self.named.iter().map(SpillPlace::members);
        let all: usize = named.clone().sum();
        if self.made.is_empty() { all - named.max().unwrap_or(0) } else { 0 }
    }

    /// Returns the first directory, which has to be there.
    pub fn first(&self) -> &Path {
        self.made[0].set.home()
    }

    /// Removes everything when this is dropped: it is of no more use.
    pub fn forget(&mut self) {
        self.made.iter_mut().for_each(|place| place.set.keep(false));
    }

    /// Checks that `bytes` more bytes will be allowed for.
    pub fn check_limit(&self, bytes: u64) -> Result<()> {
        self.allowance.check(bytes)
    }

    /// Checks that `bytes` more bytes fit, in pieces of `piece_bytes` at most. Where the file
    /// system `freed` is one of theirs, which gets room back meanwhile, `beside` bytes are enough.
    pub fn check_space(
        &self,
        bytes: u64,
        piece_bytes: u64,
        freed: Option<u64>,
        beside: u64,
    ) -> Result<()> {
        let mut systems = Systems::default();
        for place in &self.named {
            systems.add(place.directories())?;
        }
        for place in &self.made {
            // A directory of ours may be gone before the message is read.
            let around = |(path, stride)| (directory_of(path), stride);
            systems.add(place.set.directories().map(around))?;
        }
        systems.check(bytes, piece_bytes, freed, beside)
    }

    /// Creates the file of the next run, of this size, with `create`.
    ///
    /// # Errors
    ///
    /// [`Error::OverLimit`](crate::Error::OverLimit) where it would be too much; that of the place
    /// that was asked first where all are full.
    pub fn create(
        &mut self,
        size: Size,
        create: impl Fn(&Path) -> Result<RunWriter>,
    ) -> Result<RunWriter> {
        self.make()?;
        let name = format!("run-{:06}", self.runs);
        self.runs += 1;
        let (bytes, claimed) = match size {
            Size::Known(bytes) => (bytes, bytes),
            Size::AtMost(bytes) => (bytes, 0),
            Size::Unknown => (u64::MAX, 0),
        };
        let mut refusal = None;
        for number in self.in_order(bytes)? {
            let SpillSpot { set, holding } = &self.made[number];
            holding.claim(claimed)?;
            let error = match create(&set.home().join(&name)) {
                Ok(run) => {
                    run.count_in(holding, claimed);
                    return Ok(run);
                }
                Err(error) => error,
            };
            holding.release(claimed);
            if !error.is_full() {
                return Err(error);
            }
            refusal.get_or_insert(error);
        }
        Err(refusal.unwrap_or_else(|| unreachable!("one place at least was asked")))
    }

    /// Removes a run that has been merged.
    pub fn remove(&self, run: &Run) -> Result<()> {
        let bytes = file_bytes(run);
        spilled::remove(&run.path)?;
        let lies_in = |place: &&SpillSpot| run.path.parent() == Some(place.set.home());
        self.made.iter().find(lies_in).inspect(|place| place.holding.release(bytes));
        Ok(())
    }

    /// Makes the directories. What is too full for one is left out, as long as another is not.
    fn make(&mut self) -> Result<()> {
        if !self.made.is_empty() {
            return Ok(());
        }
        let needed = PASSING_FILES + RUN_FILES * self.members() + self.further_locks();
        limits::check_open_files(limits::open_files_left(), needed)?;
        let mut refusal = None;
        for place in &self.named {
            match SpillSet::create(place) {
                Ok(set) => {
                    let holding = Holding::new(&self.allowance, 0);
                    self.made.push(SpillSpot { set, holding });
                }
                Err(e) if e.is_full() => refusal = Some(e),
                Err(e) => return Err(e),
            }
        }
        match refusal {
            Some(e) if self.made.is_empty() => Err(e),
            _ => Ok(()),
        }
    }

    /// Returns the places in the order in which they are asked to take a run.
    fn in_order(&self, bytes: u64) -> Result<Vec<usize>> {
        if let [_] = &self.made[..] {
            return Ok(vec![0]);
        }
        let standing = |place: &SpillSpot| {
            let (speed, held) = (place.holding.speed(), place.holding.bytes());
            let mut systems = Systems::default();
            systems.add(place.set.directories())?;
            let free = systems.room(0);
            Ok(SpillStanding { speed, held, free })
        };
        let standings: Vec<SpillStanding> =
            self.made.iter().map(standing).collect::<Result<_>>()?;
        Ok(share::in_order(&standings, bytes))
    }
}

/// Returns the number of bytes of the file of a run that is written.
fn file_bytes(run: &Run) -> u64 {
    spilled::bytes(&run.path).ok().flatten().unwrap_or(run.bytes)
}

#[cfg(test)]
mod tests;
