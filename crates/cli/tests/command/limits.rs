//! The memory ceiling over all formats and operators, with data made to break it; and lists of so
//! many inputs that their names alone are megabytes.
//!
//! What a budget is too small for is refused with one that does, and that is tried out as well.

mod data;

use std::fs;

use crate::children::measured;
#[cfg(feature = "compression")]
use crate::compression::through;
use crate::harness::{Folder, Said, some};
use data::{FORMATS, Format, SHAPES, Shape};

/// Bytes of code that a build with debug assertions has in memory, more than a release build.
const LARGER_CODE: u64 = if cfg!(debug_assertions) { 3 << 20 } else { 0 };

/// The peak of a sort that has ended well, in bytes.
#[track_caller]
fn peak(said: &Said) -> u64 {
    let account = said.words.lines().last().unwrap_or_default();
    let account: serde_json::Value = serde_json::from_str(account).expect("statistics");
    account["memory_peak"].as_u64().expect("a peak")
}

/// The budget that an error names, in MiB.
fn advice(said: &Said) -> Option<u64> {
    let rest = said.words.split("at least ").nth(1)?;
    rest.split(" MiB").next()?.parse().ok()
}

/// Runs a command within `mib`, or within what it asks for; the budget that did. The kernel says
/// what was used, not the program. Variables may stand before the command, as in a shell.
#[track_caller]
pub fn runs_within(folder: &Folder, line: &str, mib: u64) -> u64 {
    // Some lines have thousands of words.
    let shown: String = line.chars().take(300).collect();
    let is_gnu = line.split(' ').any(|word| word == "gnu");
    let (option, unit) = if is_gnu { ("-S", "M") } else { ("-M", "MiB") };
    let run = |mib: u64| {
        let before = folder.names();
        let (said, peak) = measured(folder, &format!("{line} {option} {mib}{unit} -T ."));
        for name in folder.names().into_iter().filter(|name| !before.contains(name)) {
            let is_output = said.status == 0 && name.starts_with("out");
            assert!(is_output, "{shown}: left {name}: {}", said.words);
            fs::remove_file(folder.at(&name)).expect("remove");
        }
        (said, peak)
    };
    let (mut said, mut peak) = run(mib);
    let mut mib = mib;
    if let (2 | 3, Some(more)) = (said.status, advice(&said)) {
        assert!(more > mib, "{shown}: {said:?}");
        println!("{shown}: {}", said.words.trim_end());
        ((said, peak), mib) = (run(more), more);
    }
    assert_eq!(said.status, 0, "{shown}, {mib} MiB: {}", said.words);
    println!("{shown}: {} of {mib} MiB", peak >> 20);
    let most = (mib << 20) + LARGER_CODE;
    assert!(peak <= most, "{shown}: {peak} bytes within {mib} MiB");
    mib
}

/// Every operator of a format over one shape of data, several times as large as the budgets.
fn check_sorts(format: &Format, shape: Shape, operators: &[&str], bytes: usize) {
    let folder = Folder::new();
    data::write(&folder.at("in"), format, shape, (bytes, 0, 1));
    for (number, operator) in operators.iter().enumerate() {
        let (threads, mib) = ([1, 2, 4][number % 3], [32, 32, 48][(number + shape as usize) % 3]);
        let words = format.words(shape);
        // The first key of a command is its own, if it has one.
        let key = if operator.contains("-k ") { "" } else { format.key };
        let (line, rest) = ("sort --sync off -o out", "in");
        let line = format!("{line} {words} {key} {operator} -j {threads} {rest}");
        runs_within(&folder, &line, mib);
    }
}

#[test]
fn budgets_hold_for_operators_of_every_format() {
    let pairs = [
        ("lines", Shape::Huge),
        ("fixed", Shape::LongKeys),
        ("csv", Shape::Equal),
        ("tsv", Shape::LongEqualKeys),
        ("u32le", Shape::Random),
    ];
    let pairs: Vec<_> = pairs.into_iter().enumerate().collect();
    for (number, (name, shape)) in some(&pairs) {
        let format = FORMATS.iter().find(|format| format.name == name).expect("a format");
        let some: Vec<&str> = format.operators.iter().skip(number).step_by(5).copied().collect();
        check_sorts(format, shape, &some, 50_000_000);
    }
}

