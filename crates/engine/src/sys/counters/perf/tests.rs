//! Counters as the kernel has them, and what is said where there are none.

use std::thread;

use perf_event::events::Software;

use super::super::Counters;
use super::*;

/// The kernel's own clock of threads is counted as events are, on machines without any too.
#[test]
fn threads_are_counted_only_where_that_is_wanted() {
    let work = || (0..20_000_000_u64).fold(1, |a, b| std::hint::black_box(a ^ b));
    // Threads that threads start, too.
    let inner = move || thread::spawn(work).join();
    let nanoseconds = |threads| {
        let clock = counter(Software::TASK_CLOCK.into(), threads)?;
        let counters = Counters(vec![(CounterEvent::Cycles, clock)]);
        let (result, counts) = counters.measure(|| thread::spawn(inner).join());
        assert!(matches!(result, Ok(Ok(_))));
        Ok::<_, io::Error>(counts.of(CounterEvent::Cycles).expect("a clock"))
    };
    match (nanoseconds(CountedThreads::This), nanoseconds(CountedThreads::AndLater)) {
        (Ok(this), Ok(later)) => assert!(later > 2.0 * this && this > 0.0, "{this}, {later}"),
        none => println!("LEFT OUT: no clock of the kernel's: {none:?}"),
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
