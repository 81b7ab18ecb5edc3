//! Whatever stands in a run file, opening it, going through its index and fetching records ends with
//! an error or comes to an end.
//!
//! The input is changes to a run of three blocks of lines: a place, and a byte there. The first byte
//! says whether checksums are made right afterwards.

#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use sortwell_engine::format::Framing;
use sortwell_engine::io::Direct;
use sortwell_engine::proof::Sum;
use sortwell_engine::run::layout::{BLOCK, DATA_START, FOOTER, Footer, RunGeometry, HEADER, LastRecord};
use sortwell_engine::run::{IndexKey, Run, RunReader, stretch};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Lines of sixteen bytes.
const LINE: usize = 16;
const LINES: usize = 9000;

struct Place {
    run: Run,
    whole: Vec<u8>,
    geometry: RunGeometry,
}

/// Bytes of a page, of what is kept of a key, and of an entry: checksum, place, length, key.
const PAGE: usize = 4096;
const KEY: usize = 8;
const ENTRY: usize = 8 + 4 + 2 + KEY;

/// Writes the table of the blocks in `whole`: each begins with a record.
fn write_table(whole: &mut [u8], geometry: &RunGeometry) {
    for block in 0..geometry.blocks() as usize {
        let data = DATA_START as usize + block * BLOCK;
        let sum = xxh3_64(&whole[data..data + BLOCK]);
        let key: [u8; KEY] = whole[data..data + KEY].try_into().expect("eight bytes");
        let at = geometry.table_start() as usize + block * ENTRY;
        whole[at..at + 8].copy_from_slice(&sum.to_le_bytes());
        whole[at + 12..at + 14].copy_from_slice(&(KEY as u16 + 1).to_le_bytes());
        whole[at + 14..at + ENTRY].copy_from_slice(&key);
    }
    for slot in geometry.blocks()..geometry.blocks_per_page() {
        let at = geometry.table_start() as usize + slot as usize * ENTRY;
        whole[at + 8..at + 12].fill(0xff);
    }
}

/// The run as it is before any change.
fn place() -> &'static Place {
    static PLACE: OnceLock<Place> = OnceLock::new();
    PLACE.get_or_init(|| {
        let shared = PathBuf::from("/dev/shm");
        let parent = if shared.is_dir() { shared } else { std::env::temp_dir() };
        let path = parent.join(format!("sortwell-fuzz-run-{}", std::process::id()));
        let (lines, bytes) = (LINES as u64, (LINE * LINES) as u64);
        let geometry = RunGeometry::new(Framing::Terminated(b'\n'), KEY, bytes, lines, LINE as u64);
        let mut whole = vec![0; geometry.file_bytes() as usize];
        whole[..HEADER].copy_from_slice(&geometry.header());
        for number in 0..LINES {
            let at = DATA_START as usize + number * LINE;
            whole[at..at + LINE].copy_from_slice(format!("{number:015}\n").as_bytes());
        }
        write_table(&mut whole, &geometry);
        let last = LastRecord { offset: bytes - LINE as u64, key: IndexKey::default() };
        let footer = Footer { sum: Sum { records: lines, checksum: 1 }, last };
        let foot = geometry.footer_start() as usize;
        whole[foot..foot + FOOTER].copy_from_slice(&footer.bytes(&geometry));
        seal(&mut whole, &geometry);
        let run = Run { path, bytes, records: lines, longest_bytes: LINE as u64 };
        Place { run, whole, geometry }
    })
}

/// Makes the checksums right.
fn seal(whole: &mut [u8], geometry: &RunGeometry) {
    let (table, foot) = (geometry.table_start() as usize, geometry.footer_start() as usize);
    for (start, end) in [(0, HEADER - 8), (foot, foot + FOOTER - 8)] {
        let sum = xxh3_64(&whole[start..end]);
        whole[end..end + 8].copy_from_slice(&sum.to_le_bytes());
    }
    let end = table + PAGE - 8;
    let sum = xxh3_64_with_seed(&whole[table..end], 0);
    whole[end..end + 8].copy_from_slice(&sum.to_le_bytes());
}

fuzz_target!(|data: &[u8]| {
    let Some((first, changes)) = data.split_first() else { return };
    let Place { run, whole, geometry } = place();
    let mut changed = whole.clone();
    for change in changes.chunks_exact(4) {
        // Header, table, footer, or anywhere.
        let at = usize::from(change[1]) << 8 | usize::from(change[2]);
        let at = match change[0] % 4 {
            0 => at % HEADER,
            1 => geometry.table_start() as usize + at % PAGE,
            2 => geometry.footer_start() as usize + at % FOOTER,
            _ => at * 3 % changed.len(),
        };
        changed[at] = change[3];
    }
    if first % 4 != 0 {
        seal(&mut changed, geometry);
    }
    std::fs::write(&run.path, &changed).expect("a file");
    let Ok(reader) = RunReader::open(run, Direct::Off) else { return };
    let blocks = reader.geometry().blocks();
    if let Ok(stored) = reader.stored(0, blocks) {
        let (count, range) = stretch(&stored, 1);
        let mut memory = vec![0; count * BLOCK];
        let length = (range.end - range.start) as usize;
        let at = memory.len() - length;
        if let Some(bytes) = changed.get(range.start as usize..range.end as usize) {
            memory[at..].copy_from_slice(bytes);
            let _ = reader.take_blocks(0, &mut memory, &stored[..count], range.end);
        }
    }
    let Ok(mut index) = reader.index(0) else { return };
    let mut keys = 0;
    while !index.is_over() {
        assert!(index.part_start() <= index.part_end());
        let _ = reader.record(index.record());
        keys += 1;
        assert!(keys <= blocks + 1);
        if index.advance().is_err() {
            return;
        }
    }
});
