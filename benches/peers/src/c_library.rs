//! The C library, called as a C program calls it: through the functions of the shared library.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{self, null_mut};
use std::slice;

use libloading::Library;

use crate::Outcome;
use crate::options::Options;
use crate::records::{KEY, OrderSum, Records};

/// A job, and an error.
type Handle = *mut c_void;

/// Codes of the header.
const OK: c_int = 0;
const END: c_int = -1;

/// The functions that are used, as the header declares them.
struct Functions {
    new: unsafe extern "C" fn() -> Handle,
    set: unsafe extern "C" fn(Handle, *const c_char, *const c_char, *mut Handle) -> c_int,
    input: unsafe extern "C" fn(Handle, *const c_char, *mut Handle) -> c_int,
    run: unsafe extern "C" fn(Handle, *const c_char, *mut Handle) -> c_int,
    push_keyed: unsafe extern "C" fn(
        Handle,
        *const c_void,
        usize,
        *const c_void,
        usize,
        *mut Handle,
    ) -> c_int,
    finish: unsafe extern "C" fn(Handle, *mut Handle) -> c_int,
    next: unsafe extern "C" fn(
        Handle,
        *mut *const c_void,
        *mut usize,
        *mut *const c_void,
        *mut usize,
        *mut Handle,
    ) -> c_int,
    error_message: unsafe extern "C" fn(Handle) -> *const c_char,
    free: unsafe extern "C" fn(Handle),
}

/// A job of the C library.
struct Job {
    functions: Functions,
    handle: Handle,
    /// Its functions are valid as long as this is loaded.
    _library: Library,
}

impl Job {
    /// Makes a sort with some options.
    fn new(options: &Options, named: &[(&str, String)]) -> Outcome<Self> {
        let path = &options.library;
        // SAFETY: the library is sortwell's; its functions have the types of its header.
        let (library, functions) = unsafe {
            let library = Library::new(path).map_err(|error| format!("make capi: {error}"))?;
            let functions = Functions {
                new: *library.get(b"sortwell_new")?,
                set: *library.get(b"sortwell_set")?,
                input: *library.get(b"sortwell_input")?,
                run: *library.get(b"sortwell_run")?,
                push_keyed: *library.get(b"sortwell_push_keyed")?,
                finish: *library.get(b"sortwell_finish")?,
                next: *library.get(b"sortwell_next")?,
                error_message: *library.get(b"sortwell_error_message")?,
                free: *library.get(b"sortwell_free")?,
            };
            (library, functions)
        };
        // SAFETY: it takes nothing.
        let handle = unsafe { (functions.new)() };
        let job = Self { functions, handle, _library: library };
        for (name, value) in named {
            let (name, value) = (CString::new(*name)?, CString::new(value.as_str())?);
            // SAFETY: the texts end with a zero and live during the call.
            job.checked(|error| unsafe {
                (job.functions.set)(job.handle, name.as_ptr(), value.as_ptr(), error)
            })?;
        }
        Ok(job)
    }

    /// Makes a call; an error of the library is one here.
    fn checked(&self, call: impl FnOnce(*mut Handle) -> c_int) -> Outcome<c_int> {
        let mut error = null_mut();
        let code = call(&raw mut error);
        if code == OK || code == END {
            return Ok(code);
        }
        // SAFETY: the library made the error, and its message ends with a zero.
        let message = unsafe { CStr::from_ptr((self.functions.error_message)(error)) };
        Err(format!("code {code}: {}", message.to_string_lossy()).into())
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // SAFETY: the job is freed once.
        unsafe { (self.functions.free)(self.handle) };
    }
}

/// Sorts a file to another.
pub fn file_job(options: &Options, input: &Path, output: &Path) -> Outcome<()> {
    let job = Job::new(options, &options.of_file_jobs()?)?;
    let input = CString::new(input.as_os_str().as_bytes())?;
    let output = CString::new(output.as_os_str().as_bytes())?;
    // SAFETY: the paths end with a zero and live during the calls.
    job.checked(|error| unsafe { (job.functions.input)(job.handle, input.as_ptr(), error) })?;
    job.checked(|error| unsafe { (job.functions.run)(job.handle, output.as_ptr(), error) })?;
    Ok(())
}

/// Pushes the records with their keys and takes them back.
pub fn push_and_pull(options: &Options, mut records: Records) -> Outcome<OrderSum> {
    let job = Job::new(options, &options.of_records()?)?;
    let Job { functions, handle, .. } = &job;
    while let Some(record) = records.next() {
        let (key, payload) = record.split_at(KEY);
        let [key_at, payload_at] = [key.as_ptr().cast(), payload.as_ptr().cast()];
        // SAFETY: the key and the payload live during the call.
        job.checked(|error| unsafe {
            (functions.push_keyed)(*handle, key_at, key.len(), payload_at, payload.len(), error)
        })?;
    }
    // SAFETY: the job is alive.
    job.checked(|error| unsafe { (functions.finish)(*handle, error) })?;
    let mut sum = OrderSum::default();
    let (mut key, mut payload): (*const c_void, *const c_void) = (ptr::null(), ptr::null());
    let (mut key_bytes, mut bytes) = (0, 0);
    loop {
        let places = (&raw mut key, &raw mut key_bytes, &raw mut payload, &raw mut bytes);
        // SAFETY: the places live during the call.
        let code = job.checked(|error| unsafe {
            (functions.next)(*handle, places.0, places.1, places.2, places.3, error)
        })?;
        if code == END {
            return Ok(sum);
        }
        // SAFETY: the library lent both until the next call.
        let record = unsafe {
            (
                slice::from_raw_parts(key.cast(), key_bytes),
                slice::from_raw_parts(payload.cast(), bytes),
            )
        };
        sum.add(record.0, record.1);
    }
}
