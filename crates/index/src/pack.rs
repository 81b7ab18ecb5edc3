//! The consumer of the sort: packs the sorted entries of each task into leaf pages.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sortwell_engine::io::{ConsumeTask, Consumer};
use sortwell_engine::{Error, Result};

use crate::entry::{EntryForm, SortedEntries, position_of};
use crate::lmdb::tree::PageTree;
use crate::lmdb::writer::{LeafWriter, NewTree, PageFile};

/// A tree of entries, while it is written.
#[derive(Debug)]
pub struct Packer {
    levels: NewTree,
    form: EntryForm,
    /// The ends of the tasks, where equal keys are an error.
    ends: Option<Mutex<TaskEnds>>,
}

/// Key and position of an entry.
#[derive(Clone, Debug, Default)]
struct Neighbour {
    key: Vec<u8>,
    position: u64,
}

#[derive(Debug, Default)]
struct TaskEnds {
    /// The first and the last entry of each task.
    tasks: BTreeMap<u64, [Neighbour; 2]>,
    /// The positions of two records with the same key, and the offset of the task.
    duplicate: Option<(u64, [u64; 2])>,
}

impl Packer {
    /// Returns an empty tree in a file. With `refuses_equal`, two equal keys are an error.
    pub fn new(file: &Arc<PageFile>, form: EntryForm, refuses_equal: bool) -> Self {
        let ends = refuses_equal.then(Mutex::default);
        Self { levels: NewTree::new(file), form, ends }
    }

    fn ends(&self) -> Option<MutexGuard<'_, TaskEnds>> {
        self.ends.as_ref().map(|ends| ends.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the positions of two records with the same key, if there are some and it matters.
    pub fn duplicate(&self) -> Option<[u64; 2]> {
        let ends = self.ends()?;
        if let Some((_, found)) = ends.duplicate {
            return Some(found);
        }
        let later = ends.tasks.values().skip(1);
        let mut pairs = ends.tasks.values().zip(later);
        let pair = pairs.find(|([_, last], [first, _])| last.key == first.key);
        pair.map(|([_, last], [first, _])| [last.position, first.position])
    }

    /// Writes what is left, and returns the tree.
    ///
    /// # Errors
    ///
    /// Those of writing, and [`Error::Disorder`].
    pub fn finish(&self) -> Result<PageTree> {
        self.levels.finish()
    }
}

impl Consumer for Packer {
    fn begin(&self, offset: u64) -> Box<dyn ConsumeTask + '_> {
        Box::new(PackTask {
            packer: self,
            leaves: self.levels.begin(offset),
            begun: offset,
            entries: SortedEntries::new(offset),
            key: Vec::new(),
            head: Vec::new(),
            ends: None,
        })
    }
}

/// One task of entries.
struct PackTask<'a> {
    packer: &'a Packer,
    leaves: LeafWriter<'a>,
    /// Offset of the first entry among all sorted ones.
    begun: u64,
    entries: SortedEntries,
    key: Vec<u8>,
    head: Vec<u8>,
    /// The first and the last entry, where equal keys are an error.
    ends: Option<[Neighbour; 2]>,
}

impl PackTask<'_> {
    /// Packs an entry, whose offset is `ordinal`.
    fn pack(&mut self, ordinal: u64, whole: &[u8], payload: &[u8]) -> Result<()> {
        if self.packer.ends.is_some() {
            self.note(whole, payload)?;
        }
        let form = self.packer.form;
        let rest = form.write(whole, payload, ordinal, &mut self.key, &mut self.head);
        self.leaves.add(&self.key, [&self.head, rest])
    }

    /// Compares an entry with the one before.
    fn note(&mut self, key: &[u8], payload: &[u8]) -> Result<()> {
        let position = position_of(payload);
        let Some([_, last]) = &mut self.ends else {
            let entry = Neighbour { key: key.to_vec(), position };
            self.ends = Some([entry.clone(), entry]);
            return Ok(());
        };
        if last.key == key {
            let found = (self.begun, [last.position, position]);
            if let Some(mut ends) = self.packer.ends() {
                let first = ends.duplicate.get_or_insert(found);
                *first = found.min(*first);
            }
            return Err(Error::Interrupted); // the builder says why
        }
        last.key.clear();
        last.key.extend_from_slice(key);
        last.position = position;
        Ok(())
    }
}

impl ConsumeTask for PackTask<'_> {
    fn take(&mut self, bytes: &[u8]) -> Result<()> {
        let mut entries = std::mem::take(&mut self.entries);
        let taken = entries.take(bytes, |at, key, payload| self.pack(at, key, payload));
        self.entries = entries;
        taken
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let Self { packer, leaves, begun, entries, ends, .. } = *self;
        let end = entries.finish()?;
        if let (Some(mut tasks), Some(own)) = (packer.ends(), ends) {
            tasks.tasks.insert(begun, own);
        }
        leaves.finish(end)
    }
}
