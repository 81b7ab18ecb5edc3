//! Codecs by their names; decoders and encoders against each other and against other programs; data
//! that was cut or damaged.

#![cfg(feature = "compression")]

use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

use xxhash_rust::xxh32::xxh32;

use super::batch::{Expansion, UnitBatch};
use super::input::{DecodingInput, Open, Stage, Step};
use super::*;
use crate::error::Error;
use crate::io::pipe;
use crate::stats::Progress;
use crate::units::ByteSize;

/// Windows that the tests' frames may have.
const WINDOW: u64 = 8 << 20;

/// An open file of these bytes, which has no name any more.
fn file_of(bytes: &[u8]) -> File {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(bytes).expect("write");
    File::open(file.path()).expect("open")
}

/// Returns the data of `bytes`, expanded `step` bytes at a time.
fn expanded_by(codec: Codec, bytes: &[u8], step: usize) -> Result<Vec<u8>> {
    let reader = pipe::PipeReader::of(file_of(bytes), Path::new("packed"));
    let mut from = Compressed::new(reader, 0, Arc::default(), Arc::default());
    let mut decoder = codec.decoder(&Arc::new(Windows::new(WINDOW, WINDOW / 2)))?;
    let (mut expanded, mut buffer) = (Vec::new(), vec![0; step]);
    loop {
        let filled = decoder.decode(&mut from, &mut buffer)?;
        expanded.extend_from_slice(&buffer[..filled]);
        if filled < step {
            return Ok(expanded);
        }
    }
}

pub(super) fn expanded(codec: Codec, bytes: &[u8]) -> Result<Vec<u8>> {
    expanded_by(codec, bytes, 64 << 10)
}

/// Expands `bytes` by threads with buffers of a few KiB.
fn expanded_by_threads(codec: Codec, bytes: &[u8], has_batches: bool) -> Result<Vec<u8>> {
    let packed_bytes = if has_batches { 9 << 10 } else { 0 };
    let shape =
        DecodingShape { threads: 3, ahead: 0, buffer_bytes: 8 << 10, ready: 4, packed_bytes };
    expanded_in_shape(codec, bytes, shape)
}

/// Expands `bytes` by threads.
pub(super) fn expanded_in_shape(
    codec: Codec,
    bytes: &[u8],
    shape: DecodingShape,
) -> Result<Vec<u8>> {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(bytes).expect("write");
    let origin = Origin::File(file.path().to_owned());
    let appetite = Appetite::in_turn(&[(origin.clone(), codec)], ByteSize::gib(1), 1)?;
    let appetite = Appetite { shape, window_bytes: WINDOW, ..appetite };
    let (_decoding, streams) = Decoding::start(vec![(origin, codec)], &appetite)?;
    let mut reader = pipe::PipeReader::supplied(streams[0].clone());
    let (mut expanded, mut buffer) = (Vec::new(), vec![0; 5000]);
    loop {
        let filled = reader.fill(&mut buffer, &Progress::default())?;
        expanded.extend_from_slice(&buffer[..filled]);
        if filled < buffer.len() {
            return Ok(expanded);
        }
    }
}

/// What our encoder makes of `chunks`.
fn packed(compression: Compression, chunks: &[&[u8]]) -> Vec<u8> {
    let most = chunks.iter().map(|chunk| chunk.len()).max().unwrap_or(0);
    let (mut encoder, bound) = compression.encoder(most).expect("an encoder");
    let mut packed = Vec::new();
    for chunk in chunks {
        let mut room = vec![0; bound];
        let bytes = encoder.encode(chunk, &mut room).expect("packed");
        packed.extend_from_slice(&room[..bytes]);
    }
    packed
}

fn all_packed(codec: Codec, chunks: &[&[u8]]) -> Vec<u8> {
    packed(Compression::of(codec), chunks)
}

/// Lines that compress a little, always the same.
pub(super) fn text(bytes: usize) -> Vec<u8> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut text = Vec::with_capacity(bytes + 32);
    while text.len() < bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text.extend_from_slice(format!("{:x} and then {}\n", state >> 32, state % 1000).as_bytes());
    }
    text.truncate(bytes);
    text
}

