//! Cuts a command line into options and operands, the way of GNU's getopt.
//!
//! Options may be clustered (`-rn`), have their value in the same word or the next, be abbreviated
//! as long as no other option begins like that (`--rev`), and stand after operands. Which operands
//! are old keys or end the options is left to `parse`; what an option means, to it as well.

use super::complaint::Complaint;
use super::option::{LONG, LongOption, Name, Takes, of_letter};

/// One option or operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// An option, and its value if it has one.
    Option(Given),
    /// Anything else.
    Operand(Vec<u8>),
}

/// An option as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Name of the option.
    pub name: Name,
    /// Value of the option; always present if the option requires one.
    pub value: Option<Vec<u8>>,
    /// Spelling in messages: the letter with `-`, or the whole name with `--`.
    pub spelled: String,
    /// True if the value is a word of its own.
    pub is_value_apart: bool,
}

/// The words still to be looked at.
#[derive(Debug)]
pub struct RemainingWords<'a> {
    arguments: &'a [Vec<u8>],
    /// Number of the next argument.
    next: usize,
    /// The rest of a cluster of letters: never empty.
    cluster: Option<&'a [u8]>,
    /// True if `--` was seen.
    is_over: bool,
}

impl<'a> RemainingWords<'a> {
    /// Creates the words of a command line, its name not among them.
    pub fn new(arguments: &'a [Vec<u8>]) -> Self {
        Self { arguments, next: 0, cluster: None, is_over: false }
    }

    /// Returns the argument after the last word.
    pub fn peek(&self) -> Option<&'a [u8]> {
        self.arguments.get(self.next).map(Vec::as_slice)
    }

    /// Returns whether another argument follows that one.
    pub fn has_two(&self) -> bool {
        self.next + 1 < self.arguments.len()
    }

    /// Takes the argument after the last word, without looking at its form.
    pub fn take(&mut self) -> Option<&'a [u8]> {
        let argument = self.peek()?;
        self.next += 1;
        Some(argument)
    }

    /// Puts the argument that was taken last back.
    pub fn put_back(&mut self) {
        self.next -= 1;
    }

    /// Returns whether `--` was seen, after which there are only operands.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the next word; `None` after the last.
    pub fn next(&mut self) -> Result<Option<Word>, Complaint> {
        if let Some(cluster) = self.cluster.take() {
            return self.letter(cluster).map(Some);
        }
        let Some(argument) = self.take() else { return Ok(None) };
        if self.is_over {
            return Ok(Some(Word::Operand(argument.to_vec())));
        }
        match argument {
            b"--" => {
                self.is_over = true;
                self.next()
            }
            [b'-', b'-', name @ ..] => self.long(argument, name).map(Some),
            [b'-', cluster @ ..] if !cluster.is_empty() => self.letter(cluster).map(Some),
            operand => Ok(Some(Word::Operand(operand.to_vec()))),
        }
    }

    fn letter(&mut self, cluster: &'a [u8]) -> Result<Word, Complaint> {
        let (letter, rest) = (cluster[0], &cluster[1..]);
        let Some((name, takes)) = of_letter(letter) else {
            let message = [b"invalid option -- '", &cluster[..1], b"'"].concat();
            return Err(Complaint::new(message).with_help());
        };
        let spelled = format!("-{}", char::from(letter));
        if takes != Takes::Value {
            self.cluster = (!rest.is_empty()).then_some(rest);
            return Ok(Word::Option(Given { name, value: None, spelled, is_value_apart: false }));
        }
        let is_value_apart = rest.is_empty();
        let value = if is_value_apart { self.take() } else { Some(rest) };
        let Some(value) = value else {
            let message = [b"option requires an argument -- '", &cluster[..1], b"'"].concat();
            return Err(Complaint::new(message).with_help());
        };
        let value = Some(value.to_vec());
        Ok(Word::Option(Given { name, value, spelled, is_value_apart }))
    }

    /// Reads a long option. `argument` is the whole word, `text` is what follows its dashes.
    fn long(&mut self, argument: &[u8], text: &'a [u8]) -> Result<Word, Complaint> {
        let (name, value) = match text.iter().position(|&byte| byte == b'=') {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        };
        let option = find(argument, name)?;
        let spelled = format!("--{}", option.text);
        let complain =
            |what: &str| Err(Complaint::new(format!("option '{spelled}' {what}")).with_help());
        if option.takes == Takes::Nothing && value.is_some() {
            return complain("doesn't allow an argument");
        }
        let is_value_apart = value.is_none() && option.takes == Takes::Value;
        let value = if is_value_apart { self.take() } else { value };
        if option.takes == Takes::Value && value.is_none() {
            return complain("requires an argument");
        }
        let value = value.map(<[u8]>::to_vec);
        Ok(Word::Option(Given { name: option.name, value, spelled, is_value_apart }))
    }
}

/// Returns the long option that a name, whole or abbreviated, stands for.
fn find(argument: &[u8], name: &[u8]) -> Result<&'static LongOption, Complaint> {
    if let Some(option) = LONG.iter().find(|option| option.text.as_bytes() == name) {
        return Ok(option);
    }
    let begins: Vec<&LongOption> =
        LONG.iter().filter(|option| option.text.as_bytes().starts_with(name)).collect();
    match begins.as_slice() {
        [] => {
            let message = [b"unrecognized option '", argument, b"'"].concat();
            Err(Complaint::new(message).with_help())
        }
        [option] => Ok(option),
        several => {
            let mut message = [b"option '", argument, b"' is ambiguous; possibilities:"].concat();
            for option in several {
                message.extend_from_slice(format!(" '--{}'", option.text).as_bytes());
            }
            Err(Complaint::new(message).with_help())
        }
    }
}

#[cfg(test)]
mod tests;
