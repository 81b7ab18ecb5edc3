//! Columns by their names, and messages about names that no column has.

use super::super::gnu_key;
use super::fault::shown;
use crate::error::spelling::meant;
use crate::error::{Message, Setting, message};

/// Names that a message lists.
const LISTED: usize = 10;

/// Words for directions, and the modifiers of keys.
const DIRECTIONS: [(&str, &str); 4] =
    [("desc", "desc"), ("descending", "desc"), ("asc", "asc"), ("ascending", "asc")];

/// Returns the number, from 0, of the column that is called `name`.
///
/// # Errors
///
/// A message: no column is called so, or several are.
pub(crate) fn find(name: &str, columns: &[Vec<u8>]) -> Result<usize, Message> {
    let is_named = |column: &&Vec<u8>| column.as_slice() == name.as_bytes();
    let mut named = columns.iter().enumerate().filter(|(_, column)| is_named(column));
    match (named.next(), named.next()) {
        (Some((number, _)), None) => Ok(number),
        (Some((first, _)), Some((second, _))) => Err(message!(
            "columns {} and {} are both called '{}'; name the one you mean by its number",
            first + 1,
            second + 1,
            name
        )),
        (None, _) => Err(unknown(name, columns)),
    }
}

/// Returns the name of the column of this number, from 0.
///
/// # Errors
///
/// That there is none, in words.
pub(super) fn name(number: usize, columns: &[Vec<u8>]) -> Result<String, Message> {
    match columns.get(number) {
        Some(name) => Ok(String::from_utf8_lossy(name).into_owned()),
        None => {
            let of_header = other_separator(columns).map(|advice| message!("; {}", advice));
            let all = match columns.len() {
                1 => "only column is".to_owned(),
                count => format!("{count} columns are"),
            };
            Err(message!(
                "there is no column {}; the {} {}{}",
                number + 1,
                all,
                listed(columns),
                of_header
            ))
        }
    }
}

fn unknown(name: &str, columns: &[Vec<u8>]) -> Message {
    let names = columns.iter().map(|column| String::from_utf8_lossy(column));
    let meant = meant(name, names);
    let listed = listed(columns);
    let of_gnu =
        gnu_key(name).map(|how| message!("; keys of GNU sort are written differently: {}", how));
    let of_header = other_separator(columns).map(|advice| message!("; {}", advice));
    let of_words = of_words(name, columns).map(|advice| message!("; {}", advice));
    message!(
        "no column is called '{}'{}; the columns are {}{}{}{}",
        name,
        meant,
        listed,
        of_gnu,
        of_header,
        of_words
    )
}

/// Returns advice for a name that is one of a column with a direction, or of several columns.
fn of_words(name: &str, columns: &[Vec<u8>]) -> Option<String> {
    let is_column = |name: &str| columns.iter().any(|column| column == name.as_bytes());
    if let Some((column, direction)) = name.rsplit_once(' ')
        && is_column(column)
    {
        let (_, modifier) =
            DIRECTIONS.iter().find(|(word, _)| direction.eq_ignore_ascii_case(word))?;
        return Some(format!("write a direction as in {column}:{modifier}"));
    }
    let mut parts = name.split(',').map(str::trim);
    let are_columns = name.contains(',') && parts.all(is_column);
    are_columns.then(|| "name one column at a time".to_owned())
}

/// Returns advice to give another separator, where a header holds one that it was not cut at.
fn other_separator(columns: &[Vec<u8>]) -> Option<Message> {
    const SEPARATORS: [(u8, &str, &str); 4] =
        [(b';', "';'", "';'"), (b'\t', "tabs", "tab"), (b'|', "'|'", "'|'"), (b',', "','", "','")];
    let [header] = columns else { return None };
    let (_, shown, word) = SEPARATORS.into_iter().find(|(byte, ..)| header.contains(byte))?;
    Some(message!("the header holds {}: give {}", shown, Setting::Separator.to(word)))
}

/// Returns the first few names, for a message.
fn listed(columns: &[Vec<u8>]) -> String {
    let named = columns.iter().take(LISTED).map(|name| format!("'{}'", shown(name)));
    let names: Vec<String> = named.collect();
    match columns.len().saturating_sub(LISTED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

#[cfg(test)]
mod tests;
