//! What a job says about which records take part: several expressions, and what they do together.

use super::bind::Binder;
use super::evaluate::{Node, Predicate};
use super::expression::Expression;
use crate::error::Result;
use crate::key::text::{TextKeySpec, TextOrder, TextSpec};

/// Which records take part: all, where nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Each of these has to hold.
    pub include: Vec<Expression>,
    /// None of these may hold.
    pub exclude: Vec<Expression>,
}

impl Filter {
    /// Whether every record takes part.
    pub fn is_all(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }

    /// What admits the records that take part, bound as in [`Predicate::new`]; `None` where all do.
    ///
    /// # Errors
    ///
    /// Those of [`Predicate::new`], for any of the expressions.
    pub fn predicate(
        &self,
        order: &TextOrder,
        resolve: impl Fn(&TextKeySpec) -> std::result::Result<TextSpec, String>,
    ) -> Result<Option<Predicate>> {
        if self.is_all() {
            return Ok(None);
        }
        let binder = Binder { order, resolve: &resolve };
        let mut nodes = Vec::with_capacity(self.include.len() + self.exclude.len());
        for expression in &self.include {
            nodes.push(binder.node(&expression.root)?);
        }
        for expression in &self.exclude {
            nodes.push(Node::Unless(Box::new(binder.node(&expression.root)?)));
        }
        Ok(Some(Predicate::of(Node::All(nodes.into()))))
    }
}

#[cfg(test)]
mod tests;
