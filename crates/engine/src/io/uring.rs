//! The io_uring engine: one ring per queue, a whole queue of requests in flight from one thread.
//!
//! A request in flight lives in a slot, whose number is the request's mark in the ring, and stays
//! there until the kernel has answered its last step; requests beyond the ring's depth wait in a
//! backlog. Memory handed to the kernel is thus owned by this queue until the kernel is done with
//! it, and dropping the queue waits for that.
//!
//! Rings are set up with COOP_TASKRUN (completions do not interrupt a sorting worker) where the
//! kernel has it, not with SINGLE_ISSUER or DEFER_TASKRUN, which would tie the queue to the thread
//! that made it. Buffers are not registered: with 4 MiB direct reads into huge pages it changed
//! neither wall time (0.37 s a GiB) nor kernel time (4 to 20 ms a GiB, eight alternations on a
//! 2-core virtual machine) beyond the noise, and would bring in and pin the whole arena beforehand,
//! against RLIMIT_MEMLOCK.

use std::collections::VecDeque;
use std::io;
use std::mem::forget;

use io_uring::types::Fd;
use io_uring::{IoUring, Probe, opcode, squeue};
use rustix::io::Errno;

use super::queue::{Completion, Direction, Queue, Request};
use super::transfer::{Transfer, TransferState, TransferStep};
use crate::error::{ConfigErrorKind, Result, Setting, config};

pub(super) const NAME: &str = "uring";

/// The largest ring the kernel makes.
const ENTRIES_MAX: usize = 32768;

/// Checks that io_uring works here: the calls are not forbidden, the operations exist, and a
/// request comes back.
pub(super) fn probe() -> io::Result<()> {
    let mut ring = setup(2)?;
    let mut probe = Probe::new();
    ring.submitter().register_probe(&mut probe)?;
    if !(probe.is_supported(opcode::Read::CODE) && probe.is_supported(opcode::Write::CODE)) {
        return Err(Errno::OPNOTSUPP.into());
    }
    // SAFETY: a request for nothing uses no memory.
    let pushed = unsafe { ring.submission().push(&opcode::Nop::new().build()) };
    pushed.map_err(|_| io::Error::from(Errno::NOBUFS))?;
    while ring.completion().is_empty() {
        if let Err(e) = ring.submit_and_wait(1)
            && e.kind() != io::ErrorKind::Interrupted
        {
            return Err(e);
        }
    }
    Ok(())
}

fn setup(entries: u32) -> io::Result<IoUring> {
    match IoUring::builder().setup_coop_taskrun().build(entries) {
        Err(e) if e.raw_os_error() == Some(Errno::INVAL.raw_os_error()) => {
            IoUring::new(entries) // Before Linux 5.19.
        }
        made => made,
    }
}

/// A ring and the requests in it.
pub(super) struct Uring {
    ring: IoUring,
    /// Slots, one for each request that the ring may hold. A slot is occupied from the first push
    /// of its transfer until the answer to the last.
    slots: Vec<Option<Transfer>>,
    /// Slots that are not occupied.
    free: Vec<usize>,
    /// Steps that the kernel has taken and not answered.
    in_kernel: usize,
    /// Requests beyond the ring's depth, in order.
    backlog: VecDeque<Transfer>,
    /// Done, and not yet collected.
    completions: VecDeque<Completion>,
    /// Answers taken off the ring in one go; kept for its memory.
    answers: Vec<(usize, i32)>,
}

impl Uring {
    pub(super) fn new(depth: usize) -> io::Result<Self> {
        let depth = depth.clamp(1, ENTRIES_MAX);
        let ring = setup(depth as u32)?;
        let depth = depth.min(ring.params().sq_entries() as usize);
        Ok(Self {
            ring,
            slots: (0..depth).map(|_| None).collect(),
            free: (0..depth).rev().collect(),
            in_kernel: 0,
            backlog: VecDeque::new(),
            completions: VecDeque::new(),
            answers: Vec::with_capacity(depth),
        })
    }

    /// Puts a transfer's next step into the ring, for the kernel to find at the next call.
    fn push(&mut self, slot: usize, mut transfer: Transfer) {
        let entry = entry(&transfer.step()).user_data(slot as u64);
        assert!(self.slots[slot].replace(transfer).is_none(), "two transfers in one slot");
        // SAFETY: the memory and the descriptor belong to the transfer, which stays in its slot
        // until the kernel has answered; `drop` waits for that, or leaks the slots.
        let pushed = unsafe { self.ring.submission().push(&entry) };
        assert!(pushed.is_ok(), "each slot has one step, and the ring has room for all slots");
    }

