//! Errors of a sort of batches, which occur in threads without the interpreter lock.

use std::fmt::{self, Display, Formatter};
use std::io;

use arrow_schema::ArrowError;
use pyo3::prelude::*;
use sortwell::Error;
use sortwell_cli::embed;

use crate::faults;

/// Error of a sort of batches.
#[derive(Debug)]
pub enum BatchFault {
    /// Error of the sort.
    Sort(Error),
    /// Error of the stream that the batches come from, in its words.
    Source(String),
    /// A request that cannot be carried out.
    Usage(String),
}

impl BatchFault {
    /// Returns the exception for the error in a function of the package.
    pub fn exception(&self, py: Python<'_>, function: &str) -> PyErr {
        match self {
            Self::Sort(error) => faults::exception(py, error),
            Self::Source(message) => faults::source(py, function, message),
            Self::Usage(message) => faults::usage(py, format!("{function}: {message}")),
        }
    }

    /// Returns the error for a consumer of a stream. Its words have no zero byte.
    pub fn of_stream(&self) -> ArrowError {
        let message = self.to_string().replace('\0', " ");
        match self {
            Self::Sort(Error::Io { .. } | Error::NoSpace { .. }) => {
                let error = io::Error::other(message.clone());
                ArrowError::IoError(message, error)
            }
            _ => ArrowError::ExternalError(message.into()),
        }
    }
}

impl Display for BatchFault {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sort(error) => formatter.write_str(&embed::chain(error)),
            Self::Source(message) | Self::Usage(message) => formatter.write_str(message),
        }
    }
}

impl From<Error> for BatchFault {
    fn from(error: Error) -> Self {
        Self::Sort(error)
    }
}

impl From<ArrowError> for BatchFault {
    fn from(error: ArrowError) -> Self {
        Self::Source(match error {
            ArrowError::CDataInterface(message) | ArrowError::InvalidArgumentError(message) => {
                message
            }
            other => other.to_string(),
        })
    }
}
