//! Inputs with the orders that are hard on sorts, written into the bytes a key looks at.

use crate::random::Random;

/// How the keys of an input are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Random,
    AllEqual,
    TwoValues,
    Sorted,
    Reversed,
    Sawtooth,
    OrganPipe,
    /// Sorted within clumps, which come in random order.
    Clumps,
    /// Each value is about half as likely to have one more leading zero bit.
    Skewed,
    /// Every key begins alike; only its last eight bytes differ.
    CommonPrefix,
    /// Keys agree with a common one to a random depth, and differ from there.
    Nested,
    /// Floats that are no numbers, infinite, zero and minus zero, among others.
    OddFloats,
}

pub const ORDERS: [Order; 12] = [
    Order::Random,
    Order::AllEqual,
    Order::TwoValues,
    Order::Sorted,
    Order::Reversed,
    Order::Sawtooth,
    Order::OrganPipe,
    Order::Clumps,
    Order::Skewed,
    Order::CommonPrefix,
    Order::Nested,
    Order::OddFloats,
];

/// `count` records of `length` bytes. Bytes `start..end` of each hold its key; the others are
/// random, so that records of equal keys differ and a sort that is not stable is found out.
pub fn records(
    order: Order,
    count: usize,
    length: usize,
    (start, end): (usize, usize),
    random: &mut Random,
) -> Vec<u8> {
    let mut data = vec![0; count * length];
    let mut clump = 0;
    for (index, record) in data.chunks_exact_mut(length).enumerate() {
        random.fill(record);
        if index % 500 == 0 {
            clump = random.next() & !(u64::MAX >> 16);
        }
        let slope = u64::MAX / count as u64;
        let (place, key) = (index as u64, &mut record[start..end]);
        match order {
            Order::Random => {}
            Order::AllEqual => key.fill(0x5a),
            Order::TwoValues => key.fill(if random.one_in(3) { 0x11 } else { 0xee }),
            Order::Sorted => put(key, place * slope),
            Order::Reversed => put(key, u64::MAX - place * slope),
            Order::Sawtooth => put(key, (place % 1000) << 50),
            Order::OrganPipe => put(key, place.min(count as u64 - place) * slope),
            Order::Clumps => put(key, clump + ((place % 500) << 32)),
            Order::Skewed => put(key, random.next() >> (random.next() % 64)),
            Order::CommonPrefix => {
                let agreed = key.len().saturating_sub(8);
                key[..agreed].fill(0xc3);
            }
            Order::Nested => {
                let agreed = random.below(key.len() + 1);
                key[..agreed].fill(0xaa);
            }
            Order::OddFloats => put_odd_float(key, random),
        }
    }
    data
}

/// Puts the first bytes of `value` at the start of the key, and zeros behind.
fn put(key: &mut [u8], value: u64) {
    key.fill(0);
    let width = key.len().min(8);
    key[..width].copy_from_slice(&value.to_be_bytes()[..width]);
}

fn put_odd_float(key: &mut [u8], random: &mut Random) {
    let odd = [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.5, -1.5];
    let value = random.pick(&odd);
    match key {
        // Either byte order: what is no odd float in the other is some number.
        [a, b, c, d] => {
            let bytes = value as f32;
            let bytes = if random.one_in(2) { bytes.to_be_bytes() } else { bytes.to_le_bytes() };
            [*a, *b, *c, *d] = bytes;
        }
        _ if key.len() >= 8 && !random.one_in(4) => {
            let bytes = if random.one_in(2) { value.to_be_bytes() } else { value.to_le_bytes() };
            key[..8].copy_from_slice(&bytes);
        }
        _ => {}
    }
}
