//! Tables whose columns differ, as one: `--union-by-name` with every command and every kind of
//! input, and what it refuses.

use std::fmt::Write;

use crate::harness::Folder;

const JAN: &str = "id,name\n3,Ann\n1,\"Lee, Bo\"\n";
const FEB: &str = "\"name\",note,id\r\nCy,\"two\nlines\",2\r\nDi,,4";
const BOTH: &str = "id,name,note\n1,\"Lee, Bo\",\n2,Cy,\"two\nlines\"\r\n3,Ann,\n4,Di,\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("jan.csv", JAN);
    folder.write("feb.csv", FEB);
    folder
}

#[track_caller]
fn assert_writes(folder: &Folder, line: &str, expected: &str) {
    let out = folder.run(line).quietly();
    assert_eq!(String::from_utf8_lossy(&out), expected, "{line}");
}

#[test]
fn columns_are_found_by_their_names() {
    let folder = folder();
    assert_writes(&folder, "sort -F csv --union-by-name -k id:int jan.csv feb.csv", BOTH);
    let back = "name,note,id\r\n\"Lee, Bo\",,1\nCy,\"two\nlines\",2\r\nAnn,,3\nDi,,4\n";
    let back = back.replacen("name", "\"name\"", 1);
    assert_writes(&folder, "sort -F csv --union-by-name -k id:int feb.csv jan.csv", &back);
    // Numbers of columns are those of the union.
    assert_writes(&folder, "sort -F csv --union-by-name -k 1:int jan.csv feb.csv", BOTH);
    let some = "id,name,note\n2,Cy,\"two\nlines\"\r\n";
    let line = "sort -F csv --union-by-name -k id --exclude note==\"\" jan.csv feb.csv";
    assert_writes(&folder, line, some);
    let line =
        "sort -F csv --union-by-name -k id:int:desc --limit 1 --select note,id jan.csv feb.csv";
    assert_writes(&folder, line, "note,id\n,4\n");
    folder.write("mar.csv", "note,id\n,3\nx,3\n");
    let line = "sort -F csv --union-by-name --unique-by id:int -k note:desc jan.csv mar.csv";
    assert_writes(&folder, line, "id,name,note\n1,\"Lee, Bo\",\n3,,x\n");
    let line = "sort -F csv --union-by-name -k id:int --count jan.csv mar.csv";
    assert_writes(&folder, line, "id,name,note,count\n1,\"Lee, Bo\",,1\n3,Ann,,3\n");
}

#[test]
fn the_first_header_stays_as_it_was_written() {
    let folder = Folder::new();
    folder.write("none", "");
    folder.write("mark", "\u{feff}");
    folder.write("one", "\u{feff}\"b\"\r\n2\r\n");
    folder.write("two", "a,b");
    folder.write("three", "\u{feff}\"a\"\n1\n\n");
    let expected = "\u{feff}\"b\",a\r\n,1\n\n2,\r\n";
    let line = "sort -F csv --union-by-name -k b:nulls-first none mark one two three";
    assert_writes(&folder, line, expected);
    let line = "merge -F csv --union-by-name -k b:nulls-first none mark one two";
    assert_writes(&folder, line, "\u{feff}\"b\",a\r\n2,\r\n");
}

/// Nothing is rewritten where all have the same columns in the same order: it is read as ever, and
/// can be resumed and explained.
/// A cell that would lose its last byte to the end of its row is written in quotes.
#[test]
fn carriage_returns_stay_in_moved_cells() {
    let folder = Folder::new();
    folder.write("one", "a,b\n1,x\n");
    folder.write("two", "b,a\ny\r,2\nz\r,3\r\n");
    let expected = "a,b\n1,x\n2,\"y\r\"\n3,z\r\r\n";
    for command in ["sort", "merge"] {
        let line = format!("{command} -F csv --union-by-name -k a one two");
        assert_writes(&folder, &line, expected);
    }
    folder.write("united", expected);
    assert_writes(&folder, "sort -F csv -k b --select b united", "b\nx\n\"y\r\"\nz\r\r\n");
    assert_writes(&folder, "sort -F csv -k a --select b,a two", "b,a\ny\r,2\nz\r,3\r\n");
    assert_writes(&folder, "sort -F csv -k a --select a,b two", "a,b\n2,\"y\r\"\n3,z\r\r\n");
    folder.write("names", "c\r,a\n4,5\n");
    let line = "sort -F csv --union-by-name -k a one names";
    assert_writes(&folder, line, "a,b,\"c\r\"\n1,x,\n5,,4\n");
    let told =
        ["two: the row at byte 4: the last cell would end with a carriage return", "--quote"];
    let line = "sort -F csv --quote none --union-by-name -k a one two";
    folder.run(line).fails(3, &told);
    folder.run("sort -F csv --quote none -k a --select a,b two").fails(3, &told[1..]);
}

