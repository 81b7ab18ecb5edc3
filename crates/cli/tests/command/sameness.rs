//! The output is the same to the byte whatever algorithm, engine, memory, threads and levers.

use crate::harness::{Folder, Random, some};

/// What is sorted, by the file that it sorts. Both are larger than the loads of the smallest
/// budget, with many keys that occur more than once.
const SORTS: [(&str, &str); 6] = [
    ("in.txt", ""),
    ("in.txt", "--unique"),
    ("in.txt", "--limit 1000"),
    ("in.csv", "-F csv -k amount:int:desc"),
    ("in.csv", "-F csv -k kind --sum amount --count"),
    ("in.txt", "-F fixed:8 -k 1..3"),
];

/// Each is added to each sort.
const CHOICES: [&str; 17] = [
    "-M 32MiB",
    "-M 256MiB -j 1",
    "-M 32MiB --algorithm quicksort",
    "-M 256MiB --algorithm quicksort",
    "-M 32MiB --algorithm mergesort",
    "-M 256MiB --algorithm mergesort",
    "-M 256MiB --algorithm mergesort --microrun 100 -j 1",
    "-M 32MiB --algorithm alphasort",
    "-M 256MiB --algorithm alphasort --alphasort-runs 10",
    "-M 32MiB --algorithm replacement-selection",
    "-M 32MiB --gather-stores streaming",
    "-M 256MiB --gather-stores streaming --io uring",
    "-M 32MiB --overlap runs=sync,merge=pipelined",
    "-M 32MiB --merge streams --async-io off -j 1",
    "-M 32MiB --merge-width 2 --block-size 64KiB --write-buffers 2 --write-buffer-size 32KiB",
    "-M 32MiB --affinity cores --io threads --direct off -j 3",
    "-M 40MiB --queue-depth 16 --read-factor 42 --async-io off --affinity nodes",
];

/// Bytes of each input.
const BYTES: usize = 13_000_000;

/// Rows of text, half of whose keys begin alike.
fn rows(random: &mut Random) -> String {
    let mut rows = String::from("kind,amount,name\n");
    while rows.len() < BYTES {
        let kind = ["loans", "loans and deposits", "x"][(random.share() * 3.0) as usize];
        let amount = (random.share() * 30_000.0) as i32 - 1000;
        let name = (random.share() * 1e9) as u32;
        rows.push_str(&format!("{kind},{amount},\"{name:x}\"\n"));
    }
    rows
}

/// Lines of which every other one occurs often, of eight bytes together with whatever follows.
fn lines(random: &mut Random) -> String {
    let mut lines = String::new();
    while lines.len() < BYTES {
        match random.share() < 0.5 {
            true => lines.push_str(&format!("{:.4}\n", random.share())),
            false => lines.push_str(&format!("the same beginning {}\n", random.share())),
        }
    }
    lines.truncate(lines.len() / 8 * 8 - 1);
    lines.push('\n');
    lines
}

#[test]
fn whatever_is_chosen_the_output_is_the_same() {
    let folder = Folder::new();
    let mut random = Random::fixed();
    folder.write("in.csv", rows(&mut random));
    folder.write("in.txt", lines(&mut random));
    for (input, sort) in SORTS {
        let said = folder.run(&format!("sort {sort} -M 1GiB -o expected {input}"));
        assert_eq!(said.status, 0, "{sort}: {said:?}");
        let expected = folder.read("expected");
        assert!(!expected.is_empty());
        for choice in some(&CHOICES) {
            let said = folder.run(&format!("sort {sort} {choice} -T . -o out {input}"));
            assert_eq!(said.status, 0, "{sort} {choice}: {said:?}");
            assert!(folder.read("out") == expected, "{sort} {choice}: other bytes");
        }
        let stream = folder.read(input);
        let said = folder.run_with(&format!("sort {sort} -M 32MiB -T ."), &stream);
        assert!(said.status == 0 && said.out == expected, "{sort} of a pipe: {}", said.words);
    }
}
