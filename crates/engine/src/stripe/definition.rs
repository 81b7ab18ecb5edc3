//! The text that says which members a striped file has, and how much of it each takes by turns. Its
//! form stands in `docs/stripe-file.md`; that of two columns is read in `columns`.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fmt;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::columns;
use crate::error::{ConfigErrorKind, Error, ParseError, Result, config, message};
use crate::io::striped::StripeLayout;
use crate::io::{Direct, NameIdentity, TempFile, directory_of, random, rename_target};
use crate::units::ByteSize;

/// First line of every text of our own form, and its first word in any version.
const FIRST_LINE: &str = "sortwell-stripe 1";
pub(super) const FIRST_WORD: &str = "sortwell-stripe";

/// Strides are multiples of it, so that requests go past the page cache.
pub const STRIDE_UNIT: u64 = 4096;

/// Base of strides where the text sets none, in bytes.
const BASE: u64 = 1 << 20;

/// Longest text, and most members.
pub(super) const TEXT_MAX: u64 = 1 << 20;
const MEMBERS_MAX: usize = 4096;

/// Longest stride: what all of a set come to is a number of 64 bits.
const STRIDE_MAX: u64 = 1 << 40;

/// Hexadecimal digits of a set's number and of a generation's, and of a checksum.
const NUMBER_DIGITS: usize = 8;
const CHECKSUM_DIGITS: usize = 16;

/// Form of a text, which determines the names of the members' files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionForm {
    /// Our own: files have the numbers of set and generation in their names.
    Numbered,
    /// Two columns, as AlphaSort has them: files have the names in the text, and are only read.
    Columns,
}

/// The members of a striped file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Form of the text.
    pub form: DefinitionForm,
    /// Bytes that strides are multiples of which are said as such.
    pub base: u64,
    /// Bytes of the logical file.
    pub length: u64,
    /// Number of the set, which distinguishes its members from those of others at the same paths;
    /// drawn when it is first written to, if not before.
    pub set: Option<u32>,
    /// The number of what was written last, which has members of its own.
    pub generation: Option<u32>,
    /// The members, in order.
    pub members: Vec<Member>,
}

/// One file of a striped file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Path, without set and generation; relative ones begin in the directory of the text.
    pub path: PathBuf,
    /// Stride of the member.
    pub stride: Stride,
    /// The checksum of its ends, once it was written.
    pub checksum: Option<u64>,
}

/// Number of bytes that a member takes at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stride {
    /// Bytes.
    Bytes(u64),
    /// Multiple of the base.
    Times(u64),
}

impl FromStr for Stride {
    type Err = ParseError;

    /// Reads `3x`, or a size such as `256KiB`.
    fn from_str(text: &str) -> std::result::Result<Self, ParseError> {
        if let Some(times) = text.strip_suffix('x') {
            return times.parse().map(Self::Times).map_err(|_| not_a_stride(text));
        }
        let size = text.parse::<ByteSize>().map_err(|_| not_a_stride(text));
        Ok(Self::Bytes(size?.bytes()))
    }
}

fn not_a_stride(text: &str) -> ParseError {
    let message = message!(
        "'{}' is not a stride; write a size such as 256KiB, or a multiple of the base such as 3x",
        text
    );
    ParseError::new("stride", text, message)
}

impl fmt::Display for Stride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "{bytes}"),
            Self::Times(times) => write!(f, "{times}x"),
        }
    }
}

impl Definition {
    /// Returns a set of these members that holds nothing yet.
    ///
    /// # Errors
    ///
    /// The fault in them, in words.
    pub fn new(members: Vec<Member>, base: Option<u64>) -> std::result::Result<Self, String> {
        let base = base.unwrap_or(BASE);
        let (form, set) = (DefinitionForm::Numbered, Some(random_number()));
        let made = Self { form, base, length: 0, set, generation: None, members };
        made.check().map(|()| made)
    }

    /// Reads the text at `path`.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] with the line that is wrong, or two members that are one file by two
    /// paths; [`Error::Io`].
    pub fn read(path: &Path) -> Result<Self> {
        let text = text_at(path).map_err(|e| Error::io("read", path, e))?;
        let made = match columns::may_be(path, &text) {
            true => Self::of_columns(&text).map(|made| made.with_length(path)),
            false => Self::of_text(&text),
        };
        let read = made.and_then(|read| read.check_places(path).map(|()| read));
        read.map_err(|fault| Error::malformed(path, fault))
    }

