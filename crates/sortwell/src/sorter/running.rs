//! A job by a thread of its own, between two queues.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use sortwell_engine::error::PUSHED_RECORDS;
use sortwell_engine::io::pipe::Outlet;
use sortwell_engine::io::{Extent, Supplied};
use sortwell_engine::job::{self, Input, Output};
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::{Error, Result};

use super::queue::{AbandonedQueue, BlockQueue, PushedBlocks, SortedBlocks};

/// Blocks of pushed records that wait. With those that are filled, read and kept to be used again,
/// they take less than the 12 MiB that the plan of a job leaves to the program itself. They are
/// gone when there are sorted records.
pub const PUSHED_MAX: usize = 2;

/// Blocks of sorted records that wait. With fewer, workers and the thread that takes the blocks
/// wait for each other. The second half of a sort of 50 million records of 18 bytes took 0.99 s
/// with two blocks, 0.93 s with four and 0.90 s with six. With the block that is lent, they take
/// 7 MiB of those 12. Blocks that workers fill have the memory of their output buffers.
pub const SORTED_MAX: usize = 6;

/// A sort or a merge by a thread of its own.
#[derive(Debug)]
pub struct RunningJob {
    /// Blocks of records that were pushed.
    pub pushed: Arc<BlockQueue>,
    /// Blocks of sorted records.
    pub sorted: Arc<BlockQueue>,
    /// Progress of this job, as a part of the whole sort: its end does not concern other jobs.
    progress: Arc<Progress>,
    thread: JoinHandle<Result<Statistics>>,
}

/// Returns `job` between what is pushed and an output.
pub fn with_ends(
    job: &job::SortJob,
    pushed: &Arc<BlockQueue>,
    output: Output,
    extent: Option<Extent>,
) -> job::SortJob {
    let blocks = PushedBlocks::new(Arc::clone(pushed));
    let mut supplied = Supplied::new(Path::new(PUSHED_RECORDS), blocks);
    if let Some(extent) = extent {
        supplied = supplied.with_extent(extent);
    }
    job::SortJob { inputs: vec![Input::Supplied(supplied)], output, ..job.clone() }
}

/// Returns the output of a job whose blocks are pulled. Its workers may fill the blocks themselves.
pub fn sorted_blocks(sorted: &Arc<BlockQueue>, takes_blocks: bool) -> Output {
    let queue = Arc::clone(sorted);
    Output::Pipe(Outlet::inlet(Arc::new(SortedBlocks { queue, takes_blocks })))
}

impl RunningJob {
    /// Starts a sort of what will be pushed, to a file if one is given.
    pub fn start_sort(
        job: &job::SortJob,
        file: Option<&PathBuf>,
        progress: &Arc<Progress>,
    ) -> Result<Self> {
        let (pushed, sorted) = (BlockQueue::new(PUSHED_MAX), BlockQueue::new(SORTED_MAX));
        let output = file.cloned().map_or_else(|| sorted_blocks(&sorted, true), Output::File);
        let job = with_ends(job, &pushed, output, None);
        Self::start(pushed, sorted, progress, move |progress| job.run(progress))
    }

    /// Starts the thread of a job that reads what is `pushed` and writes to `sorted`.
    pub fn start(
        pushed: Arc<BlockQueue>,
        sorted: Arc<BlockQueue>,
        progress: &Arc<Progress>,
        run: impl FnOnce(&Progress) -> Result<Statistics> + Send + 'static,
    ) -> Result<Self> {
        let progress = Arc::new(progress.part());
        let (of_job, end) = (Arc::clone(&progress), Arc::clone(&sorted));
        let work = move || {
            // Also after a panic, so that nobody waits for what will not come.
            let end = AbandonedQueue(end);
            let statistics = run(&of_job)?;
            end.0.finish();
            Ok(statistics)
        };
        let thread = std::thread::Builder::new().name("sortwell".to_owned()).spawn(work);
        let thread = thread.map_err(|e| Error::io("start a thread for", Path::new("a sort"), e))?;
        Ok(Self { pushed, sorted, progress, thread })
    }

    /// Waits for the end of the job.
    pub fn join(self) -> Result<Statistics> {
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    /// Returns the error of a job that takes or gives no more blocks. If it has none yet, it is
    /// stopped.
    pub fn failure(self) -> Error {
        self.request_stop();
        self.join().err().unwrap_or(Error::Interrupted)
    }

    /// Stops the job, and waits until its files are gone.
    pub fn stop(self) {
        self.request_stop();
        drop(self.thread.join());
    }

    fn request_stop(&self) {
        self.progress.request_stop();
        self.pushed.abandon();
        self.sorted.abandon();
    }
}
