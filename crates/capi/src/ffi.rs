//! The functions of `sortwell.h`: pointers become references and slices, results become codes.
//!
//! Each function says in the header what its pointers must be; a NULL that is not allowed is an
//! error. All that a function does is safe code elsewhere, which [`Handle::call`] runs.

mod callbacks;
mod errors;
mod exclusive;
mod files;
mod index;
mod records;

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use sortwell::unstable::key::panic_message;
use sortwell_cli::embed::EmbeddedCommand;

use crate::call::Called;
use crate::call_error::{CallError, code};
use crate::gate;
use crate::handle::Handle;

pub use exclusive::{Entered, Exclusive};

/// Place for the error of a call, or NULL.
type ErrorPlace = *mut *mut CallError;

/// Makes a job. Returns NULL after a panic.
fn new_job(command: EmbeddedCommand) -> *mut Handle {
    let make = || {
        watch_forks();
        Box::into_raw(Box::new(Handle::new(command)))
    };
    catch_unwind(make).unwrap_or(std::ptr::null_mut())
}

/// Lets forks be counted.
fn watch_forks() {
    static REGISTERED: Once = Once::new();
    extern "C" fn in_child() {
        gate::note_fork();
    }
    REGISTERED.call_once(|| {
        // SAFETY: the handler only adds to an atomic, which a new process may do.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    });
}

/// Runs `act`, and returns its code. An error goes to `place`.
///
/// # Safety
///
/// `place` is NULL or may be written to.
#[inline]
unsafe fn coded(place: ErrorPlace, act: impl FnOnce() -> Called<c_int>) -> c_int {
    match catch_unwind(AssertUnwindSafe(act)) {
        Ok(Ok(answer)) => answer,
        // SAFETY: the caller passes a place that may be written to.
        Ok(Err(error)) => unsafe { report(place, error) },
        Err(panic) => {
            let error = CallError::bug(&panic_message(panic.as_ref()));
            // SAFETY: the caller passes a place that may be written to.
            unsafe { report(place, error) }
        }
    }
}

/// Puts an error into its place, and returns its code.
///
/// # Safety
///
/// `place` is NULL or may be written to.
#[cold]
unsafe fn report(place: ErrorPlace, error: CallError) -> c_int {
    let answer = error.code();
    if !place.is_null() {
        let error = Box::into_raw(Box::new(error));
        // SAFETY: the caller passes a place that may be written to.
        unsafe { place.write(error) };
    }
    answer
}

/// Returns the job of a call.
///
/// # Safety
///
/// `job` is NULL, or was made by this library and not freed.
#[inline]
unsafe fn job<'j>(function: &str, job: *const Handle) -> Called<&'j Handle> {
    // SAFETY: the caller passes a job that lives until the call returns.
    unsafe { job.as_ref() }.ok_or_else(|| is_null(function, "the job"))
}

/// Returns the bytes of an argument. NULL has none.
///
/// # Safety
///
/// `length` bytes at `start` may be read, and do not change during the call.
#[inline]
unsafe fn bytes<'b>(
    function: &str,
    what: &str,
    start: *const c_void,
    length: usize,
) -> Called<&'b [u8]> {
    if length == 0 {
        return Ok(&[]);
    }
    if start.is_null() {
        return Err(is_null(function, what));
    }
    if isize::try_from(length).is_err() {
        return Err(CallError::usage(format!("{function}: {what} has an impossible length")));
    }
    // SAFETY: the caller passes that number of bytes, which is less than half of all addresses.
    Ok(unsafe { std::slice::from_raw_parts(start.cast(), length) })
}

/// Returns the text of an argument; `None` for NULL.
///
/// # Safety
///
/// `text` is NULL or ends with a zero byte, and does not change during the call.
unsafe fn text<'t>(text: *const c_char) -> Option<&'t OsStr> {
    // SAFETY: the caller passes a text that ends with a zero byte.
    let text = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) });
    text.map(|text| OsStr::from_bytes(text.to_bytes()))
}

/// Returns the error of an argument that must not be NULL.
#[cold]
fn is_null(function: &str, what: &str) -> CallError {
    CallError::usage(format!("{function}: {what} is NULL"))
}

/// Returns the code of a call without an answer.
fn done((): ()) -> c_int {
    code::OK
}

/// Lends bytes to the caller.
///
/// # Safety
///
/// The places are NULL or may be written to.
unsafe fn lend(lent: &[u8], start: *mut *const c_void, length: *mut usize) {
    if !start.is_null() {
        // SAFETY: the caller passes a place that may be written to.
        unsafe { start.write(lent.as_ptr().cast()) };
    }
    if !length.is_null() {
        // SAFETY: the caller passes a place that may be written to.
        unsafe { length.write(lent.len()) };
    }
}
