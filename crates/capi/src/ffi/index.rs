//! Indexes: opening, searches, and the records that they find.

use std::ffi::{c_char, c_int, c_void};
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr::null_mut;

use sortwell_cli::embed::EmbeddedCommand;

use super::{ErrorPlace, bytes, coded, done, is_null, lend, new_job, text, watch_forks};
use crate::call::Called;
use crate::call_error::{CallError, code};
use crate::handle::Handle;
use crate::lookup::{IndexCalls, IndexHandle};

/// The value of a key: `sortwell_value`.
#[repr(C)]
#[derive(Debug)]
pub struct CValue {
    bytes: *const c_void,
    length: usize,
}

/// An end of a range: `sortwell_bound`.
#[repr(C)]
#[derive(Debug)]
pub struct CBound {
    values: *const CValue,
    count: usize,
    is_excluded: c_int,
}

/// Makes the build of an index.
#[unsafe(no_mangle)]
pub extern "C" fn sortwell_new_index() -> *mut Handle {
    new_job(EmbeddedCommand::IndexBuild)
}

/// Makes an append to an index.
#[unsafe(no_mangle)]
pub extern "C" fn sortwell_new_index_append() -> *mut Handle {
    new_job(EmbeddedCommand::IndexAppend)
}

/// Returns the index of a call.
///
/// # Safety
///
/// `index` is NULL, or was made by this library and not freed.
unsafe fn opened<'i>(function: &str, index: *const IndexHandle) -> Called<&'i IndexHandle> {
    // SAFETY: the caller passes an index that lives until the call returns.
    unsafe { index.as_ref() }.ok_or_else(|| is_null(function, "the index"))
}

/// Returns values.
///
/// # Safety
///
/// The values are as the header says.
unsafe fn values<'v>(function: &str, start: *const CValue, count: usize) -> Called<Vec<&'v [u8]>> {
    let what = "the pointer to the values";
    if count > isize::MAX as usize / size_of::<CValue>() {
        return Err(CallError::usage(format!("{function}: there are too many values")));
    }
    if count > 0 && start.is_null() {
        return Err(is_null(function, what));
    }
    // SAFETY: the caller passes an array of that many values.
    let found = (0..count).map(|at| unsafe { &*start.add(at) });
    // SAFETY: each value has that many bytes.
    found.map(|value| unsafe { bytes(function, what, value.bytes, value.length) }).collect()
}

/// Returns an end of a range.
///
/// # Safety
///
/// The end is NULL, or as the header says.
unsafe fn bound<'v>(function: &str, end: *const CBound) -> Called<Bound<Vec<&'v [u8]>>> {
    // SAFETY: the caller passes NULL or an end that can be read.
    let Some(end) = (unsafe { end.as_ref() }) else { return Ok(Bound::Unbounded) };
    // SAFETY: its values are as the header says.
    let values = unsafe { values(function, end.values, end.count) }?;
    Ok(if end.is_excluded == 0 { Bound::Included(values) } else { Bound::Excluded(values) })
}

/// Opens an index.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_index_open(
    path: *const c_char,
    stale_ok: c_int,
    index: *mut *mut IndexHandle,
    error: ErrorPlace,
) -> c_int {
    let function = "sortwell_index_open";
    let act = || {
        if index.is_null() {
            return Err(is_null(function, "a place for the index"));
        }
        watch_forks();
        // SAFETY: the arguments are as the header says.
        let path = unsafe { text(path) }.ok_or_else(|| is_null(function, "the path"))?;
        if path.is_empty() {
            return Err(CallError::usage("sortwell_index_open: the name of the index is empty"));
        }
        let opened = Box::new(IndexHandle::open(Path::new(path), stale_ok != 0)?);
        // SAFETY: the caller passes a place that may be written to.
        unsafe { index.write(Box::into_raw(opened)) };
        Ok(code::OK)
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Makes another handle of an open index; NULL after a fault.
///
/// # Safety
///
/// The index is as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_index_share(index: *mut IndexHandle) -> *mut IndexHandle {
    let share = || {
        // SAFETY: the index is as the header says.
        let index = unsafe { opened("sortwell_index_share", index)? };
        index.share().map(|shared| Box::into_raw(Box::new(shared)))
    };
    catch_unwind(AssertUnwindSafe(share)).map_or(null_mut(), |made| made.unwrap_or(null_mut()))
}

/// Returns the number of entries; 0 for NULL.
///
/// # Safety
///
/// The index is as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_index_entries(index: *const IndexHandle) -> u64 {
    // SAFETY: the index is as the header says.
    unsafe { index.as_ref() }.map_or(0, |index| index.entries)
}

