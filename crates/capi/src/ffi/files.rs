//! Jobs: making, options, files, stopping, statistics and freeing.

use std::ffi::{c_char, c_double, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr::null;

use sortwell_cli::embed::EmbeddedCommand;

use super::{ErrorPlace, coded, done, is_null, job, new_job, text};
use crate::call_error::code;
use crate::handle::Handle;

/// Makes a sort.
#[unsafe(no_mangle)]
pub extern "C" fn sortwell_new() -> *mut Handle {
    new_job(EmbeddedCommand::Sort)
}

/// Makes a merge of files.
#[unsafe(no_mangle)]
pub extern "C" fn sortwell_new_merge() -> *mut Handle {
    new_job(EmbeddedCommand::Merge)
}

/// Makes a check of files.
#[unsafe(no_mangle)]
pub extern "C" fn sortwell_new_check() -> *mut Handle {
    new_job(EmbeddedCommand::Check)
}

/// Sets an option.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_set(
    handle: *mut Handle,
    name: *const c_char,
    value: *const c_char,
    error: ErrorPlace,
) -> c_int {
    let function = "sortwell_set";
    let act = || {
        // SAFETY: the arguments are as the header says.
        let (handle, name, value) = unsafe { (job(function, handle)?, text(name), text(value)) };
        let name = name.ok_or_else(|| is_null(function, "the name of the option"))?;
        handle.call(function, |job| job.set(name, value)).map(done)
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Adds an input file.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_input(
    handle: *mut Handle,
    path: *const c_char,
    error: ErrorPlace,
) -> c_int {
    let function = "sortwell_input";
    let act = || {
        // SAFETY: the arguments are as the header says.
        let (handle, path) = unsafe { (job(function, handle)?, text(path)) };
        let path = path.ok_or_else(|| is_null(function, "the path"))?;
        handle.call(function, |job| job.input(path)).map(done)
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Runs a job of files.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_run(
    handle: *mut Handle,
    output: *const c_char,
    error: ErrorPlace,
) -> c_int {
    let function = "sortwell_run";
    let act = || {
        // SAFETY: the arguments are as the header says.
        let (handle, output) = unsafe { (job(function, handle)?, text(output)) };
        handle.call(function, |job| job.run(output.map(Path::new))).map(done)
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Asks a job to stop.
///
/// # Safety
///
/// The job is as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_stop(handle: *mut Handle) -> c_int {
    // SAFETY: the job is as the header says.
    match unsafe { handle.as_ref() } {
        Some(handle) if !handle.is_of_parent() => {
            handle.stop();
            code::OK
        }
        _ => code::USAGE,
    }
}

/// Returns the share of the work that is done, or -1.
///
/// # Safety
///
/// The job is as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_progress(handle: *const Handle) -> c_double {
    let share = || {
        // SAFETY: the job is as the header says.
        let handle = unsafe { handle.as_ref() };
        handle.filter(|handle| !handle.is_of_parent()).and_then(Handle::done)
    };
    catch_unwind(AssertUnwindSafe(share)).ok().flatten().unwrap_or(-1.0)
}

/// Returns the statistics of a job as JSON, or NULL.
///
/// # Safety
///
/// The job is as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_statistics(handle: *mut Handle) -> *const c_char {
    let json = || {
        let function = "sortwell_statistics";
        // SAFETY: the job is as the header says.
        let handle = unsafe { job(function, handle)? };
        handle.call(function, |job| Ok(job.statistics().map_or(null(), |json| json.as_ptr())))
    };
    catch_unwind(AssertUnwindSafe(json)).map_or(null(), |made| made.unwrap_or(null()))
}

/// Frees a job.
///
/// # Safety
///
/// The job is as the header says, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_free(handle: *mut Handle) {
    // SAFETY: the job is as the header says.
    let Some(handle) = (unsafe { handle.as_ref() }) else { return };
    if !handle.is_free() {
        // The threads and files are those of the parent, or a call is still using them.
        if !handle.is_of_parent() {
            handle.stop();
        }
        return;
    }
    // SAFETY: new_job made it, and nobody uses it.
    let handle = unsafe { Box::from_raw(std::ptr::from_ref(handle).cast_mut()) };
    // A panic has nobody to go to.
    let _ = catch_unwind(AssertUnwindSafe(move || drop(handle)));
}
