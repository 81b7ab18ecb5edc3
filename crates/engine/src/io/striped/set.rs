//! The open members of a striped file.

use std::ops::Range;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Builder};

use super::StripeLayout;
use crate::error::{Error, Result};
use crate::io::File;

/// Most members that are handled at the same time.
const AT_ONCE: usize = 64;

/// Members, and which bytes they have.
#[derive(Debug)]
pub struct Stripes {
    layout: StripeLayout,
    members: Vec<Arc<File>>,
    /// True if they are of a job's own making.
    are_spilled: bool,
}

impl Stripes {
    /// Returns the set with open files as members.
    pub fn new(layout: StripeLayout, members: Vec<Arc<File>>) -> Self {
        assert_eq!(layout.members(), members.len());
        Self { layout, members, are_spilled: false }
    }

    /// Returns the members of a temporary file: what is wrong with them later on is damage, and no
    /// input's fault.
    pub fn spilled(layout: StripeLayout, members: Vec<Arc<File>>) -> Self {
        Self { are_spilled: true, ..Self::new(layout, members) }
    }

    /// Returns the layout.
    pub fn layout(&self) -> &StripeLayout {
        &self.layout
    }

    /// Returns the files.
    pub fn members(&self) -> &[Arc<File>] {
        &self.members
    }

    /// Returns the error for a file `name` of `bytes` bytes that ends before byte `end`.
    pub fn shortened(&self, name: &Path, end: u64, bytes: u64) -> Error {
        let message = format!("it ends at byte {end} of {bytes}: a member has become shorter");
        match self.are_spilled {
            false => Error::malformed(name, message),
            true => {
                let path = self.members[self.layout.place(end).member].path();
                let message = format!("byte {end} of the run {} is missing", name.display());
                Error::corrupt(path, 0, message)
            }
        }
    }

    /// Does something to the members that have some of these bytes, given which of their own.
    pub fn of_range(
        &self,
        bytes: &Range<u64>,
        act: impl Fn(&File, Range<u64>) -> Result<()>,
    ) -> Result<()> {
        for (number, member) in self.members.iter().enumerate() {
            let own = |offset| self.layout.member_bytes(number, offset);
            let own = own(bytes.start)..own(bytes.end);
            if !own.is_empty() {
                act(member, own)?;
            }
        }
        Ok(())
    }

    /// Does something to all members at the same time, each of which has its share of `length`
    /// bytes.
    pub fn of_each(
        &self,
        length: u64,
        act: impl Fn(&File, u64) -> Result<()> + Sync,
    ) -> Result<()> {
        let act = |(number, member): (usize, &Arc<File>)| {
            act(member, self.layout.member_bytes(number, length))
        };
        in_parallel(self.members.iter().enumerate(), act).map(drop)
    }
}

/// Applies `act` to all `items`, some in parallel, and returns the results in order. Returns the
/// first error.
pub(crate) fn in_parallel<T: Send, R: Send>(
    items: impl Iterator<Item = T>,
    act: impl Fn(T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let mut items: Vec<T> = items.collect();
    let mut made = Vec::with_capacity(items.len());
    while !items.is_empty() {
        let now = items.drain(..items.len().min(AT_ONCE));
        for result in all_at_once(now, &act, Builder::new) {
            made.push(result?);
        }
    }
    Ok(made)
}

/// Applies `act` to each of `items` in a thread of its own, and returns the results in order. If
/// the system refuses a thread, the calling thread does that item.
fn all_at_once<T: Send, R: Send>(
    items: impl Iterator<Item = T>,
    act: &(impl Fn(T) -> R + Sync),
    builder: impl Fn() -> Builder,
) -> Vec<R> {
    // A thread that is refused does not give back what it was to work on.
    let items: Vec<Mutex<Option<T>>> = items.map(|item| Mutex::new(Some(item))).collect();
    let act = &|item: &Mutex<Option<T>>| {
        let item = item.lock().unwrap_or_else(PoisonError::into_inner).take();
        act(item.unwrap_or_else(|| unreachable!("each item is taken once")))
    };
    thread::scope(|scope| {
        let started: Vec<_> = items
            .iter()
            .map(|item| builder().spawn_scoped(scope, move || act(item)).map_err(|_| act(item)))
            .collect();
        let results = started.into_iter().map(|started| match started {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(result) => result,
        });
        results.collect()
    })
}

#[cfg(test)]
mod tests;
