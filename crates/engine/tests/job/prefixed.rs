//! Jobs over records that begin with their length: every prefix, records of every length, files and
//! pipes, budgets from the least up; and prefixes that cannot be.

use sortwell_engine::ByteSize;
use sortwell_engine::operator::{Select, Unique};

use crate::prefixed_trial::{FORMATS, Prefixed, Width, record};
use crate::random::Random;
use crate::trial::engines;

/// The least budget of one worker.
const LEAST: ByteSize = ByteSize::mib(28);

/// Records of up to `longest` bytes, few of whose leading bytes differ, until there are so many
/// bytes.
fn records(format: Width, bytes: usize, longest: usize, random: &mut Random) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes + longest);
    while out.len() < bytes {
        let mut body = vec![0; random.below(longest + 1)];
        random.fill(&mut body);
        body.iter_mut().take(6).for_each(|byte| *byte %= 3);
        out.extend(record(format, &body));
    }
    out
}

#[test]
fn inputs_of_a_few_bytes() {
    for format in FORMATS {
        let one = |body: &[u8]| record(format, body);
        let inputs = [
            Vec::new(),
            one(b""),
            one(b"\n"),
            [one(b"b"), one(b"a")].concat(),
            [one(b""), one(b"b\n"), one(b"\0"), one(b""), one(b"b")].concat(),
        ];
        for input in &inputs {
            let job = Prefixed::new(format, vec![input.clone()]);
            job.run();
            for piece in [1, usize::MAX] {
                Prefixed { is_streamed: (true, true), piece, ..job.clone() }.run();
            }
        }
        let job = Prefixed::new(format, inputs.to_vec());
        job.run();
        Prefixed { is_streamed: (true, false), piece: 1, ..job }.run();
    }
}

#[test]
fn every_length_in_one_pass() {
    let mut random = Random::fresh();
    for format in random.some(FORMATS) {
        for longest in random.some([0, 1, 20, 3000, 60_000]) {
            let input = records(format, 250_000, longest, &mut random);
            let keys = random.pick(&[vec![], vec![(0..4, false)], vec![(2..usize::MAX, true)]]);
            let job = Prefixed {
                keys,
                threads: 1 + random.below(5),
                ..Prefixed::new(format, vec![input])
            };
            assert_eq!(job.run().runs, 0);
            Prefixed { is_streamed: (true, true), ..job }.run();
        }
    }
}

#[test]
fn every_prefix_in_the_least_memory() {
    let mut random = Random::fresh();
    for (place, format) in random.some(FORMATS.into_iter().enumerate()) {
        let longest = [40, 3000, 60_000][place % 3];
        let input = records(format, 13_000_000, longest, &mut random);
        let keys = vec![(0..2, false), (2..5, true)];
        let engine = random.pick(&engines());
        let job = Prefixed {
            keys,
            memory: LEAST,
            threads: 1,
            engine,
            ..Prefixed::new(format, vec![input])
        };
        let runs = job.run().runs;
        assert!(runs > 1, "{runs} runs");
        let (threads, memory) = random.pick(&[(2, 32), (3, 36), (5, 48)]);
        let (memory, is_streamed) = (ByteSize::mib(memory), (true, random.one_in(2)));
        Prefixed { memory, threads, is_streamed, ..job }.run();
    }
}

/// Records of megabytes, among short ones: over many blocks none begins.
#[test]
fn records_longer_than_blocks() {
    let mut random = Random::fresh();
    for format in [("u32le", 4, 0), ("u32be:self", 4, 4)] {
        let mut input = Vec::new();
        while input.len() < 20_000_000 {
            let longest = if random.one_in(100) { 4_000_000 } else { 2000 };
            input.extend(records(format, 1, longest, &mut random));
        }
        for (threads, memory) in [(2, 40), (3, 160)] {
            let memory = ByteSize::mib(memory);
            let keys = vec![(0..8, false)];
            let job =
                Prefixed { keys, memory, threads, ..Prefixed::new(format, vec![input.clone()]) };
            job.run();
            Prefixed { is_streamed: (true, true), ..job }.run();
        }
    }
}

/// Prefixes lie across the ends of blocks at each of their bytes.
#[test]
fn blocks_end_at_every_byte_of_a_prefix() {
    let mut random = Random::fresh();
    let formats = [(("u16be", 2, 0), 5), (("u32le:self", 4, 4), 7), (("rdw", 4, 4), 9)];
    for (format, body) in random.some(formats) {
        let input: Vec<u8> = (0..8_000_000 / (body + 4) as u64)
            .flat_map(|number| {
                record(format, &[&number.to_be_bytes()[3..], &[7; 4]].concat()[..body])
            })
            .collect();
        for (threads, memory) in [(1, LEAST), (3, ByteSize::mib(128))] {
            let keys = vec![(0..2, true)];
            let job =
                Prefixed { keys, threads, memory, ..Prefixed::new(format, vec![input.clone()]) };
            job.run();
            let is_streamed = (true, random.one_in(2));
            Prefixed { is_streamed, ..job }.run();
        }
    }
}

