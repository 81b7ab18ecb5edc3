//! Questions to the operating system about this machine and this process, and a library in C.
//!
//! `limits` asks for memory, cores and open files, `processors` for NUMA nodes, `space` for free
//! space of file systems, `block_devices` for the disks under them, `counters` for hardware
//! counters. `deflate` is libdeflate. Files and requests are in `io`.

pub mod block_devices;
pub mod counters;
#[cfg(feature = "bgzf")]
pub mod deflate;
pub mod limits;
pub mod processors;
pub mod space;

pub use processors::Affinity;
