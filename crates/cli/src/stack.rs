//! A stack that is large enough, however small that of the process was made (`ulimit -s`).
//!
//! Reading a command line takes some 100 KiB. Where the limit is as usual nothing is started for
//! it, so that a small sort starts as fast as it can.

use std::path::Path;
use std::process::ExitCode;
use std::thread;

use sortwell::{ByteSize, Error};

use crate::failure::Failure;

/// The stack of every other thread, which does for whatever this program does.
const STACK_BYTES: ByteSize = ByteSize::mib(2);

/// Does `work` on the stack of the process, or where that is small, on a stack of its own.
pub fn with_enough(work: fn() -> ExitCode) -> ExitCode {
    if sortwell::unstable::sys::limits::stack().is_none_or(|limit| limit >= STACK_BYTES) {
        return work();
    }
    let builder = thread::Builder::new().stack_size(STACK_BYTES.bytes() as usize);
    match builder.spawn(work) {
        Ok(thread) => thread.join().unwrap_or(ExitCode::FAILURE), // a panic has said why
        Err(e) => {
            let what = format!("a thread with a stack of {STACK_BYTES}, as the limit is less");
            Failure::Library(Error::io("start", Path::new(&what), e)).report()
        }
    }
}
