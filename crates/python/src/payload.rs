//! Python objects as bytes, and back.
//!
//! Objects of the common built-in types are written here, all others by `pickle`. A pair of
//! functions of the caller can replace both.
//!
//! ```text
//!   00 None    01 True    02 False    03 int: zigzag, seven bits a byte    04 float: 8 bytes
//!   05 str     06 bytes   07 tuple    08 list    09 dict: each a number and what it has
//!   0A pickle: the rest
//! ```
//!
//! Only exact types count, as subclasses have state of their own. `pickle` keeps a list that
//! occurs twice in an item one list. So an item has at most one list or dict to be written here.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyNone, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit};

mod tag {
    pub const NONE: u8 = 0;
    pub const TRUE: u8 = 1;
    pub const FALSE: u8 = 2;
    pub const INT: u8 = 3;
    pub const FLOAT: u8 = 4;
    pub const TEXT: u8 = 5;
    pub const BYTES: u8 = 6;
    pub const TUPLE: u8 = 7;
    pub const LIST: u8 = 8;
    pub const DICT: u8 = 9;
    pub const PICKLE: u8 = 10;
}

/// Most containers within each other.
const DEPTH_MAX: usize = 32;

/// Protocol of `pickle`, which Python has since 3.8.
const PROTOCOL: u8 = 5;

static DUMPS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Writer and reader of the objects of a sort.
pub enum ObjectCodec {
    /// Built-in types here, others by `pickle`.
    Plain,
    /// Functions of the caller.
    Functions { dumps: Py<PyAny>, loads: Py<PyAny> },
}

impl ObjectCodec {
    /// Appends an object.
    ///
    /// # Errors
    ///
    /// The exceptions of `pickle` and of functions of the caller.
    pub fn append(&self, object: &Bound<'_, PyAny>, out: &mut Vec<u8>) -> PyResult<()> {
        let py = object.py();
        let Self::Functions { dumps, .. } = self else {
            let start = out.len();
            if append_plain(object, out, 0, &mut false) {
                return Ok(());
            }
            out.truncate(start);
            out.push(tag::PICKLE);
            let dumped = DUMPS.import(py, "pickle", "dumps")?.call1((object, PROTOCOL))?;
            return append_bytes(&dumped, out);
        };
        append_bytes(&dumps.bind(py).call1((object,))?, out)
    }

    /// Visits the functions for the garbage collector of Python.
    ///
    /// # Errors
    ///
    /// Those of the visit.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Self::Functions { dumps, loads } = self else { return Ok(()) };
        visit.call(dumps)?;
        visit.call(loads)
    }

    /// Returns the object of these bytes.
    ///
    /// # Errors
    ///
    /// The exceptions of `pickle` and of functions of the caller.
    pub fn object<'py>(&self, py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Plain => PayloadReader { bytes }.object(py),
            Self::Functions { loads, .. } => loads.bind(py).call1((PyBytes::new(py, bytes),)),
        }
    }
}

fn append_bytes(dumped: &Bound<'_, PyAny>, out: &mut Vec<u8>) -> PyResult<()> {
    let bytes = dumped.cast::<PyBytes>().map_err(|_| {
        let name = dumped.get_type().fully_qualified_name();
        let name = name.map_or_else(|_| "an object".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!("dumps of the serializer returned {name}, not bytes"))
    })?;
    out.extend_from_slice(bytes.as_bytes());
    Ok(())
}

/// Appends an object of built-in types; returns false if it has others. `has_mutable` says that a
/// list or dict was written.
fn append_plain(
    object: &Bound<'_, PyAny>,
    out: &mut Vec<u8>,
    depth: usize,
    has_mutable: &mut bool,
) -> bool {
    if let Ok(text) = object.cast_exact::<PyString>() {
        let Ok(text) = text.to_str() else { return false };
        append_run(tag::TEXT, text.as_bytes(), out);
    } else if let Ok(int) = object.cast_exact::<PyInt>() {
        let Ok(int) = int.extract::<i64>() else { return false };
        out.push(tag::INT);
        append_number((int << 1 ^ int >> (i64::BITS - 1)) as u64, out);
    } else if let Ok(float) = object.cast_exact::<PyFloat>() {
        out.push(tag::FLOAT);
        out.extend_from_slice(&float.value().to_bits().to_le_bytes());
    } else if let Ok(tuple) = object.cast_exact::<PyTuple>() {
        append_count(tag::TUPLE, tuple.len(), out);
        return depth < DEPTH_MAX
            && tuple
                .iter_borrowed()
                .all(|object| append_plain(&object, out, depth + 1, has_mutable));
    } else if object.is_none() {
        out.push(tag::NONE);
    } else if let Ok(truth) = object.cast_exact::<PyBool>() {
        out.push(if truth.is_true() { tag::TRUE } else { tag::FALSE });
    } else if let Ok(bytes) = object.cast_exact::<PyBytes>() {
        append_run(tag::BYTES, bytes.as_bytes(), out);
    } else if depth == DEPTH_MAX || std::mem::replace(has_mutable, true) {
        return false;
    } else if let Ok(list) = object.cast_exact::<PyList>() {
        append_count(tag::LIST, list.len(), out);
        return list.iter().all(|object| append_plain(&object, out, depth + 1, has_mutable));
    } else if let Ok(dict) = object.cast_exact::<PyDict>() {
        append_count(tag::DICT, dict.len(), out);
        return dict.iter().all(|(name, value)| {
            append_plain(&name, out, depth + 1, has_mutable)
                && append_plain(&value, out, depth + 1, has_mutable)
        });
    } else {
        return false;
    }
    true
}

