//! The file that sorted entries become.

use std::sync::Arc;

use sortwell_engine::io::TempFile;
use sortwell_engine::io::pipe::Outlet;
use sortwell_engine::operator::Unique;
use sortwell_engine::{Error, Result};

use crate::build::{BuildJob, write_meta};
use crate::description::Description;
use crate::entry::EntryForm;
use crate::lmdb::writer::PageFile;
use crate::pack::Packer;
use crate::source::Positions;
use crate::sqlite::Table;
use crate::typed::TypedColumn;

/// The kind of file that a build writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexTarget {
    /// An index: an LMDB file.
    #[default]
    Lmdb,
    /// An SQLite database, whose rows are in the order of the keys.
    Sqlite,
}

/// Bytes of the pages of a database that are held in memory, at least and at most, and their share
/// of the budget. An index whose order is not that of SQLite grows in random pages.
const CACHE_MIN: u64 = 2 << 20;
const CACHE_MAX: u64 = 1 << 30;
const CACHE_SHARE: u64 = 8;

/// Returns the bytes of memory that a target takes for its pages, of a budget.
pub fn cache_bytes(target: IndexTarget, memory: u64) -> u64 {
    match target {
        IndexTarget::Lmdb => 0,
        IndexTarget::Sqlite => (memory / CACHE_SHARE).clamp(CACHE_MIN, CACHE_MAX),
    }
}

/// A file on its way, and what makes it of sorted entries.
#[derive(Debug)]
pub enum EntryStore {
    /// An index, of which several threads make pages.
    Lmdb(Arc<PageFile>, Arc<Packer>),
    /// A database, which takes row after row.
    Sqlite(Arc<Table>),
}

/// The size of a finished file.
#[derive(Clone, Copy, Debug)]
pub struct StoreSize {
    /// Number of entries.
    pub entries: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Number of pages with entries, and of pages above them; 0 of a database.
    pub leaf_pages: u64,
    pub branch_pages: u64,
}

impl EntryStore {
    /// Returns the empty store of a build in `file`. A database has these columns.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for columns that a database cannot have, and those of writing.
    pub fn new(
        job: &BuildJob,
        file: &TempFile,
        positions: &Positions,
        columns: &[TypedColumn],
    ) -> Result<Self> {
        match job.target {
            IndexTarget::Lmdb => {
                let pages = Arc::new(PageFile::new(Arc::clone(file.file())));
                let form = EntryForm { is_unique: job.unique.is_some() };
                let refuses_equal = job.unique == Some(Unique::Error);
                let packer = Arc::new(Packer::new(&pages, form, refuses_equal));
                Ok(Self::Lmdb(pages, packer))
            }
            IndexTarget::Sqlite => {
                let cache = cache_bytes(job.target, job.memory.resolve()?.bytes());
                let table = Table::create(file.path(), job, positions.clone(), columns, cache)?;
                Ok(Self::Sqlite(Arc::new(table)))
            }
        }
    }

    /// Returns the outlet that takes sorted entries.
    pub fn outlet(&self) -> Outlet {
        match self {
            Self::Lmdb(_, packer) => Outlet::consumer(Arc::<Packer>::clone(packer)),
            Self::Sqlite(table) => Outlet::inlet(Arc::<Table>::clone(table)),
        }
    }

    /// Returns the positions of two records with the same key, if there are some and it matters.
    pub fn duplicate(&self) -> Option<[u64; 2]> {
        match self {
            Self::Lmdb(_, packer) => packer.duplicate(),
            Self::Sqlite(table) => table.duplicate(),
        }
    }

    /// Writes all that is left, once `describe` has said what the file is of, given the number of
    /// entries.
    ///
    /// # Errors
    ///
    /// Those of writing and of `describe`.
    pub fn finish(
        &self,
        file: &TempFile,
        describe: impl FnOnce(u64) -> Result<Description>,
    ) -> Result<StoreSize> {
        match self {
            Self::Lmdb(pages, packer) => {
                let tree = packer.finish()?;
                let description = describe(tree.entries)?;
                Ok(StoreSize {
                    entries: tree.entries,
                    bytes: write_meta(pages, tree, &description)?,
                    leaf_pages: tree.leaf_pages,
                    branch_pages: tree.branch_pages,
                })
            }
            Self::Sqlite(table) => {
                let entries = table.rows()?;
                table.finish(&describe(entries)?)?;
                let found = file.path().metadata();
                let found = found.map_err(|error| Error::io("write", file.file().path(), error))?;
                Ok(StoreSize { entries, bytes: found.len(), leaf_pages: 0, branch_pages: 0 })
            }
        }
    }
}
