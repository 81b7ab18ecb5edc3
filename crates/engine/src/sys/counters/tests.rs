//! Counters: what they count where there are any, and else that it is said why not.

use super::*;

#[test]
fn either_counts_or_the_reason_why_not() {
    let work = || (0..1_000_000_u64).fold(1, |a, b| std::hint::black_box(a ^ b));
    for threads in [CountedThreads::This, CountedThreads::AndLater] {
        match Counters::new(threads) {
            Ok(counters) => {
                let (_, counts) = counters.measure(work);
                let instructions = counts.of(CounterEvent::Instructions);
                assert!(instructions.is_none_or(|count| count > 1e6), "{counts:?}");
            }
            Err(why) => {
                println!("LEFT OUT: no counters: {why}");
                assert!(why.len() > 20 && !why.ends_with('.'), "{why}");
            }
        }
    }
}

#[test]
fn counters_that_take_turns_are_scaled() {
    let at = |count, enabled, running| CounterReading { count, enabled, running };
    assert_eq!(between(&at(5, 100, 100), &at(25, 200, 200)), Some(20.0));
    assert_eq!(between(&at(5, 100, 100), &at(25, 200, 150)), Some(40.0));
    assert_eq!(between(&at(5, 100, 100), &at(5, 200, 100)), None);
}

#[test]
fn a_reading_is_three_numbers() {
    let mut file = tempfile::tempfile().expect("a file");
    let numbers = [7_u64, 9, 8].map(u64::to_ne_bytes).concat();
    io::Write::write_all(&mut file, &numbers).expect("room");
    io::Seek::rewind(&mut file).expect("a file");
    let reading = CounterReading::of(&file).expect("numbers");
    assert_eq!(reading, CounterReading { count: 7, enabled: 9, running: 8 });
    assert!(CounterReading::of(&file).is_err());
}
