//! Frames of every header, expanded in order and by threads; damaged ones fail alike.

use super::super::batch::{Expansion, UnitBatch};
use super::super::input::{DecodingInput, Next, Open, PlacedBatch, Stage, Step};
use super::super::tests::{expanded, expanded_in_shape, noise, text, through, words};
use super::super::{DecodingShape, Origin};
use super::*;

/// Fields of a header, in the order of its bits.
#[derive(Clone, Copy, Debug)]
struct FrameForm {
    is_independent: bool,
    has_block_checksums: bool,
    has_length: bool,
    has_content_checksum: bool,
    /// 4 to 7: blocks of 64 KiB, 256 KiB, 1 MiB and 4 MiB at most.
    code: u8,
}

impl FrameForm {
    /// Returns form `number` of the 64 that there are.
    fn of(number: usize) -> Self {
        let bit = |place: usize| number >> place & 1 == 1;
        Self {
            is_independent: !bit(0),
            has_block_checksums: bit(1),
            has_length: bit(2),
            has_content_checksum: bit(3),
            code: 4 + (number >> 4 & 3) as u8,
        }
    }

    /// Returns the most bytes of a block.
    fn block_bytes(self) -> usize {
        (64 << 10) << (2 * (self.code - 4))
    }

    /// Returns a frame with these blocks.
    fn frame(self, blocks: &[&[u8]]) -> Vec<u8> {
        let flag = |is_set: bool, place: u8| u8::from(is_set) << place;
        let flags = 0x40
            | flag(self.is_independent, 5)
            | flag(self.has_block_checksums, 4)
            | flag(self.has_length, 3)
            | flag(self.has_content_checksum, 2);
        let data = blocks.concat();
        let mut frame = vec![4, 0x22, 0x4d, 0x18, flags, self.code << 4];
        if self.has_length {
            frame.extend((data.len() as u64).to_le_bytes());
        }
        frame.push((xxh32(&frame[4..], 0) >> 8) as u8);
        let mut begin = 0;
        for block in blocks {
            let window = if self.is_independent { 0 } else { begin.min(64 << 10) };
            let window = &data[begin - window..begin];
            let packed = lz4_flex::block::compress_with_dict(block, window);
            let (word, packed) = match packed.len() < block.len() {
                true => (packed.len() as u32, &packed[..]),
                false => (block.len() as u32 | 1 << 31, *block),
            };
            frame.extend(word.to_le_bytes());
            frame.extend(packed);
            if self.has_block_checksums {
                frame.extend(xxh32(packed, 0).to_le_bytes());
            }
            begin += block.len();
        }
        frame.extend([0; 4]);
        if self.has_content_checksum {
            frame.extend(xxh32(&data, 0).to_le_bytes());
        }
        frame
    }
}

/// Threads with buffers of this size, which divide the input into batches or do not.
fn shape(buffer_bytes: usize, has_batches: bool) -> DecodingShape {
    let packed_bytes = if has_batches { buffer_bytes + 4096 } else { 0 };
    DecodingShape { threads: 3, ahead: 0, buffer_bytes, ready: 4, packed_bytes }
}

/// Returns a decoder within the frame that `packed` begins with, and the bytes after its header.
fn begun(packed: &[u8]) -> Open {
    let windows = Arc::new(Windows::new(8 << 20, 0));
    let mut from = Compressed::of_bytes(packed.to_vec());
    let mut decoder: Box<dyn Decode> = Box::new(Lz4Decoder::new(&windows));
    assert!(decoder.pass_border(&mut from).expect("a header"));
    Open { from, decoder }
}

