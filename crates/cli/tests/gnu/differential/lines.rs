//! Random inputs: words from short alphabets, numbers, sizes, months, versions and any bytes, in
//! fields, with many duplicates.

use super::options::{Options, Taste};
use super::random::Random;

/// Bytes beyond ASCII in a file. GNU sort calls the C library's `strcoll`. If such bytes are no
/// text, it reads the bytes after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// Any bytes.
    Bytes,
    /// Characters of UTF-8.
    Characters,
    /// None.
    Nothing,
}

/// Letters that are one in some languages, in the place of bytes beyond ASCII.
const PAIRS: [&str; 12] = ["p", "ch", "CH", "Ch", "dz", "dzs", "Ddzs", "cs", "ccs", "c", "h", "ll"];

/// Characters of several bytes, in the place of such bytes.
const CHARACTERS: [&str; 12] = ["é", "É", "č", "ß", "Ž", "ő", "ñ", "漢", "ﬁ", "e\u{301}", "·", "€"];

/// The bytes of one file.
pub fn file(random: &mut Random, options: &Options, beyond: Beyond) -> Vec<u8> {
    let count = match random.below(40) {
        0 => 0,
        1..30 => random.below(24) + 1,
        30..39 => random.below(300) + 1,
        _ => random.below(6000) + 1,
    };
    let kind = random.below(8);
    let mut lines: Vec<Vec<u8>> = Vec::new();
    for _ in 0..count {
        let is_again = !lines.is_empty() && random.one_in(4);
        let line = match is_again {
            true => lines[random.below(lines.len())].clone(),
            false => line(random, options, kind),
        };
        lines.push(line);
    }
    let mut bytes = Vec::new();
    for mut line in lines {
        line.retain(|&byte| byte != options.terminator);
        line.iter_mut().for_each(|byte| match *byte {
            // Suffixes that the system's program may not know yet: 9.2 brought them.
            b'R' | b'Q' | b'r' | b'q' => *byte = b'S',
            // GNU sort 9.1 takes this byte for a separator of thousands where there is none.
            0x80 => *byte = 0x81,
            _ => {}
        });
        for byte in line {
            let (number, is_pair) = (usize::from(byte) / 2 % 12, byte.is_multiple_of(2));
            match beyond {
                _ if byte.is_ascii() => bytes.push(byte),
                Beyond::Bytes => bytes.push(byte),
                Beyond::Characters if !is_pair => bytes.extend(CHARACTERS[number].bytes()),
                Beyond::Characters | Beyond::Nothing => bytes.extend(PAIRS[number].bytes()),
            }
        }
        bytes.push(options.terminator);
    }
    if random.one_in(4) {
        bytes.pop();
    }
    bytes
}

/// Of all that may be read as a NaN leaves the first.
///
/// GNU sort compares NaNs by what lies in memory, of which a `long double` fills no more than ten
/// bytes of sixteen. Where `-u` asks whether two are equal, even those of the same spelling are or
/// are not by what happens to lie in the other six.
pub fn leave_one_nan(files: &mut [Vec<u8>]) {
    let mut is_first = true;
    for file in files {
        for at in 2..file.len() {
            if file[at - 2..=at].eq_ignore_ascii_case(b"nan") && !std::mem::take(&mut is_first) {
                file[at] = b'p';
            }
        }
    }
}

fn line(random: &mut Random, options: &Options, kind: usize) -> Vec<u8> {
    let mut line = match kind {
        0 => letters(random, b"ab", 6),
        1 => letters(random, b"aAbB \t.~1", 8),
        2 => {
            let length = random.below(20);
            (0..length).map(|_| random.next() as u8).collect()
        }
        _ => fields(random, options),
    };
    if random.one_in(300) {
        let length = random.below(5000);
        line.splice(0..0, std::iter::repeat_n(b'p', length));
    }
    line
}

fn fields(random: &mut Random, options: &Options) -> Vec<u8> {
    let mut line = Vec::new();
    let count = random.below(5);
    for index in 0..count {
        if index > 0 || random.one_in(8) {
            match options.separator {
                Some(separator) => line.push(separator),
                None => line.extend(letters(random, b"  \t", 2)),
            }
            if options.separator.is_none() && line.is_empty() {
                line.push(b' ');
            }
        }
        let value = value(random, options.taste);
        line.extend(value);
    }
    line
}

fn letters(random: &mut Random, alphabet: &[u8], length_max: usize) -> Vec<u8> {
    let length = random.below(length_max + 1);
    (0..length).map(|_| random.pick(alphabet)).collect()
}

fn value(random: &mut Random, taste: Taste) -> Vec<u8> {
    if random.one_in(8) {
        return letters(random, b"aZ-_ \x80\xc3\xa4!0", 5);
    }
    let mut value = Vec::new();
    if random.one_in(10) {
        value.extend(letters(random, b" \t", 2));
    }
    match taste {
        Taste::Text => value.extend(letters(random, b"abAB-_ \xff.", 6)),
        Taste::Numbers => value.extend(number(random)),
        Taste::General => value.extend(general(random)),
        Taste::Sizes => {
            value.extend(number(random));
            value.extend(
                random.pick(&["", "K", "M", "k", "Ki", "GB", "T", "PE", "Z", "Y", "m"]).bytes(),
            );
        }
        Taste::Months => value.extend(month(random)),
        Taste::Versions => value.extend(version(random)),
    }
    if random.one_in(12) {
        value.extend(letters(random, b" ax0e\0\x0b", 3));
    }
    value
}

fn number(random: &mut Random) -> Vec<u8> {
    let mut number = random.pick(&["", "", "", "-", "+", "--", "- "]).as_bytes().to_vec();
    number.extend(random.pick(&["", "", "", "0", "00"]).bytes());
    let digits_max = random.pick(&[1, 1, 2, 4, 30]);
    number.extend(letters(random, b"0123456789", digits_max));
    if random.one_in(3) {
        number.push(b'.');
        number.extend(letters(random, b"0019", 4));
    }
    if random.one_in(16) {
        number.extend(random.pick(&[",000", ".5", "e3", "-1", " 000"]).bytes());
    }
    number
}

fn general(random: &mut Random) -> Vec<u8> {
    // Few NaNs, those that words make together: versions of GNU sort differ in their order.
    if random.one_in(5) {
        let words = ["inf", "-inf", "Infinity", "+INF", "na", "in", "0x", "0x1f", "-0X1.8p3"];
        return random.pick(&words).as_bytes().to_vec();
    }
    let mut number = number(random);
    if random.one_in(3) {
        number.extend(random.pick(&["e", "E", "e+", "e-", "E-"]).bytes());
        number.extend(letters(random, b"0123", 4));
    }
    number
}

fn month(random: &mut Random) -> Vec<u8> {
    let names =
        ["jan", "FEB", "Mar", "apr", "May", "JUN", "jul", "aug", "sep", "oct", "nov", "dec"];
    let name = random.pick(&names);
    match random.below(6) {
        0 => name[..2].into(),
        1 => format!("{name}uary").into(),
        2 => format!(" {name}").into(),
        _ => name.into(),
    }
}

fn version(random: &mut Random) -> Vec<u8> {
    let mut version =
        random.pick(&["", "a", "lib-", ".", "..", "v", "~", "z~"]).as_bytes().to_vec();
    for _ in 0..random.below(4) {
        version.extend(letters(random, b"0019", 3));
        version.extend(random.pick(&[".", "-", "~", "a", "", "_", ":"]).bytes());
    }
    version.extend(random.pick(&["", "", ".tar.gz", ".c", ".7z", ".~1~", ".so.6"]).bytes());
    version
}
