//! A model of an index: rows in a vector, compared value by value.

#[path = "../../src/bgzf/block.rs"]
#[expect(clippy::expect_used, reason = "memory is there")]
mod block;

use std::cmp::Ordering;
use std::fs;
use std::ops::Bound;
use std::path::{Path, PathBuf};

pub use block::block;
use sortwell_engine::format::{Format, PrefixWidth};
use sortwell_engine::key::{Key, ListMemory, OrderOptions};
use sortwell_engine::operator::Unique;

/// A generator of numbers (xorshift; Marsaglia, "Xorshift RNGs", 2003).
pub struct Random(u64);

impl Random {
    /// Returns a generator.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn one_of<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len() as u64) as usize]
    }
}

/// The order of the text of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Letters {
    /// That of bytes.
    Bytes,
    /// That of bytes, letters of either case alike.
    Folded,
    /// That of German.
    German,
    /// That of German, letters of either case alike.
    FoldedGerman,
}

impl Letters {
    /// Returns the modifiers of a key.
    const fn words(self) -> &'static str {
        match self {
            Self::Bytes => "",
            Self::Folded => ":ci",
            Self::German => ":locale=de",
            Self::FoldedGerman => ":locale=de:ci",
        }
    }

    /// Returns bytes that texts end with. The order of German is modelled for letters and digits of
    /// ASCII and spaces.
    const fn alphabet(self, long: bool) -> &'static [u8] {
        match (self, long) {
            (Self::Bytes, true) => b"ab",
            (Self::Bytes, false) => b"ab\x01z\xff ",
            (_, true) => b"aAb",
            (_, false) => b"aAbBzZ 09",
        }
    }

    /// Returns the order of two texts.
    fn order(self, one: &[u8], other: &[u8]) -> Ordering {
        let folded = || one.to_ascii_lowercase().cmp(&other.to_ascii_lowercase());
        // Small letters are before capital ones, after all letters were compared.
        let cases = |text: &[u8]| text.iter().map(u8::is_ascii_uppercase).collect::<Vec<_>>();
        match self {
            Self::Bytes => one.cmp(other),
            Self::Folded | Self::FoldedGerman => folded(),
            Self::German => folded().then_with(|| cases(one).cmp(&cases(other))),
        }
    }
}

/// The type and the direction of a key.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    is_number: bool,
    is_descending: bool,
    letters: Letters,
    /// True if empty values come first, false if they come last, where the key says so.
    nulls_first: Option<bool>,
}

impl Column {
    /// Returns a column of records of a kind.
    fn random(random: &mut Random, kind: u64) -> Self {
        let (is_number, is_descending) = (random.below(2) == 0, random.below(3) == 0);
        let letters = [Letters::Bytes, Letters::Folded, Letters::German, Letters::FoldedGerman];
        let letters = match random.below(3) {
            0 if !is_number && kind < 3 => *random.one_of(&letters[..letters_count()]),
            _ => Letters::Bytes,
        };
        let nulls_first = [None, None, Some(false), Some(true), Some(true)];
        let nulls_first = *random.one_of(&nulls_first[..if kind < 3 { 5 } else { 1 }]);
        Self { is_number, is_descending, letters, nulls_first }
    }

    /// Returns the modifiers of a key.
    fn words(self) -> String {
        let descending = if self.is_descending { ":desc" } else { "" };
        let nulls = match self.nulls_first {
            None => "",
            Some(true) => ":nulls-first",
            Some(false) => ":nulls-last",
        };
        format!("{}{descending}{nulls}", self.letters.words())
    }
}

/// Returns the number of orders of text that this program knows: without the feature `icu`, it
/// knows no language.
fn letters_count() -> usize {
    let key: Key = "1:locale=de".parse().unwrap();
    let bound = OrderOptions::default().bind(&[key], Format::LINES, ListMemory::UNBOUNDED);
    if bound.is_ok() { 4 } else { 2 }
}

/// A row: its values, and its place.
#[derive(Clone)]
pub struct Row {
    values: Vec<Vec<u8>>,
    file: usize,
    offset: u64,
    bytes: Vec<u8>,
}

