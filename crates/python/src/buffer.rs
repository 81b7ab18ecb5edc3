//! The buffer protocol: bytes that Python objects lend, and bytes that are lent to Python.
//!
//! No slice of a lent buffer is made, because other threads of the program may write to it at any
//! time. Its bytes are copied by raw pointers before a call returns, and all work is done on the
//! copy.

use std::ffi::c_int;

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

/// Contiguous bytes that a Python object lends as long as this exists.
pub struct LentBytes(PyUntypedBuffer);

impl LentBytes {
    /// Borrows the bytes of an object.
    ///
    /// # Errors
    ///
    /// `TypeError` for an object without a buffer, and for one whose bytes are addresses;
    /// `BufferError` for one whose bytes do not follow each other, such as a column or a reversed
    /// array, or without dimensions.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        // Arrays of ctypes have no strides of their own, which PyO3 refuses.
        let buffer = PyUntypedBuffer::get(object)
            .or_else(|error| match error.is_instance_of::<PyBufferError>(object.py()) {
                true => PyUntypedBuffer::get(PyMemoryView::from(object)?.as_any()),
                false => Err(error),
            })
            .map_err(|error| explained(object, error))?;
        if has_addresses(buffer.format().to_bytes()) {
            return Err(PyTypeError::new_err(
                "the array has Python objects, so its bytes are their addresses; convert it, as \
                 with array.astype('S8') for texts or array.astype('u8') for numbers, or use \
                 sortwell.sorted",
            ));
        }
        if !buffer.is_c_contiguous() {
            return Err(PyBufferError::new_err(
                "the buffer is not contiguous; pass np.ascontiguousarray(array), or bytes(view) \
                 for a memoryview",
            ));
        }
        Ok(Self(buffer))
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.0.len_bytes()
    }

    /// Appends all bytes to `target`.
    pub fn append_to(&self, target: &mut Vec<u8>) {
        let start = target.len();
        target.resize(start + self.len(), 0);
        self.copy_to(0, &mut target[start..]);
    }

    /// Copies bytes from `start` on to all of `target`.
    ///
    /// # Panics
    ///
    /// If there are fewer bytes.
    pub fn copy_to(&self, start: usize, target: &mut [u8]) {
        assert!(start.checked_add(target.len()).is_some_and(|end| end <= self.len()));
        if target.is_empty() {
            return;
        }
        // SAFETY: the bytes from `start` lie in the buffer, which is contiguous and stays where it
        // is while `self.0` exists. The target is another object, as it is borrowed for writing. A
        // thread that writes at the same time can change the bytes that are copied, and nothing
        // else.
        unsafe {
            let from = self.0.buf_ptr().cast::<u8>().add(start);
            from.copy_to_nonoverlapping(target.as_mut_ptr(), target.len());
        }
    }
}

/// Returns true if a format of the buffer protocol has pointers to objects of Python. The names of
/// fields stand between colons.
fn has_addresses(format: &[u8]) -> bool {
    format.split(|byte| *byte == b':').step_by(2).any(|types| types.contains(&b'O'))
}

/// Returns the error for an array that lends no buffer, with a remedy if it is known.
fn explained(object: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = object.py();
    let Ok(dtype) = object.getattr("dtype") else { return error };
    let is_without_dimensions =
        object.getattr("ndim").is_ok_and(|ndim| ndim.eq(0).unwrap_or(false));
    let explained = if is_without_dimensions {
        PyBufferError::new_err("the array has no dimensions; pass array.reshape(1)")
    } else if error.is_instance_of::<PyValueError>(py) {
        PyTypeError::new_err(format!(
            "an array of dtype {dtype} lends no buffer; pass array.view('i8') of a datetime64 or \
             timedelta64, or array.view('u1') of an array with such fields"
        ))
    } else {
        return error;
    };
    explained.set_cause(py, Some(error));
    explained
}

/// Sorted records, lent to Python without a copy.
#[pyclass(frozen, module = "sortwell")]
pub struct Block {
    bytes: Box<dyn AsRef<[u8]> + Send + Sync>,
}

impl Block {
    /// Returns a block of bytes, which never change or move.
    pub fn new(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        Self { bytes: Box::new(bytes) }
    }

    fn bytes(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }
}

#[pymethods]
impl Block {
    fn __len__(&self) -> usize {
        self.bytes().len()
    }

    fn __repr__(&self) -> String {
        format!("<sortwell.Block of {} bytes>", self.bytes().len())
    }

    fn __bytes__(&self) -> &[u8] {
        self.bytes()
    }

    unsafe fn __getbuffer__(
        slf: &Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let bytes = slf.get().bytes();
        let (start, count) = (bytes.as_ptr(), bytes.len() as ffi::Py_ssize_t);
        // SAFETY: Python passes a view to fill in. The bytes are never changed or moved, and the
        // view holds a reference to the block, so that they live as long as it.
        let filled = unsafe {
            ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start.cast_mut().cast(), count, 1, flags)
        };
        match filled {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }
}
