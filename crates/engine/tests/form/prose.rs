//! Rules for the text that users read: the guides, the help and the messages.
//!
//! A page is Markdown without code, tables and link targets. The text of a Rust file is that of its
//! string literals and, for the definition of the command line, of its doc comments: these are the
//! help. Phrases are found across line breaks.

use crate::Fault;
use crate::rules::{fault, is_test};
use crate::source::Source;

/// Words and phrases to avoid, and what to write.
const REPLACED: [(&str, &str); 24] = [
    ("anew", "again"),
    ("beforehand", "in advance"),
    ("behind", "after"),
    ("besides", "also"),
    ("foretell", "predict"),
    ("foretells", "predicts"),
    ("foretold", "predicted"),
    ("for good", "permanently"),
    ("go on with", "continue"),
    ("goes on with", "continues"),
    ("gone on with", "continued"),
    ("hang on", "depend on"),
    ("hangs on", "depends on"),
    ("is none", "is empty, or does not exist"),
    ("likewise", "also"),
    ("not to be had", "not available"),
    ("nought", "0"),
    ("reckon", "estimate"),
    ("reckoned", "estimated"),
    ("reckons", "estimates"),
    ("so many", "that number of"),
    ("told", "reported"),
    ("whatsoever", "any"),
    ("whoever", "any worker that"),
];

/// First words of headings and of paragraphs of help that name nothing.
const OPENINGS: [&str; 8] =
    ["as if", "how", "of what", "the same", "what", "whether", "where", "who"];

/// Most words of a sentence, on average over a page and in one sentence.
const MEAN_WORDS_MAX: usize = 20;
const SENTENCE_WORDS_MAX: usize = 40;

/// Pages that are generated, or that hold the licences of others.
const EXEMPT: [&str; 2] = ["docs/reference.md", "THIRD-PARTY.md"];

/// Returns the breaches of a page of Markdown.
pub fn page(path: &str, content: &str) -> Vec<Fault> {
    if !path.ends_with(".md") || EXEMPT.contains(&path) {
        return Vec::new();
    }
    let page = Page::read(content);
    let text = page.paragraphs.iter().map(|(line, text)| (*line, text.as_str()));
    let mut faults = replaced(path, text.clone().chain(page.headings.iter().copied()));
    faults.extend(openings(path, page.headings.iter().copied()));
    faults.extend(lengths(path, text));
    faults
}

/// Returns the breaches of the texts in a Rust file: its messages, and its help if it has any.
pub fn texts(path: &str, source: &Source) -> Vec<Fault> {
    if is_test(path) || !path.contains("/src/") {
        return Vec::new();
    }
    let strings = source.strings.lines().zip(1..).map(|(text, line)| (line, text));
    let mut faults = replaced(path, strings);
    if path.starts_with("crates/cli/src/command/") {
        let comments = source.comments.lines().zip(1..).filter_map(help);
        faults.extend(replaced(path, comments.clone()));
        let mut next = 0;
        let is_first = |&(line, text): &(usize, &str)| {
            let after = if text.is_empty() { 0 } else { line + 1 };
            std::mem::replace(&mut next, after) != line && !text.is_empty()
        };
        faults.extend(openings(path, comments.filter(is_first)));
    }
    faults
}

/// Returns the breaches of the texts in a script of the report page. Templates count as strings.
pub fn script(path: &str, content: &str) -> Vec<Fault> {
    let source = Source::new(&content.replace('`', "\""));
    replaced(path, (1..).zip(source.strings.lines()))
}

/// Returns the text of a doc comment.
fn help((comment, line): (&str, usize)) -> Option<(usize, &str)> {
    comment.trim_start().strip_prefix('/').map(|text| (line, text.trim()))
}

/// Returns where words that have a plain counterpart stand.
fn replaced<'t>(path: &str, lines: impl Iterator<Item = (usize, &'t str)>) -> Vec<Fault> {
    let mut words = Vec::new();
    for (line, text) in lines {
        // An empty line ends a phrase, and so does a code span.
        let text = without_code(text);
        let parts = text.split(|c: char| !c.is_alphanumeric() && !"'_".contains(c));
        words.extend(parts.filter(|part| !part.is_empty()).map(|part| (line, part.to_lowercase())));
        words.extend(text.is_empty().then(|| (line, String::new())));
    }
    let mut faults = Vec::new();
    for at in 0..words.len() {
        for (phrase, plain) in REPLACED {
            let is_here = phrase
                .split(' ')
                .enumerate()
                .all(|(more, word)| words.get(at + more).is_some_and(|(_, here)| here == word));
            let is_there_none = phrase == "is none" && at > 0 && words[at - 1].1 == "there";
            if is_here && !is_there_none {
                faults.push(fault(path, words[at].0, format!("'{phrase}': write '{plain}'")));
            }
        }
    }
    faults
}

