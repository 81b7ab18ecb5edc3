//! Integers of a machine in a range of bytes: of fixed width, signed or not, in either byte order.

/// Place of such an integer, and the meaning of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerPlace {
    /// Index of its first byte.
    pub start: usize,
    /// Number of its bytes: 1, 2, 4 or 8.
    pub width: usize,
    /// Two's complement.
    pub is_signed: bool,
    /// True if its least significant byte comes first.
    pub is_little_endian: bool,
}

/// Every kind under its name: width, whether signed, whether little-endian.
const NAMES: [(&str, usize, bool, bool); 14] = [
    ("u8", 1, false, false),
    ("i8", 1, true, false),
    ("u16le", 2, false, true),
    ("u16be", 2, false, false),
    ("i16le", 2, true, true),
    ("i16be", 2, true, false),
    ("u32le", 4, false, true),
    ("u32be", 4, false, false),
    ("i32le", 4, true, true),
    ("i32be", 4, true, false),
    ("u64le", 8, false, true),
    ("u64be", 8, false, false),
    ("i64le", 8, true, true),
    ("i64be", 8, true, false),
];

impl IntegerPlace {
    /// Returns the integer of this kind at byte `start`.
    pub fn named(name: &str, start: usize) -> Option<Self> {
        let (_, width, is_signed, is_little_endian) =
            *NAMES.iter().find(|(known, ..)| *known == name)?;
        Some(Self { start, width, is_signed, is_little_endian })
    }

    /// Returns all names, for a message.
    pub fn names() -> String {
        NAMES.map(|(name, ..)| name).join(" ")
    }

    /// Returns its value in `bytes`; `None` where they end before it.
    pub fn read(self, bytes: &[u8]) -> Option<i128> {
        let bytes = bytes.get(self.start..self.start + self.width)?;
        let add = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        let value = match self.is_little_endian {
            true => bytes.iter().rev().fold(0, add),
            false => bytes.iter().fold(0, add),
        };
        if !self.is_signed {
            return Some(i128::from(value));
        }
        let unused = 64 - 8 * self.width as u32;
        Some(i128::from((value << unused).cast_signed() >> unused))
    }

    /// Returns whether a value fits.
    pub fn holds(self, value: i128) -> bool {
        let bits = 8 * self.width as u32;
        match self.is_signed {
            true => (-1_i128 << (bits - 1)..1 << (bits - 1)).contains(&value),
            false => (0..1 << bits).contains(&value),
        }
    }

    /// Puts a value that fits into `bytes`, which hold it.
    pub fn write(self, value: i128, bytes: &mut [u8]) {
        let place = &mut bytes[self.start..self.start + self.width];
        for (number, byte) in place.iter_mut().enumerate() {
            let lower = if self.is_little_endian { number } else { self.width - 1 - number };
            *byte = (value >> (8 * lower)) as u8;
        }
    }
}

#[cfg(test)]
mod tests;
