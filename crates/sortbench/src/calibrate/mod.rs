//! Measurements of a machine: its disks, its memory and its processors.
//!
//! After NOW-Sort (Arpaci-Dusseau et al., SIGMOD 1997, section 4): `disk` is its diskconf, `memory`
//! its memconf. What they find makes a
//! [`Profile`](sortwell::unstable::profile::Profile), and strides of striped files.

mod disk;
mod memory;
mod processor;
mod strides;

use std::io;
use std::path::Path;

use sortwell::Error;

pub use disk::{DiskReport, Together, disks};
pub use memory::{CopiedMemory, MemoryChoices, MemoryEnd, MemoryProbe, MemoryReport, memory};
pub use processor::processor;
pub use strides::{DirectoryRate, StripeUse, carried, strides, striped_speed};

use crate::machine::now;

/// Returns the error of a thread that the system did not start.
fn not_started(cause: io::Error) -> Error {
    Error::io("start", Path::new("a thread"), cause)
}
