//! Counters: what they count where there are any, and what is said where there are none.

use super::*;

#[test]
fn either_counts_or_the_reason_why_not() {
    match Counters::new() {
        Ok(mut counters) => {
            let work = || (0..1_000_000_u64).fold(1, |a, b| std::hint::black_box(a ^ b));
            let (_, counts) = counters.measure(work);
            assert!(counts.of(Event::Instructions).is_none_or(|count| count > 1e6), "{counts:?}");
        }
        Err(why) => {
            println!("LEFT OUT: no counters: {why}");
            assert!(why.len() > 20 && !why.ends_with('.'), "{why}");
        }
    }
}

#[test]
fn reasons_say_what_to_do() {
    let denied = why(&io::Error::from_raw_os_error(13), Some("3\n"));
    assert!(denied.contains("paranoid is 3)") && denied.contains("sysctl"), "{denied}");
    let absent = why(&io::Error::from_raw_os_error(2), Some("2\n"));
    assert!(absent.contains("virtual machines"), "{absent}");
    let hidden = why(&io::Error::from_raw_os_error(38), None);
    assert!(hidden.contains("sandbox"), "{hidden}");
}

#[test]
fn counters_that_take_turns_are_scaled() {
    let at = |count, time_enabled, time_running| CountAndTime { count, time_enabled, time_running };
    assert_eq!(between(&at(5, 100, 100), &at(25, 200, 200)), Some(20.0));
    assert_eq!(between(&at(5, 100, 100), &at(25, 200, 150)), Some(40.0));
    assert_eq!(between(&at(5, 100, 100), &at(5, 200, 100)), None);
}
