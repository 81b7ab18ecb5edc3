//! Parts of sorted records that are written: sums, counts, columns.

use crate::harness::{Folder, some};

const SALES: &str = "\
shop,item,amount,day
B,\"pen, red\",1.50,2026-01-03
A,ink,3,2026-01-02
B,ink,-0.25,2026-01-01
A,\"ink\",,2026-01-04
";

/// Returns the output of a command for one file, in words split at blanks.
fn sorted(words: &str, input: &[u8]) -> String {
    let folder = Folder::new();
    folder.write("in", input);
    let out = folder.run(&format!("sort {words} in")).quietly();
    String::from_utf8_lossy(&out).into_owned()
}

fn csv(words: &str) -> String {
    sorted(&format!("-F csv {words}"), SALES.as_bytes())
}

#[test]
fn rows_are_added_up_counted_and_cut() {
    assert_eq!(
        csv("-k 1 --sum amount --max day:text"),
        "shop,item,amount,day\nA,ink,3,2026-01-04\nB,\"pen, red\",1.25,2026-01-03\n"
    );
    assert_eq!(csv("-k 1 --count --select 1"), "shop,count\nA,2\nB,2\n");
    assert_eq!(
        csv("-k 1 --unique=last --count"),
        "shop,item,amount,day,count\nA,\"ink\",,2026-01-04,2\nB,ink,-0.25,2026-01-01,2\n"
    );
    assert_eq!(
        csv("-k 3:decimal --skip 1 --select day,\"item\" --limit 2"),
        "day,item\n2026-01-03,\"pen, red\"\n2026-01-02,ink\n"
    );
    assert_eq!(sorted("-t : -k 1 --min 2 --select 2,1", b"a:3\nb:7\na:-1\n"), "-1:a\n7:b\n");
}

#[test]
fn names_with_commas_and_quotes_are_selected() {
    let rows = b"\"a,b\",\"c\"\"d\",\"0..1\"\n1,2,3\n";
    let selected = |places: &str| sorted(&format!("-F csv --select {places}"), rows);
    assert_eq!(selected("\"a,b\""), "\"a,b\"\n1\n");
    assert_eq!(selected("\"0..1\",\"a,b\" --select 2"), "\"0..1\",\"a,b\",\"c\"\"d\"\n3,1,2\n");
    assert_eq!(selected("c\"d,\"c\"\"d\""), "\"c\"\"d\",\"c\"\"d\"\n2,2\n");
    let folder = Folder::new();
    folder.write("in", rows);
    folder.run("sort -F csv --select \"a,b in").fails(2, &["no closing quote"]);
    folder.run("sort -F csv --select 1,,2 in").fails(2, &["a place is missing"]);
}

#[test]
fn values_that_the_end_of_a_row_would_cut_are_refused() {
    let folder = Folder::new();
    folder.write("in", b"k,v\na,b\na,c\r\r\n");
    let sort = "sort -F csv --quote none -k k --max v:bytes";
    folder.run(&format!("{sort} in")).fails(3, &["would end with a carriage return", "--quote"]);
    folder.write("in", b"k,v\na,b\r\na,c\r\r\n");
    assert_eq!(folder.run(&format!("{sort} in")).quietly(), b"k,v\na,c\r\r\n");
    folder.write("in", b"k,v\na,1\na,5\r\r\n");
    let said = ["'5\\r' in column 2 is not a number"];
    folder.run("sort -F csv --quote none -k k --sum 2 in").fails(3, &said);
}

#[test]
fn binary_records_are_added_up_and_cut() {
    let records = b"b\x01.a\x02.b\x03.";
    assert_eq!(
        sorted("-F fixed:3 -k 0..1 --sum 1..2:u8 --select 1..2,0..1", records),
        "\x02a\x04b"
    );
    // 123 and 41 as packed decimals.
    assert_eq!(sorted("-F fixed:3 -k 0..1 --sum 1..3:packed", b"k\x12<k\x04\x1c"), "k\x16L");
    let prefixed = b"\0\x02b\x01\0\x03a\x02.\0\x02b\x03";
    let words = "-F u16be -k 0..1 --sum 1..2:u8 --select 1..,0..1";
    assert_eq!(sorted(words, prefixed), "\0\x03\x02.a\0\x02\x04b");
}

