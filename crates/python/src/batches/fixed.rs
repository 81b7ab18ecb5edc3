//! Rows of fixed width: columns are transposed to records, and back.
//!
//! ```text
//!   record:  [v] key value  [v] key value | [v] value  [v] value ...
//!            `----- compared as bytes ----'
//! ```
//!
//! A key value is big-endian with its sign bit flipped, and all bits are flipped for a descending
//! order. `[v]` is a validity byte; only columns that may have nulls have it. A float key does not
//! give its value back, because -0.0 and all NaNs are normalized. So a float key is also a value.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, make_array};
use arrow_buffer::{BooleanBuffer, MutableBuffer, NullBufferBuilder};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, Field};

use super::fault::BatchFault;
use super::order::BatchKeyOrder;

/// Bytes of the longest record. Longer ones are as fast with the other form.
const RECORD_BYTES_MAX: usize = 4096;

/// Bytes of the records that are written or read at a time, once for each column: a part of a
/// first-level cache.
const PIECE_BYTES: usize = 16 << 10;
/// Least rows of such a part. The work for a column and a part does not count then.
const PIECE_ROWS_LEAST: usize = 64;

/// Validity byte of a value.
const VALID: u8 = 1;
/// Validity byte of a null that comes before all values. Payload columns use it as well.
const NULL_FIRST: u8 = 0;
/// Validity byte of a null that comes after all values.
const NULL_LAST: u8 = 2;

/// Places of the values of a row in a record.
#[derive(Debug)]
pub struct FixedLayout {
    slots: Vec<FixedSlot>,
    /// Bytes of the key, which are the first ones of the record.
    key_bytes: usize,
    record_bytes: usize,
}

/// Place of a value in a record.
#[derive(Debug)]
struct FixedSlot {
    /// Number of the column in the schema.
    column: usize,
    data_type: DataType,
    /// Place of the validity byte.
    validity: Option<usize>,
    null_byte: u8,
    /// Place of the first byte of the value.
    start: usize,
    width: usize,
    form: SlotForm,
    /// True if the value of the column is read from here.
    is_source: bool,
}

/// Form of a value in a record.
#[derive(Debug, Clone, Copy)]
enum SlotForm {
    /// As in Arrow, little-endian.
    Plain,
    /// An integer or bytes whose order is that of their bytes; `flips` are the bits to flip in the
    /// first byte, then in all others.
    Ordered { is_reversed: bool, flips: (u8, u8) },
    /// A float key.
    Float { flip: u64, nan: u64 },
}

impl FixedLayout {
    /// Returns the layout of a row with these key columns, if all columns have a fixed width, and
    /// the keys have bytes.
    /// `fields` have the types that are stored.
    pub fn of(fields: &[Field], keys: &[(usize, BatchKeyOrder)]) -> Option<Self> {
        let mut layout = Self { slots: Vec::new(), key_bytes: 0, record_bytes: 0 };
        for &(column, order) in keys {
            if fields[column].data_type() == &DataType::Null {
                return None;
            }
            layout.add(column, &fields[column], Some(order))?;
        }
        layout.key_bytes = layout.record_bytes;
        for (column, field) in fields.iter().enumerate() {
            if !layout.slots.iter().any(|slot| slot.column == column && slot.is_source) {
                layout.add(column, field, None)?;
            }
        }
        // Values without bytes make no key of this form.
        (layout.key_bytes > 0 && layout.record_bytes <= RECORD_BYTES_MAX).then_some(layout)
    }

    fn add(&mut self, column: usize, field: &Field, order: Option<BatchKeyOrder>) -> Option<()> {
        let data_type = field.data_type().clone();
        let width = width_of(&data_type)?;
        let has_validity = field.is_nullable() && data_type != DataType::Null;
        let validity = has_validity.then_some(self.record_bytes);
        let start = self.record_bytes + usize::from(has_validity);
        let is_last = order.is_some_and(|order| !order.is_null_first);
        self.slots.push(FixedSlot {
            column,
            validity,
            null_byte: if is_last { NULL_LAST } else { NULL_FIRST },
            start,
            width,
            form: order.map_or(SlotForm::Plain, |order| SlotForm::of(&data_type, width, order)),
            is_source: order.is_none() || !data_type.is_floating(),
            data_type,
        });
        self.record_bytes = start + width;
        Some(())
    }

