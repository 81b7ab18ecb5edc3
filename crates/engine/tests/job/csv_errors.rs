//! Tables that are none: the first row that must not be is named by file, row and line, whatever
//! the number of threads, and however much came before.

use sortwell_engine::ByteSize;
use sortwell_engine::format::{CsvFormat, Ragged, csv::Dialect};

use crate::csv_shapes::{table, tricky_row};
use crate::csv_trial::Table;
use crate::random::Random;

const LEAST: ByteSize = ByteSize::mib(28);

/// A table of two columns of about so many bytes, with an end.
fn good(bytes: usize, random: &mut Random) -> Vec<u8> {
    table("a,b", bytes, |_| tricky_row(random, 2, 9, (b',', b'"')))
}

/// Rows of a table of commas and double quotes, the header not among them, and line feeds.
fn rows_and_lines(input: &[u8]) -> (usize, usize) {
    let (mut rows, mut lines, mut is_inside) = (0, 0, false);
    for byte in input {
        is_inside ^= *byte == b'"';
        lines += usize::from(*byte == b'\n');
        rows += usize::from(*byte == b'\n' && !is_inside);
    }
    (rows - 1, lines)
}

/// How the place of the row that would follow `before` is told.
fn place_behind(before: &[u8]) -> String {
    let (rows, lines) = rows_and_lines(before);
    format!("row {}, line {}:", rows + 1, lines + 1)
}

/// Asserts that the job fails with all of `parts`, for the input of that number.
#[track_caller]
fn fails(job: &Table, input: usize, parts: &[&str]) {
    let (named, said) = job.fails();
    assert_eq!(named, input, "{said}");
    for part in parts {
        assert!(said.contains(part), "'{part}' is missing: {said}");
    }
}

/// Rows that must not be, and what is said of them.
const BAD: [(&str, &[&str]); 7] = [
    ("one\n", &["1 cell,", "header has 2", "ragged rows keep", "check separator"]),
    ("one,two,three\r\n", &["3 cells,", "header has 2"]),
    ("\"one,\n\",two,\"three\"\n", &["3 cells,", "header has 2"]),
    ("one,t\"w\"o\n", &["a quote at byte 5 of the row", "double a quote", "quote none"]),
    ("\"one\"x\"\",two\n", &["a quote at byte"]),
    ("one,\"two\" \n", &["a quote at byte"]),
    (" \"one\",two\n", &["a quote at byte 1 of the row"]),
];

#[test]
fn the_first_bad_row_is_named() {
    let mut random = Random::fresh();
    for (row, parts) in random.some(BAD) {
        for (bytes, behind) in [(4, 0), (200, 500), (300_000, 1_500_000)] {
            let mut input = good(bytes, &mut random);
            let place = place_behind(&input);
            input.extend_from_slice(row.as_bytes());
            for _ in 0..behind / 100_000 {
                input.extend_from_slice(&good(100_000, &mut random)[4..]);
                // Worse ones follow, which some other worker may come upon before.
                input.extend_from_slice(random.pick(&BAD).0.as_bytes());
            }
            let parts = [parts, &[place.as_str()][..]].concat();
            for threads in 1..=5 {
                let job = Table { threads, ..Table::new(vec![input.clone()]) };
                fails(&job, 0, &parts);
                let piece = if bytes < 1000 { 7 } else { 30_000 };
                fails(&Table { is_streamed: (true, false), piece, ..job }, 0, &parts);
            }
        }
    }
}

/// In a load that others came before, and in an input that others came before.
#[test]
fn a_bad_row_far_behind() {
    let mut random = Random::fresh();
    let first = good(12_500_000, &mut random);
    for (before, is_second) in random.some([(12_500_000, false), (100, true), (7_000_000, true)]) {
        let mut input = good(before, &mut random);
        let place = place_behind(&input);
        input.extend_from_slice(b"a,b,c\n\"a\"b\",c\n");
        input.extend_from_slice(&good(400_000, &mut random)[4..]);
        let inputs = if is_second { vec![first.clone(), input] } else { vec![input] };
        for (threads, memory) in [(1, LEAST), (3, ByteSize::mib(36))] {
            let job = Table { threads, memory, ..Table::new(inputs.clone()) };
            fails(&job, usize::from(is_second), &["3 cells", &place]);
            let job = Table { is_streamed: (true, false), ..job };
            fails(&job, usize::from(is_second), &["3 cells", &place]);
        }
    }
}

