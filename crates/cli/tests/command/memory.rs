//! The ceiling of memory: what is higher than memory ever reaches is said, and not believed, as the
//! system would kill what uses it; and records as long as the budget keep to it whatever their keys
//! are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::children::measured;
use crate::harness::{Folder, Said, left_out, random_records, some, sorted_by};
use crate::limits::runs_within;

const LENGTH: usize = 100;

/// A folder with 60 MB to sort.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("in", random_records(600_000, LENGTH));
    folder
}

/// Runs a shell script in the folder; `$sortwell` is the command.
fn run(folder: &Folder, script: &str) -> Said {
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).current_dir(folder.path());
    Said::from(shell.env("sortwell", env!("CARGO_BIN_EXE_sortwell")).output().expect("sh"))
}

/// Asserts that all was sorted, and that it was said what became of the ceiling.
fn assert_told(folder: &Folder, said: &Said, parts: &[&str]) {
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(said.words.lines().count(), 1, "{said:?}");
    for part in parts {
        assert!(said.words.contains(part), "'{part}' is missing: {}", said.words);
    }
    let expected = sorted_by(&folder.read("in"), LENGTH, <[u8]>::to_vec);
    assert!(folder.read("out") == expected);
}

#[test]
fn more_than_a_process_may_have() {
    let folder = folder();
    let script = "ulimit -v 300000; $sortwell sort -F fixed:100 -M 1GiB -o out in";
    let said = run(&folder, script);
    assert_told(&folder, &said, &["--memory 1 GiB is more than the 293.0 MiB", "default share"]);
    for line in [
        "check -F fixed:100 -M 8PiB out",
        "merge -F fixed:100 -M 8PiB -o all out",
        "explain -F fixed:100 -M 8PiB out",
        "index build -F fixed:100 -M 8PiB -k 0..8 -o index out",
        "index verify -M 8PiB index",
        "index export -M 8PiB -o all index",
    ] {
        let said = folder.run(line);
        assert_eq!(said.status, 0, "{said:?}");
        assert!(said.words.contains("--memory 8 PiB is more than the "), "{said:?}");
    }
    // GNU sort says nothing of it.
    folder.run("gnu -S 8P -o gnu in").quietly();
}

/// A control group of version 1 or 2, removed when dropped.
struct Group(PathBuf);

