//! What of the sorted records is written.

use clap::Args;
use sortwell::operator::{FoldSpec, Function, Place, Select, Split, Unique};

use super::values;

/// Records with equal keys, and how many records.
#[derive(Args, Debug)]
pub struct Selecting {
    /// Of records with equal keys write only the first, or the last, or refuse them
    ///
    /// Without a word, the first in the order of the input. Duplicates are dropped wherever sorted
    /// records pass, so that with many of them little is spilled. With error, the first that has
    /// the key of the record before it is named by its number in the sorted order; there is no
    /// output then, and the exit status is 3.
    #[arg(short, long, value_name = "first|last|error", num_args = 0..=1, require_equals = true,
          default_missing_value = "first",
          value_parser = values::one_of::<Unique>(&["first", "last", "error"]))]
    unique: Option<Unique>,

    /// Leave out the first N records of the order
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,

    /// Write only the first N records of the order, behind those that are skipped
    ///
    /// Records beyond them are not sorted.
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// With each record, of those with equal keys, write how many they are
    ///
    /// Before lines, as uniq -c does; rows of csv and tsv get a last column, called count.
    #[arg(long)]
    count: bool,

    /// Of records with equal keys write one, with the sum of this field of all of them; repeatable
    ///
    /// The first of them is kept, or with --unique=last the last. csv and tsv: PLACE is a column,
    /// by its name or its number from 1; lines: a field, with --separator. TYPE is decimal (the
    /// default) or int. Numbers are exact and of any length; an empty cell takes no part, and any
    /// other that is not a number is an error. The sum is written in plain notation.
    ///
    /// fixed:N and records with their lengths: PLACE is a range of bytes, and TYPE a binary
    /// integer, as in 8..12:u32le, or packed, as in 0..3:packed. A sum that does not fit is an
    /// error.
    #[arg(long, value_name = "PLACE[:TYPE]", value_parser = fold(Function::Sum))]
    sum: Vec<FoldSpec>,

    /// The same with the least value; TYPE may also be text, by its bytes
    #[arg(long, value_name = "PLACE[:TYPE]", value_parser = fold(Function::Min))]
    min: Vec<FoldSpec>,

    /// The same with the greatest value
    #[arg(long, value_name = "PLACE[:TYPE]", value_parser = fold(Function::Max))]
    max: Vec<FoldSpec>,

    /// Write of each record only these parts, in this order
    ///
    /// csv and tsv: columns by name or number (name,3,amount), of the header too; lines: fields by
    /// number, with --separator; other records: ranges of bytes (0..4,10..20), put together, and
    /// behind a length of their own where records have one. What records are ordered by, and which
    /// are equal, is not touched by this.
    #[arg(long, value_name = "PLACES", value_delimiter = ',',
          value_parser = values::parse::<Place>)]
    select: Vec<Place>,

    /// Write N files, in order and with as equal numbers of records as can be
    ///
    /// With -o out.csv they are called out-1.csv, out-2.csv and so on; each has the header. All of
    /// them appear, or none. Not with options that make one record of equal ones.
    #[arg(long, value_name = "N", value_parser = values::parse::<Split>)]
    split: Option<Split>,

    /// Write a file for each value of this column, field or range of bytes
    ///
    /// The first of the sort's keys must be the same place, by its bytes. With -o out.csv, records
    /// with Berlin there are in out-Berlin.csv; signs that are no letters or digits, - _ or .
    /// become _ in names, and values whose names are the same then are an error.
    #[arg(long, value_name = "PLACE", conflicts_with = "split",
          value_parser = values::parse::<Place>)]
    split_by: Option<Place>,
}

impl Selecting {
    /// What is written.
    pub fn select(&self) -> Select {
        Select {
            unique: self.unique,
            count: self.count,
            folds: [&self.sum, &self.min, &self.max].into_iter().flatten().cloned().collect(),
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