/// Begins a search for the records that have these values.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_index_get(
    index: *mut IndexHandle,
    start: *const CValue,
    count: usize,
    error: ErrorPlace,
) -> c_int {
    let function = "sortwell_index_get";
    let act = || {
        // SAFETY: the arguments are as the header says.
        let (index, values) =
            unsafe { (opened(function, index)?, values(function, start, count)?) };
        index.call(function, |calls| calls.search(|index| index.get(&values))).map(done)
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Begins a search for the records whose last value begins so.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_index_prefix(
    index: *mut IndexHandle,
    start: *const CValue,
    count: usize,
    error: ErrorPlace,
) -> c_int {
    let function = "sortwell_index_prefix";
    let act = || {
        // SAFETY: the arguments are as the header says.
        let (index, values) =
            unsafe { (opened(function, index)?, values(function, start, count)?) };
        index.call(function, |calls| calls.search(|index| index.prefix(&values))).map(done)
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Begins a search for the records between two ends.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_index_range(
    index: *mut IndexHandle,
    from: *const CBound,
    to: *const CBound,
    error: ErrorPlace,
) -> c_int {
    let function = "sortwell_index_range";
    let act = || {
        // SAFETY: the arguments are as the header says.
        let (index, from, to) =
            unsafe { (opened(function, index)?, bound(function, from)?, bound(function, to)?) };
        index.call(function, |calls| calls.search(|index| index.range((from, to)))).map(done)
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Turns a search around.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_index_reverse(
    index: *mut IndexHandle,
    error: ErrorPlace,
) -> c_int {
    let function = "sortwell_index_reverse";
    let act = || {
        // SAFETY: the arguments are as the header says.
        let index = unsafe { opened(function, index)? };
        index.call(function, IndexCalls::reverse).map(done)
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Goes to the next entry, and lends its record.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_index_next(
    index: *mut IndexHandle,
    record: *mut *const c_void,
    length: *mut usize,
    error: ErrorPlace,
) -> c_int {
    let function = "sortwell_index_next";
    let act = || {
        // SAFETY: the arguments are as the header says.
        let index = unsafe { opened(function, index)? };
        index.call(function, |calls| {
            let is_there = calls.advance()?;
            let lent = match is_there && !record.is_null() {
                true => calls.record()?,
                false => &[],
            };
            // SAFETY: the arguments are as the header says.
            unsafe { lend(lent, record, length) };
            Ok(if is_there { code::OK } else { code::END })
        })
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Returns the place of the record.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_index_place(
    index: *mut IndexHandle,
    path: *mut *const c_char,
    offset: *mut u64,
    length: *mut u64,
    error: ErrorPlace,
) -> c_int {
    let function = "sortwell_index_place";
    let act = || {
        if path.is_null() || offset.is_null() || length.is_null() {
            return Err(is_null(function, "a place for the answer"));
        }
        // SAFETY: the arguments are as the header says.
        let index = unsafe { opened(function, index)? };
        index.call(function, |calls| {
            let (file, at, bytes) = calls.place()?;
            // SAFETY: the caller passes places that may be written to.
            unsafe {
                path.write(file.as_ptr());
                offset.write(at);
                length.write(bytes);
            }
            Ok(code::OK)
        })
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Lends an included part of the entry.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_index_included(
    index: *mut IndexHandle,
    number: usize,
    part: *mut *const c_void,
    length: *mut usize,
    error: ErrorPlace,
) -> c_int {
    let function = "sortwell_index_included";
    let act = || {
        if part.is_null() || length.is_null() {
            return Err(is_null(function, "a place for the part"));
        }
        // SAFETY: the arguments are as the header says.
        let index = unsafe { opened(function, index)? };
        index.call(function, |calls| {
            // SAFETY: the arguments are as the header says.
            unsafe { lend(calls.included(number)?, part, length) };
            Ok(code::OK)
        })
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Frees an index.
///
/// # Safety
///
/// The index is as the header says, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_index_free(index: *mut IndexHandle) {
    // SAFETY: the index is as the header says.
    let is_free = unsafe { index.as_ref() }.is_some_and(IndexHandle::is_free);
    if !is_free {
        return; // NULL, of a parent process, or still in use
    }
    // SAFETY: sortwell_index_open or sortwell_index_share made it, and nobody uses it.
    let index = unsafe { Box::from_raw(index) };
    // A panic has nobody to go to.
    let _ = catch_unwind(AssertUnwindSafe(move || drop(index)));
}
