//! Parts of the budget that records cannot use: names of inputs, threads that expand and compress,
//! and more requests in flight than usual.
//!
//! Some of it is a share of the budget. So the least budget that leaves enough is more than the sum
//! of what is taken now and what is lacking, and whoever advises one asks here.

use crate::units::ByteSize;

/// Something that takes a part of the budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reservation {
    /// Bytes of the budget that there is.
    pub bytes: u64,
    /// Divisor of another budget that gives the part, from `least` to `most` bytes; 0 where the
    /// part stays the same.
    share: u64,
    least: u64,
    most: u64,
    /// Bytes by which the part grows beyond the least.
    step: u64,
}

impl Reservation {
    /// Returns a part that takes equal bytes of any budget.
    pub fn fixed(bytes: u64) -> Self {
        Self { bytes, share: 0, least: bytes, most: bytes, step: 1 }
    }

    /// Returns a part that takes `bytes` bytes now. In another budget, it takes the budget divided
    /// by `share`, at least `bytes`.
    pub fn growing(bytes: u64, share: u64) -> Self {
        Self { bytes, share, least: bytes, most: u64::MAX, step: 1 }
    }

    /// Returns this part, with `least` and `most` as its limits in another budget. It grows by
    /// `step` bytes.
    #[must_use]
    pub fn between(self, least: u64, most: u64, step: u64) -> Self {
        Self { least, most, step, ..self }
    }

    /// Returns the number of bytes of another budget, at most.
    fn of(self, budget: u64) -> u64 {
        let Some(part) = budget.checked_div(self.share) else { return self.bytes };
        let more = part.saturating_sub(self.least) / self.step * self.step;
        (self.least + more).min(self.most)
    }
}

/// Most things that take a part.
const PARTS: usize = 13;

/// All parts of the budget that records cannot use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Besides([Reservation; PARTS]);

impl Besides {
    /// Adds a part.
    pub fn add(&mut self, part: Reservation) {
        let free = self.0.iter_mut().find(|part| part.bytes == 0);
        let Some(free) = free else { unreachable!("there are no more than {PARTS} parts") };
        *free = part;
    }

    /// Returns the number of bytes taken of the budget that there is.
    pub fn bytes(&self) -> u64 {
        self.0.iter().map(|part| part.bytes).sum()
    }

    /// Returns the parts of another budget.
    pub fn of(&self, budget: ByteSize) -> Self {
        Self(self.0.map(|part| Reservation { bytes: part.of(budget.bytes()), ..part }))
    }

    /// Returns the rest of the present budget.
    pub fn rest_of(&self, budget: ByteSize) -> ByteSize {
        ByteSize(budget.bytes().saturating_sub(self.bytes()))
    }

    /// Returns the budget, in MiB, that leaves `least` for records.
    pub fn around_mib(&self, least: ByteSize) -> u64 {
        let mut budget = least.bytes().next_multiple_of(1 << 20);
        loop {
            let taken: u64 = self.0.iter().map(|part| part.of(budget)).sum();
            let lacking = (least.bytes() + taken).saturating_sub(budget);
            if lacking == 0 {
                return budget >> 20;
            }
            budget += lacking.next_multiple_of(1 << 20);
        }
    }
}

#[cfg(test)]
mod tests;
