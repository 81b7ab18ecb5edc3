//! Test that admits a record: conditions with their literals made ready, asked one by one.
//!
//! Nothing is allocated for a record: buffers belong to the thread, and grow as far as the longest
//! value that had to be copied. Where a value lies in the record as it is, it is looked at there.
//! (Two cells whose quotes are doubled, compared with each other, are the exception.)

use std::cell::Cell;
use std::cmp::Ordering;

use memchr::memmem::Finder;

use super::expression::Comparison;
use super::pattern::Pattern;
use crate::key::text::ValueKey;

/// The most bytes that a comparison takes, without a list of values and a pattern.
const CHECK_BYTES: usize = 4 << 10;

/// Tells of each record whether it takes part.
#[derive(Clone, Debug)]
pub struct Predicate {
    root: BoundNode,
}

/// A [`ConditionTree`](super::expression::ConditionTree), bound. Its value for a record is true,
/// false or, where it is `None`, unknown.
#[derive(Clone, Debug)]
pub(super) enum BoundNode {
    All(Box<[BoundNode]>),
    Any(Box<[BoundNode]>),
    Not(Box<BoundNode>),
    /// It is not true: what is unknown is no reason to leave a record out.
    Unless(Box<BoundNode>),
    Check(Box<BoundCondition>),
}

/// A condition, bound.
#[derive(Clone, Debug)]
pub(super) struct BoundCondition {
    pub key: SubjectKey,
    pub test: BoundTest,
}

/// A key, and of what its values are.
#[derive(Clone, Debug)]
pub(super) struct SubjectKey {
    pub key: ValueKey,
    /// True if it looks at the number of records in a group, and not at a record.
    pub is_count: bool,
}

/// The subject of conditions.
#[derive(Clone, Copy, Debug)]
struct ConditionSubject<'a> {
    record: &'a [u8],
    /// The number of records in a group, in digits.
    count: &'a [u8],
}

