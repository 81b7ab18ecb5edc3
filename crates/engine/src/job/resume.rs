//! Going on where another job has ended: finding what it has left, and making sure that it is the
//! same job on the same inputs.

mod parts;
mod wanted;

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::destinations;
use super::leftovers::is_missing;
use crate::error::{ConfigErrorKind, Error, Operation, Result, config};
use crate::io::{
    Direct, DirectoryIdentity, File, KEPT_NAME, SpillDirectory, TempFile, check_whole_at,
    directory_of, distinct, is_part, spill_directories, sync_directory,
};
use crate::manifest::{JobEntry, LogEntry, Manifest, Past};
use crate::output;
use crate::pipeline::Spill;
use crate::run::RunReader;
use crate::stats::Progress;
use crate::stripe::{SpillPlace, SpillSet, spilled};
use crate::sys::limits;

pub use parts::KeptParts;
pub use wanted::Wanted;
use wanted::takes;

/// Files that are open for the sake of what is kept: the manifest, and the lock of its directory.
pub const KEPT_FILES: usize = 2;

/// Files that are open at least for each member of a place where runs are kept: its lock, a run
/// that is written, and two that are merged.
const MEMBER_FILES: usize = 4;

/// Choice of whether the work of a job is kept if the job does not finish.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resume {
    /// Keep nothing.
    #[default]
    Off,
    /// Runs are kept, and how far the output has come is noted from time to time. Inputs and output
    /// have to be files.
    On,
    /// Work is kept and noted after each slab: as often as possible, whatever it costs.
    Often,
}

/// Places to which a job writes.
#[derive(Debug)]
pub struct Places {
    /// The output on its way.
    pub output: output::OpenOutput,
    /// Spill space, and what is noted in it.
    pub spill: Spill,
    /// Directory of the manifest, if there is one.
    directory: Option<PathBuf>,
    /// The input of a sort in place, which is locked until all is done.
    own: Option<Arc<File>>,
}

impl Places {
    /// Returns the places of a job that keeps nothing.
    pub fn new(output: output::OpenOutput, spill: Spill) -> Self {
        Self { output, spill, directory: None, own: None }
    }

    /// Returns the places that an earlier run of this job left in one of `temp`, or new ones there.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] where the output was begun by one that is not the same, or one that is
    /// still running; [`Error::Malformed`] where an input has changed since.
    pub fn kept(job: &Wanted, temp: &[SpillPlace]) -> Result<Self> {
        destinations::tidy(temp)?;
        let places = temp.iter().flat_map(SpillPlace::directories).map(|(place, _)| place);
        for place in distinct(places, |place| DirectoryIdentity::of(place)) {
            for directory in spill_directories(&real(place)?)? {
                if let Some(kept) = of_directory(job, &directory)? {
                    return Ok(kept);
                }
            }
        }
        if job.is_in_place() {
            check_whole_at(&job.output)?;
        }
        begin(job, temp)
    }

    /// Returns the places of a job that keeps its work, with its manifest in `directory`.
    fn with(
        job: &Wanted,
        output: output::OpenOutput,
        spill: Spill,
        directory: &Path,
    ) -> Result<Self> {
        let (directory, own) = (Some(directory.to_owned()), job.own.clone());
        let spill = match &own {
            // The input is the output as well.
            Some(own) => spill.freeing(Arc::clone(own)),
            None => spill,
        };
        Ok(Self { output, spill, directory, own })
    }

    /// Gives the output its name, if what was `made` is good and has as many `bytes`. Returns the
    /// result, and the bytes of the output if it is compressed. Nothing is kept unless another job
    /// can continue it.
    pub fn finish<T>(
        self,
        made: Result<T>,
        bytes: impl Fn(&T) -> u64,
        sync: bool,
        progress: &Progress,
    ) -> Result<(T, Option<u64>)> {
        let made = match made.and_then(|made| self.note_whole().map(|()| made)) {
            Ok(made) => made,
            Err(e) => return Err(self.abandon(e)),
        };
        let Self { mut output, mut spill, directory, own } = self;
        let is_in_place = own.is_some();
        if !spill.has_noted() {
            // Without a manifest nothing would say whose it is.
            output.forget();
        }
        match output.finish(bytes(&made), sync, progress) {
            Ok(packed) => {
                spill.forget();
                Ok((made, packed))
            }
            Err(e) => match directory.filter(|kept| spill.has_noted() && is_needed(kept)) {
                Some(directory) => Err(Error::Kept { is_in_place, directory, error: Box::new(e) }),
                None => {
                    spill.forget();
                    Err(e)
                }
            },
        }
    }

