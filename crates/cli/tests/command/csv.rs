//! `sort` over tables as it is used at a shell, and what is said to those that are none.

use std::process::Command;

use crate::harness::Folder;

/// Returns the output for `input` with some options, which is equal from a file and a pipe.
#[track_caller]
fn sorted(options: &str, input: impl AsRef<[u8]>) -> String {
    let folder = Folder::new();
    folder.write("in", &input);
    let out = folder.run(&format!("sort {options} in")).quietly();
    let piped = folder.run_with(&format!("sort {options}"), input.as_ref()).quietly();
    assert_eq!(out, piped, "a pipe makes no difference");
    String::from_utf8(out).expect("text")
}

#[test]
fn columns_by_number() {
    let table = "name,n\nb,2\n\"a\",3\n\"\",1\n";
    assert_eq!(sorted("-F csv -k 1:nulls-first", table), "name,n\n\"\",1\n\"a\",3\nb,2\n");
    assert_eq!(sorted("-F csv -k 2:int:desc", table), "name,n\n\"a\",3\nb,2\n\"\",1\n");
    assert_eq!(sorted("-F csv -k 1 -r", table), "name,n\nb,2\n\"a\",3\n\"\",1\n");
    assert_eq!(sorted("-F csv -k 2:int --limit 2", table), "name,n\n\"\",1\nb,2\n");
    let twice = "k,v\na,1\n\"a\",2\nb,3\n";
    assert_eq!(sorted("-F csv -k 1 --unique", twice), "k,v\na,1\nb,3\n");
}

#[test]
fn rows_come_out_as_they_went_in() {
    let table = "\u{feff}\"k\",v\r\nb,\"x\n\"\"y\"\",\"\r\n\na,\n\"\",\"\"";
    let sorted_table = "\u{feff}\"k\",v\r\n\n\"\",\"\"\na,\nb,\"x\n\"\"y\"\",\"\r\n";
    assert_eq!(sorted("-F csv -k 1:nulls-first", table), sorted_table);
    assert_eq!(sorted("-F csv", ""), "");
    assert_eq!(sorted("-F csv", "only,a header"), "only,a header\n");
    assert_eq!(sorted("-F csv", "\u{feff}"), "", "nothing but a mark");
}

#[test]
fn other_dialects() {
    assert_eq!(sorted("-F tsv -k 2", "a\tb\n1\tz,\n2\t\"y\n\"\n"), "a\tb\n2\t\"y\n\"\n1\tz,\n");
    assert_eq!(sorted("-F csv -t ; -k 1", "a;b\nz;1,5\n\"y;\";2\n"), "a;b\n\"y;\";2\nz;1,5\n");
    assert_eq!(sorted("-F csv -t tab -k 1", "a\tb\nz\t1\ny\t2\n"), "a\tb\ny\t2\nz\t1\n");
    assert_eq!(sorted("-F csv --quote ' -k 1", "a,b\nz,\"\n'y,''',2\n"), "a,b\n'y,''',2\nz,\"\n");
    let place = "place,n\n40° 26' 46\" N,2\n\"x\ny\",1\n\"a\" b,0\n";
    let by_number = "place,n\n\"a\" b,0\n\"x\ny\",1\n40° 26' 46\" N,2\n";
    assert_eq!(sorted("-F csv --quote lenient -k 2", place), by_number);
    assert_eq!(sorted("-F csv --quote lenient:' -k 1", "a\nd'\n'c'\n"), "a\n'c'\nd'\n");
    let inches = "what,size\nscreen,27\"\ndisk,2.5\"\n";
    assert_eq!(sorted("-F csv --quote none -k 2", inches), "what,size\ndisk,2.5\"\nscreen,27\"\n");
    assert_eq!(sorted("-F csv --no-header -k 1", "z,1\ny,2\nx,3\n"), "x,3\ny,2\nz,1\n");
    assert_eq!(sorted("-F csv --ragged keep -k 2", "a,b\nz,1\nx\ny,0,2\n"), "a,b\ny,0,2\nz,1\nx\n");
    assert_eq!(sorted("-F csv --ragged error -k 1", "a,b\nz,1\ny,2\n"), "a,b\ny,2\nz,1\n");
}

