//! The builder of a check. The engine checks; the options that sorts and merges have as well are
//! in `options`.

use sortwell_engine::codec::Decompress;
use sortwell_engine::job::{self, Checked, Input};
use sortwell_engine::stats::Progress;
use sortwell_engine::{Result, format::Format};

use crate::options::reading_options;

/// One check whether inputs are sorted. Each input is checked by itself.
///
/// ```
/// use sortwell::{CheckJob, Format};
///
/// # let folder = tempfile::tempdir()?;
/// # let input = folder.path().join("in");
/// std::fs::write(&input, "9\n10\n7\n")?;
/// let checked = CheckJob::new(Format::LINES, &input).key("1:int".parse()?).run()?;
/// let disorder = checked.disorder.expect("the third line comes before the second");
/// assert_eq!((disorder.record_number, disorder.record), (3, b"7\n".to_vec()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CheckJob {
    job: job::CheckJob,
}

impl CheckJob {
    /// Returns a check of one input; [`input`](Self::input) adds others. The defaults are those of
    /// the command `sortwell check`.
    pub fn new(format: Format, input: impl Into<Input>) -> Self {
        let mut job = job::CheckJob::new(vec![input.into()], format);
        job.decompress = Decompress::Auto;
        Self { job }
    }

    reading_options!();

    /// Sets whether records with equal keys are out of order as well. Default: false.
    pub fn unique(&mut self, unique: bool) -> &mut Self {
        self.job.unique = unique;
        self
    }

    /// Checks up to the first record that is out of order, which is a result and not an error.
    ///
    /// # Errors
    ///
    /// Every [`Error`](crate::Error) that inputs, disks or options can cause.
    pub fn run(&self) -> Result<Checked> {
        self.run_with(&Progress::new())
    }

    /// Checks as [`run`](Self::run) does. Another thread may watch `progress`, and stop the job
    /// through it.
    ///
    /// # Errors
    ///
    /// The errors of [`run`](Self::run), and [`Error::Interrupted`](crate::Error::Interrupted)
    /// after a stop.
    pub fn run_with(&self, progress: &Progress) -> Result<Checked> {
        self.job.run(progress)
    }
}
