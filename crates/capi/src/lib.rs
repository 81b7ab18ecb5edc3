//! The C library of sortwell, `libsortwell`. Its reference is `include/sortwell.h`.
//!
//! ```text
//!   ffi        C functions: pointers in, codes out; the only unsafe code
//!   gate       one call at a time, forks noticed
//!   handle     jobs: panics caught, stops, progress
//!   call       the work of each function of jobs, in safe Rust
//!   lookup     open indexes, and the records that a search finds
//!   call_error error objects
//! ```
//!
//! Options, messages and codes are those of the command: `sortwell_cli::embed` reads the options,
//! and a code is an exit status. A job prints nothing, installs no signal handler and changes no
//! state of the process.

mod call;
mod call_error;
#[expect(unsafe_code, reason = "pointers of C become references and slices here")]
mod ffi;
mod gate;
mod handle;
mod lookup;
