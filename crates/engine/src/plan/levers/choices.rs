//! Choices of a user that differ from the default, in words.

use super::{AsyncIo, Levers, Overlap};
use crate::codec::CompressRuns;
use crate::incore::GatherStores;
use crate::io::{Direct, DirectStreams, Engine};
use crate::plan::Algorithm;
use crate::stats::LeverSetting;
use crate::sys::Affinity;

/// Choices about the work of a job, which do not change its output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobChoices {
    /// Algorithm.
    pub algorithm: Algorithm,
    /// I/O engine.
    pub engine: Engine,
    /// Requests past the page cache.
    pub direct: DirectStreams,
    /// Levers.
    pub levers: Levers,
}

impl JobChoices {
    /// Returns the choices that differ from the default, each with its value in words.
    pub fn set(&self) -> Vec<LeverSetting> {
        let (algorithm, engine) = (self.algorithm, self.engine);
        let direct = |of: Direct| (of != Direct::default()).then(|| of.to_string());
        let of_job = [
            ("algorithm", (algorithm != Algorithm::default()).then(|| algorithm.name().to_owned())),
            ("I/O engine", (engine != Engine::default()).then(|| engine.name().to_owned())),
            ("direct input", direct(self.direct.input)),
            ("direct runs", direct(self.direct.spill)),
            ("direct output", direct(self.direct.output)),
        ];
        let set = of_job.into_iter().chain(self.levers.words());
        set.filter_map(|(name, value)| Some(LeverSetting { name, value: value? })).collect()
    }
}

impl Levers {
    /// Returns the name of each lever, with its value in words if it differs from the default.
    fn words(&self) -> [(&'static str, Option<String>); 17] {
        let is_auto = |overlap: Overlap| overlap == Overlap::Auto;
        let runs = (!is_auto(self.overlap)).then(|| self.overlap.name().to_owned());
        let merge = self.merge_overlap.filter(|overlap| *overlap != self.overlap);
        let (affinity, async_io) = (self.affinity, self.async_io);
        let compress = self.compress_runs != CompressRuns::Off;
        let stores = self.gather_stores;
        let streaming = (stores != GatherStores::default()).then(|| stores.to_string());
        [
            ("queue depth", self.queue_depth.map(|value| value.to_string())),
            ("block size", self.block.map(|value| value.to_string())),
            ("write buffers", self.write_buffers.map(|value| value.to_string())),
            ("write buffer size", self.write_buffer.map(|value| value.to_string())),
            ("run size", self.run.map(|value| value.to_string())),
            ("read factor", self.read_factor.map(|value| value.to_string())),
            ("merge width", self.merge_width.map(|value| value.to_string())),
            ("merge", self.merge.map(|way| way.name().to_owned())),
            ("merge buffers", self.merge_buffers.map(|value| value.to_string())),
            ("compression of runs", compress.then(|| self.compress_runs.to_string())),
            ("microrun", self.microrun.map(|value| value.to_string())),
            ("AlphaSort runs", self.alphasort_runs.map(|value| value.to_string())),
            ("stores of a gather", streaming),
            ("overlap", runs),
            ("overlap of merges", merge.map(|overlap| overlap.name().to_owned())),
            ("asynchronous I/O", (async_io != AsyncIo::Auto).then(|| async_io.to_string())),
            ("affinity", (affinity != Affinity::default()).then(|| affinity.name().to_owned())),
        ]
    }
}
