//! Places for runs: a directory, or several that every run is striped over; and the files made
//! there for a job.
//!
//! ```text
//!   /a/sortwell-spill-PID-RANDOM/   lock  stripes  run-000000  run-000001     home
//!   /b/sortwell-spill-PID-RANDOM/   lock           run-000000  run-000001
//! ```
//!
//! Each is a spill directory like any other (`scratch`), which is locked, swept and kept by itself.
//! Files are named by the first of them, their home; `stripes`, a definition like those of striped
//! files, says there where the others are (`spilled`).

use std::path::{Path, PathBuf};

use super::spilled::{STRIPES_NAME, members_of};
use super::{Definition, Member, Stride};
use crate::error::{ConfigErrorKind, Error, Result, config};
use crate::io::{Direct, DirectoryIdentity, File, SpillDirectory, directory_of, sync_directory};

/// Directories of a user's, over which each file is dealt out by strides; mostly only one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpillPlace {
    directories: Vec<(PathBuf, u64)>,
}

impl SpillPlace {
    /// Returns the set of one directory.
    pub fn directory(path: &Path) -> Self {
        Self { directories: vec![(path.to_owned(), 1)] }
    }

    /// Returns the directories of a striped file's members, if `path` is the definition of one,
    /// else the directory `path`.
    ///
    /// # Errors
    ///
    /// The errors of reading the definition.
    pub fn at(path: &Path) -> Result<Self> {
        if !Definition::is_at(path) {
            return Ok(Self::directory(path));
        }
        let definition = Definition::read(path)?;
        let layout = definition.layout();
        let directory = |(number, place): (usize, PathBuf)| {
            (directory_of(&place).to_owned(), layout.stride(number))
        };
        let places = definition.places(path).into_iter().enumerate();
        Ok(Self { directories: places.map(directory).collect() })
    }

    /// Returns the identities of the directories, to compare with another place.
    pub fn identity(&self) -> Vec<DirectoryIdentity> {
        self.directories.iter().map(|(path, _)| DirectoryIdentity::of(path)).collect()
    }

    /// Returns each directory, and the stride it takes by turns.
    pub fn directories(&self) -> impl Iterator<Item = (&Path, u64)> {
        self.directories.iter().map(|(path, stride)| (path.as_path(), *stride))
    }

    /// Returns how many there are: files of the system to each run.
    pub fn members(&self) -> usize {
        self.directories.len()
    }

    /// Returns the place by paths that stay the same however it was spelled.
    ///
    /// # Errors
    ///
    /// The errors of looking for a directory that is not there.
    pub fn real(&self) -> Result<Self> {
        let real = |(path, stride): &(PathBuf, u64)| match path.canonicalize() {
            Ok(path) => Ok((path, *stride)),
            Err(e) => Err(Error::io("find", path, e)),
        };
        let directories = self.directories.iter().map(real).collect::<Result<_>>()?;
        Ok(Self { directories })
    }
}

/// The spill directories of one job in a place; removed with all their files when dropped, unless
/// they are kept.
#[derive(Debug)]
pub struct SpillSet {
    /// Home first.
    directories: Vec<SpillDirectory>,
    strides: Vec<u64>,
}

impl SpillSet {
    /// Makes a directory in each of the place.
    pub fn create(place: &SpillPlace) -> Result<Self> {
        let made = place.directories().map(|(path, _)| SpillDirectory::create(path));
        let directories = made.collect::<Result<Vec<_>>>()?;
        let strides = place.directories().map(|(_, stride)| stride).collect();
        let made = Self { directories, strides };
        if made.directories.len() > 1 {
            made.write_stripes()?;
        }
        Ok(made)
    }

    /// Says at home where the others are.
    fn write_stripes(&self) -> Result<()> {
        let mut members = Vec::with_capacity(self.directories.len());
        for (directory, stride) in self.directories() {
            let path =
                std::path::absolute(directory).map_err(|e| Error::io("find", directory, e))?;
            members.push(Member { path, stride: Stride::Bytes(stride), checksum: None });
        }
        let wrong = |message| {
            config!(
                ConfigErrorKind::InvalidPath,
                "runs cannot be striped over these directories: {}",
                message,
            )
        };
        let definition = Definition::new(members, None).map_err(wrong)?;
        let text = Definition { set: None, ..definition }.text();
        Definition::of_text(&text).map_err(wrong)?; // With such paths it may be too long.
        File::create(&self.home().join(STRIPES_NAME), Direct::Off)?.write_at(&text, 0)
    }

    /// Directories that are there, put together as they were made.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where one says that it goes with others which are not among them.
    pub fn grouped(mut directories: Vec<SpillDirectory>) -> Result<Vec<Self>> {
        let mut groups = Vec::new();
        let homes = directories.iter().map(|own| members_of(own.path()));
        let homes = homes.collect::<Result<Vec<_>>>()?;
        let is_member = |path: &Path| {
            let behind = |(paths, _): &(Vec<PathBuf>, _)| paths[1..].iter().any(|own| own == path);
            homes.iter().flatten().any(behind)
        };
        let order: Vec<PathBuf> = directories.iter().map(|own| own.path().to_owned()).collect();
        for (path, home) in order.iter().zip(&homes).filter(|(path, _)| !is_member(path)) {
            let (paths, strides) = match home {
                None => (vec![path.clone()], vec![1]),
                Some((paths, layout)) => {
                    let strides = (0..layout.members()).map(|number| layout.stride(number));
                    (paths.clone(), strides.collect())
                }
            };
            let take = |wanted: &PathBuf| {
                let at = directories.iter().position(|own| own.path() == wanted);
                at.map(|at| directories.remove(at)).ok_or_else(|| {
                    let wanted = wanted.display();
                    let message = format!("{wanted} is missing, or belongs to another job");
                    Error::corrupt(&path.join(STRIPES_NAME), 0, message)
                })
            };
            let directories = paths.iter().map(take).collect::<Result<_>>()?;
            groups.push(Self { directories, strides });
        }
        match directories.first() {
            None => Ok(groups),
            Some(left) => {
                let message = "it and another directory refer to each other";
                Err(Error::corrupt(&left.path().join(STRIPES_NAME), 0, message))
            }
        }
    }

    /// Returns the directory that files are named by.
    pub fn home(&self) -> &Path {
        self.directories[0].path()
    }

    /// Returns each directory, and the stride it takes by turns.
    pub fn directories(&self) -> impl Iterator<Item = (&Path, u64)> {
        let paths = self.directories.iter().map(SpillDirectory::path);
        paths.zip(self.strides.iter().copied())
    }

    /// Returns how many there are: files of the system to each run.
    pub fn members(&self) -> usize {
        self.directories.len()
    }

    /// Says whether they stay when dropped; see [`SpillDirectory::keep`].
    pub fn keep(&mut self, is_kept: bool) {
        self.directories.iter_mut().for_each(|directory| directory.keep(is_kept));
    }

    /// Says in each durably that it goes with `other`, but in that itself; see
    /// [`SpillDirectory::belong_to`].
    pub fn belong_to(&self, other: &Path, may_be_only_copy: bool) -> Result<()> {
        let others = self.directories.iter().filter(|own| own.path() != other);
        others.into_iter().try_for_each(|own| own.belong_to(other, may_be_only_copy))
    }

    /// Makes all that is there durable, and the names of the directories.
    pub fn make_durable(&self) -> Result<()> {
        if self.directories.len() > 1 {
            File::reopen(&self.home().join(STRIPES_NAME), Direct::Off)?.sync_data()?;
        }
        for (path, _) in self.directories() {
            sync_directory(path)?;
            sync_directory(directory_of(path))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
