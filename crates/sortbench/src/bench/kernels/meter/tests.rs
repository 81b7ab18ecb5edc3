//! Laps, added and shared out, and what is noted of them.

use super::*;

fn laps(of: &[(f64, f64)]) -> Laps {
    let lap =
        |&(seconds, cycles)| Lap { seconds, counts: Counts(vec![(CounterEvent::Cycles, cycles)]) };
    Laps(of.iter().map(lap).collect())
}

#[test]
fn laps_are_shared_out_among_records() {
    let both = laps(&[(1.0, 300.0), (2.0, 100.0)]).and(&laps(&[(3.0, 100.0), (3.0, 100.0)]));
    assert_eq!(both, laps(&[(4.0, 400.0), (5.0, 200.0)]));
    assert_eq!(both.nanoseconds(1_000_000_000), [4.0, 5.0]);
    let mut section = Section::default();
    assert_eq!(section.note_nanoseconds("it", &both, 100).count, 2);
    assert_eq!(section.samples[0].of, "it, 100");
    let [cycles, instructions, ..] = section.counted[0].counts;
    assert_eq!((cycles.unwrap().least, instructions), (2.0, None));
}

#[test]
fn what_was_not_counted_is_not_told() {
    let mut section = Section::default();
    section.note_counts("it".into(), &Laps(vec![Lap::default()]), 10);
    assert_eq!(section.counted, []);
}

#[test]
fn a_stop_is_heard() {
    let progress = Progress::new();
    let mut meter = KernelMeter::new(3, &progress);
    let mut runs = 0;
    let [laps] = meter
        .repeat(|meter| {
            runs += 1;
            Ok([meter.lap(|| ()).1])
        })
        .unwrap();
    assert_eq!((runs, laps.seconds().len()), (3, 3));
    progress.request_stop();
    let stopped = meter.repeat(|meter| Ok([meter.lap(|| ()).1]));
    assert!(matches!(stopped, Err(Error::Interrupted)));
}