#[test]
fn binary_records_are_counted_at_their_end() {
    let count = |number: u8| [&[0; 7][..], &[number]].concat();
    let records = b"b1a2b3b4";
    let expected = [&b"a2"[..], &count(1), b"b1", &count(3)].concat();
    let found = sorted("-F fixed:2 -k 0..1 --count", records);
    assert_eq!(found.as_bytes(), expected);
    let expected = [&b"\0\x09b"[..], &count(2)].concat();
    let input = b"\0\x02b1\0\x01a\0\x02b2";
    let words = "-F u16be -k 0..1 --count --unique=last --select 0..1 --skip 1";
    assert_eq!(sorted(words, input).as_bytes(), expected);
    // One byte less would do.
    let folder = Folder::new();
    folder.write("in", [&[0xff, 0xf8][..], &[b'x'; 65_528]].concat());
    let said = folder.run("sort -F u16be --count in");
    said.fails(3, &["65536 bytes", "16 bits of length"]);
    folder.write("empty", "");
    let said = folder.run("sort -F fixed:1048576 --count empty");
    said.fails(2, &["--count makes records of 1048584 bytes", "--select"]);
}

#[test]
fn the_least_and_the_greatest_value_have_a_type() {
    let table = b"host,version,seen\na,1.9,22.11.2026\na,1.10,1.12.2025\n";
    assert_eq!(
        sorted("-F csv -k host --min seen:text --max version:version", table),
        "host,version,seen\na,1.10,1.12.2025\n"
    );
    // Days are written as for keys.
    let words = "-F csv -k host --unique-by host -k seen:date --date-format %d.%m.%Y";
    assert_eq!(
        sorted(&format!("{words} --max seen:date"), table),
        "host,version,seen\na,1.10,22.11.2026\n"
    );
    let folder = Folder::new();
    folder.write("in", table);
    let said = folder.run("sort -F csv -k host --max seen:date in");
    said.fails(3, &["'22.11.2026' in column seen is not of type date"]);
    let said = folder.run("sort -F csv -k host --sum seen:date in");
    said.fails(2, &["'seen:date' has values that cannot be added"]);
}

const VERSIONS: &str = "\
id,updated,price
7,2026-01-03,10
10,2026-02-01,1
7,2026-03-01,12
10,2026-01-01,5
7,2026-03-01,13
";

#[test]
fn the_latest_row_of_each_id_is_kept() {
    let of = |words: &str| sorted(&format!("-F csv {words}"), VERSIONS.as_bytes());
    let latest = "--unique-by id:int -k updated:date:desc";
    // Of rows with equal keys the first of the input.
    assert_eq!(of(latest), "id,updated,price\n7,2026-03-01,12\n10,2026-02-01,1\n");
    assert_eq!(
        of(&format!("{latest} --unique=last")),
        "id,updated,price\n7,2026-01-03,10\n10,2026-01-01,5\n"
    );
    assert_eq!(
        of(&format!("{latest} --count --sum price --skip 1")),
        "id,updated,price,count\n10,2026-02-01,6,2\n"
    );
    // Without a key, the first of the input; with several, all of them count.
    assert_eq!(of("--unique-by id"), "id,updated,price\n10,2026-02-01,1\n7,2026-01-03,10\n");
    assert_eq!(of("--unique-by 1 --unique-by 2 --select 3"), "price\n5\n1\n10\n12\n");
    assert_eq!(of("--unique-by id:int:desc -k 3:int --limit 1 --select 3"), "price\n1\n");
    let binary = b"b2b1a3a4";
    assert_eq!(sorted("-F fixed:2 --unique-by 0..1 -k 1..2:u8:desc", binary), "a4b2");
}

#[test]
fn a_key_of_groups_that_is_there_twice_is_refused() {
    let folder = Folder::new();
    folder.write("in.csv", VERSIONS);
    folder.run("sort --unique-by id --unique=error in.csv").fails(3, &["same key", "10,"]);
    folder.run("check --unique-by id in.csv").fails(2, &["it is an option of 'sortwell sort'"]);
    folder.run("sort --unique-by id --in-place in.csv").fails(2, &["--in-place"]);
    folder.run("sort --unique-by nothing in.csv").fails(2, &["no column", "nothing"]);
    folder.run("sort --unique-by id --split 2 in.csv -o out.csv").fails(2, &["--split"]);
}

