//! Tests of how sorted records are written to a run.

use super::*;
use sortwell_engine::format::Format;

/// Returns a writer of lines, and the path of its file.
fn writer(folder: &Path) -> (IndexedRunWriter, PathBuf) {
    let mut job = SortJob::new(Vec::new(), Output::Stdout, Format::LINES);
    job.keys = vec!["1:int".parse().unwrap()];
    let (rows, path) = (row_keys(&job, b"").unwrap(), folder.join("run"));
    let file = File::create(&path).unwrap();
    let writer = IndexedRunWriter {
        file,
        path: path.clone(),
        header: 0,
        spacing: 4096,
        rows,
        noted: Mutex::default(),
    };
    (writer, path)
}

#[test]
fn records_in_blocks_of_every_size_are_written() {
    let folder = tempfile::tempdir().unwrap();
    // Lines of one byte to more than two large blocks.
    let lines: Vec<String> = (0..3000u64)
        .map(|number| {
            let long = if number % 500 == 7 { 140_000 } else { 0 };
            format!("{number} {}\n", "x".repeat(long + (number * 7919 % 300) as usize))
        })
        .collect();
    let content = lines.concat().into_bytes();
    let mut expected = Sum::default();
    lines.iter().for_each(|line| expected.add_record(line.as_bytes()));
    for sizes in [&[LARGE][..], &[LARGE, 1, 300], &[5000], &[LARGE - 1, 2 * LARGE, 3], &[4 << 20]] {
        let (writer, path) = writer(folder.path());
        let (mut task, mut rest, mut turn) = (writer.begin(0), &content[..], 0);
        while !rest.is_empty() {
            let (block, after) = rest.split_at(sizes[turn % sizes.len()].min(rest.len()));
            task.take(block).unwrap();
            (rest, turn) = (after, turn + 1);
        }
        task.finish().unwrap();
        assert!(std::fs::read(&path).unwrap() == content, "{sizes:?}: other bytes");
        let noted = writer.noted();
        assert_eq!(noted.written, expected, "{sizes:?}");
        // The index has the first record after each so many bytes.
        assert_eq!(noted.entries[0].offset, 0);
        for pair in noted.entries.windows(2) {
            let at = pair[1].offset as usize;
            assert!(content[at - 1] == b'\n' && at as u64 - pair[0].offset >= 4096, "{sizes:?}");
        }
        let last = noted.entries.last().unwrap().offset;
        assert!(content.len() as u64 - last <= 4096 + 140_400, "{sizes:?}: {last}");
    }
}

#[test]
fn a_record_without_an_end_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for block in [b"1\n2".to_vec(), vec![b'1'; 3 * LARGE]] {
        let (writer, _) = writer(folder.path());
        let mut task = writer.begin(0);
        task.take(&block).unwrap();
        task.take(&block[..1]).unwrap();
        assert!(matches!(task.finish(), Err(Error::Changed { .. })));
    }
}
