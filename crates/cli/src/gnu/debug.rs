//! Remarks of `--debug` about a command line, before any line is read: the rules that order text,
//! and keys and options that may not have the intended meaning.

use sortwell::unstable::locale::LocaleCategory;

use super::key::{KeyDefinition, KeyEnd};
use super::ordering::Ordering;
use super::parse::{Environment, Options};
use super::quoting::Quoter;

/// Returns all remarks, in the order they are printed. `keys` have all their options.
pub fn remarks(
    options: &Options,
    keys: &[KeyDefinition],
    environment: &Environment,
) -> Vec<Vec<u8>> {
    let locale = &environment.locale;
    let quoting = Quoter::new(locale);
    let mut remarks: Vec<Vec<u8>> = Vec::new();
    if environment.is_locale_missing {
        remarks.push(b"failed to set locale".to_vec());
    }
    remarks.push(if locale.is_c(LocaleCategory::Collation) {
        b"text ordering performed using simple byte comparison".to_vec()
    } else {
        let name = quoting.text(locale.name(LocaleCategory::Collation).as_bytes());
        [b"text ordering performed using ", name.as_slice(), b" sorting rules"].concat()
    });
    // A key made of the command line's options was not written by anybody.
    if !options.keys.is_empty() {
        for (index, key) in keys.iter().enumerate() {
            about_key(index + 1, key, options, quoting, &mut remarks);
        }
    }
    about_numbers(keys, options, environment, &mut remarks);
    about_unused(keys, options, &mut remarks);
    remarks
}

fn about_key(
    number: usize,
    key: &KeyDefinition,
    options: &Options,
    quoting: Quoter,
    remarks: &mut Vec<Vec<u8>>,
) {
    let ordering = key.ordering;
    if key.is_old {
        let (mut old, mut new) = (format!("+{}", key.field), format!("-k {}", key.field + 1));
        if let Some(field) = last_field(key) {
            old.push_str(&format!(" -{}", field + 1));
            new.push_str(&format!(",{}", field + 1));
        }
        let (old, new) = (quoting.text(old.as_bytes()), quoting.text(new.as_bytes()));
        let words = [b"obsolescent key ", &old[..], b" used; consider ", &new[..], b" instead"];
        remarks.push(words.concat());
    }
    let is_empty = last_field(key).is_some_and(|field| field < key.field);
    if is_empty {
        remarks.push(format!("key {number} has zero width and will be ignored").into_bytes());
    }
    let end_byte = match key.end {
        KeyEnd::Byte { byte, .. } => byte,
        _ => 0,
    };
    // Bytes counted in the first field are counted in the line, blanks or not.
    let is_offset_in_line = end_byte > 0 && last_field(key) == Some(0);
    let needs_no_blanks = ordering.is_numeric() || ordering.has(b'M');
    let has_blanks = !ordering.skips_start_blanks && (!needs_no_blanks || key.byte > 0)
        || !ordering.skips_end_blanks && end_byte > 0;
    if !is_empty && !is_offset_in_line && options.separator.is_none() && has_blanks {
        let words =
            format!("leading blanks are significant in key {number}; consider also specifying 'b'");
        remarks.push(words.into_bytes());
    }
    if ordering.is_numeric() && spans_fields(key) {
        remarks.push(format!("key {number} is numeric and spans multiple fields").into_bytes());
    }
}

/// Adds the remarks about what separators and the locale do to numbers.
fn about_numbers(
    keys: &[KeyDefinition],
    options: &Options,
    environment: &Environment,
    remarks: &mut Vec<Vec<u8>>,
) {
    let quoting = Quoter::new(&environment.locale);
    let locale = &environment.locale;
    let written = if options.keys.is_empty() { &[][..] } else { keys };
    let spans = |is: fn(&Ordering) -> bool| {
        written.iter().any(|key| is(&key.ordering) && spans_fields(key))
    };
    let has_spans = spans(|ordering| ordering.has(b'n') || ordering.has(b'h'));
    let has_general_spans = spans(|ordering| ordering.has(b'g'));
    let point = locale.decimal_point();
    let is_point = options.separator == Some(point);
    let is_group = has_spans
        && options.separator.is_some()
        && options.separator == locale.thousands_separator();
    let mut separates = |role: &str| {
        let separator = quoting.text(&[options.separator.unwrap_or_default()]);
        let role = format!(" is treated as a {role} in numbers");
        remarks.push([b"field separator ", &separator[..], role.as_bytes()].concat());
    };
    if is_group {
        separates("group separator");
    }
    let mut is_said = is_group;
    if has_spans || has_general_spans {
        match options.separator {
            Some(_) if is_point => {
                separates("decimal point");
                is_said = true;
            }
            Some(b'-') => separates("minus sign"),
            Some(b'+') if has_general_spans => separates("plus sign"),
            _ => {}
        }
    }
    if !is_said && keys.iter().any(|key| key.ordering.is_numeric()) {
        let note: &[u8] = if is_point { b"" } else { b"note " };
        let point = quoting.text(&[point]);
        let words = [note, b"numbers use ", &point, b" as a decimal point in this locale"];
        remarks.push(words.concat());
    }
}

/// Options of the command line that no key has.
fn about_unused(keys: &[KeyDefinition], options: &Options, remarks: &mut Vec<Vec<u8>>) {
    let mut unused = options.ordering;
    for key in keys {
        unused = unused.without(&key.ordering);
    }
    let has_last_resort = !options.is_stable && !options.is_unique;
    let is_last_resort_only = unused.has(b'r') && has_last_resort && !keys.is_empty();
    if is_last_resort_only || keys.is_empty() {
        unused = unused.without(&Ordering::of(b'r'));
    }
    let letters = unused.letters();
    match letters.len() {
        0 => {}
        1 => remarks.push(format!("option '-{letters}' is ignored").into_bytes()),
        _ => remarks.push(format!("options '-{letters}' are ignored").into_bytes()),
    }
    if is_last_resort_only {
        remarks.push(b"option '-r' only applies to last-resort comparison".to_vec());
    }
}

/// Returns the field a key ends in.
fn last_field(key: &KeyDefinition) -> Option<usize> {
    match key.end {
        KeyEnd::Line => None,
        KeyEnd::Field(field) | KeyEnd::Byte { field, .. } => Some(field),
    }
}

/// Returns whether a key reaches over the end of a field.
fn spans_fields(key: &KeyDefinition) -> bool {
    last_field(key).is_none_or(|field| field > key.field)
}

#[cfg(test)]
mod tests;
