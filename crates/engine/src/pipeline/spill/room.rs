//! Bytes that fit in the file systems of all places: looked up, and calculated in `share`.

use std::path::{Path, PathBuf};

use super::share::{self, RunShare};
use crate::error::{Error, Result, Setting};
use crate::sys::space;
use crate::units::ByteSize;

/// The file systems that some places are on.
#[derive(Debug, Default)]
pub struct Systems {
    systems: Vec<System>,
    /// Of each place, the parts that its systems take of every run.
    places: Vec<Vec<RunShare>>,
}

#[derive(Debug)]
struct System {
    device: u64,
    free: u64,
    /// A directory on it.
    path: PathBuf,
}

impl Systems {
    /// Adds a place of directories, each with the bytes that it takes by turns.
    pub fn add<'a>(&mut self, directories: impl Iterator<Item = (&'a Path, u64)>) -> Result<()> {
        let mut parts: Vec<RunShare> = Vec::new();
        for (path, stride) in directories {
            let device = space::device(path)?;
            let known = self.systems.iter().position(|system| system.device == device);
            let system = match known {
                Some(system) => system,
                None => {
                    let (free, path) = (space::free(path)?.bytes(), path.to_owned());
                    self.systems.push(System { device, free, path });
                    self.systems.len() - 1
                }
            };
            match parts.iter_mut().find(|part| part.system == system) {
                Some(part) => part.stride += stride,
                None => parts.push(RunShare { system, stride }),
            }
        }
        self.places.push(parts);
        Ok(())
    }

    fn free(&self) -> Vec<u64> {
        self.systems.iter().map(|system| system.free).collect()
    }

    /// Returns the number of bytes that fit in all places together, in pieces of `piece_bytes` at
    /// most.
    pub fn room(&self, piece_bytes: u64) -> u64 {
        share::room(&self.free(), &self.places, piece_bytes)
    }

    /// Checks that the bytes fit, in the given pieces. Where the file system `freed` is among them,
    /// which gets room back meanwhile, `beside` bytes there are enough.
    pub fn check(
        mut self,
        bytes: u64,
        piece_bytes: u64,
        freed: Option<u64>,
        beside: u64,
    ) -> Result<()> {
        let mut needed = bytes;
        if let Some(own) = self.systems.iter_mut().find(|system| Some(system.device) == freed) {
            if self.places.iter().all(|parts| parts.len() == 1) {
                needed = bytes.min(beside);
            } else if own.free >= beside {
                own.free = u64::MAX;
            }
        }
        let available = self.room(piece_bytes);
        if available >= needed {
            return Ok(());
        }
        let others = self.systems.len() - 1;
        let told = match &self.places[..] {
            // Of the only place, the part that is too much for its disk.
            [parts] => share::tightest(&self.free(), parts).map(|part| {
                let System { free, path, .. } = &self.systems[part.system];
                (path, 0, share::part_of(needed, part, parts), *free)
            }),
            _ => None,
        };
        let fullest = self.systems.iter().min_by_key(|system| system.free);
        let of_all = fullest.map(|system| (&system.path, others, needed, available));
        match told.or(of_all) {
            None => Ok(()),
            Some((path, others, needed, available)) => Err(Error::NoSpace {
                path: path.clone(),
                others,
                needed: ByteSize(needed),
                available: ByteSize(available),
                setting: Some(Setting::Temp),
            }),
        }
    }
}
