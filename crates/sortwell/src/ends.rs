//! Inputs, outputs, and what a job may use. The types are the engine's; each has an example here.

/// A file, a stream or a function that records come from.
///
/// ```
/// use sortwell::{Format, Input, SortJob};
///
/// let mut job = SortJob::new(Format::LINES, "january.txt", "year.txt");
/// job.input("february.txt").input(Input::Stdin);
/// ```
pub use sortwell_engine::job::Input;

/// A file or a stream that records go to.
///
/// ```
/// use sortwell::{Format, Output, SortJob};
///
/// let job = SortJob::new(Format::LINES, "names.txt", Output::Stdout);
/// # drop(job);
/// ```
pub use sortwell_engine::job::Output;

/// A pipe or another open descriptor as an output.
///
/// ```
/// use std::io::{Read, pipe};
/// use std::path::Path;
/// use sortwell::{Format, Outlet, Output, SortJob};
///
/// # let folder = tempfile::tempdir()?;
/// # let input = folder.path().join("in");
/// std::fs::write(&input, "b\na\n")?;
/// let (mut reader, writer) = pipe()?;
/// let output = Output::Pipe(Outlet::new(writer, Path::new("the pipe")));
/// let sorting = std::thread::spawn(move || SortJob::new(Format::LINES, &input, output).run());
/// let mut sorted = String::new();
/// reader.read_to_string(&mut sorted)?;
/// sorting.join().expect("no panic")?;
/// assert_eq!(sorted, "a\nb\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use sortwell_engine::io::pipe::Outlet;

/// A stream of bytes that the program makes, as an input. It is read once: a job that is run again
/// needs a new one.
///
/// ```
/// use std::path::Path;
/// use sortwell::{Format, Input, Progress, SortJob, Supplied, Supply};
///
/// /// The lines from a number down to 1.
/// struct Countdown {
///     next: u32,
///     line: Vec<u8>,
/// }
///
/// impl Supply for Countdown {
///     fn fill(&mut self, buffer: &mut [u8], _: &Progress) -> sortwell::Result<usize> {
///         if self.line.is_empty() && self.next > 0 {
///             self.line = format!("{}\n", self.next).into();
///             self.next -= 1;
///         }
///         // A line may begin in one buffer and end in the next.
///         let bytes = self.line.len().min(buffer.len());
///         buffer[..bytes].copy_from_slice(&self.line[..bytes]);
///         self.line.drain(..bytes);
///         Ok(bytes)
///     }
/// }
///
/// # let folder = tempfile::tempdir()?;
/// # let output = folder.path().join("out");
/// let countdown = Countdown { next: 3, line: Vec::new() };
/// let input = Input::Supplied(Supplied::new(Path::new("a countdown"), countdown));
/// SortJob::new(Format::LINES, input, &output).run()?;
/// assert_eq!(std::fs::read(&output)?, b"1\n2\n3\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use sortwell_engine::io::Supplied;

/// The function that fills buffers for a [`Supplied`](crate::Supplied) input.
///
/// ```
/// use sortwell::{Progress, Supply};
///
/// /// An input without any byte.
/// struct Nothing;
///
/// impl Supply for Nothing {
///     fn fill(&mut self, _: &mut [u8], _: &Progress) -> sortwell::Result<usize> {
///         Ok(0) // the end of the input
///     }
/// }
/// ```
pub use sortwell_engine::io::Supply;

/// The memory that a job may use.
///
/// ```
/// use sortwell::{Budget, ByteSize, Format, SortJob};
///
/// let mut job = SortJob::new(Format::LINES, "in", "out");
/// job.memory(ByteSize::gib(4));
/// job.memory(Budget::Percent(25.0));
/// ```
pub use sortwell_engine::job::Budget;

/// The choice whether a job that was stopped can continue later.
///
/// ```
/// use sortwell::{Format, Resume, SortJob};
///
/// # let folder = tempfile::tempdir()?;
/// # let (input, output) = (folder.path().join("in"), folder.path().join("out"));
/// # std::fs::write(&input, "b\na\n")?;
/// // Killed and run again, the job continues where it was.
/// SortJob::new(Format::LINES, &input, &output).resume(Resume::On).run()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use sortwell_engine::job::Resume;

/// A format of compressed files.
///
/// ```
/// use std::path::Path;
/// use sortwell::Codec;
///
/// assert_eq!(Codec::of_path(Path::new("orders.csv.zst")), Some(Codec::Zstd));
/// ```
pub use sortwell_engine::codec::Codec;

/// The choice whether and how the output is compressed.
///
/// ```
/// use sortwell::{Compress, Format, SortJob};
///
/// let mut job = SortJob::new(Format::LINES, "in", "out");
/// job.compress("zstd".parse()?);
/// job.compress(Compress::Off);
/// # Ok::<(), sortwell::ParseError>(())
/// ```
pub use sortwell_engine::codec::Compress;

/// A codec and its level.
///
/// ```
/// use sortwell::{Codec, Compress, Compression};
///
/// let best = Compression::with_level(Codec::Zstd, 19)?;
/// assert_eq!("zstd:19".parse::<Compress>()?, Compress::As(best));
/// # Ok::<(), sortwell::Error>(())
/// ```
pub use sortwell_engine::codec::Compression;

/// The choice which inputs are expanded.
///
/// ```
/// use sortwell::{Codec, Decompress};
///
/// assert_eq!("gzip".parse::<Decompress>()?, Decompress::All(Codec::Gzip));
/// # Ok::<(), sortwell::ParseError>(())
/// ```
pub use sortwell_engine::codec::Decompress;

/// A number of bytes.
///
/// ```
/// use sortwell::ByteSize;
///
/// assert_eq!("1.5GiB".parse::<ByteSize>()?, ByteSize::mib(1536));
/// assert_eq!(ByteSize(100_000).to_string(), "97.7 KiB");
/// # Ok::<(), sortwell::ParseSizeError>(())
/// ```
pub use sortwell_engine::units::ByteSize;