#[test]
#[ignore = "slow: hundreds of sorts"]
fn budgets_hold_for_all_operators_of_all_formats() {
    for format in &FORMATS {
        for shape in SHAPES.into_iter().filter(|shape| format.has(*shape)) {
            check_sorts(format, shape, format.operators, 120_000_000);
        }
    }
}

/// Inputs that are sorted already, one of them with a record of megabytes.
#[test]
fn budgets_hold_for_merges_of_every_format() {
    for format in some(&FORMATS.iter().collect::<Vec<_>>()) {
        let folder = Folder::new();
        for part in 0..5 {
            let name = folder.at(&format!("in-{part}"));
            data::write(&name, format, Shape::Sorted, (13_000_000, part, 5));
        }
        for (operator, mib) in [("", 32), ("--unique --check", 32)] {
            let (words, key) = (format.words(Shape::Sorted), format.key);
            let inputs = "in-0 in-1 in-2 in-3 in-4";
            let line = format!("merge --sync off -o out {words} {key} {operator} {inputs}");
            assert_eq!(runs_within(&folder, &line, mib), mib, "{line}");
        }
    }
}

/// A stream can be sampled by its first bytes only, and these may be very many records.
#[test]
fn budgets_hold_for_streams_of_the_shortest_lines() {
    let folder = Folder::new();
    let input: Vec<u8> =
        (0..4_000_000).flat_map(|n: u64| [b'a' + (n * n % 23) as u8, b'\n']).collect();
    for (mib, threads) in [(32, 1), (64, 2)] {
        let line = format!("sort --sync off -o out -j {threads} -M {mib}MiB -T . --stats json");
        let said = folder.run_with(&line, &input);
        assert_eq!(said.status, 0, "{said:?}");
        let peak = peak(&said);
        assert!(peak <= mib << 20, "{threads} threads: {peak} bytes within {mib} MiB");
    }
}

/// What threads, buffers and windows of codecs take is in the budget that is named.
#[cfg(feature = "compression")]
#[test]
fn budgets_that_are_named_do_for_compressed_files() {
    let folder = Folder::new();
    data::write(&folder.at("in"), &FORMATS[0], Shape::Random, (40_000_000, 0, 1));
    for codec in some(&["gz", "zst", "lz4"]) {
        folder.run(&format!("sort -o packed.{codec} in")).quietly();
        for (mib, threads) in [(16, 4), (32, 1)] {
            let line = format!("sort --sync off -j {threads} -o out.{codec} packed.{codec}");
            runs_within(&folder, &line, mib);
            runs_within(&folder, &format!("merge --sync off -o out.{codec} packed.{codec}"), mib);
        }
    }
}

/// Several threads expand the blocks of one frame, within the budget and to the same output.
#[cfg(feature = "compression")]
#[test]
fn one_frame_of_lz4_is_expanded_within_the_budget() {
    let folder = Folder::new();
    data::write(&folder.at("in"), &FORMATS[0], Shape::Random, (40_000_000, 0, 1));
    folder.run("sort -o expected in").quietly();
    let (data, expected) = (folder.read("in"), folder.read("expected"));
    // Independent blocks of 64 KiB, 256 KiB and 4 MiB, and linked ones.
    for word in ["-B4", "-B5", "-B7", "-B4D"] {
        let Some(packed) = through("lz4", word, &data) else { return };
        folder.write("packed.lz4", &packed);
        let line = "sort --sync off -j 4 -o out packed.lz4";
        let mib = runs_within(&folder, line, 32);
        folder.run(&format!("{line} -M {mib}MiB -T .")).quietly();
        assert!(folder.read("out") == expected, "{word}");
        folder.run("sort -j 4 -M 1GiB -o out packed.lz4").quietly();
        assert!(folder.read("out") == expected, "{word} within 1 GiB");
        folder.write("cut.lz4", &packed[..packed.len() / 2]);
        let place = "ends in the middle of a lz4 frame: it begins at byte 0";
        folder.run("sort -j 4 -M 1GiB -o cut cut.lz4").fails(3, &[place]);
        fs::remove_file(folder.at("out")).expect("remove");
    }
}