    /// Checks that no two members of the set that is defined at `path` have the same file, by any
    /// paths.
    ///
    /// # Errors
    ///
    /// The two paths, in words.
    pub fn check_places(&self, path: &Path) -> std::result::Result<(), String> {
        let mut members = HashMap::new();
        for place in self.places(path) {
            if let Some(other) = members.insert(NameIdentity::of(&place), place.clone()) {
                return Err(format!(
                    "{} and {} are two paths of one file; a set needs a file for each member",
                    other.display(),
                    place.display()
                ));
            }
        }
        Ok(())
    }

    /// Returns whether the file at `path` defines a striped file: its name has the ending `.str`,
    /// and it begins like a text of our own, of any version, or has two columns that name files
    /// (`columns::are_meant`). Others are not opened.
    pub fn is_at(path: &Path) -> bool {
        let is_file = || std::fs::metadata(path).is_ok_and(|data| data.is_file());
        let is_meant = |text: Vec<u8>| version(&text).is_some() || columns::are_meant(path, &text);
        has_ending(path) && is_file() && text_at(path).is_ok_and(is_meant)
    }

    /// Reads a text of our own form; what is wrong with it, in words.
    pub fn of_text(text: &[u8]) -> std::result::Result<Self, String> {
        check_length(text)?;
        let mut lines = (1..).zip(text.split(|byte| *byte == b'\n'));
        if lines.next().is_none_or(|(_, line)| line != FIRST_LINE.as_bytes()) {
            if let Some(version) = version(text) {
                return Err(format!(
                    "it begins with '{FIRST_WORD}{}', a version of the format that this sortwell \
                     cannot read; it reads '{FIRST_LINE}'",
                    String::from_utf8_lossy(version)
                ));
            }
            return Err(format!(
                "it does not begin with '{FIRST_LINE}', so it is not a stripe file"
            ));
        }
        let (form, members) = (DefinitionForm::Numbered, Vec::new());
        let mut made = Self { form, base: BASE, length: 0, set: None, generation: None, members };
        let mut words = Vec::new();
        for (number, line) in lines {
            let (word, _) = split_word(line);
            if matches!(word, b"base" | b"length" | b"set" | b"generation") {
                if words.contains(&word) {
                    let word = String::from_utf8_lossy(word);
                    return Err(format!("line {number}: '{word}' is given twice"));
                }
                words.push(word);
            }
            made.add_line(line).map_err(|message| format!("line {number}: {message}"))?;
        }
        made.check().map(|()| made)
    }

    fn add_line(&mut self, line: &[u8]) -> std::result::Result<(), String> {
        if line.is_empty() || line.starts_with(b"#") {
            return Ok(());
        }
        let (word, rest) = split_word(line);
        let text = || std::str::from_utf8(rest).map_err(|_| "it is not text".to_owned());
        match word {
            b"base" => self.base = number(text()?)?,
            b"length" => self.length = number(text()?)?,
            b"set" => self.set = Some(set_number(text()?)?),
            b"generation" => self.generation = Some(set_number(text()?)?),
            b"member" => {
                let (stride, rest) = split_word(rest);
                let (checksum, path) = split_word(rest);
                let stride = String::from_utf8_lossy(stride).parse::<Stride>();
                let stride = stride.map_err(|error| error.to_string())?;
                let checksum = match checksum {
                    b"-" => None,
                    other => Some(digits(&String::from_utf8_lossy(other), CHECKSUM_DIGITS)?),
                };
                let path = PathBuf::from(OsStr::from_bytes(path));
                self.members.push(Member { path, stride, checksum });
            }
            other => {
                let word = String::from_utf8_lossy(other);
                return Err(format!(
                    "'{}' is unknown; use base, length, set, generation or member",
                    word.escape_debug()
                ));
            }
        }
        Ok(())
    }

