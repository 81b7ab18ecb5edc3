//! Jobs over tables: quotes and line ends everywhere, files and pipes, every engine, budgets from
//! the least up. What is refused stands in `csv_errors`.

use sortwell_engine::ByteSize;
use sortwell_engine::format::{CsvFormat, Ragged, csv::Dialect};
use sortwell_engine::operator::{Select, Unique};

use crate::csv_shapes::{SHAPES, huge_cell, lenient_row, shape, table, tricky_row, written};
use crate::csv_trial::Table;
use crate::random::Random;
use crate::trial::engines;

/// The least budget of one worker.
const LEAST: ByteSize = ByteSize::mib(28);

/// Without a header, its first row is one like others.
const NO_HEADER: CsvFormat = CsvFormat { has_header: false, ..CsvFormat::separated_by(b',') };

#[test]
fn inputs_of_a_few_bytes() {
    let inputs: [&[u8]; 22] = [
        b"",
        b"\n",
        b"\r\n",
        b"a",
        b"a\n",
        b"a\r\n",
        b"\"a\"",
        b"\"a\"\r\n",
        b"\"a\"\r",
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbfa\nz\nb\n",
        b"\xef\xbb\xbf\"a\"\nz\nb",
        b"a\n\"z\n\"\nb",
        b"a\n\"\"\n\"\"\"\"\n\"\"\"\"\"\"\n",
        b"a\n\n\n",
        b"a\n\r\n\n\r\n",
        b"a,b\n,\n\"\",\"\"\n",
        b"a,b\n\",\n\",\"\r\n\"\r\n\",\"\",\"\",\",\n",
        b"a\nb\r",
        b"a\n\"b\"\r\n\"b\"",
        b"a\n\"b\"\r",
        b"a,b\n\"x,\ny\",\"\"\"\n\"\"\"\n\"x,\r\ny\",\",\"",
    ];
    for input in inputs {
        for format in [CsvFormat::separated_by(b','), NO_HEADER] {
            let job = Table { format, ..Table::new(vec![input.to_vec()]) };
            job.run();
            let is_streamed = (true, true);
            for piece in [1, 3, usize::MAX] {
                Table { is_streamed, piece, ..job.clone() }.run();
            }
            let mark = b"\xef\xbb\xbf".to_vec();
            let inputs = vec![mark, input.to_vec(), Vec::new(), input.to_vec(), input.to_vec()];
            let job = Table { inputs, ..job };
            job.run();
            Table { is_streamed, ..job }.run();
        }
    }
}

/// Pipes bring their bytes as they please: pieces end within pairs of quotes and of line ends.
#[test]
fn small_tables_in_pieces() {
    let mut random = Random::fresh();
    for bytes in [10, 30, 60, 120, 200, 300] {
        let input = table("a,b", bytes, |_| tricky_row(&mut random, 2, 6, (b',', b'"')));
        let keys = vec![(2, false), (1, true)];
        let job =
            Table { keys, is_streamed: (true, true), ..Table::new(vec![input.clone(), input]) };
        let expected = job.expected();
        for piece in 1..=9 {
            Table { piece, threads: 1 + random.below(5), ..job.clone() }.run_against(&expected);
        }
    }
}

/// Rows of an odd number of bytes, over so many blocks that each of their places is where a block
/// ends, in a load and between two.
#[test]
fn blocks_end_at_every_place_of_a_row() {
    let rows: [&str; 4] = [
        "\"a\"\"\n\",\"\r\n\"\r\n",
        "\",\"\",\",\"\n\"\"\nz\"\n",
        "xy,\"\"\"\"\"\"\r\n",
        "\"\n\n\n\",\"\"\"\"\n",
    ];
    for (place, row) in rows.into_iter().enumerate() {
        assert_eq!(row.len() % 2, 1, "{row:?}");
        // More blocks than the row has bytes; of one row, also more than one load.
        let bytes = if place == 0 { 12_500_000 } else { 4_500_000 };
        let input = format!("a,b\n{}", row.repeat(bytes / row.len()));
        // All rows are equal: what comes out is what went in.
        let rows = (input.len() - 4) / row.len();
        let expected = (input.clone().into_bytes(), rows as u64);
        let job = Table { memory: LEAST, threads: 1, ..Table::new(vec![input.into_bytes()]) };
        job.run_against(&expected);
        let memory = ByteSize::mib(36);
        let is_streamed = (place % 2 == 0, false);
        Table { memory, threads: 3, is_streamed, ..job }.run_against(&expected);
    }
}

#[test]
fn every_shape_in_one_pass() {
    let mut random = Random::fresh();
    for name in random.some(SHAPES) {
        println!("{name}");
        let input = shape(name, 700_000, &mut random);
        let keys = random.pick(&[vec![], vec![(1, false)], vec![(1, true)]]);
        let job = Table { keys, threads: 1 + random.below(5), ..Table::new(vec![input]) };
        let expected = job.expected();
        assert_eq!(job.run_against(&expected).runs, 0);
        Table { is_streamed: (true, true), ..job }.run_against(&expected);
    }
}