#[test]
fn one_header_for_many_inputs() {
    let folder = Folder::new();
    folder.write("none", "");
    folder.write("mark", "\u{feff}");
    folder.write("one", "k,\"v\"\nz,1");
    folder.write("two", "\u{feff}\"k\",v\r\ny,2\n");
    folder.write("three", "k,v");
    let expected = "k,\"v\"\nx,3\ny,2\nz,1\n";
    let piped = b"k,v\nx,3\n";
    let out = folder.run_with("sort -F csv -k 1 none mark one two three -", piped).quietly();
    assert_eq!(String::from_utf8_lossy(&out), expected);
    folder.run_with("sort -F csv -k 1 -o one none mark one two three -", piped).quietly();
    assert_eq!(String::from_utf8_lossy(&folder.read("one")), expected);
    assert_eq!(folder.names(), ["mark", "none", "one", "three", "two"]);
}

/// Asserts that a table is refused from a file, which is named, and from a pipe.
#[track_caller]
fn refused_alone(options: &str, table: &[u8], parts: &[&str]) {
    let folder = Folder::new();
    folder.write("bad.csv", table);
    let named = [parts, &["bad.csv: "]].concat();
    folder.run(&format!("sort -F csv {options} bad.csv -o out")).fails(3, &named);
    let named = [parts, &["standard input: "]].concat();
    folder.run_with(&format!("sort -F csv {options} -o out"), table).fails(3, &named);
    assert_eq!(folder.names(), ["bad.csv"]);
}

/// Refuses an input, alone and after another one.
#[track_caller]
fn refused(options: &str, table: &[u8], parts: &[&str]) {
    refused_alone(options, table, parts);
    let folder = Folder::new();
    folder.write("bad.csv", table);
    // What came before is of no account, nor is what follows.
    folder.write("good.csv", table.split(|byte| *byte == b'\n').next().expect("a header"));
    let named = [parts, &["bad.csv: "]].concat();
    folder.run(&format!("sort -F csv {options} good.csv bad.csv -o out")).fails(3, &named);
    assert_eq!(folder.names(), ["bad.csv", "good.csv"]);
}

#[test]
fn rows_that_must_not_be() {
    let ragged = ["row 2, line 4: the row has 1 cell, and the header has 2", "--ragged keep"];
    refused("", b"a,b\n\"x\n\",y\nz\nz\n\"\n", &ragged);
    refused("-k 2", b"a,b\nx,y\nx,y,z", &["row 2, line 3: the row has 3 cells"]);
    let stray =
        ["row 1, line 2: a quote at byte 3 of the row", "double a quote", "--quote lenient"];
    refused("", b"a,b\n27\"inch\",x\n", &["row 1, line 2: a quote at byte 2 of the row"]);
    refused("", b"a,b\nxyz\"\",x\n", &stray);
    refused("--ragged keep", b"a,b\nxyz\"\",x\n", &stray);
    let open = ["row 2, line 3: the last row opens a quote that is never closed"];
    refused("", b"a,b\nx,y\nx,\"y\nz,z\n", &open);
    refused("--quote lenient", b"a,b\nx\"y,y\nx,\"y\nz,z\n", &open);
    refused("--no-header", b"x,y\n\nz", &["row 3, line 3:", "the first row has 2"]);
}

