//! Whether a record is admitted: conditions with their literals made ready, asked one by one.
//!
//! Nothing is allocated for a record: buffers belong to the thread, and grow as far as the longest
//! value that had to be copied. Where a value lies in the record as it is, it is looked at there.
//! (Two cells whose quotes are doubled, compared with each other, are the exception.)

use std::cell::Cell;
use std::cmp::Ordering;

use memchr::memmem::Finder;
use regex::bytes::Regex;

use super::bind::Binder;
use super::expression::{Comparison, Expression};
use crate::error::Result;
use crate::key::text::{TextKeySpec, TextOrder, TextSpec, ValueKey};

/// Tells of each record whether it takes part.
#[derive(Clone, Debug)]
pub struct Predicate {
    root: Node,
}

/// [`Tree`](super::expression::Tree), bound. What it says of a record is true, false or, where it
/// is `None`, unknown.
#[derive(Clone, Debug)]
pub(super) enum Node {
    All(Box<[Node]>),
    Any(Box<[Node]>),
    Not(Box<Node>),
    /// It is not true: what is unknown is no reason to leave a record out.
    Unless(Box<Node>),
    Check(Box<Check>),
}

/// A condition, bound.
#[derive(Clone, Debug)]
pub(super) struct Check {
    pub key: ValueKey,
    pub test: Test,
}

/// What is asked of a value.
#[derive(Clone, Debug)]
pub(super) enum Test {
    /// Against these bytes of a literal's key.
    Literal(Comparison, Box<[u8]>),
    /// Against the value of another key of the same type.
    Key(Comparison, Box<ValueKey>),
    /// The texts of these are as the key sees values.
    Contains(Box<Finder<'static>>),
    StartsWith(Box<[u8]>),
    EndsWith(Box<[u8]>),
    Matches(Regex),
    IsEmpty,
}

/// Room for keys.
#[derive(Debug, Default)]
struct Scratch {
    key: Vec<u8>,
    other: Vec<u8>,
}

thread_local! {
    static SCRATCH: Cell<Scratch> = Cell::new(Scratch::default());
}

impl Predicate {
    /// The predicate of an expression in records of `order`, whose own keys play no part.
    /// `resolve` says what a key means: which collation its locale has, and which field its name.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`](crate::Error::Usage) where `resolve` fails, where a literal is not of its
    /// key's type or a pattern no regular expression, and for keys that cannot be asked so.
    pub fn new(
        expression: &Expression,
        order: &TextOrder,
        resolve: impl Fn(&TextKeySpec) -> std::result::Result<TextSpec, String>,
    ) -> Result<Self> {
        Binder { order, resolve: &resolve }.node(&expression.root).map(Self::of)
    }

    pub(super) fn of(root: Node) -> Self {
        Self { root }
    }

    /// Whether `record`, whole as its format has it, takes part.
    pub fn admits(&self, record: &[u8]) -> bool {
        let mut scratch = SCRATCH.take();
        let holds = self.root.holds(record, &mut scratch);
        SCRATCH.set(scratch);
        holds == Some(true)
    }
}

impl Node {
    fn holds(&self, record: &[u8], scratch: &mut Scratch) -> Option<bool> {
        match self {
            Self::All(nodes) => joined(nodes, false, record, scratch),
            Self::Any(nodes) => joined(nodes, true, record, scratch),
            Self::Not(node) => node.holds(record, scratch).map(|holds| !holds),
            Self::Unless(node) => Some(node.holds(record, scratch) != Some(true)),
            Self::Check(check) => check.holds(record, scratch),
        }
    }
}

/// What `nodes` say together, where one that says `decisive` decides it.
fn joined(nodes: &[Node], decisive: bool, record: &[u8], scratch: &mut Scratch) -> Option<bool> {
    let mut together = Some(!decisive);
    for node in nodes {
        match node.holds(record, scratch) {
            Some(holds) if holds == decisive => return Some(decisive),
            Some(_) => {}
            None => together = None,
        }
    }
    together
}

impl Check {
    fn holds(&self, record: &[u8], scratch: &mut Scratch) -> Option<bool> {
        if let Test::IsEmpty = self.test {
            return Some(self.key.with_value(record, <[u8]>::is_empty));
        }
        if self.key.is_short(record) {
            return None;
        }
        self.key.with_value(record, |value| {
            Some(match &self.test {
                Test::Literal(comparison, literal) => {
                    comparison.admits(self.compare_with_literal(value, literal, scratch)?)
                }
                Test::Key(comparison, other) => {
                    if other.is_short(record) {
                        return None;
                    }
                    comparison.admits(other.with_value(record, |other_value| {
                        self.compare_with_key(value, (other, other_value), scratch)
                    })?)
                }
                Test::Contains(finder) => finder.find(value).is_some(),
                Test::StartsWith(text) => value.starts_with(text),
                Test::EndsWith(text) => value.ends_with(text),
                Test::Matches(regex) => regex.is_match(value),
                Test::IsEmpty => value.is_empty(),
            })
        })
    }

    /// `None` where the value is not of the type.
    #[inline]
    fn compare_with_literal(
        &self,
        value: &[u8],
        literal: &[u8],
        Scratch { key, .. }: &mut Scratch,
    ) -> Option<Ordering> {
        if self.key.is_plain() {
            return Some(value.cmp(literal));
        }
        if !self.key.is_of_type(value) {
            return None;
        }
        key.clear();
        // One byte more tells a key that goes on from one that ends with the literal's.
        self.key.append_key(value, literal.len().saturating_add(1), key);
        Some(key.as_slice().cmp(literal))
    }

    fn compare_with_key(
        &self,
        value: &[u8],
        (other, other_value): (&ValueKey, &[u8]),
        scratch: &mut Scratch,
    ) -> Option<Ordering> {
        if self.key.is_plain() {
            return Some(value.cmp(other_value));
        }
        if !self.key.is_of_type(value) || !other.is_of_type(other_value) {
            return None;
        }
        scratch.key.clear();
        scratch.other.clear();
        self.key.append_key(value, usize::MAX, &mut scratch.key);
        other.append_key(other_value, usize::MAX, &mut scratch.other);
        Some(scratch.key.cmp(&scratch.other))
    }
}

impl Comparison {
    /// Whether two values that stand to each other as `order` says are meant.
    fn admits(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }
}

#[cfg(test)]
mod tests;
