//! A build of the program without SQLite.

use std::convert::Infallible;
use std::path::Path;

use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::io::pipe::Inlet;
use sortwell_engine::stats::Progress;
use sortwell_engine::{Error, Result};

use crate::build::BuildJob;
use crate::description::Description;
use crate::source::Positions;
use crate::typed::TypedColumn;

/// A table, of which there is none.
#[derive(Debug)]
pub struct NoTable(Infallible);

impl NoTable {
    /// Refuses to make one.
    ///
    /// # Errors
    ///
    /// [`Error::Config`].
    pub fn create(_: &Path, _: &BuildJob, _: Positions, _: &[TypedColumn], _: u64) -> Result<Self> {
        let message = "this build has no SQLite; build it with the cargo feature 'sqlite'";
        Err(Error::config(ConfigErrorKind::InvalidValue, message))
    }

    pub fn duplicate(&self) -> Option<[u64; 2]> {
        match self.0 {}
    }

    pub fn rows(&self) -> Result<u64> {
        match self.0 {}
    }

    pub fn finish(&self, _: &Description) -> Result<()> {
        match self.0 {}
    }
}

impl Inlet for NoTable {
    fn write_all(&self, _: &[u8], _: &Progress) -> Result<()> {
        match self.0 {}
    }

    fn bytes(&self) -> u64 {
        match self.0 {}
    }

    fn name(&self) -> &Path {
        match self.0 {}
    }
}
