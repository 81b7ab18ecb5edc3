//! The keys of many records outside of a job, for programs that read records themselves.

use super::records::{framing, gate, key};
use crate::error::Result;
use crate::format::{Format, Framing, RecordFault};
use crate::key::text::{End, Position, TextOrder, TextSpec};
use crate::key::{CompiledKey, CutRecord, KeyEncoder, KeyTally, with_encoder};
use crate::pipeline::{Columns, Gate, Passed};
use crate::stats::KeyFindings;

/// The normalized keys of records of one format, in one order.
#[derive(Clone, Debug)]
pub struct RowKeys {
    framing: Framing,
    gate: Gate,
    key: CompiledKey,
}

/// A record, and its key.
pub struct KeyedRow<'a> {
    /// Offset of the record among the bytes that were given.
    pub at: usize,
    /// The record with what ends it.
    pub bytes: &'a [u8],
    row: CutRecord<'a>,
    encoder: &'a dyn KeyEncoder,
}

impl KeyedRow<'_> {
    /// Appends the key to `out`.
    pub fn append_key(&self, out: &mut Vec<u8>) {
        self.encoder.key_bytes(self.row, usize::MAX, out);
    }

    /// Notes whether the keys of the record are values, given the first byte of its key.
    pub fn tally(&self, first: u8, tally: &mut KeyTally) {
        self.encoder.tally(self.row, u64::from(first) << 56, tally);
    }
}

impl RowKeys {
    /// Returns the keys of records of this format in this order, given the columns of the first
    /// row.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) for an order that contradicts itself, or that names
    /// a missing column.
    pub fn new(format: Format, order: &TextOrder, columns: Option<&Columns>) -> Result<Self> {
        let framing = framing(format)?;
        Ok(Self { framing, gate: gate(format, columns), key: key(order, columns)? })
    }

    /// Returns the same keys, each of which ends itself: none is the beginning of another one.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
    pub fn ended(format: Format, order: &TextOrder, columns: Option<&Columns>) -> Result<Self> {
        let keys = Self::new(format, order, columns)?;
        if !keys.key.encoder().is_open() {
            return Ok(keys);
        }
        // Every part but the last ends itself, and this one is always empty.
        let nothing = TextSpec { end: End::At(Position::default()), ..TextSpec::default() };
        let mut order = order.clone();
        order.specs.push(nothing);
        Self::new(format, &order, columns)
    }

    /// Returns the first `count` keys of an order. The keys of records begin with them, after the
    /// [`invalid_mark`](Self::invalid_mark) of a record that has an invalid later key.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
    pub fn beginning(
        format: Format,
        order: &TextOrder,
        columns: Option<&Columns>,
        count: usize,
    ) -> Result<Self> {
        let all = Self::ended(format, order, columns)?;
        match all.key.beginning(count) {
            Some(key) => Ok(Self { key, ..all }),
            None => {
                let specs = order.specs[..count].to_vec();
                Self::ended(format, &TextOrder { specs, ..order.clone() }, columns)
            }
        }
    }

    /// Returns the byte in front of the keys of records of which any key is invalid; `None` if such
    /// records have no place of their own, or are known by the first key alone.
    pub fn invalid_mark(&self) -> Option<u8> {
        self.key.invalid_mark()
    }

    /// Shows the records that take part to `show`; returns their number. `rows` are whole records
    /// back to back.
    ///
    /// # Errors
    ///
    /// The first record that is malformed or has no key.
    pub fn each(
        &self,
        rows: &[u8],
        mut show: impl FnMut(KeyedRow<'_>),
    ) -> std::result::Result<Passed, RecordFault> {
        with_encoder!(&self.key, |encoder| {
            self.gate.each(encoder, self.framing, rows, |row, at, _| {
                show(KeyedRow { at, bytes: row.bytes, row, encoder });
            })
        })
    }

    /// Returns what the tally of all records comes to.
    pub fn findings(&self, tally: &KeyTally) -> KeyFindings {
        self.key.encoder().findings(tally)
    }

    /// Returns whether rows with another number of cells are left out.
    pub fn drops_ragged(&self) -> bool {
        self.gate.drops_ragged()
    }

    /// Returns the rule that divides bytes into records.
    pub const fn framing(&self) -> Framing {
        self.framing
    }
}
