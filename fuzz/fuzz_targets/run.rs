//! Whatever stands in a run file's header and footer, reading them ends with sizes that are
//! possible or with an error, and what is read is what would be written.
//!
//! The first bytes are the header, those behind it the footer; checksums are made right unless the
//! very first byte says otherwise.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use sortwell_engine::run::layout::{FOOTER, Footer, RunGeometry, HEADER};
use xxhash_rust::xxh3::xxh3_64;

/// So many bytes of `data`, zeros behind them, sealed if `is_sealed`.
fn page<const N: usize>(data: &[u8], is_sealed: bool) -> [u8; N] {
    let mut page = [0; N];
    let length = data.len().min(N);
    page[..length].copy_from_slice(&data[..length]);
    if is_sealed {
        let sum = xxh3_64(&page[..N - 8]);
        page[N - 8..].copy_from_slice(&sum.to_le_bytes());
    }
    page
}

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let (head, foot) = rest.split_at(rest.len().min(HEADER - 8));
    let path = Path::new("run");
    let header: [u8; HEADER] = page(head, *first != 0);
    let Ok(geometry) = RunGeometry::read(path, &header) else { return };
    assert_eq!(geometry.header(), header, "nothing else makes this geometry");
    let _ = (geometry.file_bytes(), geometry.footer_start(), geometry.table_start());
    let footer: [u8; FOOTER] = page(foot, *first != 0);
    let _ = Footer::read(path, &footer, &geometry);
});