    /// Returns the bytes of the key and of the record.
    pub const fn lengths(&self) -> (usize, usize) {
        (self.key_bytes, self.record_bytes)
    }

    /// Writes some rows of the columns to `records`, all bytes of it.
    pub fn write(&self, columns: &[ArrayRef], rows: Range<usize>, records: &mut [u8]) {
        for piece in self.pieces(rows.len()) {
            let records =
                &mut records[piece.start * self.record_bytes..][..piece.len() * self.record_bytes];
            for slot in &self.slots {
                let values = columns[slot.column].slice(rows.start + piece.start, piece.len());
                slot.write(values.as_ref(), records, self.record_bytes);
            }
        }
    }

    /// Returns `count` rows, divided so that the records of a part fit a cache.
    fn pieces(&self, count: usize) -> impl Iterator<Item = Range<usize>> {
        let rows = (PIECE_BYTES / self.record_bytes).max(PIECE_ROWS_LEAST);
        (0..count).step_by(rows).map(move |start| start..count.min(start + rows))
    }

    /// Returns columns without rows, with room for `rows` rows.
    pub fn columns(&self, rows: usize) -> FixedColumns<'_> {
        let mut sources: Vec<_> = self.slots.iter().filter(|slot| slot.is_source).collect();
        sources.sort_unstable_by_key(|slot| slot.column);
        let columns = sources.into_iter().map(|slot| FixedColumn {
            slot,
            values: MutableBuffer::with_capacity(rows * slot.width),
            nulls: NullBufferBuilder::new(rows),
        });
        FixedColumns { layout: self, columns: columns.collect(), rows: 0 }
    }
}

/// Columns that are filled with the values of records.
#[derive(Debug)]
pub struct FixedColumns<'a> {
    layout: &'a FixedLayout,
    columns: Vec<FixedColumn<'a>>,
    rows: usize,
}

/// A column that is being filled.
#[derive(Debug)]
struct FixedColumn<'a> {
    slot: &'a FixedSlot,
    /// The values, of as many bytes as in a record.
    values: MutableBuffer,
    nulls: NullBufferBuilder,
}

impl FixedColumns<'_> {
    /// Returns the number of rows.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Appends the values of whole records.
    pub fn extend(&mut self, records: &[u8]) {
        let stride = self.layout.record_bytes;
        let count = records.len() / stride;
        for rows in self.layout.pieces(count) {
            let records = &records[rows.start * stride..rows.end * stride];
            for column in &mut self.columns {
                column.extend(records, stride);
            }
        }
        self.rows += count;
    }

    /// Returns the columns as arrays.
    ///
    /// # Errors
    ///
    /// An error of Arrow for values that it does not take.
    pub fn finish(self) -> Result<Vec<ArrayRef>, BatchFault> {
        let rows = self.rows;
        self.columns.into_iter().map(|column| column.finish(rows)).collect()
    }
}

impl FixedColumn<'_> {
    fn extend(&mut self, records: &[u8], stride: usize) {
        let (slot, count) = (self.slot, records.len() / stride);
        if let Some(validity) = slot.validity {
            let is_valid = |record: &[u8]| record[validity] == VALID;
            let valid = records.chunks_exact(stride).filter(|record| is_valid(record)).count();
            if valid == count {
                self.nulls.append_n_non_nulls(count);
            } else {
                let each = records.chunks_exact(stride).map(is_valid);
                each.for_each(|is_valid| self.nulls.append(is_valid));
            }
        }
        let begun = self.values.len();
        self.values.resize(begun + count * slot.width, 0);
        slot.read(records, stride, &mut self.values.as_slice_mut()[begun..]);
    }

    fn finish(mut self, rows: usize) -> Result<ArrayRef, BatchFault> {
        let data_type = &self.slot.data_type;
        let builder = ArrayDataBuilder::new(data_type.clone()).len(rows);
        let builder = match data_type {
            DataType::Null => builder,
            DataType::Boolean => {
                let bits = BooleanBuffer::collect_bool(rows, |row| self.values[row] & 1 == 1);
                builder.add_buffer(bits.into_inner())
            }
            _ => builder.add_buffer(self.values.into()),
        };
        let data: ArrayData = builder.nulls(self.nulls.finish()).build()?;
        Ok(make_array(data))
    }
}

