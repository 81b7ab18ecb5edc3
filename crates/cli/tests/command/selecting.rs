//! What of sorted records is written: sums, counts, parts of records.

use crate::harness::Folder;

const SALES: &str = "\
shop,item,amount,day
B,\"pen, red\",1.50,2026-01-03
A,ink,3,2026-01-02
B,ink,-0.25,2026-01-01
A,\"ink\",,2026-01-04
";

/// What a command says of one file, in words split at blanks.
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
fn an_output_is_split_by_number_and_by_value() {
    let folder = Folder::new();
    folder.write("in", SALES);
    folder.run("sort -F csv -k 2 --split 3 -o out.csv in").quietly();
    let names = ["in", "out-1.csv", "out-2.csv", "out-3.csv"];
    assert_eq!(folder.names(), names);
    let header = "shop,item,amount,day\n";
    let ink = "A,ink,3,2026-01-02\n";
    assert_eq!(folder.read("out-1.csv"), format!("{header}{ink}").into_bytes());
    let two = "B,ink,-0.25,2026-01-01\n";
    assert_eq!(folder.read("out-2.csv"), format!("{header}{two}").into_bytes());
    assert!(folder.read("out-3.csv").ends_with(b"\nB,\"pen, red\",1.50,2026-01-03\n"));
    // Fewer records than files, and a value that is not written.
    folder.run("sort -F csv --limit 1 --split 2 -o few in").quietly();
    assert_eq!(folder.read("few-1"), header.as_bytes());
    assert_eq!(folder.read("few-2"), format!("{header}A,\"ink\",,2026-01-04\n").into_bytes());
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
        ("sort -t : -k 2:int --split-by 1 -o out in", "first of the sort's keys"),
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
        ("sort -F csv -k 1 --count --unique=error in", 2, "leave one of them out"),
        ("sort --sum 1 in", 2, "--separator"),
        ("sort -F fixed:2 --count bin", 2, "leave out --count"),
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
