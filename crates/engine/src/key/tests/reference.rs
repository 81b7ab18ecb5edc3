//! The naive order of records: decode the values of both, compare them, take the first difference.

use std::cmp::Ordering;

use super::machine_numbers;

/// One part of a key as a test wants it.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub name: &'static str,
    pub start: usize,
    pub end: usize,
    pub is_descending: bool,
}

impl Wanted {
    /// The key that asks for it.
    pub fn text(&self) -> String {
        let direction = if self.is_descending { "desc" } else { "asc" };
        format!("{}..{}:{}:{direction}", self.start, self.end, self.name)
    }
}

/// Every type with the fewest bytes it takes.
pub fn widths() -> impl Iterator<Item = (&'static str, usize)> {
    machine_numbers().map(|(name, _)| name).chain(["bytes"]).map(|name| {
        let digits: String = name.chars().filter(char::is_ascii_digit).collect();
        (name, digits.parse::<usize>().map_or(1, |bits| bits / 8))
    })
}

/// The order of two records by these parts.
pub fn compare(wanted: &[Wanted], a: &[u8], b: &[u8]) -> Ordering {
    let orders = wanted.iter().map(|part| {
        let order = compare_values(part.name, &a[part.start..part.end], &b[part.start..part.end]);
        if part.is_descending { order.reverse() } else { order }
    });
    orders.fold(Ordering::Equal, Ordering::then)
}

macro_rules! decoded {
    ($a:expr, $b:expr, $decode:path, $compare:path) => {
        $compare(&$decode($a.try_into().unwrap()), &$decode($b.try_into().unwrap()))
    };
}

fn compare_values(name: &str, a: &[u8], b: &[u8]) -> Ordering {
    match name {
        "bytes" => a.cmp(b),
        "u8" => decoded!(a, b, u8::from_ne_bytes, Ord::cmp),
        "i8" => decoded!(a, b, i8::from_ne_bytes, Ord::cmp),
        "u16le" => decoded!(a, b, u16::from_le_bytes, Ord::cmp),
        "u16be" => decoded!(a, b, u16::from_be_bytes, Ord::cmp),
        "i16le" => decoded!(a, b, i16::from_le_bytes, Ord::cmp),
        "i16be" => decoded!(a, b, i16::from_be_bytes, Ord::cmp),
        "u32le" => decoded!(a, b, u32::from_le_bytes, Ord::cmp),
        "u32be" => decoded!(a, b, u32::from_be_bytes, Ord::cmp),
        "i32le" => decoded!(a, b, i32::from_le_bytes, Ord::cmp),
        "i32be" => decoded!(a, b, i32::from_be_bytes, Ord::cmp),
        "u64le" => decoded!(a, b, u64::from_le_bytes, Ord::cmp),
        "u64be" => decoded!(a, b, u64::from_be_bytes, Ord::cmp),
        "i64le" => decoded!(a, b, i64::from_le_bytes, Ord::cmp),
        "i64be" => decoded!(a, b, i64::from_be_bytes, Ord::cmp),
        "f32le" => decoded!(a, b, f32::from_le_bytes, f32::total_cmp),
        "f32be" => decoded!(a, b, f32::from_be_bytes, f32::total_cmp),
        "f64le" => decoded!(a, b, f64::from_le_bytes, f64::total_cmp),
        "f64be" => decoded!(a, b, f64::from_be_bytes, f64::total_cmp),
        _ => panic!("the reference knows no type {name}"),
    }
}
