//! Compression settings of a job: the inputs to expand, and the compression of its output.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::{Codec, Foreign};
#[cfg(feature = "compression")]
use super::{Encode, gzip, lz4, zstd};
use crate::error::{ConfigErrorKind, Error, ParseError, Result, config, message};

/// Choice of the inputs to expand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decompress {
    /// No decompression: files are read as they are.
    #[default]
    Off,
    /// Files with the suffix of a compressed file. If records are text, also inputs that begin like
    /// compressed data, under any name or none.
    Auto,
    /// Every input has this compression, standard input included.
    All(Codec),
}

/// The compression of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compress {
    /// No compression.
    #[default]
    Off,
    /// The compression that the suffix of the output name stands for, if any.
    Auto,
    /// This compression.
    As(Compression),
}

/// The compression of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompressRuns {
    /// No compression.
    #[default]
    Off,
    /// Compression if the first run suggests that it saves time.
    Auto,
    /// This compression, lz4 or zstd.
    As(Compression),
}

/// A codec and its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compression {
    codec: Codec,
    level: u32,
}

impl Decompress {
    /// Returns the codec of a file with this name.
    pub fn of_file(self, path: &Path) -> Option<Codec> {
        match self {
            Self::Off => None,
            Self::Auto => Codec::of_path(path),
            Self::All(codec) => Some(codec),
        }
    }

    /// Returns the codec of standard input, which has no name.
    pub fn of_stream(self) -> Option<Codec> {
        match self {
            Self::Off | Self::Auto => None,
            Self::All(codec) => Some(codec),
        }
    }
}

impl Compress {
    /// Returns the compression of an output with this name; `None` is standard output.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for the suffix of a format that sortwell does not write.
    pub fn of(self, path: Option<&Path>) -> Result<Option<Compression>> {
        match (self, path) {
            (Self::Off, _) | (Self::Auto, None) => Ok(None),
            (Self::Auto, Some(path)) => match Foreign::of_path(path) {
                Some(foreign) => {
                    Err(Error::config(ConfigErrorKind::Unsupported, foreign.output_advice(path)))
                }
                None => Ok(Codec::of_path(path).map(Compression::of)),
            },
            (Self::As(compression), _) => Ok(Some(compression)),
        }
    }
}

impl Compression {
    /// Returns a codec at its usual level.
    pub fn of(codec: Codec) -> Self {
        Self { codec, level: codec.usual_level() }
    }

    /// Returns a codec at a level of its own.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for a level that it does not have.
    pub fn with_level(codec: Codec, level: u32) -> Result<Self> {
        let most = codec.most_level();
        if (1..=most).contains(&level) {
            return Ok(Self { codec, level });
        }
        let codec = codec.name();
        Err(match most {
            1 => {
                config!(
                    ConfigErrorKind::InvalidValue,
                    "{} has only one level; leave the level \
                                                        out",
                    codec
                )
            }
            _ => config!(
                ConfigErrorKind::InvalidValue,
                "{} has no level {}; use 1 to {}",
                codec,
                level,
                most
            ),
        })
    }

    /// Returns the codec.
    pub fn codec(self) -> Codec {
        self.codec
    }

    /// Returns the level.
    pub fn level(self) -> u32 {
        self.level
    }

    /// Returns the memory that a working thread takes, in addition to its chunks. Two threads
    /// raised the highest resident size by nothing to be seen with gzip and lz4. With zstd they
    /// raised it by 1.6 MB at level 3, 5.3 at 5, 20.5 at 9 and 12, and 33 from 15 to 22 (24 MB of
    /// lines).
    pub(super) fn state_bytes(self) -> u64 {
        match (self.codec, self.level) {
            (Codec::Lz4, _) => 512 << 10,
            (Codec::Gzip, _) => 1 << 20,
            (Codec::Zstd, ..=4) => 4 << 20,
            (Codec::Zstd, ..=12) => 12 << 20,
            (Codec::Zstd, _) => 20 << 20,
        }
    }

