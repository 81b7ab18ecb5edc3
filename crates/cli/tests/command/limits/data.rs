//! Records made to break a memory ceiling, in every format: a key, a number, a kind of which there
//! are five, and some letters.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::harness::Random;

/// What is odd about the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Random,
    Sorted,
    /// All keys are the same.
    Equal,
    /// Keys of 64 KiB, which differ at their beginning.
    LongKeys,
    /// The same, at their end.
    LongAlikeKeys,
    /// The same, not at all.
    LongEqualKeys,
    /// One record of 6 MiB among small ones.
    Huge,
}

pub const SHAPES: [Shape; 7] = [
    Shape::Random,
    Shape::Sorted,
    Shape::Equal,
    Shape::LongKeys,
    Shape::LongAlikeKeys,
    Shape::LongEqualKeys,
    Shape::Huge,
];

/// A format, and what can be asked of it.
pub struct Format {
    pub name: &'static str,
    pub key: &'static str,
    pub operators: &'static [&'static str],
}

const OF_TABLES: &[&str] = &[
    "",
    "--unique",
    "--count",
    "--sum number",
    "--min number -k kind",
    "--limit 1000",
    "--skip 1000 --limit 500000",
    "--select kind,key",
    "--split 3",
    "-k kind -k key --split-by kind",
    "--include number:int>=500",
    "--exclude number:int<990",
    "-k kind --unique=last",
    "-k kind --max letters:text --count",
];

const OF_BYTES: &[&str] = &[
    "",
    "--unique",
    "-k 8..9 --unique=last",
    "--sum 0..8:u64le",
    "-k 8..9 --max 0..8:u64le",
    "--limit 1000",
    "--skip 1000 --limit 500000",
    "--select 8..9,0..8",
    "--split 3",
    "-k 8..9 -k 12.. --split-by 8..9",
    "--include 0..8:u64le>=500",
];

pub const FORMATS: [Format; 5] = [
    Format {
        name: "lines",
        key: "-k 1",
        operators: &[
            "",
            "--unique",
            "--count",
            "--sum 2",
            "-k 3 --min 2",
            "--limit 1000",
            "--skip 1000 --limit 500000",
            "--select 3,1",
            "--split 3",
            "-k 3 -k 1 --split-by 3",
            "--include 2:int>=500",
            "--exclude 2:int<990",
            "--header 1",
            "-k 3 --unique=last --select 3,2",
            "-k 3 --count",
            "-k 1:ci",
            "-k 1:natural --unique",
        ],
    },
    Format { name: "csv", key: "-k key", operators: OF_TABLES },
    Format { name: "tsv", key: "-k key", operators: OF_TABLES },
    Format { name: "u32le", key: "-k 12..24", operators: OF_BYTES },
    Format { name: "fixed", key: "-k 12..", operators: OF_BYTES },
];

/// Bytes before the key of a record of bytes.
const BEFORE_KEY: usize = 12;

impl Format {
    /// How the command line says it.
    pub fn words(&self, shape: Shape) -> String {
        match self.name {
            "lines" => "-t ,".to_owned(),
            "fixed" => format!("-F fixed:{}", BEFORE_KEY + key_length(shape)),
            name => format!("-F {name}"),
        }
    }

    /// Whether there are such records.
    pub fn has(&self, shape: Shape) -> bool {
        self.name != "fixed" || shape != Shape::Huge
    }

    /// Appends a record.
    fn put(&self, out: &mut Vec<u8>, key: &[u8], (number, letters): (usize, &[u8])) {
        let (kind, number) = (b'a' + (number % 5) as u8, number % 1000);
        let separator = if self.name == "tsv" { b'\t' } else { b',' };
        match self.name {
            "u32le" | "fixed" => {
                let letters = if self.name == "fixed" { &[] } else { letters };
                if self.name == "u32le" {
                    let length = (BEFORE_KEY + key.len() + letters.len()) as u32;
                    out.extend(length.to_le_bytes());
                }
                out.extend((number as u64).to_le_bytes());
                out.extend([kind, b'.', b'.', b'.']);
                out.extend([key, letters].concat());
            }
            name => {
                out.extend(key);
                out.extend(format!("{}{number}", char::from(separator)).bytes());
                out.extend([separator, kind, separator]);
                // A cell with all that cells may have.
                let (begin, end): (&[u8], &[u8]) =
                    if name == "csv" { (b"\"", b"\"\",\n\"\n") } else { (b"", b"\n") };
                out.extend([begin, letters, end].concat());
            }
        }
    }
}

/// Bytes of keys, of all that have the same.
fn key_length(shape: Shape) -> usize {
    match shape {
        Shape::LongKeys | Shape::LongAlikeKeys | Shape::LongEqualKeys => 64 << 10,
        _ => 88,
    }
}

/// The key of record `number`. Of sorted ones all are in order.
fn key(shape: Shape, number: usize, random: &mut Random) -> Vec<u8> {
    let length = key_length(shape);
    let chance = (random.share() * 1e12) as u64;
    let number = match shape {
        Shape::Sorted => number as u64,
        Shape::Equal | Shape::LongEqualKeys => 0,
        _ => chance,
    };
    let digits = format!("{number:012}");
    let filler = "p".repeat(length - digits.len());
    match shape {
        Shape::LongAlikeKeys => [filler, digits].concat().into_bytes(),
        _ => [digits, filler].concat().into_bytes(),
    }
}

/// Writes some `bytes` of records: of all there are, every one of `parts` from the `part`th on.
pub fn write(
    path: &Path,
    format: &Format,
    shape: Shape,
    (bytes, part, parts): (usize, usize, usize),
) {
    let mut random = Random::fixed();
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path).expect("create"));
    let huge_at = bytes / 3;
    let (mut written, mut number, mut is_huge_due) = (0, part, true);
    let mut record = Vec::new();
    if matches!(format.name, "csv" | "tsv") {
        let separator = if format.name == "csv" { "," } else { "\t" };
        let header = ["key", "number", "kind", "letters"].join(separator);
        writeln!(file, "{header}").expect("write");
    }
    while written < bytes {
        let has_huge = matches!(shape, Shape::Huge | Shape::Sorted) && part == 0;
        let is_huge = has_huge && is_huge_due && written > huge_at && format.has(Shape::Huge);
        is_huge_due &= !is_huge;
        let most = if shape == Shape::Sorted { 4 << 20 } else { 6 << 20 };
        let letters = if is_huge { most } else { (random.share() * 60.0) as usize };
        record.clear();
        let key = key(shape, number, &mut random);
        format.put(&mut record, &key, (number, &vec![b'l'; letters]));
        file.write_all(&record).expect("write");
        (written, number) = (written + record.len(), number + parts);
    }
    file.flush().expect("write");
}
