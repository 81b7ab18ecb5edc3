//! Names that are near to a mistyped one, for messages that suggest what was meant.
//!
//! A name is near where few letters differ and at least half of them agree. Other names would
//! mislead, and are not suggested.

/// Letters that may differ between a word and the name that it is taken for.
const SLIPS_MAX: usize = 2;

/// Returns the name of `known` that is nearest to `word`, case aside; `None` where none is near.
pub fn nearest<N: AsRef<str>>(word: &str, known: impl IntoIterator<Item = N>) -> Option<N> {
    let word = word.to_lowercase();
    let near = known.into_iter().filter_map(|name| {
        let slips = slips_between(&word, &name.as_ref().to_lowercase())?;
        // Of two that are as near, the one that begins alike is meant more often.
        let begins_alike = initial(&word) == initial(&name.as_ref().to_lowercase());
        Some(((slips, !begins_alike), name))
    });
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// Returns ` (did you mean 'NAME'?)` for the name of `known` that is nearest to `word`, or nothing.
pub fn meant<N: AsRef<str>>(word: &str, known: impl IntoIterator<Item = N>) -> String {
    nearest(word, known)
        .map_or_else(String::new, |name| format!(" (did you mean '{}'?)", name.as_ref()))
}

fn initial(word: &str) -> Option<char> {
    word.chars().next()
}

/// Returns the number of letters that differ between two words; `None` if the words are not near.
fn slips_between(a: &str, b: &str) -> Option<usize> {
    let length = a.chars().count().max(b.chars().count());
    let slips = distance(a, b);
    (slips <= SLIPS_MAX && 2 * slips <= length).then_some(slips)
}

/// Counts the letters to put in, leave out, replace or exchange with their neighbours until one
/// text is the other (Damerau; each place at most once).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests;
