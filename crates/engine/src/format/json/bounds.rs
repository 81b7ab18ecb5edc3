//! Lines that would take the parser more memory than their share: it keeps a byte for each level of
//! nesting, and a copy of a name with escapes.

use memchr::memchr2;

/// The deepest nesting, and the longest name with escapes in bytes. A shorter line has neither.
pub const BOUND: usize = 1 << 20;

/// Returns a description of what is too deep or too long in a line, even if it is not well formed.
pub fn excess(text: &[u8]) -> Option<String> {
    if text.len() <= BOUND {
        return None;
    }
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'[' | b'{' if depth == BOUND => {
                return Some(format!("more than {BOUND} levels of nesting, at byte {at}"));
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => {
                let (length, has_escapes) = string(&text[at..]);
                if has_escapes && length > BOUND && is_name(&text[at + length..]) {
                    return Some(format!(
                        "a name of more than {BOUND} bytes that has escapes, at byte {at}"
                    ));
                }
                at += length + 1;
            }
            _ => {}
        }
    }
    None
}

/// Returns the length of the string that `text` continues with, and whether it has escapes.
fn string(text: &[u8]) -> (usize, bool) {
    let (mut at, mut has_escapes) = (0, false);
    while let Some(found) = text.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if text[at] == b'"' {
            return (at, has_escapes);
        }
        (at, has_escapes) = (at + 2, true);
    }
    (text.len(), has_escapes)
}

/// Returns whether a string is a name, given what follows it from its closing quote on.
fn is_name(behind: &[u8]) -> bool {
    let mut rest = behind.iter().skip(1);
    rest.find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) == Some(&b':')
}

#[cfg(test)]
mod tests;
