//! Refills of the buffers of runs, and the wait for them.

use std::time::Instant;

use super::Feed;
use crate::error::Result;
use crate::io::Completion;
use crate::sink::count;
use crate::stats;

impl Feed<'_> {
    /// Reads run `number` of the pool into `window`; bytes read, none only at the end.
    pub(super) fn read_buffered(&mut self, number: usize, window: &mut [u8]) -> Result<usize> {
        while self.pool.is_reading()
            && let Some(completion) = self.queue.poll()?
        {
            self.arrive(completion);
        }
        while !self.pool.has_bytes(number) {
            if self.pool.is_over(number)? {
                return Ok(0);
            }
            self.refill(Some(number))?;
            // A fault of the table is no refill.
            if !self.waits && self.pool.is_reading() {
                self.wait_for_refill()?;
            }
        }
        let bytes = self.pool.take(number, window);
        self.refill(None)?;
        Ok(bytes)
    }

    /// Begins the refills for which there is memory: that of run `waiting` first.
    fn refill(&mut self, waiting: Option<usize>) -> Result<()> {
        while let Some(request) = self.pool.next_refill(waiting) {
            let in_flight = (self.queue.in_flight() + 1).min(self.depth);
            count(&mut self.counters.reads, &request, in_flight);
            count(&mut self.run_reads.0, &request, in_flight);
            self.progress.read_begins();
            self.queue.submit(request)?;
            if self.waits {
                self.wait_for_refill()?;
            }
        }
        Ok(())
    }

    /// Waits for any refill.
    pub(super) fn wait_for_refill(&mut self) -> Result<()> {
        let begun = Instant::now();
        let completion = self.queue.wait()?;
        self.count_waiting(stats::Stream::SpillRead, begun.elapsed());
        let Some(completion) = completion else { unreachable!("a refill is in flight") };
        self.arrive(completion);
        Ok(())
    }

    fn arrive(&mut self, completion: Completion) {
        self.progress.read_ends(stats::Stream::SpillRead, completion.took);
        let bytes = self.pool.arrive(completion);
        self.count(stats::Stream::SpillRead, bytes);
    }
}
