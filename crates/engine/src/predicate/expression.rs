//! An expression as it was written: a tree of conditions, not yet bound to any format.

use std::fmt;
use std::str::FromStr;

use super::lexer::{SIGNS, WordKind, quoted};
use super::parser;
use crate::error::ParseError;
use crate::key::Key;

/// A condition on records, as a user writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    pub(super) root: ConditionTree,
}

/// Conditions and what joins them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ConditionTree {
    /// All of these hold; at least two.
    All(Vec<ConditionTree>),
    /// One of these holds; at least two.
    Any(Vec<ConditionTree>),
    /// This does not hold.
    Not(Box<ConditionTree>),
    Condition(Box<Condition>),
}

impl ConditionTree {
    /// Adds the places that its conditions look at.
    pub fn add_locations<'a>(&'a self, all: &mut Vec<&'a OperandLocation>) {
        match self {
            Self::All(trees) | Self::Any(trees) => {
                trees.iter().for_each(|tree| tree.add_locations(all));
            }
            Self::Not(tree) => tree.add_locations(all),
            Self::Condition(condition) => {
                all.push(&condition.location);
                if let ValueTest::Compare(_, Operand::Location(other)) = &condition.test {
                    all.push(other);
                }
            }
        }
    }
}

/// One condition: a place and a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    pub location: OperandLocation,
    pub test: ValueTest,
}

/// A place in a record, and the type of its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OperandLocation {
    /// The key as written.
    pub written: String,
    pub spec: Key,
}

/// The name of the number of records in a group, in conditions on groups.
pub(super) const COUNT: &str = "count";

impl OperandLocation {
    /// Returns whether it is what conditions on groups call the number of records in one. A name in
    /// quotes is always that of a column.
    pub fn is_count(&self) -> bool {
        self.written.split(':').next() == Some(COUNT)
    }
}

/// A test of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ValueTest {
    Compare(Comparison, Operand),
    Contains(String),
    StartsWith(String),
    EndsWith(String),
    /// A regular expression is found in it.
    Matches(String),
    IsEmpty,
}

/// A comparison of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// The right side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// A number, a date and the like, without quotes.
    Bare(String),
    /// A text in quotes.
    Text(String),
    /// Another place of the same record.
    Location(OperandLocation),
}

impl Comparison {
    /// Returns the sign for it.
    fn sign(self) -> &'static str {
        let mut signs = SIGNS.iter().filter(|(_, kind)| *kind == WordKind::Comparison(self));
        signs.next().map_or("", |(sign, _)| sign)
    }
}

impl FromStr for Expression {
    type Err = ParseError;

    /// Reads an expression; the message of a fault has a mark under its place.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let root = parser::parse(text)
            .map_err(|fault| ParseError::new("condition", text, fault.shown_in(text)))?;
        Ok(Self { root })
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root.fmt(f)
    }
}

impl fmt::Display for ConditionTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (children, word) = match self {
            Self::Condition(condition) => return condition.fmt(f),
            Self::Not(child) => {
                if let Self::Condition(condition) = &**child
                    && condition.test == ValueTest::IsEmpty
                {
                    return write!(f, "{} is not empty", condition.location.written);
                }
                f.write_str("not ")?;
                return child.fmt_inside(f, matches!(**child, Self::All(_) | Self::Any(_)));
            }
            Self::All(children) => (children, " and "),
            Self::Any(children) => (children, " or "),
        };
        for (index, child) in children.iter().enumerate() {
            f.write_str(if index > 0 { word } else { "" })?;
            let binds_less = match child {
                Self::Any(_) => true,
                Self::All(_) => matches!(self, Self::All(_)),
                _ => false,
            };
            child.fmt_inside(f, binds_less)?;
        }
        Ok(())
    }
}

impl ConditionTree {
    fn fmt_inside(&self, f: &mut fmt::Formatter<'_>, needs_parentheses: bool) -> fmt::Result {
        if needs_parentheses { write!(f, "({self})") } else { write!(f, "{self}") }
    }
}

impl From<Condition> for ConditionTree {
    fn from(condition: Condition) -> Self {
        Self::Condition(Box::new(condition))
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.location.written)?;
        match &self.test {
            ValueTest::Compare(comparison, operand) => {
                write!(f, " {} {operand}", comparison.sign())
            }
            ValueTest::Contains(text) => write!(f, " contains {}", quoted(text)),
            ValueTest::StartsWith(text) => write!(f, " starts with {}", quoted(text)),
            ValueTest::EndsWith(text) => write!(f, " ends with {}", quoted(text)),
            ValueTest::Matches(pattern) => write!(f, " matches {}", quoted(pattern)),
            ValueTest::IsEmpty => f.write_str(" is empty"),
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bare(written) => f.write_str(written),
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::Location(location) => f.write_str(&location.written),
        }
    }
}

#[cfg(test)]
mod tests;
