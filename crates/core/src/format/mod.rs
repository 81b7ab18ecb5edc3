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
}

impl FromStr for Format {
    type Err = String;

    /// Reads `fixed:N`.
    fn from_str(text: &str) -> Result<Self, String> {
        let Some(length) = text.strip_prefix("fixed:") else {
            return Err(format!("'{text}' is not a format sortwell knows; write fixed:100"));
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
