//! Keys as every job takes them: one list for all formats, held to the format before anything is
//! read.

use std::fs;

use sortwell_engine::format::Format;
use sortwell_engine::job::{CheckJob, Input, MergeJob, Output, SortJob};
use sortwell_engine::key::Key;
use sortwell_engine::stats::Progress;
use sortwell_engine::{Error, Result};

use crate::trial::Folder;

fn keys(texts: &[&str]) -> Vec<Key> {
    texts.iter().map(|text| text.parse().expect(text)).collect()
}

/// A sort of one file.
fn sort(folder: &Folder, input: &[u8], texts: &[&str], format: Format) -> SortJob {
    fs::write(folder.input(0), input).expect("write");
    let inputs = vec![Input::File(folder.input(0))];
    let mut job = SortJob::new(inputs, Output::File(folder.output()), format);
    (job.keys, job.sync) = (keys(texts), false);
    job
}

/// A format, keys, an input, and what comes of it.
type Case = (Format, &'static [&'static str], &'static [u8], &'static [u8]);

#[test]
fn every_format_takes_keys() {
    let table: [Case; 5] = [
        (Format::LINES, &["2:int:desc", "1"], b"b 1\na 2\na 1\n", b"a 2\na 1\nb 1\n"),
        (
            Format::CSV,
            &["amount:decimal:desc", "name"],
            b"name,amount\nb,1\na,10\na,1\n",
            b"name,amount\na,10\na,1\nb,1\n",
        ),
        (
            Format::JsonLines,
            &["user.id:int"],
            b"{\"user\":{\"id\":10}}\n{\"user\":{\"id\":9}}\n",
            b"{\"user\":{\"id\":9}}\n{\"user\":{\"id\":10}}\n",
        ),
        (Format::Fixed { length: 3 }, &["1..3:u16le"], b"a\0\x01b\x02\0", b"b\x02\0a\0\x01"),
        (Format::Fixed { length: 2 }, &["0..2:int:desc"], b" 910", b"10 9"),
    ];
    let folder = Folder::on_disk();
    for (format, texts, input, expected) in table {
        sort(&folder, input, texts, format).run(&Progress::new()).expect("sorted");
        let sorted = fs::read(folder.output()).expect("read");
        assert_eq!(sorted.escape_ascii().to_string(), expected.escape_ascii().to_string());
        let mut check = CheckJob::new(vec![Input::File(folder.output())], format);
        check.keys = keys(texts);
        assert_eq!(check.run(&Progress::new()).expect("checked").disorder, None, "{texts:?}");
    }
}

/// All jobs refuse a key that means nothing in their records, in the words of the key.
#[test]
fn every_job_holds_its_keys_to_the_format() {
    let folder = Folder::on_disk();
    for (format, text) in [
        (Format::LINES, "name"),
        (Format::LINES, "0..4:u32le"),
        (Format::CSV, "2-3"),
        (Format::JsonLines, "2"),
        (Format::Fixed { length: 8 }, "2:int"),
        (Format::Fixed { length: 8 }, "4..12:desc"),
    ] {
        let key: Key = text.parse().expect(text);
        let expected = key.check(format).expect_err(text).to_string();
        let progress = Progress::new();
        let mut merge = MergeJob::new(Vec::new(), Output::File(folder.output()), format);
        merge.keys = vec![key.clone()];
        let mut check = CheckJob::new(Vec::new(), format);
        check.keys = vec![key];
        let answers: [Result<()>; 4] = [
            sort(&folder, b"", &[text], format).run(&progress).map(drop),
            sort(&folder, b"", &[text], format).explain().map(drop),
            merge.run(&progress).map(drop),
            check.run(&progress).map(drop),
        ];
        for answer in answers {
            let Err(Error::Config(error)) = answer else { panic!("{text}: {answer:?}") };
            let message = error.to_string();
            assert_eq!(message, expected);
        }
        assert!(!folder.output().exists(), "{text}");
    }
}
