//! Arithmetic of striped files: the member and offset of each byte.

/// Distribution of a logical file over members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StripeLayout {
    /// Bytes of a stride of each member; none is 0.
    strides: Vec<u64>,
    /// Offset in a row of each member's stride.
    starts: Vec<u64>,
    /// Bytes of a row: a stride of each.
    width: u64,
}

/// Place of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StripePlace {
    /// The index of the member.
    pub member: usize,
    /// The byte in it.
    pub offset: u64,
    /// Bytes from there to the end of the stride.
    pub left: u64,
}

impl StripeLayout {
    /// Returns the layout of members with the given strides, in bytes.
    ///
    /// # Panics
    ///
    /// If there are no strides, one is 0, or their sum is no `u64`.
    pub fn new(strides: Vec<u64>) -> Self {
        assert!(!strides.is_empty() && !strides.contains(&0), "strides {strides:?}");
        let mut width: u64 = 0;
        let mut starts = Vec::with_capacity(strides.len());
        for stride in &strides {
            starts.push(width);
            width = width.checked_add(*stride).unwrap_or_else(|| panic!("strides {strides:?}"));
        }
        Self { strides, starts, width }
    }

    /// Returns the number of members.
    pub fn members(&self) -> usize {
        self.strides.len()
    }

    /// Returns the bytes that `member` takes at a time.
    pub fn stride(&self, member: usize) -> u64 {
        self.strides[member]
    }

    /// Returns the place of byte `offset` of the logical file.
    pub fn place(&self, offset: u64) -> StripePlace {
        let (row, within) = (offset / self.width, offset % self.width);
        let member = self.starts.partition_point(|start| *start <= within) - 1;
        let (stride, behind) = (self.strides[member], within - self.starts[member]);
        StripePlace { member, offset: row * stride + behind, left: stride - behind }
    }

    /// Returns the bytes that `member` has of a logical file of `length` bytes.
    pub fn member_bytes(&self, member: usize, length: u64) -> u64 {
        let (rows, rest) = (length / self.width, length % self.width);
        let stride = self.strides[member];
        rows * stride + rest.saturating_sub(self.starts[member]).min(stride)
    }
}
