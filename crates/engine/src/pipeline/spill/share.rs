//! Choice of place for the next run, and what fits in all of them: decisions over numbers, nothing
//! is done.
//!
//! Runs are written one after another, and read all at once in the end. So a place should hold as
//! much of them as its speed is of all speeds: the next run goes where its bytes, with those that
//! are there already, take the least time to move. Runs of one length come to the shares that
//! d'Hondt's method gives out seats by, which are never a whole run too little.

use std::cmp::Ordering;

/// A place as it stands when a run is about to be written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpillStanding {
    /// Bytes a second it was found to write, if it was.
    pub speed: Option<f64>,
    /// Bytes of runs that it holds.
    pub held: u64,
    /// Free bytes of its file system.
    pub free: u64,
}

/// Returns the places in the order in which they are asked to take a run of `bytes` bytes: those
/// with room for it by their shares, then the others by their room, of which the file system may
/// have been mistaken. Of equal ones the first goes first. One whose speed is not known yet counts
/// as the fastest, so that it will be soon.
pub fn in_order(places: &[SpillStanding], bytes: u64) -> Vec<usize> {
    let known = places.iter().filter_map(|place| place.speed);
    let fastest = known.reduce(f64::max).unwrap_or(1.0);
    let has_room = |place: &SpillStanding| place.free >= bytes;
    let seconds = |place: &SpillStanding| {
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

/// Part that a file system takes of each run in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunShare {
    /// Number of the file system.
    pub system: usize,
    /// Bytes it takes by turns with the others of the place.
    pub stride: u64,
}

/// Returns the number of bytes that fit in `places` on file systems with `free` bytes each, in
/// pieces of at most `piece_bytes` that are whole in one place.
///
/// Striped places are filled first: every byte that another file system takes of theirs is one more
/// for all, so that for a single one of them nothing else would be more.
pub fn room(free: &[u64], places: &[Vec<RunShare>], piece_bytes: u64) -> u64 {
    let mut free = free.to_vec();
    let mut rooms = Vec::new();
    for parts in places.iter().filter(|parts| parts.len() > 1) {
        let room = tightest(&free, parts).map_or(0, |part| room_by(&free, &part, parts));
        for part in parts {
            free[part.system] = free[part.system].saturating_sub(part_of(room, *part, parts));
        }
        rooms.push(room);
    }
    let mut plain: Vec<usize> =
        places.iter().filter(|parts| parts.len() == 1).map(|parts| parts[0].system).collect();
    plain.sort_unstable();
    plain.dedup();
    rooms.extend(plain.into_iter().map(|system| free[system]));
    match rooms[..] {
        [one] => one,
        _ => {
            let piece_bytes = piece_bytes.max(1);
            let whole = rooms.iter().map(|room| room / piece_bytes * piece_bytes);
            whole.fold(0, u64::saturating_add)
        }
    }
}

/// Returns the part of a place that is full first.
pub fn tightest(free: &[u64], parts: &[RunShare]) -> Option<RunShare> {
    parts.iter().copied().min_by_key(|part| room_by(free, part, parts))
}

/// Returns the share of a part in `bytes` bytes.
pub fn part_of(bytes: u64, part: RunShare, parts: &[RunShare]) -> u64 {
    scaled(bytes, part.stride, width(parts))
}

/// Returns the number of bytes of whole runs that fit in a place, as far as one part is concerned.
fn room_by(free: &[u64], part: &RunShare, parts: &[RunShare]) -> u64 {
    scaled(free[part.system], width(parts), part.stride)
}

fn width(parts: &[RunShare]) -> u64 {
    parts.iter().map(|part| part.stride).sum()
}

fn scaled(bytes: u64, by: u64, of: u64) -> u64 {
    let scaled = u128::from(bytes) * u128::from(by) / u128::from(of.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
