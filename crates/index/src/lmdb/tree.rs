//! What is known of a tree: its root, its depth and how much it holds.

use super::{NO_PAGE, TREE};

/// A tree of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageTree {
    /// In the tree of free pages, the bytes of a page; otherwise 0.
    pub padding: u32,
    /// Flags of the tree.
    pub flags: u16,
    /// Number of levels.
    pub depth: u16,
    /// Numbers of pages.
    pub branch_pages: u64,
    pub leaf_pages: u64,
    pub overflow_pages: u64,
    /// Number of entries.
    pub entries: u64,
    /// The number of the root page.
    pub root: u64,
}

impl PageTree {
    /// A tree without entries.
    pub const EMPTY: Self = Self {
        padding: 0,
        flags: 0,
        depth: 0,
        branch_pages: 0,
        leaf_pages: 0,
        overflow_pages: 0,
        entries: 0,
        root: NO_PAGE,
    };

    /// Returns its bytes in a file.
    pub fn to_bytes(self) -> [u8; TREE] {
        let mut bytes = [0; TREE];
        bytes[..4].copy_from_slice(&self.padding.to_le_bytes());
        bytes[4..6].copy_from_slice(&self.flags.to_le_bytes());
        bytes[6..8].copy_from_slice(&self.depth.to_le_bytes());
        let numbers =
            [self.branch_pages, self.leaf_pages, self.overflow_pages, self.entries, self.root];
        for (place, number) in bytes[8..].chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// Returns the tree that is so written.
    pub fn from_bytes(bytes: &[u8; TREE]) -> Self {
        let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let [branch_pages, leaf_pages, overflow_pages, entries, root] =
            [8, 16, 24, 32, 40].map(|at| number_at(bytes, at));
        let padding = u32::from(half(0)) | u32::from(half(2)) << 16;
        let (flags, depth) = (half(4), half(6));
        Self { padding, flags, depth, branch_pages, leaf_pages, overflow_pages, entries, root }
    }
}

/// Returns the number of eight bytes at an offset; zero for bytes that are not there.
pub fn number_at(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes.get(at..).and_then(|rest| rest.first_chunk());
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