pub(super) fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 2_463_534_242_u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 11) as u8
    };
    (0..bytes).map(|_| next()).collect()
}

/// What a program makes of `input`; `None` where there is no such program.
pub(super) fn through(program: &str, words: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else {
        println!("LEFT OUT: there is no {program}");
        return None;
    };
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("run");
    feeder.join().expect("no panic").expect("fed");
    assert!(output.status.success(), "{program} {words:?}");
    Some(output.stdout)
}

pub(super) fn words(outcome: Result<Vec<u8>>) -> String {
    match outcome.expect_err("it is not whole") {
        Error::Malformed { path, message } | Error::BudgetExceeded { path, message, .. } => {
            assert_eq!(path, Path::new("packed"));
            message.to_string()
        }
        other => panic!("{other}"),
    }
}

#[test]
fn names_tell_codecs() {
    for (name, codec) in [("a.csv.gz", Codec::Gzip), ("b.ZST", Codec::Zstd), ("c.lz4", Codec::Lz4)]
    {
        assert_eq!(Codec::of_path(Path::new(name)), Some(codec));
    }
    for name in ["gz", "a.txt", "a.gz.txt", "a.", ".gz"] {
        assert_eq!(Codec::of_path(Path::new(name)), None, "{name}");
    }
    let path = Path::new("a.gz");
    assert_eq!(Decompress::Auto.of_file(path), Some(Codec::Gzip));
    assert_eq!(Decompress::All(Codec::Lz4).of_file(path), Some(Codec::Lz4));
    assert_eq!(Decompress::Off.of_file(path), None);
    assert_eq!(Decompress::Auto.of_stream(), None);
    let compression = Compress::Auto.of(Some(path)).expect("one of ours");
    assert_eq!(compression, Some(Compression::of(Codec::Gzip)));
    assert_eq!(Compress::Auto.of(None).expect("no name"), None);
}

#[test]
fn settings_are_read() {
    assert_eq!("auto".parse(), Ok(Decompress::Auto));
    assert_eq!("zstd".parse(), Ok(Decompress::All(Codec::Zstd)));
    let level = |text: &str| {
        text.parse::<Compress>().map(|how| match how {
            Compress::As(how) => how.to_string(),
            other => format!("{other:?}"),
        })
    };
    assert_eq!(level("off").as_deref(), Ok("Off"));
    assert_eq!(level("gzip").as_deref(), Ok("gzip:1"));
    assert_eq!(level("zstd:19").as_deref(), Ok("zstd:19"));
    assert_eq!(level("lz4").as_deref(), Ok("lz4:1"));
    for (text, part) in [
        ("zip", "use gzip, zstd or lz4"),
        ("gzip:0", "use 1 to 9"),
        ("gzip:10", "use 1 to 9"),
        ("zstd:23", "use 1 to 22"),
        ("lz4:9", "only one level"),
        ("zstd:x", "'x' is not a level of zstd"),
    ] {
        let words = level(text).expect_err(text).to_string();
        assert!(words.contains(part), "{words}");
    }
}

#[test]
fn what_we_pack_we_expand() {
    let (text, noise) = (text(1 << 20), noise(700_000));
    for codec in Codec::ALL {
        for chunks in [&[&b""[..]][..], &[b"x"], &[&text], &[&noise], &[&text, b"", &noise, b"y"]] {
            let (packed, whole) = (all_packed(codec, chunks), chunks.concat());
            for step in [64 << 10, 1000, 1 << 21] {
                assert!(expanded_by(codec, &packed, step).expect("whole") == whole, "{codec}");
            }
        }
        let few = all_packed(codec, &[&text[..300], &text[300..400]]);
        assert!(expanded_by(codec, &few, 1).expect("whole") == text[..400], "{codec}");
    }
    for (codec, level) in [(Codec::Gzip, 1), (Codec::Gzip, 9), (Codec::Zstd, 1), (Codec::Zstd, 19)]
    {
        let packed = packed(Compression::with_level(codec, level).expect("a level"), &[&text]);
        assert!(packed.len() < text.len() && expanded(codec, &packed).expect("whole") == text);
    }
}