/// Makes a list that names one file so many times.
fn list(folder: &Folder, count: usize, name: &str) {
    let names: String = (0..count).map(|_| format!("{name}\0")).collect();
    folder.write("list", names);
}

/// The names of inputs are in memory as long as the job runs, and in its budget.
#[test]
fn many_inputs_by_a_list() {
    check_many_inputs(15_000, 32);
}

#[test]
#[ignore = "slow: millions of inputs"]
fn millions_of_inputs_by_a_list() {
    check_many_inputs(2_000_000, 64);
}

fn check_many_inputs(count: usize, mib: u64) {
    let folder = Folder::new();
    folder.write("little", "b\na");
    folder.write("ordered", "a\nb");
    list(&folder, count, "little");
    let mib = runs_within(&folder, "sort --sync off -o out -j 2 --files0-from list", mib);
    folder.run(&format!("sort -M {mib}MiB -o sorted --files0-from list")).quietly();
    let ordered = ["a\n".repeat(count), "b\n".repeat(count)].concat();
    assert!(folder.read("sorted") == ordered.into_bytes());
    list(&folder, count, "ordered");
    runs_within(&folder, "merge --sync off -o out --files0-from list", mib);
    folder.run(&format!("merge -M {mib}MiB --unique -o sorted --files0-from list")).quietly();
    assert_eq!(folder.read("sorted"), b"a\nb\n");
}

/// Compressed ones have threads and buffers in turn, but each is known from the beginning.
#[cfg(feature = "compression")]
#[test]
fn many_compressed_inputs() {
    let folder = Folder::new();
    folder.write("lines", "b\na\n");
    folder.run("sort -o in.gz lines").quietly();
    list(&folder, 10_000, "in.gz");
    let mib = runs_within(&folder, "sort --sync off -o out -j 2 --files0-from list", 32);
    assert!(mib > 32, "names and all that belongs to them take as much");
}

#[test]
fn lists_of_inputs_and_what_is_wrong_with_them() {
    let folder = Folder::new();
    (0..3).for_each(|number| folder.write(&format!("in {number}"), format!("{number}\n")));
    folder.write("list", "in 2\0in 0\0in 1");
    assert_eq!(folder.run("sort --files0-from list").quietly(), b"0\n1\n2\n");
    assert_eq!(folder.run_with("sort --files0-from -", b"in 1\0in 0\0").quietly(), b"0\n1\n");
    assert_eq!(folder.run("merge --files0-from list").quietly(), b"0\n1\n2\n");
    let said = folder.run("sort --files0-from list list");
    assert!(said.status == 2 && said.words.contains("cannot be used with"), "{said:?}");
    folder.run("sort --files0-from none").fails(4, &["none"]);
    for (names, parts) in [
        ("", ["list", "is empty"]),
        ("in 0\0\0", ["list", "name 2 is empty"]),
        ("in 0\0-\0", ["list", "name 2 is '-'"]),
    ] {
        folder.write("list", names);
        folder.run("sort --files0-from list").fails(2, &parts);
    }
}

/// One that is missing, of thousands that are read one after the other, is heard of by its name.
#[test]
fn a_missing_input_of_thousands() {
    let folder = Folder::new();
    folder.write("in", "a\n");
    folder.write("list", ["in\0".repeat(3000), "gone\0".to_owned(), "in\0".repeat(9)].concat());
    for command in ["sort", "merge"] {
        folder.run(&format!("{command} -o out --files0-from list")).fails(4, &["gone"]);
        assert_eq!(folder.names(), ["in", "list"]);
    }
}
