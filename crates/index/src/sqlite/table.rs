//! The table of entries: takes sorted entries, and inserts a row for each.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, OpenFlags, Statement, ToSql, ffi};
use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::io::pipe::Inlet;
use sortwell_engine::io::rename_target;
use sortwell_engine::key::text::TypedValue;
use sortwell_engine::operator::Unique;
use sortwell_engine::stats::Progress;
use sortwell_engine::{Error, Result};

use super::schema::Schema;
use crate::build::BuildJob;
use crate::description::Description;
use crate::entry::{POSITION, SortedEntries, position_of, read_number};
use crate::source::Positions;
use crate::typed::{TypedColumn, read};

/// Rows between two looks whether the job was stopped.
const STOP_CHECK: u64 = 1024;

/// Part of the memory of the cache that is not the content of pages, at most.
const CACHE_PARTS: u64 = 8;

/// A database on its way.
#[derive(Debug)]
pub struct Table {
    /// The name in messages.
    output: PathBuf,
    insert: String,
    /// The number of columns without those of number and place.
    columns: usize,
    positions: Positions,
    refuses_equal: bool,
    state: Mutex<TableState>,
}

#[derive(Debug)]
struct TableState {
    connection: Connection,
    entries: SortedEntries,
    /// Number of rows.
    rows: u64,
    /// Key and position of the last entry, where equal keys are an error.
    last: Option<(Vec<u8>, u64)>,
    /// The positions of two records with the same key.
    duplicate: Option<[u64; 2]>,
}

/// A value as a parameter of a statement.
struct Parameter<'v>(TypedValue<'v>);

impl ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        // Functions of SQL take a byte 0 for the end of a text.
        let is_text = |text: &[u8]| !text.contains(&0) && std::str::from_utf8(text).is_ok();
        Ok(match self.0 {
            TypedValue::Missing => ToSqlOutput::Owned(Value::Null),
            TypedValue::Whole(number) => ToSqlOutput::Owned(Value::Integer(number)),
            TypedValue::Real(number) => ToSqlOutput::Owned(Value::Real(number)),
            TypedValue::Text(text) if is_text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text)),
            TypedValue::Text(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

impl Table {
    /// Makes an empty database of a build in the file `path`, for records at these positions. Its
    /// pages take `cache` bytes of memory.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for columns that a database cannot have, and those of writing.
    pub fn create(
        path: &Path,
        job: &BuildJob,
        positions: Positions,
        columns: &[TypedColumn],
        cache: u64,
    ) -> Result<Self> {
        let output = job.output.as_path();
        check_alone(output)?;
        let failed = |error| error_of(output, error);
        let schema = Schema::new(columns);
        // A relative path could be taken for a URI.
        let path = std::path::absolute(path).map_err(|error| Error::io("write", output, error))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        let kibibytes = (cache - cache / CACHE_PARTS) >> 10;
        // A build that fails removes the file, and a finished one is made durable as a whole.
        let settings = format!(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; \
             PRAGMA cache_size = -{kibibytes}; PRAGMA user_version = 1; BEGIN;"
        );
        connection.execute_batch(&settings).map_err(failed)?;
        connection.execute_batch(&schema.create).map_err(|error| {
            let message =
                format!("SQLite refuses these columns: {error}; choose fewer or other ones");
            Error::config(ConfigErrorKind::InvalidValue, message)
        })?;
        let (entries, last, duplicate) = (SortedEntries::default(), None, None);
        Ok(Self {
            output: output.to_owned(),
            insert: schema.insert,
            columns: columns.len(),
            positions,
            refuses_equal: job.unique == Some(Unique::Error),
            state: Mutex::new(TableState { connection, entries, rows: 0, last, duplicate }),
        })
    }

    fn state(&self) -> MutexGuard<'_, TableState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the positions of two records with the same key, if there are some and it matters.
    pub fn duplicate(&self) -> Option<[u64; 2]> {
        self.state().duplicate
    }

    /// Returns the number of rows, after the last.
    ///
    /// # Errors
    ///
    /// [`Error::Changed`] for an entry that is not whole.
    pub fn rows(&self) -> Result<u64> {
        let state = self.state();
        state.entries.finish()?;
        Ok(state.rows)
    }

    /// Writes what the database is of, and all that is left.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn finish(&self, description: &Description) -> Result<()> {
        let state = self.state();
        check_alone(&self.output)?;
        self.describe(&state.connection, description)
            .and_then(|()| state.connection.execute_batch("COMMIT"))
            .map_err(|error| error_of(&self.output, error))
    }

    fn describe(&self, connection: &Connection, description: &Description) -> rusqlite::Result<()> {
        let mut files = connection.prepare("INSERT INTO files VALUES (?, ?)")?;
        for (number, file) in (1_i64..).zip(&description.data) {
            let path = TypedValue::Text(file.path.as_os_str().as_encoded_bytes());
            files.execute((number, Parameter(path)))?;
        }
        let mut meta = connection.prepare("INSERT INTO meta VALUES (?, ?)")?;
        for (name, value) in description.lines() {
            meta.execute((name, Parameter(TypedValue::Text(&value))))?;
        }
        Ok(())
    }

    /// Inserts the row of an entry.
    fn insert(&self, row: u64, mut payload: &[u8], insert: &mut Statement<'_>) -> Result<()> {
        let foreign = || Error::Changed { expected: POSITION as u64, found: payload.len() as u64 };
        let (file, offset) = self.positions.place(position_of(payload));
        let mut rest = payload.get(POSITION..).ok_or_else(foreign)?;
        let length = read_number(&mut rest).ok_or_else(foreign)?;
        payload = rest;
        let bind = |insert: &mut Statement<'_>, at: usize, value: TypedValue<'_>| {
            let bound = insert.raw_bind_parameter(at, Parameter(value));
            bound.map_err(|error| error_of(&self.output, error))
        };
        let whole = |number: u64| TypedValue::Whole(number.cast_signed());
        bind(insert, 1, whole(row))?;
        for at in 2..self.columns + 2 {
            let left = payload.len() as u64;
            let changed = || Error::Changed { expected: 1, found: left };
            bind(insert, at, read(&mut payload).ok_or_else(changed)?)?;
        }
        let place = [whole(file as u64 + 1), whole(offset), whole(length)];
        for (at, value) in (self.columns + 2..).zip(place) {
            bind(insert, at, value)?;
        }
        insert.raw_execute().map(drop).map_err(|error| error_of(&self.output, error))
    }
}