#[test]
fn other_programs_expand_what_we_pack() {
    let (text, noise) = (text(300_000), noise(70_000));
    let python = "import gzip, sys; \
                  sys.stdout.buffer.write(gzip.decompress(sys.stdin.buffer.read()))";
    for (codec, program, arguments) in [
        (Codec::Gzip, "gzip", &["-dc"][..]),
        (Codec::Gzip, "python3", &["-c", python]),
        (Codec::Zstd, "zstd", &["-dc"]),
        (Codec::Lz4, "lz4", &["-dc"]),
    ] {
        for chunks in [&[&text[..], &noise, &text[..5]][..], &[b""]] {
            let Some(found) = through(program, arguments, &all_packed(codec, chunks)) else {
                break;
            };
            assert!(found == chunks.concat(), "{program}");
        }
    }
}

#[test]
fn we_expand_what_other_programs_pack() {
    let python = "import gzip, sys; \
                  sys.stdout.buffer.write(gzip.compress(sys.stdin.buffer.read(), 4))";
    for (codec, program, arguments) in [
        (Codec::Gzip, "gzip", &["-c"][..]),
        (Codec::Gzip, "gzip", &["-1c"]),
        (Codec::Gzip, "python3", &["-c", python]),
        (Codec::Zstd, "zstd", &["-c"]),
        (Codec::Zstd, "zstd", &["-19", "-c"]),
        (Codec::Zstd, "zstd", &["--no-check", "--fast=3", "-c"]),
        (Codec::Lz4, "lz4", &["-c"]),
        (Codec::Lz4, "lz4", &["-9", "-BD", "-B4", "-c"]),
        (Codec::Lz4, "lz4", &["-BD", "-B6", "-c"]),
        (Codec::Lz4, "lz4", &["-BX", "-B5", "--no-frame-crc", "-c"]),
    ] {
        for data in [text(2_500_000), noise(200_000), Vec::new()] {
            let Some(mut packed) = through(program, arguments, &data) else { break };
            assert!(expanded(codec, &packed).expect("whole") == data, "{program} {arguments:?}");
            packed.extend_from_within(..);
            assert!(expanded(codec, &packed).expect("whole") == data.repeat(2), "{program} twice");
        }
    }
}

#[test]
fn headers_padding_and_skippable_frames() {
    // Every field that a header may have; its checksum is that of the fields before it.
    let plain = all_packed(Codec::Gzip, &[b"abc"]);
    let mut member = vec![0x1f, 0x8b, 8, 0b1_1110, 0, 0, 0, 0, 0, 3];
    member.extend_from_slice(&[2, 0, b'e', b'x']);
    member.extend_from_slice(b"name\0comment\0");
    let mut crc = flate2::Crc::new();
    crc.update(&member);
    member.extend_from_slice(&(crc.sum() as u16).to_le_bytes());
    member.extend_from_slice(&plain[10..]);
    assert_eq!(expanded(Codec::Gzip, &member).expect("whole"), b"abc");
    member[12] ^= 1;
    assert!(words(expanded(Codec::Gzip, &member)).contains("checksum of its header"));
    let padded = [&plain[..], &plain, &[0; 200_000]].concat();
    assert_eq!(expanded(Codec::Gzip, &padded).expect("whole"), b"abcabc");

    let skipped = [&0x184d_2a53_u32.to_le_bytes()[..], &5_u32.to_le_bytes(), b"12345"].concat();
    for codec in [Codec::Zstd, Codec::Lz4] {
        let frame = all_packed(codec, &[b"abc"]);
        let frames = [&skipped[..], &frame, &skipped, &skipped, &frame, &skipped].concat();
        assert_eq!(expanded(codec, &frames).expect("whole"), b"abcabc", "{codec}");
        let cut = words(expanded(codec, &frames[..frames.len() - 1]));
        assert!(cut.contains("ends in the middle"), "{cut}");
    }
}

