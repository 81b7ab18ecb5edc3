//! Validating a file, many of its blocks at once.
//!
//! Each worker keeps several reads in flight and checks blocks in the order they arrive, while the
//! others' are on their way.

use std::path::Path;
use std::sync::Arc;

use sortwell::Progress;
use sortwell::unstable::io::{Completion, Direct, Direction, Engine, File, Region, Request};
use sortwell::unstable::stats::Stream;
use sortwell::{Error, Result};

use super::{Validation, part_of_a_piece};
use crate::RECORD_LENGTH;
use crate::block::{BUFFERS, FileBlock, FileBlocks, buffers};
use crate::joining::Joining;
use crate::summary::Summary;

/// Summarises all records in the file `path`.
pub(super) fn read(job: &Validation, path: &Path, progress: &Progress) -> Result<Summary> {
    let file = File::open_read(path, Direct::Auto)?;
    file.check_whole()?;
    let length = file.len();
    if !length.is_multiple_of(RECORD_LENGTH as u64) {
        return Err(part_of_a_piece(path, length, "records", RECORD_LENGTH));
    }
    progress.expect_bytes(length);
    let blocks = FileBlocks::new(length, progress);
    let joining = Joining::new(job.order);
    blocks.work(job.threads, || {
        let mut queue = Engine::Auto.queue(BUFFERS)?;
        let submit = |region: Region| read_of(&blocks, &file, region);
        for region in buffers()? {
            if let Some(request) = submit(region)? {
                queue.submit(request)?;
            }
        }
        while let Some(completion) = queue.wait()? {
            let region = summarise(job, completion, &joining, progress)?;
            if let Some(request) = submit(region)? {
                queue.submit(request)?;
            }
        }
        Ok(())
    })?;
    Ok(joining.finish())
}

/// Returns the request for the next block, if there is one.
fn read_of(blocks: &FileBlocks<'_>, file: &Arc<File>, region: Region) -> Result<Option<Request>> {
    let request = |block: FileBlock| Request {
        operation: Direction::Read,
        file: Arc::clone(file),
        offset: block.offset(),
        region,
        range: 0..block.length,
        tag: block.index,
    };
    Ok(blocks.claim()?.map(request))
}

/// Summarises a block that has arrived, and gives its memory back.
fn summarise(
    job: &Validation,
    completion: Completion,
    joining: &Joining,
    progress: &Progress,
) -> Result<Region> {
    let Completion { request, result, .. } = completion;
    let (read, expected) = (result?, request.range.len());
    if read != expected {
        let end = request.offset + read as u64;
        let message = format!("it became shorter while it was read: it now ends at offset {end}");
        return Err(Error::Malformed {
            path: request.file.path().to_owned(),
            message: message.into(),
        });
    }
    joining.add(request.tag, Summary::of(&request.region[request.range], job.order));
    progress.moved_in(Stream::InputRead, read as u64);
    Ok(request.region)
}
