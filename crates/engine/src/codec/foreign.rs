//! Formats that we neither read nor write. We detect them to say what to do instead.
//!
//! To add one, add a row to [`FOREIGN`].

use crate::error::{Message, Setting, message};
use std::ffi::OsStr;
use std::path::Path;

/// A format that other programs read and write.
#[derive(Debug)]
pub struct Foreign {
    /// The name of the format.
    pub name: &'static str,
    /// The endings of its file names.
    extensions: &'static [&'static str],
    /// The first bytes of its data; empty if no bytes identify it.
    pub(super) magics: &'static [&'static [u8]],
    /// Returns whether data that begins with the magic is of this format.
    has_header: fn(&[u8]) -> bool,
    /// Makes text of `FILE`.
    expand: &'static str,
    /// True if that program reads standard input without a name.
    is_filter: bool,
    /// Makes it of text, from standard input to standard output.
    pack: Option<&'static str>,
}

/// The name of standard input in messages.
pub const STDIN: &str = "standard input";

/// Data that begins with one of these bytes is taken to be the format.
const ANY: fn(&[u8]) -> bool = |_| true;

/// Every such format.
pub static FOREIGN: [Foreign; 14] = [
    filter("xz", &["xz"], &[b"\xfd7zXZ\0"], is_xz, "xz -dc", "xz -c"),
    filter("bzip2", &["bz2", "bz"], &[b"BZh"], is_bzip2, "bzip2 -dc", "bzip2 -c"),
    file("zip", &["zip"], &[b"PK\x03\x04", b"PK\x05\x06"], is_zip, "unzip -p FILE"),
    file("7z", &["7z"], &[b"7z\xbc\xaf\x27\x1c"], ANY, "7z x -so FILE"),
    filter("lzma", &["lzma"], &[], ANY, "xz -dc", "xz --format=lzma -c"),
    filter("lzip", &["lz"], &[b"LZIP\x01"], is_lzip, "lzip -dc", "lzip -c"),
    filter("lzop", &["lzo"], &[b"\x89LZO\0\r\n\x1a\n"], ANY, "lzop -dc", "lzop -c"),
    filter("compress", &["Z"], &[b"\x1f\x9d"], is_compress, "gzip -dc", "compress -c"),
    filter("brotli", &["br"], &[], ANY, "brotli -dc", "brotli -c"),
    filter("snappy", &["sz"], &[b"\xff\x06\0\0sNaPpY"], ANY, "snzip -dc", "snzip -c"),
    filter("old lz4", &[], &[b"\x02\x21\x4c\x18"], is_old_lz4, "lz4 -dc", "lz4 -lc"),
    file(
        "Parquet",
        &["parquet"],
        &[b"PAR1\x15"],
        is_parquet,
        "duckdb -c \"COPY (FROM 'FILE') TO '/dev/stdout' (FORMAT csv)\"",
    ),
    // Before UTF-16, whose mark its own begins with.
    filter(
        "UTF-32 text",
        &[],
        &[b"\xff\xfe\0\0", b"\0\0\xfe\xff"],
        is_utf32,
        UTF32_EXPAND,
        UTF32_PACK,
    ),
    filter("UTF-16 text", &[], &[b"\xff\xfe", b"\xfe\xff"], is_utf16, UTF16_EXPAND, UTF16_PACK),
];

const UTF16_EXPAND: &str = "iconv -f UTF-16 -t UTF-8";
const UTF16_PACK: &str = "iconv -f UTF-8 -t UTF-16";
const UTF32_EXPAND: &str = "iconv -f UTF-32 -t UTF-8";
const UTF32_PACK: &str = "iconv -f UTF-8 -t UTF-32";

/// Returns a format of programs that are filters, with how they expand and pack.
const fn filter(
    name: &'static str,
    extensions: &'static [&'static str],
    magics: &'static [&'static [u8]],
    has_header: fn(&[u8]) -> bool,
    expand: &'static str,
    pack: &'static str,
) -> Foreign {
    Foreign { name, extensions, magics, has_header, expand, is_filter: true, pack: Some(pack) }
}

/// Returns a format of programs that take a file by its name.
const fn file(
    name: &'static str,
    extensions: &'static [&'static str],
    magics: &'static [&'static [u8]],
    has_header: fn(&[u8]) -> bool,
    expand: &'static str,
) -> Foreign {
    Foreign { name, extensions, magics, has_header, expand, is_filter: false, pack: None }
}

impl PartialEq for Foreign {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Foreign {}

impl Foreign {
    /// Returns the format of a file by the end of its name.
    pub fn of_path(path: &Path) -> Option<&'static Self> {
        let end = path.extension()?;
        // Z and z are two formats.
        let is_of = |known: &&str| match *known {
            "Z" => end == OsStr::new("Z"),
            known => end.eq_ignore_ascii_case(known),
        };
        FOREIGN.iter().find(|foreign| foreign.extensions.iter().any(is_of))
    }

    /// Returns whether data that begins with `head`, or is no more than that, is of this format.
    pub fn begins(&self, head: &[u8]) -> bool {
        self.magics.iter().any(|magic| head.starts_with(magic)) && (self.has_header)(head)
    }

    /// Returns what to do with an input of this format, which messages call `path`.
    pub fn advice(&self, path: &Path) -> Message {
        let command = match (path == Path::new(STDIN), self.is_filter) {
            (true, _) => self.expand.to_owned(),
            (false, true) => format!("{} {}", self.expand, shell_word(path)),
            (false, false) => self.expand.replace("FILE", &path.display().to_string()),
        };
        message!(
            "is {}, which sortwell does not read; convert it to text first, as with: {} | \
             sortwell ... ({} reads its bytes as they are)",
            self.name,
            command,
            Setting::Decompress.to("off"),
        )
    }