#[test]
fn what_does_not_belong_is_refused() {
    for codec in Codec::ALL {
        let packed = all_packed(codec, &[b"abc"]);
        let empty = words(expanded(codec, b""));
        assert!(empty.starts_with("is empty"), "{empty}");
        assert!(empty.contains("use input compression off"), "{empty}");
        let other = words(expanded(codec, b"plain text of no format"));
        assert!(other.contains(&format!("does not begin as {codec} data does")), "{other}");
        for tail in [&b"garbage"[..], b"g", b"\0\0\0garbage"] {
            let behind = words(expanded(codec, &[&packed[..], tail].concat()));
            let zeros =
                if codec == Codec::Gzip { tail.iter().filter(|b| **b == 0).count() } else { 0 };
            let place = format!("at byte {} of the compressed data", packed.len() + zeros);
            assert!(behind.contains(&place) && behind.contains("other data"), "{behind}");
        }
    }
    let legacy = words(expanded(Codec::Lz4, &[0x02, 0x21, 0x4c, 0x18, 0, 0, 0, 0]));
    assert!(legacy.contains("without -l"), "{legacy}");
}

#[test]
fn a_cut_anywhere_is_told() {
    let data = text(3000);
    for codec in Codec::ALL {
        let first = all_packed(codec, &[&data[..2000]]);
        let both = [&first[..], &all_packed(codec, &[&data[2000..]])].concat();
        for end in 1..both.len() {
            let found = expanded(codec, &both[..end]);
            if end == first.len() {
                assert!(found.expect("a whole frame") == data[..2000]);
                continue;
            }
            let words = words(found);
            let start = if end < first.len() { 0 } else { first.len() };
            let place =
                format!("it begins at byte {start} of the compressed data, which has {end};");
            assert!(words.contains("ends in the middle of a"), "{codec} {end}: {words}");
            assert!(words.contains(&place), "{codec} {end}: {words}");
        }
    }
}

#[test]
fn a_flipped_bit_changes_nothing_unseen() {
    let data = text(1200);
    for codec in Codec::ALL {
        let packed = all_packed(codec, &[&data[..700], &data[700..]]);
        let mut told = 0;
        for bit in 0..8 * packed.len() {
            let mut damaged = packed.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            match expanded(codec, &damaged) {
                Ok(found) => assert!(found == data, "{codec}, bit {bit}: another content, unseen"),
                Err(Error::Malformed { .. } | Error::BudgetExceeded { .. }) => told += 1,
                Err(other) => panic!("{codec}, bit {bit}: {other}"),
            }
        }
        // Times and hints in headers of gzip mean nothing to us.
        assert!(told > 8 * packed.len() * 9 / 10, "{codec}: {told} of {} told", 8 * packed.len());
    }
}

#[test]
fn windows_beyond_the_limit_are_refused() {
    // Frames of one empty block that ask for windows of 128 MiB, and of what there is.
    let frame = |byte: u8| [&0xfd2f_b528_u32.to_le_bytes()[..], &[0, byte], &[1, 0, 0]].concat();
    let refused = words(expanded(Codec::Zstd, &frame(17 << 3)));
    assert!(refused.contains("a window of 128 MiB, and there is memory for 12 MiB"), "{refused}");
    assert!(refused.contains("at least 2 GiB with memory"), "{refused}");
    // The spare memory is taken once, for the largest.
    let frames = [frame(13 << 3), frame(13 << 3 | 4), frame(13 << 3 | 2), frame(13 << 3 | 4)];
    assert_eq!(expanded(Codec::Zstd, &frames.concat()).expect("whole"), b"");
    assert!(words(expanded(Codec::Zstd, &frame(13 << 3 | 5))).contains("a window of 13 MiB"));
}

/// A frame with smaller blocks than the one before it has a smaller buffer.
#[test]
fn lz4_frames_of_several_block_sizes_follow_each_other() {
    let text = text(256 << 10);
    let descriptor = [0b0110_0000, 4 << 4];
    let checksum = (xxh32(&descriptor, 0) >> 8) as u8;
    let small = [&0x184d_2204_u32.to_le_bytes()[..], &descriptor, &[checksum]].concat();
    let block = [&small, &[3, 0, 0, 0x80][..], b"abc", &[0; 4]].concat();
    let packed = [all_packed(Codec::Lz4, &[&text]), block].concat();
    let whole = [&text[..], b"abc"].concat();
    assert!(expanded(Codec::Lz4, &packed).expect("whole") == whole);
}

