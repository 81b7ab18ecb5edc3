//! `sortwell index get`, `range` and `prefix`.

use std::ffi::OsString;
use std::io::Write;
use std::ops::Bound;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::process::ExitCode;

use clap::Args;
use sortwell::{Error, Progress, Result};
use sortwell_index::{Index, Matches};

use super::{IndexFile, status};
use crate::failure::{CommandOutcome, escaped_bytes, usage_error};
use crate::standard::Printer;

/// Bytes of records that are printed at once.
const PIECE: usize = 256 << 10;

/// Options for which records are printed, and how.
#[derive(Args, Debug)]
struct Printing {
    /// Print the records in reverse order
    #[arg(short, long)]
    reverse: bool,

    /// Leave out the first N records
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    skip: u64,

    /// Print at most N records
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// Print the number of records instead of them
    #[arg(long, conflicts_with = "offsets")]
    count: bool,

    /// Print the file, the offset and the length of each record, between tabs, instead of it
    ///
    /// In a file that is compressed by bgzip, the offset is a virtual one: that of the compressed
    /// block times 65536, plus the offset in the expanded block.
    #[arg(long)]
    offsets: bool,

    /// Print the columns that the index includes, instead of the record
    ///
    /// The separator is that of the data. If records have no columns, it is a tab.
    #[arg(long, conflicts_with_all = ["offsets", "count"])]
    included: bool,
}

/// Print the records that have a key
///
/// The exit status is 1 if no record has it.
#[derive(Args, Debug)]
#[command(after_help = GET_EXAMPLES)]
pub struct GetArguments {
    #[command(flatten)]
    index: IndexFile,

    /// Values of the first keys, in their order; those of all keys or of fewer
    ///
    /// Keys of binary records take numbers, text, or bytes as hexadecimal digits after 0x. Options
    /// come before -- if a value begins with a dash.
    #[arg(value_name = "VALUE", required = true, allow_negative_numbers = true)]
    values: Vec<OsString>,

    #[command(flatten)]
    printing: Printing,
}

/// Print the records in a range of keys
///
/// An option that is given several times has values of several keys. The beginning comes before the
/// end in the order of the index: for a descending key, it is the greater value.
#[derive(Args, Debug)]
#[command(after_help = RANGE_EXAMPLES)]
pub struct RangeArguments {
    #[command(flatten)]
    index: IndexFile,

    /// Begin with the records that have these values
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, conflicts_with = "after")]
    from: Vec<OsString>,

    /// Begin after the records that have these values
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    after: Vec<OsString>,

    /// End with the records that have these values
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, conflicts_with = "before")]
    to: Vec<OsString>,

    /// End before the records that have these values
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    before: Vec<OsString>,

    #[command(flatten)]
    printing: Printing,
}

/// Print the records whose key begins with some text
#[derive(Args, Debug)]
#[command(after_help = PREFIX_EXAMPLES)]
pub struct PrefixArguments {
    #[command(flatten)]
    index: IndexFile,

    /// Values of the first keys, of which the last is the beginning of the text
    #[arg(value_name = "VALUE", required = true, allow_negative_numbers = true)]
    values: Vec<OsString>,

    #[command(flatten)]
    printing: Printing,
}

const GET_EXAMPLES: &str = "\
Examples:
  The rows of one city, and those of a city and an amount:
    sortwell index get orders.index Oslo
    sortwell index get orders.index Oslo 10.50

  The number of rows:
    sortwell index get orders.index Oslo --count";

const RANGE_EXAMPLES: &str = "\
Examples:
  The rows of two cities and all between them:
    sortwell index range orders.index --from Oslo --to Rome

  Amounts from 10 to below 20 in one city:
    sortwell index range orders.index --from Oslo --from 10 --before Oslo --before 20";

const PREFIX_EXAMPLES: &str = "\
Examples:
  The first ten rows of cities that begin with Os:
    sortwell index prefix orders.index Os --limit 10";

impl GetArguments {
    /// Prints.
    pub fn run(&self) -> CommandOutcome {
        let index = self.index.open()?;
        let found = index.get(&values(&self.values))?;
        Ok(status(self.printing.print(&index, found)?))
    }
}

impl RangeArguments {
    /// Prints.
    pub fn run(&self) -> CommandOutcome {
        let index = self.index.open()?;
        let bound = |included: &[OsString], excluded: &[OsString]| match (included, excluded) {
            ([], []) => Bound::Unbounded,
            (included, []) => Bound::Included(values(included)),
            (_, excluded) => Bound::Excluded(values(excluded)),
        };
        let (from, to) = (bound(&self.from, &self.after), bound(&self.to, &self.before));
        let found = index.range((from, to))?;
        self.printing.print(&index, found)?;
        Ok(ExitCode::SUCCESS)
    }
}

impl PrefixArguments {
    /// Prints.
    pub fn run(&self) -> CommandOutcome {
        let index = self.index.open()?;
        let found = index.prefix(&values(&self.values))?;
        self.printing.print(&index, found)?;
        Ok(ExitCode::SUCCESS)
    }
}

fn values(words: &[OsString]) -> Vec<Vec<u8>> {
    words.iter().map(|word| word.clone().into_vec()).collect()
}

impl Printing {
    /// Prints entries; returns whether any were found, even if none is printed.
    fn print(&self, index: &Index, found: Matches) -> Result<bool> {
        let mut found = if self.reverse { found.reversed()? } else { found };
        if self.included && index.description().include.is_empty() {
            return Err(usage_error(
                "the index includes no columns; build it with --include, or leave out --included",
            ));
        }
        let progress = Progress::new();
        let mut out = Out { printer: Printer::new(&progress)?, bytes: Vec::new() };
        let end = self.limit.map_or(u64::MAX, |limit| self.skip.saturating_add(limit));
        let (mut passed, mut record, mut files) = (0, Vec::new(), Vec::new());
        while passed < end {
            let Some(entry) = found.next().transpose()? else { break };
            passed += 1;
            if out.is_full() {
                index.check_data(&mut files)?;
                out.flush()?;
            }
            if passed <= self.skip || self.count {
                continue;
            }
            if self.offsets {
                out.put(&escaped_bytes(index.data_path(entry.file).as_os_str().as_bytes()));
                out.put(format!("\t{}\t{}\n", entry.offset, entry.bytes).as_bytes());
                continue;
            }
            if self.included {
                let parts = found.included()?;
                out.put(&[parts.join(&index.column_separator()), b"\n".to_vec()].concat());
                continue;
            }
            index.read_unchecked(&entry, &mut record)?;
            if files.last() != Some(&entry.file) {
                files.push(entry.file);
            }
            record.extend(index.missing_end(&record));
            out.put(&record);
        }
        if self.count {
            out.put(format!("{}\n", passed.saturating_sub(self.skip)).as_bytes());
        }
        index.check_data(&mut files)?;
        out.flush()?;
        Ok(passed > 0 || found.next().transpose()?.is_some())
    }
}

/// Standard output, written in large pieces.
struct Out<'p> {
    printer: Printer<'p>,
    bytes: Vec<u8>,
}

impl Out<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn is_full(&self) -> bool {
        self.bytes.len() >= PIECE
    }

    fn flush(&mut self) -> Result<()> {
        let written = self.printer.write_all(&self.bytes);
        self.bytes.clear();
        written.map_err(|error| Error::io("write", "standard output".as_ref(), error))
    }
}
