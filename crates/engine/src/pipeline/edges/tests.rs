//! Lines across blocks: however a text is cut and whichever block comes first, each comes out once
//! and whole.

use super::*;

/// The ends of a block as a reader finds them.
fn piece(block: &[u8], is_end: bool) -> EdgePieces {
    let first = block.iter().position(|byte| *byte == b'\n');
    let last = block.iter().rposition(|byte| *byte == b'\n');
    let head = block[..first.map_or(block.len(), |at| at + 1)].to_vec();
    EdgePieces { head, tail: last.map(|at| block[at + 1..].to_vec()), is_end }
}

/// Whole lines of a block that lie within it.
fn within(block: &[u8]) -> Vec<Vec<u8>> {
    let ends: Vec<usize> = (0..block.len()).filter(|at| block[*at] == b'\n').collect();
    ends.windows(2).map(|pair| block[pair[0] + 1..=pair[1]].to_vec()).collect()
}

#[test]
fn lines_are_whole_however_they_are_cut_and_whatever_comes_first() {
    let texts: [&[u8]; 6] = [b"", b"a", b"\n", b"ab\n\ncde\nf", b"abcdef\ng\n", b"\n\n\n"];
    for step in 1..8 {
        for turn in 0..24 {
            let mut blocks = Vec::new();
            for text in texts {
                let count = text.chunks(step).count();
                blocks.extend(text.chunks(step).zip(1..).map(|(block, nth)| (block, nth == count)));
            }
            let mut numbered: Vec<_> = blocks.iter().enumerate().collect();
            numbered.sort_by_key(|(number, _)| (*number * 31 + turn * 7) % (turn + 1));
            let (mut edges, mut lines) = (Edges::default(), Vec::new());
            for (number, (block, is_end)) in numbered {
                lines.extend(within(block));
                let joined = edges.join(number, piece(block, *is_end), b'\n');
                lines.extend(joined.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec));
            }
            let mut expected: Vec<Vec<u8>> = Vec::new();
            for text in texts {
                let whole = text.split_inclusive(|byte| *byte == b'\n');
                expected.extend(whole.map(|line| [line.trim_ascii_end(), b"\n"].concat()));
            }
            expected.sort();
            lines.sort();
            assert_eq!(lines, expected, "blocks of {step} bytes, turn {turn}");
            assert_eq!(edges.open_bytes(), 0);
        }
    }
}

#[test]
fn what_is_open_is_counted() {
    let mut edges = Edges::default();
    assert!(edges.join(1, piece(b"bbb", false), b'\n').is_empty());
    assert_eq!(edges.open_bytes(), 0, "the block before it is not there");
    assert_eq!(edges.join(0, piece(b"x\naa", false), b'\n'), b"x\n");
    assert_eq!(edges.open_bytes(), 5);
    assert_eq!(edges.join(2, piece(b"c\n", true), b'\n'), b"aabbbc\n");
    assert_eq!(edges.open_bytes(), 0);
}
