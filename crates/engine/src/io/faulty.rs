//! Faults made to order, a means of tests: a queue around an engine's own that fails, cuts, delays
//! or damages the requests that a script names.
//!
//! ```text
//!     worker ──▶ Faulty ──▶ engine         requests that no script strikes
//!                  │
//!                  └──▶ done here          those that one strikes, handed out when they are due
//! ```
//!
//! A [`Script`] is in force for the whole process, and strikes requests on files below one folder
//! alone: tests with folders of their own run side by side. While no script is installed, queues
//! are what the engines make, and the only cost is one look at a flag for each queue made.
//!
//! Left to others: requests that no queue carries out (streams, reserving space, making durable,
//! renaming).

use std::cell::Cell;
use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::io::Errno;

use super::Answer;
use super::queue::{Completion, Direction, Queue, Request};
use super::sync::perform;
use super::transfer::{Transfer, TransferState, TransferStep};
use crate::error::{Error, Result};

/// Bytes that a transfer cut short is still a multiple of, so that direct ones stay direct.
const CUT: usize = 4096;

/// Faults that can happen to a request.
#[derive(Clone, Copy, Debug)]
pub enum InjectedFault {
    /// The system refuses it.
    Fails(Errno),
    /// The system moves half of what is left each time, and is interrupted in between.
    Crumbles,
    /// The system moves half of it, and then nothing: as if the file, or the room for it, ended.
    Ends,
    /// One bit comes out wrong: a read's in memory, a write's in the file alone. Which bit, counted
    /// from the start of the request and around.
    Flips(u64),
    /// One bit of the memory read into, counted likewise, goes wrong with a later write on the
    /// queue: the first one after the given number of further requests of the script.
    FlipsLater(u64, u64),
    /// It ends this much later.
    Stalls(Duration),
    /// It begins this much later, once its owner looks after it again.
    BeginsLate(Duration),
    /// It ends as if all requests of the script went through a disk of this many bytes per second,
    /// one after the other.
    Flows(u64),
    /// It ends after this many others that were submitted later, if as many are.
    IsOvertaken(u64),
}

/// A fault, and the requests that it strikes.
#[derive(Clone, Debug)]
pub struct Script {
    /// The folder that the files lie in, or the one file.
    pub under: PathBuf,
    /// Only reads or only writes.
    pub operation: Option<Direction>,
    /// Least bytes of a request that counts: samples and tables are read in small ones.
    pub bytes_min: usize,
    /// Numbers of the requests to strike, counted from 0 over all queues.
    pub numbers: Range<u64>,
    /// Fault that strikes them.
    pub fault: InjectedFault,
}

/// A script in force, until it is dropped.
#[derive(Debug)]
pub struct Installed(Arc<Playing>);

#[derive(Debug)]
struct Playing {
    script: Script,
    /// Requests seen that the script is about.
    seen: AtomicU64,
    /// Time at which the disk that they [flow](InjectedFault::Flows) through is done with its
    /// requests.
    free_at: Mutex<Instant>,
}

/// All scripts in force.
static SCRIPTS: Mutex<Vec<Arc<Playing>>> = Mutex::new(Vec::new());

/// True if there are any scripts.
static ARE_ANY: AtomicBool = AtomicBool::new(false);

fn scripts() -> MutexGuard<'static, Vec<Arc<Playing>>> {
    SCRIPTS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Script {
    /// Returns a script that strikes these requests on files below `under`.
    pub fn new(under: &Path, numbers: Range<u64>, fault: InjectedFault) -> Self {
        Self { under: under.to_owned(), operation: None, bytes_min: 0, numbers, fault }
    }

    /// Restricts the script to reads, or to writes.
    #[must_use]
    pub fn of(self, operation: Direction) -> Self {
        Self { operation: Some(operation), ..self }
    }

    /// Restricts the script to requests of at least `bytes_min` bytes.
    #[must_use]
    pub fn from_bytes(self, bytes_min: usize) -> Self {
        Self { bytes_min, ..self }
    }

    /// Puts it in force for every queue made from now on.
    #[must_use]
    pub fn install(self) -> Installed {
        let (seen, free_at) = (AtomicU64::new(0), Mutex::new(Instant::now()));
        let playing = Arc::new(Playing { script: self, seen, free_at });
        let mut scripts = scripts();
        scripts.push(Arc::clone(&playing));
        ARE_ANY.store(true, Ordering::Release);
        Installed(playing)
    }
}