#[test]
fn ragged_rows_that_are_left_out() {
    let folder = Folder::new();
    folder.write("one", "a,b\nz,1\nx\n\"y\n\",2\n\nw,0,1\n");
    folder.write("two", "a,b\n0\n1\nx,0\n");
    let expected = b"a,b\n\nx,0\nz,1\n\"y\n\",2\n";
    let words = "left out 4 rows with a different number of cells than the header or first row";
    let said = folder.run("sort -F csv --ragged drop -k b:nulls-first one two");
    assert_eq!((said.status, &said.out[..]), (0, &expected[..]), "{said:?}");
    assert_eq!(said.words, format!("sortwell: {words} (--ragged drop)\n"));
    let said = folder.run("sort -F csv --ragged drop -k b:nulls-first --stats text one two");
    let line = "dropped  4 rows with a different number of cells than the header or first row\n";
    assert!(said.words.contains(line) && !said.words.contains("left out"), "{said:?}");
    let said = folder.run("sort -F csv --ragged drop -k b --stats json one two -o out");
    assert!(said.words.contains("\"ragged_rows_dropped\":4,"), "{said:?}");
    let said = folder.run("sort -F csv --ragged keep -k b --stats json one two -o out");
    assert!(said.words.contains("\"ragged_rows_dropped\":null,"), "{said:?}");
    // The row that says how many cells there are is the first of the first input.
    let said = folder.run("sort -F csv --no-header --ragged drop -k 1 one two -o out");
    assert!(said.words.contains("left out 4 rows"), "{said:?}");
    // Conditions do not see them, and what is told of others counts them.
    let said = folder.run("sort -F csv --ragged drop -k b --include b==\"1\" one two");
    assert_eq!(said.out, b"a,b\nz,1\n");
    assert!(said.words.contains("left out 4 rows"), "{said:?}");
    refused("--ragged drop", b"a,b\nx\nxyz\"\",x\n", &["row 2, line 3: a quote at byte 3"]);
    folder.run("sort -F csv --ragged drop --in-place one").fails(2, &["--in-place"]);
}

#[test]
fn ragged_rows_that_merge_and_check_leave_out() {
    let folder = Folder::new();
    folder.write("one", "a,b\n~\nb,1\n~,~,~\nd,1\n");
    folder.write("two", "a,b\na,2\n\"~\n~\"\nc,2\n~");
    let said = folder.run("merge -F csv --ragged drop -k a one two");
    assert_eq!(said.out, b"a,b\na,2\nb,1\nc,2\nd,1\n", "{said:?}");
    assert!(said.words.contains("left out 4 rows"), "{said:?}");
    let said = folder.run("merge -F csv --ragged drop -k a --stats json -o out one two");
    assert!(said.words.contains("\"ragged_rows_dropped\":4,"), "{said:?}");
    let said = folder.run("check -F csv --ragged drop -k a one two");
    assert_eq!((said.status, said.out.len()), (0, 0), "{said:?}");
    assert!(said.words.contains("left out 4 rows"), "{said:?}");
    assert_eq!(folder.run("check -F csv --ragged drop -k a -q one two").words, "");
    // Records are counted with those that are left out.
    folder.write("bad", "a,b\nx\nb,1\nx\nx\na,1\n");
    let place = "record 5 at offset 14 is out of order: it belongs before record 2";
    folder.run("merge -F csv --ragged drop -k a one bad").fails(3, &["bad: ", place]);
    let said = folder.run("check -F csv --ragged drop -k a bad");
    assert!(said.status == 1 && said.words.contains(place), "{said:?}");
}

#[test]
fn a_far_row_that_must_not_be() {
    let mut table = b"a,b\n".to_vec();
    (0..900_000_u64).for_each(|n| table.extend(format!("{},\"{n}\n\"\n", n * 7919 % 1000).bytes()));
    table.extend_from_slice(b"x\ny\n\"");
    for options in ["-k 1", "-k 1 -j 1 -M 28MiB -T .", "-j 3 -M 36MiB -T ."] {
        refused(options, &table, &["row 900001, line 1800002: the row has 1 cell,"]);
    }
}

/// The first row of a table without a header is sorted like any other, however long it is.
#[test]
fn a_long_first_row() {
    let folder = Folder::new();
    for bytes in [1 << 20, 3 << 20] {
        let long = format!("b,\"{}\",2\n", "x\n".repeat(bytes / 2));
        folder.write("in", format!("{long}a,1\n\nc\n"));
        let sort = "sort -F csv --no-header -k 1:nulls-first";
        let expected = format!("\na,1\n{long}c\n");
        assert!(folder.run(&format!("{sort} in")).quietly() == expected.as_bytes());
        let piped = folder.script(&format!("cat in | \"$sortwell\" {sort}"));
        assert!(piped.quietly() == expected.as_bytes());
        folder.write("sorted", &expected);
        let merged = folder.run("merge -F csv --no-header -k 1:nulls-first sorted").quietly();
        assert!(merged == expected.as_bytes());
        let parts = folder.run(&format!("{sort} --select 3,1 in")).quietly();
        assert_eq!(parts, b",\n,a\n2,b\n,c\n");
        folder.write("in", format!("a,b\n{long}"));
        folder.run("check -F csv --no-header -k 1 in").fails(3, &["row 2", "3 cells"]);
        folder.write("in", format!("n,{long}1,2,3\n"));
        folder.run("sort -F csv in").fails(3, &["the header has more than 1048576 bytes"]);
    }
}