/// Data, its keys, and its rows.
pub struct Case {
    /// The format.
    pub format: Format,
    /// The separator of lines.
    pub separator: Option<u8>,
    /// The keys as text.
    pub keys: Vec<String>,
    columns: Vec<Column>,
    /// The record that is kept of those with equal keys.
    pub unique: Option<Unique>,
    /// The rows, in the order of the data.
    pub rows: Vec<Row>,
    files: Vec<Vec<u8>>,
    /// True if the files are compressed in blocks.
    pub is_bgzf: bool,
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (rows, format, keys) = (self.rows.len(), self.format, &self.keys);
        let form = if self.is_bgzf { "compressed " } else { "" };
        write!(f, "{rows} {form}rows of {format:?} by {keys:?}, unique {:?}", self.unique)
    }
}

/// Returns a value of a column.
fn value(random: &mut Random, column: Column, long: bool) -> Vec<u8> {
    if column.is_number {
        let number = random.below(40) as i64 - 20;
        return if random.below(10) == 0 { number * 1_000_003 } else { number }.to_string().into();
    }
    let length = match random.below(if long { 4 } else { 1 }) {
        0 => 1 + random.below(6),
        1 => 480 + random.below(30),
        2 => 495,
        _ => 500 + random.below(6000),
    };
    // Long values differ at their ends, if at all.
    let alphabet = column.letters.alphabet(long);
    let mut text = vec![b'k'; length as usize];
    for _ in 0..3 {
        let at = text.len() - 1 - random.below(3.min(length)) as usize;
        text[at] = *random.one_of(alphabet);
    }
    text
}

/// Changes values to those that the records of a kind can have.
fn adapt(random: &mut Random, kind: u64, values: &mut [Vec<u8>], columns: &[Column]) {
    if kind == 2 {
        let clean = |byte: &mut u8| *byte = *byte & 0x7f | 0x20;
        values.iter_mut().flatten().for_each(clean);
        let columns = values.iter_mut().zip(columns);
        let is_bytes = |column: &Column| !column.is_number && column.letters == Letters::Bytes;
        columns.filter(|(_, column)| is_bytes(column)).for_each(|(value, _)| {
            value.iter_mut().for_each(|byte| *byte = b'a' + *byte % 26);
        });
    }
    for (value, column) in values.iter_mut().zip(columns) {
        // In lines, the place of an empty value depends on its type, unless the key names it.
        let may_be_empty = kind != 1 || column.nulls_first.is_some();
        if kind < 3 && may_be_empty && random.below(if kind == 0 { 20 } else { 10 }) == 0 {
            value.clear();
        }
    }
    if kind >= 3 {
        values.iter_mut().for_each(|value| value.truncate(8));
    }
}

