//! What was said becomes what is meant.

use std::path::PathBuf;

use clap::Parser;
use sortwell::ByteSize;
use sortwell::unstable::io::{Direct, Engine};
use sortwell::{Budget, Input, Output, Unique};

use super::*;
use crate::command::{Command, CommandLine};

fn job(words: &str) -> Result<MergeJob> {
    let words = ["sortwell", "merge"].into_iter().chain(words.split_whitespace());
    match CommandLine::try_parse_from(words).expect("the command line parses").command {
        Command::Merge(arguments) => arguments.job(),
        other => panic!("not a merge: {other:?}"),
    }
}

#[test]
fn every_option_reaches_the_job() {
    let job = job(
        "-k 2:decimal -r -t , --unique --check -M 64MiB -T spill --temp-limit 1MiB --verify off \
         --sync off --io sync --direct off -o out a - b",
    )
    .expect("a job");
    let file = |name: &str| Input::File(name.into());
    assert_eq!(job.inputs, [file("a"), Input::Stdin, file("b")]);
    assert_eq!(job.output, Output::File("out".into()));
    let keys: Vec<String> = job.keys.iter().map(ToString::to_string).collect();
    assert_eq!((keys, job.order.separator), (vec!["2:decimal:desc".to_owned()], Some(b',')));
    assert!(job.select.unique == Some(Unique::First) && job.check && !job.verify && !job.sync);
    assert_eq!(job.memory, Budget::Bytes(ByteSize::mib(64)));
    assert_eq!(job.temp, [PathBuf::from("spill")]);
    assert_eq!(job.temp_limit, Some(ByteSize::mib(1)));
    assert_eq!((job.engine, job.direct), (Engine::Sync, Direct::Off.into()));
}

#[test]
fn keys_are_those_of_the_format() {
    let fixed = job("-F fixed:8 -k 0..4:u32le").expect("a job");
    assert_eq!(fixed.keys.len(), 1);
    for wrong in ["-F fixed:8 -k 2:decimal", "-k 0..4:u32le"] {
        assert!(matches!(job(wrong), Err(sortwell::Error::Config(_))), "{wrong}");
    }
}
