//! Keys that are written as for GNU sort, and how they are written here.
//!
//! ```text
//!     GNU        FIELD[.CHARACTER][OPTIONS][,FIELD[.CHARACTER][OPTIONS]]
//!     2,2nr      2:decimal:desc
//!     2.3,2.5    2[2..5]
//!     2,3        2-3
//! ```
//!
//! Some have no counterpart: `d` and `i` leave out characters, and a key may end at a byte of
//! another field than it begins in.
//!
//! Only messages use this: such a key is never taken for one of ours, but for `2.3`, a field of a
//! line where records have several.

/// One end of a key: a field and a character of it, both from 1.
#[derive(Clone, Copy, Debug)]
struct GnuKeyEnd {
    field: usize,
    character: Option<usize>,
}

/// Returns how the key `text` of GNU sort is written here, as a phrase that begins with a verb, or
/// that no key does the same; `None` where `text` is no such key, or one that is always empty.
pub fn gnu_key(text: &str) -> Option<String> {
    let (first, last) = match text.split_once(',') {
        Some((first, last)) => (first, Some(last)),
        None => (text, None),
    };
    let (start, mut options) = read_end(first)?;
    let last = match last {
        Some(last) => Some(read_end(last)?),
        None => None,
    };
    if last.is_none() && options.is_empty() && start.character.is_none() {
        return None; // A field's number alone means here what it means there.
    }
    options.push_str(last.as_ref().map_or("", |(_, options)| options));
    let is_number = options.contains(['n', 'g', 'h', 'M']);
    // Numbers have no case.
    options.retain(|option| option != 'f' || !is_number);
    let end = last.as_ref().map(|(end, _)| *end);
    if end.is_some_and(|end| end.field < start.field) {
        return None;
    }
    let words = words_of(&options);
    let within = end.unwrap_or(GnuKeyEnd { field: start.field, character: None });
    let bytes = bytes_of(start, within)?;
    if let Some(letters) = unknown(&options) {
        return Some(format!("no modifier ignores characters as {letters} does"));
    }
    let (first, last) = (start.field, within.field);
    if is_number || end.is_some() && last == first {
        return Some(format!("write {first}{bytes}{words}"));
    }
    if end.is_none() {
        return Some(format!(
            "write {first}-{bytes}{words}, or {first}{bytes}{words} for field {first} alone"
        ));
    }
    if within.character.is_some_and(|character| character > 0) {
        return Some(format!("no key begins in field {first} and ends at a byte of field {last}"));
    }
    let columns = column_keys(first, Some(last), |field| {
        format!("{field}{}{words}", if field == first { &bytes } else { "" })
    });
    Some(format!(
        "write {first}-{last}{bytes}{words} for fields {first} to {last} of a line; \
         {first}..{last} stands for bytes, and columns are keys of their own: {columns}"
    ))
}

/// Returns the keys of the columns `first` to `last`, from 1, as options. `key` writes each. The
/// last is listed after a gap if they are many, and without a last one the list is left open.
pub(super) fn column_keys(
    first: usize,
    last: Option<usize>,
    key: impl Fn(usize) -> String,
) -> String {
    const LISTED: usize = 8;
    let option = |field| format!("-k {}", key(field));
    let listed = |count: usize| {
        let keys: Vec<String> = (first..).take(count).map(option).collect();
        keys.join(" ")
    };
    match last.map(|last| last.saturating_sub(first).saturating_add(1)) {
        Some(count) if count <= LISTED => listed(count),
        Some(_) => format!("{} and so on to {}", listed(2), option(last.unwrap_or(first))),
        None => format!("{} and so on", listed(2)),
    }
}

/// Returns the letters among `options` that nothing here stands for.
fn unknown(options: &str) -> Option<&'static str> {
    match (options.contains('d'), options.contains('i')) {
        (true, true) => Some("d or i"),
        (true, false) => Some("d"),
        (false, true) => Some("i"),
        (false, false) => None,
    }
}

/// Reads one end of a key and its options; `None` where it is not one.
fn read_end(text: &str) -> Option<(GnuKeyEnd, String)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (field, rest) = text.split_at(digits(text));
    let (character, options) = match rest.strip_prefix('.') {
        Some(rest) => {
            let (character, options) = rest.split_at(digits(rest));
            (Some(character.parse().ok()?), options)
        }
        None => (None, rest),
    };
    let is_option = |letter: char| "bdfghiMnRrV".contains(letter);
    let field = field.parse().ok().filter(|field| *field > 0)?;
    options.chars().all(is_option).then(|| (GnuKeyEnd { field, character }, options.to_owned()))
}

/// Returns the type and the modifiers that do what `options` do.
fn words_of(options: &str) -> String {
    const WORDS: [(char, &str); 9] = [
        ('n', ":decimal"),
        ('g', ":float"),
        ('h', ":size"),
        ('M', ":month"),
        ('V', ":version"),
        ('R', ":random"),
        ('r', ":desc"),
        ('f', ":ci"),
        ('b', ":trim"),
    ];
    WORDS.iter().filter(|(option, _)| options.contains(*option)).map(|(_, word)| *word).collect()
}

/// Returns the bytes of the field that a key within one field looks at, as a range in brackets;
/// nothing for all of them, and `None` where the range is empty.
fn bytes_of(start: GnuKeyEnd, end: GnuKeyEnd) -> Option<String> {
    let first = start.character.unwrap_or(1).saturating_sub(1);
    // Character 0 of the end is the last of its field.
    let past = end.character.filter(|past| *past > 0 && end.field == start.field);
    match (first, past) {
        (0, None) => Some(String::new()),
        (first, None) => Some(format!("[{first}..]")),
        (first, Some(past)) => (first < past).then(|| format!("[{first}..{past}]")),
    }
}

#[cfg(test)]
mod tests;
