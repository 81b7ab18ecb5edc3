//! Sorts that write some of their records, or make others of them, and are stopped behind slabs of
//! the output: they go on there, and come to the same.

use std::fs;

use sortwell_engine::ByteSize;
use sortwell_engine::job::{Resume, SortJob};
use sortwell_engine::operator::{Select, Unique};

use crate::csv_trial::Table;
use crate::folds::{csv, folded, folding, table};
use crate::line_trial::{Lines, assert_same};
use crate::random::Random;
use crate::resuming::{Resumed, run_in_pieces, until};
use crate::trial::Folder;

/// Test of whether a job went on in the middle of its output.
const IS_BEHIND_SLABS: fn(&Resumed) -> bool = |resumed| resumed.behind_slabs > 0;

/// Lines that repeat, some so often that their groups end slabs behind that where they began.
#[test]
fn lines_are_selected_in_pieces() {
    let mut random = Random::fresh();
    let unique = |unique| Select { unique: Some(unique), ..Select::default() };
    let selects = [
        Select { count: true, ..Select::default() },
        Select { count: true, skip: 7, limit: Some(300_000), ..Select::default() },
        unique(Unique::First),
        Select { skip: 1000, ..unique(Unique::Last) },
        Select { limit: Some(400_000), ..Select::default() },
        Select { unique_by: Some(1), count: true, ..unique(Unique::First) },
        Select { unique_by: Some(1), ..unique(Unique::Last) },
    ];
    for select in random.some(selects) {
        let mut input = Vec::new();
        while input.len() < 24_000_000 {
            let number = random.below(700_000);
            let number = if number < 70_000 { number % 3 * 200_000 } else { number };
            input.extend_from_slice(format!("{number:06} {:>1$}\n", "-", number % 50).as_bytes());
        }
        let mut lines = Lines { select, memory: ByteSize::mib(34), ..Lines::new(vec![input]) };
        if lines.select.unique_by.is_some() {
            (lines.keys, lines.compare) = (vec!["1", "2:desc"], |a: &[u8], b: &[u8]| {
                a[..6].cmp(&b[..6]).then_with(|| b[7..].cmp(&a[7..]))
            });
            lines.group = Some(|a: &[u8], b: &[u8]| a[..6].cmp(&b[..6]));
        } else if random.one_in(2) {
            // Lines of a group differ.
            (lines.keys, lines.compare) = (vec!["1"], |a: &[u8], b: &[u8]| a[..6].cmp(&b[..6]));
        }
        let folder = Folder::on_disk();
        lines.lay_out(&folder);
        let job = |random: &mut Random| {
            let threads = Some(1 + random.below(3));
            SortJob { resume: Resume::Often, threads, ..lines.job(&folder) }
        };
        let (expected, count) = lines.expected();
        until(IS_BEHIND_SLABS, || {
            let (resumed, statistics) = run_in_pieces(job, (&folder, 12 << 20), &mut random);
            println!("{:?}: {resumed:?}", lines.select);
            assert_same(&fs::read(folder.output()).expect("read"), &expected, "in pieces");
            assert_eq!(statistics.records, count);
            folder.assert_clean(true);
            fs::remove_file(folder.output()).expect("removed");
            resumed
        });
    }
}

/// Groups that are open between two slabs have sums.
#[test]
fn rows_are_folded_in_pieces() {
    let mut random = Random::fresh();
    let cases = [(150_000, None, true), (60_000, Some(Unique::Last), false)];
    for (keys, unique, count) in random.some(cases) {
        let (input, groups) = table(400_000, keys, &mut random);
        let select = Select { unique, count, ..folding() };
        let expected = folded(&groups, &select);
        let rows = Table {
            format: csv(),
            keys: vec![(1, false)],
            select,
            memory: ByteSize::mib(28),
            ..Table::new(vec![input])
        };
        let folder = Folder::on_disk();
        fs::write(folder.input(0), &rows.inputs[0]).expect("write");
        let job = |_: &mut Random| SortJob { resume: Resume::Often, ..rows.job(&folder) };
        until(IS_BEHIND_SLABS, || {
            let (resumed, _) = run_in_pieces(job, (&folder, 12 << 20), &mut random);
            println!("{keys} keys: {resumed:?}");
            assert_same(&fs::read(folder.output()).expect("read"), &expected, "in pieces");
            folder.assert_clean(true);
            fs::remove_file(folder.output()).expect("removed");
            resumed
        });
    }
}