/// Larger blocks than those of the first frame take memory that is given back after each frame.
#[test]
fn lz4_frames_with_larger_blocks_follow_smaller_ones() {
    let frame = |code: u8, data: &[u8]| {
        let descriptor = [0b0110_0000, code << 4];
        let checksum = (xxh32(&descriptor, 0) >> 8) as u8;
        let word = (data.len() as u32 | 1 << 31).to_le_bytes();
        let start = 0x184d_2204_u32.to_le_bytes();
        [&start[..], &descriptor, &[checksum], &word, data, &[0; 4]].concat()
    };
    let data = noise(60_000);
    let packed = [4, 7, 4, 5, 6, 7, 7].map(|code| frame(code, &data)).concat();
    let windows = Arc::new(Windows::new(memory::lz4_window(64 << 10), 8 << 20));
    for room in [1000, 60_000, 100_000, 1 << 20] {
        let mut decoder = Codec::Lz4.decoder(&windows).expect("a decoder");
        let mut from = Compressed::of_bytes(packed.clone());
        let (mut all, mut buffer) = (Vec::new(), vec![0; room]);
        loop {
            match decoder.decode(&mut from, &mut buffer).expect("whole") {
                0 => break,
                bytes => all.extend_from_slice(&buffer[..bytes]),
            }
        }
        assert!(all == data.repeat(7), "{room}");
    }
}

/// The first frame states small blocks, a later one large ones.
#[test]
fn lz4_blocks_beyond_the_limit_are_refused() {
    let frame = |code: u8| {
        let descriptor = [0b0110_0000, code << 4];
        let checksum = (xxh32(&descriptor, 0) >> 8) as u8;
        [&0x184d_2204_u32.to_le_bytes()[..], &descriptor, &[checksum], &[0; 4]].concat()
    };
    let packed = [frame(4), frame(7), frame(5)].concat();
    let small = memory::lz4_window(64 << 10);
    for (spare, is_enough) in [(8 << 20, true), (7 << 20, false)] {
        let reader = pipe::PipeReader::of(file_of(&packed), Path::new("packed"));
        let mut from = Compressed::new(reader, 0, Arc::default(), Arc::default());
        let windows = Arc::new(Windows::new(small, spare));
        let mut decoder = Codec::Lz4.decoder(&windows).expect("a decoder");
        let made = decoder.decode(&mut from, &mut [0; 8]);
        assert_eq!(made.is_ok(), is_enough, "{made:?}");
        if !is_enough {
            let refused = words(made.map(|_| Vec::new()));
            assert!(refused.contains("the lz4 frame at byte 11"), "{refused}");
            assert!(refused.contains("at least 128 MiB with memory"), "{refused}");
        }
        drop(decoder);
        assert_eq!(windows.take(spare), Ok(()), "all was given back");
    }
}

#[test]
fn every_file_of_chance_ends() {
    let noise = noise(1 << 16);
    for codec in Codec::ALL {
        let start = all_packed(codec, &[&text(500)]);
        for (number, tail) in noise.chunks(64).enumerate() {
            let kept = number % start.len();
            let bytes = [&start[..kept], tail].concat();
            assert!(expanded(codec, &bytes).is_err(), "{codec}: {kept} bytes and noise");
        }
    }
}

/// A block of BGZF.
fn bgzf_block(data: &[u8]) -> Vec<u8> {
    let member = all_packed(Codec::Gzip, &[data]);
    let bytes = (member.len() + 8 - 1) as u16;
    let mut block = member[..10].to_vec();
    block[3] = 4;
    block.extend_from_slice(&[6, 0, b'B', b'C', 2, 0]);
    block.extend_from_slice(&bytes.to_le_bytes());
    block.extend_from_slice(&member[10..]);
    block
}

/// A block of BGZF twice, of which the first header states the bytes of both.
fn bgzf_block_of_two(data: &[u8]) -> Vec<u8> {
    let block = bgzf_block(data);
    let mut both = block.repeat(2);
    let last = (both.len() - 1) as u16;
    both[16..18].copy_from_slice(&last.to_le_bytes());
    both
}

