//! Functions within 70 lines, the length of one screen, and doc comments that open well: those of
//! functions with a verb.
//!
//! A function is found by its `fn` and its body by matching braces, in the code view, where braces
//! of strings and comments are blank.

use crate::Fault;
use crate::rules::fault;
use crate::source::Source;

/// Lines from `fn` to the closing brace.
const LINES_MAX: usize = 70;

/// Functions that are too long.
pub fn length(path: &str, source: &Source) -> Vec<Fault> {
    let code: Vec<char> = source.code.chars().collect();
    let mut faults = Vec::new();
    let mut line = 1;
    for at in 0..code.len() {
        line += usize::from(code[at] == '\n');
        let Some(name) = name_of_function(&code, at) else { continue };
        let Some(lines) = lines_of_function(&code[at..]) else { continue };
        if lines > LINES_MAX {
            let words =
                format!("{name} has {lines} lines, {LINES_MAX} allowed; give a part a name");
            faults.push(fault(path, line, words));
        }
    }
    faults
}

/// Words that end like a verb in the third person, but are none.
const NO_VERBS: [&str; 8] = ["Its", "This", "As", "Bytes", "Records", "Keys", "Lines", "Columns"];

/// Openings that say nothing of what an item is.
const QUESTIONS: [&str; 6] = ["What", "Whether", "How", "Where", "Which", "Those"];

/// Doc comments of functions that do not begin with a verb, and of other items that begin with a
/// question.
pub fn openings(path: &str, content: &str) -> Vec<Fault> {
    let lines: Vec<&str> = content.lines().map(str::trim_start).collect();
    let is_doc = |line: &str| line.starts_with("///");
    let mut faults = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if !is_doc(line) || index > 0 && is_doc(lines[index - 1]) {
            continue;
        }
        let mut rest = lines[index..].iter().skip_while(|line| line.starts_with(['/', '#']));
        let item = rest.next().copied().unwrap_or_default();
        let word = line[3..]
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .trim_end_matches(['.', ',', ':']);
        let is_verb = word.starts_with(char::is_uppercase)
            && word.ends_with('s')
            && !NO_VERBS.contains(&word);
        if is_function(item) && !is_verb {
            let words = format!("'{word}' opens the comment of a function; begin with a verb");
            faults.push(fault(path, index + 1, words));
        } else if QUESTIONS.contains(&word) {
            faults.push(fault(path, index + 1, format!("'{word}' opens a comment; name the item")));
        }
    }
    faults
}

/// Returns whether a line declares a function.
fn is_function(line: &str) -> bool {
    let head = line.split("fn ").next().unwrap_or_default();
    let modifiers = ["pub", "const", "unsafe", "extern", "async", "\"C\""];
    let is_modifier = |word: &str| modifiers.contains(&word) || word.starts_with("pub(");
    head.len() < line.len() && head.split_whitespace().all(is_modifier)
}

/// The name after `fn` at this place; a pointer type such as `fn(u8)` has none.
fn name_of_function(code: &[char], at: usize) -> Option<String> {
    let is_part = |character: &char| character.is_alphanumeric() || *character == '_';
    let is_start = at == 0 || !is_part(&code[at - 1]);
    if !is_start || !code[at..].starts_with(&['f', 'n', ' ']) {
        return None;
    }
    let name: String = code[at + 3..].iter().take_while(|&part| is_part(part)).collect();
    (!name.is_empty()).then_some(name)
}

/// Lines up to the end of the body; `None` for a declaration without one.
fn lines_of_function(code: &[char]) -> Option<usize> {
    let (mut lines, mut braces, mut others) = (1, 0usize, 0usize);
    for &character in code {
        match character {
            '\n' => lines += 1,
            '(' | '[' => others += 1,
            ')' | ']' => others = others.saturating_sub(1),
            ';' if braces == 0 && others == 0 => return None,
            '{' => braces += 1,
            '}' => {
                braces = braces.saturating_sub(1);
                if braces == 0 && others == 0 {
                    return Some(lines);
                }
            }
            _ => {}
        }
    }
    None
}