/// Equal keys keep the order of the inputs, also of several.
#[test]
fn equal_keys_and_several_inputs() {
    let mut random = Random::fresh();
    for format in random.some([("u16le", 2, 0), ("rdw", 4, 4)]) {
        let sizes = [3_000_000, 0, 4096, 5_000_000, 1, 5_000_000];
        let inputs: Vec<Vec<u8>> = sizes
            .iter()
            .map(|bytes| match bytes {
                0 => Vec::new(),
                _ => records(format, *bytes, 90, &mut random),
            })
            .collect();
        for keys in [vec![(0..1, false)], vec![(100..200, true)]] {
            let job = Prefixed {
                keys,
                memory: LEAST,
                threads: 1,
                ..Prefixed::new(format, inputs.clone())
            };
            job.run();
            Prefixed { memory: ByteSize::mib(128), threads: 4, ..job.clone() }.run();
            Prefixed { is_streamed: (true, false), ..job }.run();
        }
    }
}

#[test]
fn selections() {
    let mut random = Random::fresh();
    let format = ("u16be", 2, 0);
    for (bytes, memory) in [(200_000, 128), (12_500_000, 28)] {
        let input = records(format, bytes, 12, &mut random);
        for select in random.some([
            Select { unique: Some(Unique::First), ..Select::default() },
            Select { limit: Some(1000), ..Select::default() },
            Select { unique: Some(Unique::First), limit: Some(7), ..Select::default() },
        ]) {
            let (keys, memory) = (vec![(0..4, false)], ByteSize::mib(memory));
            let job = Prefixed {
                keys,
                select,
                memory,
                threads: 1,
                ..Prefixed::new(format, vec![input.clone()])
            };
            job.run();
            Prefixed { is_streamed: (true, true), ..job }.run();
        }
    }
}

/// Asserts that a job over the inputs fails for the last of them, at all numbers of threads, as a
/// file and as a pipe, with all of `parts`.
#[track_caller]
fn fails(format: Width, inputs: &[Vec<u8>], memory: ByteSize, parts: &[&str]) {
    for (threads, is_streamed) in [(1, false), (1, true), (2, false), (4, false), (4, true)] {
        let is_streamed = (is_streamed, false);
        let memory = if threads > 1 { memory.max(ByteSize::mib(44)) } else { memory };
        let job =
            Prefixed { threads, memory, is_streamed, ..Prefixed::new(format, inputs.to_vec()) };
        let (named, said) = job.fails();
        assert_eq!(named, inputs.len() - 1, "{said}");
        for part in parts {
            assert!(said.contains(part), "'{part}' is missing: {said}");
        }
    }
}

/// How many bytes of good records come before the bad one, and in which memory.
const BEFORE: [(usize, ByteSize); 4] = [
    (0, ByteSize::mib(128)),
    (50, ByteSize::mib(128)),
    (700_000, ByteSize::mib(128)),
    (12_500_000, LEAST),
];

#[test]
fn a_length_that_cannot_be() {
    let mut random = Random::fresh();
    let cases: [(Width, &[u8], &str); 4] = [
        (("u16be:self", 2, 2), &[0, 1], "length field 00 01 is less than the 2 bytes"),
        (("u32le:self", 4, 4), &[3, 0, 0, 0], "length field 03 00 00 00 is less than the 4 bytes"),
        (("rdw", 4, 4), &[0, 3, 0, 0], "length field 00 03 00 00 is less than the 4 bytes"),
        (("rdw", 4, 4), &[0, 9, 1, 0], "descriptor word 00 09 01 00 does not end with two zero"),
    ];
    for (format, bad, words) in random.some(cases) {
        for (before, memory) in BEFORE {
            let good = if before > 0 { records(format, before, 90, &mut random) } else { vec![] };
            let place = format!("at byte {}:", good.len());
            // What follows is no better: another length that cannot be.
            let input = [&good[..], bad, &records(format, 400_000, 50, &mut random), bad].concat();
            fails(format, std::slice::from_ref(&input), memory, &[words, &place]);
            fails(
                format,
                &[records(format, 9000, 90, &mut random), Vec::new(), input],
                memory,
                &[words, &place],
            );
        }
    }
}

/// The place of a bad length is its first byte also where a block ends within it.
#[test]
fn a_bad_length_across_the_end_of_a_block() {
    let format = ("u32be:self", 4, 4);
    // One worker in the least memory reads blocks of 256 KiB.
    for block in [256 << 10, 512 << 10, 5 << 18] {
        for within in 1..4 {
            let place = block - within;
            let one = record(format, &[b'x'; 60]);
            let mut input: Vec<u8> = one.repeat(place / one.len() - 1);
            let left = place - input.len() - 4;
            input.extend(record(format, &vec![b'y'; left]));
            assert_eq!(input.len(), place);
            input.extend([0, 0, 0, 1, 9, 9, 9]);
            let words = format!("at byte {place}:");
            fails(format, &[input], LEAST, &[&words, "00 00 00 01"]);
        }
    }
}

#[test]
fn a_record_that_is_cut_off() {
    let mut random = Random::fresh();
    for format in FORMATS {
        for (before, memory) in [BEFORE[0], BEFORE[2]] {
            let good = if before > 0 { records(format, before, 90, &mut random) } else { vec![] };
            let whole = [good, record(format, &[b'x'; 10])].concat();
            let cut = whole[..whole.len() - 3].to_vec();
            fails(format, &[cut], memory, &["the last record is incomplete: 3 bytes"]);
            let within = [&whole[..], &[0; 1]].concat();
            let words = format!("ends within a length field: 1 of {} bytes", format.1);
            fails(format, &[within], memory, &[&words]);
        }
    }
}
