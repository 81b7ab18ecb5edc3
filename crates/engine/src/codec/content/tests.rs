//! Beginnings of real files, what is one byte off, and text that begins as they do.

use super::*;

const XZ: &[u8] = b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4\x46\x02\0\x21\x01";
const BZIP2: &[u8] = b"BZh91AY&SY\x0d\x1a";
const ZIP: &[u8] =
    b"PK\x03\x04\x14\0\0\0\x08\0\x9b\x6c\x78\x5b\x59\x8c\x4c\xdd\x05\0\0\0\x04\0\0\0\x01\0\0\0t+";
const GZIP: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd\x04\x58\x21\0\0b\na\n";
const LZ4: &[u8] = b"\x04\x22\x4d\x18\x64\x40\xa7\x04\0\0\x80b\na\n";
const PARQUET: &[u8] = b"PAR1\x15\x04\x15\x20\x15\x24";

fn foreign(head: &[u8]) -> Option<&'static str> {
    match ContentKind::of(head) {
        ContentKind::Foreign(foreign) => Some(foreign.name),
        _ => None,
    }
}

fn utf16(text: &str, is_little: bool) -> Vec<u8> {
    let bytes = |unit: u16| if is_little { unit.to_le_bytes() } else { unit.to_be_bytes() };
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
}

#[test]
fn whole_headers_tell() {
    assert_eq!(ContentKind::of(GZIP), ContentKind::Packed(Codec::Gzip));
    assert_eq!(ContentKind::of(ZSTD), ContentKind::Packed(Codec::Zstd));
    assert_eq!(ContentKind::of(LZ4), ContentKind::Packed(Codec::Lz4));
    let skipped = |rest: &[u8]| [b"\x50\x2a\x4d\x18\x03\0\0\0abc", rest].concat();
    assert_eq!(ContentKind::of(&skipped(ZSTD)), ContentKind::Packed(Codec::Zstd));
    assert_eq!(ContentKind::of(&skipped(&skipped(LZ4))), ContentKind::Packed(Codec::Lz4));
    assert_eq!(ContentKind::of(&skipped(b"text")), ContentKind::Plain);
    assert_eq!(foreign(XZ), Some("xz"));
    assert_eq!(foreign(BZIP2), Some("bzip2"));
    assert_eq!(foreign(b"BZh9\x17\x72\x45\x38\x50\x90\0\0\0\0"), Some("bzip2"));
    assert_eq!(foreign(ZIP), Some("zip"));
    assert_eq!(foreign(&[&b"PK\x05\x06"[..], &[0; 18]].concat()), Some("zip"));
    assert_eq!(foreign(b"7z\xbc\xaf\x27\x1c\0\x04"), Some("7z"));
    assert_eq!(foreign(PARQUET), Some("Parquet"));
    assert_eq!(foreign(b"\x1f\x9d\x90b\x14"), Some("compress"));
    for (is_little, text) in
        [(true, "b\na\n"), (false, "b\na\n"), (true, ""), (false, "\u{1f600}\n")]
    {
        assert_eq!(foreign(&utf16(text, is_little)), Some("UTF-16 text"), "{text:?}");
    }
    assert_eq!(foreign(b"\xff\xfe\0\0b\0\0\0\n\0\0\0"), Some("UTF-32 text"));
    assert_eq!(foreign(b"\0\0\xfe\xff\0\0\0b\0\0\0\n"), Some("UTF-32 text"));
}

/// A skippable frame of this many bytes after its header, and what follows it.
fn skipping(length: usize, rest: &[u8]) -> Vec<u8> {
    let head = [&b"\x53\x2a\x4d\x18"[..], &(length as u32).to_le_bytes()].concat();
    [&head, &vec![b'x'; length][..], rest].concat()
}

#[test]
fn what_follows_skippable_frames_is_in_view_or_not() {
    let head = |data: &[u8]| ContentKind::of(&data[..data.len().min(CONTENT_BYTES)]);
    let beyond = |bytes: usize| CONTENT_BYTES - 8 + bytes;
    for packed in [ZSTD, LZ4] {
        assert_eq!(head(&skipping(5000, packed)), ContentKind::Skippable);
        assert_eq!(head(&skipping(3, &skipping(5000, packed))), ContentKind::Skippable);
        assert_eq!(head(&skipping(beyond(0), packed)), ContentKind::Skippable);
        // A few bytes of the header are not enough.
        assert_eq!(head(&skipping(beyond(0) - 4, packed)), ContentKind::Skippable);
        let found = head(&skipping(beyond(0) - packed.len(), packed));
        assert!(matches!(found, ContentKind::Packed(_)), "{found:?}");
    }
    let text = b"text that is longer than any header\n";
    assert_eq!(head(&skipping(beyond(0) - text.len(), text)), ContentKind::Plain);
    assert_eq!(head(&skipping(beyond(1), b"")), ContentKind::Skippable);
    // All of the data, which is nothing else or cut off.
    assert_eq!(head(&skipping(3, b"")), ContentKind::Skippable);
    assert_eq!(head(&skipping(30, b"")[..20]), ContentKind::Skippable);
    assert_eq!(head(&skipping(30, b"")[..7]), ContentKind::Plain);
}

/// Each header with one byte of it changed is text, unless that byte may be any.
#[test]
fn headers_that_are_off_are_text() {
    let checked: [(&[u8], &[usize]); 6] = [
        (XZ, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
        (BZIP2, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        (LZ4, &[0, 1, 2, 3, 4, 5, 6]),
        (GZIP, &[0, 1, 2, 3]),
        (ZSTD, &[0, 1, 2, 3, 4]),
        (PARQUET, &[0, 1, 2, 3, 4, 5, 6]),
    ];
    for (head, places) in checked {
        for &at in places {
            let mut head = head.to_vec();
            head[at] ^= 0xa8;
            assert_eq!(ContentKind::of(&head), ContentKind::Plain, "{head:x?} at {at}");
        }
    }
}

#[test]
fn text_that_begins_alike_is_text() {
    for text in [
        &b""[..],
        b"B",
        b"BZh",
        b"BZh9\na\n",
        b"BZh91AY&S\n",
        b"PK\n",
        b"PK\x03\x04\n",
        b"PAR1\n",
        b"PAR1\x15\n",
        b"PAR1,x\n",
        b"7z\n",
        b"LZIP\n",
        b"\x1f\x8b\n",
        b"\x1f\x8b\x08\n",
        b"P*M\x18",
        b"\xfd7zXZ\n",
        b"\xff\xfea",
        b"\xff\xfe\n\n\0",
        b"\xff\xfe\0\0\0\0\0\0",
        b"\xfe\xff\xd8\0\0\n",
        b"\x28\xb5\x2f\xfd",
        b"\x04\x22\x4d\x18",
        b"\x02\x21\x4c\x18",
        b"\xef\xbb\xbfa,b\n",
    ] {
        assert_eq!(
            ContentKind::of(text),
            ContentKind::Plain,
            "{:?}",
            text.escape_ascii().to_string()
        );
    }
}

#[test]
fn a_few_bytes_leave_open_what_they_cannot_tell() {
    for head in [XZ, BZIP2, ZIP, GZIP, ZSTD, LZ4, PARQUET, b"\xff\xfea\0", b"\x5f\x2a\x4d\x18"] {
        for length in 0..head.len() {
            assert!(ContentKind::is_open(&head[..length]), "{head:x?} up to {length}");
        }
    }
    for text in [&b"a"[..], b"Ba", b"PKx", b"PA\n", b"\xef", b"P+"] {
        assert!(!ContentKind::is_open(text), "{text:?}");
    }
}
