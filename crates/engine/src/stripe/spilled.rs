//! Files in spill directories by their paths, whether they lie there alone or striped over others
//! too: a file that its home says more about is one file of each, called by the first.
//!
//! What stands in a home is not believed: others have to be spill directories by their names, so
//! that nothing else is opened or removed.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags, open as open_descriptor};
use rustix::io::Errno;

use super::Definition;
use super::definition::TEXT_MAX;
use crate::error::{Error, Result};
use crate::io::striped::{StripeLayout, Stripes};
use crate::io::{Direct, File, directory_of, is_spill_directory, not_opened};

/// Name of the file in a home that lists the other directories of its files.
pub(super) const STRIPES_NAME: &str = "stripes";

/// Returns the directories that files of this one lie in, itself first, and how they are dealt out,
/// if it is the home of such.
///
/// # Errors
///
/// [`Error::Corrupt`] where what it says cannot be, [`Error::Io`].
pub(super) fn members_of(home: &Path) -> Result<Option<(Vec<PathBuf>, StripeLayout)>> {
    let path = home.join(STRIPES_NAME);
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let descriptor = match open_descriptor(&path, flags, Mode::empty()) {
        Ok(descriptor) => descriptor,
        Err(Errno::NOENT) => return Ok(None),
        Err(e) => return Err(not_opened("open", &path, e)),
    };
    let mut text = Vec::new();
    let mut file = std::fs::File::from(descriptor).take(TEXT_MAX + 1);
    file.read_to_end(&mut text).map_err(|e| Error::io("read", &path, e))?;
    let wrong = |message: String| Error::corrupt(&path, 0, message);
    let definition = Definition::of_text(&text).map_err(wrong)?;
    let mut directories = definition.places(&path);
    if let Some(other) = directories.iter().find(|other| !is_spill_directory(other)) {
        return Err(wrong(format!("{} is not a spill directory", other.display())));
    }
    if directories[0].file_name() != home.file_name() {
        return Err(wrong(format!("it belongs to {}", directories[0].display())));
    }
    home.clone_into(&mut directories[0]);
    Ok(Some((directories, definition.layout())))
}

/// Returns the files that make up the one at `path`, and how it is dealt out over them.
fn files_of(path: &Path) -> Result<Option<(Vec<PathBuf>, StripeLayout)>> {
    let name = path.file_name().unwrap_or_default();
    let within = |directory: PathBuf| directory.join(name);
    let found = members_of(directory_of(path))?;
    Ok(found.map(|(members, layout)| (members.into_iter().map(within).collect(), layout)))
}

/// Returns the files that make up the one at `path`, that first.
pub fn paths(path: &Path) -> Result<Vec<PathBuf>> {
    Ok(files_of(path)?.map_or_else(|| vec![path.to_owned()], |(paths, _)| paths))
}

/// Creates a file that must not exist yet; see [`File::create`].
pub fn create(path: &Path, direct: Direct) -> Result<Arc<File>> {
    let Some((paths, layout)) = files_of(path)? else { return File::create(path, direct) };
    let mut members = Vec::with_capacity(paths.len());
    for path in &paths {
        let member = File::create(path, direct).inspect_err(|_| {
            members.iter().for_each(|made: &Arc<File>| drop(std::fs::remove_file(made.path())));
        })?;
        members.push(member);
    }
    Ok(File::of_stripes(path, Stripes::spilled(layout, members), 0))
}

/// Opens a file for reading. How much of it each member should have is for the caller to ask
/// ([`File::misfit`]): its length is that of all together.
pub fn open(path: &Path, direct: Direct) -> Result<Arc<File>> {
    match files_of(path)? {
        None => File::open_read(path, direct),
        Some((paths, layout)) => {
            put_together(path, &paths, layout, |path| File::open_read(path, direct))
        }
    }
}

/// Opens a file for writing and reading back; see [`File::reopen`].
pub fn reopen(path: &Path, direct: Direct) -> Result<Arc<File>> {
    match files_of(path)? {
        None => File::reopen(path, direct),
        Some((paths, layout)) => {
            put_together(path, &paths, layout, |path| File::reopen(path, direct))
        }
    }
}

fn put_together(
    path: &Path,
    paths: &[PathBuf],
    layout: StripeLayout,
    open: impl Fn(&Path) -> Result<Arc<File>>,
) -> Result<Arc<File>> {
    let members: Vec<Arc<File>> = paths.iter().map(|path| open(path)).collect::<Result<_>>()?;
    let length = members.iter().fold(0, |sum: u64, member| sum.saturating_add(member.len()));
    Ok(File::of_stripes(path, Stripes::spilled(layout, members), length))
}

/// Removes a file, all that there is of it.
///
/// # Errors
///
/// The first error; the rest is removed all the same.
pub fn remove(path: &Path) -> Result<()> {
    let remove =
        |path: PathBuf| std::fs::remove_file(&path).map_err(|e| Error::io("remove", &path, e));
    let results: Vec<Result<()>> = paths(path)?.into_iter().map(remove).collect();
    results.into_iter().collect()
}

/// Returns the bytes of a file, if all of it is there.
pub fn bytes(path: &Path) -> Result<Option<u64>> {
    let mut sum: u64 = 0;
    for path in paths(path)? {
        match std::fs::symlink_metadata(&path) {
            Ok(data) => sum = sum.saturating_add(data.len()),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::io("look at", &path, e)),
        }
    }
    Ok(Some(sum))
}

impl File {
    /// Returns the first member, or the file itself, whose size is wrong for a file of `length`
    /// bytes. Also returns its actual and expected bytes.
    pub fn misfit(&self, length: u64) -> Option<(&Path, u64, u64)> {
        let Some(stripes) = self.stripes() else {
            return (self.len() != length).then(|| (self.path(), self.len(), length));
        };
        let fit = |(number, member): (usize, &Arc<File>)| {
            (member.len(), stripes.layout().member_bytes(number, length))
        };
        let sizes = stripes.members().iter().enumerate().map(fit);
        let mut members = stripes.members().iter().zip(sizes);
        let found = members.find(|(_, (found, expected))| found != expected);
        found.map(|(member, (found, expected))| (member.path(), found, expected))
    }

    /// Returns the directories that have names of it.
    pub fn directories(&self) -> Vec<&Path> {
        match self.stripes() {
            None => vec![directory_of(self.path())],
            Some(stripes) => {
                stripes.members().iter().map(|member| directory_of(member.path())).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests;
