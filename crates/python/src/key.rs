//! Normalized keys of Python objects: bytes that compare as the objects do.
//!
//! ```text
//!   number     see `number`; bool, int and float have one order
//!   Decimal    see `decimal`
//!   str        40, its code points as UTF-8 with 00 and 01 escaped, 00
//!   bytes      40, the bytes with 00 and 01 escaped, 00
//!   date       40, the day as an integer
//!   datetime   40, the microsecond as an integer; that of UTC if it has a time zone
//!   UUID       40, its 16 bytes
//!   tuple      40, its elements, 00
//!   None       FE: after every value
//! ```
//!
//! No encoding is the beginning of another one, so that values can follow each other, and so that
//! a key with all bits flipped has the reverse order. The first byte of a value is from 0C to F4.
//!
//! The values in one position of all keys have one type, or are None. [`KeyShape`] remembers it.

mod decimal;
mod number;
mod subclass;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyDate, PyDateAccess, PyDateTime, PyFloat, PyInt, PyString, PyTimeAccess,
    PyTuple, PyTzInfoAccess,
};
use sortwell::KeyValue;

/// First byte of a value whose type needs no other.
const VALUE: u8 = 0x40;
/// End of a tuple; less than the first byte of every value.
const END: u8 = 0;
/// The key of `None`.
const NONE: u8 = 0xFE;

/// Most tuples within each other.
const DEPTH_MAX: usize = 64;

const MICROSECONDS_OF_DAY: i64 = 86_400_000_000;

/// Type of the values in one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyClass {
    Number,
    Decimal,
    Text,
    Bytes,
    Date,
    /// A datetime without a time zone.
    LocalTime,
    /// A datetime with a time zone.
    Instant,
    Uuid,
    Tuple,
}

impl KeyClass {
    const fn name(self) -> &'static str {
        match self {
            Self::Number => "a number (bool, int, float)",
            Self::Decimal => "a Decimal",
            Self::Text => "a str",
            Self::Bytes => "bytes",
            Self::Date => "a date",
            Self::LocalTime => "a datetime without a time zone",
            Self::Instant => "a datetime with a time zone",
            Self::Uuid => "a UUID",
            Self::Tuple => "a tuple",
        }
    }
}

/// Types in one position of all keys, and in the positions below it.
#[derive(Debug, Default)]
struct KeyShape {
    class: Option<KeyClass>,
    elements: Vec<KeyShape>,
}

/// Fault of a key.
enum KeyRejection {
    /// An exception that a method of an object raised.
    Raised(PyErr),
    /// No type of keys: the position, the type.
    Unordered(Vec<usize>, String),
    /// Another type than before: the position, the type, the type before.
    Mixed(Vec<usize>, KeyClass, KeyClass),
    /// A time of NumPy that is only a number of its unit in Python: the position.
    NumpyTime(Vec<usize>),
    /// Tuples within each other, too many.
    Deep,
}

impl From<PyErr> for KeyRejection {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

type Encoded = Result<(), KeyRejection>;

/// Writer of normalized keys.
#[derive(Debug, Default)]
pub struct ObjectKeys {
    shape: KeyShape,
    is_reverse: bool,
}

impl ObjectKeys {
    /// Returns a writer of keys in ascending order, or in reverse order.
    pub fn new(is_reverse: bool) -> Self {
        Self { shape: KeyShape::default(), is_reverse }
    }

