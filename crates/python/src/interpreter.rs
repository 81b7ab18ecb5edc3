//! The interpreter that runs a thread, by its number.

use pyo3::ffi;
use pyo3::prelude::*;

/// Number of the interpreter that Python starts with.
const MAIN: i64 = 0;

/// Returns true in the main interpreter of the process, and false in a subinterpreter.
pub fn is_main(_py: Python<'_>) -> bool {
    // SAFETY: the thread has the interpreter lock, so it has an interpreter, which the second call
    // only reads.
    MAIN == unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) }
}
