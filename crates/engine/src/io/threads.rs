//! The portable engine: a pool of threads, each doing one positional read or write at a time.
//!
//! For kernels and containers without io_uring. A pool belongs to one queue and has as many threads
//! as requests have been in flight at once. Requests wait in one line that all threads serve,
//! completions in another; dropping the queue waits for the requests in the kernel and forgets
//! those still in line.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

use super::queue::{Completion, Queue, Request};
use super::sync::perform;
use super::transfer::{Transfer, TransferState};
use crate::error::{ConfigErrorKind, Result, Setting, config};

pub(super) const NAME: &str = "threads";

/// Stack of a pool thread. The memory ceiling counts stacks; a positional read needs a few KiB, and
/// debug builds have room to spare.
const STACK_BYTES: usize = 128 << 10;

/// Requests on their way to the threads.
#[derive(Debug, Default)]
struct ThreadQueue {
    waiting: Mutex<Waiting>,
    has_changed: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    transfers: VecDeque<Transfer>,
    /// True if no request will follow: threads leave when the line is empty.
    is_closed: bool,
}

impl ThreadQueue {
    /// Returns the lock. A thread that panicked while holding it left the line as it was, so it
    /// stays usable.
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next transfer, waiting for it; `None` when the line is closed and empty.
    fn next(&self) -> Option<Transfer> {
        let mut waiting = self.lock();
        loop {
            if let Some(transfer) = waiting.transfers.pop_front() {
                return Some(transfer);
            }
            if waiting.is_closed {
                return None;
            }
            waiting = self.has_changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The pool of one queue.
pub(super) struct ThreadPool {
    line: Arc<ThreadQueue>,
    pool: Vec<JoinHandle<()>>,
    /// Most threads: requests that may be in flight, or what the system allows.
    depth: usize,
    sender: Sender<Completion>,
    completions: Receiver<Completion>,
    in_flight: usize,
}

impl ThreadPool {
    /// Returns a pool of up to `depth` threads, with the first of them started: if that one cannot
    /// be, none can.
    pub(super) fn new(depth: usize) -> Result<Self> {
        let (sender, completions) = channel();
        let (line, pool) = (Arc::new(ThreadQueue::default()), Vec::new());
        let mut queue = Self { line, pool, depth, sender, completions, in_flight: 0 };
        let started = queue.start_one();
        started.map_err(|e| {
            config!(
                ConfigErrorKind::OutOfResources,
                "cannot start threads for I/O ({}); use {}",
                e,
                Setting::Engine.to("sync"),
            )
        })?;
        Ok(queue)
    }

    fn start_one(&mut self) -> std::io::Result<()> {
        let (line, sender) = (Arc::clone(&self.line), self.sender.clone());
        let name = format!("io-{}", self.pool.len());
        let builder = Builder::new().name(name).stack_size(STACK_BYTES);
        self.pool.push(builder.spawn(move || serve(&line, &sender))?);
        Ok(())
    }

    /// Starts one more if every one has something to do. Where the system allows only some threads,
    /// those do the work.
    fn grow(&mut self) {
        if self.in_flight > self.pool.len() && self.pool.len() < self.depth {
            let started = self.start_one();
            if started.is_err() {
                self.depth = self.pool.len();
            }
        }
    }

    fn returned(&mut self, completion: Completion) -> Completion {
        self.in_flight -= 1;
        completion
    }
}

/// Runs a pool thread.
fn serve(line: &ThreadQueue, sender: &Sender<Completion>) {
    while let Some(transfer) = line.next() {
        if sender.send(transfer.run(perform)).is_err() {
            return; // The queue is being dropped and nobody wants to know.
        }
    }
}

impl Queue for ThreadPool {
    fn submit(&mut self, request: Request) -> Result<()> {
        self.in_flight += 1;
        self.grow();
        match Transfer::start(request) {
            TransferState::Again(transfer) => {
                self.line.lock().transfers.push_back(transfer);
                self.line.has_changed.notify_one();
            }
            // Our own receiver is alive, so this cannot fail.
            TransferState::Finished(completion) => {
                let _ = self.sender.send(completion);
            }
        }
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<Completion>> {
        Ok(self.completions.try_recv().ok().map(|completion| self.returned(completion)))
    }

    fn wait(&mut self) -> Result<Option<Completion>> {
        if self.in_flight == 0 {
            return Ok(None);
        }
        // We hold a sender ourselves, so this waits for a thread to answer and cannot fail.
        Ok(self.completions.recv().ok().map(|completion| self.returned(completion)))
    }

    fn in_flight(&self) -> usize {
        self.in_flight
    }

    fn name(&self) -> &'static str {
        NAME
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        let mut waiting = self.line.lock();
        waiting.transfers.clear(); // Not begun, and nobody will ask for them.
        waiting.is_closed = true;
        drop(waiting);
        self.line.has_changed.notify_all();
        for thread in self.pool.drain(..) {
            let _ = thread.join();
        }
    }
}
