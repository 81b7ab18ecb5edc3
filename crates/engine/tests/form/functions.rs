//! Functions within 70 lines: the length of one screen.
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