#[test]
fn groups_of_merged_files_are_one() {
    let folder = Folder::new();
    folder.write("old.csv", VERSIONS);
    folder.write("new.csv", "id,updated,price\n7,2026-04-01,20\n3,2026-01-01,1\n");
    let keys = "--unique-by id:int -k updated:date:desc";
    for name in ["old", "new"] {
        folder.run(&format!("sort {keys} {name}.csv -o {name}.sorted.csv")).quietly();
    }
    let merged = folder.run(&format!("merge {keys} old.sorted.csv new.sorted.csv")).quietly();
    let expected = "id,updated,price\n3,2026-01-01,1\n7,2026-04-01,20\n10,2026-02-01,1\n";
    assert_eq!(String::from_utf8_lossy(&merged), expected);
    let other = format!("merge {keys} old.csv new.csv");
    folder.run(&other).fails(3, &["new.csv", "record 2"]);
}

#[test]
fn groups_are_written_for_which_a_condition_holds() {
    let of = |words: &[&str]| {
        let folder = Folder::new();
        folder.write("in", SALES);
        let words = [&["sort", "-F", "csv", "-k", "2"], words, &["in"]].concat();
        let out = folder.command(&words).output().expect("run");
        String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned()
    };
    let pens = "B,\"pen, red\",1.50,2026-01-03";
    let ink = "A,ink,2.75,2026-01-02";
    let header = "shop,item,amount,day";
    let sum = ["--sum", "amount", "--having"];
    assert_eq!(of(&[&sum[..], &["count > 1"]].concat()), format!("{header}\n{ink}\n"));
    // The sum, not the amount of any row.
    let more = of(&[&sum[..], &["amount:decimal > 2"]].concat());
    assert_eq!(more, format!("{header}\n{ink}\n"));
    let less = of(&[&sum[..], &["count < 2", "--having", "amount:decimal < 2"]].concat());
    assert_eq!(less, format!("{header}\n{pens}\n"));
    // What is left is counted.
    let words = ["--count", "--having", "count == 1 or item == 'ink'", "--limit", "1"];
    assert_eq!(of(&words), format!("{header},count\nA,ink,3,2026-01-02,3\n"));
    let refused = of(&["--having", "count > 1"]);
    assert!(refused.contains("give --count, --unique"), "{refused}");
    let text = of(&["-u", "--having", "count:text == 'x'"]);
    assert!(text.contains("count:text is the number of records"), "{text}");
    let column = of(&["-u", "--having", "\"count\" == 'x'"]);
    assert!(column.contains("no column is called 'count'"), "{column}");
    assert!(of(&["--include", "count == 'x'"]).contains("no column is called 'count'"));
}

#[test]
fn an_output_is_split_by_number_and_by_value() {
    let folder = Folder::new();
    folder.write("in", SALES);
    folder.run("sort -F csv -k 2 --split 3 -o out.csv in").quietly();
    let names = ["in", "out-1.csv", "out-2.csv", "out-3.csv"];
    assert_eq!(folder.names(), names);
    let header = "shop,item,amount,day\n";
    let two = "A,ink,3,2026-01-02\nB,ink,-0.25,2026-01-01\n";
    assert_eq!(folder.read("out-1.csv"), format!("{header}{two}").into_bytes());
    let one = "A,\"ink\",,2026-01-04\n";
    assert_eq!(folder.read("out-2.csv"), format!("{header}{one}").into_bytes());
    assert!(folder.read("out-3.csv").ends_with(b"\nB,\"pen, red\",1.50,2026-01-03\n"));
    // Fewer records than files, and a value that is not written.
    folder.run("sort -F csv --limit 1 --split 2 -o few in").quietly();
    assert_eq!(folder.read("few-1"), format!("{header}A,\"ink\",,2026-01-04\n").into_bytes());
    assert_eq!(folder.read("few-2"), header.as_bytes());
    folder
        .run("sort -F csv -k 2 -k 3:nulls-first --split-by item --select amount -o by.csv in")
        .quietly();
    assert_eq!(folder.read("by-pen__red.csv"), b"amount\n1.50\n");
    assert_eq!(folder.read("by-ink.csv"), b"amount\n\"\"\n-0.25\n3\n");
    assert_eq!(folder.names().len(), 8);
}

