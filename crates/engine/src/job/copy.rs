//! Copying a file, striped or not, to another or to a stream: block after block, many in flight.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Input, Output, destinations};
use crate::error::{ConfigErrorKind, Error, Result, config};
use crate::io::{
    Arena, Completion, Direct, Direction, Engine, File, InputKind, Queue, Region, Request,
};
use crate::output;
use crate::stats::{Phase, Progress, Stream};
use crate::units::ByteSize;

/// Bytes of a block, and blocks in flight.
const BLOCK_BYTES: usize = 1 << 20;
const DEPTH: usize = 24;

/// One copy: the bytes of a file, striped or not, to an output.
#[derive(Clone, Debug)]
pub struct CopyJob {
    /// Source of the copy: a file or a striped file.
    pub input: Input,
    /// Destination of the copy.
    pub output: Output,
    /// I/O engine that moves the bytes.
    pub engine: Engine,
    /// Choice of whether the copy bypasses the page cache.
    pub direct: Direct,
    /// True if the output is made durable before it gets its name.
    pub sync: bool,
    /// True to replace an output that has no write permission.
    pub force: bool,
}

impl CopyJob {
    /// Returns a job with every choice left to sortwell.
    pub fn new(input: Input, output: Output) -> Self {
        Self { input, output, engine: Engine::Auto, direct: Direct::Auto, sync: true, force: false }
    }

    /// Copies the input and returns the number of bytes. Blocks until the output is in place.
    ///
    /// # Errors
    ///
    /// Whatever the world does wrong, as an [`Error`]; then no output exists under its name.
    pub fn run(&self, progress: &Progress) -> Result<u64> {
        destinations::check_output(&self.output, self.force)?;
        let file = match &self.input {
            Input::File(path) if matches!(InputKind::of(path, progress)?, InputKind::Offsets) => {
                File::open_read(path, self.direct)?
            }
            Input::Striped(path) => File::open_stripes(path, self.direct)?,
            Input::File(_) | Input::Stdin | Input::Supplied(_) => {
                return Err(config!(
                    ConfigErrorKind::Unsupported,
                    "only files of a known length can be copied; give the name of a file",
                ));
            }
        };
        let bytes = file.len();
        let mut output = destinations::open_output(&self.output, self.direct, progress)?;
        progress.enter(Phase::Writing);
        progress.expect_bytes(2 * bytes);
        let copied = output.reserve(bytes).and_then(|()| {
            let target = output.open_file().cloned();
            let mut copy = Copy::new(self.engine.queue(DEPTH)?, file, progress)?;
            match target {
                Some(target) => copy.write_file(&target)?,
                None => copy.write_stream(&mut output)?,
            }
            copy.file.check_whole()
        });
        match copied {
            Ok(()) => output.finish(bytes, self.sync, progress).map(|_| bytes),
            Err(e) => {
                output.abandon();
                Err(e)
            }
        }
    }
}

struct Copy<'a> {
    queue: Box<dyn Queue>,
    file: Arc<File>,
    free: Vec<Region>,
    /// Offset of the next byte to read.
    next: u64,
    progress: &'a Progress,
}

impl<'a> Copy<'a> {
    fn new(queue: Box<dyn Queue>, file: Arc<File>, progress: &'a Progress) -> Result<Self> {
        let mut memory = Arena::new(ByteSize((DEPTH * BLOCK_BYTES) as u64))?;
        let mut free = Vec::with_capacity(DEPTH);
        for _ in 0..DEPTH {
            let rest = memory.split_off(BLOCK_BYTES);
            free.push(std::mem::replace(&mut memory, rest));
        }
        Ok(Self { queue, file, free, next: 0, progress })
    }

    /// Asks for as many blocks as there is memory for.
    fn read_ahead(&mut self) -> Result<()> {
        if self.progress.is_stopping() {
            return Err(Error::Interrupted);
        }
        while self.next < self.file.len()
            && let Some(region) = self.free.pop()
        {
            let (offset, tag) = (self.next, self.next);
            // Whole blocks can go past the cache, also where the file ends in one.
            self.next += BLOCK_BYTES as u64;
            let (operation, file, range) = (Direction::Read, self.file.clone(), 0..region.len());
            self.queue.submit(Request { operation, file, offset, region, range, tag })?;
        }
        Ok(())
    }

    /// Returns the number of bytes of the block at `offset`, of which `read` were read: fewer than
    /// the file said where it has become shorter.
    fn whole(&self, offset: u64, read: usize) -> Result<usize> {
        let wanted = (self.file.len() - offset).min(BLOCK_BYTES as u64) as usize;
        if read >= wanted {
            return Ok(wanted);
        }
        Err(Error::Malformed {
            path: self.file.path().to_owned(),
            message: format!("it became shorter while it was read: {read} bytes at {offset}")
                .into(),
        })
    }

    /// Blocks go to the same place as they come, in any order.
    fn write_file(&mut self, target: &Arc<File>) -> Result<()> {
        loop {
            self.read_ahead()?;
            let Some(Completion { request, result, .. }) = self.queue.wait()? else {
                return Ok(());
            };
            let Request { operation, offset, region, tag, .. } = request;
            let moved = result?;
            if operation == Direction::Write {
                self.progress.moved_in(Stream::OutputWritten, moved as u64);
                self.free.push(region);
                continue;
            }
            self.progress.moved_in(Stream::InputRead, moved as u64);
            let range = 0..self.whole(offset, moved)?;
            let (operation, file) = (Direction::Write, Arc::clone(target));
            self.queue.submit(Request { operation, file, offset, region, range, tag })?;
        }
    }

    /// Blocks wait for those before them.
    fn write_stream(&mut self, output: &mut output::OpenOutput) -> Result<()> {
        let mut waiting: BTreeMap<u64, (Region, usize)> = BTreeMap::new();
        let mut written = 0;
        loop {
            self.read_ahead()?;
            let Some(Completion { request, result, .. }) = self.queue.wait()? else {
                return Ok(());
            };
            let Request { offset, region, .. } = request;
            let bytes = self.whole(offset, result?)?;
            waiting.insert(offset, (region, bytes));
            while let Some((region, bytes)) = waiting.remove(&written) {
                output.write_all(&region[..bytes], self.progress)?;
                self.progress.moved_in(Stream::InputRead, bytes as u64);
                self.progress.moved_in(Stream::OutputWritten, bytes as u64);
                self.free.push(region);
                written += BLOCK_BYTES as u64;
            }
        }
    }
}
