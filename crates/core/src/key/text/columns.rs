//! Columns by their names, and what is said about names that no column has.

use super::fault::shown;

/// Names that a message lists.
const LISTED: usize = 10;

/// The number, from 0, of the column that is called `name`.
///
/// # Errors
///
/// What is wrong, in words: no column is called so, or several are.
pub(super) fn find(name: &str, columns: &[Vec<u8>]) -> Result<usize, String> {
    let is_named = |column: &&Vec<u8>| column.as_slice() == name.as_bytes();
    let mut named = columns.iter().enumerate().filter(|(_, column)| is_named(column));
    match (named.next(), named.next()) {
        (Some((number, _)), None) => Ok(number),
        (Some((first, _)), Some((second, _))) => Err(format!(
            "columns {} and {} are both called '{name}'; name the one you mean by its number",
            first + 1,
            second + 1
        )),
        (None, _) => Err(unknown(name, columns)),
    }
}

/// The name of the column of this number, from 0.
///
/// # Errors
///
/// That there is none, in words.
pub(super) fn name(number: usize, columns: &[Vec<u8>]) -> Result<String, String> {
    match columns.get(number) {
        Some(name) => Ok(String::from_utf8_lossy(name).into_owned()),
        None => Err(format!(
            "there is no column {}; the {} columns are {}",
            number + 1,
            columns.len(),
            listed(columns)
        )),
    }
}

fn unknown(name: &str, columns: &[Vec<u8>]) -> String {
    let close = columns
        .iter()
        .map(|column| String::from_utf8_lossy(column))
        .map(|column| (distance(&name.to_lowercase(), &column.to_lowercase()), column))
        .filter(|(distance, column)| *distance <= column.chars().count().max(3) / 3)
        .min_by_key(|(distance, _)| *distance);
    let meant = close.map_or(String::new(), |(_, close)| format!(" (did you mean '{close}'?)"));
    format!("no column is called '{name}'{meant}; the columns are {}", listed(columns))
}

/// The first few names, for a message.
fn listed(columns: &[Vec<u8>]) -> String {
    let named = columns.iter().take(LISTED).map(|name| format!("'{}'", shown(name)));
    let names: Vec<String> = named.collect();
    match columns.len().saturating_sub(LISTED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// How many characters have to be put in, left out, replaced or exchanged with their neighbours to
/// make one text of another (Damerau; each place at most once).
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