impl Installed {
    /// Requests so far that the script is about, struck or not.
    pub fn seen(&self) -> u64 {
        self.0.seen()
    }

    /// Returns whether any of them was struck.
    pub fn has_struck(&self) -> bool {
        self.seen() > self.0.script.numbers.start && !self.0.script.numbers.is_empty()
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        let mut scripts = scripts();
        scripts.retain(|playing| !Arc::ptr_eq(playing, &self.0));
        ARE_ANY.store(!scripts.is_empty(), Ordering::Release);
    }
}

impl Playing {
    fn seen(&self) -> u64 {
        self.seen.load(Ordering::Relaxed)
    }

    /// Counts a request, and returns whether it is struck.
    fn strikes(&self, request: &Request) -> bool {
        let Script { under, operation, bytes_min, numbers, .. } = &self.script;
        let is_meant = operation.is_none_or(|operation| operation == request.operation)
            && request.range.len() >= *bytes_min
            && request.file.path().starts_with(under);
        is_meant && numbers.contains(&self.seen.fetch_add(1, Ordering::Relaxed))
    }
}

impl Playing {
    /// Returns the time at which a disk of `rate` bytes per second is done with `bytes` more.
    fn flow(&self, bytes: usize, rate: u64) -> Instant {
        let mut free_at = self.free_at.lock().unwrap_or_else(PoisonError::into_inner);
        let takes = Duration::from_secs_f64(bytes as f64 / rate.max(1) as f64);
        *free_at = (*free_at).max(Instant::now()) + takes;
        *free_at
    }
}

/// Returns the queue itself, or one around it while scripts are in force.
pub(super) fn around(queue: Box<dyn Queue>) -> Box<dyn Queue> {
    if !ARE_ANY.load(Ordering::Acquire) {
        return queue;
    }
    let scripts = scripts().clone();
    Box::new(Faulty { inner: queue, scripts, held: VecDeque::new(), given: 0, flips: Vec::new() })
}

/// A queue whose requests go as the scripts say.
struct Faulty {
    inner: Box<dyn Queue>,
    scripts: Vec<Arc<Playing>>,
    /// Done or put off, and not yet due or collected.
    held: VecDeque<Held>,
    /// Completions handed out.
    given: u64,
    /// Bits that will go wrong.
    flips: Vec<Flip>,
}

/// A request that is held.
enum HeldRequest {
    Done(Completion),
    PutOff(Request),
}

struct Held {
    state: HeldRequest,
    /// Time at which it is due.
    time: Instant,
    /// Number of completions that must be handed out before, unless there are no others.
    after: u64,
}

struct Flip {
    address: usize,
    mask: u8,
    /// Number of the script's requests that must be seen before.
    after: u64,
    script: Arc<Playing>,
}

impl Faulty {
    /// Carries a request out, with `kernel` as the kernel, and holds its completion.
    fn hold(
        &mut self,
        request: Request,
        kernel: impl Fn(&TransferStep) -> Answer<usize>,
    ) -> &mut Held {
        self.hold_in(HeldRequest::Done(carried_out(request, kernel)))
    }

    fn hold_in(&mut self, state: HeldRequest) -> &mut Held {
        self.held.push_back(Held { state, time: Instant::now(), after: 0 });
        let last = self.held.len() - 1;
        &mut self.held[last]
    }

    fn strike(&mut self, mut request: Request, script: &Arc<Playing>) {
        let (is_write, range) = (request.operation == Direction::Write, request.range.clone());
        let place = |bit: u64| (range.start + (bit / 8) as usize % range.len(), 1 << (bit % 8));
        match script.script.fault {
            InjectedFault::Fails(errno) => {
                self.hold(request, |_| Err(errno));
            }
            InjectedFault::Crumbles => {
                let is_interrupted = Cell::new(false);
                self.hold(request, |step| match is_interrupted.replace(!is_interrupted.get()) {
                    true => Err(Errno::INTR),
                    false => perform(&half(step)),
                });
            }
            InjectedFault::Ends => {
                let is_over = Cell::new(false);
                self.hold(request, |step| match is_over.replace(true) {
                    true => Ok(0),
                    false if step.length <= CUT => Ok(0),
                    false => perform(&half(step)),
                });
            }
            InjectedFault::Flips(bit) => {
                let (at, mask) = place(bit);
                request.region[at] ^= if is_write { mask } else { 0 };
                let mut completion = carried_out(request, perform);
                completion.request.region[at] ^= mask;
                self.hold_in(HeldRequest::Done(completion));
            }
            InjectedFault::FlipsLater(bit, others) => {
                let ((at, mask), after) = (place(bit), script.seen() + others);
                let (address, script) = (request.region.address() + at, Arc::clone(script));
                self.flips.push(Flip { address, mask, after, script });
                self.hold(request, perform);
            }
            InjectedFault::Stalls(duration) => self.hold(request, perform).time += duration,
            InjectedFault::BeginsLate(duration) => {
                self.hold_in(HeldRequest::PutOff(request)).time += duration;
            }
            InjectedFault::Flows(rate) => {
                let end = script.flow(request.range.len(), rate);
                self.hold(request, perform).time = end;
            }
            InjectedFault::IsOvertaken(others) => {
                let after = self.given + others;
                self.hold(request, perform).after = after;
            }
        }
    }

