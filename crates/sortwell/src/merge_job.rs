//! The builder of a merge. The engine merges; the options that sorts and checks have as well are
//! in `options`.

use sortwell_engine::codec::{Compress, Decompress};
use sortwell_engine::job::{self, Input, Output};
use sortwell_engine::operator::Unique;
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::{Result, format::Format};

use crate::options::{reading_options, writing_options};

/// One merge of inputs that are each sorted by the same keys. Of records with equal keys, those of
/// earlier inputs come first.
///
/// ```
/// use sortwell::{Format, MergeJob};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = |name: &str| folder.path().join(name);
/// std::fs::write(path("monday"), "1 x\n4 x\n")?;
/// std::fs::write(path("tuesday"), "2 y\n3 y\n")?;
/// MergeJob::new(Format::LINES, path("all"))
///     .input(path("monday"))
///     .input(path("tuesday"))
///     .key("1:int".parse()?)
///     .run()?;
/// assert_eq!(std::fs::read(path("all"))?, b"1 x\n2 y\n3 y\n4 x\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MergeJob {
    job: job::MergeJob,
}

impl MergeJob {
    /// Returns a merge without inputs; [`input`](Self::input) adds them. The defaults are those of
    /// the command `sortwell merge`.
    pub fn new(format: Format, output: impl Into<Output>) -> Self {
        let mut job = job::MergeJob::new(Vec::<Input>::new(), output.into(), format);
        (job.decompress, job.compress) = (Decompress::Auto, Compress::Auto);
        job.check = true;
        Self { job }
    }

    reading_options!();
    writing_options!();

    /// Sets whether only the first of the records with equal keys is kept. Default: false.
    pub fn unique(&mut self, unique: bool) -> &mut Self {
        self.job.select.unique = unique.then_some(Unique::First);
        self
    }

    /// Sets whether an input that is out of order is an error. Default: true. Otherwise its records
    /// come out in no certain order.
    pub fn check(&mut self, check: bool) -> &mut Self {
        self.job.check = check;
        self
    }

    /// Merges, and returns when the output is in place.
    ///
    /// # Errors
    ///
    /// Every [`Error`](crate::Error) that inputs, disks or options can cause. Then no output exists
    /// under its name, and the inputs are as they were.
    pub fn run(&self) -> Result<Statistics> {
        self.run_with(&Progress::new())
    }

    /// Merges as [`run`](Self::run) does. Another thread may watch `progress`, and stop the job
    /// through it.
    ///
    /// # Errors
    ///
    /// The errors of [`run`](Self::run), and [`Error::Interrupted`](crate::Error::Interrupted)
    /// after a stop.
    pub fn run_with(&self, progress: &Progress) -> Result<Statistics> {
        self.job.run(progress)
    }
}