    /// Gives up on `error`; the same, with what was kept where something was.
    pub fn abandon(self, error: Error) -> Error {
        let Self { mut output, mut spill, directory, own } = self;
        let is_in_place = own.is_some();
        // What is damaged will not do the next time either; but where the input has gone, it is all
        // there is.
        let is_kept = spill.has_noted() && (is_in_place || !error.is_damage());
        if !is_kept {
            spill.forget();
            output.forget();
        }
        output.abandon();
        match directory.filter(|_| is_kept) {
            Some(directory) => Error::Kept { is_in_place, directory, error: Box::new(error) },
            None => error,
        }
    }

    /// Notes in the manifest, if there is one that says anything, that the output is whole, once it
    /// is durable.
    fn note_whole(&self) -> Result<()> {
        let Some(directory) = self.directory.as_ref().filter(|_| self.spill.has_noted()) else {
            return Ok(());
        };
        self.output.make_durable()?;
        Manifest::open(directory)?.0.append(&LogEntry::Whole {})
    }
}

/// Returns whether the job of this directory can be continued, after an error of its last steps. It
/// cannot if the output has its name, unless that is the name of the input.
fn is_needed(directory: &Path) -> bool {
    match Manifest::first(directory) {
        Ok(Some(LogEntry::Job(job))) => job.is_in_place || !is_missing(&job.part),
        _ => true,
    }
}

/// Returns the job that makes `output` and has its manifest in a directory, if there is one.
/// Removes the directory of one that was killed before it had noted what it is.
///
/// # Errors
///
/// Those of [`Manifest::first`]. A damaged one is another job's unless it has the name of `output`.
fn job_in(directory: &Path, output: &Path) -> Result<Option<JobEntry>> {
    match Manifest::first(directory) {
        Ok(Some(LogEntry::Job(entry))) => return Ok(Some(entry).filter(|job| job.output == output)),
        // It was another job's, which has ended since.
        Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) if e.is_damage() && !Manifest::has_output(directory, output)? => return Ok(None),
        first => first?,
    };
    if let Some(mut begun) = SpillDirectory::adopt(directory)? {
        begun.keep(false);
    }
    Ok(None)
}

