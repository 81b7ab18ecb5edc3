//! Looking for the first record that is out of order, one input after the other.

use super::feed::Feed;
use super::kept::Guard;
use super::source::{Advance, Source};
use super::{SortedPlace, open, pieces};
use crate::error::Result;
use crate::format::Framing;
use crate::io::{Direct, Engine};
use crate::key::KeyEncoder;
use crate::pipeline::Gate;
use crate::plan::streams::StreamPlan;
use crate::stats::{Phase, PhaseShare, Progress, SourceShare};

use std::path::PathBuf;

/// A check with everything decided.
#[derive(Debug)]
pub struct CheckWork {
    /// Memory of the block.
    pub plan: StreamPlan,
    /// Inputs to check, each by itself.
    pub inputs: Vec<SortedPlace>,
    /// Framing that separates records.
    pub framing: Framing,
    /// Conditions on records.
    pub gate: Gate,
    /// The engine.
    pub engine: Engine,
    /// Choice of whether files bypass the page cache.
    pub direct: Direct,
    /// True if equal neighbours are out of order too.
    pub is_strict: bool,
}

/// The first record that belongs before the one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disorder {
    /// The input; of a compressed one, what it holds is called so.
    pub path: PathBuf,
    /// The record's number, from 1.
    pub record_number: u64,
    /// The number of the record before it, of those that are not left out.
    pub number_before: u64,
    /// Offset where it begins, in bytes.
    pub offset: u64,
    /// The record, with the byte it ends with, if it ends with one.
    pub record: Vec<u8>,
}

/// Result of a check, and how much it looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// The first disorder.
    pub disorder: Option<Disorder>,
    /// Records looked at.
    pub records: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// Rows of these that were left out for the number of their cells.
    pub ragged_rows_dropped: u64,
}

/// Checks.
pub fn check<K: KeyEncoder>(work: &CheckWork, key: &K, progress: &Progress) -> Result<Checked> {
    progress.enter(Phase::Validating);
    if let Some(bytes) = work.inputs.iter().map(SortedPlace::bytes).sum::<Option<u64>>() {
        progress.expect_bytes(bytes);
    } else if let Some(source) = SourceShare::common(work.inputs.iter().map(SortedPlace::source)) {
        progress.expect_by(source, |bytes| vec![PhaseShare::only(Phase::Validating, bytes)]);
    }
    let pieces = pieces(&work.plan, 1, 1)?;
    let mut feed = Feed::new(work.engine, 1, pieces, work.plan.spare_bytes, progress)?;
    let mut checked = Checked::default();
    // Its memory serves all inputs, one after the other.
    let mut guard = Guard::new(work.is_strict);
    for place in &work.inputs {
        let standing = place.first();
        let reading = open(place, work.direct.into(), standing.offset, None, 0, &mut feed)?;
        let source = Source::new(reading, work.framing, work.plan.piece_bytes, false)?;
        let mut source = source.with_gate(Some(&work.gate), key).at(standing);
        guard.before.forget();
        let step = loop {
            let step = source.advance(key, &mut feed, Some(&mut guard))?;
            if step != Advance::Next {
                break step;
            }
        };
        let (record_number, offset) = source.place();
        checked.records += record_number;
        checked.bytes += offset;
        checked.ragged_rows_dropped += source.ragged();
        if step == Advance::Disorder {
            let (path, record) = (source.name().to_owned(), source.record().to_vec());
            let number_before = source.number_before();
            let disorder = Disorder { path, record_number, number_before, offset, record };
            checked.disorder = Some(disorder);
            return Ok(checked);
        }
        source.close(&mut feed)?;
    }
    Ok(checked)
}
