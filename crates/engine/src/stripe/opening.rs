//! Striped files opened by their definition, and the checks that their members are the right ones.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::{Definition, DefinitionForm};
use crate::error::{Error, Result};
use crate::io::striped::{Stripes, in_parallel};
use crate::io::{Cursor, Direct, File, Supplied};

/// Bytes at either end of a member that distinguish it from others.
const END_BYTES: u64 = 4096;

impl File {
    /// Opens the striped file that is defined at `path` for reading.
    ///
    /// # Errors
    ///
    /// The errors of opening; [`Error::Malformed`] where the definition or a member is not as it
    /// should be.
    pub fn open_stripes(path: &Path, direct: Direct) -> Result<Arc<Self>> {
        let definition = Definition::read(path)?;
        let is_empty = definition.length == 0;
        let empty = || {
            let message = "it is empty: nothing was written to this striped file";
            Error::malformed(path, message)
        };
        if is_empty && definition.form == DefinitionForm::Numbered {
            return Err(empty());
        }
        let stripes = open_members(&definition, path, direct)?;
        // The files of two columns may all be missing, which is another error.
        if is_empty {
            return Err(empty());
        }
        Ok(Self::of_stripes(path, stripes, definition.length))
    }
}

impl Supplied {
    /// Returns the striped file that is defined at `path`, as a stream.
    ///
    /// # Errors
    ///
    /// The errors of [`File::open_stripes`].
    pub fn striped(path: &Path) -> Result<Self> {
        let file = File::open_stripes(path, Direct::Off)?;
        Ok(Self::new(path, Cursor::new(&file, 0)))
    }
}

/// Opens the members of a set that may hold nothing.
fn open_members(definition: &Definition, path: &Path, direct: Direct) -> Result<Stripes> {
    let layout = definition.layout();
    // All of them first: the length of two columns is that of the files which are there.
    let open = |path: PathBuf| File::open_read(&path, direct);
    let members = in_parallel(definition.files(path).into_iter(), open)?;
    let check = |(number, file): (usize, &Arc<File>)| {
        let (path, bytes) = (file.path(), layout.member_bytes(number, definition.length));
        if file.len() != bytes {
            let message = format!(
                "as a member of a striped file it should have {bytes} bytes, but it has {}",
                file.len()
            );
            return Err(Error::malformed(path, message));
        }
        let checksum = definition.members[number].checksum;
        if checksum.is_some_and(|sum| checksum_of(file).ok() != Some(sum)) {
            return Err(Error::malformed(
                path,
                "its content does not match what was written to it as a member of a striped \
                 file; check that it is the right file",
            ));
        }
        Ok(())
    };
    in_parallel(members.iter().enumerate(), check)?;
    Ok(Stripes::new(layout, members))
}

/// Returns whether all files of the generation that counts are there, as they were written.
pub(super) fn are_whole(definition: &Definition, path: &Path) -> bool {
    definition.generation.is_some() && open_members(definition, path, Direct::Off).is_ok()
}

/// Returns the checksum of both ends of a file, and of its length.
pub(super) fn checksum_of(file: &File) -> Result<u64> {
    let bytes = file.len();
    let mut ends = bytes.to_le_bytes().to_vec();
    for start in [0, bytes.saturating_sub(END_BYTES)] {
        let mut block = [0; END_BYTES as usize];
        let read = file.read_at(&mut block, start)?;
        ends.extend_from_slice(&block[..read]);
    }
    Ok(xxh3_64(&ends))
}
