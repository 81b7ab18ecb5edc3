//! Windows at every place of texts of all lengths.

use super::*;

/// Returns a bit for each byte that is `wanted`.
fn mask(bytes: [u8; WIDTH], wanted: impl Fn(u8) -> bool) -> u32 {
    bytes.iter().rev().fold(0, |mask, byte| mask << 1 | u32::from(wanted(*byte)))
}

#[test]
fn windows_are_those_of_a_reader_byte_by_byte() {
    // Every byte value, and runs of digits of many lengths.
    let mut text: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
    text.extend((0..40).flat_map(|digits| [vec![b'7'; digits], vec![b'/']].concat()));
    for start in [0, 300, text.len() - 60] {
        for length in 0..=60.min(text.len() - start) {
            let text = &text[start..start + length];
            for at in 0..length + 20 {
                let rest = text.get(at..).unwrap_or_default();
                let mut bytes = [0; WIDTH];
                let count = rest.len().min(WIDTH);
                bytes[..count].copy_from_slice(&rest[..count]);
                verify(TextWindow::at(text, at), bytes);
            }
        }
    }
    for chunk in text.as_chunks().0 {
        verify(TextWindow::at(chunk, 0), *chunk);
    }
}

fn verify(window: TextWindow, bytes: [u8; WIDTH]) {
    assert_eq!(window.0.to_array(), bytes);
    assert_eq!(window.string_stops(), mask(bytes, |byte| b"\"\\".contains(&byte)));
    let cannot_stand = |byte| byte < 0x20 || b"\"\\".contains(&byte);
    assert_eq!(window.string_stops_and_controls(), mask(bytes, cannot_stand));
    assert_eq!(window.scalar_ends(), mask(bytes, |byte| byte <= b' ' || b",]}".contains(&byte)));
    assert_eq!(window.brackets_and_quotes(), mask(bytes, |byte| b"[]{}\"".contains(&byte)));
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    assert_eq!(window.leading_digits(), digits);
    assert_eq!(window.is_ascii(), bytes.is_ascii());
    let mut united = TextWindow::default();
    united |= window;
    assert_eq!(united.0.to_array(), bytes);
}
