//! Requests that the system refuses, cuts short, delays or answers in another order: a clear error
//! and nothing changed, or an output as if nothing had happened.

use std::time::Duration;

use rustix::io::Errno;
use sortwell_engine::Error;
use sortwell_engine::io::Direction;
use sortwell_engine::io::faulty::{InjectedFault, Script};

use crate::random::Random;
use crate::subject::{Outcome, Subject};

/// Where requests go, and which.
const STREAMS: [(&str, Direction); 4] = [
    ("in", Direction::Read),
    ("spill", Direction::Write),
    ("spill", Direction::Read),
    ("out", Direction::Write),
];

/// A script for each stream, and how many requests it would be about.
fn streams(subject: &Subject, fault: InjectedFault) -> impl Iterator<Item = (Script, u64)> {
    let script = |(place, operation): (&str, Direction)| {
        Script::new(&subject.folder.at(place), 0..0, fault).of(operation)
    };
    let scripts = STREAMS.map(script);
    let counts = subject.counts(scripts.clone());
    scripts.into_iter().zip(counts)
}

/// Some of `count` numbers: the first, the last, and others between.
fn some_of(count: u64, others: usize, random: &mut Random) -> Vec<u64> {
    let between = (0..others).map(|_| random.below(count.max(1) as usize) as u64);
    let mut numbers: Vec<u64> =
        [0, count.saturating_sub(1)].into_iter().chain(between).filter(|n| *n < count).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Asserts that the job failed with this answer of the system, at one of the folder's files.
fn assert_refused(subject: &Subject, outcome: &Outcome, errno: Errno, script: &Script) {
    let words = format!("{}, {script:?}", subject.words);
    let error = match (&outcome.result, outcome.has_struck) {
        (Ok(_), false) => return, // It went another way, which has fewer requests.
        (Ok(_), true) => panic!("a refusal that nobody noticed: {words}"),
        (Err(error), _) => error,
    };
    let Error::Io { path, offset, source, .. } = error else { panic!("{error}: {words}") };
    assert_eq!(source.raw_os_error(), Some(errno.raw_os_error()), "{error}: {words}");
    assert!(path.starts_with(&script.under) && offset.is_some(), "{error}: {words}");
    subject.assert_names_a_file(error);
}

/// One request after another fails, in each stream of each job.
#[test]
fn a_request_that_fails_anywhere() {
    let mut random = Random::fresh();
    for subject in Subject::some(&mut random) {
        for (script, count) in streams(&subject, InjectedFault::Fails(Errno::IO)) {
            for number in some_of(count, 2, &mut random) {
                let script = Script { numbers: number..number + 1, ..script.clone() };
                let outcome = subject.run(script.clone());
                assert_refused(&subject, &outcome, Errno::IO, &script);
            }
        }
        subject.assert_inputs_untouched();
    }
}

/// Disks and quotas that are full from some request on, for runs, merged runs and outputs.
#[test]
fn a_disk_that_fills_up_anywhere() {
    let mut random = Random::fresh();
    for subject in Subject::some(&mut random) {
        for (script, count) in streams(&subject, InjectedFault::Ends) {
            if script.operation == Some(Direction::Read) {
                continue;
            }
            for number in some_of(count, 2, &mut random) {
                let errno = random.pick(&[Errno::NOSPC, Errno::DQUOT]);
                let (numbers, fault) = (number..u64::MAX, InjectedFault::Fails(errno));
                let script = Script { numbers, fault, ..script.clone() };
                let outcome = subject.run(script.clone());
                assert_refused(&subject, &outcome, errno, &script);
            }
        }
        subject.assert_inputs_untouched();
    }
}

/// The system moves less than it was asked to, again and again, and is interrupted in between.
#[test]
fn transfers_in_small_steps() {
    let mut random = Random::fresh();
    for subject in Subject::some(&mut random) {
        let script = Script::new(&subject.folder.at(""), 0..u64::MAX, InjectedFault::Crumbles);
        let outcome = subject.run(script);
        assert!(outcome.has_struck);
        outcome.result.unwrap_or_else(|e| panic!("{e}: {}", subject.words));
    }
}

/// A file, or the room for it, ends in the middle of a request.
#[test]
fn transfers_that_end_early() {
    let mut random = Random::fresh();
    for subject in Subject::some(&mut random) {
        for (script, count) in streams(&subject, InjectedFault::Ends) {
            let is_read = script.operation == Some(Direction::Read);
            for number in some_of(count, 1, &mut random) {
                let script = Script { numbers: number..number + 1, ..script.clone() };
                let outcome = subject.run(script.clone());
                match outcome.result {
                    // Of a sample less will do, and what was left out may lie behind the records.
                    Ok(_) => assert!(is_read || !outcome.has_struck, "{}", subject.words),
                    Err(error) => {
                        let is_clear = match error {
                            Error::Malformed { .. } => script.under.ends_with("in"),
                            Error::Corrupt { .. } => is_read && script.under.ends_with("spill"),
                            Error::Io { .. } => !is_read,
                            _ => false,
                        };
                        assert!(is_clear, "{error}: {}", subject.words);
                        subject.assert_names_a_file(&error);
                    }
                }
            }
        }
        subject.assert_inputs_untouched();
    }
}

/// Answers come in another order than requests went, and late.
#[test]
fn answers_out_of_order_and_late() {
    let mut random = Random::fresh();
    for subject in Subject::some(&mut random) {
        for fault in
            [InjectedFault::IsOvertaken(3), InjectedFault::Stalls(Duration::from_millis(1))]
        {
            let outcome = subject.run(Script::new(&subject.folder.at(""), 0..u64::MAX, fault));
            assert!(outcome.has_struck);
            outcome.result.unwrap_or_else(|e| panic!("{e}: {}", subject.words));
        }
        // One that is slow among others that are not.
        let slow = InjectedFault::Stalls(Duration::from_millis(100));
        let outcome = subject.run(Script::new(&subject.folder.at("in"), 2..3, slow));
        outcome.result.unwrap_or_else(|e| panic!("{e}: {}", subject.words));
    }
}

/// Nobody reads what another worker's queue has not written yet.
#[test]
fn writes_that_begin_late() {
    let mut random = Random::fresh();
    let subjects = Subject::some(&mut random).zip(std::iter::repeat(5));
    for (subject, milliseconds) in subjects.chain([(Subject::long_records(), 50)]) {
        let late = InjectedFault::BeginsLate(Duration::from_millis(milliseconds));
        let script = Script::new(&subject.folder.at(""), 0..u64::MAX, late);
        let outcome = subject.run(script.of(Direction::Write));
        assert!(outcome.has_struck);
        outcome.result.unwrap_or_else(|e| panic!("{e}: {}", subject.words));
    }
}
