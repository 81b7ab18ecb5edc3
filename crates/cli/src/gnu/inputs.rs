//! Files that a command reads and writes: names from a list, and checks that the files can be
//! opened.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use rustix::fs::{Access, AtFlags, CWD, accessat};
use sortwell::unstable::io::{directory_of, rename_target};

use super::complaint::Complaint;
use super::quoting::Quoter;
use crate::standard::{Text, reason};

/// Returns the names of `--files0-from`, each ended by a NUL; the last may do without.
pub fn listed(list: &OsStr, quoting: Quoter) -> Result<Vec<OsString>, Complaint> {
    let shown = quoting.file(list.as_bytes());
    let always = quoting.file_always(list.as_bytes());
    let mut names = Vec::new();
    let read = match Text::open(Path::new(list)) {
        Ok(mut text) => text.read_to_end(&mut names),
        Err(error) if list == "-" => Err(reason(error)),
        Err(error) => {
            let what = "open failed";
            return Err(Complaint::about_file(what, list.as_bytes(), &reason(error), quoting));
        }
    };
    if read.is_err() {
        return Err(Complaint::new([b"cannot read file names from ", always.as_slice()].concat()));
    }
    let names = names.strip_suffix(b"\0").unwrap_or(&names);
    if names.is_empty() && read.is_ok_and(|bytes| bytes == 0) {
        return Err(Complaint::new([b"no input from ", always.as_slice()].concat()));
    }
    let mut files = Vec::new();
    for (number, name) in names.split(|&byte| byte == 0).enumerate() {
        match name {
            b"-" => {
                let message = "when reading file names from stdin, no file name of '-' allowed";
                return Err(Complaint::new(message));
            }
            b"" => {
                let place = format!(":{}: invalid zero-length file name", number + 1);
                return Err(Complaint::new([shown.as_slice(), place.as_bytes()].concat()));
            }
            name => files.push(OsString::from_vec(name.to_vec())),
        }
    }
    Ok(files)
}

/// Finds the first input that may not be read, before work is spent on the others. `what` is how
/// the complaint begins.
pub fn check_readable(files: &[OsString], what: &str, quoting: Quoter) -> Result<(), Complaint> {
    for file in files.iter().filter(|file| *file != "-") {
        may(file, Access::READ_OK)
            .map_err(|error| Complaint::about_file(what, file.as_bytes(), &error, quoting))?;
    }
    Ok(())
}

/// Checks that the output can be made: it is a writable file, or its directory exists.
pub fn check_writable(file: &OsStr, quoting: Quoter) -> Result<(), Complaint> {
    let path = Path::new(file);
    let answer = match path.metadata() {
        Ok(found) if found.is_dir() => Err(io::Error::from(rustix::io::Errno::ISDIR)),
        Ok(_) => may(file, Access::WRITE_OK),
        Err(error)
            if error.kind() == io::ErrorKind::NotFound && file.as_bytes().ends_with(b"/") =>
        {
            Err(io::Error::from(rustix::io::Errno::ISDIR))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound && !file.is_empty() => {
            // A link that leads nowhere is followed.
            let target = rename_target(path).unwrap_or_else(|_| path.to_owned());
            may(directory_of(&target).as_os_str(), Access::WRITE_OK | Access::EXEC_OK)
        }
        Err(error) => Err(error),
    };
    answer.map_err(|error| Complaint::about_file("open failed", file.as_bytes(), &error, quoting))
}

fn may(file: &OsStr, access: Access) -> io::Result<()> {
    accessat(CWD, file, access, AtFlags::EACCESS).map_err(io::Error::from)
}

#[cfg(test)]
mod tests;
