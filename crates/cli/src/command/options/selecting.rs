//! Options that select which sorted records are written.

use clap::Args;
use sortwell::unstable::operator::{FoldSpec, Function, Place, Select, Split};
use sortwell::unstable::predicate::RecordFilter;
use sortwell::{Expression, Unique};

use super::values::ListedValues;
use super::{SELECTION, values};

/// Records with equal keys, and how many records.
#[derive(Args, Debug)]
#[command(next_help_heading = SELECTION)]
pub struct Selecting {
    /// Keep one record per key, the first or the last, or refuse equal keys
    ///
    /// Without a value: first, in the order of the input. sortwell drops duplicates in every pass,
    /// so a large share of duplicates makes the spill small. With error, the first record whose key
    /// equals that of the record before it is an error. The message gives its number in the sorted
    /// order. There is no output file then, and the exit status is 3. Example: --unique=last.
    #[arg(short, long, value_name = "first|last|error", num_args = 0..=1, require_equals = true,
          default_missing_value = "first",
          value_parser = values::one_of::<Unique>(&["first", "last", "error"]))]
    unique: Option<Unique>,

    /// Keep one record per KEY: the first by --key; repeatable
    ///
    /// KEY is written as for --key, and several KEYs count together. The output is ordered by KEY
    /// first and by --key next. So --key decides which record is kept: the first, or with
    /// --unique=last the last. If --key is equal too, the order of the input decides. --count,
    /// --sum and the like combine records with equal KEY. For another order, sort the output once
    /// more. Example: --unique-by id -k updated:timestamp:desc keeps the latest row of each id.
    #[arg(long, value_name = "KEY")]
    unique_by: Vec<String>,

    /// Skip the first N records of the sorted order
    #[arg(long, value_name = "N", default_value_t = 0, hide_short_help = true)]
    skip: u64,

    /// Write only the first N records of the sorted order
    ///
    /// Counting starts after the records that --skip leaves out. Records beyond N are not sorted.
    /// If options make one record of several with equal keys, N counts the records made.
    ///
    /// Some errors are found only in records that are skipped or written. These are values that
    /// cannot be combined, sums that do not fit, rows without a column for their --count and, with
    /// --unique=error, repeated keys. sortwell reports the first such error of the sorted order,
    /// for any memory and number of threads. It checks keys and the cells of rows in all records.
    /// Example: --limit 10.
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// Add the number of records that share each key, like uniq -c
    ///
    /// Lines get the number in front; rows of csv and tsv get a last column, count. Binary records
    /// get eight more bytes at their end, the number as u64be: fixed:20 becomes fixed:28, and a
    /// length in front of a record grows by eight. A record that becomes too long for its length
    /// field is an error. Example: sortwell sort --count access.log.
    #[arg(long)]
    count: bool,

    /// Write one record per key, with the sum of PLACE; repeatable
    ///
    /// The output has the first record of each key, or with --unique=last the last. In csv and tsv,
    /// PLACE is a column, by its name or its number from 1. In lines, it is a field, and needs
    /// --separator. TYPE is decimal (the default) or int, with decimal=, thousands= and currency as
    /// in keys. Example: --sum price:decimal=,:thousands=. reads 1.234,56.
    ///
    /// Numbers are exact and of any length. Empty cells are skipped, and any other cell that is not
    /// such a number is an error. sortwell writes the sum in plain notation with the decimal sign
    /// of the column, without thousands separators and currency signs. A record that shares its key
    /// with no other keeps its number as it was written. Words after a colon that
    /// name a type or a modifier are not part of a column's name; write "a:int" for a name that
    /// ends so.
    ///
    /// In fixed:N and records with a length in front, PLACE is a range of bytes. TYPE is a binary
    /// integer (8..12:u32le), packed (0..3:packed), or zoned or a relative of it
    /// (3..9:zoned=ebcdic), of up to 31 digits. A zoned sum has its sign where the type has it.
    /// If the sign shares the last digit, a negative 0 to 9 is written as }JKLMNOPQR, in EBCDIC as
    /// D0 to D9. Only the sum of a whole group must fit. Groups after --limit are not checked.
    #[arg(long, value_name = "PLACE[:TYPE]", value_parser = fold(Function::Sum))]
    sum: Vec<FoldSpec>,

    /// Write one record per key, with the minimum of PLACE; repeatable
    ///
    /// PLACE is written as for --sum. TYPE may be any type of keys but random, and its order
    /// counts. Its modifiers may follow, but not desc, nulls-first, nulls-last and pad: --min
    /// name:text:locale=de, --max level:order=low|mid|high. In binary records, PLACE may be any
    /// range with any type, as in 0..10:date, 4..8:f32le and 0..9:zoned.
    ///
    /// --date-format applies to days and times. A value that does not fit the type is an error.
    /// Empty values are skipped. So are blanks, except for bytes, text, natural, version, ebcdic
    /// and sequence. sortwell writes the value as it was read; of equal values, the first. With
    /// --quote none, a value that ends with a carriage return is an error at the end of a row that
    /// ends with a line feed alone.
    #[arg(long, value_name = "PLACE[:TYPE]", value_parser = fold(Function::Min),
          hide_short_help = true)]
    min: Vec<FoldSpec>,

    /// Write one record per key, with the maximum of PLACE; repeatable
    ///
    /// PLACE and TYPE are written as for --min. Example: --max updated:timestamp.
    #[arg(long, value_name = "PLACE[:TYPE]", value_parser = fold(Function::Max),
          hide_short_help = true)]
    max: Vec<FoldSpec>,

    /// Write only groups of records with equal keys that match EXPR; repeatable
    ///
    /// For use with options that make one record of several with equal keys. EXPR is written as for
    /// --include, and tests the record made: with --sum amount, the column amount has its sum, as
    /// in 'amount:decimal > 100'. count is the number of records in the group, with or without
    /// --count. To name a column called count, write it in quotes or by its number. --skip and
    /// --limit count the groups that remain. Example: --having 'count > 1'.
    #[arg(long, value_name = "EXPR", value_parser = values::parse::<Expression>,
          hide_short_help = true)]
    having: Vec<Expression>,

    /// Write only these parts of each record, in this order
    ///
    /// csv and tsv: columns by name or number, also of the header. A cell that ends with a carriage
    /// return gets quotes if it becomes the last of a row that ends with a line feed alone. With
    /// --quote none, it is an error. lines: fields by number, also of N lines of --header, but not
    /// of lines with its PREFIX. --separator is needed. Binary records: ranges of bytes, joined,
    /// with a new length in front if the format has one. Keys still refer to the whole record.
    /// Write a name with a comma in double quotes, and single quotes around all for the shell:
    /// --select '"a,b",3'. Example: --select name,3,amount.
    #[arg(long, value_name = "PLACES",
          value_parser = values::listed(values::parse::<Place>))]
    select: Vec<ListedValues<Place>>,
}

