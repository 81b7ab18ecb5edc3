//! `sortwell.sorted`: Python objects in the order of their keys.
//!
//! An item is a record of the format `keyed`: its normalized key, and itself as bytes. All items
//! are read before the first one is returned. While the interpreter makes keys, the threads of the
//! sort work on the items before.

use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::types::PyIterator;
use pyo3::{PyTraverseError, PyVisit};
use sortwell::unstable_sort::{BlockSort, RecordsInOrder};
use sortwell::{Error, Result};
use sortwell_cli::embed::{EmbeddedCommand, JobWords};

use crate::ending::{Guarded, OpenCall, detached};
use crate::faults;
use crate::job::{OptionWords, job_words};
use crate::key::ObjectKeys;
use crate::payload::ObjectCodec;
use crate::waiting::Wait;

/// Bytes of items that are pushed and taken at once.
const BLOCK_BYTES: usize = 1 << 20;

/// Items between two looks at signals, which take 0.1 µs and are only needed if neither the items
/// nor their keys come from code in Python.
const ITEMS_BETWEEN_LOOKS: u64 = 4096;

/// Bytes in front of a key: those that follow them, and those of the key, in 32 bits each.
const NUMBERS: usize = 8;

/// Sorted items that wait to be taken.
#[pyclass(frozen, module = "sortwell._native")]
pub struct SortedItems {
    state: Arc<Guarded<ItemsState>>,
    /// The statistics as JSON, once the last item was taken.
    statistics: OnceLock<String>,
    wait: Wait,
    codec: ObjectCodec,
}

/// State of sorted items between two calls.
struct ItemsState {
    words: JobWords,
    stage: ItemsStage,
    /// Items that were taken from the sort.
    block: Vec<u8>,
    /// Bytes of the block that were returned.
    start: usize,
}

/// Stage of sorted items.
enum ItemsStage {
    Pulling(Box<RecordsInOrder>),
    Ended,
    Failed,
}

/// Sorts the items of an iterable. A serializer is two functions: from an object to bytes, and
/// back.
#[pyfunction]
pub fn sort_items(
    iterable: &Bound<'_, PyAny>,
    key: Option<&Bound<'_, PyAny>>,
    is_reverse: bool,
    options: Vec<OptionWords>,
    serializer: Option<(Py<PyAny>, Py<PyAny>)>,
    progress: Option<Py<PyAny>>,
) -> PyResult<SortedItems> {
    let py = iterable.py();
    let raised = |error: &Error| faults::exception(py, error);
    let mut words = job_words(py, EmbeddedCommand::Sort, options)?;
    let keyed = words.set("format".as_ref(), Some("keyed".as_ref()));
    keyed.map_err(|error| raised(&error))?;
    let job = words.pushed_job().map_err(|error| raised(&error))?;
    let codec = match serializer {
        None => ObjectCodec::Plain,
        Some((dumps, loads)) => ObjectCodec::Functions { dumps, loads },
    };
    let wait = Wait::new(py, Arc::default(), progress)?;
    let _call = wait.begin_call(py)?;
    // While the iterable makes an item, the end of the interpreter can close the sort.
    let sort = BlockSort::new(job, Arc::clone(wait.progress()));
    let sort = Guarded::new(sort, wait.progress());
    let mut feed = ItemFeed {
        sort: &sort,
        wait: &wait,
        codec: &codec,
        keys: ObjectKeys::new(is_reverse),
        block: Vec::new(),
        items: 0,
        pushed: (0, 0),
    };
    let fed = iterable.try_iter().and_then(|items| feed.feed(&items, key));
    if let Err(error) = fed {
        sort.close_detached();
        return Err(faults::interruption(py, error));
    }
    let sort = sort.lock(py, "sorted")?.take().ok_or_else(|| raised(&Error::Interrupted))?;
    let records =
        wait.run(py, || RecordsInOrder::of_sort(sort))?.map_err(|error| raised(&error))?;
    let stage = ItemsStage::Pulling(Box::new(records));
    let state = ItemsState { words, stage, block: Vec::new(), start: 0 };
    let state = Guarded::new(state, wait.progress());
    Ok(SortedItems { state, statistics: OnceLock::new(), wait, codec })
}

/// Items on their way to the sort.
struct ItemFeed<'w> {
    /// The sort, unless it was closed.
    sort: &'w Guarded<BlockSort>,
    wait: &'w Wait,
    codec: &'w ObjectCodec,
    keys: ObjectKeys,
    block: Vec<u8>,
    /// Number of items so far.
    items: u64,
    /// Items and bytes that were pushed before the block.
    pushed: (u64, u64),
}

