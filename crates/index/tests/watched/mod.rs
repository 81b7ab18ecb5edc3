//! Progress of builds: the data is the source of all entries.

use std::fs;
use std::thread;
use std::time::Duration;

use sortwell_engine::format::Format;
use sortwell_engine::stats::Progress;

use crate::build;
use crate::model::block;

/// Returns the shares done that are seen during a build.
fn shares(bytes: &[u8]) -> Vec<Option<f64>> {
    let folder = tempfile::tempdir().unwrap();
    let [data, output] = ["data", "index"].map(|name| folder.path().join(name));
    fs::write(&data, bytes).unwrap();
    let job = build(&[data], &output, Format::LINES, &["1"]);
    let (progress, mut seen) = (Progress::new(), Vec::new());
    thread::scope(|scope| {
        let built = scope.spawn(|| job.run(&progress).unwrap());
        while !built.is_finished() {
            seen.push(progress.done());
            thread::sleep(Duration::from_micros(200));
        }
    });
    assert_eq!(progress.done(), Some(1.0));
    seen
}

#[test]
fn a_build_shows_how_far_it_is() {
    let line = |number: u32| format!("{:07}\n", number.wrapping_mul(2_654_435_761) % 10_000_000);
    let plain: Vec<u8> = (0..300_000).flat_map(|number| line(number).into_bytes()).collect();
    let packed: Vec<u8> = plain.chunks(60_000).flat_map(block).collect();
    for data in [plain, packed] {
        let seen: Vec<f64> = shares(&data).into_iter().flatten().collect();
        assert!(seen.iter().any(|done| (0.01..0.99).contains(done)), "{seen:?}");
        let most_back = seen.windows(2).map(|pair| pair[0] - pair[1]).fold(0.0, f64::max);
        assert!(most_back < 0.1, "{seen:?}");
    }
}
