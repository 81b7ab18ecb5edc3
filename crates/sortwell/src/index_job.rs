//! The builders of indexes. The crate `sortwell-index` does the work.

use std::path::PathBuf;

use sortwell_engine::Result;
use sortwell_engine::format::{Format, HeaderLines};
use sortwell_engine::job::Budget;
use sortwell_engine::key::OrderOptions;
use sortwell_engine::operator::Unique;
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_index::{AppendJob, BuildJob, Include, IndexTarget, SortSettings};

use crate::options::{memory_option, order_options, place_options};

/// The build of an index over files of records, which stay where they are.
///
/// ```
/// use sortwell::{Format, Index, IndexJob};
///
/// # let folder = tempfile::tempdir()?;
/// # let (data, file) = (folder.path().join("orders.csv"), folder.path().join("orders.index"));
/// std::fs::write(&data, "id,city,amount\n1,Oslo,7\n2,Rome,30\n3,Oslo,5\n")?;
/// IndexJob::new(Format::CSV, &data, &file)
///     .key("city".parse()?)
///     .key("amount:decimal".parse()?)
///     .run()?;
///
/// let index = Index::open(&file)?;
/// let mut rows = Vec::new();
/// for found in index.get(&["Oslo"])? {
///     rows.push(index.read(&found?)?);
/// }
/// assert_eq!(rows, [b"3,Oslo,5\n", b"1,Oslo,7\n"]);
/// assert_eq!(index.range(["Oslo", "6"]..["Rome", "99"])?.count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct IndexJob {
    job: BuildJob,
}

impl IndexJob {
    /// Returns the build of an index over one file; [`data`](Self::data) adds others. An index has
    /// at least one key. The defaults are those of the command `sortwell index build`.
    pub fn new(format: Format, data: impl Into<PathBuf>, index: impl Into<PathBuf>) -> Self {
        let job = BuildJob {
            data: vec![data.into()],
            output: index.into(),
            format,
            keys: Vec::new(),
            order: OrderOptions::default(),
            header: HeaderLines::NONE,
            include: Vec::new(),
            target: IndexTarget::Lmdb,
            unique: None,
            memory: Budget::default(),
            threads: None,
            temp: Vec::new(),
            sort: SortSettings::default(),
            force: false,
            sync: true,
            resume: false,
        };
        Self { job }
    }

    /// Adds a data file, a regular one. Its records follow those of the files before.
    pub fn data(&mut self, path: impl Into<PathBuf>) -> &mut Self {
        self.job.data.push(path.into());
        self
    }

    order_options!();
    memory_option!();
    place_options!();

    /// Keeps a part of each record in the index: a column by its name or number, or bytes such as
    /// `8..16`. [`Matches::included`](crate::Matches::included) returns it without the data.
    pub fn include(&mut self, part: &str) -> &mut Self {
        self.job.include.push(Include::from_text(part));
        self
    }

    /// Sets whether a database of SQLite is written, for programs that search by SQL, instead of an
    /// index, which [`Index`](crate::Index) opens. Default: false.
    ///
    /// ```
    /// # #[cfg(feature = "sqlite")] {
    /// use sortwell::{Format, IndexJob};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let (data, file) = (folder.path().join("orders.csv"), folder.path().join("orders.db"));
    /// std::fs::write(&data, "id,city\n1,Oslo\n2,Bern\n")?;
    /// IndexJob::new(Format::CSV, &data, &file).key("city".parse()?).sqlite(true).run()?;
    /// assert!(std::fs::read(&file)?.starts_with(b"SQLite format 3"));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sqlite(&mut self, sqlite: bool) -> &mut Self {
        self.job.target = if sqlite { IndexTarget::Sqlite } else { IndexTarget::Lmdb };
        self
    }

    /// Keeps one of the records whose keys are all equal, or refuses them. Default: all are kept.
    pub fn unique(&mut self, unique: Unique) -> &mut Self {
        self.job.unique = Some(unique);
        self
    }

    /// Sets whether a build that fails or is stopped keeps sorted parts of the entries, for the
    /// same build to continue with. Default: false.
    pub fn resume(&mut self, resume: bool) -> &mut Self {
        self.job.resume = resume;
        self
    }

    /// Builds the index, and returns when it is in place.
    ///
    /// # Errors
    ///
    /// Every [`Error`](crate::Error) that data, disks or options can cause. Then no index exists
    /// under its name.
    pub fn run(&self) -> Result<Statistics> {
        self.run_with(&Progress::new())
    }

    /// Builds as [`run`](Self::run) does. Another thread may watch `progress`, and stop the job
    /// through it.
    ///
    /// # Errors
    ///
    /// The errors of [`run`](Self::run), and [`Error::Interrupted`](crate::Error::Interrupted)
    /// after a stop.
    pub fn run_with(&self, progress: &Progress) -> Result<Statistics> {
        self.job.run(progress).map(|built| built.statistics)
    }
}

/// Adds new records to an index: those after the records that were indexed in the last data file,
/// and all of new files. The new index replaces the old one when it is complete.
///
/// ```
/// use std::fs::{OpenOptions, write};
/// use std::io::Write;
///
/// use sortwell::{Format, Index, IndexAppendJob, IndexJob};
///
/// # let folder = tempfile::tempdir()?;
/// # let (data, file) = (folder.path().join("log"), folder.path().join("log.index"));
/// write(&data, "b 1\na 2\n")?;
/// IndexJob::new(Format::LINES, &data, &file).key("1".parse()?).run()?;
/// OpenOptions::new().append(true).open(&data)?.write_all(b"a 3\n")?;
/// IndexAppendJob::new(&file).run()?;
/// assert_eq!(Index::open(&file)?.get(&["a"])?.count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct IndexAppendJob {
    job: AppendJob,
}

impl IndexAppendJob {
    /// Returns a job that adds to an index.
    pub fn new(index: impl Into<PathBuf>) -> Self {
        let job = AppendJob {
            index: index.into(),
            data: Vec::new(),
            memory: Budget::default(),
            threads: None,
            temp: Vec::new(),
            force: false,
            sync: true,
        };
        Self { job }
    }

    /// Adds a new data file, with the columns of the others.
    pub fn data(&mut self, path: impl Into<PathBuf>) -> &mut Self {
        self.job.data.push(path.into());
        self
    }

    memory_option!();
    place_options!();

    /// Adds the records, and returns when the new index is in place.
    ///
    /// # Errors
    ///
    /// Those of [`IndexJob::run`], and [`Error::Malformed`](crate::Error::Malformed) if the data
    /// that was indexed before has changed. Then the old index stays.
    pub fn run(&self) -> Result<Statistics> {
        self.run_with(&Progress::new())
    }

    /// Adds records as [`run`](Self::run) does. Another thread may watch `progress`, and stop the
    /// job through it.
    ///
    /// # Errors
    ///
    /// The errors of [`run`](Self::run), and [`Error::Interrupted`](crate::Error::Interrupted)
    /// after a stop.
    pub fn run_with(&self, progress: &Progress) -> Result<Statistics> {
        self.job.run(progress).map(|built| built.statistics)
    }
}
