//! Rows with equal keys that become one, in memory and in runs: the same whatever the memory, the
//! threads and the engine.

use std::collections::BTreeMap;

use sortwell_engine::ByteSize;
use sortwell_engine::format::{CsvFormat, Format};
use sortwell_engine::operator::{FoldSpec, Function, Place, Select, Unique};

use crate::csv_trial::Table;
use crate::random::Random;
use crate::trial::engines;

/// What is known of the rows of one key.
#[derive(Default)]
pub struct Group {
    first: String,
    last: String,
    count: u64,
    cents: i128,
    greatest: String,
}

pub fn csv() -> CsvFormat {
    let Format::Csv(format) = Format::CSV else { unreachable!("rows") };
    format
}

/// A table of `rows` rows of `keys` keys, and its groups.
pub fn table(rows: usize, keys: usize, random: &mut Random) -> (Vec<u8>, BTreeMap<String, Group>) {
    let mut text = String::from("key,note,amount,day\n");
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for number in 0..rows {
        let key = format!("k{:06}", random.below(keys));
        let (note, day) = (format!("\"row, {number}\""), format!("{:05}", random.below(90_000)));
        let cents = random.below(1_000_000_000) as i128 - 500_000_000;
        let sign = if cents < 0 { "-" } else { "" };
        let amount = format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100);
        text.push_str(&format!("{key},{note},{amount},{day}\n"));
        let group = groups.entry(key).or_default();
        group.count += 1;
        group.cents += cents;
        group.greatest = group.greatest.clone().max(day);
        if group.count == 1 {
            group.first.clone_from(&note);
        }
        group.last = note;
    }
    (text.into_bytes(), groups)
}

/// Sums of amounts and greatest days, in other columns.
pub fn folding() -> Select {
    let specs = [(Function::Sum, "amount"), (Function::Max, "4:text")];
    let read = |(function, text): &(Function, &str)| FoldSpec::read(*function, text).expect("spec");
    let parts = ["amount", "1", "note", "day"].map(|name| Place::Column(name.into()));
    let folds = specs.iter().map(read).collect();
    Select { folds, parts: parts.to_vec(), ..Select::default() }
}

/// What groups come to where the first of each is kept, or the last, counted or not.
pub fn folded(groups: &BTreeMap<String, Group>, select: &Select) -> Vec<u8> {
    let count = |count: &str| if select.count { format!(",{count}") } else { String::new() };
    let mut expected = format!("amount,key,note,day{}\n", count("count"));
    for (key, group) in groups {
        let sign = if group.cents < 0 { "-" } else { "" };
        let (whole, part) = (group.cents.abs() / 100, group.cents.abs() % 100);
        let note = if select.unique.is_some() { &group.last } else { &group.first };
        let (day, count) = (&group.greatest, count(&group.count.to_string()));
        expected.push_str(&format!("{sign}{whole}.{part:02},{key},{note},{day}{count}\n"));
    }
    expected.into_bytes()
}

#[test]
fn sums_are_the_same_in_memory_and_in_runs() {
    let mut random = Random::fresh();
    for (rows, memory) in [(5000, 128), (400_000, 28)] {
        let (input, groups) = table(rows, rows / 100, &mut random);
        let cases = [(None, false, 1), (Some(Unique::Last), false, 3), (None, true, 2)];
        for (unique, counts, threads) in random.some(cases) {
            let select = Select { unique, count: counts, ..folding() };
            let expected = folded(&groups, &select);
            let job = Table {
                format: csv(),
                keys: vec![(1, false)],
                select,
                memory: ByteSize::mib(memory),
                threads,
                engine: random.pick(&engines()),
                ..Table::new(vec![input.clone()])
            };
            let statistics = job.run_against(&(expected, rows as u64));
            assert_eq!(statistics.runs > 1, memory == 28);
            let spilled = statistics.streams.spill_written.bytes();
            assert!(memory == 128 || counts || spilled < input.len() as u64 / 2, "{spilled}");
        }
    }
}
