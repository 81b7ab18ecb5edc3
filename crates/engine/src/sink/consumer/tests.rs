//! Tasks reach their consumers whole, whatever order they are written in.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::*;
use crate::error::Error;
use crate::io::{Arena, Consumer, Engine};
use crate::sink::Sink;
use crate::stats::Progress;
use crate::units::ByteSize;

/// Bytes per buffer of a lane.
const BUFFER: usize = 8192;

fn lane(progress: &Progress) -> Lane<'_> {
    let region = || Arena::new(ByteSize(BUFFER as u64)).unwrap();
    Lane::new(Engine::Sync.queue(1).unwrap(), vec![region()], vec![region()], BUFFER / 2, progress)
}

/// Keeps the bytes of ended tasks by their offsets; refuses pieces that begin with `!`.
#[derive(Default)]
struct Keeper(Mutex<BTreeMap<u64, Vec<u8>>>);

struct KeptTask<'a>(&'a Keeper, u64, Vec<u8>);

impl Consumer for Keeper {
    fn begin(&self, offset: u64) -> Box<dyn ConsumeTask + '_> {
        Box::new(KeptTask(self, offset, Vec::new()))
    }
}

impl ConsumeTask for KeptTask<'_> {
    fn take(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.starts_with(b"!") {
            return Err(Error::Interrupted);
        }
        self.2.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.0.0.lock().unwrap().insert(self.1, self.2);
        Ok(())
    }
}

#[test]
fn tasks_arrive_whole_in_any_order() {
    let keeper = Arc::new(Keeper::default());
    let sink = Sink::Consumer(SharedConsumer(Arc::<Keeper>::clone(&keeper)));
    let progress = Progress::new();
    let mut lane = lane(&progress);
    let long: Vec<u8> = (0..3 * BUFFER).map(|number| number as u8).collect();
    let end = 5 + long.len() as u64;
    for (offset, bytes) in [(end, &b"last"[..]), (5, &long), (0, b"first")] {
        sink.write(&mut lane, offset, bytes.len() as u64, |writer| writer.put(bytes)).unwrap();
    }
    let kept = keeper.0.lock().unwrap();
    let wanted = [(0, b"first".to_vec()), (5, long), (end, b"last".to_vec())];
    assert_eq!(*kept, BTreeMap::from(wanted));
}

#[test]
fn an_error_leaves_the_lane_its_buffer() {
    let keeper = Arc::new(Keeper::default());
    let sink = Sink::Consumer(SharedConsumer(Arc::<Keeper>::clone(&keeper)));
    let progress = Progress::new();
    let mut lane = lane(&progress);
    let refused = sink.write(&mut lane, 0, 1, |writer| writer.put(b"!"));
    assert!(matches!(refused, Err(Error::Interrupted)));
    let short = sink.write(&mut lane, 0, 2, |writer| writer.put(b"x"));
    assert!(matches!(short, Err(Error::Changed { expected: 2, found: 1 })));
    sink.write(&mut lane, 0, 2, |writer| writer.put(b"ok")).unwrap();
    assert_eq!(keeper.0.lock().unwrap().get(&0).map(Vec::as_slice), Some(&b"ok"[..]));
}
