//! Filter of the records that take part in a job: several expressions, and their combination.

use super::bind::Binder;
use super::evaluate::{BoundNode, Predicate};
use super::expression::{Expression, OperandLocation};
use crate::error::{Message, Result};
use crate::key::Key;
use crate::key::text::{TextOrder, TextSpec};

/// Filter of the records that take part: all, by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordFilter {
    /// Each of these has to hold.
    pub include: Vec<Expression>,
    /// None of these may hold.
    pub exclude: Vec<Expression>,
}

impl RecordFilter {
    /// Returns whether every record takes part.
    pub fn is_all(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }

    /// Returns whether all conditions look at bytes of records as they are, without a copy.
    pub fn looks_at_bytes_as_written(&self) -> bool {
        !self.has_location(&|place| !place.spec.is_as_written())
    }

    /// Returns whether a condition on groups asks how many records there are in one.
    pub fn asks_count(&self) -> bool {
        self.has_location(&OperandLocation::is_count)
    }

    /// Returns whether a condition looks at days or times.
    pub fn looks_at_days(&self) -> bool {
        self.has_location(&|place| place.spec.is_day())
    }

    /// Returns the paths of the files that the types of conditions name.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.locations().into_iter().filter_map(|place| place.spec.file())
    }

    fn has_location(&self, asked: &dyn Fn(&OperandLocation) -> bool) -> bool {
        self.locations().into_iter().any(asked)
    }

    /// Returns the places that all conditions look at.
    fn locations(&self) -> Vec<&OperandLocation> {
        let mut all = Vec::new();
        for expression in self.include.iter().chain(&self.exclude) {
            expression.root.add_locations(&mut all);
        }
        all
    }

    /// Returns the predicate that admits the records that take part, in records of `order`, whose
    /// own keys play no part; `None` where all do. `resolve` says what a key means: which collation
    /// its locale has, and which field its name.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) where `resolve` fails, where a literal is not of its
    /// key's type or a pattern no regular expression, and for keys that cannot be asked so.
    pub fn predicate(
        &self,
        order: &TextOrder,
        resolve: impl Fn(&Key) -> std::result::Result<TextSpec, Message>,
    ) -> Result<Option<Predicate>> {
        self.bound(&Binder { order, resolve: &resolve, has_count: false })
    }

    /// Returns the predicate that admits groups of records, bound likewise; `count` is the number
    /// of records.
    ///
    /// # Errors
    ///
    /// Those of [`predicate`](Self::predicate).
    pub fn group_predicate(
        &self,
        order: &TextOrder,
        resolve: impl Fn(&Key) -> std::result::Result<TextSpec, Message>,
    ) -> Result<Option<Predicate>> {
        self.bound(&Binder { order, resolve: &resolve, has_count: true })
    }

    fn bound(&self, binder: &Binder<'_>) -> Result<Option<Predicate>> {
        if self.is_all() {
            return Ok(None);
        }
        let mut nodes = Vec::with_capacity(self.include.len() + self.exclude.len());
        for expression in &self.include {
            nodes.push(binder.node(&expression.root)?);
        }
        for expression in &self.exclude {
            nodes.push(BoundNode::Unless(Box::new(binder.node(&expression.root)?)));
        }
        Ok(Some(Predicate::of(BoundNode::All(nodes.into()))))
    }
}

#[cfg(test)]
mod tests;