    /// Returns what to do about an output whose name says that it is of this format.
    pub fn output_advice(&self, path: &Path) -> Message {
        let (name, path) = (self.name, shell_word(path));
        let instead = self.pack.map_or_else(String::new, |pack| {
            format!(", or compress standard output: sortwell ... | {pack} > {path}")
        });
        message!(
            "the name {} means {}, which sortwell does not write; give a name that ends in .gz, \
             .zst or .lz4, or the name of a text file{}; {} writes plain records under this name",
            path,
            name,
            instead,
            Setting::Compress.to("off"),
        )
    }
}

/// Returns a path as a shell takes it.
fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+,:@%=".contains(&byte);
    match text.bytes().all(is_plain) && !text.starts_with('-') {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// Checks the stream header of xz: flags whose upper bits are zero, and their CRC-32.
fn is_xz(head: &[u8]) -> bool {
    let Some(([zero, check], sum)) = head.get(6..).and_then(<[u8]>::split_first_chunk) else {
        return false;
    };
    let sum = sum.first_chunk().map(|sum| u32::from_le_bytes(*sum));
    *zero == 0 && check & 0xf0 == 0 && sum == Some(crc32(&[*zero, *check]))
}

/// Returns the CRC-32 of a few bytes, as xz and gzip have it, computed bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let bit = |sum: u32, _| sum >> 1 ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 };
    !bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), bit))
}

/// Checks for a level, and the magic of a block or of the end.
fn is_bzip2(head: &[u8]) -> bool {
    const BLOCK: &[u8] = &[0x31, 0x41, 0x59, 0x26, 0x53, 0x59];
    const END: &[u8] = &[0x17, 0x72, 0x45, 0x38, 0x50, 0x90];
    matches!(head.get(3), Some(b'1'..=b'9')) && matches!(head.get(4..10), Some(BLOCK | END))
}

/// Checks for the header of a first file, with a known version and method, or an empty archive.
fn is_zip(head: &[u8]) -> bool {
    let word = |at: usize| Some(u16::from_le_bytes(*head.get(at..)?.first_chunk()?));
    if head.starts_with(b"PK\x05\x06") {
        return head.get(4..20).is_some_and(|counts| counts.iter().all(|byte| *byte == 0));
    }
    let methods = [0..=10, 12..=12, 14..=14, 16..=16, 18..=20, 92..=99];
    let (version, method, name_length) = (word(4), word(8), word(26));
    version.is_some_and(|version| version & 0xff <= 63 && version >> 8 <= 20)
        && method.is_some_and(|method| methods.iter().any(|known| known.contains(&method)))
        && name_length.is_some_and(|length| length > 0)
        && head.len() > 30
}

/// Checks for a legal size of the dictionary, as a power of two.
fn is_lzip(head: &[u8]) -> bool {
    head.get(5).is_some_and(|size| (12..=29).contains(&(size & 0x1f)))
}

/// Checks the flags: the most bits of a code, and two unused flags that are not set.
fn is_compress(head: &[u8]) -> bool {
    head.get(2).is_some_and(|flags| flags & 0x60 == 0 && (9..=16).contains(&(flags & 0x1f)))
}

/// Checks the length of a first block: at most what 8 MiB may grow to.
fn is_old_lz4(head: &[u8]) -> bool {
    let length = head.get(4..).and_then(<[u8]>::first_chunk);
    length.is_some_and(|length| (1..=0x80_8100).contains(&u32::from_le_bytes(*length)))
}

/// Checks for a page's header or the metadata in the compact protocol of Thrift: field 1 is a small
/// integer, and field 2 an integer or a list.
fn is_parquet(head: &[u8]) -> bool {
    matches!(head.get(4..7), Some([0x15, 0 | 2 | 4 | 6, 0x15 | 0x19]))
}

/// Checks the units of UTF-16 after the mark: all are valid, and one is ASCII, as line ends are.
fn is_utf16(head: &[u8]) -> bool {
    let is_little = head[0] == 0xff;
    let (units, odd) = head[2..].as_chunks();
    let is_cut = head.len() >= super::content::CONTENT_BYTES;
    let units = units.iter().map(|unit: &[u8; 2]| match is_little {
        true => u16::from_le_bytes(*unit),
        false => u16::from_be_bytes(*unit),
    });
    let (mut has_ascii, mut is_good, mut is_low_next) = (head.len() == 2, odd.is_empty(), false);
    for unit in units {
        let is_low = (0xdc00..=0xdfff).contains(&unit);
        is_good &= is_low == is_low_next && unit != 0 && unit < 0xfffe;
        is_low_next = (0xd800..=0xdbff).contains(&unit);
        has_ascii |= unit < 0x80;
    }
    has_ascii && is_good && (!is_low_next || is_cut)
}

/// Checks the characters of UTF-32 after the mark.
fn is_utf32(head: &[u8]) -> bool {
    let (characters, odd) = head[4..].as_chunks();
    let character = |bytes: &[u8; 4]| match head[0] == 0xff {
        true => u32::from_le_bytes(*bytes),
        false => u32::from_be_bytes(*bytes),
    };
    let is_one =
        |bytes: &[u8; 4]| character(bytes) != 0 && char::from_u32(character(bytes)).is_some();
    odd.is_empty() && characters.iter().all(is_one)
}
