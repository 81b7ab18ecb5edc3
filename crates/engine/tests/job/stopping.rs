//! Jobs told to stop, at any moment: they end as interrupted, or had been done already, and leave
//! nothing behind.

use std::fs;

use sortwell_engine::Error;
use sortwell_engine::stats::Progress;

use crate::data::{Order, records};
use crate::random::Random;
use crate::reference::{self, Part};
use crate::trial::{Trial, assert_same};

/// Stops the job when it has moved `share` of the bytes it will move; whether it was stopped.
fn stop_at(trial: &Trial, expected: &[u8], share: f64) -> bool {
    let folder = trial.folder();
    trial.lay_out(&folder);
    fs::write(folder.output(), "old").expect("write");
    let job = trial.job(&folder);
    let progress = Progress::new();
    let outcome = std::thread::scope(|scope| {
        let running = scope.spawn(|| job.run(&progress));
        while !running.is_finished() {
            let (done, total) = progress.bytes();
            if total.is_some_and(|total| done as f64 >= total as f64 * share) {
                progress.request_stop();
                break;
            }
            std::thread::sleep(std::time::Duration::from_micros(50));
        }
        running.join().expect("no panic")
    });
    let found = fs::read(folder.output()).expect("read");
    let is_stopped = match outcome {
        Err(Error::Interrupted) => {
            assert_eq!(found, b"old");
            true
        }
        Ok(_) => {
            assert_same(&found, expected, trial.length);
            false
        }
        Err(e) => panic!("{e} at {share}: {trial:?}"),
    };
    assert!(fs::read(folder.input(0)).expect("read") == trial.inputs[0], "input touched");
    folder.assert_clean(true);
    is_stopped
}

/// Stops jobs all along their way; most of them must notice.
fn stop_along(trial: &Trial, times: usize) {
    println!("{trial:?}");
    let mut random = Random::fresh();
    let expected = reference::sorted(&trial.inputs[0], trial.length, &trial.parts);
    let shares = (0..times).map(|_| random.below(1000) as f64 / 1000.0);
    let stopped = shares.filter(|share| stop_at(trial, &expected, *share)).count();
    assert!(stop_at(trial, &expected, 0.0), "a stop at the very start is noticed");
    println!("{stopped} of {times} stopped");
    assert!(stopped > 0);
}

#[test]
fn one_pass_stopped_anywhere() {
    let mut random = Random::new(41);
    for (length, threads) in [(100, 1), (100, 3), (16, 2)] {
        let data = records(Order::Random, (8 << 20) / length, length, (0, 8), &mut random);
        stop_along(&Trial { threads, ..Trial::new(length, vec![Part::bytes(0, 8)], data) }, 10);
    }
}

#[test]
fn two_and_three_passes_stopped_anywhere() {
    let mut random = Random::fresh();
    for (length, threads) in random.some([(100, 1), (100, 3), (16, 2)]) {
        let mut trial =
            Trial { threads, ..Trial::new(length, vec![Part::bytes(0, 8)], Vec::new()) };
        for memory in [trial.modest_memory(), trial.least_memory()] {
            trial.memory = memory;
            trial.is_streamed_in = true;
            let count = 4 * trial.plan().load.records_max as usize + (20 << 20) / length;
            trial.is_streamed_in = false;
            trial.inputs = vec![records(Order::Random, count, length, (0, 8), &mut random)];
            assert!(!trial.plan().is_one_pass());
            stop_along(&trial, 5);
        }
    }
}

#[test]
fn a_job_stopped_before_it_began() {
    let data = records(Order::Random, 1000, 100, (0, 8), &mut Random::new(43));
    let trial = Trial::new(100, Vec::new(), data);
    let folder = trial.folder();
    trial.lay_out(&folder);
    let progress = Progress::new();
    progress.request_stop();
    let error = trial.job(&folder).run(&progress).expect_err("stopped");
    assert!(matches!(error, Error::Interrupted), "{error}");
    folder.assert_clean(false);
}
