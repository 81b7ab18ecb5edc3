//! Where records begin and end.
//!
//! A format is one file and one row here. What a record *means* (its key) is the room `key`.

mod framing;

use std::str::FromStr;

pub use framing::Framing;

use crate::units::ByteSize;

/// The longest record of a fixed-length format.
pub const FIXED_LENGTH_MAX: ByteSize = ByteSize::mib(1);

/// How a stream of bytes is cut into records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Every record is this many bytes, from 1 to [`FIXED_LENGTH_MAX`].
    Fixed {
        /// Bytes per record.
        length: u32,
    },
    /// Every record ends with this byte; the last one of an input may lack it and gets one. Lines
    /// of text, with the byte 10.
    Lines {
        /// The byte.
        terminator: u8,
    },
}

impl Format {
    /// Lines of text.
    pub const LINES: Self = Self::Lines { terminator: b'\n' };

    /// How records are told apart.
    pub fn framing(self) -> Framing {
        match self {
            Self::Fixed { length } => Framing::Fixed(length as usize),
            Self::Lines { terminator } => Framing::Terminated(terminator),
        }
    }
}

impl FromStr for Format {
    type Err = String;

    /// Reads `lines`, `lines:BYTE` or `fixed:N`.
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "lines" {
            return Ok(Self::LINES);
        }
        if let Some(byte) = text.strip_prefix("lines:") {
            return terminator(byte).map(|terminator| Self::Lines { terminator });
        }
        let Some(length) = text.strip_prefix("fixed:") else {
            return Err(format!(
                "'{text}' is not a format sortwell knows; write lines, lines:0 or fixed:100"
            ));
        };
        match length.parse::<u32>() {
            Ok(length) if (1..=FIXED_LENGTH_MAX.bytes()).contains(&u64::from(length)) => {
                Ok(Self::Fixed { length })
            }
            _ => Err(format!(
                "'{length}' is not a record length; it is a number of bytes from 1 to {} ({})",
                FIXED_LENGTH_MAX.bytes(),
                FIXED_LENGTH_MAX
            )),
        }
    }
}

/// The byte that ends lines: as a number from 0 to 255, or any other character as itself.
fn terminator(text: &str) -> Result<u8, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.as_bytes() {
        _ if is_number => text.parse().map_err(|_| {
            format!("'{text}' is not a byte; lines end with one from 0 to 255, as in lines:0")
        }),
        [byte] => Ok(*byte),
        _ => Err(format!(
            "'{text}' is not a byte that could end lines; write its number, as in lines:0, or the \
             character, as in 'lines:;'"
        )),
    }
}
