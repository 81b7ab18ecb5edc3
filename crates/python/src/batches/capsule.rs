//! The PyCapsule interface of Arrow: structures of C that Python objects pass on.
//!
//! Who takes a structure from a capsule moves it out and leaves it released. The destructor of a
//! capsule frees what nobody took. It cannot raise, because it only drops a value of Rust.

use std::ffi::{CStr, c_int, c_void};

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    Array, RecordBatch, RecordBatchIterator, RecordBatchOptions, RecordBatchReader, StructArray,
};
use arrow_data::layout;
use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use arrow_schema::{ArrowError, DataType, Fields, Schema, SchemaRef, UnionMode};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};

use super::fault::BatchFault;
use super::rows::types_inside;

/// Names of the capsules, which the interface gives.
const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// Batches that come one by one.
pub type BatchReader = Box<dyn RecordBatchReader + Send>;

/// Takes the batches of an object; `None` if it has no method for that.
///
/// # Errors
///
/// The exceptions of its method. The inner error is that of an object whose elements are no rows,
/// or whose structures were taken before.
pub fn reader_of(data: &Bound<'_, PyAny>) -> PyResult<Option<Result<BatchReader, BatchFault>>> {
    if let Some(method) = data.getattr_opt("__arrow_c_stream__")? {
        let capsule = method.call0()?.cast_into::<PyCapsule>()?;
        let stream = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
        // SAFETY: the name of the capsule says that it points to a stream, which lives as long as
        // the capsule. The stream is moved out, and what stays is a released one.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
        return Ok(Some(match stream.release() {
            Some(_) => reader_of_stream(stream),
            None => Err(consumed("stream")),
        }));
    }
    let Some(method) = data.getattr_opt("__arrow_c_array__")? else { return Ok(None) };
    let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) =
        method.call0()?.extract()?;
    let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
    // SAFETY: the names of the capsules say what they point to. Both live as long as the capsules.
    // The array is moved out, and what stays is a released one. The schema is only read.
    let (schema, array) = unsafe { (schema.as_ref(), FFI_ArrowArray::from_raw(array.as_ptr())) };
    Ok(Some(match (schema.release(), array.release()) {
        (Some(_), Some(_)) => reader_of_array(schema, array),
        (None, _) => Err(consumed("schema")),
        (_, None) => Err(consumed("array")),
    }))
}

/// Returns the error for a structure that was released. Its other fields may refer to freed memory.
fn consumed(structure: &str) -> BatchFault {
    BatchFault::Usage(format!(
        "the {structure} of the data was taken before; pass data that nobody has taken yet"
    ))
}

/// Checks that the schema of rows says no more than a schema of Rust can.
///
/// # Errors
///
/// A usage error for a dictionary whose values have an extension type: the name of that type is at
/// the dictionary, where a schema of Rust has no metadata. Also for metadata that is no text, and
/// for a type that Rust does not have.
fn check_schema(schema: &FFI_ArrowSchema) -> Result<(), BatchFault> {
    check_metadata(schema, "the schema")?;
    for column in schema.children() {
        let name = format!("column '{}'", column.name().unwrap_or_default());
        check_column(column, &name)?;
        let Some(values) = column.dictionary() else { continue };
        if let Some(extension) = values.metadata()?.get(EXTENSION_TYPE_NAME_KEY) {
            return Err(BatchFault::Usage(format!(
                "{name} is a dictionary whose values have the extension type '{extension}', \
                 which is not supported; cast the column to the type of its values",
            )));
        }
    }
    Ok(())
}

/// Checks a column, or a part of it.
fn check_column(part: &FFI_ArrowSchema, name: &str) -> Result<(), BatchFault> {
    check_metadata(part, name)?;
    for inner in part.children().chain(part.dictionary()) {
        check_column(inner, name)?;
    }
    match DataType::try_from(part) {
        Ok(_) => Ok(()),
        Err(_) => Err(BatchFault::Usage(format!(
            "{name} has a type with the Arrow format '{}', which is not supported; cast the column",
            part.format()
        ))),
    }
}

fn check_metadata(schema: &FFI_ArrowSchema, name: &str) -> Result<(), BatchFault> {
    match schema.metadata() {
        Ok(_) => Ok(()),
        Err(_) => Err(BatchFault::Usage(format!(
            "the metadata of {name} is not UTF-8, which is not supported; remove it, or take the \
             storage of an extension type"
        ))),
    }
}

