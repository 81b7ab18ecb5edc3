//! What was said becomes what is meant.

use std::path::PathBuf;

use clap::Parser;
use sortwell::unstable::io::{Direct, DirectStreams, Engine};
use sortwell::unstable::job::Algorithm;
use sortwell::unstable::plan::levers::{Levers, Overlap};
use sortwell::unstable::plan::passes::MergeMethod;
use sortwell::unstable::sys::Affinity;
use sortwell::{Budget, ByteSize, Format, Input, Invalid, InvalidPlace, Output};

use super::*;
use crate::command::{Command, CommandLine};

fn job(words: &[&str]) -> Result<SortJob> {
    let line = CommandLine::try_parse_from([&["sortwell", "sort"], words].concat());
    match line.expect("the command line parses").command {
        Command::Sort(arguments) => arguments.job(),
        other => panic!("not a sort: {other:?}"),
    }
}

#[test]
fn defaults_leave_every_choice_to_the_library() {
    let job = job(&["-F", "fixed:100"]).expect("a job");
    assert_eq!(job.inputs, [Input::Stdin]);
    assert_eq!(job.output, Output::Stdout);
    assert_eq!(job.format, Format::Fixed { length: 100 });
    assert!(job.keys.is_empty() && job.temp.is_empty());
    assert_eq!((job.memory, job.threads), (Budget::Auto, None));
    assert!(job.verify && job.sync);
}

#[test]
fn every_option_reaches_the_job() {
    let words = "--format=fixed:16 --key 0..8:u64be -k 8..16 --memory 64MiB --threads 3 \
                 -T spill-a --temp spill-b --temp-limit 2GB --verify off --sync off --io sync \
                 --direct off --output out in-a - in-b";
    let job = job(&words.split_whitespace().collect::<Vec<_>>()).expect("a job");
    let file = |name: &str| Input::File(name.into());
    assert_eq!(job.inputs, [file("in-a"), Input::Stdin, file("in-b")]);
    assert_eq!(job.output, Output::File("out".into()));
    assert_eq!(job.keys.len(), 2);
    assert_eq!(job.memory, Budget::Bytes(ByteSize::mib(64)));
    assert_eq!(job.threads, Some(3));
    assert_eq!(job.temp, [PathBuf::from("spill-a"), PathBuf::from("spill-b")]);
    assert_eq!(job.temp_limit, Some(ByteSize(2_000_000_000)));
    assert_eq!((job.engine, job.direct), (Engine::Sync, Direct::Off.into()));
    assert!(!job.verify && !job.sync);
}

#[test]
fn a_dash_is_a_standard_stream() {
    let one = job(&["-F", "fixed:1", "-o", "-", "-"]).expect("a job");
    assert_eq!((one.inputs.as_slice(), one.output), ([Input::Stdin].as_slice(), Output::Stdout));
}

#[test]
fn reverse_turns_every_key_around() {
    let keys = |words: &[&str]| -> Vec<String> {
        job(words).expect("a job").keys.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        keys(&["-F", "fixed:8", "-r", "-k", "0..4", "-k", "4..8:desc"]),
        ["0..4:desc", "4..8"]
    );
    assert_eq!(keys(&["-r"]), ["0..:desc"], "the whole record");
}

#[test]
fn keys_beyond_bytes_are_keys_of_fixed_records() {
    let words = ["-F", "fixed:8", "-k", "0..4:packed:desc", "-k", "4..8:u32le", "-r"];
    let job = job(&words).expect("a job");
    let keys: Vec<String> = job.keys.iter().map(ToString::to_string).collect();
    assert_eq!(keys, ["0..4:packed", "4..8:u32le:desc"]);
    assert_eq!(job.order.invalid, None);
}

#[test]
fn what_is_said_of_values_reaches_the_order() {
    let options = "--invalid first --date-format %d.%m.%Y --pad 0x40 -F rdw -k 0..8:date";
    let job = job(&options.split(' ').collect::<Vec<_>>()).expect("a job");
    let order = job.order;
    assert_eq!(order.invalid, Some(Invalid::Placed(InvalidPlace::First)));
    assert_eq!(order.pad, Some(0x40));
    let format = order.date_format.expect("a date format");
    assert_eq!(format.pattern(), "%d.%m.%Y");
    assert_eq!(job.keys.len(), 1);
}

#[test]
fn levers_reach_the_job() {
    let words = "--queue-depth 32 --block-size 1MiB --write-buffers 8 --write-buffer-size 2MiB \
                 --run-size 100MiB --read-factor 64 --merge-width 7 --merge streams \
                 --merge-buffers geometry=0.5,refill=0.1 \
                 --compress-runs zstd:7 --overlap sync --affinity cores \
                 --direct input=off,spill=on in";
    let job = job(&words.split_whitespace().collect::<Vec<_>>()).expect("a job");
    let expected = Levers {
        run: Some(ByteSize::mib(100)),
        queue_depth: Some(32),
        block: Some(ByteSize::mib(1)),
        write_buffers: Some(8),
        write_buffer: Some(ByteSize::mib(2)),
        read_factor: Some(64),
        merge_width: Some(7),
        merge: Some(MergeMethod::Streams),
        merge_buffers: Some("geometry=0.5,refill=0.1".parse().expect("a geometry")),
        compress_runs: "zstd:7".parse().expect("a compression"),
        overlap: Overlap::Sync,
        affinity: Affinity::Cores,
        ..Levers::default()
    };
    assert_eq!(job.levers, expected);
    let direct = DirectStreams { input: Direct::Off, spill: Direct::On, output: Direct::Auto };
    assert_eq!(job.direct, direct);
}

#[test]
fn settings_of_algorithms_reach_the_job() {
    let words = ["--algorithm", "mergesort", "--microrun", "64", "--alphasort-runs", "9", "in"];
    let job = job(&words).expect("a job");
    assert_eq!(job.algorithm, Algorithm::MERGESORT);
    assert_eq!((job.levers.microrun, job.levers.alphasort_runs), (Some(64), Some(9)));
}
