//! Place in the input of a line of a load, for error messages about it.

use std::ops::Range;

use crate::format::Framing;
use crate::load::lines::LineLayout;

/// A line's place in the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinePlace {
    /// Index of the input.
    pub source: usize,
    /// Offset in the input where it begins.
    pub offset: u64,
    /// Offset in the load where it begins.
    pub at: usize,
    /// Number of its bytes, the end included.
    pub length: usize,
}

/// Returns the longest line, the first of several, of a load that lies in `bytes` as `layout` says.
/// Carried bytes are taken for those before the first span.
pub fn longest_line(bytes: &[u8], layout: &LineLayout, framing: Framing) -> LinePlace {
    let mut longest = LinePlace::default();
    for (source, range, offset) in stretches(layout) {
        // Behind an input's last byte is the end that its last line may have lacked.
        let (start, end) = (range.start.min(bytes.len()), (range.end + 1).min(bytes.len()));
        let mut begun = range.start;
        while let Some(length) = framing.whole_length(&bytes[begun.max(start)..end]) {
            let behind = begun + length;
            if behind - begun > longest.length {
                let offset = (offset + begun as u64).saturating_sub(range.start as u64);
                longest = LinePlace { source, offset, at: begun, length: behind - begun };
            }
            begun = behind;
        }
    }
    longest
}

/// Returns which input a byte of a load is of, and which byte of it.
pub fn place_in_input(location: usize, layout: &LineLayout) -> (usize, u64) {
    let stretches = stretches(layout);
    let begun = stretches.iter().rposition(|(_, range, _)| range.start <= location).unwrap_or(0);
    stretches.get(begun).map_or((0, 0), |(source, range, offset)| {
        (*source, offset + location.saturating_sub(range.start) as u64)
    })
}

/// Returns what of a load is of one input without a gap: the input, the bytes in the load, and
/// where in the input they begin.
fn stretches(layout: &LineLayout) -> Vec<(usize, Range<usize>, u64)> {
    let mut stretches: Vec<(usize, Range<usize>, u64)> = Vec::new();
    for span in &layout.spans {
        let (start, offset) = (span.at + span.skip, span.offset + span.skip as u64);
        match stretches.last_mut() {
            Some((source, range, _)) if *source == span.source && range.end == start => {
                range.end = span.end();
            }
            None => {
                let carried = layout.carried.min(start);
                let offset = offset.saturating_sub(carried as u64);
                stretches.push((span.source, start - carried..span.end(), offset));
            }
            _ => stretches.push((span.source, start..span.end(), offset)),
        }
    }
    stretches
}

#[cfg(test)]
mod tests;
