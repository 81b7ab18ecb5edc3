//! From words to a tree, by recursive descent; one word ahead decides everything.
//!
//! ```text
//!     any        all { or all }
//!     all        one { and one }
//!     one        not one | ( any ) | condition
//!     condition  KEY COMPARISON operand
//!                KEY contains TEXT      KEY starts with TEXT      KEY is [not] empty
//!                KEY matches TEXT       KEY ends with TEXT
//!     operand    TEXT | number, date and the like | KEY
//! ```
//!
//! On the left of a comparison stands a key, always. On its right, a word that begins as a number
//! does is one, and not a field: `2 == 3` compares field 2, and `2 == 3:bytes` compares two fields.
//!
//! `not` and parentheses may stand in each other so often and no more: whoever walks the tree later
//! does so by recursion, as does whoever drops it.

use super::expression::{Condition, ConditionTree, Operand, OperandLocation, ValueTest};
use super::fault::Mistake;
use super::lexer::{Lexer, Token, WordKind, key, quoting_hint, unquoted};
use crate::key::Key;

/// Largest nesting of `not` and parentheses: more than anyone writes, and a small part of any
/// thread's stack.
const DEPTH_MAX: usize = 64;

/// Words that cannot be keys unless they are in quotes.
const RESERVED: [&str; 3] = ["and", "or", "not"];

