//! Runs of records of any length: empty ones, records longer than blocks, zeros, equal keys.

use super::*;

/// Sorted lines, as many as there are `lengths`, of so many bytes each without the line feed.
pub(crate) fn lines(lengths: impl IntoIterator<Item = usize>) -> Vec<u8> {
    let text = |(number, length): (usize, usize)| -> Vec<u8> {
        let mark = (number % 7).to_string();
        [mark.as_bytes(), &vec![b'a' + (number % 3) as u8; length]].concat()[..length].to_vec()
    };
    let mut lines: Vec<Vec<u8>> = lengths.into_iter().enumerate().map(text).collect();
    lines.sort();
    lines.iter().flat_map(|line| [line.as_slice(), b"\n"].concat()).collect()
}

fn check(lengths: &[usize]) {
    let folder = tempfile::tempdir().unwrap();
    let (key, data) = (WholeRecord(b'\n'), lines(lengths.iter().copied()));
    for (task_records, workers) in [(1, 2), (1 + lengths.len() / 5, 3), (lengths.len(), 1)] {
        let path = folder.path().join(format!("{task_records}-{workers}"));
        let run = write_run(&path, &key, (&data, LINE_FEED), (task_records, workers));
        assert_eq!((run.bytes, run.records), (data.len() as u64, lengths.len() as u64));
        assert_eq!(run.longest_bytes, *lengths.iter().max().unwrap() as u64 + 1);
        assert!(read_back(&run).unwrap() == data, "{task_records} {workers}");
        check_tables(&run, &key, &data, LINE_FEED);
    }
}

#[test]
fn empty_lines() {
    check(&[0]);
    check(&[0; 3]);
    check(&vec![0; 200_000]);
}

#[test]
fn lines_as_long_as_blocks_and_longer() {
    for length in [BLOCK - 2, BLOCK - 1, BLOCK, 3 * BLOCK - 1, 3 * BLOCK, 1_000_000] {
        check(&[length]);
        check(&[length, 0, length, 1, 1, length]);
        let mixed = |number| if number % 5 == 0 { length } else { number };
        check(&(0..40).map(mixed).collect::<Vec<_>>());
    }
}

#[test]
fn lines_of_all_lengths() {
    check(&(0..20_000).map(|number| number * number % 97).collect::<Vec<_>>());
    check(&(0..900).map(|number| number * 37 % 2000).collect::<Vec<_>>());
}

/// The key says where it ends: the one of a record that is a longer one's beginning, or differs
/// from it in zeros, comes first; keys that were cut tell nothing further on.
#[test]
fn index_keys_compare_as_keys_do() {
    let key = |text: &[u8]| IndexKey::of(&WholeRecord(b'\n'), &[text, b"\n"].concat(), 4);
    let ordered: [&[u8]; 9] = [b"", b"\0", b"\0\0", b"a", b"a\0", b"a\0b", b"abcd", b"abcde", b"b"];
    for (number, one) in ordered.iter().enumerate() {
        for (other_number, other) in ordered.iter().enumerate() {
            let order = key(one).cmp(&key(other));
            assert_eq!(order, number.cmp(&other_number), "{one:?} {other:?}");
        }
    }
    assert_eq!(key(b"abcdx"), key(b"abcdy"));
    assert!(key(b"abcdx").is_cut() && !key(b"abcd").is_cut());
    for text in ordered {
        let mut bytes = [0; 4];
        let length = key(text).write(&mut bytes);
        assert_eq!(IndexKey::read(&bytes, usize::from(length)), key(text));
    }
}

/// Bytes that are flipped in a run of lines are found like any others.
#[test]
fn one_flipped_bit_is_found_in_lines_too() {
    let folder = tempfile::tempdir().unwrap();
    let data = lines((0..50).map(|number| number * 400));
    let path = folder.path().join("run");
    let run = write_run(&path, &WholeRecord(b'\n'), (&data, LINE_FEED), (10, 1));
    let bytes = std::fs::metadata(&path).unwrap().len() as usize;
    check_flips(&run, (0..bytes).step_by(211));
}
