//! Inputs of lines of every shape.

use crate::random::Random;

/// `bytes` bytes of lines, each made by `make` of its number.
pub fn text(bytes: usize, mut make: impl FnMut(u64) -> Vec<u8>) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes + 100);
    for number in 0.. {
        if out.len() >= bytes {
            break;
        }
        out.extend(make(number));
        out.push(b'\n');
    }
    out
}

/// A line of `length` random letters.
pub fn letters(random: &mut Random, length: usize) -> Vec<u8> {
    let mut letters = vec![0; length];
    random.fill(&mut letters);
    letters.iter_mut().for_each(|byte| *byte = b'a' + *byte % 26);
    letters
}

/// The shapes of texts.
pub const SHAPES: [&str; 14] = [
    "words",
    "bytes",
    "empty lines",
    "one byte",
    "one byte or none",
    "carriage returns",
    "zeros",
    "long",
    "long beginnings in common",
    "all equal",
    "sorted",
    "reversed",
    "long lines, then empty ones",
    "empty lines, then long ones",
];

/// An input of one of the shapes, of about `bytes` bytes.
pub fn shape(name: &str, bytes: usize, random: &mut Random) -> Vec<u8> {
    let mut r = random.fork();
    let long = (bytes / 30).clamp(1, 300_000);
    let mut shape = match name {
        "words" => text(bytes, |_| letters(&mut r.fork(), 1 + r.below(12))),
        "bytes" => text(bytes, |_| {
            let mut line = vec![0; r.below(60)];
            r.fill(&mut line);
            line.retain(|byte| *byte != b'\n');
            line
        }),
        "empty lines" => vec![b'\n'; bytes / 8],
        "one byte" => text(bytes / 4, |_| vec![r.next() as u8 | 0x20]),
        "one byte or none" => text(bytes / 8, |_| vec![b'x'; r.below(2)]),
        "carriage returns" => text(bytes, |_| {
            let line = letters(&mut r.fork(), r.below(9));
            if r.one_in(3) { line } else { [&line[..], b"\r"].concat() }
        }),
        "zeros" => text(bytes, |_| vec![0; r.below(20)]),
        "long" => text(bytes, |_| letters(&mut r.fork(), r.below(long))),
        "long beginnings in common" => text(bytes, |_| {
            let mut line = vec![b'p'; 300];
            line.extend(r.below(5000).to_string().bytes());
            line
        }),
        "all equal" => text(bytes, |_| b"the same line".to_vec()),
        "sorted" => text(bytes, |number| format!("{number:012}").into_bytes()),
        "reversed" => {
            text(bytes, |number| format!("{:012}", u64::from(u32::MAX) - number).into_bytes())
        }
        _ => {
            let mut abrupt = text(bytes / 2, |_| letters(&mut r.fork(), 1 + long / 2));
            abrupt.extend(vec![b'\n'; bytes / 4]);
            match name {
                "long lines, then empty ones" => {}
                "empty lines, then long ones" => abrupt.reverse(),
                _ => panic!("no shape is called {name}"),
            }
            abrupt
        }
    };
    if r.one_in(2) {
        shape.pop_if(|last| *last == b'\n');
    }
    shape
}
