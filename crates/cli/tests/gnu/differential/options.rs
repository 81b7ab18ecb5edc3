//! Random command lines: ordering options, keys in both notations, separators, and what only says
//! how the work is done.

use super::random::Random;

/// What kind of values keys ask for; lines are made to suit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taste {
    Text,
    Numbers,
    General,
    Sizes,
    Months,
    Versions,
}

/// A command line but for its files.
#[derive(Clone, Debug)]
pub struct Options {
    pub words: Vec<String>,
    pub taste: Taste,
    /// What stands between the fields of its lines; nothing means blanks.
    pub separator: Option<u8>,
    /// What lines end with.
    pub terminator: u8,
    /// Whether it says which floating-point numbers are equal: `-u` does, by any key of `-g`.
    pub seeks_equal_floats: bool,
}

const TASTES: [(Taste, &str); 6] = [
    (Taste::Text, ""),
    (Taste::Numbers, "n"),
    (Taste::General, "g"),
    (Taste::Sizes, "h"),
    (Taste::Months, "M"),
    (Taste::Versions, "V"),
];

/// Separators: plain ones, and ones that are part of what stands in the fields.
const SEPARATORS: [&str; 12] = [" ", ",", ":", "\t", ":", ",", "a", r"\0", ".", "-", "0", "x"];

impl Options {
    /// A random command line.
    pub fn random(random: &mut Random) -> Self {
        let (taste, letter) = random.pick(&TASTES);
        let mut words: Vec<String> = Vec::new();
        let global = if random.one_in(2) { letter } else { "" };
        let mut letters = orderings(random, global);
        if random.one_in(3) {
            letters.clear();
        }
        let separator = random.one_in(2).then(|| random.pick(&SEPARATORS));
        words.extend(separator.map(|text| format!("-t{text}")));
        for _ in 0..random.pick(&[0, 1, 1, 1, 2, 2, 3]) {
            key(random, letter, &mut words);
        }
        if random.one_in(3) {
            letters.push('s');
        }
        let ends_with_nul = random.one_in(10);
        if ends_with_nul {
            letters.push('z');
        }
        let is_unique = random.one_in(4);
        if is_unique {
            letters.push('u');
        }
        if !letters.is_empty() {
            spell(random, &letters, &mut words);
        }
        ways(random, &mut words);
        let separator = separator.map(|text| if text == r"\0" { 0 } else { text.as_bytes()[0] });
        let terminator = if ends_with_nul { 0 } else { b'\n' };
        let seeks_equal_floats = is_unique && words.iter().any(|word| is_general(word));
        Self { words, taste, separator, terminator, seeks_equal_floats }
    }
}

/// Whether a word of a command line asks for `-g`.
fn is_general(word: &str) -> bool {
    let is_of_letters = !word.starts_with("--") || word.starts_with("--key=");
    word == "--sort=general-numeric" || is_of_letters && word.contains('g')
}

/// Letters of ordering options around the type's, most of which may stand together.
fn orderings(random: &mut Random, letter: &str) -> String {
    let mut letters = String::from(letter);
    let may_translate = matches!(letter, "" | "V") || random.one_in(12);
    let extras: &[char] = if may_translate { &['b', 'd', 'f', 'i', 'r'] } else { &['b', 'f', 'r'] };
    for &extra in extras {
        if random.one_in(4) {
            letters.push(extra);
        }
    }
    letters
}

/// `letters` together or apart, short or long, in any order.
fn spell(random: &mut Random, letters: &str, words: &mut Vec<String>) {
    let mut letters: Vec<char> = letters.chars().collect();
    for at in (1..letters.len()).rev() {
        letters.swap(at, random.below(at + 1));
    }
    if random.one_in(2) {
        words.push(format!("-{}", letters.iter().collect::<String>()));
        return;
    }
    for letter in letters {
        let long = match letter {
            'b' => "--ignore-leading-blanks",
            'd' => "--dictionary-order",
            'f' => "--ignore-case",
            'g' => "--sort=general-numeric",
            'h' => "--human-numeric-sort",
            'i' => "--ignore-nonprinting",
            'M' => "--sort=month",
            'n' => "--numeric-sort",
            'r' => "--reverse",
            's' => "--stable",
            'u' => "--uniq",
            'V' => "--version-sort",
            _ => "--zero-terminated",
        };
        words.push(if random.one_in(2) { format!("-{letter}") } else { long.into() });
    }
}

/// Adds one key.
fn key(random: &mut Random, letter: &str, words: &mut Vec<String>) {
    let own = |random: &mut Random| {
        let type_letter = if random.one_in(3) { random.pick(&TASTES).1 } else { letter };
        match random.below(3) {
            0 => String::new(),
            1 => type_letter.to_owned(),
            _ => orderings(random, type_letter),
        }
    };
    let start = random.below(4);
    let byte = random.one_in(3).then(|| random.pick(&[0, 1, 2, 3, 7]));
    let end = (random.below(5) > 1).then(|| start + random.pick(&[0, 0, 0, 1, 2]));
    let end_byte = random.one_in(3).then(|| random.pick(&[0, 1, 2, 5]));
    if random.one_in(8) {
        let byte = byte.map_or(String::new(), |byte| format!(".{byte}"));
        words.push(format!("+{start}{byte}{}", own(random)));
        if let Some(end) = end {
            let byte = end_byte.map_or(String::new(), |byte| format!(".{byte}"));
            words.push(format!("-{}{byte}{}", end + 1, own(random)));
        }
        return;
    }
    let byte = byte.map_or(String::new(), |byte| format!(".{}", byte + 1));
    let mut text = format!("{}{byte}{}", start + 1, own(random));
    if let Some(end) = end {
        let byte = end_byte.map_or(String::new(), |byte| format!(".{byte}"));
        // An end in front of the start is an empty key.
        let end = if random.one_in(16) { end.max(1) } else { end + 1 };
        // Letters behind the end count for both sides, but for blanks.
        text.push_str(&format!(",{end}{byte}"));
        if random.one_in(3) {
            text.push_str(&own(random));
        }
    }
    match random.below(3) {
        0 => words.extend(["-k".to_owned(), text]),
        1 => words.push(format!("-k{text}")),
        _ => words.push(format!("--key={text}")),
    }
}

/// Adds options that say nothing of the order.
fn ways(random: &mut Random, words: &mut Vec<String>) {
    if random.one_in(5) {
        words.push(format!("-S{}", random.pick(&["1M", "100k", "0", "10b", "1%", "5000000b"])));
    }
    if random.one_in(5) {
        words.push(format!("--parallel={}", random.pick(&[1, 2, 3, 8])));
    }
    if random.one_in(12) {
        words.push("--debug".into());
    }
    if random.one_in(16) {
        words.push("--batch-size=2".into());
    }
    if random.one_in(16) {
        words.extend(["-T".to_owned(), ".".to_owned()]);
    }
}