impl Group {
    /// One that has so many bytes, below our own; `None` where that is forbidden.
    fn new(bytes: u64) -> Option<Self> {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        let places = [
            (":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            ("0::", "/sys/fs/cgroup", "memory.max"),
        ];
        places.into_iter().find_map(|(mark, mount, file)| {
            let own = groups.lines().find_map(|line| line.split_once(mark))?.1;
            let name = format!("sortwell-test-{}", std::process::id());
            // The group of a container may have another name inside.
            [own.trim_start_matches('/'), ""].into_iter().find_map(|own| {
                let group = Self(Path::new(mount).join(own).join(&name));
                fs::create_dir(&group.0).ok()?;
                fs::write(group.0.join(file), bytes.to_string()).ok()?;
                Some(group)
            })
        })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// A job that took what it was told would be killed by the system, without a word.
#[test]
fn more_than_a_control_group_has() {
    let Some(group) = Group::new(100 << 20) else {
        return left_out("this user may not make a control group");
    };
    let folder = folder();
    let enter = format!("echo $$ > {}/cgroup.procs", group.0.display());
    let sort = "exec $sortwell sort -F fixed:100 -M 1GiB -o out in";
    let said = run(&folder, &format!("{enter} || exit 99; {sort}"));
    if said.status == 99 {
        return left_out("this user may not enter a control group");
    }
    assert_told(&folder, &said, &["--memory 1 GiB is more than the 100 MiB"]);
}

/// Every type of text that lines are sorted by, and all that may be said of it.
const KEYS: [&str; 38] = [
    "bytes",
    "bytes:desc",
    "bytes:ci",
    "bytes:ci:desc",
    "bytes:trim",
    "text",
    "text:ci:trim",
    "text:locale=de",
    "text:desc:locale=de",
    "text:ci:desc:locale=de",
    "text:locale=de-u-ks-level1-kc-true",
    "int",
    "int:desc",
    "decimal",
    "decimal:desc",
    "float",
    "size",
    "size:desc",
    "month",
    "version",
    "version:ci:desc",
    "natural",
    "natural:ci",
    "natural:desc",
    "random",
    "random:ci",
    "date",
    "time",
    "timestamp",
    "ip",
    "uuid",
    "semver",
    "decimal=,:thousands=.:currency",
    "bool",
    "order=a|b",
    "order=a|b:ci:desc",
    "zoned",
    "ebcdic:ci:trim",
];

/// Lines of `length` bytes that agree in all but their last eight.
fn long_lines(count: usize, length: usize, words: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(count * length);
    for number in 0..count {
        let end = text.len() + length - 9;
        text.extend(words.iter().cycle().take(end - text.len()));
        text.extend_from_slice(format!("{:08}\n", (count - number) * 7).as_bytes());
    }
    text
}

// The budgets of long records are such that one more copy of a record would not fit.

#[test]
fn long_records_keep_to_the_budget_by_every_key() {
    sort_by_every_key(2, 14_000_000, 64);
}

#[test]
fn loads_of_long_records_keep_to_the_budget_by_every_key() {
    sort_by_every_key(10, 2_500_000, 48);
}

fn sort_by_every_key(lines: usize, length: usize, mib: u64) {
    let folder = Folder::new();
    folder.write("lines", long_lines(lines, length, "Ab, c7 \u{c4}x.y-".as_bytes()));
    for key in some(&KEYS) {
        runs_within(&folder, &format!("sort -k ..:{key} --invalid last -o out lines"), mib);
    }
}

/// All of two keys has to be looked at, where lines differ in nothing but the case of a letter.
#[test]
fn long_lines_that_differ_in_case_keep_to_the_budget() {
    let folder = Folder::new();
    let line = "Ab, c7 \u{c4}x.y-".repeat(700_000);
    folder.write("case", format!("B{line}\nb{line}\n"));
    for key in some(&["text:locale=de", "text:trim:locale=de", "text:desc:locale=en-u-kf-upper"]) {
        runs_within(&folder, &format!("sort -k ..:{key} -o out case"), 44);
    }
    // A merge takes a record of a third of 64 MiB.
    let line = line.repeat(2);
    folder.write("case", format!("b{line}\nB{line}\n"));
    runs_within(&folder, "merge -k ..:text:locale=en -o out case case", 64);
}

/// Keys of the C library's order of text, by a locale that is made for the test.
#[test]
fn long_lines_in_a_locale_of_the_system_keep_to_the_budget() {
    let folder = Folder::new();
    let mut localedef = Command::new("localedef");
    localedef.args(["-i", "de_DE", "-f", "UTF-8"]).arg(folder.at("de_DE.UTF-8"));
    if !localedef.output().is_ok_and(|made| made.status.success()) {
        return left_out("no locale can be made with localedef");
    }
    let line = "Ab, c7 \u{c4}x.y-".repeat(700_000);
    folder.write("case", format!("B{line}\nb{line}\n"));
    folder.write("blanks", long_lines(2, 7_000_000, b" "));
    folder.write("digits", long_lines(2, 7_000_000, b"7"));
    let locale = format!("LOCPATH={} LC_ALL=de_DE.UTF-8", folder.path().display());
    let all = [("", "case"), ("-r", "blanks"), ("-f", "case"), ("-u", "digits")];
    for (options, input) in some(&all) {
        runs_within(&folder, &format!("{locale} gnu {options} -o out {input}"), 44);
    }
}

#[test]
fn conditions_on_long_values_keep_to_the_budget() {
    let folder = Folder::new();
    folder.write("lines", long_lines(2, 20_000_000, b"abcDEF "));
    let cell = |end: &str| format!("\"{}{end}\",1\n", "a\"\"B".repeat(5_000_000));
    folder.write("rows", ["text,number\n".to_owned(), cell("z"), cell("y")].concat());
    for (format, condition) in some(&[
        ("lines", "..:ci contains \"zz\""),
        ("lines", "..:ci matches \"fabc\""),
        ("lines", "..:text:locale=de > \"b\""),
        ("lines", "..:natural > 0..8:natural"),
        ("csv", "1 ends with \"z\""),
        ("csv", "1:ci > \"b\""),
    ]) {
        // The words of a command are divided at blanks.
        let condition = condition.replace(' ', "\t");
        let input = if format == "csv" { "rows" } else { "lines" };
        let line = format!("sort -F {format} --include {condition} -o out {input}");
        runs_within(&folder, &line, 80);
    }
}

#[test]
fn padded_numbers_of_any_length_keep_to_the_budget() {
    let folder = Folder::new();
    let record = |digit: u8| [&20_000_000u32.to_be_bytes()[..], &vec![digit; 20_000_000]].concat();
    folder.write("records", [record(b'2'), record(b'1')].concat());
    for key in ["0..30000000:int:pad=48", "0..30000000:bytes:pad=0"] {
        runs_within(&folder, &format!("sort -F u32be -k {key} -o out records"), 96);
    }
}

#[test]
fn numbers_of_any_length_keep_to_the_budget() {
    let folder = Folder::new();
    folder.write("digits", long_lines(2, 12_000_000, b"7"));
    let keys = ["int", "decimal:desc", "float", "size", "version", "natural", "time", "zoned"];
    for key in some(&keys) {
        let line = format!("sort -k ..:{key} --invalid last -o out digits");
        runs_within(&folder, &line, 44);
    }
    let size = |last: u8| [b"7".repeat(10_000_000), vec![last], b"KiB\n".to_vec()].concat();
    folder.write("sizes", [size(b'2'), size(b'1')].concat());
    runs_within(&folder, "sort -k ..:size -o out sizes", 72);
}

#[test]
fn cells_of_doubled_quotes_keep_to_the_budget() {
    let folder = Folder::new();
    let cell = |end: &str| format!("\"{}{end}\",1\n", "a\"\"B".repeat(6_000_000));
    folder.write("rows", ["text,number\n".to_owned(), cell("z"), cell("y")].concat());
    let keys = ["1", "1:ci", "1:desc", "1:natural", "1:version", "1:int", "1:order=a|b", "1[2..]"];
    for key in some(&keys) {
        let line = format!("sort -F csv -k {key} --invalid last -o out rows");
        runs_within(&folder, &line, 72);
    }
}

#[test]
fn strings_with_escapes_keep_to_the_budget() {
    let folder = Folder::new();
    let line =
        |end: &str| format!("{{\"k\": \"{}{end}\", \"n\": 1}}\n", "x\\u00e9B".repeat(2_200_000));
    folder.write("lines", [line("z"), line("y")].concat());
    for key in some(&["k", "k:ci", "k:desc:trim", "k:natural", "k:version", "k:int", "n:int"]) {
        let line = format!("sort -F jsonl -k {key} --invalid last -o out lines");
        runs_within(&folder, &line, 72);
    }
}

/// Keys that are equal for megabytes are compared by their records, which count.
#[test]
fn lines_that_agree_for_megabytes_keep_to_the_budget() {
    let folder = Folder::new();
    let line = |number: usize| format!("{}{}\n", "a".repeat(2_400_000), number * 7 % 10);
    folder.write("lines", (0..20).map(line).collect::<String>());
    for mib in [64, 70, 80] {
        let words = format!("sort -j 2 -M {mib}MiB -o out lines");
        let (said, peak) = measured(&folder, &words);
        assert_eq!(said.status, 0, "{said:?}");
        assert!(peak <= mib << 20, "{mib} MiB: {peak} bytes");
    }
}

#[test]
fn lists_of_many_values_are_a_part_of_the_budget() {
    let folder = Folder::new();
    let values: String = (0..1_000_000).map(|number| format!("value{number}\n")).collect();
    let rows: String = (0..500_000).map(|row| format!("value{}\n", row * 7 % 1_000_000)).collect();
    folder.write("list", values);
    folder.write("rows", rows);
    for mib in some(&[16, 32, 64]) {
        runs_within(&folder, "sort -k 1:order=@list -o out rows", mib);
        runs_within(&folder, "sort --include 1:order=@list\t>\t\"value9\" -o out rows", mib);
    }
    // What has no end is not read to it.
    folder.write("little", "value1\n");
    fs::File::create(folder.at("endless")).and_then(|file| file.set_len(1 << 40)).unwrap();
    for key in ["order=@endless", "sequence=endless", "order=@/dev/zero", "sequence=/dev/zero"] {
        let (said, peak) = measured(&folder, &format!("sort -M 32MiB -k 1:{key} -o out little"));
        assert_eq!(said.status, 2, "{said:?}");
        assert!(peak <= 32 << 20, "{key}: {peak} bytes");
    }
}

/// All that a command line and a header may say is held as long as the job runs.
#[test]
fn commands_of_any_length_keep_to_the_budget() {
    let folder = Folder::new();
    let header: Vec<String> = (0..120_000).map(|column| format!("c{column}")).collect();
    let rows = |from: usize| format!("{from}{}\n", ",1".repeat(119_999));
    folder.write("wide", header.join(",") + "\n" + &(0..100).map(rows).collect::<String>());
    folder.write("lines", (0..5000).map(|n| format!("{}\n", n * 7 % 9999)).collect::<String>());
    let keys: String = (1..10_000).map(|field| format!("-k {field}:int ")).collect();
    runs_within(&folder, &format!("sort {keys} -o out lines"), 32);
    let places: Vec<String> = (1..15_000).map(|column| column.to_string()).collect();
    let select = format!("--select {}", places.join(","));
    for options in some(&["-k c119998:int", "-k c7:int:desc --unique", &select]) {
        runs_within(&folder, &format!("sort -F csv {options} -o out wide"), 32);
    }
}

/// Each input has blocks of lz4 of 4 MiB, whose memory is given back after it.
#[test]
fn large_blocks_of_one_input_after_another() {
    let folder = Folder::new();
    let empty = b"\x04\"M\x18dp\xb9\0\0\0\0\x05]\xcc\x02";
    folder.write("lines", "some\nlines\n".repeat(200));
    folder.run("sort --compress lz4 -o little lines").quietly();
    for number in 0..8 {
        folder.write(&format!("in{number}"), [&empty[..], &folder.read("little")].concat());
    }
    let sorted = "lines\n".repeat(8 * 200) + &"some\n".repeat(8 * 200);
    let line = "sort -M 30MiB -j 1 -o out in0 in1 in2 in3 in4 in5 in6 in7";
    let (said, peak) = measured(&folder, line);
    said.quietly();
    assert!(folder.read("out") == sorted.as_bytes());
    assert!(peak <= 30 << 20, "{peak} bytes");
}

/// Sums of long numbers take more than short ones, which are planned for: the budget that an error
/// names is enough, in memory and in a merge.
#[test]
fn sums_of_long_numbers_keep_to_the_budget() {
    let rows = |count: usize, length: usize| -> Vec<u8> {
        let row = |number: usize| format!("{},{}\n", number % 2, "7".repeat(length));
        format!("key,value\n{}", (0..count).map(row).collect::<String>()).into_bytes()
    };
    let folder = Folder::new();
    folder.write("few", rows(3, 3_000_000));
    folder.write("many", rows(40, 2_000_000));
    for threads in [1, 2] {
        for (name, mib) in [("few", 24), ("few", 32), ("many", 32), ("many", 40)] {
            let line = format!("sort -F csv -k key --sum value -j {threads} -o out {name}");
            runs_within(&folder, &line, mib);
        }
    }
}

/// Compresses blocks of a file in BGZF, each by itself.
fn blocks_of(data: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    for block in data.chunks(60_000).chain([&[][..]]) {
        packed.extend_from_slice(&[31, 139, 8, 4, 0, 0, 0, 0, 0, 255, 6, 0, b'B', b'C', 2, 0]);
        // One stored block of deflate, between the header and the checksum.
        packed.extend_from_slice(&(18 + 5 + block.len() as u16 + 8 - 1).to_le_bytes());
        let length = block.len() as u16;
        packed.push(1);
        packed.extend_from_slice(&length.to_le_bytes());
        packed.extend_from_slice(&(!length).to_le_bytes());
        packed.extend_from_slice(block);
        packed.extend_from_slice(&checksum(block).to_le_bytes());
        packed.extend_from_slice(&u32::from(length).to_le_bytes());
    }
    packed
}

/// Returns the CRC-32 of bytes.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(!0, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), step))
}

/// Long records whose keys are as long: threads hold them one at a time, and what an error names
/// is enough.
#[test]
fn indexes_over_long_records_keep_to_the_budget() {
    let folder = Folder::new();
    let lines = long_lines(14, 3_900_000, b"Ab, c7.x-y ");
    folder.write("blocks", blocks_of(&lines));
    folder.write("lines", lines);
    folder.write("longer", long_lines(6, 9_000_000, b"Ab, c7.x-y "));
    for (name, threads, mib) in
        [("lines", 2, 64), ("lines", 16, 64), ("blocks", 2, 64), ("longer", 2, 64)]
    {
        let line = format!("index build -k .. -j {threads} -o out {name}");
        let mib = runs_within(&folder, &line, mib);
        let build = format!("index build -k .. -j {threads} -M {mib}MiB -o index {name}");
        folder.run(&build).quietly();
        runs_within(&folder, &format!("index verify -j {threads} index"), mib);
        fs::remove_file(folder.at("index")).expect("remove");
    }
}