/// Test of a value.
#[derive(Clone, Debug)]
pub(super) enum BoundTest {
    /// Against these bytes of a literal's key.
    Literal(Comparison, Box<[u8]>),
    /// Against the value of another key of the same type.
    Key(Comparison, Box<SubjectKey>),
    /// The texts of these are as the key sees values.
    Contains(Box<Finder<'static>>),
    StartsWith(Box<[u8]>),
    EndsWith(Box<[u8]>),
    Matches(Pattern),
    IsEmpty,
}

thread_local! {
    /// Room for a key.
    static SCRATCH: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

impl Predicate {
    /// Returns the predicate of a tree.
    pub(super) fn of(root: BoundNode) -> Self {
        Self { root }
    }

    /// Returns whether `record`, whole as its format has it, takes part.
    pub fn admits(&self, record: &[u8]) -> bool {
        self.holds(ConditionSubject { record, count: b"1" })
    }

    /// Returns whether a group of `count` records, of which `record` was made, takes part.
    pub fn admits_group(&self, record: &[u8], count: u64) -> bool {
        self.holds(ConditionSubject { record, count: count.to_string().as_bytes() })
    }

    fn holds(&self, subject: ConditionSubject<'_>) -> bool {
        let mut scratch = SCRATCH.take();
        let holds = self.root.holds(subject, &mut scratch);
        SCRATCH.set(scratch);
        holds == Some(true)
    }

    /// Returns the number of bytes of memory that its comparisons and their lists of values take.
    pub fn held_bytes(&self) -> usize {
        let mut bytes = 0;
        self.root.visit(&mut |check| {
            bytes += CHECK_BYTES;
            bytes += check.keys().map(|key| key.key.list_bytes()).sum::<usize>();
        });
        bytes
    }

    /// Returns the number of bytes of memory that asking about a long record takes in proportion to
    /// it.
    pub fn scratch_bytes(&self, record: &[u8]) -> usize {
        let mut most = 0;
        self.root.visit(&mut |check| {
            if !matches!(check.test, BoundTest::IsEmpty) {
                most = most.max(check.keys().map(|key| key.scratch_bytes(record)).sum());
            }
        });
        most
    }
}

impl BoundNode {
    fn holds(&self, subject: ConditionSubject<'_>, scratch: &mut Vec<u8>) -> Option<bool> {
        match self {
            Self::All(nodes) => joined(nodes, false, subject, scratch),
            Self::Any(nodes) => joined(nodes, true, subject, scratch),
            Self::Not(node) => node.holds(subject, scratch).map(|holds| !holds),
            Self::Unless(node) => Some(node.holds(subject, scratch) != Some(true)),
            Self::Check(check) => check.holds(subject, scratch),
        }
    }

    /// Shows every condition to `look`.
    fn visit(&self, look: &mut dyn FnMut(&BoundCondition)) {
        match self {
            Self::All(nodes) | Self::Any(nodes) => nodes.iter().for_each(|node| node.visit(look)),
            Self::Not(node) | Self::Unless(node) => node.visit(look),
            Self::Check(check) => look(check),
        }
    }
}

/// Returns what `nodes` say together, where one that says `decisive` decides it.
fn joined(
    nodes: &[BoundNode],
    decisive: bool,
    subject: ConditionSubject<'_>,
    scratch: &mut Vec<u8>,
) -> Option<bool> {
    let mut together = Some(!decisive);
    for node in nodes {
        match node.holds(subject, scratch) {
            Some(holds) if holds == decisive => return Some(decisive),
            Some(_) => {}
            None => together = None,
        }
    }
    together
}

impl BoundCondition {
    /// Returns the keys whose values it looks at.
    fn keys(&self) -> impl Iterator<Item = &SubjectKey> {
        let other = if let BoundTest::Key(_, other) = &self.test { Some(&**other) } else { None };
        std::iter::once(&self.key).chain(other)
    }

    fn holds(&self, subject: ConditionSubject<'_>, scratch: &mut Vec<u8>) -> Option<bool> {
        if let BoundTest::IsEmpty = self.test {
            return Some(self.key.key.is_empty(self.key.source(subject)));
        }
        let (key, record) = (&self.key.key, self.key.source(subject));
        if key.is_short(record) {
            return None;
        }
        key.with_value(record, |value| {
            Some(match &self.test {
                BoundTest::Literal(comparison, literal) => {
                    comparison.admits(self.compare_with_literal(value, literal, scratch)?)
                }
                BoundTest::Key(comparison, other) => {
                    let (other, record) = (&other.key, other.source(subject));
                    if other.is_short(record) {
                        return None;
                    }
                    comparison.admits(other.with_value(record, |other_value| {
                        self.compare_with_key(value, other, other_value)
                    })?)
                }
                BoundTest::Contains(finder) => finder.find(value).is_some(),
                BoundTest::StartsWith(text) => value.starts_with(text),
                BoundTest::EndsWith(text) => value.ends_with(text),
                BoundTest::Matches(pattern) => pattern.is_match(value),
                BoundTest::IsEmpty => value.is_empty(),
            })
        })
    }

    /// Compares a value with a literal; returns `None` where the value is not of the type.
    #[inline]
    fn compare_with_literal(
        &self,
        value: &[u8],
        literal: &[u8],
        key: &mut Vec<u8>,
    ) -> Option<Ordering> {
        if self.key.key.is_plain() {
            return Some(value.cmp(literal));
        }
        if !self.key.key.is_of_type(value) {
            return None;
        }
        key.clear();
        // One byte more tells a key that goes on from one that ends with the literal's.
        self.key.key.append_key(value, literal.len().saturating_add(1), key);
        Some(key.as_slice().cmp(literal))
    }

    fn compare_with_key(
        &self,
        value: &[u8],
        other: &ValueKey,
        other_value: &[u8],
    ) -> Option<Ordering> {
        if self.key.key.is_plain() {
            return Some(value.cmp(other_value));
        }
        if !self.key.key.is_of_type(value) || !other.is_of_type(other_value) {
            return None;
        }
        Some(self.key.key.compare(value, other, other_value))
    }
}

impl SubjectKey {
    /// Returns what its values are in.
    #[inline]
    fn source<'a>(&self, subject: ConditionSubject<'a>) -> &'a [u8] {
        if self.is_count { subject.count } else { subject.record }
    }

    /// Returns the number of bytes of memory that looking at a long record takes in proportion to
    /// it.
    fn scratch_bytes(&self, record: &[u8]) -> usize {
        if self.is_count { 0 } else { self.key.scratch_bytes(record) }
    }
}

impl Comparison {
    /// Returns whether two values that stand to each other as `order` says are meant.
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
