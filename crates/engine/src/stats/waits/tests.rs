//! Sums of waits.

use super::*;

#[test]
fn waits_are_summed_by_stream() {
    let mut waits = Waits::default();
    waits.add(Stream::SpillRead, Duration::from_millis(250));
    waits.add(Stream::SpillRead, Duration::from_millis(500));
    let before = waits;
    waits.add(Stream::OutputWritten, Duration::from_millis(125));
    assert_eq!(waits.total(), Duration::from_millis(875));
    assert_eq!(waits.since(before).of(Stream::OutputWritten), Duration::from_millis(125));
    assert_eq!(waits.since(before).of(Stream::SpillRead), Duration::ZERO);
    assert_eq!(waits.plus(before).of(Stream::SpillRead), Duration::from_millis(1500));
    let json = serde_json::to_value(waits).unwrap();
    assert_eq!(json["spill_read"], 0.75);
    assert_eq!((&json["input_read"], &json["output_written"]), (&0.0.into(), &0.125.into()));
}
