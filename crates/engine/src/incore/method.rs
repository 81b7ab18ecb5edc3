//! The methods by which a bucket's entries come into order: one family behind one contract.
//!
//! Entries are plain integers, no two alike, that fit a second-level cache together with spare
//! space of equal size. So all of the family are sorts of integers, and whichever is taken, the
//! order is the same. What differs is the time: `make bench` compares them.

mod mergesort;
mod quicksort;
mod radix;

/// Method that sorts a bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// NOW-Sort's partial radix sort with clean-up (Arpaci-Dusseau et al., SIGMOD 1997, section
    /// 4.2). The quickest.
    #[default]
    Radix,
    /// AlphaSort's quicksort of key prefixes and pointers (Nyberg et al., VLDB Journal 1995,
    /// section 4).
    Quicksort,
    /// A merge sort that begins with microruns, as psort's (Bertasi, Bressan and Peserico, 2008).
    Mergesort,
}

impl Method {
    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Radix => "radix",
            Self::Quicksort => "quicksort",
            Self::Mergesort => "mergesort",
        }
    }

    /// Sorts `entries`, using `spare` (at least as long) in between.
    pub fn sort(self, entries: &mut [u64], spare: &mut [u64]) {
        match self {
            Self::Radix => radix::sort(entries, spare),
            Self::Quicksort => quicksort::sort(entries),
            Self::Mergesort => mergesort::sort(entries, spare),
        }
    }

    /// Sorts wide entries, using `spare` (at least as long) in between.
    pub fn sort_wide(self, entries: &mut [u128], spare: &mut [u128]) {
        match self {
            Self::Radix => radix::sort_wide(entries, spare),
            Self::Quicksort => quicksort::sort(entries),
            Self::Mergesort => mergesort::sort(entries, spare),
        }
    }
}

/// Sorts by insertion, the best method for a handful of entries and for entries that are almost
/// sorted. Returns whether it finished with at most `moves` moves; if not, it stopped with every
/// entry still there.
fn insert<T: Copy + Ord>(entries: &mut [T], moves: usize) -> bool {
    let mut moves_left = moves;
    for next in 1..entries.len() {
        let entry = entries[next];
        let mut hole = next;
        while hole > 0 && entries[hole - 1] > entry {
            entries[hole] = entries[hole - 1];
            hole -= 1;
        }
        entries[hole] = entry;
        let moved = next - hole;
        if moved > moves_left {
            return false;
        }
        moves_left -= moved;
    }
    true
}

#[cfg(test)]
mod tests;