/// Members or frames that begin, end or are large in every way, in an order by chance.
fn units_by_chance(codec: Codec, random: &mut impl FnMut(usize) -> usize) -> (Vec<u8>, Vec<u8>) {
    let (text, mut noise) = (text(40_000), noise(6000));
    // What begins a member, and lies within one.
    noise[3000..3010].copy_from_slice(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
    let (mut packed, mut data) = (Vec::new(), Vec::new());
    packed.extend(all_packed(codec, &[b"first\n"]));
    data.extend_from_slice(b"first\n");
    for _ in 0..random(30) {
        let part = match random(12) {
            0 => &text[..0],
            1 => &noise[..],
            2 => &text[..8 << 10],
            3 => &text[..random(40_000)],
            _ => &text[random(20_000)..][..random(3000)],
        };
        match (random(8), codec) {
            (0, Codec::Gzip) => {
                packed.extend(bgzf_block_of_two(part));
                data.extend_from_slice(&part.repeat(2));
            }
            (1..=3, Codec::Gzip) => {
                packed.extend(bgzf_block(part));
                data.extend_from_slice(part);
            }
            (0 | 1, Codec::Zstd | Codec::Lz4) => {
                packed.extend(b"\x53\x2a\x4d\x18\x05\0\0\0other");
            }
            _ => {
                packed.extend(all_packed(codec, &[part]));
                data.extend_from_slice(part);
            }
        }
    }
    (packed, data)
}

#[test]
fn batches_change_nothing() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % below.max(1)
    };
    let outcome = |found: Result<Vec<u8>>| found.map_err(|e| e.to_string());
    for round in 0..40 {
        for codec in Codec::ALL {
            let (mut packed, data) = units_by_chance(codec, &mut random);
            let found = expanded_by_threads(codec, &packed, true).expect("whole");
            assert!(found == data, "{codec}, round {round}");
            match random(3) {
                0 => packed.truncate(random(packed.len())),
                1 => packed.extend(noise(random(20))),
                _ => {
                    let place = random(packed.len());
                    packed[place] ^= 1 << random(8);
                }
            }
            // Messages name the file, and each call has its own.
            let words = |words: String| words.split_once(':').map(|(_, rest)| rest.to_owned());
            let [one, other] = [false, true].map(|has_batches| {
                outcome(expanded_by_threads(codec, &packed, has_batches)).map_err(words)
            });
            assert!(one == other, "{codec}, round {round}: {:?} {:?}", one.err(), other.err());
        }
    }
}

/// A step that was queued before a batch failed waits until the batch is put back.
#[test]
fn a_batch_that_failed_is_put_back_before_the_next_step() {
    let (codec, windows) = (Codec::Gzip, Arc::new(Windows::new(0, 0)));
    let unit = bgzf_block(b"1\n");
    let from = Compressed::of_bytes(unit.repeat(3));
    let decoder = codec.decoder(&windows).expect("a decoder");
    let mut unopened = Some(Box::new(Open { from, decoder }));
    let mut input = DecodingInput::new(Origin::Stdin, codec, true);
    let mut cut = || {
        let turn = input.begin().expect("nothing is waited for");
        let mut open = match turn.stage {
            Stage::Open(open) => open,
            _ => unopened.take().expect("opened once"),
        };
        let Open { from, decoder } = &mut *open;
        let batch = UnitBatch::cut(&mut **decoder, from, Vec::new(), 9000, unit.len());
        let batch = batch.expect("no error").expect("a batch");
        input.note(Ok(Step::Cut(open, batch, Vec::new()))).expect("one to expand").batch.packed
    };
    let [first, second] = [cut(), cut()];
    input.is_queued = true;
    let made = |packed, filled| Expansion { packed, filled, blocks: None };
    assert!(input.note_made(0, made(first, None), Vec::new()).is_none());
    assert!(input.begin().is_none(), "a thread still expands the other batch");
    assert!(input.note_made(1, made(second, Some(2)), vec![0; 2]).is_none());
    let turn = input.begin().expect("all is put back");
    let Stage::Open(mut open) = turn.stage else { panic!("it is open") };
    assert!(!turn.wants_batch && open.from.offset() == 0);
    assert_eq!(open.from.unread().expect("bytes"), unit.repeat(3));
}

