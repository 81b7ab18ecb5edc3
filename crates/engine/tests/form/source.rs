//! Tells a Rust file's code from its comments and strings, well enough for rules of form.
//!
//! All views keep the file's lines, so that a line number in a view is one in the file; what does
//! not belong to a view is blank in it. Not a parser: it knows comments (nested ones too), strings
//! (raw and byte ones too), character literals and lifetimes, and nothing else.

/// A file in three views.
pub struct Source {
    /// Code only; of a string only the quotes remain.
    pub code: String,
    /// The words of comments only.
    pub comments: String,
    /// The text of strings only, with its escapes.
    pub strings: String,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Code,
    LineComment,
    /// Inside so many nested block comments.
    BlockComment(usize),
    /// In a string that ends with a quote and so many `#`; `None` for one with escapes.
    Text(Option<usize>),
}

impl Source {
    /// Splits a file.
    pub fn new(file: &str) -> Self {
        let characters: Vec<char> = file.chars().collect();
        let mut source =
            Self { code: String::new(), comments: String::new(), strings: String::new() };
        let (mut state, mut at) = (State::Code, 0);
        while at < characters.len() {
            let (next, length) = step(state, &characters, at);
            // The characters that open or close a string stay in the code view.
            let is_code = state == State::Code && !is_comment(next)
                || next == State::Code && matches!(state, State::Text(_));
            for &character in &characters[at..at + length] {
                let is_break = character == '\n';
                source.code.push(if is_code || is_break { character } else { ' ' });
                let is_word = is_comment(state) || is_break;
                source.comments.push(if is_word { character } else { ' ' });
                let is_text = matches!((state, next), (State::Text(_), State::Text(_))) || is_break;
                source.strings.push(if is_text { character } else { ' ' });
            }
            (state, at) = (next, at + length);
        }
        source
    }
}

fn is_comment(state: State) -> bool {
    matches!(state, State::LineComment | State::BlockComment(_))
}

/// The state after the next token, and the token's length in characters (at least 1).
fn step(state: State, characters: &[char], at: usize) -> (State, usize) {
    let here = characters[at];
    let next = characters.get(at + 1).copied().unwrap_or('\n');
    match (state, here, next) {
        (State::Code, '/', '/') => (State::LineComment, 2),
        (State::Code, '/', '*') => (State::BlockComment(1), 2),
        (State::Code, '"', _) => (State::Text(None), 1),
        (State::Code, 'r', '"' | '#') if !follows_word(characters, at) => raw(characters, at),
        (State::Code, '\'', _) => (State::Code, quote_length(characters, at)),
        (State::LineComment, '\n', _) => (State::Code, 1),
        (State::BlockComment(depth), '/', '*') => (State::BlockComment(depth + 1), 2),
        (State::BlockComment(1), '*', '/') => (State::Code, 2),
        (State::BlockComment(depth), '*', '/') => (State::BlockComment(depth - 1), 2),
        (State::Text(None), '\\', _) => (state, 2.min(characters.len() - at)),
        (State::Text(None), '"', _) => (State::Code, 1),
        (State::Text(Some(marks)), '"', _) if hashes(characters, at + 1) >= marks => {
            (State::Code, 1 + marks)
        }
        _ => (state, 1),
    }
}

/// `r"` or `r#"` opens a raw string; `r#name` is a name.
fn raw(characters: &[char], at: usize) -> (State, usize) {
    let marks = hashes(characters, at + 1);
    match characters.get(at + 1 + marks) {
        Some('"') => (State::Text(Some(marks)), marks + 2),
        _ => (State::Code, 1),
    }
}

fn hashes(characters: &[char], at: usize) -> usize {
    characters[at..].iter().take_while(|&&character| character == '#').count()
}

/// Whether the character before is part of a name, other than the `b` or `c` of `br"..."`.
fn follows_word(characters: &[char], at: usize) -> bool {
    let is_word = |index: usize| characters[index].is_alphanumeric() || characters[index] == '_';
    match at {
        0 => false,
        1 => is_word(0) && !matches!(characters[0], 'b' | 'c'),
        _ => is_word(at - 1) && (!matches!(characters[at - 1], 'b' | 'c') || is_word(at - 2)),
    }
}

/// The length of a character literal, or 1 for the quote of a lifetime or label.
fn quote_length(characters: &[char], at: usize) -> usize {
    let close = |from: usize| characters[from..].iter().position(|&character| character == '\'');
    match (characters.get(at + 1), characters.get(at + 2)) {
        (Some('\\'), Some(_)) => close(at + 3).map_or(1, |more| more + 4),
        (Some(_), Some('\'')) => 3,
        _ => 1,
    }
}