impl Case {
    /// Returns a random case.
    pub fn random(random: &mut Random) -> Self {
        let count = 1 + random.below(3) as usize;
        let kind = random.below(5);
        let columns: Vec<Column> = (0..count).map(|_| Column::random(random, kind)).collect();
        let (format, separator) = match kind {
            0 => (Format::CSV, None),
            1 => (Format::LINES, Some(b';')),
            2 => (Format::JsonLines, None),
            3 => (Format::Fixed { length: 40 }, None),
            _ => (random.one_of(&["u16be", "u32le:self", "rdw"]).parse().unwrap(), None),
        };
        let rows = *random.one_of(&[0, 1, 2, 30, 300, 3000]);
        let long = kind < 2 && rows <= 300 && random.below(2) == 0;
        let key = |(at, column): (usize, &Column)| {
            let place = match kind {
                0 | 2 => format!("c{at}"),
                1 => (at + 2).to_string(),
                _ => format!("{}..{}", 8 * at + 8, 8 * at + 16),
            };
            let word = match (column.is_number, kind) {
                (true, 3 | 4) => ":i64le",
                (true, _) => ":int",
                (false, _) => "",
            };
            format!("{place}{word}{}", column.words())
        };
        let keys = columns.iter().enumerate().map(key).collect();
        let unique = *random.one_of(&[None, None, Some(Unique::First), Some(Unique::Last)]);
        let (kept, files) = (Vec::new(), Vec::new());
        let mut case =
            Self { format, separator, keys, columns, unique, rows: kept, files, is_bgzf: false };
        let files = 1 + random.below(2) as usize;
        for file in 0..files {
            let mut bytes = Vec::new();
            if kind == 0 {
                let names: Vec<String> = (0..count).map(|at| format!("c{at}")).collect();
                bytes.extend_from_slice(format!("x,{}\n", names.join(",")).as_bytes());
            }
            for number in 0..rows / files as u64 {
                let mut values: Vec<Vec<u8>> =
                    case.columns.iter().map(|column| value(random, *column, long)).collect();
                adapt(random, kind, &mut values, &case.columns);
                let row = match case.format {
                    Format::Prefixed(_) => prefixed(random, case.format, &values, &case.columns),
                    _ => record(kind, number, &values, &case.columns),
                };
                let offset = bytes.len() as u64;
                bytes.extend_from_slice(&row);
                case.rows.push(Row { values, file, offset, bytes: row });
            }
            case.files.push(bytes);
        }
        if random.below(4) == 0 {
            case.compress(random);
        }
        case
    }

    /// Compresses the files in blocks of random lengths, and gives rows their offsets in them.
    fn compress(&mut self, random: &mut Random) {
        self.is_bgzf = true;
        for (file, bytes) in self.files.iter_mut().enumerate() {
            // The beginning of each block, and its offset in the file.
            let (mut packed, mut starts, mut at) = (Vec::new(), Vec::new(), 0);
            while at < bytes.len() {
                let most = *random.one_of(&[1, 10, 100, 5000, 65_280]);
                let length = (random.below(most) as usize + 1).min(bytes.len() - at);
                starts.push((at as u64, packed.len() as u64));
                packed.extend_from_slice(&block(&bytes[at..at + length]));
                at += length;
            }
            packed.extend_from_slice(&block(b""));
            for row in self.rows.iter_mut().filter(|row| row.file == file) {
                let number = starts.partition_point(|(start, _)| *start <= row.offset) - 1;
                let (start, offset) = starts[number];
                row.offset = (offset << 16) + (row.offset - start);
            }
            *bytes = packed;
        }
    }

    /// Returns whether keys are ranges of bytes.
    pub const fn is_binary(&self) -> bool {
        matches!(self.format, Format::Fixed { .. } | Format::Prefixed(_))
    }

    /// Writes the data.
    pub fn write(&self, folder: &Path) -> Vec<PathBuf> {
        let write = |(number, bytes): (usize, &Vec<u8>)| {
            let path = folder.join(format!("data-{number}"));
            fs::write(&path, bytes).unwrap();
            path
        };
        self.files.iter().enumerate().map(write).collect()
    }

    /// Compares the first values of a row with values.
    fn compare(&self, row: &[Vec<u8>], values: &[Vec<u8>]) -> Ordering {
        let number = |text: &Vec<u8>| -> i64 { String::from_utf8_lossy(text).parse().unwrap() };
        let pairs = row.iter().zip(values).zip(&self.columns);
        let orders = pairs.map(|((one, other), column)| {
            // An empty value has its place in either direction.
            if one.is_empty() || other.is_empty() {
                let last = one.is_empty().cmp(&other.is_empty());
                return if column.nulls_first == Some(true) { last.reverse() } else { last };
            }
            let order = if column.is_number {
                number(one).cmp(&number(other))
            } else if self.is_binary() {
                filled(one).cmp(&filled(other))
            } else {
                column.letters.order(one, other)
            };
            if column.is_descending { order.reverse() } else { order }
        });
        orders.fold(Ordering::Equal, Ordering::then)
    }

