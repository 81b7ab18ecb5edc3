//! The native part of the Python package `sortwell`: the module `sortwell._native`.
//!
//! ```text
//!   job      sort, merge and check of files
//!   blocks   records that the program pushes and takes in blocks
//!   items    Python objects, sorted by keys: `sortwell.sorted`
//!   batches  record batches of Arrow, sorted by columns: `sortwell.sort_batches`
//!   index    indexes over files: `sortwell.Index`
//!   cluster  steps of a sort on many machines that one node does: `sortwell.cluster`
//!   fed      inputs of merges that threads of Python fill
//!   key      normalized keys of Python objects
//!   payload  Python objects as bytes, and back
//!   waiting  work without the interpreter lock: signals, progress
//!   ending   the end of the interpreter, forks, and what is open
//!   faults   errors as exceptions
//!   buffer   the buffer protocol
//!   interpreter  whether an interpreter is the main one
//! ```
//!
//! Unsafe code is in `buffer`, `batches/capsule` and `interpreter` only.
//!
//! The package in `python/sortwell` has the documented functions and classes. Options, messages
//! and codes are those of the command, as in the C library: `sortwell_cli::embed` reads them.

mod batches;
mod blocks;
#[expect(unsafe_code, reason = "the buffer protocol of Python consists of raw pointers")]
mod buffer;
mod cluster;
mod ending;
mod faults;
mod fed;
mod index;
#[expect(unsafe_code, reason = "PyO3 does not wrap the number of an interpreter")]
mod interpreter;
mod items;
mod job;
mod key;
mod payload;
mod waiting;

use pyo3::prelude::*;

#[pymodule(name = "_native")]
mod native {
    #[pymodule_export]
    use crate::batches::{Batch, SortedBatchStream, sort_batches};
    #[pymodule_export]
    use crate::blocks::BlockSorter;
    #[pymodule_export]
    use crate::buffer::Block;
    #[pymodule_export]
    use crate::cluster::{
        MergedRanges, block_checksum, check_cuts, cut_input, find_cuts, format_by_names,
        has_same_columns, make_run, named_files, named_files_checksum, range_checksum,
        read_input_top, run_keys, run_task, sum_findings,
    };
    #[pymodule_export]
    use crate::ending::{close_all, note_fork};
    #[pymodule_export]
    use crate::fed::FedInput;
    #[pymodule_export]
    use crate::index::{FoundBatches, IndexSearch, OpenIndex};
    #[pymodule_export]
    use crate::items::{SortedItems, sort_items};
    #[pymodule_export]
    use crate::job::{check_option, report_page, run_job, switch_words};

    use pyo3::exceptions::PyImportError;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // Classes, open sorts and the threads that work belong to one interpreter of the process.
        if !crate::interpreter::is_main(module.py()) {
            return Err(PyImportError::new_err(
                "sortwell works in the main interpreter of a process alone, not in a \
                 subinterpreter; use threads or processes",
            ));
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