#[test]
fn headers_that_must_not_be() {
    let quote = &["the header row, line 1: a quote at byte 3 of the row", "--quote none"];
    refused_alone("", b"a,b\"c\"\nx,y\n", quote);
    refused_alone("--no-header", b"\"a\n\"b,c\n", &["row 1, line 2: a quote at byte 4"]);
    let never = &["the header row, line 1: it opens a quote that is never closed"];
    refused_alone("--quote lenient", b"a,\"b\nx,y\n", never);
    let long = [b"a,\"".to_vec(), vec![b'b'; 2 << 20], b"\"\nx,y\n".to_vec()].concat();
    refused_alone("", &long, &["the header has more than 1048576 bytes"]);
    let folder = Folder::new();
    folder.write("one", "a,b\nx,y\n");
    for (other, part) in [
        ("a,c\nx,y\n", "column 2 is 'c' here and 'b' there"),
        ("a\nx\n", "1 column here and 2 there"),
    ] {
        folder.write("other", other);
        let parts = ["other: ", "its header is not that of", "one", part, "--no-header"];
        folder.run("sort -F csv one other -o out").fails(3, &parts);
        let parts = ["standard input: ", "its header is not that of", "one", part];
        folder.run_with("sort -F csv one - -o out", other.as_bytes()).fails(3, &parts);
    }
    assert_eq!(folder.names(), ["one", "other"]);
}

#[test]
fn words_that_mean_nothing() {
    let folder = Folder::new();
    folder.write("in", "a,b\nx,y\n");
    for (line, part) in [
        ("sort -F csv --header 1 in", "leave out --header"),
        ("sort -F csv -t \" in", "give another --separator"),
        ("sort -F csv --quote , in", "give another --separator"),
        ("sort -F csv --quote \"\" in", "'\"\"' is not a quote"),
        ("sort -F csv --quote x in", "'x' is not a quote"),
        ("sort -F csv --ragged maybe in", "keep"),
        ("sort -F csv --quote lenient:xy in", "lenient:BYTE"),
        ("sort -F csv -k 0 in", "'0'"),
        ("sort --quote ' in", "--quote applies to csv and tsv only"),
        ("sort -F lines --no-header in", "--no-header applies to csv and tsv only"),
        ("sort -F fixed:4 --ragged keep in", "--ragged applies to csv and tsv only"),
        ("sort -F u16be --quote none in", "--quote applies to csv and tsv only"),
    ] {
        let said = folder.run(line);
        assert_eq!((said.status, said.out.len()), (2, 0), "{line}: {said:?}");
        assert!(said.words.contains(part), "{line}: {said:?}");
    }
    assert_eq!(folder.names(), ["in"]);
}

