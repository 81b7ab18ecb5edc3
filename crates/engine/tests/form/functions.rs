//! Functions within 70 lines, the length of one screen, parameters that are no tuples, and doc
//! comments that open well: those of functions with a verb.
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
    faults_of_functions(path, source, |name, code| {
        let lines = lines_of_function(code).filter(|lines| *lines > LINES_MAX)?;
        Some(format!("{name} has {lines} lines, {LINES_MAX} allowed; give a part a name"))
    })
}

/// Parameters of functions that are tuples: their parts have no names where they are passed.
/// Closures have the parameters that their callers want.
pub fn tuples(path: &str, source: &Source) -> Vec<Fault> {
    faults_of_functions(path, source, |name, code| {
        let is_found = parameters(code).iter().any(|parameter| is_tuple(parameter));
        is_found
            .then(|| format!("{name} takes a tuple; take its parts, or a struct that names them"))
    })
}

/// Returns the faults that `fault_of` finds in functions, by the name and the code from `fn` on.
fn faults_of_functions(
    path: &str,
    source: &Source,
    fault_of: impl Fn(&str, &[char]) -> Option<String>,
) -> Vec<Fault> {
    let code: Vec<char> = source.code.chars().collect();
    let mut faults = Vec::new();
    let mut line = 1;
    for at in 0..code.len() {
        line += usize::from(code[at] == '\n');
        let Some(name) = name_of_function(&code, at) else { continue };
        if let Some(words) = fault_of(&name, &code[at..]) {
            faults.push(fault(path, line, words));
        }
    }
    faults
}

/// Returns the parameters of the function that begins here, each with its type.
fn parameters(code: &[char]) -> Vec<String> {
    let head = code.iter().scan(Brackets::default(), |brackets, &character| {
        let is_outside = brackets.depth == 0;
        brackets.pass(character);
        Some((character, is_outside, brackets.depth))
    });
    // After the name and its generic parameters.
    let list = head.skip_while(|(character, is_outside, _)| *character != '(' || !is_outside);
    let (mut parameters, mut parameter) = (Vec::new(), String::new());
    for (character, _, depth) in list.skip(1).take_while(|(.., depth)| *depth > 0) {
        match character {
            ',' if depth == 1 => parameters.push(std::mem::take(&mut parameter)),
            _ => parameter.push(character),
        }
    }
    parameters.push(parameter);
    parameters
}

/// Returns whether the pattern or the type of a parameter is a tuple, or a reference to one.
fn is_tuple(parameter: &str) -> bool {
    let mut brackets = Brackets::default();
    let colon = parameter.char_indices().find(|(_, character)| {
        brackets.pass(*character);
        *character == ':' && brackets.depth == 0
    });
    let Some((colon, _)) = colon else { return false };
    let is_reference = |word: &&str| *word == "mut" || word.starts_with('\'');
    let of = parameter[colon + 1..].trim_start().trim_start_matches('&');
    let of: Vec<&str> = of.split_whitespace().skip_while(is_reference).collect();
    [parameter[..colon].trim(), &of.join(" ")].into_iter().any(is_list)
}

/// Returns whether parentheses with a comma between their parts begin the text.
fn is_list(text: &str) -> bool {
    let mut brackets = Brackets::default();
    let parts = text.chars().map_while(|character| {
        brackets.pass(character);
        (brackets.depth > 0).then_some((character, brackets.depth))
    });
    text.starts_with('(') && parts.into_iter().any(|part| part == (',', 1))
}

/// Brackets that are open, those of generic parameters included.
#[derive(Default)]
struct Brackets {
    depth: usize,
    previous: char,
}

impl Brackets {
    fn pass(&mut self, character: char) {
        // An arrow closes nothing.
        let is_arrow = character == '>' && matches!(self.previous, '-' | '=');
        match character {
            '(' | '[' | '{' | '<' => self.depth += 1,
            ')' | ']' | '}' | '>' if !is_arrow => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.previous = character;
    }
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