impl ItemFeed<'_> {
    /// Pushes all items.
    fn feed(
        &mut self,
        items: &Bound<'_, PyIterator>,
        key: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let py = items.py();
        for (number, item) in (0..).zip(items.clone()) {
            let item = item?;
            if self.wait.progress().is_stopping() {
                return Err(faults::exception(py, &Error::Interrupted));
            }
            if number % ITEMS_BETWEEN_LOOKS == 0 {
                py.check_signals()?;
            }
            self.wait.show_if_due(py)?;
            match key {
                Some(key) => self.append(number, &item, &key.call1((&item,))?)?,
                None => self.append(number, &item, &item)?,
            }
            if self.block.len() >= BLOCK_BYTES {
                self.push(py)?;
            }
        }
        self.push(py)
    }

    /// Appends an item to the block.
    fn append(
        &mut self,
        number: u64,
        item: &Bound<'_, PyAny>,
        key: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let start = self.block.len();
        self.block.extend_from_slice(&[0; NUMBERS]);
        let key_start = self.block.len();
        self.keys.append(number, key, &mut self.block)?;
        let key_bytes = self.block.len() - key_start;
        self.codec.append(item, &mut self.block)?;
        let follows = self.block.len() - start - NUMBERS / 2;
        let Ok(follows) = u32::try_from(follows) else {
            return Err(faults::usage(
                item.py(),
                format!("item {number}, counted from 0: it has more than 4 GiB as bytes"),
            ));
        };
        let numbers = (key_bytes as u64) << u32::BITS | u64::from(follows);
        self.block[start..key_start].copy_from_slice(&numbers.to_le_bytes());
        self.items = number + 1;
        Ok(())
    }

    /// Pushes the block.
    fn push(&mut self, py: Python<'_>) -> PyResult<()> {
        let Self { sort, block, wait, .. } = self;
        let mut sort = sort.lock(py, "sorted")?;
        let sort = &mut *sort;
        let pushed = wait.run(py, || sort.as_mut().ok_or(Error::Interrupted)?.push(block))?;
        if let Err(error) = pushed {
            let raised = faults::exception(py, &error);
            if let Some(item) = error.offset().and_then(|offset| self.item_at(offset)) {
                let note = format!("it is item {item}, counted from 0; give more with memory=");
                raised.value(py).call_method1("add_note", (note,))?;
            }
            return Err(raised);
        }
        self.pushed = (self.items, self.pushed.1 + block.len() as u64);
        block.clear();
        Ok(())
    }

    /// Returns the number of the item of the block that has a byte of all that is pushed.
    fn item_at(&self, offset: u64) -> Option<u64> {
        let (mut item, mut end) = self.pushed;
        let mut rest = &self.block[..];
        while end <= offset {
            let (follows, bytes) = rest.split_first_chunk()?;
            let follows = u32::from_le_bytes(*follows);
            rest = bytes.get(follows as usize..)?;
            end += 4 + u64::from(follows);
            item += 1;
        }
        item.checked_sub(1).filter(|item| *item >= self.pushed.0)
    }
}

impl ItemsState {
    /// Returns the place of the next item in the block, if all of it is there.
    fn whole_item(&self) -> Option<(usize, usize)> {
        let number = |at: usize| {
            let bytes = self.block.get(at..at + 4)?;
            Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize)
        };
        let end = self.start + 4 + number(self.start)?;
        let payload = self.start + NUMBERS + number(self.start + 4)?;
        (end <= self.block.len()).then_some((payload, end))
    }

    /// Takes blocks until there is a whole item. Returns false after the last one.
    fn refill(&mut self, json: &OnceLock<String>) -> Result<bool> {
        self.block.drain(..self.start);
        self.start = 0;
        while self.whole_item().is_none() {
            let ItemsStage::Pulling(records) = &mut self.stage else { return Ok(false) };
            if records.advance_block()? {
                self.block.extend_from_slice(records.lent());
                continue;
            }
            if let ItemsStage::Pulling(records) =
                std::mem::replace(&mut self.stage, ItemsStage::Failed)
            {
                let statistics = records.close()?;
                json.get_or_init(|| self.words.statistics(&statistics, None));
                self.stage = ItemsStage::Ended;
            }
            self.block = Vec::new();
            return Ok(false);
        }
        Ok(true)
    }
}

impl SortedItems {
    /// Returns the next item; `None` after the last one.
    fn next_item<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut guard = self.state.lock(py, "sorted")?;
        let Some(state) = guard.as_mut() else {
            return Err(faults::usage(py, "sorted: the items were closed"));
        };
        if state.whole_item().is_none() {
            match state.stage {
                ItemsStage::Pulling(_) => {}
                ItemsStage::Ended => return Ok(None),
                ItemsStage::Failed => {
                    return Err(faults::usage(py, "sorted: it has failed before"));
                }
            }
            let refilled = self.wait.run(py, || state.refill(&self.statistics));
            match refilled.and_then(|done| done.map_err(|error| faults::exception(py, &error))) {
                Ok(true) => {}
                Ok(false) => {
                    self.wait.show_end(py)?;
                    return Ok(None);
                }
                Err(error) => {
                    let stage = std::mem::replace(&mut state.stage, ItemsStage::Failed);
                    detached(py, move || drop(stage));
                    return Err(error);
                }
            }
        }
        let Some((payload, end)) = state.whole_item() else { return Ok(None) };
        state.start = end;
        self.codec.object(py, &state.block[payload..end]).map(Some)
    }
}

#[pymethods]
impl SortedItems {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.next_item(py).map_err(|raised| {
            let _call = OpenCall::note(None);
            faults::in_iterator(py, faults::interruption(py, raised))
        })
    }

    /// Returns the statistics as JSON; `None` before the last item was taken.
    fn statistics(&self) -> Option<&str> {
        self.statistics.get().map(String::as_str)
    }

    /// Stops the sort and removes its files, unless it has ended.
    fn close(&self) {
        self.state.close_detached();
    }

    /// Visits what may refer to this object. None of it ever changes, so there is no `__clear__`:
    /// a cycle has a reference that was made later, which Python can remove.
    fn __traverse__(&self, visit: PyVisit<'_>) -> std::result::Result<(), PyTraverseError> {
        self.codec.traverse(&visit)?;
        self.wait.traverse(&visit)
    }
}

impl Drop for SortedItems {
    fn drop(&mut self) {
        self.state.close_detached();
    }
}
