//! Description of a job, as far as a job that continues it must be equal.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

use super::real;
use crate::codec::Compress;
use crate::error::{ConfigErrorKind, Error, Message, Operation, Result, Setting, config, message};
use crate::io::inherited;
use crate::io::{Direct, File, NameIdentity};
use crate::job::{MergeJob, Output, SortJob, in_place};
use crate::key::text::TextOrder;
use crate::manifest::{InputEntry, JobEntry};
use crate::operator::Folds;
use crate::pipeline::JobInput;
use crate::pipeline::sorted::SortedPlace;
use crate::plan::Algorithm;
use crate::proof::hash;
use crate::units::ByteSize;
use crate::units::text::AsText;

/// Bytes at either end of an input that are looked at again.
const END_BYTES: u64 = 64 << 10;

/// A job that other jobs can continue.
#[derive(Debug)]
pub struct Wanted {
    /// Path of the output.
    pub output: PathBuf,
    /// The input if it is sorted in place: open for writing, and locked.
    pub own: Option<Arc<File>>,
    /// Choice of whether the output bypasses the page cache.
    pub direct: Direct,
    /// Most bytes of temporary files together.
    pub temp_limit: Option<ByteSize>,
    is_merge: bool,
    /// The inputs as they are now.
    inputs: Vec<InputEntry>,
    /// All settings that the output depends on.
    settings: Vec<NotedSetting>,
}

/// A setting as the manifest notes it.
#[derive(Debug)]
struct NotedSetting {
    /// The name in the manifest.
    name: &'static str,
    /// The name in messages.
    words: Message,
    value: String,
}

impl Wanted {
    /// Returns a sort whose groups become `folds`; `is_open` where no record can be refused.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for a job that cannot be resumed.
    pub fn sort(
        job: &SortJob,
        order: &TextOrder,
        input: &JobInput,
        folds: &Folds,
        is_open: bool,
    ) -> Result<Self> {
        let asked = if job.in_place { Setting::InPlace } else { Setting::Resume };
        if job.algorithm == Algorithm::ReplacementSelection {
            return Err(config!(
                ConfigErrorKind::Conflict(asked, Setting::Algorithm),
                "{} needs runs that each hold a part of the input, as {} makes them; leave it \
                 out, or change the other setting",
                asked,
                Setting::Algorithm.to("radix")
            ));
        }
        let is_one = job.select.split.is_none();
        if job.order.comparison.is_some() {
            return Err(config!(
                ConfigErrorKind::Other,
                "{} needs an order by keys; two functions that compare records cannot be \
                 distinguished",
                asked
            ));
        }
        let path = one_output(&job.output, job.compress, asked, is_one)?;
        let JobInput::Files(files) = input else {
            return Err(other_inputs(asked));
        };
        let mut own = None;
        if job.in_place {
            in_place::check(job, path, files, is_open)?;
            own = files.first().map(|file| in_place::claim(file, path)).transpose()?;
        }
        Ok(Self {
            output: real(path)?,
            own,
            direct: job.direct.output,
            temp_limit: job.temp_limit,
            is_merge: false,
            inputs: files.iter().map(input_entry).collect::<Result<_>>()?,
            settings: vec![
                setting("format", &job.format),
                setting("keys", order).called("order".into()),
                setting("conditions", &job.filter),
                setting("selection", &job.select),
                noted_folds(folds),
                setting("header", &job.header),
                setting("proof", &job.verify),
                setting("content of named files", &job.named_files_checksum()?),
                use_of(Setting::InPlace, "use of in-place", &job.in_place),
            ],
        })
    }

