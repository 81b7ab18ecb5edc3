//! Files and streams of the table: whole, in any number of parts, or not at all.

use std::fs;
use std::thread;

use super::*;
use crate::block::BLOCK_RECORDS;

fn expected(job: &SalesGeneration) -> Vec<u8> {
    let table = SalesTable::new(job.seed);
    let mut bytes = vec![0; (job.rows as usize + 1) * 100];
    let mut filled = Filled::new(&mut bytes);
    if job.form == SalesForm::Csv {
        filled.add(HEADER);
    }
    for row in 0..job.rows {
        table.row(job.start + row).write(job.form, &mut filled);
    }
    let length = filled.length;
    bytes.truncate(length);
    bytes
}

#[test]
fn file_lengths_around_a_block() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sales");
    let block = BLOCK_RECORDS as u64;
    for form in [SalesForm::Csv, SalesForm::Fixed] {
        for rows in [0, 1, block - 1, block, block + 1, 3 * block + 7] {
            for threads in [1, 2, 5] {
                let job = SalesGeneration {
                    start: 99,
                    seed: 3,
                    form,
                    threads,
                    ..SalesGeneration::new(rows)
                };
                let progress = Progress::new();
                let to = GeneratorDestination::File(path.clone());
                let made = generate_sales(&job, &to, &progress).unwrap();
                let expected = expected(&job);
                assert!(fs::read(&path).unwrap() == expected, "{form:?}, {rows}, {threads}");
                let bytes = expected.len() as u64;
                assert_eq!((made.records, made.bytes), (rows, ByteSize(bytes)));
                assert_eq!(progress.bytes(), (bytes, (bytes > 0).then_some(bytes)));
                assert_eq!(progress.phase(), Phase::Generating);
            }
        }
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn lengths_are_estimated() {
    for form in [SalesForm::Csv, SalesForm::Fixed] {
        let job = SalesGeneration { form, ..SalesGeneration::new(50_000) };
        let (estimate, length) = (job.estimate(50_000) as f64, expected(&job).len() as f64);
        assert!((estimate / length - 1.0).abs() < 0.01, "{estimate} of {length}");
    }
}

#[test]
fn a_stream_gets_rows_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let rows = 2 * BLOCK_RECORDS as u64 + 5;
    let job = SalesGeneration { threads: 4, ..SalesGeneration::new(rows) };
    let reader = thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe).unwrap()
    });
    let to = GeneratorDestination::File(pipe);
    generate_sales(&job, &to, &Progress::new()).unwrap();
    assert!(reader.join().unwrap() == expected(&job));
    let failed =
        generate_sales(&job, &GeneratorDestination::File("/dev/full".into()), &Progress::new());
    assert!(failed.unwrap_err().to_string().starts_with("cannot write /dev/full at offset "));
}

#[test]
fn requests_that_cannot_be_met_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sales");
    fs::write(&path, "old").unwrap();
    let refused = |job: &SalesGeneration, progress: &Progress| {
        let to = GeneratorDestination::File(path.clone());
        generate_sales(job, &to, progress).unwrap_err()
    };
    let none = SalesGeneration { threads: 0, ..SalesGeneration::new(1) };
    assert!(matches!(refused(&none, &Progress::new()), Error::Config(_)));
    let many = SalesGeneration::new(u64::MAX);
    assert!(matches!(refused(&many, &Progress::new()), Error::Config(_)));
    // Half an exabyte; no file system of today has it free.
    let many = SalesGeneration::new(10_000_000_000_000_000);
    assert!(matches!(refused(&many, &Progress::new()), Error::NoSpace { .. }));
    let progress = Progress::new();
    progress.request_stop();
    assert!(matches!(refused(&SalesGeneration::new(10), &progress), Error::Interrupted));
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}
