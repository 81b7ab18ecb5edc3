//! Progress, statistics and results of jobs. The types are the engine's; each has an example here.

/// The state of a running job, which another thread may watch and stop.
///
/// ```
/// use sortwell::{Format, Progress, SortJob};
///
/// # let folder = tempfile::tempdir()?;
/// # let (input, output) = (folder.path().join("in"), folder.path().join("out"));
/// std::fs::write(&input, "b\na\n")?;
/// let progress = Progress::new();
/// progress.request_stop(); // another thread may do so at any time
/// let error = SortJob::new(Format::LINES, &input, &output).run_with(&progress).unwrap_err();
/// assert!(error.is_interruption());
/// assert!(!output.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use sortwell_engine::stats::Progress;

/// The step that a running job is at.
///
/// ```
/// use sortwell::{Phase, Progress};
///
/// assert_eq!(Progress::new().phase(), Phase::Planning);
/// ```
pub use sortwell_engine::stats::Phase;

/// The figures of a finished sort or merge.
///
/// ```
/// use sortwell::{Format, SortJob};
///
/// # let folder = tempfile::tempdir()?;
/// # let (input, output) = (folder.path().join("in"), folder.path().join("out"));
/// std::fs::write(&input, "b\na\n")?;
/// let statistics = SortJob::new(Format::LINES, &input, &output).run()?;
/// assert_eq!((statistics.records, statistics.passes), (2, 1));
/// assert!(statistics.is_order_proven);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use sortwell_engine::stats::Statistics;

/// The plan of a sort that was not carried out.
///
/// ```
/// use sortwell::{Format, SortJob};
///
/// # let folder = tempfile::tempdir()?;
/// # let (input, output) = (folder.path().join("in"), folder.path().join("out"));
/// std::fs::write(&input, "b\na\n")?;
/// let plan = SortJob::new(Format::LINES, &input, &output).explain()?;
/// assert_eq!(plan.outlook.passes, 1);
/// assert!(!output.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use sortwell_engine::job::Explanation;

/// The result of a check.
///
/// ```
/// use sortwell::{CheckJob, Format};
///
/// # let folder = tempfile::tempdir()?;
/// # let input = folder.path().join("in");
/// std::fs::write(&input, "a\nb\n")?;
/// let checked = CheckJob::new(Format::LINES, &input).run()?;
/// assert_eq!((checked.records, checked.disorder), (2, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use sortwell_engine::job::Checked;

/// The first record that is out of order.
///
/// ```
/// use sortwell::{CheckJob, Format};
///
/// # let folder = tempfile::tempdir()?;
/// # let input = folder.path().join("in");
/// std::fs::write(&input, "b\na\n")?;
/// let checked = CheckJob::new(Format::LINES, &input).run()?;
/// let disorder = checked.disorder.expect("the second line comes before the first");
/// assert_eq!((disorder.record_number, disorder.offset), (2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use sortwell_engine::job::Disorder;
