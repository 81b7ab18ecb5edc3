//! Leftovers of jobs in a directory: listing and removing them.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::{ConfigErrorKind, Error, Message, Result, config};
use crate::io::{
    DirectoryIdentity, KEPT_NAME, SpillDirectory, abandoned, belonging_directories, distinct,
    is_part, spill_directories, sweep,
};
use crate::manifest::{JobEntry, LogEntry, Manifest, Past};
use crate::stripe::SpillPlace;
use crate::units::ByteSize;

/// A leftover of one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// The directory of its manifest; of an abandoned job, a spill directory or a temporary output.
    pub path: PathBuf,
    /// State of the job.
    pub state: LeftoverState,
    /// Path of its output, if the manifest records one.
    pub output: Option<PathBuf>,
    /// Bytes in its directories, and of its output on its way.
    pub bytes: ByteSize,
}

/// State of a job that has ended early or still runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftoverState {
    /// It is running.
    Running,
    /// Another job can continue it; some runs, or some bytes of the output, are done.
    Kept {
        /// Runs that are done.
        runs: usize,
        /// Bytes of the output that are done.
        merged: ByteSize,
    },
    /// The manifest is damaged; the message describes the damage.
    Damaged(Message),
    /// It was killed, and no job can continue from what it left.
    Abandoned,
}

/// Returns what jobs have left in `directory`: first the work that other jobs can continue, then
/// the work that killed jobs have abandoned, each in order of the names. The definition of a
/// striped file stands for the directories of its members.
///
/// # Errors
///
/// [`Error::Io`] where the directory cannot be read.
pub fn leftovers(directory: &Path) -> Result<Vec<Leftover>> {
    let (mut kept, mut dead) = (Vec::new(), Vec::new());
    for directory in places(directory)? {
        check(&directory)?;
        kept.extend(spill_directories(&directory)?);
        dead.extend(abandoned(&directory)?);
    }
    let mut found: Vec<_> = kept.iter().map(|path| leftover(path)).collect::<Result<_>>()?;
    found.extend(dead.into_iter().map(|path| Leftover {
        bytes: ByteSize(if path.is_dir() { bytes_in(&path) } else { allocated(&path) }),
        path,
        state: LeftoverState::Abandoned,
        output: None,
    }));
    Ok(found)
}

/// Returns the directories that a name stands for, each once.
fn places(name: &Path) -> Result<Vec<PathBuf>> {
    let place = SpillPlace::at(name)?;
    let mut places: Vec<PathBuf> = place.directories().map(|(path, _)| path.to_owned()).collect();
    places.sort_unstable();
    Ok(distinct(places, |path| DirectoryIdentity::of(path)))
}

fn leftover(directory: &Path) -> Result<Leftover> {
    let told = Manifest::look(directory).and_then(|entries| Past::of(directory, entries));
    let (state, job) = match told {
        Ok((job, past)) => {
            let merged = ByteSize(past.slab.map_or(0, |slab| slab.offset));
            let runs = past.runs.len() + past.parts.len();
            (LeftoverState::Kept { runs, merged }, Some(job))
        }
        Err(Error::Corrupt { message, .. }) => (LeftoverState::Damaged(message), job_of(directory)),
        Err(e) => (LeftoverState::Damaged(e.to_string().into()), job_of(directory)),
    };
    let is_free = SpillDirectory::adopt(directory)?.is_some();
    let state = if is_free { state } else { LeftoverState::Running };
    let files = job.iter().flat_map(|job| job.directories.iter().map(|path| path.0.clone()));
    let mut places: Vec<PathBuf> = files.collect();
    if places.is_empty() {
        places.push(directory.to_owned());
    }
    let mut bytes: u64 = places.iter().map(|path| bytes_in(path)).sum();
    bytes += job.as_ref().map_or(0, |job| allocated(&job.part));
    let output = job.map(|job| job.output);
    Ok(Leftover { path: directory.to_owned(), state, output, bytes: ByteSize(bytes) })
}

/// Returns the job of a manifest whose later lines may be damaged.
fn job_of(directory: &Path) -> Option<JobEntry> {
    match Manifest::first(directory) {
        Ok(Some(LogEntry::Job(job))) => Some(job),
        _ => None,
    }
}

/// Returns whether there is more than the beginning in a manifest, as far as it can be read. A
/// whole output that does not have its name yet counts: until then the runs and the file on its way
/// are all there is.
fn holds_records(directory: &Path) -> bool {
    let past = Manifest::look(directory).and_then(|entries| Past::of(directory, entries));
    past.map_or(true, |(job, past)| {
        let has_name = past.is_whole && is_missing(&job.part);
        !past.runs.is_empty() && !has_name
    })
}

/// Returns whether no file has this name. A name that cannot be looked at may have one.
pub fn is_missing(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

fn bytes_in(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| allocated(&entry.path())).sum()
}

/// Returns the number of bytes that a file takes of its disk.
fn allocated(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    fs::symlink_metadata(path).map_or(0, |data| data.blocks() * 512)
}

/// Removes what jobs that run no more have left in `directory`, likewise, kept or not; how many
/// they were. What holds records of a file that was being sorted in place stays, unless
/// `with_records`: they are nowhere else.
///
/// # Errors
///
/// [`Error::Io`] where something cannot be looked at; what cannot be removed is left.
pub fn remove_leftovers(directory: &Path, with_records: bool) -> Result<usize> {
    let mut removed = 0;
    for directory in places(directory)? {
        removed += remove_from(&directory, with_records)?;
    }
    Ok(removed)
}

fn remove_from(directory: &Path, with_records: bool) -> Result<usize> {
    check(directory)?;
    let mut removed = sweep(directory)?;
    for path in spill_directories(directory)? {
        let is_kept = |job: Option<&JobEntry>| {
            !with_records && job.is_none_or(|job| job.is_in_place && holds_records(&path))
        };
        if is_kept(job_of(&path).as_ref()) {
            continue;
        }
        let Some(mut own) = SpillDirectory::adopt(&path)? else { continue };
        // Its job may have noted records before it was killed.
        let job = job_of(&path);
        if is_kept(job.as_ref()) {
            continue;
        }
        for other in job.iter().flat_map(|job| job.directories.iter().skip(1)) {
            if let Ok(Some(mut other)) = SpillDirectory::adopt(&other.0) {
                other.keep(false);
            }
        }
        // Only what our own pattern names: a manifest is a file like any other.
        if let Some(job) = job.filter(|job| is_part(&job.part)) {
            let _ = fs::remove_file(&job.part);
        }
        own.keep(false);
        removed += 1;
    }
    for path in belonging_directories(directory)? {
        let Some(mut own) = SpillDirectory::adopt(&path)? else { continue };
        // Without its manifest it is of no use to anyone; but that may be on a disk which is not
        // there just now.
        if let Some((other, is_only_copy)) = own.belongs_to()?
            && (with_records || !is_only_copy)
            && is_missing(&other.join(KEPT_NAME))
        {
            own.keep(false);
            removed += 1;
        }
    }
    Ok(removed)
}

fn check(directory: &Path) -> Result<()> {
    match fs::metadata(directory) {
        Ok(data) if data.is_dir() => Ok(()),
        Ok(_) => {
            let kind = ConfigErrorKind::InvalidPath;
            Err(config!(kind, "{} is not a directory", directory.display()))
        }
        Err(e) => Err(Error::io("look for leftovers in", directory, e)),
    }
}
