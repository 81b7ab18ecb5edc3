//! Indexes that are open, and what is found in them. The types are those of the crate
//! `sortwell-index`; each has an example here.

/// An open index over files of records. A clone is the same index, for another thread.
///
/// ```
/// use sortwell::{Format, Index, IndexJob};
///
/// # let folder = tempfile::tempdir()?;
/// # let (data, file) = (folder.path().join("names"), folder.path().join("names.index"));
/// std::fs::write(&data, "Bob 3\nAnn 1\nBea 2\n")?;
/// IndexJob::new(Format::LINES, &data, &file).key("1".parse()?).run()?;
/// let index = Index::open(&file)?;
/// assert_eq!(index.description().entries, 3);
/// assert_eq!(index.get(&["Ann"])?.count(), 1);
/// assert_eq!(index.prefix(&["B"])?.count(), 2);
/// assert_eq!(index.range(["Bea"]..)?.count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use sortwell_index::Index;

/// The entries that a search found, in the order of the index.
///
/// ```
/// use sortwell::{Format, Index, IndexJob};
///
/// # let folder = tempfile::tempdir()?;
/// # let (data, file) = (folder.path().join("names"), folder.path().join("names.index"));
/// std::fs::write(&data, "Bob 3\nAnn 1\n")?;
/// IndexJob::new(Format::LINES, &data, &file).key("1".parse()?).run()?;
/// let index = Index::open(&file)?;
/// let last = index.entries()?.reversed()?.next().ok_or("no entry")??;
/// assert_eq!(index.read(&last)?, b"Bob 3\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use sortwell_index::Matches;

/// The place of a record that was found.
///
/// ```
/// use sortwell::Found;
///
/// let found = Found { file: 0, offset: 12, bytes: 5 };
/// assert_eq!(found.offset + found.bytes, 17); // where the next record begins
/// ```
pub use sortwell_index::Found;

/// The format, the keys, the data files and the size of an index.
///
/// ```
/// use sortwell::{Format, Index, IndexJob};
///
/// # let folder = tempfile::tempdir()?;
/// # let (data, file) = (folder.path().join("names"), folder.path().join("names.index"));
/// std::fs::write(&data, "Bob 3\nAnn 1\n")?;
/// IndexJob::new(Format::LINES, &data, &file).key("2:int:desc".parse()?).run()?;
/// let index = Index::open_without_data(&file)?;
/// assert_eq!(index.description().keys[0].to_string(), "2:int:desc");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use sortwell_index::Description;

/// Memory, threads and directories for temporary files of a long operation on an index.
///
/// ```
/// use sortwell::{Budget, ByteSize, Effort};
///
/// let memory = Budget::Bytes(ByteSize::mib(256));
/// let effort = Effort { memory, threads: Some(2), temp: Vec::new() };
/// assert!(effort.temp.is_empty()); // the directory of the output, or of the system
/// ```
pub use sortwell_index::Effort;

/// The first difference between an index and its data.
///
/// ```
/// use sortwell::{Budget, Effort, Format, Index, IndexJob, Progress, WrongEntry};
///
/// # let folder = tempfile::tempdir()?;
/// # let (data, file) = (folder.path().join("names"), folder.path().join("names.index"));
/// std::fs::write(&data, "Bob 3\nAnn 1\n")?;
/// IndexJob::new(Format::LINES, &data, &file).key("1".parse()?).run()?;
/// let effort = Effort { memory: Budget::default(), threads: None, temp: Vec::new() };
/// let wrong: Option<WrongEntry> = Index::open(&file)?.verify(&effort, &Progress::new())?;
/// assert_eq!(wrong, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use sortwell_index::WrongEntry;
