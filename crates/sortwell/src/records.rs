//! Records: how they are separated, what orders them, and which of them take part. The types are
//! the engine's; each has an example here.

/// The form of records: lines, rows of CSV, JSON lines, or bytes.
///
/// ```
/// use sortwell::Format;
///
/// assert_eq!("fixed:100".parse::<Format>()?, Format::Fixed { length: 100 });
/// assert_eq!("csv".parse::<Format>()?, Format::CSV);
/// # Ok::<(), sortwell::ParseError>(())
/// ```
pub use sortwell_engine::format::Format;

/// The form of rows of cells.
///
/// ```
/// use sortwell::{CsvFormat, Format};
///
/// // Cells between semicolons, without a header.
/// let mut csv = CsvFormat::separated_by(b';');
/// csv.has_header = false;
/// let format = Format::Csv(csv);
/// # assert_ne!(format, Format::CSV);
/// ```
pub use sortwell_engine::format::CsvFormat;

/// The separator and the quote of rows of cells.
///
/// ```
/// use sortwell::{CsvFormat, Dialect, Format};
///
/// // Tabs between cells; no byte is a quote.
/// let dialect = Dialect::strict(b'\t', None);
/// let format = Format::Csv(CsvFormat { dialect, ..CsvFormat::separated_by(b'\t') });
/// # assert_ne!(format, Format::TSV);
/// ```
pub use sortwell_engine::format::csv::Dialect;

/// The lines at the top of each input that stay there.
///
/// ```
/// use sortwell::HeaderLines;
///
/// assert_eq!("2".parse::<HeaderLines>()?, HeaderLines::Count(2));
/// assert_eq!("##".parse::<HeaderLines>()?, HeaderLines::Prefix(b"##".to_vec()));
/// # Ok::<(), sortwell::ParseError>(())
/// ```
pub use sortwell_engine::format::HeaderLines;

/// The handling of rows with more or fewer cells than the header has.
///
/// ```
/// use sortwell::{CsvFormat, Format, Ragged, SortJob};
///
/// # let folder = tempfile::tempdir()?;
/// # let (input, output) = (folder.path().join("in"), folder.path().join("out"));
/// std::fs::write(&input, "id,name\n2,b\n3\n1,a\n")?;
/// let format = Format::Csv(CsvFormat { ragged: Ragged::Drop, ..CsvFormat::separated_by(b',') });
/// let statistics = SortJob::new(format, &input, &output).key("id:int".parse()?).run()?;
/// assert_eq!(std::fs::read(&output)?, b"id,name\n1,a\n2,b\n");
/// assert_eq!(statistics.ragged_rows_dropped, Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use sortwell_engine::format::Ragged;

/// A part of each record, its type and its direction, by which records are ordered.
///
/// ```
/// use sortwell::Key;
///
/// let key: Key = "amount:DECIMAL:desc".parse()?;
/// assert_eq!(key.column(), Some("amount"));
/// assert_eq!(key.to_string(), "amount:decimal:desc");
///
/// let error = "2:decimla".parse::<Key>().unwrap_err();
/// assert!(error.to_string().contains("did you mean 'decimal'?"));
/// # Ok::<(), sortwell::KeyError>(())
/// ```
pub use sortwell_engine::key::Key;

/// The keys of single records by the words of the command, for records that the program pushes.
///
/// ```
/// use sortwell::{Format, RecordKey, Sorter};
///
/// // Fields between commas: the amount, the largest first, then the name in natural order.
/// let keys = ["2:decimal:desc".parse()?, "1:natural".parse()?];
/// let key = RecordKey::new(Format::LINES, &keys)?.separator(b',')?;
/// let mut sorter = Sorter::new();
/// for line in ["item10,7.5", "item9,7.5", "item1,30"] {
///     sorter.push_by(|writer| writer.record(&key, line.as_bytes()), line.as_bytes())?;
/// }
/// let mut sorted = sorter.finish()?;
/// let mut lines = Vec::new();
/// while let Some(record) = sorted.next()? {
///     lines.push(String::from_utf8_lossy(record.payload).into_owned());
/// }
/// assert_eq!(lines, ["item1,30", "item9,7.5", "item10,7.5"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use sortwell_engine::job::RecordKey;

/// The handling of records whose key is not a value of its type.
///
/// ```
/// use sortwell::{Format, Invalid, InvalidPlace, SortJob};
///
/// # let folder = tempfile::tempdir()?;
/// # let (input, output) = (folder.path().join("in"), folder.path().join("out"));
/// std::fs::write(&input, "2026-11-25\nsoon\n2026-11-22\n")?;
/// SortJob::new(Format::LINES, &input, &output)
///     .key("1:date".parse()?)
///     .invalid(Invalid::Placed(InvalidPlace::Last))
///     .run()?;
/// assert_eq!(std::fs::read(&output)?, b"2026-11-22\n2026-11-25\nsoon\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use sortwell_engine::key::text::Invalid;

/// The first or the last place in the order.
///
/// ```
/// use sortwell::{Invalid, InvalidPlace};
///
/// assert_eq!("first".parse::<Invalid>()?, Invalid::Placed(InvalidPlace::First));
/// # Ok::<(), sortwell::ParseError>(())
/// ```
pub use sortwell_engine::key::text::InvalidPlace;

/// The record that is kept of several with equal keys.
///
/// ```
/// use sortwell::Unique;
///
/// assert_eq!("last".parse::<Unique>()?, Unique::Last);
/// # Ok::<(), sortwell::ParseError>(())
/// ```
pub use sortwell_engine::operator::Unique;

/// A condition on records.
///
/// ```
/// use sortwell::Expression;
///
/// let expression: Expression = "2:int>5 AND NOT (3 contains 'x')".parse()?;
/// assert_eq!(expression.to_string(), "2:int > 5 and not 3 contains \"x\"");
/// # Ok::<(), sortwell::ParseError>(())
/// ```
pub use sortwell_engine::predicate::Expression;