impl Inlet for Table {
    fn write_all(&self, data: &[u8], progress: &Progress) -> Result<()> {
        let mut state = self.state();
        let TableState { connection, entries, rows, last, duplicate } = &mut *state;
        let prepared = connection.prepare(&self.insert);
        let mut insert = prepared.map_err(|error| error_of(&self.output, error))?;
        entries.take(data, |_, key, payload| {
            if rows.is_multiple_of(STOP_CHECK) && progress.is_stopping() {
                return Err(Error::Interrupted);
            }
            *rows += 1;
            if self.refuses_equal {
                let position = position_of(payload);
                if let Some((_, earlier)) = last.as_ref().filter(|(last, _)| last == key) {
                    *duplicate = Some([*earlier, position]);
                    return Err(Error::Interrupted); // the builder says why
                }
                let (last, at) = last.get_or_insert_default();
                last.clear();
                last.extend_from_slice(key);
                *at = position;
            }
            self.insert(*rows, payload, &mut insert)
        })
    }

    fn bytes(&self) -> u64 {
        self.state().entries.taken()
    }

    fn name(&self) -> &Path {
        &self.output
    }
}

/// Checks that no other file belongs to the database that is replaced, if one is: SQLite would take
/// it for one of the new database.
///
/// # Errors
///
/// [`Error::Config`] that names the file.
fn check_alone(output: &Path) -> Result<()> {
    let target = rename_target(output)?;
    let beside = |end| PathBuf::from([target.as_os_str(), OsStr::new(end)].join(OsStr::new("")));
    match ["-journal", "-wal", "-shm"].map(beside).into_iter().find(|path| path.exists()) {
        None => Ok(()),
        Some(path) => {
            let message = format!(
                "{} belongs to a database that another program has open, or has not closed; close \
                 it there, or remove the file, or write to another name",
                path.display()
            );
            Err(Error::config(ConfigErrorKind::InUse, message))
        }
    }
}

/// Returns the error of SQLite about the file of this name.
fn error_of(path: &Path, error: rusqlite::Error) -> Error {
    let source = match error.sqlite_error_code() {
        Some(ffi::ErrorCode::DiskFull) => io::Error::from(rustix::io::Errno::NOSPC),
        Some(ffi::ErrorCode::TooBig) => {
            io::Error::other("SQLite takes no value of more than 1,000,000,000 bytes")
        }
        _ => io::Error::other(error),
    };
    Error::io("write", path, source)
}
