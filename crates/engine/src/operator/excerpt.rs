//! Records in messages.

/// Characters of a record that a message shows.
const EXCERPT_MAX: usize = 60;

/// Returns a record as a message shows it.
pub fn excerpt(record: &[u8]) -> String {
    let text = record.trim_ascii_end();
    let shown = &text[..text.len().min(EXCERPT_MAX)];
    let more = if shown.len() < text.len() { "..." } else { "" };
    match std::str::from_utf8(shown) {
        Ok(shown) => format!("{}{more}", shown.escape_debug()),
        // The cut may go through a character.
        Err(e) if e.error_len().is_none() => {
            let whole = String::from_utf8_lossy(&shown[..e.valid_up_to()]);
            format!("{}{more}", whole.escape_debug())
        }
        Err(_) => format!("{}{more}", shown.escape_ascii()),
    }
}
