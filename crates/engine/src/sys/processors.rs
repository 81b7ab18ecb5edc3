//! Processors that threads may run on, and the memory that is nearest to them.
//!
//! On machines of several NUMA nodes a page belongs to the node of the thread that touches it
//! first. A worker that stays on its node finds its buffers there, and what it has read itself.

use std::fs::{read_dir, read_to_string};
use std::path::Path;
use std::str::FromStr;

use crate::error::{ParseError, message, named};
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// Directory in which the system lists its nodes.
const NODES: &str = "/sys/devices/system/node";

named! {
    /// Choice of processors that workers stay on.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Affinity {
        /// On their nodes, if there are several.
        #[default]
        Auto = "auto",
        /// They run where the system has them run.
        Off = "off",
        /// Each stays on a processor of its own.
        Cores = "cores",
        /// Each stays on the processors of one node.
        Nodes = "nodes",
    }
}

impl FromStr for Affinity {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::ALL.into_iter().find(|affinity| affinity.name() == text).ok_or_else(|| {
            let message = message!("'{}' is not an affinity; use auto, off, cores or nodes", text);
            ParseError::new("affinity", text, message)
        })
    }
}

impl Affinity {
    /// Returns the processors that each of `workers` workers stays on; `None` where they may run
    /// anywhere, or the system does not tell.
    pub fn places(self, workers: usize) -> Vec<Option<Vec<usize>>> {
        let nodes = if self == Self::Off { Vec::new() } else { nodes(Path::new(NODES)) };
        places(self, &nodes, workers)
    }
}

/// Returns the processors of each worker on a machine with these processors, node by node.
fn places(affinity: Affinity, nodes: &[Vec<usize>], workers: usize) -> Vec<Option<Vec<usize>>> {
    let by_nodes = match affinity {
        Affinity::Auto => nodes.len() > 1,
        Affinity::Off => return vec![None; workers],
        Affinity::Cores => {
            // The first of each node, then the second of each: workers are spread over the nodes.
            let longest = nodes.iter().map(Vec::len).max().unwrap_or(0);
            let all = (0..longest).flat_map(|at| nodes.iter().filter_map(move |node| node.get(at)));
            let all: Vec<usize> = all.copied().collect();
            let own = |worker: usize| all.get(worker % all.len().max(1)).map(|one| vec![*one]);
            return (0..workers).map(own).collect();
        }
        Affinity::Nodes => true,
    };
    let nodes = if by_nodes { nodes } else { &[] };
    (0..workers).map(|worker| nodes.get(worker % nodes.len().max(1)).cloned()).collect()
}

/// Returns the processors of each node that this thread may run on; all in one node where the
/// system lists none.
fn nodes(directory: &Path) -> Vec<Vec<usize>> {
    let allowed = allowed();
    if allowed.is_empty() {
        return Vec::new(); // The system does not tell.
    }
    let mut nodes: Vec<Vec<usize>> = listed(directory)
        .into_iter()
        .map(|node| node.into_iter().filter(|processor| allowed.contains(processor)).collect())
        .filter(|node: &Vec<usize>| !node.is_empty())
        .collect();
    if nodes.iter().map(Vec::len).sum::<usize>() != allowed.len() {
        nodes = vec![allowed]; // The system contradicts itself.
    }
    nodes
}

/// Returns the lists in the files of nodes, in the order of their numbers.
fn listed(directory: &Path) -> Vec<Vec<usize>> {
    let Ok(entries) = read_dir(directory) else { return Vec::new() };
    let number = |entry: std::io::Result<std::fs::DirEntry>| {
        let entry = entry.ok()?;
        let number = entry.file_name().to_str()?.strip_prefix("node")?.parse::<usize>().ok()?;
        Some((number, read_to_string(entry.path().join("cpulist")).ok()?))
    };
    let mut lists: Vec<(usize, String)> = entries.filter_map(number).collect();
    lists.sort_unstable();
    lists.iter().filter_map(|(_, list)| of_list(list)).collect()
}

/// Returns the numbers of a list such as `0-3,8,10-11`; `None` for anything else.
fn of_list(text: &str) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
        if first > last || last >= CpuSet::MAX_CPU {
            return None;
        }
        numbers.extend(first..=last);
    }
    Some(numbers)
}

/// Returns the processors that this thread may run on.
fn allowed() -> Vec<usize> {
    let Ok(set) = sched_getaffinity(None) else { return Vec::new() };
    (0..CpuSet::MAX_CPU).filter(|processor| set.is_set(*processor)).collect()
}

/// Keeps this thread on some processors. Where the system does not allow it, the thread continues
/// anywhere: the statistics show that.
pub fn stay_on(processors: &[usize]) {
    let mut set = CpuSet::new();
    for processor in processors.iter().filter(|processor| **processor < CpuSet::MAX_CPU) {
        set.set(*processor);
    }
    let _ = sched_setaffinity(None, &set);
}

/// Keeps the thread that made it on some processors; when it goes, the thread may run where it
/// could before.
#[derive(Debug)]
pub struct Stay(Option<CpuSet>);

impl Stay {
    /// Keeps the thread on these processors. Without any, the thread runs anywhere.
    pub fn on(processors: Option<&[usize]>) -> Self {
        let before = processors.and_then(|processors| {
            let before = sched_getaffinity(None).ok();
            stay_on(processors);
            before
        });
        Self(before)
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        let _ = self.0.map(|before| sched_setaffinity(None, &before));
    }
}

/// Returns the processor that this thread is on.
pub fn current() -> usize {
    sched_getcpu()
}

#[cfg(test)]
mod tests;
