//! A queue that splits requests on striped files where strides end, so that the engine below it
//! sees members alone.
//!
//! ```text
//!   request   |=====================================|     one region, one range
//!   parts     |=== member 0 ===|=== member 1 ===|=m2=|     pieces of both, all in flight at once
//!   completion when the last of them is over            the pieces joined again
//! ```
//!
//! Other requests pass as they are.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use super::StripePlace;
use crate::error::Result;
use crate::io::File;
use crate::io::arena::Region;
use crate::io::queue::{Completion, Direction, Queue, Request};

/// Returns a queue around an engine's own that serves striped files too.
pub fn around(inner: Box<dyn Queue>) -> Box<dyn Queue> {
    Box::new(Striping {
        inner,
        parted: HashMap::new(),
        parts: HashMap::new(),
        next: 0,
        done: VecDeque::new(),
        whole: 0,
    })
}

struct Striping {
    inner: Box<dyn Queue>,
    /// Requests whose parts are in flight, by a number of their own.
    parted: HashMap<u64, Parted>,
    /// Number of the request of each part in flight, by address and length of the part's memory.
    parts: HashMap<(usize, usize), u64>,
    next: u64,
    /// Over, and not yet handed out.
    done: VecDeque<Completion>,
    /// Requests in flight that were not parted.
    whole: usize,
}

/// Returns the memory of a request, which no other request in flight has.
fn place_of(request: &Request) -> (usize, usize) {
    (request.region.address(), request.region.len())
}

/// A request in parts.
struct Parted {
    operation: Direction,
    file: Arc<File>,
    offset: u64,
    range: std::ops::Range<usize>,
    tag: u64,
    /// The memory of parts that are over, and what no part needs.
    pieces: Vec<Region>,
    /// Offset in the range, length and result of each part that is over.
    results: Vec<(usize, usize, Result<usize>)>,
    in_flight: usize,
    begun: Instant,
}

impl Striping {
    /// Submits the parts of a request on a striped file.
    fn part(&mut self, request: Request) -> Result<()> {
        let Request { operation, file, offset, mut region, range, tag } = request;
        let number = self.next;
        self.next += 1;
        let mut pieces = Vec::new();
        let mut rest = region.split_off(range.start);
        pieces.push(region);
        let behind = rest.split_off(range.len());
        pieces.push(behind);
        let (mut requests, mut at) = (Vec::new(), 0);
        if let Some(stripes) = file.stripes() {
            while at < range.len() {
                let StripePlace { member, offset: own, left } =
                    stripes.layout().place(offset + at as u64);
                let bytes = left.min((range.len() - at) as u64) as usize;
                let behind = rest.split_off(bytes);
                let part = std::mem::replace(&mut rest, behind);
                requests.push(Request {
                    operation,
                    file: Arc::clone(&stripes.members()[member]),
                    offset: own,
                    range: 0..bytes,
                    region: part,
                    tag: at as u64,
                });
                at += bytes;
            }
        }
        pieces.push(rest);
        let (results, in_flight) = (Vec::with_capacity(requests.len()), requests.len());
        let begun = Instant::now();
        let parted =
            Parted { operation, file, offset, range, tag, pieces, results, in_flight, begun };
        if in_flight == 0 {
            self.done.push_back(parted.finish());
            return Ok(());
        }
        self.parted.insert(number, parted);
        for request in requests {
            self.parts.insert(place_of(&request), number);
            // An engine that fails is of no more use; what waits for it would wait for ever.
            self.inner.submit(request).inspect_err(|_| drop(self.parted.remove(&number)))?;
        }
        Ok(())
    }

    /// Returns the next request that is over, where `ask` has the engine's next.
    fn next(
        &mut self,
        ask: impl Fn(&mut dyn Queue) -> Result<Option<Completion>>,
    ) -> Result<Option<Completion>> {
        while self.done.is_empty() {
            let Some(completion) = ask(&mut *self.inner)? else { break };
            if let Some(completion) = self.take(completion) {
                return Ok(Some(completion));
            }
        }
        Ok(self.done.pop_front())
    }

    /// Takes a completion of the engine; what it completes.
    fn take(&mut self, completion: Completion) -> Option<Completion> {
        let Some(number) = self.parts.remove(&place_of(&completion.request)) else {
            self.whole -= 1;
            return Some(completion);
        };
        let Completion { request, result, .. } = completion;
        let parted = self.parted.get_mut(&number)?;
        parted.results.push((request.tag as usize, request.range.len(), result));
        parted.pieces.push(request.region);
        parted.in_flight -= 1;
        if parted.in_flight > 0 {
            return None;
        }
        self.parted.remove(&number).map(Parted::finish)
    }
}

impl Parted {
    /// Returns the completion of the request, now that all of its parts are over.
    fn finish(self) -> Completion {
        let Self { operation, file, offset, range, tag, pieces, mut results, begun, .. } = self;
        results.sort_unstable_by_key(|(at, ..)| *at);
        let result = outcome(operation, &file, offset, results);
        if let (Direction::Write, Ok(bytes)) = (operation, &result) {
            file.grown_to(offset + *bytes as u64);
        }
        let region = Region::join_all(pieces);
        let request = Request { operation, file, offset, region, range, tag };
        Completion { request, result, took: begun.elapsed() }
    }
}

/// Returns the outcome of all parts together: bytes up to the first part that is short, which only
/// the end of the file may be.
fn outcome(
    operation: Direction,
    file: &File,
    offset: u64,
    results: Vec<(usize, usize, Result<usize>)>,
) -> Result<usize> {
    let (mut bytes, mut is_over) = (0, false);
    for (_, asked, result) in results {
        let moved = result?;
        if !is_over {
            bytes += moved;
        }
        is_over |= moved < asked;
    }
    let end = offset + bytes as u64;
    if let (true, Direction::Read, Some(stripes)) = (is_over, operation, file.stripes())
        && end < file.len()
    {
        return Err(stripes.shortened(file.path(), end, file.len()));
    }
    Ok(bytes)
}

impl Queue for Striping {
    fn submit(&mut self, request: Request) -> Result<()> {
        if request.file.stripes().is_some() {
            return self.part(request);
        }
        self.whole += 1;
        self.inner.submit(request)
    }

    fn poll(&mut self) -> Result<Option<Completion>> {
        self.next(|inner| inner.poll())
    }

    fn wait(&mut self) -> Result<Option<Completion>> {
        self.next(|inner| inner.wait())
    }

    fn in_flight(&self) -> usize {
        self.whole + self.parted.len() + self.done.len()
    }

    fn name(&self) -> &'static str {
        self.inner.name()
    }
}