/// Returns what the job of this directory has left, if it was one like `job`.
fn of_directory(job: &Wanted, directory: &Path) -> Result<Option<Places>> {
    let path = &job.output;
    let Some(entry) = job_in(directory, path)? else { return Ok(None) };
    let Some(first) = SpillDirectory::adopt(directory)? else {
        return Err(running(path, directory));
    };
    if entry.directories.first().map(|first| first.0.as_path()) != Some(directory) {
        return Err(config!(
            ConfigErrorKind::ResumeMismatch,
            "the saved work for {} was made in another directory than {}; move it back there, or \
             remove it",
            path.display(),
            directory.display(),
        ));
    }
    let mut directories = vec![first];
    for other in entry.directories.iter().skip(1).map(|other| &other.0) {
        // One may be swept before it is said that it belongs here, or after it is no longer.
        if bytes_of(other)?.is_some() {
            let adopted = SpillDirectory::adopt(other)?;
            directories.push(adopted.ok_or_else(|| running(path, other))?);
        }
    }
    let is_lacking = directories.len() < entry.directories.len();
    let (mut manifest, entries) = Manifest::open(directory)?;
    let (_, mut past) = Past::of(&directory.join(KEPT_NAME), entries)?;
    let part = &entry.part;
    let part_bytes = bytes_of(part)?;
    // It was killed when its output had its name already, or before there was anything to keep. A
    // small job notes nothing, and its part is gone when the output has its name.
    let is_over = past.is_whole && part_bytes.is_none();
    let may_be_over = !past.is_begun && part_bytes.is_none() && job.has_changed_output(&entry);
    let takes_its_output = job.takes_its_output() && takes(&entry.inputs, path);
    if (is_over || may_be_over) && !job.is_in_place() && takes_its_output {
        let state = if is_over { "was finished" } else { "has changed and may be finished" };
        return Err(config!(
            ConfigErrorKind::ResumeMismatch,
            "{} is an input of this job and its output, which {}: another sort would take records \
             twice; remove what is left with {} to sort once more",
            path.display(),
            state,
            Operation::CleanSpill.on(parent_of(directory).display()),
        ));
    }
    let checked = job.check_same(&entry, parent_of(directory));
    let has_nothing = !past.is_begun && (is_lacking || part_bytes.is_none() || checked.is_err());
    if is_over || has_nothing {
        if is_part(part) {
            let _ = fs::remove_file(part);
        }
        directories.iter_mut().for_each(|directory| directory.keep(false));
        return Ok(None);
    }
    checked?;
    let are_whole = are_there(&past, directory)?;
    let sets = SpillSet::grouped(directories)?;
    sets.iter().try_for_each(|set| set.belong_to(directory, job.is_in_place()))?;
    let runs = tidy(&sets, &past, are_whole)?;
    if !has_noted(part_bytes, &past, &entry)? && past.slab.take().is_some() {
        // The new output has its full length from the start. The length does not show its content.
        manifest.append(&LogEntry::Lost {})?;
    }
    let output = output::OpenOutput::part(path, part, part_bytes.is_none(), job.direct)?;
    let spill = Spill::kept(sets, manifest, Some(past), runs, job.temp_limit);
    Places::with(job, output, spill, directory).map(Some)
}

/// Checks that all runs are there, and returns whether they are whole.
fn are_there(past: &Past, directory: &Path) -> Result<bool> {
    let mut are_whole = true;
    for run in &past.runs {
        let missing = |path: &PathBuf| fs::symlink_metadata(path).is_err();
        if spilled::bytes(&run.path)?.is_none() {
            let paths = spilled::paths(&run.path)?;
            let gone = paths.iter().find(|path| missing(path)).unwrap_or(&run.path);
            return Err(config!(
                ConfigErrorKind::ResumeMismatch,
                "{}, a file of the saved work, is missing; remove the rest with {}",
                gone.display(),
                Operation::CleanSpill.on(parent_of(directory).display()),
            ));
        }
        are_whole &= RunReader::open(run, Direct::Off).is_ok();
    }
    Ok(are_whole)
}

/// Returns whether an output of `part_bytes` bytes has all that was noted of it; otherwise it is
/// made again.
fn has_noted(part_bytes: Option<u64>, past: &Past, job: &JobEntry) -> Result<bool> {
    let noted = past.slab.as_ref().map_or(0, |slab| slab.offset - slab.edge.len() as u64);
    let has_all = part_bytes.is_some_and(|bytes| bytes >= noted);
    if job.is_in_place && past.slab.is_some() && !has_all {
        let message = match part_bytes {
            Some(bytes) => format!("it had {noted} bytes of the output, but has {bytes} now"),
            None => format!("it is missing, and had {noted} bytes of the output"),
        };
        return Err(Error::Malformed {
            path: job.part.clone(),
            message: format!("{message}; restore it, as its records exist nowhere else").into(),
        });
    }
    Ok(has_all)
}

/// Returns the number of bytes that a file or directory says it has, if it is there.
fn bytes_of(path: &Path) -> Result<Option<u64>> {
    match fs::symlink_metadata(path) {
        Ok(data) => Ok(Some(data.len())),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::io("look at", path, e)),
    }
}

fn running(path: &Path, directory: &Path) -> Error {
    config!(
        ConfigErrorKind::InUse,
        "another job that makes {} is running, in {}; wait for it",
        path.display(),
        directory.display(),
    )
}