    /// Returns the encoder, and the most bytes that it makes of `chunk_bytes`.
    #[cfg(feature = "compression")]
    pub(super) fn encoder(self, chunk_bytes: usize) -> Result<(Box<dyn Encode>, usize)> {
        Ok(match self.codec {
            Codec::Gzip => (Box::new(gzip::GzipEncoder::new(self.level)), gzip::bound(chunk_bytes)),
            Codec::Zstd => {
                (Box::new(zstd::ZstdEncoder::new(self.level)?), zstd::bound(chunk_bytes))
            }
            Codec::Lz4 => (Box::new(lz4::Lz4Encoder), lz4::bound(chunk_bytes)),
        })
    }

    #[cfg(not(feature = "compression"))]
    pub(super) fn encoder(self, _: usize) -> Result<(Box<dyn super::Encode>, usize)> {
        Err(self.codec.missing())
    }
}

impl Codec {
    /// Returns the default level. Of zstd, that of its program. Of gzip, 1: the level of its
    /// program, 6, takes four times the processor time for a file that is 12% smaller (a table).
    const fn usual_level(self) -> u32 {
        match self {
            Self::Gzip | Self::Lz4 => 1,
            Self::Zstd => 3,
        }
    }

    const fn most_level(self) -> u32 {
        match self {
            Self::Gzip => 9,
            Self::Zstd => 22,
            Self::Lz4 => 1,
        }
    }
}

impl FromStr for Decompress {
    type Err = ParseError;

    /// Reads `auto`, `off` or the name of a codec.
    fn from_str(text: &str) -> std::result::Result<Self, ParseError> {
        match text {
            "auto" => Ok(Self::Auto),
            "off" => Ok(Self::Off),
            _ => text.parse().map(Self::All),
        }
    }
}

impl FromStr for Compress {
    type Err = ParseError;

    /// Reads `auto`, `off`, or the name of a codec, with a level after a colon if there is one.
    fn from_str(text: &str) -> std::result::Result<Self, ParseError> {
        match text {
            "auto" => Ok(Self::Auto),
            "off" => Ok(Self::Off),
            _ => text.parse().map(Self::As),
        }
    }
}

impl CompressRuns {
    /// The compressions that `auto` chooses from.
    pub const CANDIDATES: [Compression; 2] =
        [Compression { codec: Codec::Lz4, level: 1 }, Compression { codec: Codec::Zstd, level: 1 }];

    /// Returns the compressions that it may come to.
    pub fn candidates(&self) -> &[Compression] {
        match self {
            Self::Off => &[],
            Self::Auto => &Self::CANDIDATES,
            Self::As(compression) => std::slice::from_ref(compression),
        }
    }
}

impl FromStr for CompressRuns {
    type Err = ParseError;

    /// Reads `auto`, `off`, `lz4`, or `zstd` with a level after a colon if there is one.
    fn from_str(text: &str) -> std::result::Result<Self, ParseError> {
        let compression: Compression = match text {
            "auto" => return Ok(Self::Auto),
            "off" => return Ok(Self::Off),
            _ => text.parse().map_err(|error: ParseError| match text.split(':').next() {
                Some("lz4" | "zstd" | "gzip") => error,
                _ => not_for_runs(text),
            })?,
        };
        if compression.codec == Codec::Gzip {
            let message = message!("gzip is too slow for runs; use lz4 or zstd, or auto, or off");
            return Err(ParseError::new("compression of runs", text, message));
        }
        Ok(Self::As(compression))
    }
}

fn not_for_runs(text: &str) -> ParseError {
    let message =
        message!("'{}' is not a compression of runs; use lz4, zstd, zstd:LEVEL, auto or off", text);
    ParseError::new("compression of runs", text, message)
}

impl FromStr for Compression {
    type Err = ParseError;

    fn from_str(text: &str) -> std::result::Result<Self, ParseError> {
        let Some((codec, level)) = text.split_once(':') else {
            return text.parse().map(Self::of);
        };
        let codec: Codec = codec.parse()?;
        let wrong = |message| ParseError::new("compression level", level, message);
        let number = level.parse().map_err(|_| {
            wrong(message!("'{}' is not a level of {}", level, format_args!("{codec}")))
        })?;
        Self::with_level(codec, number).map_err(|e| wrong(e.to_string().into()))
    }
}

impl fmt::Display for CompressRuns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("off"),
            Self::Auto => f.write_str("auto"),
            Self::As(compression) => compression.fmt(f),
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.codec, self.level)
    }
}
