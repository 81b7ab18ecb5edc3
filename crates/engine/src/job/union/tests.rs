//! Widths of merges and limits of what the columns of many inputs take.

use super::*;

fn tables(budget: ByteSize) -> Tables {
    Tables::new(CsvFormat::separated_by(b','), budget)
}

fn top(path: &str, row: &str) -> Top {
    let bytes = row.as_bytes().to_vec();
    Top { first_row: bytes.clone(), bytes, path: path.into(), ..Top::default() }
}

#[test]
fn equal_headers_share_their_order() {
    let mut tables = tables(ByteSize::mib(64));
    let first = tables.add(&top("1", "a,b\n")).expect("names").expect("a table");
    let same = tables.add(&top("2", "a,b\r\n")).expect("names").expect("a table");
    assert!(Arc::ptr_eq(&first, &same));
    assert!(tables.add(&top("3", "")).expect("nothing").is_none());
    tables.add(&top("4", "c\n")).expect("names");
    let top = tables.top().expect("names").expect("a header");
    assert_eq!((&top.bytes[..], &top.first_row[..]), (&b"a,b,c\n"[..], &b"a,b,c\n"[..]));
}

#[test]
fn the_mark_and_the_end_are_those_of_the_first() {
    let mut tables = tables(ByteSize::mib(64));
    let row = b"a\r\n".to_vec();
    let bytes = [BYTE_ORDER_MARK, &row].concat();
    let first = Top { first_row: row, bytes, path: "1".into(), ..Top::default() };
    tables.add(&first).expect("names");
    tables.add(&top("2", "b,a")).expect("names");
    let top = tables.top().expect("names").expect("a header");
    assert_eq!(top.bytes, [BYTE_ORDER_MARK, b"a,b\r\n"].concat());
    assert_eq!(top.first_row, b"a,b\r\n");
}

#[test]
fn columns_have_room_in_the_budget() {
    let wide = |from: usize| {
        let names: Vec<String> = (from..from + 40_000).map(|n| n.to_string()).collect();
        names.join(",") + "\n"
    };
    let mut few = tables(ByteSize::mib(16));
    let error = few.add(&top("wide", &wide(0))).expect_err("no room").to_string();
    assert!(error.contains("up to wide take") && error.ends_with("MiB with memory"), "{error}");
    let mut many = tables(ByteSize::mib(4096));
    let mut add = |number: usize| many.add(&top("next", &wide(40_000 * number)));
    let error = (0..).find_map(|number| add(number).err()).expect("a limit").to_string();
    assert!(error.contains("next: ") && error.contains("1048576 bytes"), "{error}");
}
