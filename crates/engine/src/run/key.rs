//! Index keys: the first bytes of normalized keys, and whether more follow.
//!
//! Kept so, keys that end and keys that were cut need no padding to be distinguished: the end of a
//! key comes before any byte, and a whole key before a longer one that begins with it. Two keys
//! that were both cut and agree are not decided here; the records must be asked.

use crate::key::KeyEncoder;

/// Most bytes of a key kept in the index. Longer keys that agree so far are read from the data.
pub const INDEX_KEY_MAX: usize = 256;

/// The beginning of a normalized key. Compares as the keys do, or is equal where it cannot tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexKey {
    pub(super) bytes: Vec<u8>,
    /// True if the key has more bytes than these.
    is_cut: bool,
}

impl IndexKey {
    /// Returns the key of `record`, cut after `length` bytes.
    pub fn of(key: &dyn KeyEncoder, record: &[u8], length: usize) -> Self {
        let mut bytes = Vec::with_capacity(length + 1);
        key.key_bytes(record.into(), length + 1, &mut bytes);
        let is_cut = bytes.len() > length;
        bytes.truncate(length);
        Self { bytes, is_cut }
    }

    /// Returns whether keys equal to this one may differ further on.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Writes the key's bytes at the beginning of `out`. Returns the length to be stored with them,
    /// which is one more for a key that was cut.
    pub fn write(&self, out: &mut [u8]) -> u16 {
        out[..self.bytes.len()].copy_from_slice(&self.bytes);
        self.bytes.len() as u16 + u16::from(self.is_cut)
    }

    /// Reads what [`write`](Self::write) has written, where keys are cut after `bytes.len()` bytes.
    pub fn read(bytes: &[u8], length: usize) -> Self {
        let mut key = Self::default();
        key.read_into(bytes, length);
        key
    }

    /// Reads what [`write`](Self::write) has written into this key, in place.
    pub fn read_into(&mut self, bytes: &[u8], length: usize) {
        self.bytes.clear();
        self.bytes.extend_from_slice(&bytes[..length.min(bytes.len())]);
        self.is_cut = length > bytes.len();
    }
}
