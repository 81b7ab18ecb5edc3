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