#[test]
fn every_header_is_expanded_alike() {
    let (text, noise) = (text(5 << 20), noise(70_000));
    // Every header with blocks of up to 256 KiB, and some with larger ones.
    for number in (0..32).chain((32..64).step_by(5)) {
        let form = FrameForm::of(number);
        let block_bytes = form.block_bytes();
        let whole = &text[..block_bytes];
        let few = [&text[7..60_007], &noise[..60_000], &[], &text[..1], whole, &text[300..900]];
        for blocks in [&few[..], &[], &[whole], &[&text[..60_000]; 30]] {
            let (packed, data) = (form.frame(blocks), blocks.concat());
            assert!(expanded(Codec::Lz4, &packed).expect("whole") == data, "{form:?}");
            let after = FrameForm::of(8).frame(&[&text[..50_000]; 9]);
            let (packed, data) = ([packed, after].concat(), [data, text[..50_000].repeat(9)]);
            assert!(expanded(Codec::Lz4, &packed).expect("whole") == data.concat(), "{form:?}");
            for buffer_bytes in [128 << 10, block_bytes] {
                let shape = shape(buffer_bytes, true);
                let found = expanded_in_shape(Codec::Lz4, &packed, shape).expect("whole");
                assert!(found == data.concat(), "{form:?}, {buffer_bytes}");
            }
        }
    }
}

#[test]
fn frames_of_the_program_are_expanded_by_threads() {
    let data = [text(9 << 20), noise(5 << 20), text(70_000)].concat();
    for words in [&["-c"][..], &["-c", "-B4"], &["-c", "-B5", "-BX", "--content-size"]] {
        let Some(packed) = through("lz4", words, &data) else { return };
        let mut open = begun(&packed);
        let unit = open.decoder.next_unit(&mut open.from).expect("read").expect("a block");
        for buffer_bytes in [unit.bytes, 1 << 20] {
            let found = expanded_in_shape(Codec::Lz4, &packed, shape(buffer_bytes, true));
            assert!(found.expect("whole") == data, "{words:?}, {buffer_bytes}");
        }
    }
}

#[test]
fn independent_blocks_are_units_and_others_are_not() {
    let text = text(64 << 10);
    for number in 0..16 {
        let form = FrameForm::of(number);
        let packed = form.frame(&[&text[..]; 5]);
        let mut open = begun(&packed);
        let header = open.from.offset() as usize;
        let Open { from, decoder } = &mut open;
        let mut cut = |room| {
            let batch = UnitBatch::cut(&mut **decoder, from, Vec::new(), room, packed.len());
            batch.expect("no error")
        };
        assert!(cut(text.len() - 1).is_none(), "{form:?}: a block may be larger");
        let Some(batch) = cut(4 * text.len() + 1) else {
            assert!(!form.is_independent, "{form:?}");
            continue;
        };
        assert!(form.is_independent, "{form:?}");
        let mut buffer = vec![0; 4 * text.len() + 1];
        let windows = Arc::new(Windows::new(0, 0));
        let Expansion { packed: taken, filled, blocks } =
            batch.expand(Codec::Lz4, &windows, &mut buffer);
        assert_eq!(filled, Some(4 * text.len()), "{form:?}");
        assert!(buffer[..4 * text.len()] == text.repeat(4) && blocks.is_some());
        assert!(taken == packed[header..header + taken.len()], "{form:?}");
        // The end of the frame is not a unit: its blocks have to be counted first.
        let last = cut(4 * text.len()).expect("the fifth block");
        let last = last.expand(Codec::Lz4, &windows, &mut buffer).filled;
        assert_eq!((last, cut(1 << 20).is_none()), (Some(text.len()), true));
        let early = open.decoder.pass_border(&mut open.from);
        let is_checked = form.has_length || form.has_content_checksum;
        assert_eq!(early.is_err(), is_checked, "{form:?}: {early:?}");
    }
}

