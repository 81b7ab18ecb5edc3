//! One page of a tree, while nodes are added to it.

use super::{BRANCH, HEADER, LEAF, NODE, OFFSET, PAGE};

/// A page that is filled from both ends.
#[derive(Debug)]
pub struct NewPage {
    bytes: Box<[u8; PAGE]>,
    lower: usize,
    upper: usize,
}

impl NewPage {
    /// Returns an empty leaf page.
    pub fn leaf() -> Self {
        Self::new(LEAF)
    }

    /// Returns an empty branch page.
    pub fn branch() -> Self {
        Self::new(BRANCH)
    }

    fn new(flags: u16) -> Self {
        let mut page = Self { bytes: Box::new([0; PAGE]), lower: HEADER, upper: PAGE };
        page.bytes[10..12].copy_from_slice(&flags.to_le_bytes());
        page
    }

    /// Returns the number of nodes.
    pub const fn nodes(&self) -> usize {
        (self.lower - HEADER) / OFFSET
    }

    /// Returns whether a node of this many bytes fits in.
    pub const fn has_room(&self, node: usize) -> bool {
        self.lower + OFFSET + node.next_multiple_of(2) <= self.upper
    }

    /// Adds a node of a leaf, which has room. `length` is that of the value, which may lie
    /// elsewhere; `value` is what the node holds.
    pub fn add_leaf(&mut self, key: &[u8], length: u32, flags: u16, value: [&[u8]; 2]) {
        let bytes = NODE + key.len() + value[0].len() + value[1].len();
        let node = self.add_node(bytes);
        node[..4].copy_from_slice(&length.to_le_bytes());
        node[4..6].copy_from_slice(&flags.to_le_bytes());
        node[6..8].copy_from_slice(&(key.len() as u16).to_le_bytes());
        let mut rest = &mut node[NODE..];
        for part in [key, value[0], value[1]] {
            let (place, behind) = rest.split_at_mut(part.len());
            place.copy_from_slice(part);
            rest = behind;
        }
    }

    /// Adds a node of a branch, which has room.
    pub fn add_branch(&mut self, key: &[u8], child: u64) {
        let node = self.add_node(NODE + key.len());
        node[..6].copy_from_slice(&child.to_le_bytes()[..6]);
        node[6..8].copy_from_slice(&(key.len() as u16).to_le_bytes());
        node[NODE..].copy_from_slice(key);
    }

    fn add_node(&mut self, bytes: usize) -> &mut [u8] {
        self.upper -= bytes.next_multiple_of(2);
        let offset = (self.upper as u16).to_le_bytes();
        self.bytes[self.lower..self.lower + OFFSET].copy_from_slice(&offset);
        self.lower += OFFSET;
        &mut self.bytes[self.upper..self.upper + bytes]
    }

    /// Appends the page to `out`, without its number, and empties it.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.bytes[12..14].copy_from_slice(&(self.lower as u16).to_le_bytes());
        self.bytes[14..16].copy_from_slice(&(self.upper as u16).to_le_bytes());
        out.extend_from_slice(&*self.bytes);
        // No byte of an earlier page stays in the gap of this one.
        self.bytes[HEADER..].fill(0);
        (self.lower, self.upper) = (HEADER, PAGE);
    }
}

/// Sets the number of a page.
pub fn set_number(page: &mut [u8], number: u64) {
    page[..8].copy_from_slice(&number.to_le_bytes());
}
