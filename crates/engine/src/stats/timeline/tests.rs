//! Nothing is lost where intervals become one, and there are never too many.

use super::*;

#[test]
fn an_interval_has_what_came_in_it() {
    let progress = Progress::new();
    progress.enter(Phase::RunGeneration);
    progress.read(100);
    let now =
        |user_seconds, memory| Now { user_seconds, memory: ByteSize(memory), ..Now::default() };
    let mut timeline = Timeline::begin(&progress, &now(1.0, 0));
    assert!(timeline.is_empty());
    progress.read(5);
    progress.written(7);
    progress.read_begins();
    progress.waited_for(Stream::SpillRead, Duration::from_millis(20));
    timeline.add(&progress, &now(1.5, 1000));
    progress.enter(Phase::Writing);
    progress.read(11);
    progress.written(13);
    progress.read_ends(Stream::SpillRead, Duration::from_millis(3));
    timeline.add(&progress, &now(1.75, 900));
    assert_eq!(timeline.phase, [Phase::RunGeneration, Phase::Writing]);
    assert_eq!((&timeline.input_read[..], &timeline.spill_written[..]), (&[5, 0][..], &[7, 0][..]));
    assert_eq!(
        (&timeline.spill_read[..], &timeline.output_written[..]),
        (&[0, 11][..], &[0, 13][..])
    );
    assert_eq!(timeline.reads_in_flight, [1.0, 0.0]);
    assert_eq!(timeline.user_seconds, [0.5, 0.25]);
    assert_eq!(timeline.waiting_seconds, [0.02, 0.0]);
    assert_eq!(timeline.waiting_for.spill_read, [0.02, 0.0]);
    assert_eq!(timeline.waiting_for.input_read, [0.0, 0.0]);
    assert_eq!(timeline.memory, [1000, 900]);
}

#[test]
fn a_long_job_has_longer_intervals() {
    let progress = Progress::new();
    let mut timeline = Timeline::begin(&progress, &Now::default());
    let all = 5 * SAMPLES_MAX as u64 + 1;
    for sample in 1..=all {
        progress.read(sample);
        let user_seconds = sample as f64;
        timeline.add(&progress, &Now { user_seconds, memory: ByteSize(sample), ..Now::default() });
    }
    assert!((SAMPLES_MAX / 2..SAMPLES_MAX).contains(&timeline.len()));
    let intervals = timeline.interval_seconds / INTERVAL.as_secs_f64();
    // Here each interval is taken to be as short as the first.
    assert!((intervals - 512.0).abs() < 1e-6, "{intervals}");
    assert_eq!(timeline.input_read.iter().sum::<u64>(), all * (all + 1) / 2);
    assert!((timeline.user_seconds.iter().sum::<f64>() - all as f64).abs() < 1e-6);
    assert_eq!(timeline.memory.last(), Some(&all));
    let waits = timeline.waiting_for.output_written.len();
    let others = [timeline.spill_read.len(), timeline.phase.len(), waits];
    assert_eq!(others, [timeline.len(); 3]);
}