/// A budget in which a megabyte already counts for files, and little more for pipes.
#[test]
fn every_shape_in_little_memory() {
    let mut random = Random::fresh();
    for name in random.some(SHAPES) {
        println!("{name}");
        let input = shape(name, 12_500_000, &mut random);
        let engine = random.pick(&engines());
        let job = Table { memory: LEAST, threads: 1, engine, ..Table::new(vec![input]) };
        if random.one_in(2) {
            let runs = job.run().runs;
            assert!(runs > 1 || job.inputs[0].len() < 12_000_000, "{name}: {runs} runs");
            continue;
        }
        let (threads, memory) = random.pick(&[(2, 32), (3, 36), (5, 48)]);
        let (memory, is_streamed) = (ByteSize::mib(memory), (true, random.one_in(2)));
        Table { memory, threads, is_streamed, ..job }.run();
    }
}

/// Cells of megabytes, full of line ends and quotes: over many blocks nothing ends a row.
#[test]
fn cells_over_many_blocks() {
    let mut random = Random::fresh();
    for longest in [2_000_000, 7_000_000] {
        let mut input = b"key,note\n".to_vec();
        while input.len() < 21_000_000 {
            let bytes =
                if random.one_in(40) { random.below(longest) } else { random.below(50_000) };
            input.extend(format!("{},", random.below(1000)).bytes());
            input.extend(huge_cell(bytes, &mut random));
            input.extend_from_slice(random.pick(&["\n", "\r\n"]).as_bytes());
        }
        let keys = vec![(1, false)];
        // Plans are made for the average of a sample, which may have found the longest cells.
        for memory in [40, 480] {
            let (memory, threads) = (ByteSize::mib(memory), 1 + random.below(3));
            let job =
                Table { keys: keys.clone(), memory, threads, ..Table::new(vec![input.clone()]) };
            let expected = job.expected();
            let runs = job.run_against(&expected).runs;
            assert_eq!(runs > 1, memory == ByteSize::mib(40), "{runs} runs");
            Table { is_streamed: (true, true), ..job }.run_against(&expected);
        }
    }
}

#[test]
fn other_dialects() {
    let mut random = Random::fresh();
    for (separator, quote) in random.some([(b';', b'"'), (b'\t', b'\''), (b'|', b'~')]) {
        let large = if quote == b'\'' { 12_500_000 } else { 400_000 };
        for (bytes, memory) in [(50_000, 128), (large, 28)] {
            let header = ["a", "b"].join(&char::from(separator).to_string());
            let input =
                table(&header, bytes, |_| tricky_row(&mut random, 2, 8, (separator, quote)));
            let dialect = Dialect::strict(separator, Some(quote));
            let has_header = random.one_in(2);
            let format = CsvFormat { dialect, has_header, ..CsvFormat::separated_by(b',') };
            let (memory, keys) = (ByteSize::mib(memory), vec![(2, true), (1, false)]);
            let job = Table { format, memory, keys, threads: 1, ..Table::new(vec![input]) };
            job.run();
        }
    }
}

/// Quotes within cells are data, so that the number of quotes before a block tells nothing.
#[test]
fn lenient_quotes() {
    let mut random = Random::fresh();
    let dialect = Dialect { is_lenient: true, ..Dialect::strict(b',', Some(b'"')) };
    let format = CsvFormat { dialect, ..CsvFormat::separated_by(b',') };
    for (bytes, memory) in [(100, 128), (700_000, 128), (12_500_000, 28)] {
        let mut rows = random.fork();
        let input = table("a,b\"", bytes, |_| lenient_row(&mut rows));
        let (memory, engine) = (ByteSize::mib(memory), random.pick(&engines()));
        let threads = if bytes > 1_000_000 { 1 } else { 1 + random.below(4) };
        let keys = random.pick(&[vec![(2, false), (1, true)], vec![]]);
        let job = Table { format, memory, keys, threads, engine, ..Table::new(vec![input]) };
        let expected = job.expected();
        let piece = if bytes < 1000 { 1 + random.below(9) } else { usize::MAX };
        for is_streamed in random.some([(false, false), (true, true)]) {
            Table { is_streamed, piece, ..job.clone() }.run_against(&expected);
        }
    }
    // Where no quote is data, it makes no difference.
    for name in random.some(SHAPES) {
        let input = shape(name, 700_000, &mut random);
        Table { format, threads: 1 + random.below(5), ..Table::new(vec![input]) }.run();
    }
}

/// Quotes are data, every line end ends a row, and columns are what lies between separators.
#[test]
fn without_quotes() {
    let mut random = Random::fresh();
    let dialect = Dialect::strict(b',', None);
    for (bytes, memory) in [(50_000, 128), (12_500_000, 28)] {
        let format = CsvFormat { dialect, ..CsvFormat::separated_by(b',') };
        let input = table("a,\"b", bytes, |_| {
            let cell = |random: &mut Random| -> Vec<u8> {
                (0..random.below(9)).map(|_| random.pick(b"ab\"\" \r")).collect()
            };
            [cell(&mut random), cell(&mut random)].join(&b',')
        });
        let (memory, keys) = (ByteSize::mib(memory), vec![(2, false)]);
        let job = Table { format, memory, keys, threads: 1, ..Table::new(vec![input]) };
        let expected = job.expected();
        for is_streamed in random.some([(false, false), (true, true)]) {
            Table { is_streamed, ..job.clone() }.run_against(&expected);
        }
    }
}

