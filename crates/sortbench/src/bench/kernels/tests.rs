//! The whole bench of a few keys, and sizes that are refused.

use sortwell::Progress;

use super::*;
use crate::bench::Program;

fn table<'f>(finding: &'f Finding, title: &str) -> &'f FigureTable {
    let table = finding.tables.iter().find(|table| table.title.contains(title));
    table.unwrap_or_else(|| panic!("no table of {title}"))
}

#[test]
fn a_small_bench_has_all_its_parts() {
    let directory = tempfile::tempdir().unwrap();
    let (program, progress) = (Program("nowhere".into()), Progress::new());
    let command = "bench kernels".to_owned();
    let ground = Ground::new(directory.path(), program, 2, None, &progress, command).unwrap();
    let finding = kernels(&ground, KernelSizes { records: 1000, keys: 120_000 }).unwrap();
    assert_eq!(table(&finding, "QuickSorts of 1000").rows.len(), 5);
    assert_eq!(table(&finding, "keys with pointers").rows.len(), 2);
    assert_eq!(table(&finding, "to sort and merge runs, 120000").rows.len(), 6);
    assert_eq!(table(&finding, "replacement selection").rows.len(), 3);
    let printed = finding.tables.iter().filter(|table| table.source != FigureSource::Measured);
    assert_eq!(printed.count(), PRINTED.len());
    for table in &finding.tables {
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{table:?}");
    }
    let names = |line: &super::super::finding::ChartLine| !line.points.is_empty();
    assert!(finding.charts.len() == 3 && finding.charts.iter().flat_map(|c| &c.lines).all(names));
    assert!(!finding.answer.contains("NaN"), "{}", finding.answer);
    let is_told = finding.answer.contains("No cycles, instructions or misses: ");
    let is_counted = finding.tables.iter().any(|table| table.title.contains("counted"));
    assert!(is_told != is_counted, "counts, or why there are none");
}

#[test]
fn keys_grow_by_ten() {
    assert_eq!(numbers(1000), [1000]);
    assert_eq!(numbers(100_000), [100_000]);
    assert_eq!(numbers(10_000_000), [100_000, 1_000_000, 10_000_000]);
    assert_eq!(numbers(2_000_000), [100_000, 1_000_000, 2_000_000]);
}

#[test]
fn what_memory_does_not_hold_is_refused() {
    let refused = |records, keys, memory| {
        in_memory(KernelSizes { records, keys }, memory).unwrap_err().to_string()
    };
    let words = refused(1_000_000, 1000, Some(ByteSize::mib(200)));
    assert!(words.starts_with("--records 1000000 needs ") && words.contains("200"), "{words}");
    let words = refused(1000, 100_000_000, Some(ByteSize::gib(1)));
    assert!(words.starts_with("--keys 100000000 needs "), "{words}");
    assert!(refused(0, 1, None).starts_with("0 records"));
    assert!(refused(1, 1 << 32, None).starts_with("4294967296 keys"));
    let sizes = KernelSizes::USUAL;
    assert_eq!(in_memory(sizes, Some(ByteSize::gib(1))).unwrap(), [1_000_000, 10_000_000]);
    assert!(in_memory(sizes, None).is_ok());
}

#[test]
fn counted_events_are_columns_and_others_are_not() {
    let spread = Some(Spread::of(&[3.0]));
    let kernel = KernelCounts { of: "it, 5".into(), counts: [spread, None, spread, None] };
    let other = KernelCounts { counts: [spread, None, None, None], ..kernel.clone() };
    let table = counted(&[kernel, other]).unwrap();
    assert_eq!(table.columns, ["kernel, records", "cycles per record", "cache misses per record"]);
    assert_eq!(table.rows[1][2], Cell::Empty);
    assert_eq!(counted(&[]), None);
}