#[test]
fn damage_is_reported_as_by_one_thread() {
    let text = text(200_000);
    let form = FrameForm::of(0b1110);
    let blocks: Vec<&[u8]> = text.chunks(20_000).collect();
    let packed = form.frame(&blocks);
    let last = packed.len() - 1;
    let block = 4 + 2 + 8 + 1 + 4 + 100;
    let longer = [&packed[..15], &[0xff, 0xff, 0x7f, 0], &packed[19..]].concat();
    let other_length = [&packed[..6], &199_999_u64.to_le_bytes(), &packed[14..]].concat();
    let sum = (xxh32(&other_length[4..14], 0) >> 8) as u8;
    let other_length = [&other_length[..14], &[sum], &other_length[15..]].concat();
    let flipped = |place: usize| {
        let mut damaged = packed.clone();
        damaged[place] ^= 1;
        damaged
    };
    for (damaged, part) in [
        (flipped(block), "at byte 0 of the compressed data is damaged: the checksum of a block"),
        (flipped(last), "is damaged: the checksum of its data does not match"),
        (other_length, "is damaged: the length of its data does not match"),
        (longer, "is damaged: a block is longer than its header allows"),
        (flipped(14), "is damaged: the checksum of its header does not match"),
        (packed[..last].to_vec(), "ends in the middle of a lz4 frame: it begins at byte 0"),
        (packed[..last - 8].to_vec(), "ends in the middle of a lz4 frame"),
        (packed[..last / 2].to_vec(), "ends in the middle of a lz4 frame"),
        ([&packed[..], b"tail"].concat(), "after the last lz4 frame, other data follows"),
    ] {
        let one = words(expanded(Codec::Lz4, &damaged));
        assert!(one.contains(part), "{one}");
        let both = expanded_in_shape(Codec::Lz4, &damaged, shape(128 << 10, true));
        let both = both.expect_err(part).to_string();
        assert!(both.ends_with(&one), "{both}: {one}");
    }
}

/// Frames by chance, whole and damaged, have the data or the error that one thread finds.
#[test]
fn threads_change_nothing() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % below.max(1)
    };
    let (text, noise) = (text(300_000), noise(64 << 10));
    for round in 0..80 {
        let (mut packed, mut data) = (Vec::new(), Vec::new());
        for _ in 0..=random(3) {
            let form = FrameForm::of(random(16));
            let blocks: Vec<&[u8]> = (0..random(12))
                .map(|_| match random(8) {
                    0 => &noise[..random(64 << 10)],
                    1 => &text[..64 << 10],
                    _ => &text[random(200_000)..][..random(64 << 10)],
                })
                .collect();
            packed.extend(form.frame(&blocks));
            data.extend(blocks.concat());
            if random(4) == 0 {
                packed.extend(b"\x53\x2a\x4d\x18\x05\0\0\0other");
            }
        }
        let by_threads = |packed: &[u8]| {
            expanded_in_shape(Codec::Lz4, packed, shape(150_000, true)).map_err(|e| e.to_string())
        };
        assert!(by_threads(&packed).as_ref() == Ok(&data), "round {round}");
        match random(3) {
            0 => packed.truncate(random(packed.len())),
            1 => packed.extend(&noise[..random(20)]),
            _ => {
                let place = random(packed.len());
                packed[place] ^= 1 << random(8);
            }
        }
        let one = expanded_in_shape(Codec::Lz4, &packed, shape(150_000, false));
        // Messages name the file, and each call has its own.
        let words = |words: String| words.split_once(':').map(|(_, rest)| rest.to_owned());
        let (one, other) =
            (one.map_err(|e| words(e.to_string())), by_threads(&packed).map_err(words));
        assert!(one == other, "round {round}: {:?} {:?}", one.err(), other.err());
    }
}

/// An input within a frame, of which batches of one block each were cut off.
struct CutInput {
    input: DecodingInput,
    batches: Vec<PlacedBatch>,
}

impl CutInput {
    fn new(packed: &[u8], batches: usize) -> Self {
        let input = DecodingInput::new(Origin::Stdin, Codec::Lz4, true);
        let mut cut = Self { input, batches: Vec::new() };
        let mut begun = Some(Box::new(begun(packed)));
        for _ in 0..batches {
            let turn = cut.input.begin().expect("nothing is waited for");
            let mut open = match turn.stage {
                Stage::Open(open) => open,
                _ => begun.take().expect("begun once"),
            };
            let Open { from, decoder } = &mut *open;
            let batch = UnitBatch::cut(&mut **decoder, from, Vec::new(), 64 << 10, 1 << 20);
            let batch = batch.expect("no error").expect("a block");
            let step = Step::Cut(open, batch, vec![0; (64 << 10) + 1]);
            cut.batches.push(cut.input.note(Ok(step)).expect("one to expand"));
        }
        cut
    }

