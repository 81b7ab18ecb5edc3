//! The builder of a sort. The engine plans and sorts; the options that merges and checks have as
//! well are in `options`.

use sortwell_engine::codec::{Compress, Decompress};
use sortwell_engine::job::{self, Explanation, Input, Output};
use sortwell_engine::operator::Unique;
use sortwell_engine::predicate::Expression;
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::{Result, format::Format};

use crate::options::{reading_options, writing_options};

/// One sort: inputs, an output, keys, and what the job may use.
///
/// ```
/// use sortwell::{Format, SortJob, Unique};
///
/// # let folder = tempfile::tempdir()?;
/// # let (input, output) = (folder.path().join("in"), folder.path().join("out"));
/// std::fs::write(&input, "b 2\na 10\na 9\n")?;
/// // By the first field; of lines with equal first fields, the last one.
/// SortJob::new(Format::LINES, input, &output)
///     .key("1".parse()?)
///     .unique(Unique::Last)
///     .run()?;
/// assert_eq!(std::fs::read(&output)?, b"a 9\nb 2\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SortJob {
    job: job::SortJob,
}

impl SortJob {
    /// Returns a sort of one input; [`input`](Self::input) adds others. The defaults are those of
    /// the command `sortwell sort`.
    pub fn new(format: Format, input: impl Into<Input>, output: impl Into<Output>) -> Self {
        let mut job = job::SortJob::new(vec![input.into()], output.into(), format);
        (job.decompress, job.compress) = (Decompress::Auto, Compress::Auto);
        Self { job }
    }

    reading_options!();
    writing_options!();

    /// Adds a condition that records have to meet. Other records are left out.
    pub fn include(&mut self, condition: Expression) -> &mut Self {
        self.job.filter.include.push(condition);
        self
    }

    /// Adds a condition that leaves out the records that meet it.
    pub fn exclude(&mut self, condition: Expression) -> &mut Self {
        self.job.filter.exclude.push(condition);
        self
    }

    /// Keeps one of the records whose keys are all equal. Default: all are kept.
    pub fn unique(&mut self, unique: Unique) -> &mut Self {
        self.job.select.unique = Some(unique);
        self
    }

    /// Sorts, and returns when the output is in place.
    ///
    /// # Errors
    ///
    /// Every [`Error`](crate::Error) that inputs, disks or options can cause. Then no output exists
    /// under its name, and the inputs are as they were.
    pub fn run(&self) -> Result<Statistics> {
        self.run_with(&Progress::new())
    }

    /// Sorts as [`run`](Self::run) does. Another thread may watch `progress`, and stop the job
    /// through it.
    ///
    /// # Errors
    ///
    /// The errors of [`run`](Self::run), and [`Error::Interrupted`](crate::Error::Interrupted)
    /// after a stop.
    pub fn run_with(&self, progress: &Progress) -> Result<Statistics> {
        self.job.run(progress)
    }

    /// Returns the plan of the sort without carrying it out: passes, memory and temporary files.
    ///
    /// # Errors
    ///
    /// The errors of [`run`](Self::run) that are known before records are read, and
    /// [`Error::Config`](crate::Error::Config) for inputs whose length is not known in advance:
    /// pipes, compressed files, supplied streams, and tables whose columns are united by name. A
    /// sort takes these inputs, but nothing is predicted for it.
    pub fn explain(&self) -> Result<Explanation> {
        self.job.explain()
    }
}
