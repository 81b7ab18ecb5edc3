//! Bits that go wrong, on the disk and in memory: found by the checksums of runs and by the proof,
//! and never an output that is wrong.

use sortwell_engine::Error;
use sortwell_engine::io::faulty::{InjectedFault, Script};
use sortwell_engine::io::{Direction, Engine};

use crate::random::Random;
use crate::subject::Subject;

/// Some of the jobs that write runs, each time other ones.
fn spilling(random: &mut Random) -> impl Iterator<Item = Subject> + use<> {
    let all: [fn() -> Subject; 6] = [
        || Subject::fixed(2, 2),
        || Subject::fixed(3, 2),
        || Subject::lines(2, 2, false),
        || Subject::lines(3, 2, true),
        || Subject::fixed(2, 2).with_compressed_runs("lz4"),
        || Subject::lines(2, 2, false).with_compressed_runs("lz4"),
    ];
    let built = if cfg!(feature = "compression") { 6 } else { 4 };
    // Two parts, so that there are two of them at least.
    let [first, second] = [0, 1].map(|part| all.into_iter().take(built).skip(part).step_by(2));
    let some = [random.some(first), random.some(second)].concat();
    some.into_iter().map(|make| make())
}

/// Runs a job with one bit of a run file wrong. Whether that was found; it may lie where nothing is
/// read.
fn is_found(subject: &Subject, operation: Direction, number: u64, bit: u64) -> bool {
    let spill = subject.folder.at("spill");
    let script = Script::new(&spill, number..number + 1, InjectedFault::Flips(bit)).of(operation);
    match subject.run(script).result {
        Ok(_) => false,
        Err(error) => {
            let Error::Corrupt { path, .. } = &error else { panic!("{error}: {}", subject.words) };
            assert!(path.starts_with(&spill), "{error}: {}", subject.words);
            assert!(error.to_string().contains("block "), "{error}");
            true
        }
    }
}

#[test]
fn a_bit_of_a_run_that_is_wrong() {
    let mut random = Random::fresh();
    for subject in spilling(&mut random) {
        for operation in [Direction::Write, Direction::Read] {
            let spill = subject.folder.at("spill");
            let script = Script::new(&spill, 0..0, InjectedFault::Crumbles).of(operation);
            let [count] = subject.counts([script]);
            let is_found = |number| is_found(&subject, operation, number, random.next() >> 1);
            let numbers: Vec<u64> = (0..8).map(|place| place * count / 8).collect();
            let found = numbers.into_iter().map(is_found).filter(|found| *found).count();
            println!("{}, {operation:?}: {found} of 8 found", subject.words);
            assert!(found > 0, "{}", subject.words);
        }
    }
}

/// Every write of a run begins wrong: header, table, footer and data, one of which is met first.
#[test]
fn the_first_bits_of_all_parts_of_runs_are_wrong() {
    let mut random = Random::fresh();
    for subject in spilling(&mut random) {
        for bit in [3, 77, 300] {
            let spill = subject.folder.at("spill");
            let script =
                Script::new(&spill, 0..u64::MAX, InjectedFault::Flips(bit)).of(Direction::Write);
            let error = subject.run(script).result.expect_err("all is damaged");
            assert!(matches!(error, Error::Corrupt { .. }), "{error}: {}", subject.words);
            subject.assert_names_a_file(&error);
        }
    }
}

/// Reads that one worker has in flight at most: with a read so many later, one has been summed.
const IN_FLIGHT: u64 = 10;

/// A bit of a record goes wrong in memory, after it was read and before it is written. Workers are
/// one, and requests done at once, so that the time of it is known.
#[test]
fn a_bit_of_memory_that_goes_wrong() {
    let mut random = Random::fresh();
    let all: [fn() -> Subject; 5] = [
        || Subject::fixed(1, 1),
        || Subject::fixed(2, 1),
        || Subject::lines(1, 1, false),
        || Subject::lines(2, 1, false),
        || Subject::short_lines(1, 1),
    ];
    for make in random.some(all) {
        let subject = make().with_engine(Engine::Sync);
        let folder = subject.folder.at("in");
        let script = |numbers, fault| {
            Script::new(&folder, numbers, fault).of(Direction::Read).from_bytes(32 << 10)
        };
        let [count] = subject.counts([script(0..0, InjectedFault::Crumbles)]);
        let mut found = 0;
        for place in 0..8 {
            let number = place * count / 8;
            // Not of a record at either end, which the next read has to do with.
            let bit = 8 * (8 << 10) + random.below(8 * (16 << 10)) as u64;
            let fault = InjectedFault::FlipsLater(bit, IN_FLIGHT.min(count - 1 - number));
            match subject.run(script(number..number + 1, fault)).result {
                Ok(_) => {}
                Err(Error::Proof { .. } | Error::Changed { .. } | Error::Disorder { .. }) => {
                    found += 1;
                }
                Err(e) => panic!("{e}: {}", subject.words),
            }
        }
        println!("{}: {found} of 8 found, {count} reads", subject.words);
        assert!(found > 0, "{}", subject.words);
    }
}
