//! The live counters of a job.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{
    Course, Forecast, Histogram, Phase, PhaseShare, SourceShare, Stream, StreamLatency, Waits,
};

/// The live counters of one job, a sort or a benchmark's. Shared by reference; every method takes
/// `&self`.
#[derive(Debug, Default)]
pub struct Progress {
    stop: StopRequest,
    /// True while workers of a job that has failed still run.
    is_failing: AtomicBool,
    counters: Arc<ProgressCounters>,
}

/// The counters of a job, and of all jobs that are [parts](Progress::part) of it.
#[derive(Debug, Default)]
struct ProgressCounters {
    /// True after a job has ended well, until the next one begins.
    is_complete: AtomicBool,
    phase: AtomicU8,
    /// Bytes moved so far, reads and writes of every pass together.
    bytes_done: AtomicU64,
    /// Bytes the plan will move, reads and writes of every pass; 0 while unknown (a pipe).
    bytes_total: AtomicU64,
    /// The phases, as far as they are known, and how far it is.
    course: Mutex<Course>,
    /// Bytes moved of each stream.
    streams: [AtomicU64; Stream::ALL.len()],
    reads_in_flight: AtomicU64,
    writes_in_flight: AtomicU64,
    /// Time that workers were blocked on I/O, all together.
    waited_nanoseconds: [AtomicU64; Stream::ALL.len()],
    /// Durations of requests of each stream. Locked for a moment, once per request.
    latencies: [Mutex<Histogram>; Stream::ALL.len()],
}

/// The request that a job stops. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopRequest {
    own: Arc<AtomicBool>,
    /// The request to the job that this one is a part of.
    of_whole: Option<Arc<Self>>,
}

impl StopRequest {
    /// Returns true once the job, or the one that it is a part of, was asked to stop.
    #[inline]
    pub(crate) fn is_made(&self) -> bool {
        let is_whole_stopped = || self.of_whole.as_ref().is_some_and(|whole| whole.is_made());
        self.own.load(Ordering::Relaxed) || is_whole_stopped()
    }
}

impl Progress {
    /// Returns the counters of a job that has not begun.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the progress of one of several jobs that this is the progress of. It has the same
    /// counters, and a stop of the whole stops the part. A stop or a failure of the part does not
    /// concern the others.
    #[must_use]
    pub fn part(&self) -> Self {
        let of_whole = Some(Arc::new(self.stop.clone()));
        let stop = StopRequest { own: Arc::default(), of_whole };
        Self { stop, is_failing: AtomicBool::new(false), counters: Arc::clone(&self.counters) }
    }

    /// Asks the job to stop; it ends within about a second with [`Error::Interrupted`].
    ///
    /// [`Error::Interrupted`]: crate::Error::Interrupted
    pub fn request_stop(&self) {
        self.stop.own.store(true, Ordering::Relaxed);
    }

    /// Returns true if the job was asked to stop, or is ending because of an error. Nothing is
    /// worth waiting for then.
    pub fn is_stopping(&self) -> bool {
        self.is_stop_requested() || self.is_failing.load(Ordering::Relaxed)
    }

    /// Returns true if the job was asked to stop.
    pub(crate) fn is_stop_requested(&self) -> bool {
        self.stop.is_made()
    }

    /// Returns the request that the job stops.
    pub(crate) fn stop_of_job(&self) -> StopRequest {
        self.stop.clone()
    }

    /// Sets whether the job fails. Its workers then stop waiting, as after a
    /// [request](Self::request_stop), and the worker with the error reports it.
    pub(crate) fn set_failing(&self, is_failing: bool) {
        self.is_failing.store(is_failing, Ordering::Relaxed);
    }

    /// Returns the current phase.
    pub fn phase(&self) -> Phase {
        Phase::ALL[usize::from(self.counters.phase.load(Ordering::Relaxed))]
    }

    /// Returns the bytes moved so far and the total to move (`None` while unknown). Both count the
    /// reads and writes of every pass, so their quotient is the fraction of the work done.
    pub fn bytes(&self) -> (u64, Option<u64>) {
        let total = self.counters.bytes_total.load(Ordering::Relaxed);
        (self.counters.bytes_done.load(Ordering::Relaxed), (total > 0).then_some(total))
    }

    /// Returns the share of the work that is done, from 0 to 1; `None` while the total is unknown.
    pub fn done(&self) -> Option<f64> {
        if self.counters.is_complete.load(Ordering::Relaxed) {
            return Some(1.0);
        }
        let (done, total) = self.bytes();
        self.course(|course| match course.is_known() {
            true => course.done(done),
            false => total.map(|total| (done as f64 / total as f64).min(1.0)),
        })
    }

    /// Returns the estimated remaining time; `None` while it is unknown.
    pub fn left(&self) -> Option<Duration> {
        let (done, total) = self.bytes();
        let now = Instant::now();
        self.course(|course| match course.is_known() {
            true => course.left(done, now),
            false => course.left_of(done as f64 / total? as f64, now),
        })
    }

    fn course<T>(&self, act: impl FnOnce(&mut Course) -> T) -> T {
        let mut course = self.counters.course.lock().unwrap_or_else(PoisonError::into_inner);
        course.foresee(self.bytes_of(Stream::InputRead));
        act(&mut course)
    }

    /// Returns the bytes moved so far by a stream of a sort.
    pub fn bytes_of(&self, stream: Stream) -> u64 {
        self.counters.streams[stream as usize].load(Ordering::Relaxed)
    }