/// Returns the bytes of a value in a record, if all values have as many.
fn width_of(data_type: &DataType) -> Option<usize> {
    match data_type {
        DataType::Null => Some(0),
        DataType::Boolean => Some(1),
        DataType::FixedSizeBinary(width) => usize::try_from(*width).ok(),
        other => other.primitive_width(),
    }
}

impl SlotForm {
    fn of(data_type: &DataType, width: usize, order: BatchKeyOrder) -> Self {
        let flip = if order.is_descending { 0xFF } else { 0 };
        if data_type.is_floating() {
            let nan = if order.is_null_first { 0 } else { u64::MAX };
            return Self::Float { flip: if order.is_descending { u64::MAX } else { 0 }, nan };
        }
        let is_unsigned = data_type.is_unsigned_integer()
            || matches!(data_type, DataType::Boolean | DataType::FixedSizeBinary(_));
        let sign = if is_unsigned { 0 } else { 0x80 };
        let is_bytes = matches!(data_type, DataType::FixedSizeBinary(_));
        Self::Ordered { is_reversed: !is_bytes && width > 1, flips: (flip ^ sign, flip) }
    }
}

impl FixedSlot {
    fn write(&self, values: &dyn Array, records: &mut [u8], stride: usize) {
        match &self.data_type {
            DataType::Null => return,
            DataType::Boolean => {
                let (bits, flip) = (values.as_boolean().values(), self.first_flip());
                for (bit, record) in bits.iter().zip(records.chunks_exact_mut(stride)) {
                    record[self.start] = u8::from(bit) ^ flip;
                }
            }
            _ => {
                let data = values.to_data();
                let first = data.offset() * self.width;
                let bytes = &data.buffers()[0][first..first + data.len() * self.width];
                self.write_bytes(bytes, records, stride);
            }
        }
        let Some(validity) = self.validity else { return };
        let Some(nulls) = values.nulls() else {
            for record in records.chunks_exact_mut(stride) {
                record[validity] = VALID;
            }
            return;
        };
        for (is_valid, record) in nulls.iter().zip(records.chunks_exact_mut(stride)) {
            if is_valid {
                record[validity] = VALID;
            } else {
                // Nulls are equal, so their records have equal bytes.
                record[self.start..self.start + self.width].fill(0);
                record[validity] = self.null_byte;
            }
        }
    }

    fn first_flip(&self) -> u8 {
        match self.form {
            SlotForm::Ordered { flips, .. } => flips.0,
            SlotForm::Plain | SlotForm::Float { .. } => 0,
        }
    }

    fn write_bytes(&self, values: &[u8], records: &mut [u8], stride: usize) {
        match self.width {
            1 => self.write_wide::<1>(values, records, stride),
            2 => self.write_wide::<2>(values, records, stride),
            4 => self.write_wide::<4>(values, records, stride),
            8 => self.write_wide::<8>(values, records, stride),
            16 => self.write_wide::<16>(values, records, stride),
            32 => self.write_wide::<32>(values, records, stride),
            0 => {}
            width => {
                let (flip, place) = (self.first_flip(), self.start..self.start + width);
                let records = records.chunks_exact_mut(stride);
                for (value, record) in values.chunks_exact(width).zip(records) {
                    copy_flipped(value, &mut record[place.clone()], flip);
                }
            }
        }
    }

    fn write_wide<const W: usize>(&self, values: &[u8], records: &mut [u8], stride: usize) {
        let from = StridedBytes { bytes: values, stride: W, start: 0 };
        let to = StridedBytes { bytes: records, stride, start: self.start };
        match self.form {
            SlotForm::Plain => move_values::<W>(from, to, |value| value),
            SlotForm::Ordered { is_reversed: false, flips } => {
                let mask = flip_mask(flips.0, flips.1);
                move_values::<W>(from, to, |value| flipped(value, mask));
            }
            SlotForm::Ordered { is_reversed: true, flips } => {
                let mask = flip_mask(flips.0, flips.1);
                move_values::<W>(from, to, |value| flipped(reversed(value), mask));
            }
            SlotForm::Float { flip, nan } => {
                move_values::<W>(from, to, |value| float_key(value, flip, nan));
            }
        }
    }

