//! From an expression to a predicate: what its keys mean in a format, and literals made ready.
//!
//! Everything that could be wrong with a condition is found here, and not with the first record.

use memchr::memmem::Finder;

use super::evaluate::{BoundCondition, BoundNode, BoundTest, SubjectKey};
use super::expression::{self, COUNT, Condition, ConditionTree, Operand, OperandLocation};
use super::lexer::quoting_hint;
use super::pattern::Pattern;
use crate::error::{ConfigErrorKind, Message, Result, config, message};
use crate::key::Key;
use crate::key::text::{
    Body, ByteMeaning, Collation, End, Separator, TextOrder, TextSpec, TextType, ValueKey,
};

/// Binder of keys to their meaning.
pub(super) struct Binder<'a> {
    /// True if conditions are on groups, where `count` is the number of records.
    pub has_count: bool,
    pub order: &'a TextOrder,
    pub resolve: &'a dyn Fn(&Key) -> std::result::Result<TextSpec, Message>,
}

impl Binder<'_> {
    /// Returns a tree, bound.
    pub fn node(&self, tree: &ConditionTree) -> Result<BoundNode> {
        let all = |trees: &[ConditionTree]| {
            trees.iter().map(|tree| self.node(tree)).collect::<Result<_>>()
        };
        Ok(match tree {
            ConditionTree::All(trees) => BoundNode::All(all(trees)?),
            ConditionTree::Any(trees) => BoundNode::Any(all(trees)?),
            ConditionTree::Not(tree) => BoundNode::Not(Box::new(self.node(tree)?)),
            ConditionTree::Condition(condition) => {
                let wrong = |fault| {
                    let condition = condition.to_string();
                    config!(ConfigErrorKind::InvalidValue, "in '{}': {}", condition, fault)
                };
                BoundNode::Check(Box::new(self.check(condition).map_err(wrong)?))
            }
        })
    }

    fn check(&self, condition: &Condition) -> std::result::Result<BoundCondition, Message> {
        let Condition { location, test } = condition;
        let (key, spec) = self.key(location)?;
        let is_count = key.is_count;
        let key = key.key;
        let text_in_values = |text: &String| {
            text_alone(location, &spec)?;
            key.literal(text).ok_or_else(|| not_in_page(location, text))
        };
        let test = match test {
            expression::ValueTest::Compare(comparison, Operand::Location(other)) => {
                if self.order.separator == Separator::Members {
                    member_alone(location, other)?;
                }
                let hinted = |fault: Message| match quoting_hint(&other.written) {
                    Some(hint) => message!("{}; {}", fault, hint),
                    None => fault,
                };
                let (other_key, other_spec) = self.key(other).map_err(hinted)?;
                let types = same_type(location, &spec, other, &other_spec);
                types.map_err(|fault| hinted(fault.into()))?;
                BoundTest::Key(*comparison, Box::new(other_key))
            }
            expression::ValueTest::Compare(comparison, Operand::Bare(written)) => {
                if is_text(&spec) {
                    return Err(number_as_bytes(location, written).into());
                }
                BoundTest::Literal(*comparison, literal(location, &key, written)?)
            }
            expression::ValueTest::Compare(comparison, Operand::Text(text)) => {
                BoundTest::Literal(*comparison, literal(location, &key, text)?)
            }
            expression::ValueTest::Contains(text) => {
                BoundTest::Contains(Box::new(Finder::new(&text_in_values(text)?).into_owned()))
            }
            expression::ValueTest::StartsWith(text) => {
                BoundTest::StartsWith(text_in_values(text)?.into())
            }
            expression::ValueTest::EndsWith(text) => {
                BoundTest::EndsWith(text_in_values(text)?.into())
            }
            expression::ValueTest::Matches(pattern) => {
                text_alone(location, &spec)?;
                // Characters of EBCDIC are a byte each.
                let is_unicode = spec.text_type == TextType::BYTES;
                if !is_unicode && !pattern.is_ascii() {
                    return Err(not_in_page(location, pattern).into());
                }
                let folds_case = spec.translation.folds_case;
                BoundTest::Matches(Pattern::new(pattern, is_unicode, folds_case)?)
            }
            expression::ValueTest::IsEmpty => BoundTest::IsEmpty,
        };
        Ok(BoundCondition { key: SubjectKey { key, is_count }, test })
    }

    /// Returns the key at a location, and what it means.
    fn key(
        &self,
        location: &OperandLocation,
    ) -> std::result::Result<(SubjectKey, TextSpec), Message> {
        if !self.has_count || !location.is_count() {
            let spec = self.spec(location)?;
            return Ok((
                SubjectKey { key: ValueKey::new(&spec, self.order), is_count: false },
                spec,
            ));
        }
        if location.written != COUNT {
            let written = &location.written;
            return Err(format!(
                "{written} is the number of records, which is a whole number; write count, or a \
                 column of that name by its number"
            )
            .into());
        }
        let spec = TextSpec { text_type: TextType::INT, ..TextSpec::default() };
        let order = TextOrder { body: Body::Whole, ..TextOrder::by_bytes(b'\n') };
        Ok((SubjectKey { key: ValueKey::new(&spec, &order), is_count: true }, spec))
    }

    /// Returns what a key means, if it can be asked of a record.
    fn spec(
        &self,
        OperandLocation { written, spec }: &OperandLocation,
    ) -> std::result::Result<TextSpec, Message> {
        let spec = (self.resolve)(spec)?;
        if let Some(fault) = self.order.fault_of(&spec, written) {
            return Err(fault.into());
        }
        if spec.is_descending {
            return Err(format!(
                "{written} has a direction, and conditions have none; leave out desc"
            )
            .into());
        }
        if spec.text_type == TextType::RANDOM {
            return Err(format!(
                "{written} has type random, which is not for conditions; leave out random"
            )
            .into());
        }
        let is_field = |end| matches!(end, End::Field(_) | End::Within(..));
        if self.order.body.has_no_fields() && (spec.start.field > 0 || is_field(spec.end)) {
            return Err(format!(
                "{written} is a field, and only lines and rows have fields; write bytes of the \
                 record, as in 0..4"
            )
            .into());
        }
        Ok(spec)
    }
}