    /// Checks that the definition makes sense; the error says what does not.
    pub(super) fn check(&self) -> std::result::Result<(), String> {
        if self.members.is_empty() {
            return Err("it has no members".to_owned());
        }
        if self.generation.is_some() && self.set.is_none() {
            return Err("it has a generation, but no set".to_owned());
        }
        if self.generation.is_none() && self.length > 0 {
            return Err(format!("it has a length of {} bytes, but no generation", self.length));
        }
        if self.members.len() > MEMBERS_MAX {
            return Err(format!("it has more than {MEMBERS_MAX} members"));
        }
        let mut paths = HashSet::new();
        for member in &self.members {
            self.check_member(member)?;
            if !paths.insert(&member.path) {
                return Err(format!("{} is a member twice", member.path.display()));
            }
        }
        Ok(())
    }

    /// Checks the path and the stride of a member.
    pub(super) fn check_member(&self, member: &Member) -> std::result::Result<(), String> {
        let path = member.path.as_os_str().as_bytes();
        let name = member.path.display();
        let is_file = |last: &OsStr| path.ends_with(last.as_bytes());
        let is_path = !path.contains(&b'\n') && !path.contains(&0);
        if !member.path.file_name().is_some_and(is_file) || !is_path {
            return Err(format!("'{name}' is no valid path of a file"));
        }
        let bytes = self.stride_bytes(member);
        if bytes.is_none_or(|b| b == 0 || b % STRIDE_UNIT != 0 || b > STRIDE_MAX) {
            return Err(format!(
                "the stride {} of {name} is not a multiple of {STRIDE_UNIT} bytes from \
                 {STRIDE_UNIT} to {}",
                member.stride,
                ByteSize(STRIDE_MAX)
            ));
        }
        Ok(())
    }

    fn stride_bytes(&self, member: &Member) -> Option<u64> {
        match member.stride {
            Stride::Bytes(bytes) => Some(bytes),
            Stride::Times(times) => times.checked_mul(self.base),
        }
    }

    /// Returns the layout of the logical file.
    pub fn layout(&self) -> StripeLayout {
        let bytes = |member| self.stride_bytes(member).unwrap_or_else(|| unreachable!("checked"));
        StripeLayout::new(self.members.iter().map(bytes).collect())
    }

    /// Returns where members lie whose set is defined at `path`, without set and generation: no
    /// file of the set ever has such a name.
    pub fn places(&self, path: &Path) -> Vec<PathBuf> {
        // Whatever link leads to the text, its members are the same.
        let is_link = path.symlink_metadata().is_ok_and(|data| data.is_symlink());
        let target = is_link.then(|| rename_target(path).ok()).flatten();
        let text = target.unwrap_or_else(|| path.to_owned());
        let directory = directory_of(&text);
        self.members.iter().map(|member| directory.join(&member.path)).collect()
    }

    /// Returns the members' files; none while nothing was written to a set of our own.
    pub fn files(&self, path: &Path) -> Vec<PathBuf> {
        if self.form == DefinitionForm::Columns {
            return self.places(path);
        }
        let (Some(set), Some(generation)) = (self.set, self.generation) else { return Vec::new() };
        self.places(path).iter().map(|place| numbered(place, set, generation)).collect()
    }

