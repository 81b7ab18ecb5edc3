//! Options that select the records to process.

use clap::Args;
use sortwell::Expression;
use sortwell::unstable::predicate::RecordFilter;

use super::{SELECTION, values};

/// Conditions on records.
#[derive(Args, Debug)]
#[command(next_help_heading = SELECTION)]
pub struct Filtering {
    /// Keep only records that match EXPR ('2:int >= 10'); repeatable
    ///
    /// A record must match every --include. A condition tests a key, which is written as for --key
    /// but without a direction.
    ///
    /// Comparisons: 2:int >= 10, 1:decimal != -0.5. The operators are ==, !=, <, <=, > and >=, and
    /// the type of the key decides the order. Write numbers, dates and the like as they are, and
    /// text in double or single quotes (1 == "Smith"). In JSON lines, write "true" and "false" in
    /// quotes too, and x is empty for null. The right side may be another key of the same type
    /// (2:int < 3:int).
    ///
    /// Text, by bytes: 1 contains "x", 1 starts with "x", 1 ends with "x", 1 matches "^a.*z$".
    /// matches, or =~, takes a regular expression, which may match anywhere in the value. The
    /// modifier ci ignores the case of ASCII letters (1:ci contains "x"), and that of all letters
    /// in matches.
    ///
    /// Emptiness: 1 is empty, 1 is not empty.
    ///
    /// Join conditions with and, or, not and parentheses: 2:int > 5 and not (1 == "x" or 3 is
    /// empty). In quotes, write a quote or a backslash after a backslash; \n, \r and \t stand for
    /// line feed, carriage return and tab.
    ///
    /// A value that does not fit the type of its key is unknown, such as an empty value or abc for
    /// 2:int. A comparison with an unknown value does not match, and its negation does not match
    /// either.
    #[arg(long, value_name = "EXPR", value_parser = values::parse::<Expression>)]
    include: Vec<Expression>,

    /// Leave out records that match EXPR; repeatable
    ///
    /// EXPR is written as for --include. A record is left out if it matches any --exclude. A record
    /// stays if EXPR is unknown for it. Example: --exclude '1 starts with "test"'.
    #[arg(long, value_name = "EXPR", value_parser = values::parse::<Expression>)]
    exclude: Vec<Expression>,
}

impl Filtering {
    /// Returns all conditions as one filter.
    pub fn filter(&self) -> RecordFilter {
        RecordFilter { include: self.include.clone(), exclude: self.exclude.clone() }
    }
}

#[cfg(test)]
mod tests;
