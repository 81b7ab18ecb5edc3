//! Which records take part at all.

use clap::Args;
use sortwell::Expression;
use sortwell::unstable::predicate::Filter;

use super::{SELECTION, values};

/// Conditions on records.
#[derive(Args, Debug)]
#[command(next_help_heading = SELECTION)]
pub struct Filtering {
    /// Take only records for which this holds, as in '2:int >= 10'; repeatable
    ///
    /// Of several conditions, all have to hold. A condition asks something of a key, written as for
    /// --key but without a direction:
    ///
    /// 2:int >= 10, 1:decimal != -0.5: by the key's type, with == != < <= > >=. Numbers, dates and
    /// the like stand as they are, text in double or single quotes (1 == "Smith"), and another key
    /// of the same type may stand on the right (2:int < 3:int).
    ///
    /// 1 contains "x", 1 starts with "x", 1 ends with "x", 1 matches "^a.*z$" (a regular
    /// expression, found anywhere in the value; or =~): by bytes. With ci, case does not count
    /// (1:ci contains "x").
    ///
    /// 1 is empty, 1 is not empty.
    ///
    /// Conditions are joined by and, or, not and parentheses: 2:int > 5 and not (1 == "x" or 3 is
    /// empty). In quotes, a backslash takes the quote or backslash behind it as it is, and \n, \r
    /// and \t are line feed, carriage return and tab.
    ///
    /// A value that is not of its key's type, such as an empty one or abc for 2:int, is unknown: no
    /// comparison with it holds, nor does its opposite. Such records are not included.
    #[arg(long, value_name = "EXPR", value_parser = values::parse::<Expression>)]
    include: Vec<Expression>,

    /// Leave out records for which this holds; repeatable
    ///
    /// Of several conditions, none may hold. Written as for --include. Records of which it is
    /// unknown are not left out.
    #[arg(long, value_name = "EXPR", value_parser = values::parse::<Expression>)]
    exclude: Vec<Expression>,
}

impl Filtering {
    /// What the conditions say together.
    pub fn filter(&self) -> Filter {
        Filter { include: self.include.clone(), exclude: self.exclude.clone() }
    }
}

#[cfg(test)]
mod tests;
