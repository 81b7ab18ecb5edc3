//! Records of a load that lie across its blocks, or had no room when these arrived: they are dealt
//! when the whole load is there.

use std::ops::Range;

use super::dealing::Dealing;
use super::gate::FirstFault;
use super::stage::Worker;
use crate::format::Framing;
use crate::incore::{Classifier, Dealer};
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::load::{InputPlace, LoadLayout};

/// Contents of a span, as places in the load.
#[derive(Clone, Copy, Debug, Default)]
pub struct FoundRecords {
    /// Places after the first record end in it and after the last; `None` where it holds none.
    pub ends: Option<(usize, usize)>,
    /// End of its data; zero where it was not read.
    pub end: usize,
    /// Rows that were left out for the number of their cells, of those dealt on arrival.
    pub ragged: u64,
}

/// Bytes of a load that belong together: of one input, with what was carried before them.
#[derive(Debug)]
pub struct LoadedInput {
    pub bytes: Range<usize>,
    /// Whole records in it that were dealt on arrival, ascending.
    pub dealt: Vec<Range<usize>>,
}

/// Returns the inputs of a load. Each that ends in it ends with a terminator.
pub fn loaded_inputs(
    region: &mut Region,
    layout: &LoadLayout,
    found: &[FoundRecords],
    framing: Framing,
) -> Vec<LoadedInput> {
    let mut inputs = Vec::new();
    let mut input = LoadedInput { bytes: layout.begin()..layout.start, dealt: Vec::new() };
    for (span, found) in layout.spans.iter().zip(found) {
        if found.end == 0 {
            break; // it was not read any more
        }
        let start = span.at + span.skip;
        if input.bytes.end != start {
            let next = LoadedInput { bytes: start..start, dealt: Vec::new() };
            inputs.push(std::mem::replace(&mut input, next));
        }
        input.bytes.end = found.end;
        input.dealt.extend(found.ends.map(|(first, last)| first..last));
        if span.is_end
            && let Some(end) = framing.terminator()
            && !input.bytes.is_empty()
            && region[found.end - 1] != end
        {
            region[found.end] = end;
            input.bytes.end += 1;
        }
    }
    inputs.push(input);
    inputs
}

/// Records that are dealt when the whole load is there.
pub struct LeftoverRecords<'a, 'p, K> {
    pub how: &'a Dealing<'a, K>,
    pub classifier: &'a Classifier,
    pub dealer: &'a mut Dealer,
    pub worker: &'a mut Worker<'p>,
    /// Records that may still be dealt.
    pub room: u64,
    /// Rows that were left out for the number of their cells.
    pub ragged: u64,
    pub fault: &'a FirstFault,
}

/// Bytes of a load that the next load begins with.
#[derive(Debug)]
pub struct LoadTail {
    /// Place of the bytes: the rest of each input, moved together.
    pub bytes: Range<usize>,
    /// Origins of their pieces, each with its first byte, counted over all pieces.
    pub origins: Vec<(usize, InputPlace)>,
}

impl<K: KeyEncoder> LeftoverRecords<'_, '_, K> {
    /// Deals the records of `inputs` that were not dealt on arrival, or all if the load
    /// `is_crowded`. Returns the rest.
    pub fn deal_inputs(
        &mut self,
        memory: &mut Region,
        layout: &LoadLayout,
        inputs: &[LoadedInput],
        is_crowded: bool,
    ) -> LoadTail {
        let end = inputs.last().map_or(0, |input| input.bytes.end);
        let (mut tail, mut origins) = (end..end, Vec::new());
        for input in inputs {
            let already = if is_crowded { &[] } else { input.dealt.as_slice() };
            let left = self.deal(memory, input.bytes.clone(), already);
            if left.is_empty() {
                continue;
            }
            // Nothing is dealt after it, so that the pieces of the tail can be moved together.
            if tail.is_empty() {
                tail = left.start..left.start;
            }
            let carried = layout.origins(&left).into_iter();
            origins.extend(carried.map(|(at, from)| (tail.len() + at, from)));
            memory.copy_within(left.clone(), tail.end);
            tail.end += left.len();
        }
        LoadTail { bytes: tail, origins }
    }

    /// Deals the records of `input` that are not in `dealt`. Returns what is left of it in the end:
    /// an unfinished record, or records that had no room.
    fn deal(&mut self, region: &[u8], input: Range<usize>, dealt: &[Range<usize>]) -> Range<usize> {
        let mut at = input.start;
        for range in dealt {
            at = self.deal_records(region, at..range.start);
            if self.fault.is_before(range.start) {
                return at..at; // what was dealt after it is of no account
            }
            debug_assert!(at == range.start, "before dealt records there are whole ones");
            at = range.end;
        }
        self.deal_records(region, at..input.end)..input.end
    }

    /// Deals whole records until there is no room for more. Returns the place of the first that was
    /// not dealt. Once a fault is known, the load fails, and records without room are checked only:
    /// there may be an earlier fault.
    fn deal_records(&mut self, region: &[u8], range: Range<usize>) -> usize {
        let mut begun = range.start;
        while let Some(length) = self.how.sort.framing.whole_length(&region[begun..range.end]) {
            let record = &region[begun..begun + length];
            let passed = match self.room {
                0 if !self.fault.is_before(usize::MAX) => return begun,
                0 => self.how.check(record, begun),
                _ => self.how.deal(self.classifier, self.dealer, self.worker, record, begun),
            };
            self.room = self.room.saturating_sub(1);
            match passed {
                Ok(passed) => self.ragged += passed.ragged,
                Err(fault) => self.fault.note(fault),
            }
            begun += length;
        }
        begun
    }
}
