//! Error objects, and the version.

use std::ffi::{c_char, c_int};
use std::ptr::null;

use crate::call_error::{CallError, code};

/// Returns the code of an error; 0 for NULL.
///
/// # Safety
///
/// The error is NULL, or from this library and not freed. The same holds for all functions here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_error_code(error: *const CallError) -> c_int {
    // SAFETY: see above.
    unsafe { error.as_ref() }.map_or(code::OK, CallError::code)
}

/// Returns the message of an error; an empty text for NULL.
///
/// # Safety
///
/// As for [`sortwell_error_code`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_error_message(error: *const CallError) -> *const c_char {
    // SAFETY: see above.
    unsafe { error.as_ref() }.map_or(c"".as_ptr(), |error| error.message().as_ptr())
}

/// Returns the file of an error, or NULL.
///
/// # Safety
///
/// As for [`sortwell_error_code`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_error_file(error: *const CallError) -> *const c_char {
    // SAFETY: see above.
    let error = unsafe { error.as_ref() };
    error.and_then(CallError::file).map_or(null(), |file| file.as_ptr())
}

/// Returns the offset of an error, or -1.
///
/// # Safety
///
/// As for [`sortwell_error_code`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_error_offset(error: *const CallError) -> i64 {
    // SAFETY: see above.
    number(unsafe { error.as_ref() }.and_then(CallError::offset))
}

/// Returns the number of the record of an error, or -1.
///
/// # Safety
///
/// As for [`sortwell_error_code`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_error_record(error: *const CallError) -> i64 {
    // SAFETY: see above.
    number(unsafe { error.as_ref() }.and_then(CallError::record))
}

/// Frees an error.
///
/// # Safety
///
/// As for [`sortwell_error_code`]. The error is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sortwell_error_free(error: *mut CallError) {
    if !error.is_null() {
        // SAFETY: `coded` made it, and nobody uses it.
        drop(unsafe { Box::from_raw(error) });
    }
}

/// Returns the version of the library, as in `SORTWELL_VERSION_NUMBER`.
#[unsafe(no_mangle)]
pub extern "C" fn sortwell_version() -> u32 {
    let parts = env!("CARGO_PKG_VERSION").split(['.', '-']).take(3);
    parts.fold(0, |number, part| number * 100 + part.parse::<u32>().unwrap_or(0))
}

fn number(number: Option<u64>) -> i64 {
    number.and_then(|number| i64::try_from(number).ok()).unwrap_or(-1)
}