    /// Expands the batch with this place, and counts what can be counted. Returns the number of
    /// pieces counted.
    fn make(&mut self, place: u64) -> usize {
        let windows = Arc::new(Windows::new(0, 0));
        let at = self.batches.iter().position(|batch| batch.place == place).expect("cut off");
        let PlacedBatch { batch, mut buffer, place } = self.batches.remove(at);
        let made = batch.expand(Codec::Lz4, &windows, &mut buffer);
        let (mut counted, mut next) = (0, self.input.note_made(place, made, buffer));
        while let Some(piece) = next {
            piece.count();
            counted += 1;
            next = self.input.note_counted(piece);
        }
        counted
    }

    /// Returns the data of the next piece, if it can be read.
    fn next_piece(&mut self) -> Option<Vec<u8>> {
        match self.input.take_next().expect("no error") {
            Next::Filled(piece) => Some(piece.buffer[..piece.filled].to_vec()),
            Next::End | Next::NotYet => None,
        }
    }

    /// Takes one step in order. Returns the bytes that it expands.
    fn rest(&mut self) -> Result<Vec<u8>> {
        let turn = self.input.begin().expect("no batch is left");
        assert!(turn.is_alone);
        let Stage::Open(mut open) = turn.stage else { panic!("it is open") };
        let mut rest = vec![0; 1 << 20];
        let filled = open.decoder.decode(&mut open.from, &mut rest)?;
        rest.truncate(filled);
        Ok(rest)
    }
}

#[test]
fn blocks_are_counted_in_order() {
    let text = text(200_000);
    let blocks: Vec<&[u8]> = text.chunks(40_000).collect();
    let packed = FrameForm::of(0b1100).frame(&blocks);
    let mut cut = CutInput::new(&packed, 5);
    assert_eq!([cut.make(1), cut.make(3)], [0, 0], "the first block is missing");
    assert!(cut.next_piece().is_none());
    assert_eq!(cut.make(0), 2);
    assert_eq!(cut.next_piece().as_deref(), Some(blocks[0]));
    assert_eq!(cut.make(4), 0);
    assert_eq!(cut.make(2), 3);
    for block in &blocks[1..] {
        assert_eq!(cut.next_piece().as_deref(), Some(*block));
    }
    assert_eq!(cut.rest().expect("the checksum and the length match"), b"");
}

/// Blocks that were counted before the damage are part of the checksum of the frame.
#[test]
fn a_damaged_block_is_put_back_with_those_after_it() {
    let text = text(200_000);
    let blocks: Vec<&[u8]> = text.chunks(40_000).collect();
    let packed = FrameForm::of(0b1100).frame(&blocks);
    let mut cut = CutInput::new(&packed, 4);
    // The batch is damaged in memory, not in the file.
    let third = &mut cut.batches[2].batch.packed;
    let whole = std::mem::replace(third, vec![1, 0, 0, 0, 0xff]);
    assert_eq!([cut.make(3), cut.make(2), cut.make(0)], [0, 0, 1]);
    assert!(cut.input.begin().is_none(), "a block before the damage is not expanded yet");
    assert_eq!(cut.make(1), 1);
    assert_eq!(
        [cut.next_piece(), cut.next_piece()],
        [Some(blocks[0]), Some(blocks[1])].map(|block| block.map(<[u8]>::to_vec))
    );
    let turn = cut.input.begin().expect("all is put back");
    let Stage::Open(mut open) = turn.stage else { panic!("it is open") };
    assert!(!turn.wants_batch);
    open.from.take(5);
    open.from.put_back(&whole);
    let mut rest = vec![0; 1 << 20];
    let filled = open.decoder.decode(&mut open.from, &mut rest).expect("the checksum matches");
    assert!(rest[..filled] == blocks[2..].concat());
}

/// An input that cannot be read on still has the blocks before the fault.
#[test]
fn blocks_before_a_fault_are_read() {
    let text = text(80_000);
    let packed = FrameForm::of(0).frame(&[&text[..40_000], &text[40_000..]]);
    let mut cut = CutInput::new(&packed, 2);
    assert!(cut.input.begin().is_some());
    assert!(cut.input.note(Err(Compressed::unready(Codec::Lz4))).is_none());
    assert_eq!([cut.make(1), cut.make(0)], [0, 2]);
    assert_eq!(cut.next_piece().as_deref(), Some(&text[..40_000]));
    assert_eq!(cut.next_piece().as_deref(), Some(&text[40_000..]));
    assert!(cut.input.take_next().is_err());
}