/// Arrays of a stream. They are imported here because Rust refuses the arrays of some producers.
struct ImportedArrays {
    stream: FFI_ArrowArrayStream,
    schema: FFI_ArrowSchema,
    data_type: DataType,
}

impl ImportedArrays {
    fn try_new(mut stream: FFI_ArrowArrayStream) -> Result<Self, BatchFault> {
        let mut schema = FFI_ArrowSchema::empty();
        let code = match stream.get_schema() {
            // SAFETY: the function is that of the stream. If it returns 0, it has written a schema,
            // which this value then frees.
            Some(get_schema) => unsafe { get_schema(&raw mut stream, &raw mut schema) },
            None => return Err(BatchFault::Source("its stream has no schema".to_owned())),
        };
        if code != 0 {
            return Err(failure(&mut stream, code).into());
        }
        check_schema(&schema)?;
        Ok(Self { stream, data_type: DataType::try_from(&schema)?, schema })
    }

    fn next_array(&mut self) -> Result<Option<StructArray>, ArrowError> {
        let mut array = FFI_ArrowArray::empty();
        let Some(get_next) = self.stream.get_next() else {
            return Err(ArrowError::CDataInterface("its stream has no next array".to_owned()));
        };
        // SAFETY: the function is that of the stream. If it returns 0, it has written an array, or
        // a released one at the end.
        let code = unsafe { get_next(&raw mut self.stream, &raw mut array) };
        if code != 0 {
            return Err(failure(&mut self.stream, code));
        }
        if array.is_released() {
            return Ok(None);
        }
        import(array, &self.data_type).map(Some)
    }
}

impl Iterator for ImportedArrays {
    type Item = Result<StructArray, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_array().transpose()
    }
}

/// Returns the error of a stream, whose function has returned this code.
fn failure(stream: &mut FFI_ArrowArrayStream, code: c_int) -> ArrowError {
    let words = stream.get_last_error().and_then(|get_last_error| {
        // SAFETY: the function is that of the stream, whose last call has failed. Its text lives
        // until the next call.
        unsafe {
            let words = get_last_error(stream);
            (!words.is_null()).then(|| CStr::from_ptr(words).to_string_lossy().into_owned())
        }
    });
    ArrowError::CDataInterface(words.unwrap_or_else(|| format!("error code {code}")))
}

/// Fields of an array of C, which Rust does not change.
#[repr(C)]
struct RawArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut RawArray,
    dictionary: *mut RawArray,
}

/// Takes an array of rows of this type.
fn import(mut array: FFI_ArrowArray, data_type: &DataType) -> Result<StructArray, ArrowError> {
    // SAFETY: the array is not released, and nobody else uses it. Its producer says that it has
    // this type.
    let data = unsafe {
        fit((&raw mut array).cast(), data_type)?;
        from_ffi_and_data_type(array, data_type.clone())?
    };
    Ok(StructArray::from(data))
}

/// Checks that an array has the parts of its type, which Rust takes for granted. Removes the buffer
/// of a column of nulls: there should be none, but Polars passes one, which Rust refuses.
///
/// # Errors
///
/// An error that says what is wrong.
///
/// # Safety
///
/// The array is not released, and its parts are there in the number that it gives. It is used by
/// this thread alone.
unsafe fn fit(array: *mut RawArray, data_type: &DataType) -> Result<(), ArrowError> {
    // SAFETY: nobody else uses the array.
    let array = unsafe { &mut *array };
    if data_type == &DataType::Null {
        array.n_buffers = 0;
    }
    let kinds = layout(data_type);
    let least = kinds.buffers.len()
        + usize::from(kinds.can_contain_null_mask)
        + usize::from(kinds.variadic);
    let has_buffers = match usize::try_from(array.n_buffers) {
        // Without values, the buffer of nulls may be left out.
        Ok(0) => kinds.buffers.is_empty(),
        Ok(count) => count == least || kinds.variadic && count > least,
        Err(_) => false,
    };
    if !has_buffers || array.n_buffers > 0 && array.buffers.is_null() {
        return Err(misfit(data_type, &format!("{} buffers", array.n_buffers)));
    }
    let Some(end) = array.offset.checked_add(array.length).filter(|_| array.length >= 0) else {
        return Err(misfit(data_type, &format!("{} elements", array.length)));
    };
    let inner = types_inside(data_type);
    if usize::try_from(array.n_children) != Ok(inner.len()) {
        return Err(misfit(data_type, &format!("{} arrays inside", array.n_children)));
    }
    // Elements that each array inside has at least.
    let elements = match data_type {
        DataType::Struct(_) | DataType::Union(_, UnionMode::Sparse) => end,
        DataType::FixedSizeList(_, length) => end.saturating_mul((*length).into()),
        _ => 0,
    };
    for (number, inner) in inner.into_iter().enumerate() {
        // SAFETY: the array has this number of pointers to arrays, unless there are none.
        let child = (!array.children.is_null()).then(|| unsafe { *array.children.add(number) });
        let child = child.filter(|child| !child.is_null());
        let child = child.ok_or_else(|| misfit(data_type, "no array inside"))?;
        // SAFETY: the array inside belongs to this one.
        if unsafe { (*child).length } < elements {
            return Err(misfit(data_type, "too few elements inside"));
        }
        // SAFETY: the same.
        unsafe { fit(child, inner)? };
    }
    if let DataType::Dictionary(_, values) = data_type {
        if array.dictionary.is_null() {
            return Err(misfit(data_type, "no dictionary"));
        }
        // SAFETY: the dictionary belongs to the array.
        unsafe { fit(array.dictionary, values)? };
    }
    Ok(())
}

