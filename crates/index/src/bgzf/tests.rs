//! Blocks that are whole, empty and damaged.

use std::io::Write as _;

use super::block::block;
use super::*;

fn expanded(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(bytes).expect("room");
    let (mut reader, mut out, mut offset) = (BlockReader::default(), Vec::new(), 0);
    while offset < bytes.len() as u64 {
        let (path, length) = (Path::new("data.gz"), bytes.len() as u64);
        offset = reader.read(&file, path, length, offset, &mut out)?;
    }
    Ok(out)
}

#[test]
fn blocks_are_expanded() {
    let long: Vec<u8> = (0..65_280_u32).map(|at| ((at * at) >> 7) as u8).collect();
    let whole = [block(b"abc"), block(b""), block(&long), block(b"")].concat();
    assert!(is_bgzf(&whole));
    assert_eq!(expanded(&whole).expect("whole"), [b"abc", &long[..]].concat());
}

#[test]
fn damage_is_an_error() {
    let text = b"some text ".repeat(100);
    let whole = block(&text);
    for at in 0..whole.len() {
        for bit in [1, 0x80] {
            let mut damaged = whole.clone();
            damaged[at] ^= bit;
            // Some bytes of a header mean nothing.
            if (4..10).contains(&at) {
                continue;
            }
            // The last bits of the deflated data mean nothing either.
            if let Ok(read) = expanded(&damaged) {
                assert_eq!(read, text, "byte {at}");
            }
        }
        assert!(expanded(&whole[..at.max(1)]).is_err(), "{at} bytes");
    }
    // A header that states the bytes of two blocks.
    let mut two = whole.repeat(2);
    let last = (two.len() - 1) as u16;
    two[16..18].copy_from_slice(&last.to_le_bytes());
    assert!(expanded(&two).is_err());
    assert!(!is_bgzf(b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x03\0"));
    assert!(!is_bgzf(b""));
}