    /// Appends the key of an object.
    ///
    /// # Errors
    ///
    /// `TypeError` for an object without an order, or of another type than those before, with the
    /// number of the item.
    pub fn append(
        &mut self,
        item: u64,
        object: &Bound<'_, PyAny>,
        key: &mut Vec<u8>,
    ) -> PyResult<()> {
        let start = key.len();
        append_value(&mut self.shape, object, key, 0).map_err(|fault| raised(fault, item))?;
        if self.is_reverse {
            flip(&mut key[start..]);
        }
        Ok(())
    }
}

/// Flips all bits.
fn flip(bytes: &mut [u8]) {
    bytes.iter_mut().for_each(|byte| *byte = !*byte);
}

/// Returns the exception for a fault in the key of an item.
fn raised(fault: KeyRejection, item: u64) -> PyErr {
    let place = |position: &[usize]| {
        let indices = position.iter().rev().map(|index| format!("[{index}]"));
        format!("key{}", indices.collect::<String>())
    };
    match fault {
        KeyRejection::Raised(error) => error,
        KeyRejection::Unordered(position, name) => PyTypeError::new_err(format!(
            "item {item}, counted from 0: {} is {name}, which is no type of keys; return None, \
             bool, int, float, str, bytes, date, datetime, Decimal, UUID or a tuple of them from \
             key=",
            place(&position)
        )),
        KeyRejection::Mixed(position, found, before) => PyTypeError::new_err(format!(
            "item {item}, counted from 0: {} is {}, and in an item before it {}; keys must have \
             one type in each position, or None",
            place(&position),
            found.name(),
            before.name()
        )),
        KeyRejection::NumpyTime(position) => PyTypeError::new_err(format!(
            "item {item}, counted from 0: {} is a numpy.datetime64 that datetime cannot hold, as \
             its unit is finer than microseconds or its year is not from 1 to 9999; return \
             astype('datetime64[us]') of it from key=, or astype('int64') if all have one unit",
            place(&position)
        )),
        KeyRejection::Deep => PyValueError::new_err(format!(
            "item {item}, counted from 0: the key has more than {DEPTH_MAX} tuples within each \
             other"
        )),
    }
}

impl KeyShape {
    /// Notes the type of a value.
    #[inline]
    fn expect(&mut self, class: KeyClass) -> Encoded {
        match self.class {
            Some(before) if before == class => Ok(()),
            Some(before) => Err(KeyRejection::Mixed(Vec::new(), class, before)),
            None => {
                self.class = Some(class);
                Ok(())
            }
        }
    }
}

/// Appends the encoding of an object.
#[inline]
fn append_value(
    shape: &mut KeyShape,
    object: &Bound<'_, PyAny>,
    key: &mut Vec<u8>,
    depth: usize,
) -> Encoded {
    if let Ok(text) = object.cast_exact::<PyString>() {
        append_text(shape, text, key)
    } else if let Ok(number) = object.cast_exact::<PyInt>() {
        append_int(shape, number, key)
    } else if let Ok(number) = object.cast_exact::<PyFloat>() {
        shape.expect(KeyClass::Number)?;
        number::append_float(number.value(), key);
        Ok(())
    } else if let Ok(tuple) = object.cast_exact::<PyTuple>() {
        append_tuple(shape, tuple, key, depth)
    } else if object.is_none() {
        key.push(NONE);
        Ok(())
    } else if let Ok(bytes) = object.cast_exact::<PyBytes>() {
        append_bytes(shape, bytes, key)
    } else if let Ok(truth) = object.cast_exact::<PyBool>() {
        shape.expect(KeyClass::Number)?;
        number::append_int(truth.is_true().into(), key);
        Ok(())
    } else if let Ok(time) = object.cast_exact::<PyDateTime>() {
        append_time(shape, time, key)
    } else if let Ok(date) = object.cast_exact::<PyDate>() {
        shape.expect(KeyClass::Date)?;
        key.push(VALUE);
        day_of(date).append_to(key);
        Ok(())
    } else {
        append_other(shape, object, key, depth)
    }
}

fn append_tuple(
    shape: &mut KeyShape,
    tuple: &Bound<'_, PyTuple>,
    key: &mut Vec<u8>,
    depth: usize,
) -> Encoded {
    if depth == DEPTH_MAX {
        return Err(KeyRejection::Deep);
    }
    shape.expect(KeyClass::Tuple)?;
    if shape.elements.len() < tuple.len() {
        shape.elements.resize_with(tuple.len(), KeyShape::default);
    }
    key.push(VALUE);
    for (index, (element, shape)) in tuple.iter_borrowed().zip(&mut shape.elements).enumerate() {
        append_value(shape, &element, key, depth + 1).map_err(|fault| below(fault, index))?;
    }
    key.push(END);
    Ok(())
}

/// Returns the fault of an element as that of its tuple.
#[cold]
fn below(mut fault: KeyRejection, index: usize) -> KeyRejection {
    match &mut fault {
        KeyRejection::Unordered(position, _)
        | KeyRejection::Mixed(position, ..)
        | KeyRejection::NumpyTime(position) => position.push(index),
        KeyRejection::Raised(_) | KeyRejection::Deep => {}
    }
    fault
}

fn append_text(shape: &mut KeyShape, text: &Bound<'_, PyString>, key: &mut Vec<u8>) -> Encoded {
    shape.expect(KeyClass::Text)?;
    key.push(VALUE);
    // Python keeps the UTF-8 of a text beyond ASCII in the object, which may be the program's.
    // Copies instead take 10% more time for such texts of 15 characters, and 6% for ASCII, as the
    // stable interface of Python does not tell it apart (2026-11-28, `sorted` in a debug build).
    if let Ok(text) = text.to_str() {
        text.as_bytes().append_to(key);
        return Ok(());
    }
    // Half of a surrogate pair is no text, but Python gives it a place among the code points.
    let encode = text.py().get_type::<PyString>().getattr("encode")?;
    let bytes = encode.call1((text, "utf-8", "surrogatepass"))?;
    bytes.cast::<PyBytes>().map_err(PyErr::from)?.as_bytes().append_to(key);
    Ok(())
}

fn append_bytes(shape: &mut KeyShape, bytes: &Bound<'_, PyBytes>, key: &mut Vec<u8>) -> Encoded {
    shape.expect(KeyClass::Bytes)?;
    key.push(VALUE);
    bytes.as_bytes().append_to(key);
    Ok(())
}

fn append_int(shape: &mut KeyShape, int: &Bound<'_, PyInt>, key: &mut Vec<u8>) -> Encoded {
    shape.expect(KeyClass::Number)?;
    if let Ok(small) = int.extract::<i64>() {
        number::append_int(small, key);
        return Ok(());
    }
    // The methods of a subclass may do something else.
    let magnitude = int.py().get_type::<PyInt>().getattr("__abs__")?.call1((int,))?;
    let is_negative = !magnitude.eq(int)?;
    let bits: usize = magnitude.call_method0("bit_length")?.extract()?;
    let bytes = magnitude.call_method1("to_bytes", (bits.div_ceil(8), "big"))?;
    let bytes = bytes.cast::<PyBytes>().map_err(PyErr::from)?;
    number::append_large(is_negative, bytes.as_bytes(), key);
    Ok(())
}

fn append_time(shape: &mut KeyShape, time: &Bound<'_, PyDateTime>, key: &mut Vec<u8>) -> Encoded {
    let seconds = (i64::from(time.get_hour()) * 60 + i64::from(time.get_minute())) * 60
        + i64::from(time.get_second());
    let mut moment = day_of(time.cast::<PyDate>().map_err(PyErr::from)?) * MICROSECONDS_OF_DAY
        + seconds * 1_000_000
        + i64::from(time.get_microsecond());
    let offset = match time.get_tzinfo() {
        Some(_) => Some(time.call_method0("utcoffset")?).filter(|offset| !offset.is_none()),
        None => None,
    };
    let class = match &offset {
        None => KeyClass::LocalTime,
        Some(_) => KeyClass::Instant,
    };
    shape.expect(class)?;
    if let Some(offset) = offset {
        let days: i64 = offset.getattr("days")?.extract()?;
        let seconds: i64 = offset.getattr("seconds")?.extract()?;
        let microseconds: i64 = offset.getattr("microseconds")?.extract()?;
        moment -= days * MICROSECONDS_OF_DAY + seconds * 1_000_000 + microseconds;
    }
    key.push(VALUE);
    moment.append_to(key);
    Ok(())
}

/// Returns the number of days before a date of the Gregorian calendar, from a day in March.
fn day_of(date: &Bound<'_, PyDate>) -> i64 {
    let (year, month) = (i64::from(date.get_year()), i64::from(date.get_month()));
    // A year that begins in March ends with the leap day.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    365 * year + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (153 * month + 2) / 5
        + i64::from(date.get_day())
}

/// Appends an object of a type that is rare, or a subclass.
fn append_other(
    shape: &mut KeyShape,
    object: &Bound<'_, PyAny>,
    key: &mut Vec<u8>,
    depth: usize,
) -> Encoded {
    match subclass::base_of(object)? {
        subclass::KeyBase::Decimal => {
            shape.expect(KeyClass::Decimal)?;
            let text = subclass::decimal_text(object)?;
            decimal::append(text.extract()?, key);
            Ok(())
        }
        subclass::KeyBase::Uuid => {
            shape.expect(KeyClass::Uuid)?;
            let bytes = object.getattr("bytes")?;
            key.push(VALUE);
            key.extend_from_slice(bytes.cast::<PyBytes>().map_err(PyErr::from)?.as_bytes());
            Ok(())
        }
        base @ (subclass::KeyBase::NumpyScalar | subclass::KeyBase::NumpyTime) => {
            let plain = object.call_method0("item")?;
            if base == subclass::KeyBase::NumpyTime && plain.is_instance_of::<PyInt>() {
                return Err(KeyRejection::NumpyTime(Vec::new()));
            }
            if subclass::is_numpy(&plain)? {
                return Err(unordered(object));
            }
            append_value(shape, &plain, key, depth)
        }
        subclass::KeyBase::Text => append_text(shape, object.cast().map_err(PyErr::from)?, key),
        subclass::KeyBase::Int => append_int(shape, object.cast().map_err(PyErr::from)?, key),
        subclass::KeyBase::Float => {
            shape.expect(KeyClass::Number)?;
            number::append_float(object.cast::<PyFloat>().map_err(PyErr::from)?.value(), key);
            Ok(())
        }
        subclass::KeyBase::Tuple => {
            append_tuple(shape, object.cast().map_err(PyErr::from)?, key, depth)
        }
        subclass::KeyBase::Bytes => append_bytes(shape, object.cast().map_err(PyErr::from)?, key),
        subclass::KeyBase::Time => append_time(shape, object.cast().map_err(PyErr::from)?, key),
        subclass::KeyBase::Date => {
            shape.expect(KeyClass::Date)?;
            key.push(VALUE);
            day_of(object.cast().map_err(PyErr::from)?).append_to(key);
            Ok(())
        }
        subclass::KeyBase::Unordered => Err(unordered(object)),
    }
}

fn unordered(object: &Bound<'_, PyAny>) -> KeyRejection {
    let name = object.get_type().fully_qualified_name();
    let name = name.map_or_else(|_| "an object".to_owned(), |name| format!("a {name}"));
    KeyRejection::Unordered(Vec::new(), name)
}