    /// Reads the values of whole records.
    fn read(&self, records: &[u8], stride: usize, target: &mut [u8]) {
        match self.width {
            1 => self.read_wide::<1>(records, stride, target),
            2 => self.read_wide::<2>(records, stride, target),
            4 => self.read_wide::<4>(records, stride, target),
            8 => self.read_wide::<8>(records, stride, target),
            16 => self.read_wide::<16>(records, stride, target),
            32 => self.read_wide::<32>(records, stride, target),
            0 => {}
            width => {
                let (flip, place) = (self.first_flip(), self.start..self.start + width);
                let records = records.chunks_exact(stride);
                for (target, record) in target.chunks_exact_mut(width).zip(records) {
                    copy_flipped(&record[place.clone()], target, flip);
                }
            }
        }
    }

    fn read_wide<const W: usize>(&self, records: &[u8], stride: usize, target: &mut [u8]) {
        let from = StridedBytes { bytes: records, stride, start: self.start };
        let to = StridedBytes { bytes: target, stride: W, start: 0 };
        match self.form {
            SlotForm::Ordered { is_reversed: false, flips } => {
                let mask = flip_mask(flips.0, flips.1);
                move_values::<W>(from, to, |value| flipped(value, mask));
            }
            SlotForm::Ordered { is_reversed: true, flips } => {
                let mask = flip_mask(flips.0, flips.1);
                move_values::<W>(from, to, |value| reversed(flipped(value, mask)));
            }
            SlotForm::Plain | SlotForm::Float { .. } => {
                move_values::<W>(from, to, |value| value);
            }
        }
    }
}

/// Bytes in which values lie at the distance `stride`, from `start` on.
#[derive(Clone, Copy)]
struct StridedBytes<B> {
    bytes: B,
    stride: usize,
    start: usize,
}

/// Copies values of `W` bytes.
#[inline]
fn move_values<const W: usize>(
    from: StridedBytes<&[u8]>,
    to: StridedBytes<&mut [u8]>,
    change: impl Fn([u8; W]) -> [u8; W],
) {
    let (from_start, sources) = (from.start, from.bytes.chunks_exact(from.stride));
    let StridedBytes { bytes, stride, start: to_start } = to;
    for (from, to) in sources.zip(bytes.chunks_exact_mut(stride)) {
        let mut value = [0; W];
        value.copy_from_slice(&from[from_start..from_start + W]);
        to[to_start..to_start + W].copy_from_slice(&change(value));
    }
}

/// Copies the bytes of a value of any width, with these bits flipped in each.
#[inline]
fn copy_flipped(from: &[u8], to: &mut [u8], flip: u8) {
    match flip {
        0 => to.copy_from_slice(from),
        _ => to.iter_mut().zip(from).for_each(|(to, byte)| *to = byte ^ flip),
    }
}

/// Returns the bits to flip.
fn flip_mask<const W: usize>(first: u8, others: u8) -> [u8; W] {
    let mut mask = [others; W];
    mask[0] = first;
    mask
}

#[inline(always)]
fn flipped<const W: usize>(value: [u8; W], mask: [u8; W]) -> [u8; W] {
    std::array::from_fn(|at| value[at] ^ mask[at])
}

#[inline(always)]
fn reversed<const W: usize>(mut value: [u8; W]) -> [u8; W] {
    value.reverse();
    value
}

/// Returns the key of a little-endian float of at most 8 bytes.
#[inline]
fn float_key<const W: usize>(value: [u8; W], flip: u64, nan: u64) -> [u8; W] {
    let mut wide = [0; 8];
    wide[..W].copy_from_slice(&value);
    let bits = u64::from_le_bytes(wide);
    let sign = 1 << (8 * W - 1);
    // Bits of the fraction: of half, single and double precision.
    let fraction = match W {
        2 => 10,
        4 => 23,
        _ => 52,
    };
    let infinity = (sign - 1) >> fraction << fraction;
    let magnitude = bits & (sign - 1);
    let key = if magnitude > infinity {
        nan
    } else if bits & sign == 0 || magnitude == 0 {
        (magnitude | sign) ^ flip
    } else {
        !bits ^ flip
    };
    let mut bytes = [0; W];
    bytes.copy_from_slice(&key.to_le_bytes()[..W]);
    bytes.reverse();
    bytes
}