/// Returns headings and paragraphs that open with a word that names nothing.
fn openings<'t>(path: &str, lines: impl Iterator<Item = (usize, &'t str)>) -> Vec<Fault> {
    let opens = |text: &str, opening: &str| {
        let rest = text.to_lowercase().strip_prefix(opening).map(str::to_owned);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let found = lines.filter_map(|(line, text)| {
        let opening = OPENINGS.iter().find(|opening| opens(text, opening))?;
        Some(fault(path, line, format!("opens with '{opening}'; write a noun phrase or a verb")))
    });
    found.collect()
}

/// Returns sentences that are too long, and whether they are too long on average.
fn lengths<'t>(path: &str, paragraphs: impl Iterator<Item = (usize, &'t str)>) -> Vec<Fault> {
    let (mut faults, mut sentences, mut words) = (Vec::new(), 0, 0);
    for (line, text) in paragraphs {
        for sentence in sentences_of(text) {
            let is_word = |part: &&str| part.contains(char::is_alphanumeric);
            let length = sentence.split_whitespace().filter(is_word).count();
            sentences += usize::from(length > 0);
            words += length;
            if length > SENTENCE_WORDS_MAX {
                let start: String = sentence.chars().take(40).collect();
                let advice = format!("'{start}' has {length} words; split the sentence");
                faults.push(fault(path, line, advice));
            }
        }
    }
    let mean = words / usize::max(sentences, 1);
    if mean >= MEAN_WORDS_MAX {
        let words = format!("{mean} words a sentence on average, {MEAN_WORDS_MAX} is too much");
        faults.push(fault(path, 1, words));
    }
    faults
}

/// Splits a paragraph after each mark that ends a sentence and is followed by a new one.
fn sentences_of(paragraph: &str) -> Vec<&str> {
    let (mut sentences, mut start) = (Vec::new(), 0);
    for (at, mark) in paragraph.char_indices() {
        let rest = &paragraph[at + mark.len_utf8()..];
        let next = rest.trim_start_matches(['"', '\'', ')', '*', '_']);
        let begins = |first: char| first.is_uppercase() || first.is_ascii_digit() || first == '`';
        if ".!?".contains(mark) && next.starts_with(' ') && next.trim_start().starts_with(begins) {
            sentences.push(&paragraph[start..=at]);
            start = at + mark.len_utf8();
        }
    }
    sentences.push(&paragraph[start..]);
    sentences
}

/// Replaces code spans and the targets of links by nothing that is a word.
fn without_code(text: &str) -> String {
    let spans = text.split('`').enumerate();
    let text: String = spans.map(|(nth, part)| if nth % 2 == 0 { part } else { " ` " }).collect();
    let mut kept = String::new();
    let mut rest = text.as_str();
    while let Some((before, target)) = rest.split_once("](") {
        kept.push_str(before);
        rest = target.split_once(')').map_or("", |(_, after)| after);
    }
    kept + rest
}

/// The prose of a page: paragraphs and items of lists, and headings, each with its line.
struct Page<'c> {
    paragraphs: Vec<(usize, String)>,
    headings: Vec<(usize, &'c str)>,
}

impl<'c> Page<'c> {
    fn read(content: &'c str) -> Self {
        let mut page = Self { paragraphs: Vec::new(), headings: Vec::new() };
        let (mut is_code, mut is_open) = (false, false);
        for (line, text) in (1..).zip(content.lines().map(str::trim)) {
            if text.starts_with("```") {
                (is_code, is_open) = (!is_code, false);
            } else if is_code || text.is_empty() || text.starts_with(['|', '<']) {
                is_open = false;
            } else if let Some(heading) = text.strip_prefix('#') {
                page.headings.push((line, heading.trim_start_matches(['#', ' '])));
                is_open = false;
            } else {
                let is_item = text.starts_with("- ") || text.starts_with("* ");
                match page.paragraphs.last_mut().filter(|_| is_open && !is_item) {
                    Some((_, paragraph)) => *paragraph += &format!(" {text}"),
                    None => page.paragraphs.push((line, text.to_owned())),
                }
                is_open = true;
            }
        }
        page
    }
}
