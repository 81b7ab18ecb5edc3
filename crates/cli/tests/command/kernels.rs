//! `bench kernels`: what it finds of a few records reaches standard output, and it leaves nothing.

use serde_json::Value;

use crate::harness::Folder;

#[test]
fn kernels_of_a_few_records() {
    let folder = Folder::new();
    let said = folder.run("bench kernels --records 2000 --keys 100000 --runs 1 --json -").quietly();
    let found: Value = serde_json::from_slice(&said).expect("JSON");
    assert_eq!(found["bench"], "kernels");
    let tables = found["tables"].as_array().expect("tables");
    let rows = |title: &str| {
        let of = |table: &&Value| table["title"].as_str().is_some_and(|told| told.contains(title));
        let table = tables.iter().find(of).unwrap_or_else(|| panic!("no table of {title}"));
        assert_eq!(table["source"], "measured");
        table["rows"].as_array().expect("rows").clone()
    };
    let quicksorts = rows("QuickSorts of 2000 records");
    assert_eq!(quicksorts.len(), 5);
    assert!(quicksorts.iter().all(|row| row[4]["median"].as_f64() > Some(0.0)), "{quicksorts:?}");
    assert!(quicksorts[3][1].is_null(), "records need no array");
    assert_eq!(rows("keys with pointers").len(), 1);
    assert_eq!(rows("to sort and merge runs").len(), 6);
    assert_eq!(rows("replacement selection").len(), 3);
    let printed = tables.iter().filter(|table| table["source"]["printed"].is_string());
    assert_eq!(printed.count(), 6);
    assert_eq!(found["charts"].as_array().map(Vec::len), Some(3));
    assert!(folder.names().is_empty(), "nothing is left");
}

#[test]
fn what_no_memory_holds_is_refused_before_anything_is_done() {
    let folder = Folder::new();
    let said = folder.run("bench kernels --records 4000000000");
    said.fails(2, &["--records 4000000000 needs ", "smaller"]);
    assert_eq!(folder.run("bench kernels --keys 0").status, 2);
}
