//! Functions of the program that a job calls, as closures.
//!
//! A callback is declared so that an exception of C++ that leaves it, which the header forbids, is
//! a panic or the end of the process, and not undefined.

use std::cmp::Ordering;
use std::ffi::{c_int, c_void};
use std::ptr::null;

use super::{ErrorPlace, coded, done, job};
use sortwell::unstable::key::{Compare, OrderFunction};

use crate::call::{KeyCallback, KeyRefusal, OutputCallback};
use crate::handle::{ComparisonScope, Handle};

/// Function that points to the key of a record.
type KeyFunction = unsafe extern "C-unwind" fn(
    context: *mut c_void,
    record: *const c_void,
    length: usize,
    key: *mut *const c_void,
    key_length: *mut usize,
) -> c_int;

/// Function that takes a sorted record.
type OutputFunction = unsafe extern "C-unwind" fn(
    context: *mut c_void,
    key: *const c_void,
    key_length: usize,
    record: *const c_void,
    length: usize,
) -> c_int;

/// Function that compares two records.
type CompareFunction = unsafe extern "C-unwind" fn(
    context: *mut c_void,
    left: *const c_void,
    left_length: usize,
    right: *const c_void,
    right_length: usize,
) -> c_int;

/// Pointer that a callback gets.
#[derive(Clone, Copy)]
struct Context(*mut c_void);

// SAFETY: the library only passes it on; the header says on which threads.
unsafe impl Send for Context {}

// SAFETY: the comparison alone is called by several threads at the same time; the header says so.
unsafe impl Sync for Context {}

/// ComparisonCallback by a function of the program.
struct ComparisonCallback {
    function: CompareFunction,
    context: Context,
    /// Address of the job.
    job: usize,
}

impl Compare for ComparisonCallback {
    fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        let (context, left_bytes) = (self.context.pointer(), left.as_ptr().cast());
        let right_bytes = right.as_ptr().cast();
        let _comparison = ComparisonScope::begin(self.job);
        // SAFETY: the header says what the callback may do with its arguments.
        let answer =
            unsafe { (self.function)(context, left_bytes, left.len(), right_bytes, right.len()) };
        answer.cmp(&0)
    }
}

impl Context {
    /// Returns the pointer. A method, so that closures capture the whole context.
    const fn pointer(self) -> *mut c_void {
        self.0
    }
}

/// Sets the callback that writes keys.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_on_key(
    handle: *mut Handle,
    function: Option<KeyFunction>,
    context: *mut c_void,
    error: ErrorPlace,
) -> c_int {
    let name = "sortwell_on_key";
    let context = Context(context);
    let closure = |function: KeyFunction| -> KeyCallback {
        Box::new(move |record, key| {
            let (mut start, mut length) = (null(), 0);
            let (bytes, context) = (record.as_ptr().cast(), context.pointer());
            // SAFETY: the header says what the callback may do with its arguments.
            let answer =
                unsafe { function(context, bytes, record.len(), &raw mut start, &raw mut length) };
            if answer != 0 {
                return Err(KeyRefusal::Returned(answer));
            }
            if length > 0 && start.is_null() {
                return Err(KeyRefusal::Null);
            }
            if isize::try_from(length).is_err() {
                return Err(KeyRefusal::TooLong(length));
            }
            if length > 0 {
                // SAFETY: the callback has set a key of this length, which lives until it is
                // called again.
                key.extend_from_slice(unsafe { std::slice::from_raw_parts(start.cast(), length) });
            }
            Ok(())
        })
    };
    let act = || {
        // SAFETY: the arguments are as the header says.
        let handle = unsafe { job(name, handle)? };
        handle.call(name, |job| job.on_key(function.map(closure))).map(done)
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Sets the callback that takes sorted records.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_on_output(
    handle: *mut Handle,
    function: Option<OutputFunction>,
    context: *mut c_void,
    error: ErrorPlace,
) -> c_int {
    let name = "sortwell_on_output";
    let context = Context(context);
    let closure = |function: OutputFunction| -> OutputCallback {
        Box::new(move |key, record| {
            let (key_bytes, bytes) = (key.as_ptr().cast(), record.as_ptr().cast());
            let context = context.pointer();
            // SAFETY: the header says what the callback may do with its arguments.
            let answer = unsafe { function(context, key_bytes, key.len(), bytes, record.len()) };
            if answer == 0 { Ok(()) } else { Err(answer) }
        })
    };
    let act = || {
        // SAFETY: the arguments are as the header says.
        let handle = unsafe { job(name, handle)? };
        handle.call(name, |job| job.on_output(function.map(closure))).map(done)
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}

/// Sets the callback that compares records.
///
/// # Safety
///
/// The arguments are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_on_compare(
    handle: *mut Handle,
    function: Option<CompareFunction>,
    context: *mut c_void,
    error: ErrorPlace,
) -> c_int {
    let name = "sortwell_on_compare";
    let context = Context(context);
    let act = || {
        // SAFETY: the arguments are as the header says.
        let handle = unsafe { job(name, handle)? };
        let job = handle.address();
        let order = |function| OrderFunction::new(ComparisonCallback { function, context, job });
        handle.call(name, |job| job.on_compare(function.map(order))).map(done)
    };
    // SAFETY: the arguments are as the header says.
    unsafe { coded(error, act) }
}
