//! Messages about command lines that cannot be read.

use clap::Parser;

use super::*;

fn said(line: &str) -> String {
    let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
    message(&CommandLine::try_parse_from(&words).expect_err(line), &words)
}

#[test]
fn messages_say_what_is_wrong_and_where_help_is() {
    for (line, message) in [
        (
            "sortwell sort --foobar",
            "'--foobar' is not an option of 'sortwell sort'; see `sortwell sort -h`",
        ),
        (
            "sortwell sort --limt 3",
            "'--limt' is not an option of 'sortwell sort' (did you mean '--limit'?); see `sortwell \
             sort -h`",
        ),
        (
            "sortwell merge --split 3",
            "'--split' is not an option of 'sortwell merge' (it is an option of 'sortwell sort'); \
             see `sortwell merge -h`",
        ),
        (
            "sortwell merge --profile machine.toml",
            "'--profile' is not an option of 'sortwell merge' (it is an option of 'sortwell \
             sort'); see `sortwell merge -h`",
        ),
        (
            "sortwell check --profile machine.toml",
            "'--profile' is not an option of 'sortwell check' (it is an option of 'sortwell \
             sort'); see `sortwell check -h`",
        ),
        (
            "sortwell index build --microrun 64",
            "'--microrun' is not an option of 'sortwell index build' (it is an option of \
             'sortwell sort'); see `sortwell index build -h`",
        ),
        (
            "sortwell check --top 3",
            "'--top' is not an option of 'sortwell check': write --limit N (an option of 'sortwell \
             sort'); see `sortwell check -h`",
        ),
        (
            "sortwell sort --limit x",
            "--limit <N>: 'x' is not a whole number; see `sortwell sort -h`",
        ),
        ("sortwell sort -o", "--output <OUTPUT> needs a value; see `sortwell sort -h`"),
        (
            "sortwell sort --verify no",
            "--verify <on|off>: 'no' is not one of on, off (did you mean 'on'?); see `sortwell \
             sort -h`",
        ),
        (
            "sortwell srt",
            "'srt' is not a subcommand of 'sortwell' (did you mean 'sort'?); see `sortwell --help`",
        ),
        (
            "sortwell spill lst .",
            "'lst' is not a subcommand of 'sortwell spill' (did you mean 'list'?); see `sortwell \
             spill --help`",
        ),
        (
            "sortwell help srt",
            "'srt' is not a subcommand of 'sortwell' (did you mean 'sort'?); see `sortwell --help`",
        ),
        (
            "sortwell --key 2",
            "'--key' comes before a subcommand; write the subcommand first, as in `sortwell \
             sort`; see `sortwell --help`",
        ),
    ] {
        assert_eq!(said(line), message, "{line}");
    }
}

#[test]
fn words_that_are_too_many_are_named() {
    for (line, message) in [
        (
            "sortwell help stripe foo",
            "'foo' is not a subcommand of 'sortwell stripe'; see `sortwell stripe --help`",
        ),
        ("sortwell validate a b", "unexpected argument 'b'; see `sortwell validate -h`"),
        (
            "sortwell sort -M 150% f",
            "--memory <SIZE>: '150%' is not a share of the memory; write 1% to 100%; see `sortwell \
             sort -h`",
        ),
    ] {
        assert_eq!(said(line), message, "{line}");
    }
}
