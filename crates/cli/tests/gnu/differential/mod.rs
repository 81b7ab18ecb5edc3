//! Random command lines over random lines: our bytes and exit status are GNU sort's.
//!
//! A case is made of its number alone. `SORTWELL_TEST_CASE=N` runs that one.

mod case;
mod lines;
mod options;
pub mod random;
mod shuffle;
mod spill;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use case::Case;

pub const OURS: &str = env!("CARGO_BIN_EXE_sortwell");
pub const THEIRS: &str = "sort";
/// Runs one case by its number.
const CASE_VARIABLE: &str = "SORTWELL_TEST_CASE";
/// A test that prints more of them is not read.
const FAULTS_MAX: usize = 12;

/// Locales to try beside C, as far as the machine has them: an order of its own, two in which pairs
/// of letters are one, one of bytes in which text is no bytes, and two in which bytes are letters,
/// with other numbers in each.
const LOCALES: [&str; 6] = [
    "en_US.UTF-8",
    "cs_CZ.UTF-8",
    "hu_HU.UTF-8",
    "C.UTF-8",
    "en_US.ISO-8859-1",
    "de_DE.ISO-8859-1",
];

/// Case by case on all cores; panics with everything that differed.
fn compare(numbers: std::ops::Range<u64>) {
    if !crate::both::has_gnu_sort() {
        println!("LEFT OUT: this machine has no GNU sort of coreutils 9 to compare with");
        return;
    }
    let locales = locales();
    let numbers = match std::env::var(CASE_VARIABLE) {
        Ok(text) => {
            let number: u64 = text.parse().expect("a number");
            number..number + 1
        }
        Err(_) => numbers,
    };
    let next = AtomicU64::new(numbers.start);
    let faults = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let folder = tempfile::Builder::new().prefix("sortwell-test-").tempdir();
                let folder = folder.expect("a folder");
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= numbers.end || faults.lock().expect("lock").len() >= FAULTS_MAX {
                        break;
                    }
                    if number.is_multiple_of(10_000) {
                        println!("from case {number}");
                    }
                    let case = Case::random(number, &locales);
                    let differs = |case: &Case| {
                        let ours = case.run(OURS, folder.path());
                        let theirs = case.run(THEIRS, folder.path());
                        (ours.status, &ours.output) != (theirs.status, &theirs.output)
                    };
                    if differs(&case) {
                        let case = case.shrunk(differs);
                        let (ours, theirs) =
                            (case.run(OURS, folder.path()), case.run(THEIRS, folder.path()));
                        let report =
                            format!("case {number}: {case}ours:   {ours}\ntheirs: {theirs}\n");
                        // At once, as many cases take long.
                        println!("{report}");
                        faults.lock().expect("lock").push(report);
                    }
                }
            });
        }
    });
    let faults = faults.into_inner().expect("lock");
    assert!(faults.is_empty(), "{} cases differ:\n{}", faults.len(), faults.join("\n"));
}

/// Of [`LOCALES`] those that the machine has.
fn locales() -> Vec<&'static str> {
    let listed = std::process::Command::new("locale").arg("-a").output();
    let listed = listed.map(|output| output.stdout).unwrap_or_default();
    let listed = String::from_utf8_lossy(&listed).to_lowercase().replace('-', "");
    let has = |name: &&str| {
        let name = name.to_lowercase().replace('-', "");
        listed.lines().any(|line| line == name)
    };
    let mut found: Vec<&str> = LOCALES.into_iter().filter(has).collect();
    if found.len() < LOCALES.len() {
        println!("of the locales {LOCALES:?} this machine has {found:?}");
    }
    found.push("C");
    found
}

#[test]
fn random_cases_are_sorted_alike() {
    compare(0..2500);
}

#[test]
#[ignore = "100,000 cases, some ten minutes"]
fn many_random_cases_are_sorted_alike() {
    compare(1_000_000..1_100_000);
}
