//! Tables of every shape, each under a header.

use crate::random::Random;

/// Rows made by `make` of their number, under `header`, until there are `bytes` bytes.
pub fn table(header: &str, bytes: usize, mut make: impl FnMut(u64) -> Vec<u8>) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes + 200);
    if !header.is_empty() {
        out.extend_from_slice(header.as_bytes());
        out.push(b'\n');
    }
    for number in 0.. {
        if out.len() >= bytes {
            break;
        }
        out.extend(make(number));
        out.push(b'\n');
    }
    out
}

/// A cell as it may be written, quotes doubled and in quotes where it has to be, else by chance.
pub fn written(cell: &[u8], separator: u8, quote: u8, is_quoted: bool) -> Vec<u8> {
    let is_special = |byte: &u8| [separator, quote, b'\r', b'\n'].contains(byte);
    if !is_quoted && !cell.iter().any(is_special) {
        return cell.to_vec();
    }
    let mut out = vec![quote];
    for byte in cell {
        out.extend(std::iter::repeat_n(*byte, 1 + usize::from(*byte == quote)));
    }
    out.push(quote);
    out
}

/// A cell of up to `longest` bytes of few kinds, so that cells are often equal, and look like rows.
pub fn tricky(random: &mut Random, longest: usize) -> Vec<u8> {
    let kinds = b"aab\",,\n\r;'\t \xc3\x00";
    let mut cell = vec![0; random.below(longest + 1)];
    random.fill(&mut cell);
    cell.iter_mut().for_each(|byte| *byte = kinds[usize::from(*byte) % kinds.len()]);
    cell
}

/// A row of so many tricky cells, without its end.
pub fn tricky_row(
    random: &mut Random,
    cells: usize,
    longest: usize,
    (separator, quote): (u8, u8),
) -> Vec<u8> {
    let mut row = Vec::new();
    for number in 0..cells {
        if number > 0 {
            row.push(separator);
        }
        let is_quoted = random.one_in(3);
        row.extend(written(&tricky(random, longest), separator, quote, is_quoted));
    }
    // A line feed alone or behind a carriage return ends it.
    row.extend(random.one_in(3).then_some(b'\r'));
    row
}

/// A row of two cells with double quotes that are data: anywhere but at the beginning, or behind
/// one that closes.
pub fn lenient_row(random: &mut Random) -> Vec<u8> {
    let cell = |random: &mut Random| {
        let is_data = |byte: &u8| !matches!(byte, b',' | b'\r' | b'\n');
        let text: Vec<u8> = tricky(random, 9).into_iter().filter(is_data).collect();
        match random.below(4) {
            0 => written(&tricky(random, 9), b',', b'"', true),
            1 => [b"x\"", text.as_slice()].concat(),
            2 => [b"\"\n\"\"\"", text.as_slice()].concat(),
            _ => [b"a", text.as_slice()].concat(),
        }
    };
    // The third kind may go on with what opens or pairs, and then has to close.
    let closed = |mut cell: Vec<u8>| {
        let quotes = cell.iter().filter(|byte| **byte == b'"').count();
        if cell.starts_with(b"\"\n") && quotes % 2 == 1 {
            cell.push(b'"');
        }
        cell
    };
    let (first, second) = (closed(cell(random)), closed(cell(random)));
    [first, b",".to_vec(), second].concat()
}

/// The shapes of tables.
pub const SHAPES: [&str; 12] = [
    "tricky",
    "one column",
    "300 columns and one",
    "empty lines",
    "empty lines among rows",
    "all equal",
    "sorted",
    "reversed",
    "nothing but quotes",
    "plain",
    "cells that look like rows",
    "long",
];

/// A table of commas and double quotes, of one of the shapes, of about `bytes` bytes.
pub fn shape(name: &str, bytes: usize, random: &mut Random) -> Vec<u8> {
    let mut r = random.fork();
    let long = (bytes / 60).clamp(10, 100_000);
    let marks = (b',', b'"');
    let mut shape = match name {
        "tricky" => table("a,b,c", bytes, |_| tricky_row(&mut r, 3, 9, marks)),
        "one column" => table("a", bytes, |_| tricky_row(&mut r, 1, 30, marks)),
        "300 columns and one" => {
            let many: String = (0..300).map(|n| format!("c{n},")).collect::<String>() + "last";
            table(&many, bytes, |_| tricky_row(&mut r, 301, 3, marks))
        }
        "empty lines" => table("a", bytes / 8, |_| Vec::new()),
        "empty lines among rows" => {
            table("a,b", bytes, |_| if r.one_in(2) { vec![] } else { b"x,\"y\n\"".to_vec() })
        }
        "all equal" => table("a,b", bytes, |_| b"same,\"the \"\"same\"\"\n\"".to_vec()),
        "sorted" => table("a,b", bytes, |n| format!("\"{n:09}\",\"\n\"").into_bytes()),
        "reversed" => table("a,b", bytes, |n| format!("{:09},x\r", 999_999_999 - n).into_bytes()),
        "nothing but quotes" => table("a,b,c", bytes, |_| b"\"\",\"\"\"\",\"\"\"\"\"\"".to_vec()),
        "plain" => table("a,b", bytes, |n| format!("{},{n}", r.below(1000)).into_bytes()),
        "cells that look like rows" => table("a,b", bytes, |_| {
            let first = written(&tricky(&mut r, 3), b',', b'"', true);
            [first, b",".to_vec(), written(&lying(&mut r, long / 6), b',', b'"', true)].concat()
        }),
        "long" => table("a,b", bytes, |_| {
            let length = r.below(long);
            let cells = [tricky(&mut r, 4), tricky(&mut r, length)];
            let [first, second] = cells.map(|cell| written(&cell, b',', b'"', r.one_in(2)));
            [first, b",".to_vec(), second].concat()
        }),
        _ => panic!("no shape is called {name}"),
    };
    // The last row may lack its end; not one that is nothing else.
    if r.one_in(2) && !shape.ends_with(b"\n\n") && !shape.ends_with(b"\r\n") {
        shape.pop();
    }
    shape
}

/// A cell that repeats one lie up to so many times. Whoever guesses from the middle whether a place
/// is in quotes is wrong here: both readings are rows of as many cells for thousands of bytes.
fn lying(random: &mut Random, times: usize) -> Vec<u8> {
    let lies = ["\n\",\"\n\",\"\n", "\",\"", "x,y\nx,y\n", "\"\"\",\"\"\"", ",\n,\n", "\n\n\n"];
    let times = random.below(times);
    random.pick(&lies).as_bytes().repeat(times)
}

/// A cell of about `bytes` bytes with thousands of line ends and quotes in it.
pub fn huge_cell(bytes: usize, random: &mut Random) -> Vec<u8> {
    let mut cell = b"\"".to_vec();
    while cell.len() < bytes {
        cell.extend_from_slice(
            random.pick(&["\n", "\"\"", ",", "\r\n", "\"\",\"\"\n", "words"]).as_bytes(),
        );
    }
    cell.push(b'"');
    cell
}