    /// Returns a merge of `inputs`.
    ///
    /// # Errors
    ///
    /// As [`sort`](Self::sort).
    pub fn merge(
        job: &MergeJob,
        order: &TextOrder,
        inputs: &[SortedPlace],
        folds: &Folds,
    ) -> Result<Self> {
        let path = one_output(&job.output, job.compress, Setting::Resume, true)?;
        let entry = |place: &SortedPlace| match place {
            SortedPlace::File { .. } => input_entry(&place.open_file(job.direct.input)?),
            _ => Err(other_inputs(Setting::Resume)),
        };
        Ok(Self {
            output: real(path)?,
            own: None,
            direct: job.direct.output,
            temp_limit: job.temp_limit,
            is_merge: true,
            inputs: inputs.iter().map(entry).collect::<Result<_>>()?,
            settings: vec![
                setting("format", &job.format),
                setting("keys", order).called("order".into()),
                setting("header", &job.header),
                setting("selection", &job.select),
                noted_folds(folds),
                use_of(Setting::Check, "use of check", &job.check),
                setting("proof", &job.verify),
                setting("content of named files", &job.named_files_checksum()?),
            ],
        })
    }

    /// Returns a job that makes `output` of sorted parts of `inputs`, with all settings that the
    /// output depends on.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where an input cannot be read.
    pub fn parts(
        output: &Path,
        inputs: &[PathBuf],
        settings: &[(&'static str, String)],
    ) -> Result<Self> {
        let entry = |path: &PathBuf| input_entry(&File::open_read(path, Direct::Off)?);
        Ok(Self {
            output: real(output)?,
            own: None,
            direct: Direct::Off,
            temp_limit: None,
            is_merge: false,
            inputs: inputs.iter().map(entry).collect::<Result<_>>()?,
            settings: settings.iter().map(|(name, value)| setting(name, value)).collect(),
        })
    }

    /// Returns whether its output is one of its inputs, too.
    pub(super) fn takes_its_output(&self) -> bool {
        takes(&self.inputs, &self.output)
    }

    /// Returns whether the input that is the output as well is not what it was for `entry`.
    pub(super) fn has_changed_output(&self, entry: &JobEntry) -> bool {
        let name = NameIdentity::behind_links(&self.output);
        let is_output = |input: &&InputEntry| NameIdentity::behind_links(&input.path) == name;
        entry.inputs.iter().find(is_output) != self.inputs.iter().find(is_output)
    }

    /// Returns what the manifest says of it, with its output on the way at `part`.
    pub fn entry<'p>(&self, part: &Path, directories: impl Iterator<Item = &'p Path>) -> JobEntry {
        JobEntry {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            output: self.output.to_path_buf(),
            part: part.to_owned(),
            directories: directories.map(|path| AsText(path.to_owned())).collect(),
            is_in_place: self.is_in_place(),
            is_merge: self.is_merge,
            inputs: self.inputs.clone(),
            settings: self.settings.iter().map(NotedSetting::entry).collect(),
        }
    }

    /// Makes sure that it is the job of this entry, which was kept in a directory of `place`, and
    /// that the inputs are what they were.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] and [`Error::Malformed`].
    pub fn check_same(&self, entry: &JobEntry, place: &Path) -> Result<()> {
        let mut settings = self.settings.iter().zip(&entry.settings);
        let is_version = entry.version == env!("CARGO_PKG_VERSION");
        let what = match settings.find(|(own, other)| own.entry() != **other) {
            _ if self.is_merge != entry.is_merge => "command".into(),
            Some((own, _)) => own.words.clone(),
            None if self.settings.len() != entry.settings.len() || !is_version => {
                "version of sortwell".into()
            }
            None => return self.check_inputs(entry, place),
        };
        Err(config!(
            ConfigErrorKind::ResumeMismatch,
            "the saved work for this output has another {}; give the same command{}",
            what,
            or_removal(entry, place),
        ))
    }

    /// Returns whether the output takes the place of the input, whose space is freed while it is
    /// read.
    pub fn is_in_place(&self) -> bool {
        self.own.is_some()
    }

    fn check_inputs(&self, entry: &JobEntry, place: &Path) -> Result<()> {
        let changed = |input: &InputEntry| Error::Malformed {
            path: input.path.clone(),
            message: message!(
                "input has changed since the interrupted job started; restore it{}",
                or_removal(entry, place),
            ),
        };
        for (before, now) in entry.inputs.iter().zip(&self.inputs) {
            let is_same = if self.is_in_place() {
                // Giving back room changes the rest.
                (&before.path, before.inode, before.bytes) == (&now.path, now.inode, now.bytes)
            } else {
                before == now
            };
            if !is_same {
                return Err(changed(now));
            }
        }
        match (entry.inputs.len(), self.inputs.len()) {
            (before, now) if before == now => Ok(()),
            (before, now) if before < now => Err(changed(&self.inputs[before])),
            (_, now) => Err(changed(&entry.inputs[now])),
        }
    }
}

/// Returns the end of advice about saved work in `place`: another way is to remove it. Of a sort in
/// place, it may have the only copies of records.
fn or_removal(entry: &JobEntry, place: &Path) -> Message {
    if entry.is_in_place {
        return message!(", as some records of the file are in the saved work alone");
    }
    message!(", or remove the saved work with {}", Operation::CleanSpill.on(place.display()))
}

/// Returns the error for inputs that another job would not find as they were.
fn other_inputs(asked: Setting) -> Error {
    config!(
        ConfigErrorKind::NotApplicable(asked),
        "{} needs inputs that are uncompressed files, and with {} have all columns in the order \
         of the first; leave it out, or change the inputs",
        asked,
        Setting::UnionByName
    )
}

/// Returns the one file that an output is which is on its way for long.
fn one_output(output: &Output, compress: Compress, asked: Setting, is_one: bool) -> Result<&Path> {
    let Output::File(path) = output else {
        return Err(refused(asked, "an output that is one file with a name"));
    };
    if !is_one || compress.of(Some(path))?.is_some() {
        return Err(refused(asked, "one output that is not compressed"));
    }
    if inherited::look(path).is_ok_and(|found| found.map_or(true, |data| !data.is_file())) {
        return Err(refused(asked, "an output that is a file"));
    }
    Ok(path)
}

fn refused(asked: Setting, what: &str) -> Error {
    let kind = ConfigErrorKind::NotApplicable(asked);
    config!(kind, "{} needs {}; leave it out, or change the output", asked, what)
}

/// Bytes of a setting's value that stand in a manifest; of longer ones, their hash does. An order
/// has a table of 256 bytes, and a manifest has room in a full disk's last blocks.
const VALUE_BYTES_MAX: usize = 256;

fn setting(name: &'static str, value: &dyn std::fmt::Debug) -> NotedSetting {
    let mut text = format!("{value:?}");
    if text.len() > VALUE_BYTES_MAX {
        text = format!("{} bytes, XXH3 {:032x}", text.len(), xxh3_128(text.as_bytes()));
    }
    NotedSetting { name, words: name.into(), value: text }
}

/// Returns the values that are folded of groups, as a setting.
fn noted_folds(folds: &Folds) -> NotedSetting {
    let words = message!("values of {} and {}", Setting::Min, Setting::Max);
    setting("values of min and max", folds).called(words)
}

/// Returns a setting that messages call the use of another.
fn use_of(of: Setting, name: &'static str, value: &dyn std::fmt::Debug) -> NotedSetting {
    setting(name, value).called(message!("use of {}", of))
}

impl NotedSetting {
    /// Returns the setting with a name for messages.
    fn called(self, words: Message) -> Self {
        Self { words, ..self }
    }

    /// Returns the name and the value, as they stand in a manifest.
    fn entry(&self) -> (String, String) {
        (self.name.to_owned(), self.value.clone())
    }
}

/// Returns an input as it is now.
/// Returns whether one of `inputs` has the name at `path`.
pub(super) fn takes(inputs: &[InputEntry], path: &Path) -> bool {
    let name = NameIdentity::behind_links(path);
    inputs.iter().any(|input| NameIdentity::behind_links(&input.path) == name)
}

fn input_entry(file: &Arc<File>) -> Result<InputEntry> {
    let (inode, modified) = file.identity()?;
    let bytes = file.len();
    let ends = (
        AsText(end_hash(file, 0..bytes.min(END_BYTES))?),
        AsText(end_hash(file, bytes.saturating_sub(END_BYTES)..bytes)?),
    );
    Ok(InputEntry { path: real(file.path())?, inode, bytes, modified, ends })
}

fn end_hash(file: &File, range: std::ops::Range<u64>) -> Result<u128> {
    let mut block = vec![0; (range.end - range.start) as usize];
    let filled = file.read_at(&mut block, range.start)?;
    Ok(hash(&block[..filled]))
}
