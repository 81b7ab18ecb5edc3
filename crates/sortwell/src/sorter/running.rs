//! A sort by a thread of its own, between two queues.

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use sortwell_engine::io::pipe::Outlet;
use sortwell_engine::io::{Extent, Supplied};
use sortwell_engine::job::{self, Input, Output};
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::{Error, Result};

use super::queue::{AbandonedQueue, BlockQueue, PushedBlocks, SortedBlocks};

/// Blocks that wait on either side. With those that are filled, read and kept to be used again, all
/// blocks take less than the 12 MiB that the plan of a job leaves to the program itself.
const BLOCKS_MAX: usize = 2;

/// A sort by a thread of its own.
#[derive(Debug)]
pub struct RunningSort {
    /// Blocks of records that were pushed.
    pub pushed: Arc<BlockQueue>,
    /// Blocks of sorted records.
    pub sorted: Arc<BlockQueue>,
    thread: JoinHandle<Result<Statistics>>,
}

/// Returns `job` between two queues.
pub fn with_ends(
    job: &job::SortJob,
    pushed: &Arc<BlockQueue>,
    sorted: &Arc<BlockQueue>,
    extent: Option<Extent>,
) -> job::SortJob {
    let blocks = PushedBlocks::new(Arc::clone(pushed));
    let mut supplied = Supplied::new(Path::new("the records that were pushed"), blocks);
    if let Some(extent) = extent {
        supplied = supplied.with_extent(extent);
    }
    let outlet = Outlet::inlet(Arc::new(SortedBlocks(Arc::clone(sorted))));
    let (inputs, output) = (vec![Input::Supplied(supplied)], Output::Pipe(outlet));
    job::SortJob { inputs, output, ..job.clone() }
}

impl RunningSort {
    /// Starts the thread.
    pub fn start(job: &job::SortJob, progress: &Arc<Progress>) -> Result<Self> {
        let (pushed, sorted) = (BlockQueue::new(BLOCKS_MAX), BlockQueue::new(BLOCKS_MAX));
        let job = with_ends(job, &pushed, &sorted, None);
        let (progress, end) = (Arc::clone(progress), Arc::clone(&sorted));
        let sort = move || {
            // Also after a panic, so that nobody waits for what will not come.
            let end = AbandonedQueue(end);
            let statistics = job.run(&progress)?;
            end.0.finish();
            Ok(statistics)
        };
        let thread = std::thread::Builder::new().name("sortwell".to_owned()).spawn(sort);
        let thread = thread.map_err(|e| Error::io("start a thread for", Path::new("a sort"), e))?;
        Ok(Self { pushed, sorted, thread })
    }

    /// Waits for the end of the sort.
    pub fn join(self) -> Result<Statistics> {
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    /// Returns the error of a sort that takes no more blocks.
    pub fn failure(self) -> Error {
        self.join().err().unwrap_or(Error::Interrupted)
    }

    /// Stops the sort, and waits until its files are gone.
    pub fn stop(self, progress: &Progress) {
        progress.request_stop();
        self.pushed.abandon();
        self.sorted.abandon();
        drop(self.thread.join());
    }
}