#[test]
fn the_same_columns_are_left_alone() {
    let folder = Folder::new();
    folder.write("one", "a,\"b\"\n2,x\n");
    folder.write("two", "\"a\",b\n1,y\n");
    let all = "a,\"b\"\n1,y\n2,x\n";
    assert_writes(&folder, "sort -F csv --union-by-name -k a one two", all);
    folder.run("sort -F csv --union-by-name -k a --resume -o out one two").quietly();
    assert_eq!(folder.read("out"), all.as_bytes());
    let out = folder.run("explain -F csv --union-by-name -k a one two").quietly();
    assert!(!out.is_empty());
}

#[test]
fn streams_and_compressed_inputs() {
    let folder = folder();
    let line = "sort -F csv --union-by-name -k id:int jan.csv -";
    let out = folder.run_with(line, FEB.as_bytes()).quietly();
    assert_eq!(String::from_utf8_lossy(&out), BOTH);
    for script in [
        "$sortwell sort -F csv --union-by-name -k id:int jan.csv - < feb.csv",
        "gzip -k jan.csv feb.csv; \
         $sortwell sort -F csv --union-by-name -k id:int jan.csv.gz feb.csv",
        "$sortwell sort -F csv --union-by-name -k id:int jan.csv.gz feb.csv.gz",
        "cat feb.csv.gz | $sortwell sort -F csv --union-by-name -k id:int jan.csv -",
        "$sortwell sort -F csv --union-by-name -k id:int <(cat jan.csv) <(cat feb.csv)",
        "$sortwell merge -F csv --union-by-name -k name <(cat jan.csv) feb.csv.gz \
         | $sortwell sort -F csv -k id:int",
    ] {
        let out = folder.script(script).quietly();
        assert_eq!(String::from_utf8_lossy(&out), BOTH, "{script}");
    }
}

#[test]
fn merges_and_checks() {
    let folder = folder();
    folder.write("one", "a,b\n1,x\n3,y\n");
    folder.write("two", "c,a\n8,2\n9,4\n");
    let all = "a,b,c\n1,x,\n2,,8\n3,y,\n4,,9\n";
    assert_writes(&folder, "merge -F csv --union-by-name -k a one two", all);
    assert_writes(&folder, "check -F csv --union-by-name -k a one two", "");
    let said = folder.run("check -F csv --union-by-name -k c:nulls-first one two");
    assert_eq!((said.status, said.words.as_str()), (0, ""), "{said:?}");
    let said = folder.run("check -F csv --union-by-name -k c:desc one two");
    assert_eq!(said.status, 1, "{said:?}");
    assert!(said.words.contains("two: record 2 at"), "{said:?}");
    let line = "merge -F csv --union-by-name -k c:desc -o out one two";
    folder.run(line).fails(3, &["two: record 2 at", "belongs before record 1"]);
}

/// More inputs than are merged, or open, at once, in little memory.
#[test]
fn many_inputs() {
    let folder = Folder::new();
    let (mut names, mut expected) = (String::new(), String::from("a,b,c\n"));
    for number in 0..300 {
        let name = format!("in{number:03}");
        let table = match number % 3 {
            0 => format!("a,b\n{number:03},x\n"),
            1 => format!("c,a\ny,{number:03}\n"),
            _ => format!("b,c,a\nx,y,{number:03}"),
        };
        folder.write(&name, table);
        let (b, c) = (["x", "", "x"][number % 3], ["", "y", "y"][number % 3]);
        writeln!(expected, "{number:03},{b},{c}").expect("a string");
        write!(names, " {name}").expect("a string");
    }
    for line in ["sort -M 24MiB", "merge -M 24MiB --merge-width 3", "merge -M 24MiB"] {
        let line = format!("{line} -F csv --union-by-name -k a{names}");
        assert_writes(&folder, &line, &expected);
    }
    let script = format!("ulimit -n 64; $sortwell sort -F csv --union-by-name -k a{names}");
    assert_eq!(folder.script(&script).quietly(), expected.as_bytes());
}

/// Rows in pieces, in several passes, with any number of threads.
#[test]
fn the_same_bytes_for_any_memory_and_threads() {
    let folder = Folder::new();
    let (mut one, mut two) = (String::from("k,v\n"), String::from("w,k\n"));
    for number in 0..200_000_u64 {
        let key = number * 7919 % 200_003;
        writeln!(one, "{key},\"{number},\n\"").expect("a string");
        writeln!(two, "{number},{key}").expect("a string");
    }
    let long = "x".repeat(400_000);
    writeln!(two, "\"{long}\",7").expect("a string");
    folder.write("one", &one);
    folder.write("two", &two);
    let sort = "sort -F csv --union-by-name -k k:int one two -o";
    folder.run(&format!("{sort} plain")).quietly();
    let plain = folder.read("plain");
    assert_eq!(plain.split(|byte| *byte == b'\n').count(), 600_003);
    assert!(plain.starts_with(b"k,v,w\n0,\"0,\n\",\n0,,0\n"));
    for options in [
        "-M 36MiB -j 1 -T .",
        "-M 40MiB -j 3 -T .",
        "-j 4",
        "-M 64MiB -T . --algorithm replacement-selection",
    ] {
        folder.run(&format!("{sort} out {options}")).quietly();
        assert!(folder.read("out") == plain, "{options}");
    }
}