    /// Returns the number of reads and of writes in flight.
    pub fn in_flight(&self) -> (u64, u64) {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (of(&self.counters.reads_in_flight), of(&self.counters.writes_in_flight))
    }

    /// Returns the time that workers were blocked on I/O so far, summed over workers. Current waits
    /// are not included.
    pub fn waited(&self) -> Waits {
        let mut waits = Waits::default();
        for stream in Stream::ALL {
            let nanoseconds =
                self.counters.waited_nanoseconds[stream as usize].load(Ordering::Relaxed);
            waits.add(stream, Duration::from_nanos(nanoseconds));
        }
        waits
    }

    /// Returns the latencies of requests so far.
    pub fn latency(&self) -> StreamLatency {
        let of = |stream: Stream| {
            let histogram = &self.counters.latencies[stream as usize];
            histogram.lock().unwrap_or_else(PoisonError::into_inner).latency()
        };
        StreamLatency {
            input_read: of(Stream::InputRead),
            spill_written: of(Stream::SpillWritten),
            spill_read: of(Stream::SpillRead),
            output_written: of(Stream::OutputWritten),
        }
    }

    /// Says what the job is busy with from now on. For the job itself, as is all below.
    pub fn enter(&self, phase: Phase) {
        self.counters.phase.store(phase as u8, Ordering::Relaxed);
        self.counters.is_complete.store(false, Ordering::Relaxed);
        let done = self.bytes().0;
        self.course(|course| course.enter(phase, done, Instant::now()));
    }

    /// Says that the job has ended well.
    pub fn complete(&self) {
        self.counters.is_complete.store(true, Ordering::Relaxed);
    }

    /// Says how many bytes will be moved in all, reads and writes of every pass together. Left
    /// unsaid where the length of the input turns out at its end.
    pub fn expect_bytes(&self, total: u64) {
        self.counters.bytes_total.store(total, Ordering::Relaxed);
    }

    /// Says what is to come, phase by phase, in order.
    pub fn expect(&self, shares: Vec<PhaseShare>) {
        let done = self.bytes().0;
        self.expect_bytes(done + shares.iter().map(|share| share.bytes).sum::<u64>());
        self.course(|course| course.expect(shares, done, Instant::now()));
    }

    /// Says that a stream made from `source` is to be read, and what is to come, phase by phase in
    /// order, if it brings as many bytes as `shares_of` is given.
    pub(crate) fn expect_by(
        &self,
        source: SourceShare,
        shares_of: impl Fn(u64) -> Vec<PhaseShare> + Send + 'static,
    ) {
        let (done, brought) = (self.bytes().0, self.bytes_of(Stream::InputRead));
        let forecast = Forecast::new(source, brought, shares_of);
        self.course(|course| course.expect_by(forecast, done, Instant::now()));
    }

    /// Says what the phases are, now that the whole of a stream was read. `bytes_before` bytes were
    /// moved before its job.
    pub(crate) fn settle(&self, shares: Vec<PhaseShare>, bytes_before: u64) {
        self.expect_bytes(bytes_before + shares.iter().map(|share| share.bytes).sum::<u64>());
        self.course(|course| course.settle(shares));
    }

    /// Sets the bytes that a phase will move, and the `total` of all phases.
    pub fn expect_more(&self, phase: Phase, bytes: u64, total: u64) {
        self.expect_bytes(total);
        self.course(|course| course.expect_of(phase, bytes));
    }

    /// Counts bytes that were read or written, of no stream of a sort: once per block, as the
    /// counter is shared.
    pub fn moved(&self, bytes: u64) {
        self.counters.bytes_done.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts bytes that a sort read in this phase, by a request or from a pipe.
    pub fn read(&self, bytes: u64) {
        self.moved_in(Stream::read_in(self.phase()), bytes);
    }

    /// Counts bytes that a sort wrote in this phase.
    pub fn written(&self, bytes: u64) {
        self.moved_in(Stream::written_in(self.phase()), bytes);
    }

    /// Counts bytes of a stream.
    pub fn moved_in(&self, stream: Stream, bytes: u64) {
        self.moved(bytes);
        self.counters.streams[stream as usize].fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts a read request as begun.
    pub fn read_begins(&self) {
        self.counters.reads_in_flight.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a read request of a stream as ended after this time.
    pub fn read_ends(&self, stream: Stream, took: Duration) {
        self.counters.reads_in_flight.fetch_sub(1, Ordering::Relaxed);
        self.took(stream, took);
    }

    /// Counts a write request as begun.
    pub fn write_begins(&self) {
        self.counters.writes_in_flight.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a write request as ended after this time.
    pub fn write_ends(&self, took: Duration) {
        self.counters.writes_in_flight.fetch_sub(1, Ordering::Relaxed);
        self.took(Stream::written_in(self.phase()), took);
    }

    fn took(&self, stream: Stream, took: Duration) {
        let histogram = &self.counters.latencies[stream as usize];
        histogram.lock().unwrap_or_else(PoisonError::into_inner).add(took);
    }

    /// Counts time that a worker was blocked on a stream.
    pub fn waited_for(&self, stream: Stream, waited: Duration) {
        let nanoseconds = waited.as_nanos() as u64;
        self.counters.waited_nanoseconds[stream as usize].fetch_add(nanoseconds, Ordering::Relaxed);
    }
}
