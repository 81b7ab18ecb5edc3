//! Contents of inputs, checked before anything is planned: plain records, compressed data, or what
//! is not read here.
//!
//! Files are told apart by name and content; of a stream, the first bytes are read and given back.
//! The number of streams that are begun depends on the way they are read: one after the other, only
//! the first may be waited for, as whoever writes the next may wait for us to read the first. The
//! others are looked at when their turn comes, too late to expand them.

use std::fs;
use std::path::Path;

use super::Input;
use super::single_streams::check_streams;
use crate::codec::{
    CONTENT_BYTES, Codec, ContentKind, Decompress, Foreign, Origin, STDIN, beginning,
    skippable_advice,
};
use crate::error::{Error, Message, Result, Setting, message};
use crate::format::Format;
use crate::io::{BegunStream, Supplied, Supply, pipe, redirect};
use crate::stats::Progress;

/// The settings for looking at inputs.
pub struct Look<'a> {
    /// Choice of which inputs are compressed.
    pub how: Decompress,
    /// True if the content tells, because records are text.
    pub is_text: bool,
    /// True if all inputs are read at once.
    pub is_at_once: bool,
    /// Stops waiting for streams.
    pub progress: &'a Progress,
}

/// The stream that replaces an input.
pub enum Instead {
    /// A stream that was begun.
    Stream(Supplied),
    /// The content of these compressed bytes.
    Expanded(Origin, Codec),
}

impl<'a> Look<'a> {
    /// Returns a look at inputs of this format.
    pub fn new(how: Decompress, format: Format, is_at_once: bool, progress: &'a Progress) -> Self {
        let is_text = !matches!(format, Format::Fixed { .. } | Format::Prefixed(_));
        Self { how, is_text, is_at_once, progress }
    }

    /// Returns what is read in place of some of `inputs`, by their numbers.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] for an input that is not read here; those of reading.
    pub fn at(&self, inputs: &[Input]) -> Result<Vec<(usize, Instead)>> {
        check_streams(inputs)?;
        let (mut all, mut is_begun) = (Vec::new(), false);
        for (number, input) in inputs.iter().enumerate() {
            let instead = match self.named(input) {
                None if self.how == Decompress::Auto => self.auto(input, &mut is_begun)?,
                named => named,
            };
            all.extend(instead.map(|instead| (number, instead)));
        }
        Ok(all)
    }

    /// Expands an input as --decompress says. Streams of the caller and striped files are taken as
    /// they are.
    fn named(&self, input: &Input) -> Option<Instead> {
        let (origin, codec) = match input {
            Input::File(path) => (Origin::File(path.clone()), self.how.of_file(path)?),
            Input::Stdin => (Origin::Stdin, self.how.of_stream()?),
            Input::Striped(_) | Input::Supplied(_) => return None,
        };
        Some(Instead::Expanded(origin, codec))
    }

    /// Returns the stream that replaces an input, judged by its content; `None` if it is read as it
    /// is.
    fn auto(&self, input: &Input, is_begun: &mut bool) -> Result<Option<Instead>> {
        let redirected;
        let (path, origin) = match input {
            Input::File(path) => (Some(path), Origin::File(path.clone())),
            Input::Stdin => {
                redirected = redirect::input();
                (redirected.as_ref(), Origin::Stdin)
            }
            Input::Striped(_) | Input::Supplied(_) => return Ok(None),
        };
        if !self.is_text {
            return match path.filter(|path| Foreign::of_path(path).is_some()) {
                Some(path) => self.file(path, origin),
                None => Ok(None),
            };
        }
        match path {
            // What is not there, or is a directory, whoever opens it says.
            Some(path)
                if fs::metadata(path).map_or(true, |data| data.is_file() || data.is_dir()) =>
            {
                self.file(path, origin)
            }
            _ => {
                let reader = match input {
                    Input::File(path) => pipe::PipeReader::open(path)?,
                    _ => pipe::PipeReader::stdin()?,
                };
                self.stream(reader, std::mem::replace(is_begun, true))
            }
        }
    }

    fn file(&self, path: &Path, origin: Origin) -> Result<Option<Instead>> {
        if fs::metadata(path).map_or(true, |data| !data.is_file()) {
            return Ok(None);
        }
        let head = beginning(path, CONTENT_BYTES)?.unwrap_or_default();
        let name = match &origin {
            Origin::File(path) => path,
            Origin::Stdin | Origin::Begun(_) => Path::new(STDIN),
        };
        match ContentKind::of(&head) {
            ContentKind::Packed(codec) if self.is_text => {
                Ok(Some(Instead::Expanded(origin, codec)))
            }
            ContentKind::Foreign(foreign) => Err(refused(name, foreign.advice(name))),
            ContentKind::Skippable if self.is_text => Err(refused(name, skippable_advice())),
            ContentKind::Plain | ContentKind::Packed(_) | ContentKind::Skippable => Ok(None),
        }
    }

    /// Returns the stream that replaces an opened one; `is_behind` says that another stream comes
    /// before it.
    fn stream(&self, mut reader: pipe::PipeReader, is_behind: bool) -> Result<Option<Instead>> {
        let name = reader.name().to_owned();
        if is_behind && !self.is_at_once {
            let late = Late { reader, is_looked_at: false };
            return Ok(Some(Instead::Stream(Supplied::new(&name, late))));
        }
        let (mut head, mut is_over) = (Vec::new(), false);
        // No more is waited for than tells.
        while !is_over && head.len() < CONTENT_BYTES && ContentKind::is_open(&head) {
            let begun = head.len();
            head.resize(if begun < FEW_BYTES { begun + 1 } else { CONTENT_BYTES }, 0);
            let read = reader.fill(&mut head[begun..], self.progress)?;
            is_over = begun + read < head.len();
            head.truncate(begun + read);
        }
        let content = ContentKind::of(&head);
        let stream = Supplied::new(&name, BegunStream::new(head, (!is_over).then_some(reader)));
        match content {
            ContentKind::Plain => Ok(Some(Instead::Stream(stream))),
            ContentKind::Packed(codec) => Ok(Some(Instead::Expanded(Origin::Begun(stream), codec))),
            ContentKind::Foreign(foreign) => Err(refused(&name, foreign.advice(&name))),
            ContentKind::Skippable => Err(refused(&name, skippable_advice())),
        }
    }
}

/// Bytes of a stream that are read one by one, while they may begin as something other than text.
const FEW_BYTES: usize = 16;

fn refused(path: &Path, message: Message) -> Error {
    Error::Malformed { path: path.to_owned(), message }
}

/// A stream that is looked at when it is read.
struct Late {
    reader: pipe::PipeReader,
    is_looked_at: bool,
}

impl Supply for Late {
    fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        let read = self.reader.fill(buffer, progress)?;
        if std::mem::replace(&mut self.is_looked_at, true) {
            return Ok(read);
        }
        let name = self.reader.name();
        match ContentKind::of(&buffer[..read.min(CONTENT_BYTES)]) {
            ContentKind::Plain => Ok(read),
            ContentKind::Foreign(foreign) => Err(refused(name, foreign.advice(name))),
            ContentKind::Skippable => Err(refused(name, skippable_advice())),
            ContentKind::Packed(codec) => Err(refused(
                name,
                message!(
                    "is {} data, which is recognized too late after another stream; give {} if \
                     all inputs are, or name this input first",
                    codec.name(),
                    Setting::Decompress.to(codec),
                ),
            )),
        }
    }
}
