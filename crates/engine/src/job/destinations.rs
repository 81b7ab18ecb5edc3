//! Opening of the output, and of the directories for runs.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use rustix::io::Errno;

use super::Output;
use crate::error::{ConfigErrorKind, Error, Result, Setting, config};
use crate::io::inherited::{self, STDOUT};
use crate::io::{Direct, check_name, check_replaceable, directory_of, distinct, pipe, sweep};
use crate::output::OpenOutput;
use crate::stats::Progress;
use crate::stripe::SpillPlace;
use crate::sys::space;

/// Opens the output: a temporary file beside the final name, or a stream.
pub fn open_output(output: &Output, direct: Direct, progress: &Progress) -> Result<OpenOutput> {
    let path = match output {
        Output::Stdout => return OpenOutput::standard(direct, progress),
        Output::Striped(path) => return OpenOutput::striped(path, direct),
        Output::Pipe(outlet) => return OpenOutput::outlet(outlet),
        Output::File(path) => path,
    };
    match inherited::look(path) {
        Ok(Err(STDOUT)) => OpenOutput::standard(direct, progress),
        Ok(Ok(data)) if data.is_file() || data.is_dir() => OpenOutput::file(path, direct),
        Ok(_) => Ok(OpenOutput::Stream(Some(pipe::PipeWriter::open(path, progress)?))),
        Err(_) => OpenOutput::file(path, direct),
    }
}

/// Opens an output that is split into files.
pub fn open_parts(output: &Output, direct: Direct, force: bool) -> Result<OpenOutput> {
    OpenOutput::parts(path_of_parts(output)?, direct, force)
}

/// Makes sure that an output can be split into files. These are looked at when their names are
/// known.
pub fn check_parts(output: &Output) -> Result<()> {
    check_name(path_of_parts(output)?)
}

/// Returns the path that the names of an output's files begin with.
fn path_of_parts(output: &Output) -> Result<&Path> {
    match output {
        Output::File(path) if inherited::named_by(path).is_none() => {
            if fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
                return Err(config!(
                    ConfigErrorKind::Conflict(Setting::Split, Setting::Output),
                    "{} is a device or a pipe; an output that is split needs a name for its files",
                    path.display(),
                ));
            }
            Ok(path)
        }
        Output::Striped(path) => Err(config!(
            ConfigErrorKind::Conflict(Setting::Split, Setting::Output),
            "{} is a striped file; an output that is split needs another name",
            path.display(),
        )),
        Output::File(_) | Output::Stdout | Output::Pipe(_) => Err(config!(
            ConfigErrorKind::Conflict(Setting::Split, Setting::Output),
            "an output that is split needs a name for its files; give one with {}",
            Setting::Output,
        )),
    }
}

/// Makes sure that the directory of an output is there, that a file can have its name, and that it
/// may be replaced, which `force` allows in any case. A pipe may bring nothing for hours, and its
/// first bytes are looked at before the output is created.
pub fn check_output(output: &Output, force: bool) -> Result<()> {
    let Some(path) = output.path() else { return Ok(()) };
    check_name(path)?;
    if path.is_dir() {
        return Err(Error::io("write", path, Errno::ISDIR));
    }
    if force { Ok(()) } else { check_replaceable(path) }
}

/// Returns where runs go: where the user said, with `is_checked` if that is any good, else beside
/// the output, if it is a file, else where temporary files go. A place that is named twice, by
/// whatever paths, counts once.
pub fn run_places(temp: &[PathBuf], is_checked: bool, output: &Output) -> Result<Vec<SpillPlace>> {
    if temp.is_empty() {
        let is_device = |path: &Path| {
            let found = inherited::look(path);
            found.is_ok_and(|found| found.is_ok_and(|data| data.file_type().is_char_device()))
        };
        return Ok(vec![match output.path() {
            Some(path) if inherited::named_by(path).is_none() && !is_device(path) => {
                SpillPlace::directory(directory_of(path))
            }
            _ => SpillPlace::directory(&space::temporary_directory()),
        }]);
    }
    let places: Vec<SpillPlace> =
        temp.iter().map(|path| SpillPlace::at(path)).collect::<Result<_>>()?;
    for (directory, _) in places.iter().filter(|_| is_checked).flat_map(SpillPlace::directories) {
        check_directory(directory).map_err(|e| Error::io("spill to", directory, e))?;
    }
    Ok(distinct(places, SpillPlace::identity))
}

/// Removes what jobs that were killed have left where this one will leave files.
pub fn tidy(places: &[SpillPlace]) -> Result<()> {
    let directories = places.iter().flat_map(SpillPlace::directories).map(|(path, _)| path);
    for directory in directories.filter(|directory| directory.is_dir()) {
        sweep(directory)?;
    }
    Ok(())
}

/// Checks that files can be made and found in a directory.
fn check_directory(place: &Path) -> std::io::Result<()> {
    if !fs::metadata(place)?.is_dir() {
        return Err(Errno::NOTDIR.into());
    }
    Ok(access(place, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK)?)
}