    /// Lets bits go wrong whose time has come.
    fn flip(&mut self) -> Result<()> {
        let is_due = |flip: &mut Flip| flip.script.seen() >= flip.after;
        let due: Vec<Flip> = self.flips.extract_if(.., is_due).collect();
        due.iter().try_for_each(|flip| {
            flip_memory(flip).map_err(|e| Error::io("flip a bit in", Path::new(MEMORY), e))
        })
    }

    /// Returns a completion that is due, if there is one.
    fn take_due(&mut self) -> Option<Completion> {
        let (now, is_alone) = (Instant::now(), self.inner.in_flight() == 0);
        let is_due = |held: &Held| held.time <= now && (held.after <= self.given || is_alone);
        let index = self.held.iter().rposition(is_due)?;
        self.held.remove(index).map(|held| match held.state {
            HeldRequest::Done(completion) => completion,
            HeldRequest::PutOff(request) => carried_out(request, perform),
        })
    }

    fn counted(&mut self, completion: Option<Completion>) -> Option<Completion> {
        self.given += u64::from(completion.is_some());
        completion
    }
}

/// Carries out a request, with `kernel` as the kernel, and returns its completion.
fn carried_out(request: Request, kernel: impl Fn(&TransferStep) -> Answer<usize>) -> Completion {
    match Transfer::start(request) {
        TransferState::Again(transfer) => transfer.run(kernel),
        TransferState::Finished(completion) => completion,
    }
}

/// This process's memory as a file. Bits are flipped through it because the memory belongs to
/// somebody who knows nothing of it: as with a fault of the machine, the program has no part in it.
const MEMORY: &str = "/proc/self/mem";

fn flip_memory(flip: &Flip) -> std::io::Result<()> {
    let memory = OpenOptions::new().read(true).write(true).open(MEMORY)?;
    let (mut byte, address) = ([0], flip.address as u64);
    memory.read_exact_at(&mut byte, address)?;
    memory.write_all_at(&[byte[0] ^ flip.mask], address)
}

/// Returns a step for half as much, if that is a whole number of blocks.
fn half(step: &TransferStep) -> TransferStep {
    let half = step.length / 2 / CUT * CUT;
    TransferStep { length: if half == 0 { step.length } else { half }, ..*step }
}

impl Queue for Faulty {
    fn submit(&mut self, request: Request) -> Result<()> {
        if request.operation == Direction::Write {
            self.flip()?;
        }
        // All of them count it, and the first has it.
        let mut first = None;
        for script in &self.scripts {
            let is_struck = script.strikes(&request);
            first = first.or_else(|| is_struck.then(|| Arc::clone(script)));
        }
        match first {
            Some(script) if !request.range.is_empty() => self.strike(request, &script),
            _ => self.inner.submit(request)?,
        }
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<Completion>> {
        let completion = match self.take_due() {
            None => self.inner.poll()?,
            due => due,
        };
        Ok(self.counted(completion))
    }

    fn wait(&mut self) -> Result<Option<Completion>> {
        loop {
            let completion = self.poll()?;
            if completion.is_some() || self.in_flight() == 0 {
                return Ok(completion);
            }
            if self.inner.in_flight() > 0 {
                let completion = self.inner.wait()?;
                return Ok(self.counted(completion));
            }
            let first = self.held.iter().map(|held| held.time).min();
            first.into_iter().for_each(|time| {
                std::thread::sleep(time.saturating_duration_since(Instant::now()));
            });
        }
    }

    fn in_flight(&self) -> usize {
        self.inner.in_flight() + self.held.len()
    }

    fn name(&self) -> &'static str {
        self.inner.name()
    }
}

#[cfg(test)]
mod tests;
