//! Whatever entries a manifest has, and whatever its bytes, reading it ends with where a job stands
//! or with an error.
//!
//! Lines of the input become entries with checksums that are right; a first byte of 0 leaves the
//! input as it is.

#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use sortwell_engine::io::KEPT_NAME;
use sortwell_engine::manifest::{Manifest, Past};
use xxhash_rust::xxh3::xxh3_64;

/// A directory of this process, in memory where there is such a place.
fn directory() -> &'static PathBuf {
    static PLACE: OnceLock<PathBuf> = OnceLock::new();
    PLACE.get_or_init(|| {
        let shared = PathBuf::from("/dev/shm");
        let parent = if shared.is_dir() { shared } else { std::env::temp_dir() };
        let place = parent.join(format!("sortwell-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&place).expect("a directory");
        place
    })
}

/// The lines with the checksums that belong before them.
fn sealed(text: &[u8]) -> Vec<u8> {
    let (mut out, mut chain) = (Vec::new(), 0_u64);
    for line in text.split(|byte| *byte == b'\n') {
        chain = xxh3_64(&[&chain.to_le_bytes(), line].concat());
        out.extend_from_slice(format!("{chain:016x} ").as_bytes());
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out
}

fuzz_target!(|data: &[u8]| {
    let bytes = match data.split_first() {
        Some((0, rest)) => rest.to_vec(),
        _ => sealed(data),
    };
    let place = directory();
    std::fs::write(place.join(KEPT_NAME), bytes).expect("a file");
    if let Ok(entries) = Manifest::look(place) {
        let _ = Past::of(place, entries);
    }
    let _ = Manifest::first(place);
});
