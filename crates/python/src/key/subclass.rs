//! The types of keys that are rare, and subclasses of all types.
//!
//! A subclass has the order of its base. If it compares in a way of its own, it has no key. Scalars
//! of NumPy do so as Python's numbers do.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDate, PyDateTime, PyFloat, PyInt, PyString, PyTuple, PyType};

/// Type whose order an object has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyBase {
    Text,
    Int,
    Float,
    Tuple,
    Bytes,
    Time,
    Date,
    Decimal,
    Uuid,
    /// A scalar that NumPy can turn into an object of Python.
    NumpyScalar,
    /// A time of NumPy, which becomes an integer if `datetime` cannot hold it.
    NumpyTime,
    Unordered,
}

static DECIMAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static UUID: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Returns the type whose order an object has.
///
/// # Errors
///
/// An exception of a class that hides its attributes.
pub fn base_of(object: &Bound<'_, PyAny>) -> PyResult<KeyBase> {
    let py = object.py();
    let (decimal, uuid) =
        (DECIMAL.import(py, "decimal", "Decimal")?, UUID.import(py, "uuid", "UUID")?);
    if object.is_exact_instance(decimal) {
        return Ok(KeyBase::Decimal);
    }
    if object.is_exact_instance(uuid) {
        return Ok(KeyBase::Uuid);
    }
    if is_numpy(object)? {
        let name = object.get_type().name()?;
        return Ok(match name.to_str()? {
            "datetime64" => KeyBase::NumpyTime,
            // Python has no order of months and days, and an integer has lost its unit.
            "timedelta64" => KeyBase::Unordered,
            _ => KeyBase::NumpyScalar,
        });
    }
    // A datetime is a date, so that it comes first.
    let bases = [
        (py.get_type::<PyString>(), KeyBase::Text),
        (py.get_type::<PyInt>(), KeyBase::Int),
        (py.get_type::<PyFloat>(), KeyBase::Float),
        (py.get_type::<PyTuple>(), KeyBase::Tuple),
        (py.get_type::<PyBytes>(), KeyBase::Bytes),
        (py.get_type::<PyDateTime>(), KeyBase::Time),
        (py.get_type::<PyDate>(), KeyBase::Date),
        (decimal.clone(), KeyBase::Decimal),
        (uuid.clone(), KeyBase::Uuid),
    ];
    for (class, base) in bases {
        if object.is_instance(&class)? {
            let has_order = has_own_order(&object.get_type(), &class)?;
            return Ok(if has_order { KeyBase::Unordered } else { base });
        }
    }
    Ok(KeyBase::Unordered)
}

/// Returns true if a class compares in another way than its base. Python calls `__gt__` of the
/// right object if its class is a subclass of that of the left one, and `__eq__` for elements of
/// tuples.
fn has_own_order(class: &Bound<'_, PyType>, base: &Bound<'_, PyType>) -> PyResult<bool> {
    let py = class.py();
    let methods = [
        intern!(py, "__lt__"),
        intern!(py, "__gt__"),
        intern!(py, "__eq__"),
        intern!(py, "__le__"),
        intern!(py, "__ge__"),
    ];
    for method in methods {
        if !class.getattr(method)?.is(&base.getattr(method)?) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns true for an object of a class of NumPy that is no array.
///
/// # Errors
///
/// Those of [`base_of`].
pub fn is_numpy(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let module = object.get_type().getattr("__module__")?;
    let is_of_numpy = module.extract::<&str>().is_ok_and(|module| module == "numpy");
    Ok(is_of_numpy && !object.hasattr("__array_finalize__")? && object.hasattr("item")?)
}

/// Returns the text of a `Decimal`, also if its class has another one.
///
/// # Errors
///
/// Those of Python.
pub fn decimal_text<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let decimal = DECIMAL.import(object.py(), "decimal", "Decimal")?;
    decimal.getattr("__str__")?.call1((object,))
}