    fn filtered(&self, is_wanted: impl Fn(&Row) -> bool) -> Vec<(usize, u64)> {
        let mut rows: Vec<&Row> = self.rows.iter().filter(|row| is_wanted(row)).collect();
        rows.sort_by(|one, other| self.compare(&one.values, &other.values));
        if self.unique == Some(Unique::Last) {
            rows.reverse();
        }
        if self.unique.is_some() {
            rows.dedup_by(|one, other| self.compare(&one.values, &other.values).is_eq());
        }
        if self.unique == Some(Unique::Last) {
            rows.reverse();
        }
        rows.iter().map(|row| (row.file, row.offset)).collect()
    }

    /// Returns the places of all rows, in order.
    pub fn sorted(&self) -> Vec<(usize, u64)> {
        self.filtered(|_| true)
    }

    /// Returns the places of the rows whose first values are these.
    pub fn get(&self, values: &[Vec<u8>]) -> Vec<(usize, u64)> {
        self.filtered(|row| self.compare(&row.values, values).is_eq())
    }

    /// Returns whether the last of `count` keys is text, and in no order of a language.
    pub fn has_beginnings(&self, count: usize) -> bool {
        let column = self.columns[count - 1];
        let has_language = matches!(column.letters, Letters::German | Letters::FoldedGerman);
        !column.is_number && !has_language && !self.is_binary()
    }

    /// Returns the places of the rows whose first values are these, but the last begins so.
    pub fn prefix(&self, values: &[Vec<u8>]) -> Vec<(usize, u64)> {
        let last = values.len() - 1;
        let is_folded = self.columns[last].letters == Letters::Folded;
        let text = |value: &[u8]| match is_folded {
            true => value.to_ascii_lowercase(),
            false => value.to_vec(),
        };
        self.filtered(|row| {
            self.compare(&row.values[..last], &values[..last]).is_eq()
                && text(&row.values[last]).starts_with(&text(&values[last]))
        })
    }

    /// Returns the places of the rows in a range.
    pub fn range(&self, from: &Bound<Vec<Vec<u8>>>, to: &Bound<Vec<Vec<u8>>>) -> Vec<(usize, u64)> {
        self.filtered(|row| {
            let is_after = match from {
                Bound::Unbounded => true,
                Bound::Included(values) => self.compare(&row.values, values).is_ge(),
                Bound::Excluded(values) => self.compare(&row.values, values).is_gt(),
            };
            let is_before = match to {
                Bound::Unbounded => true,
                Bound::Included(values) => self.compare(&row.values, values).is_le(),
                Bound::Excluded(values) => self.compare(&row.values, values).is_lt(),
            };
            is_after && is_before
        })
    }

    /// Returns values of the first keys: those of a row, or others.
    pub fn values(&self, random: &mut Random) -> Vec<Vec<u8>> {
        let count = 1 + random.below(self.columns.len() as u64) as usize;
        if random.below(4) > 0 && !self.rows.is_empty() {
            let mut values = random.one_of(&self.rows).values[..count].to_vec();
            if self.has_beginnings(count) && random.below(3) == 0 {
                let last = &mut values[count - 1];
                last.truncate(1 + random.below(last.len().max(1) as u64) as usize);
            }
            return values;
        }
        let value = |column: &Column| match (column.is_number, self.format) {
            (false, Format::JsonLines) if column.letters == Letters::Bytes => {
                vec![b'a' + random.below(26) as u8]
            }
            _ => {
                let mut value = value(random, *column, false);
                if self.is_binary() {
                    value.truncate(8);
                }
                value
            }
        };
        self.columns[..count].iter().map(value).collect()
    }

    /// Returns an end of a range.
    pub fn bound(&self, random: &mut Random) -> Bound<Vec<Vec<u8>>> {
        match random.below(5) {
            0 => Bound::Unbounded,
            1 | 2 => Bound::Included(self.values(random)),
            _ => Bound::Excluded(self.values(random)),
        }
    }

    /// Returns where a row of a file begins.
    pub fn row_start(&self, file: usize, random: &mut Random) -> Option<usize> {
        let rows: Vec<&Row> = self.rows.iter().filter(|row| row.file == file).collect();
        (!rows.is_empty()).then(|| random.one_of(&rows).offset as usize)
    }

