//! The PyCapsule interface of Arrow: structures of C that Python objects pass on.
//!
//! Who takes a structure from a capsule moves it out and leaves it released. The destructor of a
//! capsule frees what nobody took. It cannot raise, because it only drops a value of Rust.

use std::ffi::CStr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{
    Array, RecordBatch, RecordBatchIterator, RecordBatchOptions, RecordBatchReader, StructArray,
};
use arrow_schema::{ArrowError, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};

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
/// The exceptions of its method. The inner error is that of an object whose elements are no rows.
pub fn reader_of(data: &Bound<'_, PyAny>) -> PyResult<Option<Result<BatchReader, ArrowError>>> {
    if let Some(method) = data.getattr_opt("__arrow_c_stream__")? {
        let capsule = method.call0()?.cast_into::<PyCapsule>()?;
        let stream = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
        // SAFETY: the name of the capsule says that it points to a stream, which lives as long as
        // the capsule. The stream is moved out, and what stays is a released one.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
        return Ok(Some(match RecordBatchStreamReader::try_new(stream) {
            Ok(reader) => Ok(Box::new(reader)),
            Err(error) => Err(error),
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
    Ok(Some(reader_of_array(schema, array)))
}

fn reader_of_array(
    ffi_schema: &FFI_ArrowSchema,
    array: FFI_ArrowArray,
) -> Result<BatchReader, ArrowError> {
    let schema = std::sync::Arc::new(Schema::try_from(ffi_schema)?);
    // SAFETY: the object that passed both on says that the schema is that of the array.
    let data = unsafe { from_ffi(array, ffi_schema) }?;
    let options = RecordBatchOptions::new().with_row_count(Some(data.len()));
    let columns = StructArray::from(data).into_parts().1;
    let batch = RecordBatch::try_new_with_options(schema.clone(), columns, &options)?;
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
