//! Size of a memory budget on this machine.

use std::str::FromStr;

use crate::error::{ConfigErrorKind, ParseError, Result, Setting, config, message};
use crate::sys::limits;
use crate::units::ByteSize;

/// Share of the machine taken where nothing was said: the rest is for the page cache and for
/// others.
const AUTO_PERCENT: f64 = 60.0;

/// Budget on a system that does not report its memory.
const UNKNOWN: ByteSize = ByteSize::gib(1);

/// The memory that a job may use: a ceiling of the resident size of the whole process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Budget {
    /// 60% of the memory that the machine or the container really offers.
    #[default]
    Auto,
    /// A size.
    Bytes(ByteSize),
    /// A share of the memory that the machine or the container really offers, in percent.
    Percent(f64),
}

impl From<ByteSize> for Budget {
    fn from(size: ByteSize) -> Self {
        Self::Bytes(size)
    }
}

impl Budget {
    /// Returns the budget in bytes. A share depends on the free memory at this moment. A size that
    /// is [too large](Self::excess) counts as the default share, because the system would kill a
    /// process that uses it.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) for a share that is not between 0 and 100 percent.
    pub fn resolve(self) -> Result<ByteSize> {
        let percent = match self {
            Self::Bytes(bytes) if self.excess().is_none() => return Ok(bytes),
            Self::Percent(percent) => percent,
            Self::Bytes(_) | Self::Auto => AUTO_PERCENT,
        };
        if !(percent > 0.0 && percent <= 100.0) {
            return Err(config!(
                ConfigErrorKind::InvalidValue,
                "{} is not between 0 and 100 percent",
                Setting::Memory.to(format_args!("{percent}%")),
            ));
        }
        let available = limits::memory().unwrap_or(UNKNOWN);
        Ok(ByteSize((available.bytes() as f64 * percent / 100.0) as u64))
    }

    /// Returns the most memory that this process can have, if the budget is more than that.
    pub fn excess(self) -> Option<ByteSize> {
        let Self::Bytes(bytes) = self else { return None };
        limits::memory_most().filter(|most| bytes > *most)
    }
}

impl FromStr for Budget {
    type Err = ParseError;

    /// Reads a size (`4GiB`) or a share (`50%`).
    fn from_str(text: &str) -> std::result::Result<Self, ParseError> {
        match text.trim().strip_suffix('%') {
            None => Ok(Self::Bytes(text.parse()?)),
            Some(number) => match number.trim().parse::<f64>() {
                Ok(percent) if percent > 0.0 && percent <= 100.0 => Ok(Self::Percent(percent)),
                _ => {
                    let message =
                        message!("'{}' is not a share of the memory; write 1% to 100%", text);
                    Err(ParseError::new("memory budget", text, message))
                }
            },
        }
    }
}

#[cfg(test)]
mod tests;