    /// Returns a column to include, if the rows have columns.
    pub fn include(&self) -> Option<&'static str> {
        matches!(self.format, Format::Csv(_)).then_some("c0")
    }

    /// Returns the cell of that column at a place.
    pub fn included(&self, file: usize, offset: u64) -> Vec<u8> {
        let row = self.rows.iter().find(|row| (row.file, row.offset) == (file, offset));
        [b"\"", &row.unwrap().values[0][..], b"\""].concat()
    }

    /// Returns the values of the record at a place, as they stand in it, each with whether it is a
    /// number.
    #[cfg(feature = "sqlite")]
    pub fn values_at(&self, file: usize, offset: u64) -> Vec<(bool, Vec<u8>)> {
        let row = self.rows.iter().find(|row| (row.file, row.offset) == (file, offset));
        let pairs = row.unwrap().values.iter().zip(&self.columns);
        let shown = pairs.map(|(value, column)| match self.is_binary() && !column.is_number {
            true => (false, filled(value)),
            false => (column.is_number, value.clone()),
        });
        shown.collect()
    }

    /// Returns the record at a place.
    pub fn record(&self, file: usize, offset: u64) -> &[u8] {
        let row = self.rows.iter().find(|row| (row.file, row.offset) == (file, offset));
        &row.unwrap().bytes
    }
}

/// Returns text as it stands in eight bytes.
fn filled(text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    text.resize(8, 0);
    text
}

/// Returns the record of a row with its length in front, and bytes of no meaning at its end.
fn prefixed(
    random: &mut Random,
    format: Format,
    values: &[Vec<u8>],
    columns: &[Column],
) -> Vec<u8> {
    let mut body = record(3, 0, values, columns);
    body.resize(40 + random.below(20) as usize, b'-');
    let length = body.len() as u16;
    let Format::Prefixed(prefix) = format else { panic!("{format:?} has no prefix") };
    let front = match prefix.width {
        PrefixWidth::U16 => length.to_be_bytes().to_vec(),
        PrefixWidth::U32 => u32::from(length + 4).to_le_bytes().to_vec(),
        _ => [(length + 4).to_be_bytes(), [0, 0]].concat(),
    };
    [front, body].concat()
}

/// Returns the record of a row.
fn record(kind: u64, number: u64, values: &[Vec<u8>], columns: &[Column]) -> Vec<u8> {
    let text = |value: &Vec<u8>| String::from_utf8_lossy(value).into_owned();
    match kind {
        0 => {
            let cell = |value: &Vec<u8>| [b"\"", &value[..], b"\""].concat();
            let cells: Vec<Vec<u8>> = values.iter().map(cell).collect();
            [format!("{number},").into_bytes(), cells.join(&b','), b"\n".to_vec()].concat()
        }
        1 => [format!("{number};").into_bytes(), values.join(&b';'), b"\n".to_vec()].concat(),
        2 => {
            let member =
                |(at, (value, column)): (usize, (&Vec<u8>, &Column))| match value.is_empty() {
                    // These three are empty values.
                    true => ["", ",\"c{at}\":null", ",\"c{at}\":\"\""][number as usize % 3]
                        .replace("{at}", &at.to_string()),
                    false => {
                        let quote = if column.is_number { "" } else { "\"" };
                        format!(",\"c{at}\":{quote}{}{quote}", text(value))
                    }
                };
            let members: String = values.iter().zip(columns).enumerate().map(member).collect();
            format!("{{\"x\":{number}{members}}}\n").into_bytes()
        }
        _ => {
            let mut record = vec![b'.'; 40];
            for (at, (value, column)) in values.iter().zip(columns).enumerate() {
                let bytes = if column.is_number {
                    text(value).parse::<i64>().unwrap().to_le_bytes().to_vec()
                } else {
                    filled(value)
                };
                record[8 * at + 8..8 * at + 16].copy_from_slice(&bytes);
            }
            record
        }
    }
}
