//! Records that are pushed and taken.

use std::ffi::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null;

use super::{ErrorPlace, bytes, coded, done, is_null, job, lend, text};
use crate::call::CallState;
use crate::call_error::code;
use crate::handle::Handle;

/// Pushes records of the format.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_push(
    handle: *mut Handle,
    records: *const c_void,
    length: usize,
    error: ErrorPlace,
) -> c_int {
    let function = "sortwell_push";
    let act = || {
        // SAFETY: the arguments are as the header says.
        let (handle, records) = unsafe {
            (
                job(function, handle)?,
                bytes(function, "the pointer to the records", records, length)?,
            )
        };
        handle.call(function, |job| job.push(records)).map(done)
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Pushes a record with its key.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_push_keyed(
    handle: *mut Handle,
    key: *const c_void,
    key_length: usize,
    payload: *const c_void,
    payload_length: usize,
    error: ErrorPlace,
) -> c_int {
    let function = "sortwell_push_keyed";
    let act = || {
        // SAFETY: the arguments are as the header says.
        let (handle, key, payload) = unsafe {
            (
                job(function, handle)?,
                bytes(function, "the pointer to the key", key, key_length)?,
                bytes(function, "the pointer to the payload", payload, payload_length)?,
            )
        };
        handle.call(function, |job| job.push_keyed(key, payload)).map(done)
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Ends the input.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_finish(handle: *mut Handle, error: ErrorPlace) -> c_int {
    let function = "sortwell_finish";
    let act = || {
        // SAFETY: the arguments are as the header says.
        let handle = unsafe { job(function, handle)? };
        handle.call(function, CallState::finish).map(done)
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Lends the next block.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_pull(
    handle: *mut Handle,
    block: *mut *const c_void,
    length: *mut usize,
    error: ErrorPlace,
) -> c_int {
    let function = "sortwell_pull";
    let act = || {
        if block.is_null() || length.is_null() {
            return Err(is_null(function, "a place for the block"));
        }
        // SAFETY: the arguments are as the header says.
        let handle = unsafe { job(function, handle)? };
        handle.call(function, |job| {
            let lent = job.pull()?;
            // SAFETY: the arguments are as the header says.
            unsafe { lend(lent.unwrap_or_default(), block, length) };
            Ok(if lent.is_some() { code::OK } else { code::END })
        })
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Lends the next record.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_next(
    handle: *mut Handle,
    key: *mut *const c_void,
    key_length: *mut usize,
    payload: *mut *const c_void,
    payload_length: *mut usize,
    error: ErrorPlace,
) -> c_int {
    let function = "sortwell_next";
    let act = || {
        if payload.is_null() || payload_length.is_null() {
            return Err(is_null(function, "a place for the record"));
        }
        // SAFETY: the arguments are as the header says.
        let handle = unsafe { job(function, handle)? };
        handle.call(function, |job| {
            let lent = job.next()?;
            let (lent_key, lent_payload) =
                lent.map_or((&[][..], &[][..]), |record| (record.key, record.payload));
            // SAFETY: the arguments are as the header says.
            unsafe {
                lend(lent_key, key, key_length);
                lend(lent_payload, payload, payload_length);
            };
            Ok(if lent.is_some() { code::OK } else { code::END })
        })
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Passes all records to the output callback.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_deliver(handle: *mut Handle, error: ErrorPlace) -> c_int {
    let function = "sortwell_deliver";
    let act = || {
        // SAFETY: the arguments are as the header says.
        let handle = unsafe { job(function, handle)? };
        handle.call(function, CallState::deliver).map(done)
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Sets the directory for runs that are not merged.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_spill_to(
    handle: *mut Handle,
    directory: *const c_char,
    error: ErrorPlace,
) -> c_int {
    let function = "sortwell_spill_to";
    let act = || {
        // SAFETY: the arguments are as the header says.
        let (handle, directory) = unsafe { (job(function, handle)?, text(directory)) };
        let directory = directory.ok_or_else(|| is_null(function, "the directory"))?;
        handle.call(function, |job| job.spill_to(directory)).map(done)
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Returns the file of a run, or NULL.
///
/// # Safety
///
/// The job is as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_run_file(handle: *mut Handle, number: usize) -> *const c_char {
    let file = || {
        let function = "sortwell_run_file";
        // SAFETY: the job is as the header says.
        let handle = unsafe { job(function, handle)? };
        handle.call(function, |job| Ok(job.run_file(number).map_or(null(), |run| run.as_ptr())))
    };
    catch_unwind(AssertUnwindSafe(file)).map_or(null(), |made| made.unwrap_or(null()))
}