/// Returns the tree of an expression.
pub(super) fn parse(text: &str) -> Result<ConditionTree, Mistake> {
    let mut lexer = Lexer::new(text);
    let ahead = lexer.next()?;
    let mut parser = Parser { lexer, ahead, depth: 0 };
    let tree = parser.any()?;
    match parser.ahead.kind {
        WordKind::End => Ok(tree),
        WordKind::Close => Err(Mistake::new(parser.ahead.at, "this parenthesis was never opened")),
        WordKind::Word | WordKind::Quoted => Err(parser.expected(
            "'and', 'or' or the end (write a value with blanks, or a key with special characters, \
             in quotes)",
        )),
        _ => Err(parser.expected("'and', 'or' or the end")),
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The next word.
    ahead: Token<'a>,
    /// `not` and parentheses that are open.
    depth: usize,
}

impl<'a> Parser<'a> {
    /// Takes the next word.
    fn take(&mut self) -> Result<Token<'a>, Mistake> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.ahead, next))
    }

    /// Takes the next word if it is this one.
    fn takes(&mut self, keyword: &str) -> Result<bool, Mistake> {
        let is_it = self.ahead.is(keyword);
        if is_it {
            self.take()?;
        }
        Ok(is_it)
    }

    /// Returns the fault that the next word is not the expected one.
    fn expected(&self, what: &str) -> Mistake {
        let found = match self.ahead.kind {
            WordKind::End => "the end".to_owned(),
            WordKind::Quoted => self.ahead.text.to_owned(),
            _ => format!("'{}'", self.ahead.text),
        };
        Mistake::new(self.ahead.at, format!("expected {what}, but found {found}"))
    }

    fn any(&mut self) -> Result<ConditionTree, Mistake> {
        self.joined("or", Self::all, ConditionTree::Any)
    }

    fn all(&mut self) -> Result<ConditionTree, Mistake> {
        self.joined("and", Self::one, ConditionTree::All)
    }

    /// Returns what `part` reads, repeatedly, with `word` between.
    fn joined(
        &mut self,
        word: &str,
        part: impl Fn(&mut Self) -> Result<ConditionTree, Mistake>,
        join: impl Fn(Vec<ConditionTree>) -> ConditionTree,
    ) -> Result<ConditionTree, Mistake> {
        let first = part(self)?;
        if !self.ahead.is(word) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.takes(word)? {
            parts.push(part(self)?);
        }
        Ok(join(parts))
    }

    fn one(&mut self) -> Result<ConditionTree, Mistake> {
        let begins_deeper = self.ahead.kind == WordKind::Open || self.ahead.is("not");
        if !begins_deeper {
            return self.condition();
        }
        if self.depth == DEPTH_MAX {
            let message =
                format!("the expression is nested too deeply (limit: {DEPTH_MAX}); simplify it");
            return Err(Mistake::new(self.ahead.at, message));
        }
        self.depth += 1;
        let opening = self.take()?;
        let tree = if opening.kind == WordKind::Open {
            let tree = self.any()?;
            if self.ahead.kind == WordKind::End {
                return Err(Mistake::new(opening.at, "this parenthesis is never closed"));
            }
            if self.ahead.kind != WordKind::Close {
                return Err(self.expected("'and', 'or' or ')'"));
            }
            self.take()?;
            tree
        } else {
            ConditionTree::Not(Box::new(self.one()?))
        };
        self.depth -= 1;
        Ok(tree)
    }

    fn condition(&mut self) -> Result<ConditionTree, Mistake> {
        let is_key = matches!(self.ahead.kind, WordKind::Word | WordKind::Quoted);
        if !is_key || RESERVED.iter().any(|word| self.ahead.is(word)) {
            return Err(self.expected("a key such as 2:int or 0..4, 'not' or a parenthesis"));
        }
        let location = location(&self.take()?)?;
        if !self.takes("is")? {
            return self.test().map(|test| Condition { location, test }.into());
        }
        let is_not = self.takes("not")?;
        if !self.takes("empty")? {
            return Err(self.expected(if is_not { "'empty'" } else { "'empty' or 'not empty'" }));
        }
        let condition = Condition { location, test: ValueTest::IsEmpty }.into();
        Ok(if is_not { ConditionTree::Not(Box::new(condition)) } else { condition })
    }

    fn test(&mut self) -> Result<ValueTest, Mistake> {
        if let WordKind::Comparison(comparison) = self.ahead.kind {
            self.take()?;
            return Ok(ValueTest::Compare(comparison, self.operand()?));
        }
        if self.ahead.kind == WordKind::Matches || self.ahead.is("matches") {
            self.take()?;
            return self.text("a pattern").map(ValueTest::Matches);
        }
        if self.takes("contains")? {
            return self.text("a text").map(ValueTest::Contains);
        }
        if self.takes("starts")? {
            return self.text_behind_with().map(ValueTest::StartsWith);
        }
        if self.takes("ends")? {
            return self.text_behind_with().map(ValueTest::EndsWith);
        }
        Err(self.expected(
            "a comparison (== != < <= > >=), 'contains', 'matches', 'starts with', 'ends with' or \
             'is empty'",
        ))
    }

    fn text_behind_with(&mut self) -> Result<String, Mistake> {
        if !self.takes("with")? {
            return Err(self.expected("'with'"));
        }
        self.text("a text")
    }

    /// Returns the text in quotes that has to follow.
    fn text(&mut self, what: &str) -> Result<String, Mistake> {
        if self.ahead.kind != WordKind::Quoted {
            return Err(self.expected(&format!("{what} in quotes")));
        }
        self.take().map(|token| unquoted(token.text))
    }

    fn operand(&mut self) -> Result<Operand, Mistake> {
        let is_reserved = RESERVED.iter().any(|word| self.ahead.is(word));
        match self.ahead.kind {
            WordKind::Quoted => self.take().map(|token| Operand::Text(unquoted(token.text))),
            WordKind::Word if is_bare(self.ahead.text) => {
                self.take().map(|token| Operand::Bare(token.text.to_owned()))
            }
            WordKind::Word if !is_reserved => {
                let token = self.take()?;
                let location = location(&token).map(Operand::Location);
                location.map_err(|fault| fault.with_hint(quoting_hint(token.text)))
            }
            _ => Err(self.expected(
                "a value to compare with: a text in quotes, a number or a date, or another key",
            )),
        }
    }
}

/// Returns the key that a word is.
fn location(token: &Token<'_>) -> Result<OperandLocation, Mistake> {
    let spec = key(token.text).parse::<Key>();
    let spec = spec.map_err(|error| Mistake::new(token.at, error.to_string()))?;
    Ok(OperandLocation { written: token.text.to_owned(), spec })
}

/// Returns whether a word to compare with is a number, a date or the like: it begins as a number
/// does, and is neither a range (`0..4`, `2[0..4]`) nor fields with their type (`2:int`,
/// `2-3:text`).
fn is_bare(word: &str) -> bool {
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    let begins = unsigned.strip_prefix('.').unwrap_or(unsigned);
    let is_field = word.split_once(':').is_some_and(|(field, rest)| {
        field.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
            && !rest.starts_with(|next: char| next.is_ascii_digit())
    });
    begins.starts_with(|first: char| first.is_ascii_digit())
        && !(is_field || word.contains("..") || word.contains('['))
}

#[cfg(test)]
mod tests;
