//! `generate` and `validate` with gensort's and valsort's spellings. That the bytes are right is
//! tested in the library; here, that the words reach it.

use std::fs;

use crate::harness::Folder;

#[test]
fn generates_and_judges() {
    let folder = Folder::new();
    let said = folder.run("generate -c 1000 file");
    assert_eq!((said.status, said.words.as_str()), (0, "1ea6370b955\n"));
    assert_eq!(folder.read("file").len(), 100_000);
    let said = folder.run("validate file");
    assert_eq!(said.status, 1);
    let words = "First unordered record is record 2\nRecords: 1000\nChecksum: 1ea6370b955\n\
                 ERROR - there are 483 unordered records\n";
    assert_eq!(said.words, words);
    assert_eq!(folder.names(), ["file"]);
}

#[test]
fn spellings_of_gensort() {
    let folder = Folder::new();
    folder.run("generate 1000 all").quietly();
    folder.run("generate -b990 -t2 10 attached").quietly();
    folder.run("generate -b 990 -t 3 10 apart").quietly();
    folder.run("generate --start=990 --threads=1 10 long").quietly();
    let all = folder.read("all");
    for name in ["attached", "apart", "long"] {
        assert!(folder.read(name) == all[99_000..], "{name}");
    }
    let said = folder.run("generate -a -c -s 1000 ascii");
    assert_eq!(said.status, 0, "{said:?}");
    assert!(folder.read("ascii").chunks(100).all(|record| record.ends_with(b"\r\n")));
}

#[test]
fn streams() {
    let folder = Folder::new();
    folder.run("generate 1000 file").quietly();
    let streamed = folder.run("generate 1000 -").quietly();
    assert!(streamed == folder.read("file"));
    let said = folder.run_with("validate -", &streamed);
    assert_eq!(said.status, 1);
    assert!(said.words.contains("Records: 1000\n"), "{}", said.words);
}

#[test]
fn partition_summaries() {
    let folder = Folder::new();
    let record = |key: u8| [key; 100];
    folder.write("a", [record(1), record(2)].concat());
    folder.write("b", [record(2), record(3)].concat());
    for name in ["a", "b"] {
        assert_eq!(folder.run(&format!("validate -o {name}.sum {name}")).status, 0);
    }
    let both = [folder.read("a.sum"), folder.read("b.sum")].concat();
    assert_eq!(both.len(), 560);
    let said = folder.run_with("validate -s -", &both);
    assert_eq!(said.status, 0);
    assert!(said.words.contains("Records: 4\n"), "{}", said.words);
    assert!(said.words.contains("Duplicate keys: 1\nSUCCESS"), "{}", said.words);
    folder.run("validate -o ./b b").fails(2, &["the summary would replace b", "another name"]);
    assert_eq!(folder.read("b").len(), 200);
    let turned = [folder.read("b.sum"), folder.read("a.sum")].concat();
    assert_eq!(folder.run_with("validate -s -", &turned).status, 1);
}

#[test]
fn case_may_be_ignored() {
    let folder = Folder::new();
    folder.write("file", [[b'a'; 100], [b'B'; 100]].concat());
    assert_eq!(folder.run("validate file").status, 1);
    assert_eq!(folder.run("validate -i file").status, 0);
}

/// A table of sales, whole and in parts, by pipe and by file; and the index of the report.
#[test]
fn sales() {
    let folder = Folder::new();
    folder.run("generate sales 1000 sales.csv").quietly();
    let sales = String::from_utf8(folder.read("sales.csv")).expect("text");
    assert_eq!(sales.lines().count(), 1001);
    assert!(sales.starts_with("sales_date,store_id,prod_id,regular_qty,"), "{sales}");
    assert!(sales.lines().skip(1).all(|row| row.starts_with("1995-09-") && row.contains('.')));
    assert_eq!(folder.run("generate sales -t 3 1000 -").quietly(), sales.as_bytes());
    let part = folder.run("generate sales --start 990 10 -").quietly();
    let (top, rows) = sales.split_at(sales.find('\n').expect("a header") + 1);
    let last: String = rows.split_inclusive('\n').skip(990).collect();
    assert_eq!(String::from_utf8(part).expect("text"), format!("{top}{last}"));
    assert_ne!(folder.run("generate sales --seed 1 1000 -").quietly(), sales.as_bytes());

    folder.run("generate sales -F fixed 1000 sales.bin").quietly();
    assert_eq!(folder.read("sales.bin").len(), 42_000);
    let line = "sort -F fixed:42 -k 4..8:u32be -k 8..12:u32be sales.bin";
    let sorted = folder.run(line).quietly();
    let line = "index build sales.csv -k store_id:int -k prod_id:int -o index";
    folder.run(line).quietly();
    let found = String::from_utf8(folder.run("index range index").quietly()).expect("text");
    for (row, record) in found.lines().zip(sorted.chunks(42)) {
        let number = |place: usize| u32::from_be_bytes(record[place..][..4].try_into().expect("4"));
        let date = number(0);
        let (month, day) = (date / 100 % 100, date % 100);
        let (store, product) = (number(4), number(8));
        assert!(row.starts_with(&format!("1995-{month:02}-{day:02},{store},{product},")), "{row}");
    }
}

#[test]
fn words_of_sales() {
    let folder = Folder::new();
    folder.run("generate 10 sales").quietly();
    assert_eq!(folder.read("sales").len(), 1000, "a file of records may have this name");
    folder.run("generate sales 10").fails(2, &["FILE"]);
    folder.run("generate sales many file").fails(2, &["'many'"]);
    folder.run("generate sales -F xml 10 file").fails(2, &["'xml'", "csv", "fixed"]);
    folder.run("generate -c sales 10 file").fails(2, &["sales"]);
    folder.run("generate sales 10 file.gz").fails(2, &["does not compress"]);
    folder.run("generate sales 10 nowhere/file").fails(4, &["nowhere", "No such file"]);
    assert_eq!(folder.names(), ["sales"]);
}

#[test]
fn faults_of_files() {
    let folder = Folder::new();
    folder.write("odd", [0; 150]);
    folder.run("validate odd").fails(3, &["odd", "150", "50"]);
    folder.run("validate missing").fails(4, &["missing", "No such file"]);
    folder.run("generate 10 nowhere/file").fails(4, &["nowhere", "No such file"]);
    fs::create_dir(folder.at("folder")).expect("folder");
    folder.run("validate folder").fails(4, &["folder"]);
    folder.run("generate 10 folder").fails(4, &["folder"]);
    assert_eq!(folder.names(), ["folder", "odd"]);
}