/// The division of the output into several files.
#[derive(Args, Debug)]
#[command(next_help_heading = SELECTION)]
pub struct SplitOptions {
    /// Split the output into N files of equal numbers of records, in order
    ///
    /// With -o out.csv, the files are out-1.csv, out-2.csv and so on, each with the header. If the
    /// number of records is not a multiple of N, each of the first files has one more. If there are
    /// fewer records than files, the last files are empty. All files appear, or none. Not with
    /// options that make one record of several with equal keys. Example: --split 4 -o out.csv.
    #[arg(long, value_name = "N", value_parser = values::parse::<Split>, hide_short_help = true)]
    split: Option<Split>,

    /// Write one file per value of this column, field or range of bytes
    ///
    /// Records with one value must follow one another in the output, or the sort ends with an
    /// error. They do if the first key is this place, compared as bytes. With -o out.csv, records
    /// with Berlin go to out-Berlin.csv. The name leaves out white space at the ends of a
    /// value. Characters that are not letters, digits, - _ or . become _, an empty value is called
    /// empty, and a longer value is cut to 100 bytes. Two values with the same name are an error.
    /// Example: --split-by city -k city.
    #[arg(long, value_name = "PLACE", conflicts_with = "split",
          value_parser = values::parse::<Place>, hide_short_help = true)]
    split_by: Option<Place>,
}

impl Selecting {
    /// Returns the keys that make records equal. An empty list means all keys.
    pub fn group_keys(&self) -> &[String] {
        &self.unique_by
    }

    fn unique_by(&self) -> Option<usize> {
        Some(self.unique_by.len()).filter(|keys| *keys > 0)
    }

    /// Returns the selection that the options ask for, for one output.
    pub fn select(&self) -> Select {
        Select {
            unique: self.unique.or_else(|| self.unique_by().map(|_| Unique::First)),
            unique_by: self.unique_by(),
            count: self.count,
            folds: [&self.sum, &self.min, &self.max].into_iter().flatten().cloned().collect(),
            having: RecordFilter { include: self.having.clone(), ..RecordFilter::default() },
            parts: self.select.iter().flat_map(|listed| listed.0.clone()).collect(),
            has_comments: false,
            split: None,
            skip: self.skip,
            limit: self.limit,
        }
    }
}

impl SplitOptions {
    /// Returns the division that the options ask for.
    pub fn split(&self) -> Option<Split> {
        self.split.clone().or_else(|| self.split_by.clone().map(Split::By))
    }
}

/// Reads what is folded by `function`.
fn fold(function: Function) -> impl Fn(&str) -> Result<FoldSpec, String> + Clone {
    move |text| FoldSpec::read(function, text)
}