#[test]
fn faults_have_their_row_and_line() {
    let folder = Folder::new();
    folder.write("one", "a,b,c\n1,2,3\n");
    folder.write("two", "\"c\n\",a\n5,\"1\n\"\n6\n7,8\n");
    let told = ["two: row 2, line 5: the row has more or fewer cells than the header of its input"];
    folder.run("sort -F csv --union-by-name -k a one two -o out").fails(3, &told);
    folder.run("merge -F csv --union-by-name -k b one two -o out").fails(3, &told);
    folder.run("check -F csv --union-by-name -k b one two").fails(3, &told);
    let out = folder.run("sort -F csv --union-by-name --ragged drop -k a:desc one two");
    assert_eq!(out.out, b"a,b,c,\"c\n\"\n8,,,7\n\"1\n\",,,5\n1,2,3,\n", "{out:?}");
    assert!(out.words.contains("left out 1 row "), "{out:?}");
    // As many cells as the union has are as wrong as any other number.
    folder.write("two", "d,a\n1,2\n1,2,3,4\n");
    let told = ["two: row 2, line 3: the row has more or fewer cells"];
    folder.run("sort -F csv --union-by-name -k a one two -o out").fails(3, &told);
    let kept = folder.run("sort -F csv --union-by-name --ragged keep -k a one two").quietly();
    assert_eq!(kept, b"a,b,c,d\n1,2,3,\n2,,,1\n2,,,1,3,4\n");
    folder.write("two", "d,a\n1,2\n\"x\"y,2\n");
    let told = ["two: row 2, line 3: a quote at byte 3 of the row"];
    folder.run("sort -F csv --union-by-name -k a one two -o out").fails(3, &told);
    folder.write("two", "d,a\n1,2\n\"x,2\n");
    let told = ["two: row 2, line 3: the last row opens a quote that is never closed"];
    folder.run("sort -F csv --union-by-name -k a one two -o out").fails(3, &told);
    folder.write("two", "d,a\n1,x\n");
    let told = ["two: row 1, line 2"];
    folder.run("sort -F csv --union-by-name -k a:int one two -o out").fails(3, &told);
    assert_eq!(folder.names(), ["one", "two"]);
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = folder();
    for (line, status, parts) in [
        ("sort -F csv jan.csv feb.csv -o out", 3, &["feb.csv: ", "--union-by-name"][..]),
        (
            "sort -F csv --union-by-name --resume -k id jan.csv feb.csv -o out",
            2,
            &["--resume needs", "--union-by-name"],
        ),
        (
            "merge -F csv --union-by-name --resume -k id jan.csv feb.csv -o out",
            2,
            &["--resume needs", "--union-by-name"],
        ),
        ("sort -F csv --union-by-name --in-place -k id jan.csv", 2, &["--in-place"]),
        ("sort -F csv --union-by-name --no-header jan.csv feb.csv -o out", 2, &["--no-header"]),
        (
            "sort -F lines --union-by-name jan.csv feb.csv -o out",
            2,
            &["--union-by-name applies to"],
        ),
        ("explain -F csv --union-by-name -k id jan.csv feb.csv", 2, &["--union-by-name"]),
        ("sort -F csv --union-by-name -k nothing jan.csv feb.csv -o out", 2, &["nothing"]),
    ] {
        folder.run(line).fails(status, parts);
    }
    folder.write("twice", "a,b,\"a\"\n");
    let told = ["twice: its header names the column 'a' twice, again as column 3"];
    for command in ["sort", "merge", "check"] {
        folder.run(&format!("{command} -F csv --union-by-name jan.csv twice")).fails(3, &told);
    }
    folder.write("blank", "\n1\n");
    let told = ["blank: its header is an empty row"];
    folder.run("sort -F csv --union-by-name jan.csv blank -o out").fails(3, &told);
    let long = "x".repeat(4 << 20);
    folder.write("long", format!("name,id\n{long},1\n"));
    let line = "sort -F csv --union-by-name -M 24MiB -k id jan.csv long -o out";
    folder.run(line).fails(3, &["long: the row at byte 8 has more than", "--memory"]);
    assert_eq!(folder.names(), ["blank", "feb.csv", "jan.csv", "long", "twice"]);
}

/// Two tables of many columns in opposite orders take time in proportion to their headers.
#[test]
fn many_columns() {
    let folder = Folder::new();
    let names: Vec<String> = (0..100_000).map(|n| n.to_string()).collect();
    let back: Vec<&str> = names.iter().rev().map(String::as_str).collect();
    folder.write("one", names.join(",") + "\n" + &names.join(",") + "\n");
    folder.write("two", back.join(",") + "\n" + &back.join(",") + "\n");
    let out = folder.run("sort -F csv --union-by-name -k 7 -M 512MiB one two").quietly();
    assert!(out == (names.join(",") + "\n").repeat(3).as_bytes());
    let told = ["the columns of the inputs up to ", "--union-by-name", "--memory"];
    folder.run("sort -F csv --union-by-name -k 7 -M 24MiB one two").fails(2, &told);
}
