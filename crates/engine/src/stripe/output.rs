//! A new striped file, which appears whole: its members have names that no text names until the
//! text is replaced.
//!
//! ```text
//!   /a/.out~S7f31.sortwell-….tmp   ──▶   /a/out~S7f31    durable, and known to nobody
//!   /b/.out~S7f31.sortwell-….tmp   ──▶   /b/out~S7f31
//!                                        NAME.str        is replaced and names them
//!                                        /a/out~S05c2    what it named before is removed
//! ```
//!
//! Members of this set, S, and of a generation that the text does not name are what a killed job
//! has left: the next output of the set removes them, unless their maker lives and has locked them.
//! It does so only where the generation that the text names is there, whole: otherwise the text may
//! be damaged, and what looks left may be all there is. Those of other sets are nobody's business
//! here, nor is any file whose name lacks the numbers of set and generation.

use std::fs;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::definition::{Definition, DefinitionForm, numbered, numbers_of, random_number};
use super::opening::{are_whole, checksum_of};
use crate::error::{Error, Result};
use crate::io::striped::{Stripes, in_parallel};
use crate::io::{
    Direct, File, TempFile, directory_of, free_lock, open_followed, sweep, sync_directory,
};

/// A new generation of a striped file, removed when dropped unless it was
/// [finished](Self::finish).
#[derive(Debug)]
pub struct StripedOutput {
    /// Path of the set's definition.
    path: PathBuf,
    /// Definition as it will be.
    definition: Definition,
    /// The files that are replaced.
    old: Vec<PathBuf>,
    members: Vec<TempFile>,
    file: Arc<File>,
}

impl StripedOutput {
    /// Creates new members for the set that is defined at `path`.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] where it is not well defined; those of creating files.
    pub fn create(path: &Path, direct: Direct) -> Result<Self> {
        let mut definition = Definition::read(path)?;
        // Files that a text of two columns names are not ours, and stay.
        let old = match std::mem::replace(&mut definition.form, DefinitionForm::Numbered) {
            DefinitionForm::Numbered => definition.files(path),
            DefinitionForm::Columns => Vec::new(),
        };
        let places = definition.places(path);
        let known = are_whole(&definition, path).then_some(definition.generation);
        let set = *definition.set.get_or_insert_with(random_number);
        for place in &places {
            tidy(path, place, set, known.flatten())?;
        }
        let is_taken = |number: u32| {
            let is_there = |name: PathBuf| fs::symlink_metadata(name).is_ok();
            let mut names = places.iter().map(|place| numbered(place, set, number));
            definition.generation == Some(number) || names.any(is_there)
        };
        let numbers = std::iter::repeat_with(random_number);
        let mut free = numbers.skip_while(|number| is_taken(*number));
        let generation = free.next().unwrap_or_else(|| unreachable!("numbers do not end"));
        definition.generation = Some(generation);
        let create = |place: &PathBuf| {
            let name = numbered(place, set, generation);
            TempFile::create(&name, direct).map_err(|e| explained(e, path))
        };
        let members = in_parallel(places.iter(), create)?;
        let files = members.iter().map(|member| Arc::clone(member.file())).collect();
        let file = File::of_stripes(path, Stripes::new(definition.layout(), files), 0);
        Ok(Self { path: path.to_owned(), definition, old, members, file })
    }

    /// Returns the file, for requests.
    pub fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// Gives the set its new members, of `length` bytes together. With `sync` they are on the disk
    /// before they are named, and that is durable when this returns. After an error the set is as
    /// it was, unless only the last sync failed: then it has the new members.
    pub fn finish(self, length: u64, sync: bool) -> Result<()> {
        self.finish_with(length, sync, sync_directory)
    }

    /// Finishes the output. `sync_names` is the last sync.
    pub(super) fn finish_with(
        self,
        length: u64,
        sync: bool,
        sync_names: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<()> {
        let Self { path, mut definition, old, members, file } = self;
        file.set_len(length)?;
        definition.length = length;
        for (member, own) in definition.members.iter_mut().zip(&members) {
            member.checksum = Some(checksum_of(own.file())?);
        }
        let new = definition.files(&path);
        // Their locks last as long as the file is open: nobody takes them for litter meanwhile.
        let named =
            in_parallel(members.into_iter().zip(&new), |(member, name)| member.persist(name, sync));
        let replaced = named.and_then(|_| definition.replace(&path, sync));
        let directory = replaced.inspect_err(|_| remove(&new))?;
        drop(file);
        if sync {
            // After a power failure the old text may be back, and names the old members.
            sync_names(&directory)?;
        }
        remove(&old);
        Ok(())
    }
}

/// Removes files that nobody needs; that they are there is no harm.
fn remove(paths: &[PathBuf]) {
    for path in paths {
        let _ = fs::remove_file(path);
    }
}

/// Removes what killed jobs have left of a member: temporary files, and generations of the set at
/// `path` that are not the one that counts, if there is one.
pub(super) fn tidy(path: &Path, place: &Path, set: u32, counts: Option<u32>) -> Result<()> {
    let directory = directory_of(place);
    if !directory.is_dir() {
        return Err(Error::io("make a member in", directory, rustix::io::Errno::NOENT));
    }
    sweep(directory)?;
    let (Some(name), Some(counts)) = (place.file_name(), counts) else { return Ok(()) };
    let failed = |e| Error::io("look for old members in", directory, e);
    let opened = open_followed(directory).map_err(|e| failed(e.into()))?;
    for entry in fs::read_dir(directory).map_err(failed)? {
        let file = entry.map_err(failed)?.file_name();
        let found = numbers_of(name.as_bytes(), file.as_bytes());
        let old = found.filter(|(of, generation)| *of == set && *generation != counts);
        if let Some((_, generation)) = old {
            // Held until the name is gone.
            let Ok(Some(_lock)) = free_lock(opened.as_fd(), file.as_bytes()) else { continue };
            // Another job may have given the set new members since. It has locked them until then.
            if Definition::read(path)?.generation != Some(generation) {
                let _ = fs::remove_file(directory.join(&file));
            }
        }
    }
    Ok(())
}

/// Returns an error of a member, which says of which set.
fn explained(error: Error, set: &Path) -> Error {
    match error {
        Error::Io { action, path, offset, source } => {
            let message = format!("{source} (a member of {})", set.display());
            let source = std::io::Error::new(source.kind(), message);
            Error::Io { action, path, offset, source }
        }
        other => other,
    }
}