/// Removes files of runs that were not noted, unless some noted runs are not whole: the files may
/// be theirs. Returns the first number that no run's name has.
fn tidy(sets: &[SpillSet], past: &Past, are_whole: bool) -> Result<usize> {
    let known: HashSet<&Path> = past.runs.iter().map(|run| run.path.as_path()).collect();
    let mut next = 0;
    for set in sets {
        for (directory, _) in set.directories() {
            for name in names_in(directory)? {
                let Some(number) = name.strip_prefix("run-") else { continue };
                let path = set.home().join(&name);
                if !are_whole || known.contains(path.as_path()) {
                    next = next.max(number.parse::<usize>().map_or(0, |number| number + 1));
                    continue;
                }
                let path = directory.join(&name);
                fs::remove_file(&path).map_err(|e| Error::io("remove", &path, e))?;
            }
        }
    }
    Ok(next)
}

/// Names in a directory, as far as they are text.
fn names_in(directory: &Path) -> Result<Vec<String>> {
    let failed = |e| Error::io("read", directory, e);
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        names.extend(entry.map_err(failed)?.file_name().into_string().ok());
    }
    Ok(names)
}

/// Returns what was made, or nothing where the disk is full, with the error as the `refusal`.
fn unless_full<T>(made: Result<T>, refusal: &mut Option<Error>) -> Result<Option<T>> {
    match made {
        Ok(made) => Ok(Some(made)),
        Err(e) if e.is_full() => {
            refusal.get_or_insert(e);
            Ok(None)
        }
        Err(e) => Err(e),
    }
}

/// Makes the places of a job that other jobs can continue. One that is too full is left out, as
/// long as another is not.
fn begin(job: &Wanted, places: &[SpillPlace]) -> Result<Places> {
    let members: usize = places.iter().map(SpillPlace::members).sum();
    limits::check_open_files(limits::open_files_left(), KEPT_FILES + MEMBER_FILES * members)?;
    let mut sets = Vec::with_capacity(places.len());
    let mut refusal = None;
    for place in places {
        let set = place.real().and_then(|place| SpillSet::create(&place));
        sets.extend(unless_full(set, &mut refusal)?);
    }
    let part = real(&TempFile::part_path(&job.output)?)?;
    let manifest = loop {
        let Some(first) = sets.first() else {
            return Err(refusal.unwrap_or_else(|| unreachable!("there is a place at least")));
        };
        let directories = sets.iter().flat_map(SpillSet::directories).map(|(path, _)| path);
        let manifest = Manifest::create(first.home(), &job.entry(&part, directories));
        match unless_full(manifest, &mut refusal)? {
            Some(manifest) => break manifest,
            None => drop(sets.remove(0)),
        }
    };
    let directory = sets[0].home().to_owned();
    let join = |set: &SpillSet| {
        set.belong_to(&directory, job.is_in_place()).and_then(|()| set.make_durable())
    };
    join(&sets[0])?;
    for set in sets.split_off(1) {
        sets.extend(unless_full(join(&set), &mut refusal)?.map(|()| set));
    }
    let mut output = output::OpenOutput::part(&job.output, &part, true, job.direct)?;
    sync_directory(directory_of(&part)).inspect_err(|_| output.forget())?;
    sets.iter_mut().for_each(|set| set.keep(true));
    let spill = Spill::kept(sets, manifest, None, 0, job.temp_limit);
    Places::with(job, output, spill, &directory)
}

/// Returns the path that tells a file or directory, which may not be there yet, from others: the
/// same however its directory is spelled. A link at the end of it stays.
fn real(path: &Path) -> Result<PathBuf> {
    let failed = |e| Error::io("find", path, e);
    match path.file_name() {
        Some(name) if !path.is_dir() => {
            directory_of(path).canonicalize().map(|directory| directory.join(name)).map_err(failed)
        }
        _ => path.canonicalize().map_err(failed),
    }
}

fn parent_of(directory: &Path) -> &Path {
    directory.parent().unwrap_or(directory)
}
