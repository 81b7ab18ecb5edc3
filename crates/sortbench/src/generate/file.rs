//! Writing records to a file, each block at its own place as soon as it is made.
//!
//! While a worker makes one block its others are on their way to the disk, past the page cache
//! where the file system allows it. The file has its whole length from the start, so that blocks
//! are not laid out in the order they happen to arrive in, and gets its name at the end.

use std::path::Path;
use std::sync::Arc;

use sortwell::Progress;
use sortwell::unstable::io::{
    Completion, Direct, Direction, Engine, File, Region, Request, TempFile,
};
use sortwell::unstable::stats::Stream;
use sortwell::unstable::sys::space;
use sortwell::{ByteSize, Error, Result};

use super::RecordGeneration;
use crate::block::{BUFFERS, FileBlocks, buffers};

/// Writes every block of the job to a file that gets the name `path` at the end; gives each
/// worker's sum of checksums.
pub(super) fn write(
    job: &RecordGeneration,
    blocks: &FileBlocks<'_>,
    path: &Path,
    progress: &Progress,
) -> Result<Vec<u128>> {
    let temporary = TempFile::create(path, Direct::Auto)?;
    check_space(&temporary, blocks.length())?;
    temporary.file().preallocate(blocks.length())?;
    let sums = blocks.work(job.threads, || make(job, blocks, temporary.file(), progress))?;
    temporary.persist(path, true)?;
    Ok(sums)
}

/// Checks that the file system of a file on its way has space for this length. That is the file
/// system of its target, if the final name is a symbolic link.
pub(super) fn check_space(temporary: &TempFile, length: u64) -> Result<()> {
    let file = temporary.file();
    let available = space::free_around(&**file, file.path())?;
    if available < ByteSize(length) {
        return Err(Error::NoSpace {
            path: temporary.directory().to_owned(),
            others: 0,
            needed: ByteSize(length),
            available,
            setting: None,
        });
    }
    Ok(())
}

/// Makes blocks and writes them until there are no more. Each worker calls it.
fn make(
    job: &RecordGeneration,
    blocks: &FileBlocks<'_>,
    file: &Arc<File>,
    progress: &Progress,
) -> Result<u128> {
    let mut free = buffers()?;
    let mut queue = Engine::Auto.queue(BUFFERS)?;
    let mut sum = 0u128;
    loop {
        let mut region = match free.pop() {
            Some(region) => region,
            None => match queue.wait()? {
                Some(completion) => written(completion, progress)?,
                None => break,
            },
        };
        let Some(block) = blocks.claim()? else { break };
        sum = sum.wrapping_add(job.fill(block, &mut region[..block.length]));
        queue.submit(Request {
            operation: Direction::Write,
            file: Arc::clone(file),
            offset: block.offset(),
            region,
            range: 0..block.length,
            tag: block.index,
        })?;
    }
    while let Some(completion) = queue.wait()? {
        written(completion, progress)?;
    }
    Ok(sum)
}

fn written(completion: Completion, progress: &Progress) -> Result<Region> {
    progress.moved_in(Stream::OutputWritten, completion.result? as u64);
    Ok(completion.request.region)
}
