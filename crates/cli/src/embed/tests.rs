//! Options, words and statuses as libraries get them, against those of the command.

use std::fs;

use super::*;

fn words_of(error: &sortwell::Error) -> String {
    assert_eq!(status(error), 2, "{error}");
    chain(error)
}

fn set(words: &mut JobWords, name: &str, value: &str) -> Result<()> {
    words.set(OsStr::new(name), Some(OsStr::new(value)))
}

#[test]
fn options_have_the_grammar_of_the_command() {
    let mut words = JobWords::new(EmbeddedCommand::Sort);
    set(&mut words, "format", "fixed:16").expect("a format");
    set(&mut words, "key", "0..4").expect("a key");
    set(&mut words, "memory", "64MiB").expect("memory");
    words.set(OsStr::new("unique"), None).expect("a flag");
    let job = words.pushed_job().expect("a job");
    assert_eq!(job.format, sortwell::Format::Fixed { length: 16 });
    assert_eq!(job.keys.len(), 1);
    assert_eq!(job.memory, Budget::Bytes(ByteSize::mib(64)));
    assert!(job.select.unique.is_some());
}

#[test]
fn wrong_options_have_the_words_of_the_command() {
    let mut words = JobWords::new(EmbeddedCommand::Sort);
    let unknown = set(&mut words, "memry", "1G").expect_err("no such option");
    assert!(words_of(&unknown).contains("did you mean '--memory'?"), "{unknown}");
    let size = set(&mut words, "memory", "much").expect_err("no size");
    assert!(words_of(&size).starts_with("--memory"), "{size}");
    let flag = set(&mut words, "header", "").expect_err("no value");
    assert!(words_of(&flag).contains("--header"), "{flag}");
    for (name, part) in [("stats", "statistics"), ("help", "reference"), ("output", "output")] {
        let refused = set(&mut words, name, "").expect_err("an option of the command");
        assert!(words_of(&refused).contains(part), "{refused}");
    }
    set(&mut words, "key", "nonsense:nonsense").expect("read with the format");
    words_of(&words.pushed_job().expect_err("no key"));
}

#[test]
fn true_and_false_have_the_form_of_their_option() {
    use SwitchForm::{Absent, Bare, Value};
    let cases = [
        ("sync", Value("on"), Value("off")),
        ("verify", Value("on"), Value("off")),
        ("resume", Value("on"), Value("off")),
        ("direct", Value("on"), Value("off")),
        ("unique", Bare, Absent),
        ("reverse", Bare, Absent),
        ("force", Bare, Absent),
        // The parser of the command line reports that there is no such option.
        ("memry", Bare, Bare),
    ];
    for (name, on, off) in cases {
        assert_eq!(switch_form(&["sort"], name, true).expect(name), on, "{name}");
        assert_eq!(switch_form(&["sort"], name, false).expect(name), off, "{name}");
    }
    assert_eq!(switch_form(&["sort"], "decompress", false).expect("off"), Value("off"));
    assert_eq!(switch_form(&["explain"], "compress", false).expect("off"), Value("off"));
    assert_eq!(switch_form(&["index", "build"], "direct", false).expect("off"), Value("off"));
    assert_eq!(switch_form(&["generate"], "checksum", true).expect("a flag"), Bare);
    for (name, is_on) in [("decompress", true), ("key", true), ("key", false), ("temp", false)] {
        let refused = switch_form(&["sort"], name, is_on).expect_err(name);
        assert!(words_of(&refused).contains("cannot be"), "{refused}");
    }
}

#[test]
fn pushed_records_need_no_files() {
    let mut words = JobWords::new(EmbeddedCommand::Sort);
    assert_eq!(words.pushed_job().expect("a job").memory, Budget::Bytes(PUSHED_MEMORY));
    set(&mut words, "resume", "on").expect("an option");
    assert!(words_of(&words.pushed_job().expect_err("a file's")).contains("--resume"));
    assert!(words_of(&words.input(OsStr::new("-")).expect_err("a stream")).contains("./-"));
}

#[test]
fn a_merge_whose_records_are_pulled_has_no_output() {
    let mut words = JobWords::new(EmbeddedCommand::Merge);
    assert!(words_of(&words.pulled_merge().expect_err("no input")).contains("input"));
    words.input(OsStr::new("in")).expect("an input");
    assert_eq!(words.pulled_merge().expect("a merge").memory, Budget::Bytes(PUSHED_MEMORY));
    set(&mut words, "compress", "gzip").expect("an option");
    assert!(words_of(&words.pulled_merge().expect_err("a file's")).contains("--compress"));
}

#[test]
fn files_are_sorted_merged_and_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let (input, output) = (folder.path().join("in"), folder.path().join("out"));
    fs::write(&input, "b\na\n").expect("an input");
    for command in [EmbeddedCommand::Sort, EmbeddedCommand::Merge] {
        let mut words = JobWords::new(command);
        assert!(words_of(&words.file_job(Some(&output)).expect_err("no input")).contains("input"));
        words.input(input.as_os_str()).expect("an input");
        assert!(words_of(&words.file_job(None).expect_err("no output")).contains("output"));
        let job = words.file_job(Some(&output)).expect("a job");
        match (command, job.run(&Progress::new())) {
            (EmbeddedCommand::Sort, Ok(FileJobEnd::Done(statistics))) => {
                let json = words.statistics(&statistics, Some(&output));
                assert!(json.contains("\"records\":2"), "{json}");
            }
            (EmbeddedCommand::Merge, Err(error)) => assert_eq!(status(&error), 3),
            (_, end) => panic!("{end:?}"),
        }
    }
    assert_eq!(fs::read(&output).expect("an output"), b"a\nb\n");
    let mut words = JobWords::new(EmbeddedCommand::Check);
    words.input(input.as_os_str()).expect("an input");
    let job = words.file_job(None).expect("a job");
    let end = job.run(&Progress::new()).expect("an end");
    let (FileJob::Check(_, sentence), FileJobEnd::Checked(checked)) = (job, end) else {
        panic!("a check")
    };
    let disorder = checked.disorder.expect("a disorder");
    assert!(sentence(&disorder).contains("record 2"), "{disorder:?}");
}