/// Rows may have any number of cells; those that lack the key's have an empty one.
#[test]
fn ragged_rows_that_are_kept() {
    let mut random = Random::fresh();
    for (bytes, memory) in [(60_000, 128), (12_500_000, 28)] {
        let input = table("a,b,c", bytes, |_| {
            let cells = 1 + random.below(6);
            tricky_row(&mut random, cells, 5, (b',', b'"'))
        });
        let format = CsvFormat { ragged: Ragged::Keep, ..CsvFormat::separated_by(b',') };
        let (memory, keys) = (ByteSize::mib(memory), vec![(3, true), (2, false)]);
        let job = Table { format, memory, keys, threads: 1, ..Table::new(vec![input]) };
        let expected = job.expected();
        for is_streamed in random.some([(false, false), (true, false)]) {
            Table { is_streamed, ..job.clone() }.run_against(&expected);
        }
    }
}

/// The first header stays, as it was written; others say the same in other words, and none is
/// sorted. Inputs end at the ends of pages and blocks, and beside them.
#[test]
fn several_inputs_under_one_header() {
    let mut random = Random::fresh();
    let headers =
        ["name,note", "\"name\",note", "\u{feff}name,\"note\"\r", "\u{feff}\"name\",\"note\""];
    let ends = [0_usize, 4095, 4096, 4097, 0, 262_143, 262_144, 262_145, 0, 2_000_000];
    for round in random.some(0..4) {
        let inputs: Vec<Vec<u8>> = (0..10)
            .map(|index| {
                let bytes = ends[(index * 3 + round) % ends.len()];
                if bytes == 0 && random.one_in(2) {
                    return Vec::new();
                }
                let header = random.pick(&headers);
                let row = |_| tricky_row(&mut random, 2, 12, (b',', b'"'));
                let mut input = table(header, bytes.saturating_sub(60), row);
                // One row more fills it up to its last byte, which may be a line end.
                let left = bytes.saturating_sub(input.len() + 2);
                if bytes > 0 {
                    input.extend(std::iter::repeat_n(b'x', left));
                    input.extend_from_slice(if round % 2 == 0 { b",\n" } else { b",y" });
                }
                input
            })
            .collect();
        let memory = if round < 2 { ByteSize::mib(60) } else { LEAST };
        let keys = vec![(2, false), (1, false)];
        let job = Table { memory, keys, threads: 1 + round % 3, ..Table::new(inputs) };
        let job = if memory == LEAST { Table { threads: 1, ..job } } else { job };
        let expected = job.expected();
        job.run_against(&expected);
        Table { is_streamed: (true, round == 2), ..job }.run_against(&expected);
    }
}

/// Quoted or not, a cell that says the same is the same key; and equal rows keep their order.
#[test]
fn cells_that_say_the_same() {
    let mut random = Random::fresh();
    for (bytes, memory) in [(60_000, 128), (12_500_000, 28)] {
        let input = table("n,x", bytes, |number| {
            let word = random.pick(&["a", "b", "ab", "", " a", "a\"", "\"", "a,b"]);
            let is_quoted = random.one_in(2);
            let cell = written(word.as_bytes(), b',', b'"', is_quoted);
            [format!("{number},").into_bytes(), cell].concat()
        });
        for keys in random.some([vec![(2, false)], vec![]]) {
            let memory = ByteSize::mib(memory);
            Table { memory, keys, threads: 1, ..Table::new(vec![input.clone()]) }.run();
        }
    }
}

#[test]
fn selections() {
    let mut random = Random::fresh();
    for (bytes, memory) in [(300_000, 128), (9_000_000, 28)] {
        let data = table("a,b", bytes, |_| tricky_row(&mut random, 2, 5, (b',', b'"')));
        for unique in random.some([false, true]) {
            let limit = random.pick(&[None, Some(0), Some(1), Some(33), Some(1_000_000)]);
            let limit = if unique { limit } else { limit.or(Some(50)) };
            let job = Table {
                keys: random.pick(&[vec![(1, false)], vec![(2, true), (1, false)]]),
                select: Select {
                    unique: unique.then_some(Unique::First),
                    limit,
                    ..Select::default()
                },
                memory: ByteSize::mib(memory),
                threads: 1,
                engine: random.pick(&engines()),
                ..Table::new(vec![data.clone()])
            };
            let expected = job.expected();
            for _ in random.some(0..2) {
                let is_streamed = (random.one_in(2), random.one_in(2));
                Table { is_streamed, ..job.clone() }.run_against(&expected);
            }
        }
    }
}