    /// Starts what the backlog holds, as far as slots are free.
    fn fill(&mut self) {
        while !self.backlog.is_empty()
            && let Some(slot) = self.free.pop()
        {
            if let Some(transfer) = self.backlog.pop_front() {
                self.push(slot, transfer);
            }
        }
    }

    /// Calls the kernel: hands over all steps in the ring, and waits for `wanted` answers.
    fn enter(&mut self, wanted: usize) -> Result<()> {
        loop {
            match self.ring.submit_and_wait(wanted) {
                Ok(taken) => self.in_kernel += taken,
                Err(e) => match Errno::from_io_error(&e) {
                    Some(Errno::INTR) => {}
                    // Short of memory or of room for answers: make room, give the system a moment.
                    Some(Errno::AGAIN | Errno::BUSY) => {
                        self.collect();
                        std::thread::yield_now();
                    }
                    _ => {
                        return Err(config!(
                            ConfigErrorKind::OutOfResources,
                            "io_uring stopped working ({}); use {}",
                            e,
                            Setting::Engine.to("threads"),
                        ));
                    }
                },
            }
            let is_satisfied = wanted == 0 || !self.ring.completion().is_empty();
            if self.ring.submission().is_empty() && (is_satisfied || !self.completions.is_empty()) {
                return Ok(());
            }
        }
    }

    /// Takes all answers off the ring. What needs another step is put back into the ring.
    fn collect(&mut self) {
        let mut answers = std::mem::take(&mut self.answers);
        answers.extend(self.ring.completion().map(|a| (a.user_data() as usize, a.result())));
        self.in_kernel -= answers.len();
        for (slot, answer) in answers.drain(..) {
            let Some(transfer) = self.slots[slot].take() else {
                unreachable!("an answer to nothing, in slot {slot}")
            };
            let answer = usize::try_from(answer)
                .map_err(|_| Errno::from_raw_os_error(answer.wrapping_neg()));
            match transfer.advance(answer) {
                TransferState::Again(transfer) => self.push(slot, transfer),
                TransferState::Finished(completion) => {
                    self.completions.push_back(completion);
                    self.free.push(slot);
                }
            }
        }
        self.answers = answers;
        self.fill();
    }

    fn has_unsubmitted(&mut self) -> bool {
        !self.ring.submission().is_empty()
    }
}

/// Returns a step as the ring wants it.
fn entry(step: &TransferStep) -> squeue::Entry {
    let (descriptor, length) = (Fd(step.descriptor), step.length as u32);
    match step.operation {
        Direction::Read => {
            opcode::Read::new(descriptor, step.pointer, length).offset(step.offset).build()
        }
        Direction::Write => {
            opcode::Write::new(descriptor, step.pointer, length).offset(step.offset).build()
        }
    }
}

impl Queue for Uring {
    fn submit(&mut self, request: Request) -> Result<()> {
        match Transfer::start(request) {
            TransferState::Finished(completion) => self.completions.push_back(completion),
            TransferState::Again(transfer) => {
                self.backlog.push_back(transfer);
                self.fill();
                if self.has_unsubmitted() {
                    self.enter(0)?;
                }
            }
        }
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<Completion>> {
        self.collect();
        // With COOP_TASKRUN answers may wait for our next visit to the kernel.
        if self.has_unsubmitted() || (self.completions.is_empty() && self.in_kernel > 0) {
            self.enter(0)?;
            self.collect();
        }
        if self.has_unsubmitted() {
            self.enter(0)?;
        }
        Ok(self.completions.pop_front())
    }

    fn wait(&mut self) -> Result<Option<Completion>> {
        loop {
            self.collect();
            let is_idle = self.in_kernel == 0 && !self.has_unsubmitted();
            if !self.completions.is_empty() || is_idle {
                if self.has_unsubmitted() {
                    self.enter(0)?;
                }
                return Ok(self.completions.pop_front());
            }
            self.enter(1)?;
        }
    }

    fn in_flight(&self) -> usize {
        self.slots.len() - self.free.len() + self.backlog.len() + self.completions.len()
    }

    fn name(&self) -> &'static str {
        NAME
    }
}

impl Drop for Uring {
    fn drop(&mut self) {
        self.backlog.clear();
        while self.in_kernel > 0 {
            let answered = self.ring.completion().map(|_| 1).sum::<usize>();
            self.in_kernel -= answered;
            let waited = if answered == 0 { self.ring.submit_and_wait(1) } else { Ok(0) };
            match waited {
                // Steps still in the ring are taken with the call, so they count too.
                Ok(taken) => self.in_kernel += taken,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => {
                    // The kernel may still write to this memory: nobody else may ever have it.
                    forget(std::mem::take(&mut self.slots));
                    return;
                }
            }
        }
    }
}