/// Returns the bytes that a literal has in the key.
fn literal(
    location: &OperandLocation,
    key: &ValueKey,
    text: &str,
) -> std::result::Result<Box<[u8]>, String> {
    let written = &location.written;
    match key.literal_key(text) {
        Some(key) => Ok(key.into()),
        None if text.is_empty() => {
            Err(format!("\"\" is not a value of {written}; write {written} is empty"))
        }
        None => Err(format!(
            "'{text}' is not a value of {written}; write one of that type, or another type after \
             the colon"
        )),
    }
}

/// Returns the message that a number is compared with a key that has no type.
fn number_as_bytes(OperandLocation { written, .. }: &OperandLocation, number: &str) -> String {
    let place = written.split(':').next().unwrap_or_default();
    format!(
        "{written} is compared byte by byte, so 10 comes before 9; write {place}:int or another \
         type before {number}, or \"{number}\" if bytes are meant"
    )
}

/// Checks that a word to compare with is not one that JSON has for a value: it would be the name of
/// a member, which hardly any line has, and lines without it are equal where they lack the other.
fn member_alone(
    OperandLocation { written: left, .. }: &OperandLocation,
    OperandLocation { written, .. }: &OperandLocation,
) -> std::result::Result<(), String> {
    let value = match written.as_str() {
        "true" | "false" => format!("\"{written}\" in quotes for the value"),
        "null" => format!("{left} is empty for values that are null, empty or missing"),
        _ => return Ok(()),
    };
    Err(format!(
        "without quotes, {written} is the name of a member; write {value}, or /{written} for the \
         member"
    ))
}

/// Returns whether a key has no type but text.
fn is_text(spec: &TextSpec) -> bool {
    spec.text_type.alphabet().is_some()
}

/// Returns the message that text holds characters that an EBCDIC page lacks, or that a pattern
/// cannot name there.
fn not_in_page(OperandLocation { written, .. }: &OperandLocation, text: &str) -> String {
    format!(
        "'{text}' has characters that values of {written} cannot have, or a pattern beyond ASCII; \
         write text of that code page, and patterns in ASCII"
    )
}

/// Checks that a key is looked at as bytes, where a condition has no use for a type.
fn text_alone(location: &OperandLocation, spec: &TextSpec) -> std::result::Result<(), String> {
    let alphabet = spec.text_type.alphabet();
    if matches!(alphabet, Some(ByteMeaning::Plain | ByteMeaning::Page)) && spec.collation.is_none()
    {
        return Ok(());
    }
    Err(format!(
        "{} has a type, and this condition looks at bytes; leave out the type",
        location.written
    ))
}

/// Checks that two keys can be compared with each other.
fn same_type(
    left: &OperandLocation,
    left_spec: &TextSpec,
    right: &OperandLocation,
    right_spec: &TextSpec,
) -> std::result::Result<(), String> {
    let collation = |spec: &TextSpec| spec.collation.as_deref().map(Collation::describe);
    let is_same = left_spec.text_type == right_spec.text_type
        && left_spec.translation == right_spec.translation
        && collation(left_spec) == collation(right_spec);
    if is_same {
        return Ok(());
    }
    Err(format!(
        "{} and {} differ in their types; give both the same, as in 1:int < 2:int",
        left.written, right.written
    ))
}

#[cfg(test)]
mod tests;