/// Random tables come out as Python's own reader and sort have them. `SORTWELL_TEST_CASES=N` tries
/// so many.
#[test]
fn as_python_sorts_them() {
    if Command::new("python3").args(["-c", "import csv"]).output().is_err() {
        println!("LEFT OUT: this machine has no python3 to compare with");
        return;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/differ_csv.py");
    let cases = std::env::var("SORTWELL_TEST_CASES").unwrap_or_else(|_| "150".to_owned());
    let mut command = Command::new("python3");
    command.args(["-B", script, "--bin", env!("CARGO_BIN_EXE_sortwell"), "--cases", &cases]);
    let output = command.output().expect("python3");
    let said = String::from_utf8_lossy(&output.stdout);
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{words}");
    assert!(said.contains(&format!("0 of {cases} cases differ")), "{said}");
}

#[test]
fn rows_that_end_with_carriage_returns_alone() {
    let refused = &["rows end with a carriage return alone, the first at byte 3", "tr '\\r' '\\n'"];
    refused_alone("-k a", b"a,b\r2,x\r1,y\r", refused);
    refused_alone("-k 1 --no-header", b"2,x\r1,y\r", refused);
    refused_alone("--quote none", b"a,\"\r2,\"\r", refused);
    refused_alone("", b"\xef\xbb\xbf\"a\"\r2\r1\r", &["the first at byte 6"]);
    refused_alone("-t tab", b"a\tb\r2\tx\r1\ty\r", refused);
    let long = b"ab,\r".repeat(1 << 19);
    refused_alone("", &long, refused);
    // Within cells, they are data.
    assert_eq!(sorted("-F csv -k 1", "a,\"\rb\"\r\n2,\r\n1,x\n"), "a,\"\rb\"\r\n1,x\n2,\r\n");
    assert_eq!(sorted("-F csv -k 1", "a\rb,c\nz\r,1\ny,2\n"), "a\rb,c\ny,2\nz\r,1\n");
    assert_eq!(sorted("-F csv -k 1", "a,b\r"), "a,b\r\n");
    let folder = Folder::new();
    folder.write("cr.csv", "a,b\r2,x\r1,y\r");
    folder.write("good.csv", "a,b\n1,x\n");
    for line in [
        "merge -F csv -k a cr.csv",
        "merge -F csv -k a good.csv cr.csv",
        "sort -F csv -k a good.csv cr.csv",
        "check -F csv -k a cr.csv",
        "explain -F csv -k a cr.csv",
    ] {
        folder.run(line).fails(3, &["cr.csv: its rows end with a carriage return alone"]);
    }
}

/// A row that cannot be merged within the budget is called a row, with the likely reason.
#[test]
fn rows_too_long_for_a_merge_are_called_rows() {
    let folder = Folder::new();
    let mut text = b"a,b\n".to_vec();
    let begins = {
        (0_u64..400_000).for_each(|n| text.extend(format!("{:08},{:070}\n", n * 7919, 1).bytes()));
        text.len()
    };
    text.resize(begins + (4 << 20), b'w');
    text.extend(b",2\nx,3\n");
    folder.write("in", &text);
    let row = format!("the row at byte {begins} has 4.0 MiB, and rows of more than ");
    let quote = "look for an unclosed quote there";
    folder.run("sort -F csv -k a -M 24MiB -j 2 -o out in").fails(3, &[&row, quote]);
}

#[test]
fn quotes_that_are_never_closed_come_with_advice() {
    let sort = |options: &str, input: &[u8]| {
        Folder::new().run_with(&format!("sort -F csv -k a {options}"), input)
    };
    let advice = "never closed; close it, or give --quote lenient if quotes inside cells are data";
    sort("", b"a,b\n1,5\" disk\n").fails(3, &[advice, "--quote none if all quotes are data"]);
    sort("--quote lenient", b"a,b\n\"1,5\n").fails(3, &["close it, or give --quote none"]);
    let advice =
        "row, line 1: it opens a quote that is never closed; close it, or give --quote none";
    sort("", b"\"a\nb\n").fails(3, &[advice]);
    sort("", b"x,\"a\nb\n").fails(3, &[advice]);
}

/// A byte order mark above rows without a header stays as it is; only rows are shaped.
#[test]
fn a_mark_above_rows_without_a_header_is_no_row() {
    let folder = Folder::new();
    folder.write("in.csv", "\u{feff}2,a\n1,b\n");
    for (words, rows) in [
        ("--select 2,1", "a,2\nb,1\n"),
        ("--select 2", "a\nb\n"),
        ("--count", "2,a,1\n1,b,1\n"),
        ("--limit 0 --select 1", ""),
    ] {
        let found = folder.run(&format!("sort -F csv --no-header -k 2 {words} in.csv")).quietly();
        assert_eq!(String::from_utf8(found).expect("text"), format!("\u{feff}{rows}"), "{words}");
    }
}