#[test]
fn files_of_values_are_as_many_as_there_are_and_all_or_none() {
    let folder = Folder::new();
    let lines: String = (0..3000).map(|n| format!("{:03}:{n}\n", n * 7 % 1000)).collect();
    folder.write("in", &lines);
    let mut command = std::process::Command::new("sh");
    let script = "ulimit -n 60; exec \"$1\" sort -t : -k 1 --split-by 1 -o out.txt in";
    let said = command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_sortwell")]);
    let status = said.current_dir(folder.path()).status().expect("run");
    assert!(status.success());
    assert_eq!(folder.names().len(), 1001);
    assert_eq!(folder.read("out-042.txt"), b"042:6\n042:1006\n042:2006\n");
    let folder = Folder::new();
    folder.write("in", &lines);
    for (line, part) in [
        ("sort -t : -k 2:int --split-by 1 -o out in", "first key of the sort"),
        ("sort --split-by 1 -o out in", "--separator"),
        ("sort --split 2 in", "--output"),
        ("sort -u --split 2 -o out in", "--split-by"),
    ] {
        let said = folder.run(line);
        assert!(said.status == 2 && said.words.contains(part), "{line}: {said:?}");
        assert_eq!(folder.names(), ["in"], "{line}");
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let folder = Folder::new();
    folder.write("in", SALES);
    folder.write("bin", "\u{7f}a\u{7f}a");
    for (line, status, part) in [
        (
            "sort -F csv -k 1 --sum item in",
            3,
            "in: 'ink' in column item is not a number, in 'A,ink",
        ),
        ("sort -F csv -k 1 --sum price in", 2, "the columns are 'shop', 'item', 'amount', 'day'"),
        ("sort -F csv --select 9 in", 2, "there is no column 9; the first row has 4"),
        ("sort -F csv -k 1 --count --unique=error in", 2, "leave one of the two out"),
        ("sort --sum 1 in", 2, "--separator"),
        ("sort -F fixed:2 -k 1..2 --sum 0..1:u8 bin", 0, ""),
        ("sort -F fixed:2 -k 1..2 --sum 0..1:i8 bin", 3, "bin: the sum 254 of bytes 0..1 does not"),
        ("sort -F fixed:2 -k 0..2 --sum 0..1:u8 bin", 3, "--sum 0..1 would change the key"),
    ] {
        let said = folder.run(line);
        assert_eq!(said.status, status, "{line}: {said:?}");
        assert!(said.words.contains(part), "{line}: {said:?}");
        // A header is on its way before any row has been looked at.
        let header = SALES.find('\n').map_or(0, |end| end + 1);
        assert!(status == 0 || said.out.len() <= header, "{line}: {said:?}");
    }
}

/// The ways in which the same sort is done.
const WAYS: [&str; 7] = [
    "-j 1",
    "-j 4",
    "-M 64MiB -j 1 --algorithm replacement-selection",
    "-M 64MiB -j 2 --run-size 64KiB",
    "-M 64MiB -j 2 --run-size 64KiB --merge-width 2",
    "-M 64MiB -j 1 --run-size 64KiB --merge streams",
    "-M 64MiB -j 2 --run-size 128KiB --merge streams --merge-width 2 --overlap sync",
];

/// A record of the model: its key, its value as it is written, and the rest of it.
struct Entry {
    key: String,
    value: Vec<u8>,
    rest: String,
}

impl Entry {
    fn bytes(&self, is_csv: bool, value: &[u8]) -> Vec<u8> {
        let (key, rest) = (self.key.as_bytes(), self.rest.as_bytes());
        match is_csv {
            true => [key, b",", value, b",", rest, b"\n"].concat(),
            false => [key, value, rest].concat(),
        }
    }

    fn number(&self, is_csv: bool) -> Option<i64> {
        match is_csv {
            true => std::str::from_utf8(&self.value).ok()?.parse().ok(),
            false => Some(i64::from(self.value[0].cast_signed())),
        }
    }
}

/// The options for groups.
#[derive(Clone, Copy, PartialEq)]
enum Asked {
    Sum,
    Max,
    Unique,
}

/// Returns the output for the groups from `skip` to `end`, or the error of the first wrong one.
fn model(
    groups: &[Vec<&Entry>],
    (asked, is_csv, is_keyed): (Asked, bool, bool),
    (skip, end): (usize, usize),
) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut before = 0;
    for (number, group) in groups.iter().enumerate().take(end) {
        let mut result = None;
        if asked == Asked::Unique && group.len() > 1 {
            return Err(format!("record {} of the sorted order has the same key", before + 2));
        }
        for entry in group.iter().filter(|_| asked != Asked::Unique) {
            let Some(value) = entry.number(is_csv) else {
                let text = String::from_utf8_lossy(&entry.value);
                let kind = if asked == Asked::Sum { "a number" } else { "of type decimal" };
                return Err(format!("'{text}' in column v is not {kind}"));
            };
            let more = if asked == Asked::Sum { i64::saturating_add } else { i64::max };
            result = Some(result.map_or(value, |result| more(result, value)));
        }
        before += group.len();
        let mut value = group[0].value.clone();
        if let Some(result) = result.filter(|_| group.len() > 1) {
            value = result.to_string().into_bytes();
            if !is_csv {
                let Ok(byte) = i8::try_from(result) else {
                    let key = if is_keyed { &group[0].key[..4] } else { &group[0].key };
                    return Err(format!(
                        "the sum {result} of bytes 4..5 does not fit in their 8 bits, in '{key}?"
                    ));
                };
                value = vec![byte.cast_unsigned()];
                if is_keyed && value != group[0].value {
                    return Err("--sum 4..5 would change the key".to_owned());
                }
            }
        }
        if number >= skip {
            out.extend(group[0].bytes(is_csv, &value));
        }
    }
    Ok(out)
}

