//! LMDB files, written page by page and read with every byte checked.
//!
//! The format is that of LMDB 0.9 with data version 1, as described by the structures in its
//! `mdb.c`. Numbers are little-endian here; LMDB writes those of the machine.
//!
//! ```text
//!   page 0, 1   meta: the roots of two trees, the free pages (empty) and the names
//!   page 2 ...  leaf pages, branch pages, and overflow pages of long values, in any order
//!
//!   page        | header 16 | offsets of nodes, 2 bytes each -->   <-- nodes |
//!   header      page number u64, padding u16, flags u16, lower u16, upper u16
//!   leaf node   value length u32, flags u16, key length u16, key, value
//!   branch node child page u48, key length u16, key
//! ```
//!
//! LMDB itself maps the file into memory and trusts it. [`pages`] reads pages by their offset and
//! checks them, so that no file, however damaged, is more than an error.

pub mod page;
pub mod pages;
pub mod reader;
pub mod tree;
pub mod writer;

/// Bytes of a page.
pub const PAGE: usize = 4096;

/// Bytes of a page's header.
pub const HEADER: usize = 16;

/// Bytes of a node in front of its key.
pub const NODE: usize = 8;

/// Bytes of the offset of a node.
pub const OFFSET: usize = 2;

/// A node of more bytes than this has its value on overflow pages.
pub const NODE_MAX: usize = (PAGE - HEADER) / 2 - OFFSET;

/// Most bytes of a value, which is held in memory. That of an entry has the rest of a long key and
/// the included parts of a record.
pub const VALUE_MAX: usize = 1 << 30;

/// The number of the first page after the meta pages.
pub const FIRST_PAGE: u64 = 2;

/// The number that stands for no page.
pub const NO_PAGE: u64 = u64::MAX;

/// Most levels of a tree.
pub const DEPTH_MAX: u16 = 32;

/// Flags of pages.
pub const BRANCH: u16 = 0x01;
pub const LEAF: u16 = 0x02;
pub const OVERFLOW: u16 = 0x04;
pub const META: u16 = 0x08;

/// Flags of leaf nodes: the value is on overflow pages; the value is a tree.
pub const BIG_VALUE: u16 = 0x01;
pub const TREE_VALUE: u16 = 0x02;

/// Magic number of meta pages, and the version of the format.
pub const MAGIC: u32 = 0xBEEF_C0DE;
pub const DATA_VERSION: u32 = 1;

/// Bytes of a tree in a meta page or a leaf.
pub const TREE: usize = 48;

/// Offsets in a meta page: of the magic number, the length of the map, the two trees, the last page
/// and the transaction.
pub const META_MAGIC: usize = HEADER;
pub const META_VERSION: usize = HEADER + 4;
pub const META_MAP: usize = HEADER + 16;
pub const META_TREES: usize = HEADER + 24;
pub const META_LAST: usize = META_TREES + 2 * TREE;
pub const META_TRANSACTION: usize = META_LAST + 8;

#[cfg(test)]
mod tests;