/// Several inputs in one load, with bad rows in more than one.
#[test]
fn the_first_input_with_a_bad_row_is_named() {
    let mut random = Random::fresh();
    for round in 0..6 {
        let mut inputs: Vec<Vec<u8>> = (0..5)
            .map(|_| if random.one_in(4) { Vec::new() } else { good(200_000, &mut random) })
            .collect();
        inputs.push(good(9000, &mut random));
        let at = random.below(inputs.len());
        if inputs[at].is_empty() {
            inputs[at] = b"a,b\n".to_vec();
        }
        let place = place_behind(&inputs[at]);
        inputs[at].extend_from_slice(b"one\n");
        for later in inputs.iter_mut().skip(at + 1).filter(|later| !later.is_empty()) {
            later.extend_from_slice(b"one,two,three\n\"");
        }
        let job = Table { threads: 1 + round % 5, ..Table::new(inputs) };
        fails(&job, at, &["1 cell,", &place]);
        fails(&Table { is_streamed: (true, true), ..job }, at, &["1 cell,", &place]);
    }
}

/// Short rows after long ones, of which there are more than a load has room for.
#[test]
fn more_rows_before_a_fault_than_there_is_room_for() {
    let long = [b"x".repeat(197), b",y\n".to_vec()].concat().repeat(78_643);
    let good = [b"a,b\n", &long[..], &b"a,\n".repeat(330_000)].concat();
    for bad in ["", "one\n"] {
        let input = [&good, bad.as_bytes(), &b"a,\n".repeat(1000), b"\"open\n"].concat();
        let rows = 78_643 + 330_000 + if bad.is_empty() { 1001 } else { 1 };
        let said = if bad.is_empty() { "a quote that is never closed" } else { "1 cell," };
        for threads in [1, 2] {
            let memory = ByteSize::mib(256);
            let job = Table { memory, threads, ..Table::new(vec![input.clone()]) };
            fails(&job, 0, &[said, &format!("row {rows}, line {}:", rows + 1)]);
        }
    }
}

#[test]
fn a_quote_that_is_never_closed() {
    let mut random = Random::fresh();
    for (before, memory) in [(4, 128), (500_000, 128), (12_500_000, 28)] {
        for end in random.some(["\"never", "x,\"", "x,\"y\nz\n", "x,\"\"\"y\n"]) {
            let mut input = good(before, &mut random);
            let place = place_behind(&input);
            input.extend_from_slice(end.as_bytes());
            for threads in [1, 2] {
                let memory = if memory == 28 { ByteSize::mib(36) } else { ByteSize::mib(memory) };
                let job = Table { memory, threads, ..Table::new(vec![input.clone()]) };
                fails(&job, 0, &["a quote that is never closed", &place]);
                fails(
                    &Table { is_streamed: (true, false), ..job },
                    0,
                    &["a quote that is never closed", &place],
                );
            }
        }
    }
}

/// What is wrong before an unclosed quote is told, though the quote is seen first.
#[test]
fn an_unclosed_quote_behind_another_fault() {
    let mut random = Random::fresh();
    for before in [4, 300, 400_000] {
        let mut input = good(before, &mut random);
        let place = place_behind(&input);
        input.extend_from_slice(b"one\nx,y\nx,\"y\n\n");
        for threads in 1..=3 {
            let job = Table { threads, ..Table::new(vec![input.clone()]) };
            fails(&job, 0, &["1 cell,", &place]);
            fails(&Table { is_streamed: (true, false), ..job }, 0, &["1 cell,", &place]);
        }
    }
}

/// One quote too many makes all behind it look the other way round: the row it is in is named.
#[test]
fn a_single_stray_quote_early() {
    let mut random = Random::fresh();
    for (behind, memory) in [(60, 128), (900_000, 128)] {
        let mut input = good(1000, &mut random);
        let place = place_behind(&input);
        input.extend_from_slice(b"in\"ches,two\n");
        input.extend(b"x,\"y\"\nx,y\n".repeat(behind / 10));
        for threads in 1..=3 {
            let memory = ByteSize::mib(memory);
            let job = Table { memory, threads, ..Table::new(vec![input.clone()]) };
            fails(&job, 0, &["quote", &place]);
            fails(&Table { is_streamed: (true, false), ..job }, 0, &["quote", &place]);
        }
    }
}

