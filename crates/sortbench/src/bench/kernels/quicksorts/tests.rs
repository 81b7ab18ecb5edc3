//! All five ways with the same records: each run asserts that its output is ordered and whole.

use sortwell::Progress;

use super::*;

fn load(records: &[BenchRecord]) -> Load {
    let mut memory = AlignedValues::<BenchRecord>::of(records.len()).unwrap();
    memory.copy_from_slice(records);
    let mut sum = Sum::default();
    records.iter().for_each(|record| sum.add_record(record));
    Load { records: memory, sum }
}

#[test]
fn keys_of_every_kind_come_into_order() {
    let progress = Progress::new();
    let mut meter = KernelMeter::new(2, &progress);
    let of = |count: usize, value: &dyn Fn(usize) -> u64| -> Vec<BenchRecord> {
        let record = |at: usize| {
            let mut record = [at as u8; RECORD_LENGTH];
            record[..2].fill(0);
            record[2..10].copy_from_slice(&value(at).to_be_bytes());
            record
        };
        (0..count).map(record).collect()
    };
    for count in [0, 1, 2, 1000, 60_000] {
        // Those that differ behind the prefix are told apart in the records.
        let values: [&dyn Fn(usize) -> u64; 5] = [
            &|_| 9,
            &|at| at as u64,
            &|at| (count - at) as u64,
            &|at| (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            &|at| (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40,
        ];
        for value in values {
            let load = load(&of(count, value));
            load.pointer(&mut meter).unwrap();
            load.key_pointer(&mut meter).unwrap();
            load.prefix_pointer(&mut meter).unwrap();
            load.record(&mut meter).unwrap();
            load.own(&mut meter).unwrap();
        }
    }
}

#[test]
fn a_record_in_the_wrong_place_is_seen() {
    let load = Load::new(100).unwrap();
    let mut records = load.records.to_vec();
    assert!(NeighbourCheck::of(records.iter()).is_unordered);
    records.sort_unstable();
    let check = NeighbourCheck::of(records.iter());
    assert!(!check.is_unordered && check.sum == load.sum);
    records[5][50] ^= 1;
    assert_ne!(NeighbourCheck::of(records.iter()).sum, load.sum);
}

#[test]
fn rows_are_those_of_the_paper_and_one_more() {
    let progress = Progress::new();
    let section = measure(&mut KernelMeter::new(1, &progress), 1000).unwrap();
    let [table] = section.tables.as_slice() else { panic!("{section:?}") };
    assert_eq!((table.rows.len(), table.columns.len()), (5, 5));
    assert_eq!(table.rows[3][..2], [Cell::from("record"), Cell::Empty]);
    assert_eq!(section.samples.len(), 5 * 4 - 1);
}
