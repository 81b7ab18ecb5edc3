//! What of the sorted records is written.

use clap::Args;
use sortwell::unstable::operator::{FoldSpec, Function, Place, Select, Split};
use sortwell::unstable::predicate::Filter;
use sortwell::{Expression, Unique};

use super::{SELECTION, values};

/// Records with equal keys, and how many records.
#[derive(Args, Debug)]
#[command(next_help_heading = SELECTION)]
pub struct Selecting {
    /// Of records with equal keys keep only the first, or the last, or refuse them
    ///
    /// Without a word, the first in the order of the input. Duplicates are dropped wherever sorted
    /// records pass, so that with many of them little is spilled. With error, the first that has
    /// the key of the record before it is named by its number in the sorted order; there is no
    /// output then, and the exit status is 3.
    #[arg(short, long, value_name = "first|last|error", num_args = 0..=1, require_equals = true,
          default_missing_value = "first",
          value_parser = values::one_of::<Unique>(&["first", "last", "error"]))]
    unique: Option<Unique>,

    /// Keep one record per KEY, the first in the order of --key; repeatable
    ///
    /// KEY is written as for --key; of several, all together count. The output is ordered by them,
    /// as if they stood before the keys of --key, which decide what is kept: the first record, or
    /// with --unique=last the last; with equal keys, the order of the input decides. --count, --sum
    /// and the like take what is equal in KEY. For another order, sort the output once more. As in
    /// --unique-by id -k updated:timestamp:desc, the latest row of each id.
    #[arg(long, value_name = "KEY")]
    unique_by: Vec<String>,

    /// Leave out the first N records of the order
    #[arg(long, value_name = "N", default_value_t = 0, hide_short_help = true)]
    skip: u64,

    /// Write only the first N records of the order
    ///
    /// They are counted after those that --skip leaves out. Records beyond them are not sorted. Of
    /// records with equal keys that become one, N counts what is written. Whether values can be
    /// folded, whether a sum fits and, with --unique=error, whether a key is there twice is asked
    /// of what is skipped or written alone, and never of what lies beyond; the first such error in
    /// the order is reported, whatever the memory and the number of threads. Keys, and the cells of
    /// rows, are checked in all records.
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// With each record, write how many have its key, as uniq -c does
    ///
    /// The number stands before lines; rows of csv and tsv get a last column, called count. Records
    /// of bytes get eight bytes more at their end, the number as u64be: of fixed:20 comes fixed:28,
    /// and the length in front of others grows by eight. A record that then is too long for its
    /// length is an error.
    #[arg(long)]
    count: bool,

    /// Of records with equal keys write one, with the sum of this field
    ///
    /// Repeat it for further fields. The first of the records is kept, or with --unique=last the
    /// last. csv and tsv: PLACE is a column, by its name or its number from 1; lines: a field, with
    /// --separator. TYPE is decimal (the default) or int, with decimal=, thousands= and currency as
    /// in keys: --sum price:decimal=,:thousands=. for 1.234,56. Numbers are exact and of any
    /// length; an empty cell takes no part, and any other that is not such a number is an error.
    /// The sum is written in plain notation with the decimal sign of the column, without separators
    /// of thousands and signs of currencies. Words after a colon that name a type or a modifier
    /// are no part of a column's name; write "a:int" for one that ends so.
    ///
    /// fixed:N and records with their lengths: PLACE is a range of bytes, and TYPE a binary
    /// integer, as in 8..12:u32le, packed, as in 0..3:packed, or zoned or one of its kin, as in
    /// 3..9:zoned=ebcdic, of up to 31 digits. A zoned sum is written with the sign where the type
    /// has it: plus over a digit as the digit alone, minus as }JKLMNOPQR, in EBCDIC as D0 to D9. A
    /// sum that does not fit is an error: that of the whole group, however it came about, and not
    /// beyond --limit.
    #[arg(long, value_name = "PLACE[:TYPE]", value_parser = fold(Function::Sum))]
    sum: Vec<FoldSpec>,

    /// Like --sum, with the least value; TYPE may also be text, date and others
    ///
    /// Any type of keys but random, with its modifiers other than desc, nulls-first, nulls-last
    /// and pad, in the order of keys of that type: --max level:order=low|mid|high, --min
    /// name:text:locale=de. In records of bytes any range and type, as in 0..10:date, 4..8:f32le or
    /// 0..9:zoned. Days and times are written as --date-format says. A value of another type
    /// is an error; one that is empty takes no part, nor do blanks where the type has a
    /// notation. The value is written as it was read; of equal values, the first.
    #[arg(long, value_name = "PLACE[:TYPE]", value_parser = fold(Function::Min),
          hide_short_help = true)]
    min: Vec<FoldSpec>,

    /// Like --min, with the greatest value
    #[arg(long, value_name = "PLACE[:TYPE]", value_parser = fold(Function::Max),
          hide_short_help = true)]
    max: Vec<FoldSpec>,

    /// Write only groups of records with equal keys for which this holds; repeatable
    ///
    /// With options that make one record of equal ones. Written as for --include, and asked of the
    /// record that is made: a column that is added up has its sum there, as in 'amount:decimal >
    /// 100' with --sum amount. count is the number of records in the group, with or without
    /// --count, as in 'count > 1'; a column of that name is written in quotes or by its number.
    /// --skip and --limit count the groups that are left.
    #[arg(long, value_name = "EXPR", value_parser = values::parse::<Expression>,
          hide_short_help = true)]
    having: Vec<Expression>,

    /// Write of each record only these parts, in this order
    ///
    /// csv and tsv: columns by name or number (name,3,amount), of the header too; lines: fields by
    /// number, with --separator; other records: ranges of bytes (0..4,10..20), put together, and
    /// after a length of their own where records have one. The keys are still those of the whole
    /// records.
    #[arg(long, value_name = "PLACES", value_delimiter = ',',
          value_parser = values::parse::<Place>)]
    select: Vec<Place>,

    /// Write N files, in order and with as equal numbers of records as can be
    ///
    /// With -o out.csv they are called out-1.csv, out-2.csv and so on; each has the header. If the
    /// records cannot be shared out evenly, the first files have one more each; if there are fewer
    /// records than files, the last files have none. All of them appear, or none. Not with options
    /// that make one record of equal ones.
    #[arg(long, value_name = "N", value_parser = values::parse::<Split>, hide_short_help = true)]
    split: Option<Split>,

    /// Write a file for each value of this column, field or range of bytes
    ///
    /// The first of the sort's keys must be the same place, by its bytes. With -o out.csv, records
    /// with Berlin there are in out-Berlin.csv. White space at the ends of a value is left out of
    /// the name, signs that are no letters or digits, - _ or . become _, and an empty value is
    /// called empty. A name has the first 100 bytes of a longer value. Values whose names are the
    /// same then are an error.
    #[arg(long, value_name = "PLACE", conflicts_with = "split",
          value_parser = values::parse::<Place>, hide_short_help = true)]
    split_by: Option<Place>,
}

impl Selecting {
    /// The keys that make records equal; all keys without any.
    pub fn group_keys(&self) -> &[String] {
        &self.unique_by
    }

    fn unique_by(&self) -> Option<usize> {
        Some(self.unique_by.len()).filter(|keys| *keys > 0)
    }

    /// What is written.
    pub fn select(&self) -> Select {
        Select {
            unique: self.unique.or_else(|| self.unique_by().map(|_| Unique::First)),
            unique_by: self.unique_by(),
            count: self.count,
            folds: [&self.sum, &self.min, &self.max].into_iter().flatten().cloned().collect(),
            having: Filter { include: self.having.clone(), ..Filter::default() },
            parts: self.select.clone(),
            split: self.split.clone().or_else(|| self.split_by.clone().map(Split::By)),
            skip: self.skip,
            limit: self.limit,
        }
    }
}

/// Reads what is folded by `function`.
fn fold(function: Function) -> impl Fn(&str) -> Result<FoldSpec, String> + Clone {
    move |text| FoldSpec::read(function, text)
}
