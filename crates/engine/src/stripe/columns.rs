//! Definitions of two columns, as AlphaSort describes them (section 6). Each line has the name of a
//! member's file, and the number of blocks that it takes by turns.
//!
//! ```text
//!   # blocks of 4 KiB
//!   /mnt/a/data   256
//!   /mnt/b/data   256
//!   /mnt/c/data   512KiB
//! ```
//!
//! Files have exactly these names. sortwell only reads them: an output makes a set of its own form
//! out of the text. The form has no first line that names it, so an ordinary text must not be taken
//! for one by accident: [`are_meant`] decides that.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::definition::{FIRST_WORD, STRIDE_UNIT, check_length, has_ending, number};
use super::{Definition, DefinitionForm, Member, Stride};
use crate::units::ByteSize;

/// Bytes of a block. The least that is read past the cache: AlphaSort has no number for it.
const BLOCK: u64 = STRIDE_UNIT;

/// Most characters of a line that an error shows.
const SHOWN_MAX: usize = 60;

/// Returns whether the text at `path` can only be of two columns, if it is a definition at all.
pub(super) fn may_be(path: &Path, text: &[u8]) -> bool {
    has_ending(path) && !text.starts_with(FIRST_WORD.as_bytes())
}

/// Returns whether the text at `path` is such a definition. Every line must be one of a member, and
/// a name must have a `/` or lead to a file that is there: columns of words and numbers are text.
///
/// One name is enough. Where a disk is missing, a definition must not become text to be sorted.
pub(super) fn are_meant(path: &Path, text: &[u8]) -> bool {
    if !may_be(path, text) {
        return false;
    }
    let Ok(made) = Definition::of_columns(text) else { return false };
    let has_directory = |member: &Member| member.path.as_os_str().as_bytes().contains(&b'/');
    made.members.iter().any(has_directory) || made.places(path).iter().any(|place| place.is_file())
}

/// Returns the text of members.
pub(super) fn text(members: &[Member]) -> Vec<u8> {
    let mut text = Vec::new();
    for Member { path, stride, .. } in members {
        text.extend_from_slice(path.as_os_str().as_bytes());
        let stride = match stride {
            Stride::Times(blocks) => format!(" {blocks}\n"),
            Stride::Bytes(bytes) => format!(" {bytes}B\n"),
        };
        text.extend_from_slice(stride.as_bytes());
    }
    text
}

impl Definition {
    /// Reads a text of two columns; what is wrong with it, in words. The length is 0: only the
    /// files say it.
    pub fn of_columns(text: &[u8]) -> Result<Self, String> {
        check_length(text)?;
        let mut made = Self {
            form: DefinitionForm::Columns,
            base: BLOCK,
            length: 0,
            set: None,
            generation: None,
            members: Vec::new(),
        };
        let mut lines_of = HashMap::new();
        for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            let line = line.trim_ascii();
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            let read = member(line).and_then(|own| made.check_member(&own).map(|()| own));
            let own = read.map_err(|message| format!("line {number}: {message}"))?;
            if let Some(first) = lines_of.insert(own.path.clone(), number) {
                let name = own.path.display();
                return Err(format!("line {number}: {name} is a member already, on line {first}"));
            }
            made.members.push(own);
        }
        made.check().map(|()| made)
    }

    /// Returns the definition with the length of the members' files together, as far as they are
    /// there.
    pub(super) fn with_length(mut self, path: &Path) -> Self {
        let bytes = |place: PathBuf| fs::metadata(place).map_or(0, |data| data.len());
        let all = self.places(path).into_iter().map(bytes);
        self.length = all.fold(0, u64::saturating_add);
        self
    }
}

/// Reads a line that is not empty, without blanks around it.
fn member(line: &[u8]) -> Result<Member, String> {
    let wrong = || {
        let line: String = String::from_utf8_lossy(line).chars().take(SHOWN_MAX).collect();
        format!(
            "'{}' is not a file name and a number of blocks of {}, such as 'disk1/data 16', so it \
             is not a stripe file",
            line.escape_debug(),
            ByteSize(BLOCK)
        )
    };
    let end = line.iter().rposition(u8::is_ascii_whitespace).ok_or_else(wrong)?;
    let (name, stride) = (line[..end].trim_ascii_end(), &line[end + 1..]);
    let stride = std::str::from_utf8(stride).map_err(|_| wrong())?;
    let has_unit = stride.starts_with(|first: char| first.is_ascii_digit());
    let stride = match number(stride) {
        Ok(blocks) => Stride::Times(blocks),
        Err(_) if has_unit => Stride::Bytes(stride.parse::<ByteSize>().map_err(|_| wrong())?.0),
        Err(_) => return Err(wrong()),
    };
    Ok(Member { path: PathBuf::from(OsStr::from_bytes(name)), stride, checksum: None })
}

#[cfg(test)]
mod tests;