/// Returns the error for an array that does not fit its type.
fn misfit(data_type: &DataType, found: &str) -> ArrowError {
    ArrowError::CDataInterface(format!(
        "a batch does not fit the schema: an array of type {data_type} has {found}"
    ))
}

fn reader_of_stream(stream: FFI_ArrowArrayStream) -> Result<BatchReader, BatchFault> {
    let arrays = ImportedArrays::try_new(stream)?;
    let fields = columns_of(&arrays.data_type)?;
    let metadata = arrays.schema.metadata()?;
    let schema = SchemaRef::new(Schema::new_with_metadata(fields.clone(), metadata));
    let batches = {
        let schema = SchemaRef::clone(&schema);
        arrays.map(move |array| batch_of(&schema, array?))
    };
    Ok(Box::new(RecordBatchIterator::new(batches, schema)))
}

/// Returns the columns of rows.
fn columns_of(data_type: &DataType) -> Result<&Fields, BatchFault> {
    match data_type {
        DataType::Struct(fields) => Ok(fields),
        other => Err(BatchFault::Source(format!(
            "its elements are of type {other}, not rows of columns"
        ))),
    }
}

/// Returns the batch whose rows are the elements of an array.
fn batch_of(schema: &SchemaRef, rows: StructArray) -> Result<RecordBatch, ArrowError> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    let (_, columns, nulls) = rows.into_parts();
    if let Some(row) = nulls.and_then(|nulls| nulls.iter().position(|is_valid| !is_valid)) {
        return Err(ArrowError::InvalidArgumentError(format!(
            "row {row} of a batch, counted from 0, is null as a whole; make its columns null \
             instead"
        )));
    }
    RecordBatch::try_new_with_options(SchemaRef::clone(schema), columns, &options)
}

fn reader_of_array(
    ffi_schema: &FFI_ArrowSchema,
    array: FFI_ArrowArray,
) -> Result<BatchReader, BatchFault> {
    check_schema(ffi_schema)?;
    let data_type = DataType::try_from(ffi_schema)?;
    let fields = columns_of(&data_type)?.clone();
    let schema = SchemaRef::new(Schema::new_with_metadata(fields, ffi_schema.metadata()?));
    let batch = batch_of(&schema, import(array, &data_type)?)?;
    Ok(Box::new(RecordBatchIterator::new([Ok(batch)], schema)))
}

/// Returns a capsule with a stream of batches.
pub fn stream_capsule(py: Python<'_>, reader: BatchReader) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
}

/// Returns a capsule with the schema of batches.
pub fn schema_capsule<'py>(
    py: Python<'py>,
    schema: FFI_ArrowSchema,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// Returns a capsule with a batch.
pub fn array_capsule<'py>(py: Python<'py>, batch: &RecordBatch) -> PyResult<Bound<'py, PyCapsule>> {
    let rows = StructArray::from(batch.clone());
    PyCapsule::new_with_value(py, FFI_ArrowArray::new(&rows.to_data()), ARRAY)
}
