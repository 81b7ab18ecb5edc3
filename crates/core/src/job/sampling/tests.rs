//! What goes on is seen, and ends with the work.

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
