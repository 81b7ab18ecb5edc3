//! What the key of a text record costs, by shape of key: time per record of its prefix (word 0),
//! which is all that most records are asked for, of the beginning that a merge makes where prefixes
//! tie, and of the whole key, whose bytes are printed beside. From these follows what it would take
//! to keep keys in runs.
//!
//! The records lie one after the other and stay in cache, so that the key is what is measured. With
//! the feature `icu` collations of Unicode are measured too; those of the C library where it has
//! them.

#![expect(missing_docs, reason = "criterion makes a function of each group")]
#![expect(clippy::expect_used, reason = "a benchmark without a key is no benchmark")]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sortwell_engine::format::Format;
use sortwell_engine::key::text::{
    Collation, LastResort, Separator, TextOrder, TextSpec, collation,
};
use sortwell_engine::key::{CompiledKey, Key, KeyEncoder, ListMemory};
use sortwell_engine::locale::Locale;

const RECORDS: usize = 2000;

/// Bytes of a key that the merge makes where prefixes tie.
const TIED: usize = 63;

/// Returns lines of five fields: a word, a decimal, a code, a word, a date.
fn table(separator: char) -> Vec<Vec<u8>> {
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let line = |_| {
        let name = format!("customer{:06}", random(1_000_000));
        let price = format!("{}.{:02}", random(100_000), random(100));
        let code = format!("{:03x}", random(4096));
        let fields = [name, price, code, "delivered".into(), "2026-11-22T00:08:44Z".into()];
        let mut line = fields.join(&separator.to_string());
        line.push('\n');
        line.into_bytes()
    };
    (0..RECORDS).map(line).collect()
}

/// Rows of cells: a number, then words and numbers, some in quotes.
fn rows() -> Vec<Vec<u8>> {
    let row = |(number, line): (usize, Vec<u8>)| {
        let text = String::from_utf8_lossy(&line).replacen('\n', "", 1);
        let id = number.wrapping_mul(7_919_777) % 100_000_000;
        let quoted = if number % 3 == 0 { "\"said \"\"yes\"\"\"" } else { "said" };
        format!("{text},{id},{quoted}\n").into_bytes()
    };
    table(',').into_iter().enumerate().map(row).collect()
}

fn rows_by(specs: &[&str]) -> TextOrder {
    let by = order(specs, Separator::Blanks, true);
    TextOrder { specs: by.specs, ..TextOrder::of(Format::CSV) }
}

fn order(specs: &[&str], separator: Separator, is_stable: bool) -> TextOrder {
    let read = |text: &&str| {
        text.parse::<Key>().expect("a key").spec(ListMemory::UNBOUNDED).expect("no files")
    };
    let specs = specs.iter().map(read).collect();
    TextOrder { specs, separator, ..TextOrder::by_bytes(b'\n') }
        .with(|options| options.then_whole = (!is_stable).then(LastResort::default))
}

fn all_words<K: KeyEncoder>(key: &K, lines: &[Vec<u8>]) -> u64 {
    lines.iter().fold(0, |sum, line| sum ^ black_box(key.word(black_box(line), 0)))
}

/// Makes up to `limit` bytes of every key; how many those are together.
fn beginnings<K: KeyEncoder>(
    key: &K,
    limit: usize,
    lines: &[Vec<u8>],
    space: &mut Vec<u8>,
) -> usize {
    let bytes = |line: &Vec<u8>| {
        space.clear();
        key.key_bytes(black_box(line.as_slice()).into(), limit, space);
        black_box(space.len())
    };
    lines.iter().map(bytes).sum()
}

/// A key of a table's lines, by name.
type Case = (&'static str, TextOrder);

fn cases() -> Vec<Case> {
    let tab = Separator::Byte(b'\t');
    let mut cases: Vec<Case> = vec![
        ("line", order(&[], tab, true)),
        ("line descending", order(&["..:desc"], tab, true)),
        ("0..4 of the line", order(&["0..4"], tab, true)),
        ("tab field 3", order(&["3"], tab, false)),
        ("tab field 3, then 1", order(&["3", "1"], tab, false)),
        ("tab field 2 as a decimal", order(&["2:decimal"], tab, true)),
        ("tab field 2 as a float", order(&["2:float"], tab, true)),
        ("tab field 1 as natural", order(&["1:natural"], tab, true)),
        ("tab field 1 as a version", order(&["1:version"], tab, true)),
        ("tab field 3 as random", order(&["3:random"], tab, true)),
        ("blank field 3", order(&["3"], Separator::Blanks, false)),
        ("blank field 2 as a decimal", order(&["2:decimal"], Separator::Blanks, false)),
    ];
    cases.extend([
        ("cell 6 as an int", rows_by(&["6:int"])),
        ("cell 2 as a decimal", rows_by(&["2:decimal"])),
        ("cell 1", rows_by(&["1"])),
        ("cell 5 as a timestamp", rows_by(&["5:timestamp"])),
    ]);
    let mut collated = |name, collation: Arc<dyn Collation>| {
        let whole = TextSpec { collation: Some(collation), ..TextSpec::default() };
        cases.push((name, TextOrder { specs: vec![whole], ..TextOrder::by_bytes(b'\n') }));
    };
    if let Some(locale) = Locale::named("en_US.UTF-8") {
        collated("line in en_US.UTF-8", Arc::new(locale));
    }
    if let Ok(unicode) = collation("de") {
        collated("line in locale=de", unicode);
    }
    cases
}

fn measure<K: KeyEncoder>(c: &mut Criterion, name: &str, key: &K, lines: &[Vec<u8>]) {
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Elements(RECORDS as u64));
    let mut space = Vec::new();
    if key.is_partial() {
        let faults = |lines: &[Vec<u8>]| {
            lines.iter().filter(|line| key.fault(black_box(line)).is_some()).count()
        };
        group.bench_function("fault", |b| b.iter(|| faults(lines)));
    }
    group.bench_function("prefix", |b| b.iter(|| all_words(key, lines)));
    group.bench_function("beginning", |b| b.iter(|| beginnings(key, TIED, lines, &mut space)));
    group.bench_function("whole", |b| b.iter(|| beginnings(key, usize::MAX, lines, &mut space)));
    let per_line = |bytes: usize| bytes as f64 / RECORDS as f64;
    let key_bytes = per_line(beginnings(key, usize::MAX, lines, &mut space));
    let line_bytes = per_line(lines.iter().map(Vec::len).sum());
    println!("{name}: {key_bytes:.1} bytes a key, {line_bytes:.1} a line");
}

fn keys(c: &mut Criterion) {
    for (name, order) in cases() {
        let lines = match order.separator {
            Separator::Blanks => table(' '),
            Separator::Byte(_) | Separator::Lines { .. } => table('\t'),
            Separator::Cells(_) | Separator::Members => rows(),
        };
        match &CompiledKey::new(&order).expect("a key") {
            CompiledKey::Line(key) => measure(c, name, key, &lines),
            CompiledKey::Text(key) => measure(c, name, key, &lines),
            _ => unreachable!("keys of text have two shapes"),
        }
    }
}

criterion_group!(benches, keys);
criterion_main!(benches);
