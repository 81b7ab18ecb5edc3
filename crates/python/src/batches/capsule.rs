//! The PyCapsule interface of Arrow: structures of C that Python objects pass on.
//!
//! Who takes a structure from a capsule moves it out and leaves it released. The destructor of a
//! capsule frees what nobody took. It cannot raise, because it only drops a value of Rust.

use std::ffi::CStr;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{
    Array, ArrayReader, RecordBatch, RecordBatchIterator, RecordBatchOptions, RecordBatchReader,
    StructArray,
};
use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};

use super::fault::BatchFault;

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
/// A usage error for a dictionary whose values have an extension type. The name of that type is at
/// the dictionary, where a schema of Rust has no metadata.
fn check_schema(schema: &FFI_ArrowSchema) -> Result<(), BatchFault> {
    for column in schema.children() {
        let Some(values) = column.dictionary() else { continue };
        if let Some(extension) = values.metadata()?.get(EXTENSION_TYPE_NAME_KEY) {
            return Err(BatchFault::Usage(format!(
                "column '{}' is a dictionary whose values have the extension type '{extension}', \
                 which is not supported; cast the column to the type of its values",
                column.name().unwrap_or_default(),
            )));
        }
    }
    Ok(())
}

/// Returns the schema of a stream; `None` if it has none, which its reader reports.
fn schema_of(stream: &mut FFI_ArrowArrayStream) -> Option<FFI_ArrowSchema> {
    let get_schema = stream.get_schema()?;
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the function is that of the stream. If it returns 0, it has written a schema, which
    // this value then frees.
    let code = unsafe { get_schema(stream, &raw mut schema) };
    (code == 0).then_some(schema)
}

fn reader_of_stream(mut stream: FFI_ArrowArrayStream) -> Result<BatchReader, BatchFault> {
    if let Some(schema) = schema_of(&mut stream) {
        check_schema(&schema)?;
    }
    let arrays = ArrayStreamReader::try_new(stream)?;
    let field = arrays.field();
    let DataType::Struct(fields) = field.data_type() else {
        return Err(BatchFault::Source(format!(
            "its elements are of type {}, not rows of columns",
            field.data_type()
        )));
    };
    let schema =
        SchemaRef::new(Schema::new_with_metadata(fields.clone(), field.metadata().clone()));
    let batches = {
        let schema = SchemaRef::clone(&schema);
        arrays.map(move |array| batch_of(&schema, array?.as_struct().clone()))
    };
    Ok(Box::new(RecordBatchIterator::new(batches, schema)))
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
    let schema = SchemaRef::new(Schema::try_from(ffi_schema)?);
    // SAFETY: the object that passed both on says that the schema is that of the array.
    let data = unsafe { from_ffi(array, ffi_schema) }?;
    let batch = batch_of(&schema, StructArray::from(data))?;
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