fn append_run(tag: u8, bytes: &[u8], out: &mut Vec<u8>) {
    append_count(tag, bytes.len(), out);
    out.extend_from_slice(bytes);
}

fn append_count(tag: u8, count: usize, out: &mut Vec<u8>) {
    out.push(tag);
    append_number(count as u64, out);
}

/// Appends a number, its lowest seven bits first; the highest bit says that more follow.
fn append_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reader of the bytes of an object.
struct PayloadReader<'b> {
    bytes: &'b [u8],
}

/// Elements of a container that is being read. After a fault, all of them are None.
struct PayloadElements<'r, 'b, 'py> {
    reader: &'r mut PayloadReader<'b>,
    py: Python<'py>,
    left: usize,
    fault: Option<PyErr>,
}

impl<'py> Iterator for &mut PayloadElements<'_, '_, 'py> {
    type Item = Bound<'py, PyAny>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let none = PyNone::get(self.py).to_owned().into_any();
        if self.fault.is_some() {
            return Some(none);
        }
        Some(self.reader.object(self.py).unwrap_or_else(|fault| {
            self.fault = Some(fault);
            none
        }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for &mut PayloadElements<'_, '_, '_> {}

impl<'b> PayloadReader<'b> {
    fn object<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self.take(1)?[0] {
            tag::NONE => PyNone::get(py).to_owned().into_any(),
            tag::TRUE => PyBool::new(py, true).to_owned().into_any(),
            tag::FALSE => PyBool::new(py, false).to_owned().into_any(),
            tag::INT => {
                let zigzag = self.number()?;
                let int = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
                int.into_pyobject(py)?.into_any()
            }
            tag::FLOAT => {
                let mut bits = [0; 8];
                bits.copy_from_slice(self.take(8)?);
                PyFloat::new(py, f64::from_bits(u64::from_le_bytes(bits))).into_any()
            }
            tag::TEXT => PyString::from_bytes(py, self.run()?)?.into_any(),
            tag::BYTES => PyBytes::new(py, self.run()?).into_any(),
            tag::TUPLE => {
                let mut elements = self.elements(py)?;
                let tuple = PyTuple::new(py, &mut elements)?;
                elements.checked(tuple.into_any())?
            }
            tag::LIST => {
                let mut elements = self.elements(py)?;
                let list = PyList::new(py, &mut elements)?;
                elements.checked(list.into_any())?
            }
            tag::DICT => {
                let dict = PyDict::new(py);
                for _ in 0..self.number()? {
                    let name = self.object(py)?;
                    dict.set_item(name, self.object(py)?)?;
                }
                dict.into_any()
            }
            _ => LOADS.import(py, "pickle", "loads")?.call1((PyBytes::new(py, self.bytes),))?,
        })
    }

    fn elements<'py>(&mut self, py: Python<'py>) -> PyResult<PayloadElements<'_, 'b, 'py>> {
        let left = self.number()? as usize;
        Ok(PayloadElements { reader: self, py, left, fault: None })
    }

    fn run(&mut self) -> PyResult<&'b [u8]> {
        let count = self.number()? as usize;
        self.take(count)
    }

    fn number(&mut self) -> PyResult<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7F) << shift;
            shift += 7;
            if byte < 0x80 || shift >= u64::BITS {
                return Ok(number);
            }
        }
    }

    fn take(&mut self, count: usize) -> PyResult<&'b [u8]> {
        let taken = self.bytes.split_at_checked(count);
        let (taken, rest) = taken.ok_or_else(|| PyTypeError::new_err("an object is cut off"))?;
        self.bytes = rest;
        Ok(taken)
    }
}

impl PayloadElements<'_, '_, '_> {
    fn checked<T>(&mut self, container: T) -> PyResult<T> {
        self.fault.take().map_or(Ok(container), Err)
    }
}
