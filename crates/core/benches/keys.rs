//! What the key prefix of a text record costs, by shape of key: time per record of `word(.., 0)`.
//!
//! The records lie one after the other and stay in cache, so that the key is what is measured.

#![expect(missing_docs, reason = "criterion makes a function of each group")]
#![expect(clippy::expect_used, reason = "a benchmark without a key is no benchmark")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sortwell::key::text::{LastResort, Separator, TextKeySpec, TextOrder};
use sortwell::key::{Key, KeyEncoder};

const RECORDS: usize = 2000;

/// Lines of five fields: a word, a decimal, a code, a word, a date.
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

fn order(specs: &[&str], separator: Separator, is_stable: bool) -> TextOrder {
    let read = |text: &&str| text.parse::<TextKeySpec>().expect("a key").spec(None);
    TextOrder {
        specs: specs.iter().map(read).collect(),
        separator,
        then_whole: (!is_stable).then(LastResort::default),
        ..TextOrder::by_bytes(b'\n')
    }
}

fn all_words<K: KeyEncoder>(key: &K, lines: &[Vec<u8>]) -> u64 {
    lines.iter().fold(0, |sum, line| sum ^ black_box(key.word(black_box(line), 0)))
}

fn prefixes(c: &mut Criterion) {
    let mut group = c.benchmark_group("text key prefix");
    group.throughput(Throughput::Elements(RECORDS as u64));
    let tab = Separator::Byte(b'\t');
    let cases: [(&str, &[&str], Separator, bool); 9] = [
        ("line", &[], tab, true),
        ("line descending", &["..:desc"], tab, true),
        ("0..4 of the line", &["0..4"], tab, true),
        ("tab field 3", &["3"], tab, false),
        ("tab field 3, then 1", &["3", "1"], tab, false),
        ("tab field 2 as a decimal", &["2:decimal"], tab, false),
        ("blank field 3", &["3"], Separator::Blanks, false),
        ("blank field 2 as a decimal", &["2:decimal"], Separator::Blanks, false),
        ("blank field 1 as a version", &["1:version"], Separator::Blanks, false),
    ];
    for (name, specs, separator, is_stable) in cases {
        let lines = table(if separator == tab { '\t' } else { ' ' });
        let key = Key::for_lines(&order(specs, separator, is_stable)).expect("a key");
        group.bench_function(name, |b| match &key {
            Key::Line(key) => b.iter(|| all_words(key, &lines)),
            Key::Text(key) => b.iter(|| all_words(key, &lines)),
            _ => unreachable!("keys of text have two shapes"),
        });
    }
}

criterion_group!(benches, prefixes);
criterion_main!(benches);
