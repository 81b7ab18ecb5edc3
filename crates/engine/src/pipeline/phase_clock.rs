//! The account of a phase: time, processor time and bytes, from when it was entered.

use std::time::Instant;

use crate::sink::LaneCounters;
use crate::stats::{Phase, PhaseTime};
use crate::sys::limits::{self, ProcessorTime};

/// A moment, and what was used and moved until then.
#[derive(Clone, Copy, Debug)]
pub struct PhaseClock {
    time: Instant,
    used: ProcessorTime,
    moved: LaneCounters,
}

impl PhaseClock {
    /// Returns this moment, with `moved` bytes and requests until now.
    pub fn now(moved: LaneCounters) -> Self {
        Self { time: Instant::now(), used: limits::processor_time(), moved }
    }

    /// Returns the account of a phase that was entered now and ended `then`.
    pub fn until(&self, then: &Self, phase: Phase) -> (PhaseTime, LaneCounters) {
        let moved = then.moved.since(self.moved);
        let time = PhaseTime {
            phase,
            seconds: (then.time - self.time).as_secs_f64(),
            io_wait_seconds: moved.waited.total().as_secs_f64(),
            user_seconds: then.used.user_seconds - self.used.user_seconds,
            system_seconds: then.used.system_seconds - self.used.system_seconds,
        };
        (time, moved)
    }
}
