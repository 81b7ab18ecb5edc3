//! Keys that are written as for GNU sort, and how they are written here.
//!
//! ```text
//!     GNU        FIELD[.CHARACTER][OPTIONS][,FIELD[.CHARACTER][OPTIONS]]
//!     2,2nr      2:decimal:desc
//!     2.3,2.5    2[2..5]
//!     2,3        2-3
//! ```
//!
//! Only messages use this: such a key is never taken for one of ours, but for `2.3`, a field of a
//! line where records have several.

/// One end of a key: a field and a character of it, both from 1.
#[derive(Clone, Copy, Debug)]
struct GnuKeyEnd {
    field: usize,
    character: Option<usize>,
}

/// Returns how the key `text` of GNU sort is written here, as a phrase that begins with a verb;
/// `None` where `text` is no such key.
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
    let words = words_of(&options);
    let only = GnuKeyEnd { field: start.field, character: None };
    let within = last.as_ref().map_or(only, |(end, _)| *end);
    if is_number || last.is_some() && within.field <= start.field {
        let key = format!("{}{}{words}", start.field, bytes_of(start, within)?);
        return Some(format!("write {key}"));
    }
    let first = start.field;
    let skipped = bytes_of(start, GnuKeyEnd { character: None, ..within })?;
    if last.is_none() {
        return Some(format!(
            "write {first}-{skipped}{words}, or {first}{skipped}{words} for field {first} alone"
        ));
    }
    let last = within.field;
    Some(format!(
        "write {first}-{last}{skipped}{words} for fields {first} to {last} of a line; \
         {first}..{last} stands for bytes, and columns are keys of their own: -k {first}{words} \
         -k {}{words}",
        first + 1
    ))
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