/// Records with so many keys, one in so many of which has a value that does not do, if any.
fn entries(
    is_csv: bool,
    (keys, faults): (u64, u64),
    random: &mut impl FnMut(u64) -> u64,
) -> Vec<Entry> {
    let mut entry = |number: u64| {
        let is_fault = faults > 0 && random(faults) == 0;
        let value = match is_csv {
            true if is_fault => format!("x{number}").into_bytes(),
            true => random(50).to_string().into_bytes(),
            false if is_fault => vec![127],
            false => vec![[0, 0, 1, 255][random(4) as usize]],
        };
        let key = random(keys);
        let key = if is_csv { format!("k{key:09}") } else { format!("{:04}", key % 9999) };
        Entry { key, value, rest: format!("{number:05}{}", "p".repeat(30)) }
    };
    (0..6000).map(&mut entry).collect()
}

/// What lies beyond the limit is never an error, and what does not always is, the same one: in one
/// pass or several, whatever is folded early.
#[test]
fn limits_bound_what_is_asked_of_records() {
    let folder = Folder::new();
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % below
    };
    for case in 0..24 {
        let (is_csv, is_keyed) = (case % 2 == 0, case % 4 == 3);
        let asked = [Asked::Sum, Asked::Max, Asked::Unique][case / 2 % 3];
        let (keys, faults) = ([3, 40, 900, 1 << 30][case / 3 % 4], [0, 3000, 400][case % 3]);
        let mut entries = entries(is_csv, (keys, faults), &mut random);
        let input: Vec<u8> =
            entries.iter().flat_map(|entry| entry.bytes(is_csv, &entry.value)).collect();
        let header: &[u8] = if is_csv { b"k,v,rest\n" } else { b"" };
        folder.write("in", [header, &input].concat());
        let key_of = |entry: &Entry| match is_keyed {
            true => [entry.key.as_bytes(), &entry.value].concat(),
            false => entry.key.clone().into_bytes(),
        };
        entries.sort_by_key(key_of);
        let all: Vec<&Entry> = entries.iter().collect();
        let groups: Vec<Vec<&Entry>> =
            all.chunk_by(|a, b| key_of(a) == key_of(b)).map(<[_]>::to_vec).collect();
        let format = match (is_csv, is_keyed) {
            (true, _) => "-F csv -k k",
            (false, false) => "-F fixed:40 -k 0..4",
            (false, true) => "-F fixed:40 -k 0..5",
        };
        let words = match (asked, is_csv) {
            (Asked::Sum, true) => "--sum v",
            (Asked::Max, true) => "--max v",
            (Asked::Sum, false) => "--sum 4..5:i8",
            (Asked::Max, false) => "--max 4..5:i8",
            (Asked::Unique, _) => "--unique=error",
        };
        let limits = [(0, 0), (0, 1), (1, 2), (0, 30), (3, 1 << 20)];
        for (skip, limit) in some(&limits) {
            let expected = model(&groups, (asked, is_csv, is_keyed), (skip, skip + limit));
            let mut first = None;
            for way in WAYS {
                let line = format!("sort {format} {words} --skip {skip} --limit {limit} {way}");
                let said = folder.run(&format!("{line} -T . in"));
                let first = first.get_or_insert_with(|| said.words.clone());
                assert_eq!(*first, said.words, "{line}");
                match &expected {
                    Ok(out) => assert!(said.quietly() == [header, out].concat(), "{line}"),
                    Err(message) => said.fails(3, &[message]),
                }
            }
        }
    }
}

