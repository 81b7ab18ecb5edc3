//! Which place the next run goes to, and what fits in all of them: decisions over numbers, nothing
//! is done.
//!
//! Runs are written one after another, and read all at once in the end. So a place should hold as
//! much of them as its speed is of all speeds: the next run goes where its bytes, with those that
//! are there already, take the least time to move. Runs of one length come to the shares that
//! d'Hondt's method gives out seats by, which are never a whole run too little.

use std::cmp::Ordering;

/// A place as it stands when a run is about to be written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Bytes a second it was found to write, if it was.
    pub speed: Option<f64>,
    /// Bytes of runs that it holds.
    pub held: u64,
    /// Free bytes of its file system.
    pub free: u64,
}

/// The places in the order in which they are asked to take a run of `bytes` bytes: those with room
/// for it by their shares, then the others by their room, of which the file system may have been
/// mistaken. Of equal ones the first goes first. One whose speed is not known yet counts as the
/// fastest, so that it will be soon.
pub fn in_order(places: &[Standing], bytes: u64) -> Vec<usize> {
    let known = places.iter().filter_map(|place| place.speed);
    let fastest = known.reduce(f64::max).unwrap_or(1.0);
    let has_room = |place: &Standing| place.free >= bytes;
    let seconds = |place: &Standing| {
        (place.held as f64 + bytes as f64) / place.speed.unwrap_or(fastest).max(1.0)
    };
    let compare = |a: &usize, b: &usize| -> Ordering {
        let (a, b) = (&places[*a], &places[*b]);
        match (has_room(a), has_room(b)) {
            (true, true) => seconds(a).total_cmp(&seconds(b)),
            (false, false) => b.free.cmp(&a.free),
            (a, b) => b.cmp(&a),
        }
    };
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(compare);
    order
}

/// Bytes that fit in file systems with so many free bytes each, in pieces of at most `piece_bytes`
/// that are whole in one of them.
pub fn room(free: &[u64], piece_bytes: u64) -> u64 {
    match free {
        [one] => *one,
        _ => {
            let piece_bytes = piece_bytes.max(1);
            let whole = free.iter().map(|free| free / piece_bytes * piece_bytes);
            whole.fold(0, u64::saturating_add)
        }
    }
}

#[cfg(test)]
mod tests;
