//! Errors, and how a program names settings in them. The types are the engine's; each has an
//! example here.

/// The error of every job and of everything that the library does.
///
/// ```
/// use sortwell::{Error, Format, SortJob};
///
/// # let folder = tempfile::tempdir()?;
/// # let (input, output) = (folder.path().join("missing"), folder.path().join("out"));
/// match SortJob::new(Format::LINES, &input, output).run() {
///     Err(Error::Io { action, path, .. }) => assert_eq!((action, path), ("open", input)),
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use sortwell_engine::error::Error;

/// A result whose error is [`Error`](crate::Error).
///
/// ```
/// use sortwell::ByteSize;
///
/// fn half(size: &str) -> sortwell::Result<ByteSize> {
///     let size: ByteSize = size.parse()?;
///     Ok(ByteSize(size.bytes() / 2))
/// }
/// assert_eq!(half("2GiB")?, ByteSize::gib(1));
/// # Ok::<(), sortwell::Error>(())
/// ```
pub use sortwell_engine::error::Result;

/// The error of a request that cannot be carried out.
///
/// ```
/// use sortwell::{ConfigErrorKind, Error, Format};
///
/// let Err(error) = "fixed:0".parse::<Format>() else { panic!() };
/// let Error::Config(error) = Error::from(error) else { panic!() };
/// assert_eq!(error.kind(), ConfigErrorKind::InvalidValue);
/// assert!(error.to_string().contains("'0' is not a record length"));
/// ```
pub use sortwell_engine::error::ConfigError;

/// The kind of a [`ConfigError`](crate::ConfigError), for programs that act on it.
///
/// ```
/// use sortwell::{ByteSize, ConfigErrorKind, Format, SortJob};
///
/// # let folder = tempfile::tempdir()?;
/// # let (input, output) = (folder.path().join("in"), folder.path().join("out"));
/// std::fs::write(&input, "b\na\n")?;
/// let mut job = SortJob::new(Format::LINES, &input, &output);
/// let error = job.memory(ByteSize::kib(64)).run().unwrap_err();
/// let Some(ConfigErrorKind::BudgetTooSmall { least: Some(least) }) = error.config_kind() else {
///     panic!("{error}");
/// };
/// job.memory(least).run()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use sortwell_engine::error::ConfigErrorKind;

/// The text of an error, in which a program names settings as its users know them.
///
/// ```
/// use sortwell::{Reference, Unique};
///
/// let error = "any".parse::<Unique>().unwrap_err();
/// let name = |reference: &Reference| format!("the option {reference}");
/// assert_eq!(error.message().render(name), error.to_string()); // it refers to no setting
/// ```
pub use sortwell_engine::error::Message;

/// An operation that a message refers to.
///
/// ```
/// use sortwell::{Operation, Reference};
///
/// let cleanup = Operation::CleanSpill.on("/var/tmp");
/// assert_eq!(cleanup.to_string(), "a cleanup of spill directories (/var/tmp)");
/// assert!(matches!(cleanup, Reference::Operation(Operation::CleanSpill, _)));
/// ```
pub use sortwell_engine::error::Operation;

/// The error of text that is not a value of the type it is read as.
///
/// ```
/// use sortwell::{ParseError, Unique};
///
/// let error: ParseError = "newest".parse::<Unique>().unwrap_err();
/// assert_eq!(error.value(), "newest");
/// ```
pub use sortwell_engine::error::ParseError;

/// A part of a [`Message`](crate::Message) that a program may name in its own words.
///
/// ```
/// use sortwell::{Reference, Setting};
///
/// // A program with an option of its own for the memory budget.
/// let name = |reference: &Reference| match reference {
///     Reference::Setting(Setting::Memory, None) => "--ram".to_owned(),
///     other => other.to_string(),
/// };
/// assert_eq!(name(&Reference::Setting(Setting::Memory, None)), "--ram");
/// ```
pub use sortwell_engine::error::Reference;

/// A setting of a job that a message refers to.
///
/// ```
/// use sortwell::Setting;
///
/// assert_eq!(Setting::Memory.to_string(), "memory");
/// assert_eq!(Setting::Memory.to("1GiB").to_string(), "memory 1GiB");
/// ```
pub use sortwell_engine::error::Setting;

/// The error of text that is not a key.
///
/// ```
/// use sortwell::{Key, KeyFault};
///
/// let error = "0:int".parse::<Key>().unwrap_err();
/// assert_eq!(error.key(), "0:int");
/// assert!(matches!(error.fault(), KeyFault::Place(_)));
/// ```
pub use sortwell_engine::key::KeyError;

/// The reason of a [`KeyError`](crate::KeyError).
///
/// ```
/// use sortwell::{Key, KeyFault};
///
/// let fault = |key: &str| key.parse::<Key>().unwrap_err().fault().clone();
/// assert!(matches!(fault("1:number"), KeyFault::Type(_)));
/// assert!(matches!(fault("1:int:desc:desc"), KeyFault::Modifier(_)));
/// ```
pub use sortwell_engine::key::KeyFault;

/// The error of text that is not a size.
///
/// ```
/// use sortwell::ByteSize;
///
/// let error = "12 parsecs".parse::<ByteSize>().unwrap_err();
/// assert_eq!(error.value(), "12 parsecs");
/// ```
pub use sortwell_engine::units::ParseSizeError;