/// So much that no load can hold what seems to be one row.
#[test]
fn a_single_stray_quote_in_little_memory() {
    let mut random = Random::fresh();
    let mut input = good(1000, &mut random);
    let place = format!("the row at byte {} has ", input.len());
    input.extend_from_slice(b"in\"ches,two\n");
    input.extend(b"x,y\n".repeat(6_000_000));
    for is_streamed in [(false, false), (true, false)] {
        let inputs = vec![input.clone()];
        let job = Table { memory: LEAST, threads: 1, is_streamed, ..Table::new(inputs) };
        // How long a record of a pipe is, nobody knows before it is read.
        let advice = if is_streamed.0 { "give more with memory" } else { "give at least 64 MiB" };
        fails(&job, 0, &[&place, "an unclosed quote", advice]);
    }
}

#[test]
fn headers_that_differ() {
    let cases: [(&[u8], &[u8], &str); 5] = [
        (b"a,b\n1,2\n", b"a,c\n1,2\n", "column 2 is 'c' here and 'b' there"),
        (b"a,b\n1,2\n", b"a\n1\n", "1 column here and 2 there"),
        (b"a,b\n1,2\n", b"a,b,c\n1,2,3\n", "3 columns here and 2 there"),
        (b"\"a\",b\n", b"\"a\n\",b\n", "column 1 is 'a\n' here and 'a' there"),
        (b"a,b\n1,2\n", b"A,b\n", "column 1 is 'A' here and 'a' there"),
    ];
    for (first, second, words) in cases {
        let inputs = vec![Vec::new(), first.to_vec(), first.to_vec(), Vec::new(), second.to_vec()];
        for is_streamed in [(false, false), (true, false)] {
            let job = Table { is_streamed, ..Table::new(inputs.clone()) };
            fails(&job, 4, &["header is not that of", words, "no header"]);
        }
    }
}

#[test]
fn a_header_too_long() {
    let long = [b"a,\"".to_vec(), b"b\n".repeat(600_000), b"\"\nx,y\n".to_vec()].concat();
    let open = [b"a,\"b\n".to_vec(), b"x,y\n".repeat(300_000)].concat();
    for input in [long, open] {
        for is_streamed in [(false, false), (true, false)] {
            let job = Table { is_streamed, ..Table::new(vec![input.clone()]) };
            fails(&job, 0, &["the header has more than 1048576 bytes", "its quotes"]);
        }
    }
}

#[test]
fn a_stray_quote_in_a_header() {
    for input in [&b"a,b\"c\"\nx,y\n"[..], b"\"a\"b,c\nx,y\n", b"a,\"b\nc,d\n"] {
        for is_streamed in [(false, false), (true, false)] {
            let job = Table { is_streamed, ..Table::new(vec![input.to_vec()]) };
            fails(&job, 0, &["quote"]);
        }
    }
}

/// Without a header, the first row says how many cells there are.
#[test]
fn ragged_under_no_header() {
    let format = CsvFormat { has_header: false, ..CsvFormat::separated_by(b',') };
    for (input, place) in [("x,y\nz\n", "row 2, line 2:"), ("\"x\n\",y\n\nz,z,z", "row 3, line 4:")]
    {
        for is_streamed in [(false, false), (true, false)] {
            let inputs = vec![input.as_bytes().to_vec()];
            let job = Table { format, is_streamed, ..Table::new(inputs) };
            fails(&job, 0, &[place, "the first row has 2"]);
        }
    }
}

/// Quotes are looked at even where rows may have any number of cells; and cells are counted where
/// nothing quotes.
#[test]
fn what_is_still_refused() {
    let ragged = CsvFormat { ragged: Ragged::Keep, ..CsvFormat::separated_by(b',') };
    let job = Table { format: ragged, ..Table::new(vec![b"a,b\nx\ny,z\"z\"\n".to_vec()]) };
    fails(&job, 0, &["row 2, line 3:", "a quote at byte 3"]);
    let dialect = Dialect::strict(b',', None);
    let plain = CsvFormat { dialect, ..CsvFormat::separated_by(b',') };
    let job = Table { format: plain, ..Table::new(vec![b"a,b\nx,\"\n\",y,z\n".to_vec()]) };
    fails(&job, 0, &["line 3:", "3 cells"]);
}
