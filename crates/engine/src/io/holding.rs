//! Accounts of the bytes in a job's temporary files, place by place, and of each place's speed.
//!
//! A file that [counts](super::File::count_in) in a [`Holding`] claims bytes before they are
//! written: all at once where room is reserved for them, else as it grows. So an [`Allowance`] is
//! never exceeded.
//!
//! The clock of a place runs while at least one write to it is under way. Bytes written over that
//! time are its speed: waiting for the input is no part of it, waiting for processors may be, as an
//! end is noticed only when a worker looks. What the page cache takes, it takes at the speed of
//! memory until the kernel holds writers back. The cost is a lock at either end of a request.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::units::ByteSize;

/// Fewer bytes tell more of the moment than of the disk.
const TELLING_BYTES: u64 = 32 << 20;

/// Limit for all temporary files of a job together.
#[derive(Debug)]
pub struct Allowance {
    limit: u64,
    used: AtomicU64,
}

impl Allowance {
    /// Returns an allowance of `limit` bytes; unlimited without a number.
    pub fn new(limit: Option<ByteSize>) -> Arc<Self> {
        let limit = limit.map_or(u64::MAX, ByteSize::bytes);
        Arc::new(Self { limit, used: AtomicU64::new(0) })
    }

    /// Checks that `more` bytes will be allowed for.
    ///
    /// # Errors
    ///
    /// [`Error::OverLimit`] with the numbers.
    pub fn check(&self, more: u64) -> Result<()> {
        let needed = self.used.load(Ordering::Relaxed).saturating_add(more);
        if needed <= self.limit {
            return Ok(());
        }
        Err(Error::OverLimit { needed: Some(ByteSize(needed)), limit: ByteSize(self.limit) })
    }

    fn claim(&self, bytes: u64) -> Result<()> {
        let within = |used: u64| used.checked_add(bytes).filter(|used| *used <= self.limit);
        match self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, within) {
            Ok(_) => Ok(()),
            Err(_) => Err(Error::OverLimit { needed: None, limit: ByteSize(self.limit) }),
        }
    }
}

/// Bytes of a job's temporary files in one place.
#[derive(Debug)]
pub struct Holding {
    allowance: Arc<Allowance>,
    bytes: AtomicU64,
    clock: Mutex<BusyClock>,
}

impl Holding {
    /// Returns the holding of a place that has `bytes` bytes already. These count even beyond the
    /// allowance.
    pub fn new(allowance: &Arc<Allowance>, bytes: u64) -> Arc<Self> {
        allowance.used.fetch_add(bytes, Ordering::Relaxed);
        let (allowance, bytes) = (Arc::clone(allowance), AtomicU64::new(bytes));
        Arc::new(Self { allowance, bytes, clock: Mutex::default() })
    }

    /// Returns the bytes it holds, or is about to.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Claims bytes that are about to be written.
    ///
    /// # Errors
    ///
    /// [`Error::OverLimit`] where they are not allowed for.
    pub fn claim(&self, bytes: u64) -> Result<()> {
        self.allowance.claim(bytes)?;
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Gives bytes up that were claimed and are gone, or have not come.
    pub fn release(&self, bytes: u64) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.allowance.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Returns the bytes written per second while writes were under way, once there are enough.
    pub fn speed(&self) -> Option<f64> {
        self.clock().speed(Instant::now())
    }

    fn clock(&self) -> MutexGuard<'_, BusyClock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Share of one file in a holding.
#[derive(Debug)]
pub struct HoldingShare {
    holding: Arc<Holding>,
    /// Claimed so far: the end of the file.
    claimed: AtomicU64,
    /// Set for good once a write has failed.
    has_failed: AtomicBool,
}

impl HoldingShare {
    /// Returns the share of a file that has claimed `claimed` bytes.
    pub fn new(holding: &Arc<Holding>, claimed: u64) -> Self {
        let (claimed, has_failed) = (AtomicU64::new(claimed), AtomicBool::new(false));
        Self { holding: Arc::clone(holding), claimed, has_failed }
    }

    /// Notes that a write up to the byte `end` is about to begin.
    ///
    /// # Errors
    ///
    /// [`Error::OverLimit`] where the file grows by more than is allowed for.
    pub fn write_begins(&self, end: u64) -> Result<()> {
        // Whoever holds the clock claims: what is refused was never claimed.
        let mut clock = self.holding.clock();
        let claimed = self.claimed.load(Ordering::Relaxed);
        if end > claimed {
            self.holding.claim(end - claimed)?;
            self.claimed.store(end, Ordering::Relaxed);
        }
        clock.begin(Instant::now());
        Ok(())
    }

    /// Notes that a write has failed: whatever else is written, the file is not whole.
    pub fn write_failed(&self) {
        self.has_failed.store(true, Ordering::Release);
        self.write_ended(0);
    }

    /// Returns whether a write has failed.
    pub fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Acquire)
    }

    /// Notes that a write of `bytes` bytes has ended.
    pub fn write_ended(&self, bytes: u64) {
        self.holding.clock().end(Instant::now(), bytes);
    }

    /// Gives up what was claimed: the file is gone.
    pub fn give_up(&self) {
        self.holding.release(self.claimed.swap(0, Ordering::Relaxed));
    }
}

/// Runs while something is under way.
#[derive(Debug, Default)]
struct BusyClock {
    under_way: u64,
    /// Since when, where something is.
    since: Option<Instant>,
    /// Time before that.
    busy: Duration,
    bytes: u64,
}

impl BusyClock {
    fn begin(&mut self, now: Instant) {
        self.under_way += 1;
        self.since.get_or_insert(now);
    }

    fn end(&mut self, now: Instant, bytes: u64) {
        assert!(self.under_way > 0, "what ends has begun");
        self.under_way -= 1;
        self.bytes += bytes;
        if self.under_way == 0 {
            self.busy = self.busy(now);
            self.since = None;
        }
    }

    fn busy(&self, now: Instant) -> Duration {
        let current = self.since.map(|since| now.saturating_duration_since(since));
        self.busy + current.unwrap_or_default()
    }

    fn speed(&self, now: Instant) -> Option<f64> {
        let seconds = self.busy(now).as_secs_f64();
        (self.bytes >= TELLING_BYTES && seconds > 0.0).then(|| self.bytes as f64 / seconds)
    }
}

#[cfg(test)]
mod tests;