#[test]
fn values_of_groups_have_any_type() {
    let folder = Folder::new();
    folder.write("levels", "low\nmid\nhigh\n");
    folder.write("upper", (0..=255_u8).map(|b| b.to_ascii_uppercase()).collect::<Vec<u8>>());
    let rows = "k;price;level;name\na;1.000,5;mid;zoe\na;-0,75 €;high;Ärne\nb;7;low;x\n";
    folder.write("rows.csv", rows);
    let style = "decimal=,:thousands=.:currency";
    for (options, expected) in [
        (format!("--sum price:{style}"), "a;999,75;mid;zoe"),
        (format!("--min price:{style}"), "a;-0,75 €;mid;zoe"),
        (format!("--max PRICE:{style}").replace("PRICE", "2"), "a;1.000,5;mid;zoe"),
        ("--max level:order=low|mid|high".to_owned(), "a;1.000,5;high;zoe"),
        ("--max level:order=@levels".to_owned(), "a;1.000,5;high;zoe"),
        ("--min name:text:locale=de".to_owned(), "a;1.000,5;mid;Ärne"),
        ("--max name:text:ci".to_owned(), "a;1.000,5;mid;Ärne"),
    ] {
        for more in ["", " -M 24MiB -j 2", " --resume -o out"] {
            let line = format!("sort -F csv -t ; -k k {options}{more} rows.csv");
            let out = folder.run(&line).quietly();
            let out = if more.ends_with("out") { folder.read("out") } else { out };
            let expected = format!("k;price;level;name\n{expected}\nb;7;low;x\n");
            assert_eq!(String::from_utf8_lossy(&out), expected, "{line}");
        }
    }
    folder.write("bin", "k02{2026-01-05k01J2025-12-31");
    for (options, expected) in [
        ("--sum 1..4:zoned --min 4..14:date", "k0092025-12-31"),
        ("--min 1..4:zoned --max 4..14:date", "k01J2026-01-05"),
        ("--max 1..4:sequence=upper", "k02{2026-01-05"),
    ] {
        let out = folder.run(&format!("sort -F fixed:14 -k 0..1 {options} bin")).quietly();
        assert_eq!(String::from_utf8_lossy(&out), expected, "{options}");
    }
    for (options, status, part) in [
        ("--sum level:decimal=,", 3, "'mid' in column level is not a number"),
        ("--sum price", 3, "'1.000,5' in column price is not a number"),
        ("--sum level:date", 2, "cannot be added"),
        ("--max level:random", 2, "no minimum or maximum"),
        ("--max level:order=@none", 2, "cannot read none"),
        ("--max level:int:desc", 2, "leave out desc"),
        ("--max level:u8", 2, "a type of binary records"),
    ] {
        let said = folder.run(&format!("sort -F csv -t ; -k k {options} rows.csv"));
        assert!(said.status == status && said.words.contains(part), "{options}: {said:?}");
    }
}