    /// Removes the set that is defined at `path`: its members' files, then the text.
    ///
    /// # Errors
    ///
    /// The errors of the system. Files that are gone already are no error. [`Error::Config`] for a
    /// text of two columns: its files are not ours.
    pub fn remove(&self, path: &Path) -> Result<()> {
        if self.form == DefinitionForm::Columns {
            return Err(config!(
                ConfigErrorKind::Unsupported,
                "{} names files that sortwell has not written, so it does not remove them; remove \
                 them and the text with other means",
                path.display(),
            ));
        }
        let failed = |path: &Path, e| Err(Error::io("remove", path, e));
        for file in self.files(path) {
            match std::fs::remove_file(&file) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => return failed(&file, e),
                _ => {}
            }
        }
        std::fs::remove_file(path).or_else(|e| failed(path, e))
    }

    /// Returns the text of the definition, in its form.
    pub fn text(&self) -> Vec<u8> {
        if self.form == DefinitionForm::Columns {
            return columns::text(&self.members);
        }
        let mut text = format!("{FIRST_LINE}\nbase {}\nlength {}\n", self.base, self.length);
        for (word, number) in [("set", self.set), ("generation", self.generation)] {
            if let Some(number) = number {
                text.push_str(&format!("{word} {number:0NUMBER_DIGITS$x}\n"));
            }
        }
        let mut text = text.into_bytes();
        for Member { path, stride, checksum } in &self.members {
            let checksum =
                checksum.map_or_else(|| "-".to_owned(), |sum| format!("{sum:0CHECKSUM_DIGITS$x}"));
            text.extend_from_slice(format!("member {stride} {checksum} ").as_bytes());
            text.extend_from_slice(path.as_os_str().as_bytes());
            text.push(b'\n');
        }
        text
    }

    /// Puts the text at `path`, in place of what is there.
    pub fn write(&self, path: &Path, sync: bool) -> Result<()> {
        self.temporary(path)?.persist(path, sync)
    }

    /// Puts the text at `path`, in place of what is there, and returns the directory to sync for
    /// its name. After an error the old text is there.
    pub(super) fn replace(&self, path: &Path, sync: bool) -> Result<PathBuf> {
        self.temporary(path)?.rename(path, sync)
    }

    /// Writes the text to a temporary file for `path`.
    fn temporary(&self, path: &Path) -> Result<TempFile> {
        let temporary = TempFile::create(path, Direct::Off)?;
        temporary.file().write_at(&self.text(), 0)?;
        Ok(temporary)
    }
}

/// Returns the name of a member's file in a set's generation.
pub(super) fn numbered(place: &Path, set: u32, generation: u32) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(format!("~{set:0NUMBER_DIGITS$x}{generation:0NUMBER_DIGITS$x}"));
    PathBuf::from(name)
}

/// Returns the set and generation in the name of a file, if it is one of the member `name`.
pub(super) fn numbers_of(name: &[u8], file: &[u8]) -> Option<(u32, u32)> {
    let rest = file.strip_prefix(name)?.strip_prefix(b"~")?;
    let both = digits(std::str::from_utf8(rest).ok()?, 2 * NUMBER_DIGITS).ok()?;
    Some(((both >> 32) as u32, both as u32))
}

/// Returns a number that no other set or generation is likely to have.
pub(super) fn random_number() -> u32 {
    random() as u32
}

fn set_number(text: &str) -> std::result::Result<u32, String> {
    digits(text, NUMBER_DIGITS).map(|number| number as u32)
}

/// Returns whether a name has the ending of definitions.
pub(super) fn has_ending(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "str")
}

/// Returns the text at `path`, or its start if it is too long for a definition.
fn text_at(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    std::fs::File::open(path)?.take(TEXT_MAX + 1).read_to_end(&mut text)?;
    Ok(text)
}

/// Checks that a text is not too long for a definition.
pub(super) fn check_length(text: &[u8]) -> std::result::Result<(), String> {
    match text.len() as u64 > TEXT_MAX {
        true => {
            Err(format!("it is longer than {}, so it is not a stripe file", ByteSize(TEXT_MAX)))
        }
        false => Ok(()),
    }
}

/// Returns the words after the name of the format in the first line of a text, if it begins with
/// that name.
fn version(text: &[u8]) -> Option<&[u8]> {
    let rest = text.strip_prefix(FIRST_WORD.as_bytes())?;
    let rest = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    (rest.is_empty() || rest.starts_with(b" ")).then_some(rest)
}

/// Returns the first word of a line, and the rest after the blank that ends it.
fn split_word(line: &[u8]) -> (&[u8], &[u8]) {
    let end = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
    (&line[..end], line.get(end + 1..).unwrap_or_default())
}

pub(super) fn number(text: &str) -> std::result::Result<u64, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_number);
    number.ok_or_else(|| format!("'{}' is not a 64-bit number", text.escape_debug()))
}

/// Returns a number of `count` hexadecimal digits in lower case.
fn digits(text: &str, count: usize) -> std::result::Result<u64, String> {
    let is_digit = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
    let is_number = text.len() == count && text.bytes().all(is_digit);
    let number = u64::from_str_radix(text, 16).ok().filter(|_| is_number);
    number.ok_or_else(|| {
        format!("'{}' is not {count} hexadecimal digits in lower case", text.escape_debug())
    })
}
