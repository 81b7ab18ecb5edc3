//! Inputs that are rewritten while they are read: rows of any length, ends that are missing, memory
//! that is given back.

use super::*;
use crate::format::csv::union::Union;
use crate::io::{BegunStream, Supplied};

/// Rows of an input under `header`, as rows of a union with the columns `b,c,a`.
fn table(header: &str, rows: Vec<u8>, memory: &Arc<RowMemory>) -> Rewritten {
    let csv = CsvFormat::separated_by(b',');
    let mut union = Union::new(csv.dialect);
    union.add(b"b,c,a").expect("names");
    let order = Arc::new(union.add(header.as_bytes()).expect("names"));
    let stream = Supplied::new("rows".as_ref(), BegunStream::new(rows, None));
    let rest = AfterTop::Stream(pipe::PipeReader::supplied(stream), 2);
    Rewritten::new(rest, "rows".into(), 2, csv, order, union.width(), Arc::clone(memory))
}

fn memory(spare: usize) -> Arc<RowMemory> {
    Arc::new(RowMemory::new(4096, spare, 8))
}

/// Reads all of a table, `piece` bytes at a time.
fn read(mut table: Rewritten, piece: usize) -> Result<Vec<u8>> {
    let (mut out, progress) = (Vec::new(), Progress::new());
    loop {
        let mut room = vec![0; piece];
        let filled = table.fill(&mut room, &progress)?;
        out.extend_from_slice(&room[..filled]);
        if filled < piece {
            assert_eq!(table.fill(&mut room, &progress)?, 0, "it stays at its end");
            return Ok(out);
        }
    }
}

#[test]
fn what_was_skipped_is_no_row() {
    for piece in [1, 3, 100] {
        let rows = b"--1,x\n2,\"y\n\"\r\n\n3,".to_vec();
        let out = read(table("a,b", rows, &memory(0)), piece).expect("rows");
        assert_eq!(String::from_utf8_lossy(&out), "x,,1\n\"y\n\",,2\r\n\n,,3\n");
    }
    assert!(read(table("a,b", b"--".to_vec(), &memory(0)), 7).expect("rows").is_empty());
}

#[test]
fn ends_that_are_missing() {
    for (row, expected) in [("1,x", "x,,1\n"), ("1,x\r", "x,,1\r\n"), ("1,\"x\"\r", "\"x\",,1\r\n")]
    {
        let out = read(table("a,b", format!("--{row}").into_bytes(), &memory(0)), 2).expect("row");
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }
    // A quote that is not closed is for others to find.
    let out = read(table("a,b", b"--1,2\n3,\"x\n".to_vec(), &memory(0)), 50).expect("rows");
    assert_eq!(out, b"2,,1\n3,\"x\n");
}

#[test]
fn returns_at_the_end_of_moved_cells_stay_in_them() {
    for piece in [1, 3, 100] {
        let rows = b"--1\r,x\n2\r,y\r\n3\r,z".to_vec();
        let out = read(table("a,b", rows, &memory(0)), piece).expect("rows");
        assert_eq!(String::from_utf8_lossy(&out), "x,,\"1\r\"\ny,,2\r\r\nz,,\"3\r\"\n");
    }
    let bare = Rewritten {
        dialect: Dialect { quote: None, ..CsvFormat::separated_by(b',').dialect },
        ..table("a,b", b"--1,x\n2\r,y\n".to_vec(), &memory(0))
    };
    let said = read(bare, 100).expect_err("no quotes").to_string();
    assert!(said.starts_with("rows: the row at byte 6: the last cell would end with a"), "{said}");
}

/// Rows as long as the window, beside it, and many times as long, between short ones.
#[test]
fn rows_longer_than_the_window() {
    let shared = memory(200_000);
    for length in [4080, 4090, 4091, 4092, 4093, 4094, 4095, 4096, 4097, 8191, 8192, 100_000] {
        let long = "\n".repeat(length);
        let rows = format!("--0,s\n1,\"{long}\"\n2,t\n3,\"{long}\"\n4,u").into_bytes();
        let expected = format!("s,,0\n\"{long}\",,1\nt,,2\n\"{long}\",,3\nu,,4\n");
        for piece in [7, 5000, 1 << 20] {
            let out = read(table("a,b", rows.clone(), &shared), piece).expect("rows");
            assert!(out == expected.as_bytes(), "{length} {piece}");
            assert_eq!(shared.spare_bytes.load(Ordering::Relaxed), 200_000, "all is given back");
        }
    }
}

#[test]
fn a_row_without_room_is_refused() {
    let rows = format!("--0,s\n1,\"{}\"\n", "x".repeat(20_000)).into_bytes();
    let error = read(table("a,b", rows, &memory(10_000)), 100).expect_err("no room");
    let said = error.to_string();
    for part in ["rows: ", "byte 6 ", "13.8 KiB", "union by name can hold", "MiB with memory"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}
