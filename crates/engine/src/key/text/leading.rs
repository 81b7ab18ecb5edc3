//! Length of a run of bytes of one kind: blanks, digits, zeros.

/// Bytes that are looked at one by one: most runs end there, and before a look at many bytes at
/// once has begun.
const SHORT_BYTES: usize = 16;

/// Bytes that are looked at together, without a branch on any of them.
const BLOCK_BYTES: usize = 64;

/// Returns the number of bytes at the beginning of `text` that all are `wanted`.
#[inline]
pub(super) fn leading(text: &[u8], wanted: impl Fn(u8) -> bool) -> usize {
    let short = &text[..text.len().min(SHORT_BYTES)];
    match short.iter().position(|&byte| !wanted(byte)) {
        Some(length) => length,
        None => short.len() + leading_of_many(&text[short.len()..], wanted),
    }
}

/// Returns that number for text that is probably long.
fn leading_of_many(text: &[u8], wanted: impl Fn(u8) -> bool) -> usize {
    let is_all = |block: &[u8; BLOCK_BYTES]| block.iter().fold(true, |all, &b| all & wanted(b));
    let (blocks, _) = text.as_chunks();
    let agreed = BLOCK_BYTES * blocks.iter().take_while(|block| is_all(block)).count();
    agreed + text[agreed..].iter().take_while(|&&byte| wanted(byte)).count()
}

#[cfg(test)]
mod tests;
