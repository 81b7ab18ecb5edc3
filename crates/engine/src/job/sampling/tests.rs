//! What goes on is seen, and ends with the work; what was counted is told.

use super::*;
use crate::stats::Phase;

#[test]
fn a_job_is_looked_at_while_it_runs() {
    let progress = Progress::new();
    progress.enter(Phase::Reading);
    let begun = Instant::now();
    let (result, timeline) = sampled(&progress, || {
        thread::sleep(Duration::from_millis(250));
        progress.read(1000);
        7
    });
    let timeline = timeline.expect("a thread");
    let most = 1 + (begun.elapsed().as_secs_f64() / timeline.interval_seconds) as usize;
    assert!(result == 7 && (1..=most).contains(&timeline.len()), "{timeline:?}");
    assert_eq!(timeline.input_read.iter().sum::<u64>(), 1000);
    assert!(timeline.memory.iter().all(|bytes| *bytes > 0), "{timeline:?}");
}

#[test]
fn work_is_done_once_whether_it_is_counted_or_not() {
    let mut times = 0;
    let (result, counted) = counted(|| {
        times += 1;
        7
    });
    assert_eq!((result, times), (7, 1));
    match counted {
        Counted::Events { cycles, .. } => assert!(cycles != Some(0)),
        Counted::Nothing { missing } => assert!(missing.len() > 20, "{missing}"),
    }
}

#[test]
fn counts_are_told_in_whole_numbers() {
    let counts = Counts(vec![(CounterEvent::Instructions, 12.6), (CounterEvent::Cycles, 10.0)]);
    let expected = Counted::Events {
        cycles: Some(10),
        instructions: Some(13),
        cache_misses: None,
        tlb_misses: None,
    };
    assert_eq!(told(&counts), expected);
}
