//! What gensort 1.5 wrote and valsort 1.5 said, for every kind of record, against what we do.
//!
//! `known-answers.json` holds the facts. Each test takes the cases of one kind and size; a last one
//! makes sure that no case is left out. A file of a thousand records is one block, so thread counts
//! tell only from a million on: there the cases go round them.

#![expect(clippy::unwrap_used, reason = "a fact that is missing is a failed test")]

use std::fs;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};
use sortbench::{
    GeneratorDestination, KEY_LENGTH, RECORD_LENGTH, RecordGeneration, Validation, ValidatorSource,
    Verdict, generate, validate,
};
use sortwell::Progress;

const THREADS: [usize; 4] = [1, 2, 3, 7];

const THOUSAND: u64 = 1_000;
const MILLION: u64 = 1_000_000;
const TEN_MILLION: u64 = 10_000_000;

fn all_cases() -> Vec<Value> {
    let facts: Value = serde_json::from_str(include_str!("known-answers.json")).unwrap();
    facts["cases"].as_array().unwrap().clone()
}

fn cases(options: &[&str], records: u64) -> Vec<Value> {
    let mut cases = all_cases();
    cases.retain(|case| case["options"] == Value::from(options) && case["records"] == records);
    cases
}

fn text(case: &Value, name: &str) -> String {
    case[name].as_str().unwrap().to_owned()
}

fn job(case: &Value, threads: usize) -> RecordGeneration {
    let has = |option: &str| case["options"].as_array().unwrap().iter().any(|o| o == option);
    RecordGeneration {
        records: case["records"].as_u64().unwrap(),
        start: case["start"].as_u64().unwrap().into(),
        ascii: has("-a"),
        skewed: has("-s"),
        threads,
        checksum: true,
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A stable sort by key, the plainest way.
fn sorted(bytes: &[u8]) -> Vec<u8> {
    let (records, _) = bytes.as_chunks::<RECORD_LENGTH>();
    let mut order: Vec<_> = records
        .iter()
        .enumerate()
        .map(|(place, record)| {
            let mut key = [0; 16];
            key[..KEY_LENGTH].copy_from_slice(&record[..KEY_LENGTH]);
            u128::from_be_bytes(key) | place as u128
        })
        .collect();
    order.sort_unstable();
    let mut sorted = Vec::with_capacity(bytes.len());
    for entry in order {
        sorted.extend_from_slice(&records[entry as u32 as usize]);
    }
    sorted
}

fn verdict(file: &Path, threads: usize) -> Verdict {
    let job = Validation { threads, ..Validation::default() };
    validate(&job, &ValidatorSource::File(file.to_owned()), &Progress::new()).unwrap()
}

fn said(verdict: &Verdict, case: &Value, which: &str, name: &str) {
    let lines: Vec<&str> =
        case[which]["text"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    assert_eq!(verdict.to_string(), lines.join("\n"), "{name}: {which}");
    assert_eq!(u64::from(verdict.exit_code()), case[which]["exit"].as_u64().unwrap(), "{name}");
}

fn check(case: &Value, threads: usize) {
    let name = format!(
        "{} {} from {}, {threads} threads",
        case["options"], case["records"], case["start"]
    );
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("records");
    let to = GeneratorDestination::File(file.clone());
    let made = generate(&job(case, threads), &to, &Progress::new()).unwrap();
    assert_eq!(made.bytes.bytes(), case["bytes"].as_u64().unwrap(), "{name}");
    assert_eq!(format!("{:x}", made.checksum.unwrap()), text(case, "gensort_c"), "{name}");

    let bytes = fs::read(&file).unwrap();
    assert_eq!(bytes.len() as u64, made.bytes.bytes(), "{name}");
    let first = case["first3_hex"].as_array().unwrap();
    for (record, expected) in bytes.chunks(RECORD_LENGTH).zip(first) {
        assert_eq!(hexadecimal(record), expected.as_str().unwrap(), "{name}");
    }
    if !case["sha256"].is_null() {
        assert_eq!(hexadecimal(&Sha256::digest(&bytes)), text(case, "sha256"), "{name}");
    }
    said(&verdict(&file, threads), case, "valsort_unsorted", &name);

    let bytes = sorted(&bytes);
    if !case["sha256_sorted"].is_null() {
        assert_eq!(hexadecimal(&Sha256::digest(&bytes)), text(case, "sha256_sorted"), "{name}");
    }
    fs::write(&file, &bytes).unwrap();
    drop(bytes);
    said(&verdict(&file, threads), case, "valsort_sorted", &name);
}

fn check_thousands(options: &[&str]) {
    for case in cases(options, THOUSAND) {
        THREADS.iter().for_each(|threads| check(&case, *threads));
    }
}

fn check_in_turn(options: &[&str], records: u64, first: usize) {
    for (place, case) in cases(options, records).iter().enumerate() {
        check(case, THREADS[(first + place) % THREADS.len()]);
    }
}

#[test]
fn thousands_of_every_kind() {
    for options in [&[][..], &["-a"], &["-s"], &["-a", "-s"]] {
        assert!(!cases(options, THOUSAND).is_empty(), "{options:?}");
        check_thousands(options);
    }
}

#[test]
fn a_million_binary() {
    check_in_turn(&[], MILLION, 0);
}

#[test]
fn a_million_ascii() {
    check_in_turn(&["-a"], MILLION, 2);
}

#[test]
fn a_million_skewed() {
    check_in_turn(&["-s"], MILLION, 1);
}

#[test]
fn a_million_ascii_skewed() {
    check_in_turn(&["-a", "-s"], MILLION, 3);
}

#[test]
#[ignore = "slow: 4 GB of records in files, sorted in 2.2 GB of memory"]
fn ten_millions_of_every_kind() {
    let kinds = [&[][..], &["-a"], &["-s"], &["-a", "-s"]];
    for (first, options) in kinds.into_iter().enumerate() {
        check_in_turn(options, TEN_MILLION, first);
    }
}

#[test]
#[ignore = "slow: every million with every number of threads"]
fn millions_with_every_number_of_threads() {
    for case in all_cases().iter().filter(|case| case["records"] == MILLION) {
        THREADS.iter().for_each(|threads| check(case, *threads));
    }
}

#[test]
fn no_case_is_left_out() {
    let kinds = [&[][..], &["-a"], &["-s"], &["-a", "-s"]];
    let sizes = [THOUSAND, MILLION, TEN_MILLION];
    let tested: usize =
        kinds.iter().flat_map(|options| sizes.map(|records| cases(options, records).len())).sum();
    assert_eq!(tested, all_cases().len());
    assert_eq!(cases(&[], MILLION).len(), 2);
    assert_eq!(cases(&["-a", "-s"], TEN_MILLION).len(), 1);
}