#[test]
fn batches_have_as_many_units_as_fit() {
    let text = text(1000);
    for codec in Codec::ALL {
        let unit = match codec {
            Codec::Gzip => bgzf_block(&text),
            Codec::Zstd | Codec::Lz4 => all_packed(codec, &[&text]),
        };
        let mut units = vec![unit.repeat(9)];
        if codec == Codec::Gzip {
            units.push(all_packed(codec, &[&text[..]; 9]));
        }
        for units in units {
            let each = units.len() / 9;
            let windows = Arc::new(Windows::new(WINDOW, 0));
            let mut decoder = codec.decoder(&windows).expect("a decoder");
            let mut from = Compressed::of_bytes(units.clone());
            // A block of lz4 may be as large as its frame says.
            let most = if codec == Codec::Lz4 { 256 << 10 } else { text.len() };
            let (room, packed_room) = (4 * most + 1, units.len());
            let batch = UnitBatch::cut(&mut *decoder, &mut from, Vec::new(), room, packed_room);
            let batch = batch.expect("read").expect("a batch");
            assert_eq!((batch.packed.len(), from.offset()), (4 * each, 4 * each as u64), "{codec}");
            let mut buffer = vec![0; room];
            let made = batch.expand(codec, &windows, &mut buffer);
            assert_eq!(made.filled, Some(4 * text.len()), "{codec}");
            assert!(buffer[..4 * text.len()] == text.repeat(4), "{codec}");
            from.put_back(&made.packed);
            assert_eq!((from.offset(), from.unread().expect("read")), (0, &units[..]));
            // None is cut off if the first is too large.
            let small = text.len() - 1;
            let none = UnitBatch::cut(&mut *decoder, &mut from, Vec::new(), small, 1 << 20);
            assert!(none.expect("read").is_none(), "{codec}");
        }
    }
}

/// Blocks are expanded whole or in parts, by the room that there is, with the same outcome.
#[test]
fn blocks_are_expanded_alike_with_any_room() {
    let text = text(1000);
    let block = bgzf_block(&text);
    // Its header counts a byte between the deflated data and the checksum.
    let mut longer = block.clone();
    longer.insert(block.len() - 8, 0);
    longer[16..18].copy_from_slice(&(block.len() as u16).to_le_bytes());
    let mut wrong = block.clone();
    wrong[block.len() - 8] ^= 1;
    let outcome = |packed: &[u8], room: usize| {
        let mut decoder = Codec::Gzip.decoder(&Arc::new(Windows::new(0, 0))).expect("a decoder");
        let mut from = Compressed::of_bytes(packed.to_vec());
        let (mut all, mut buffer) = (Vec::new(), vec![0; room]);
        loop {
            match decoder.decode(&mut from, &mut buffer) {
                Ok(0) => return Ok(all),
                Ok(bytes) => all.extend_from_slice(&buffer[..bytes]),
                Err(error) => return Err(error.to_string()),
            }
        }
    };
    // What follows a block is another one with the same checksum, and with another.
    let two = bgzf_block_of_two(&text);
    let mut different = two[..block.len()].to_vec();
    different.extend(bgzf_block(&text.iter().map(|byte| byte ^ 1).collect::<Vec<_>>()));
    for last in [&block, &longer, &wrong, &two, &different] {
        let packed = [&block[..], &block, last].concat();
        let in_parts = outcome(&packed, 1);
        assert_eq!(in_parts.is_ok(), last != &longer && last != &wrong);
        for room in [7, text.len() - 1, text.len(), text.len() + 1, 1 << 16] {
            assert!(outcome(&packed, room) == in_parts, "{room}");
        }
    }
}

/// Zeros end a file, and are an error before another member, with any number of threads.
#[test]
fn zeros_between_members_are_refused() {
    let blocks = bgzf_block(&text(1000)).repeat(3);
    let large = all_packed(Codec::Gzip, &[&noise(40_000)]);
    let empty = all_packed(Codec::Gzip, &[b""]);
    for before in [&blocks, &[&blocks[..], &empty].concat(), &[&blocks[..], &large].concat()] {
        for zeros in [0, 1, 3, 4, 17, 18, 19, 40] {
            let packed = [&before[..], &vec![0; zeros], &large, &blocks].concat();
            for has_batches in [false, true] {
                let found = expanded_by_threads(Codec::Gzip, &packed, has_batches);
                assert_eq!(found.is_ok(), zeros == 0, "{zeros} zeros, {has_batches}");
            }
        }
    }
}
