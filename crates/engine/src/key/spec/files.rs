//! Files that keys name: lists of values, and collating sequences.
//!
//! A key names any file, and a file may be larger than memory, or have no end. So nothing is read
//! beyond what the budget has room for, and of what is larger, no more is held than a buffer of it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use memchr::memchr_iter;

use super::super::text::{VALUES_MAX, ValueList};
use crate::error::{ConfigError, ConfigErrorKind, Setting, message};
use crate::format::csv::BYTE_ORDER_MARK;
use crate::units::ByteSize;

/// Memory of the least job without its list, and the share of the budget that it is:
/// indexes, and keys of long records.
const PROGRAM_BYTES: u64 = 20 << 20;
const PROGRAM_SHARE: u64 = 6;

/// The memory that a list may take of any budget.
const LIST_BYTES_LEAST: u64 = 256 << 10;

/// A list without a size of its own is looked through as far as that.
const LOOKED_THROUGH_MAX: u64 = 4 << 30;

/// Bytes of a line of a list, at most.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// Bytes of a collating sequence.
const SEQUENCE_BYTES: usize = 256;

/// The memory that lists of values may take a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListMemory {
    /// Ceiling of the process's resident size.
    pub budget: ByteSize,
    /// Bytes that other lists take.
    pub taken: usize,
}

impl ListMemory {
    /// Unlimited memory.
    pub const UNBOUNDED: Self = Self { budget: ByteSize(u64::MAX), taken: 0 };

    /// Returns the bytes that one more list may take.
    fn left(self) -> u64 {
        let program = PROGRAM_BYTES + self.budget.bytes() / PROGRAM_SHARE;
        let left = self.budget.bytes().saturating_sub(program + self.taken as u64);
        left.max(LIST_BYTES_LEAST)
    }

    /// Returns the error that a list takes more than is left. `extent` is the number of its values
    /// and of their bytes, if that is known.
    fn fault(self, extent: Option<(u64, u64)>) -> ConfigError {
        let budget = self.budget;
        let Some((values, bytes)) = extent else {
            return ConfigError::new(
                ConfigErrorKind::BudgetTooSmall { least: None },
                message!(
                    "has more than {}, and the memory budget is {}; name a shorter list",
                    ByteSize(LOOKED_THROUGH_MAX),
                    budget
                ),
            );
        };
        let wanted = ValueList::peak_bytes(values, bytes) + PROGRAM_BYTES + self.taken as u64;
        let least = wanted + wanted / (PROGRAM_SHARE - 1) + 1;
        let least_mib = least.div_ceil(1 << 20);
        let kind = ConfigErrorKind::BudgetTooSmall { least: Some(ByteSize::mib(least_mib)) };
        ConfigError::new(
            kind,
            message!(
                "has values of {}, more than a memory budget of {} has room for; give at least {} \
                 MiB with {}",
                ByteSize(bytes),
                budget,
                least_mib,
                Setting::Memory,
            ),
        )
    }
}

/// Returns the error of a list that is not as it should be.
pub(super) fn invalid(fault: String) -> ConfigError {
    ConfigError::new(ConfigErrorKind::InvalidKey, fault)
}

/// Reads the list of values in a file, one a line, in capitals where `ignores_case`; or says what
/// is wrong with it.
pub fn read_list(
    path: &str,
    ignores_case: bool,
    memory: ListMemory,
) -> io::Result<Result<ValueList, ConfigError>> {
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    if size > memory.budget.bytes() {
        let values = (size / 2).min(VALUES_MAX as u64);
        return Ok(Err(memory.fault(Some((values, size)))));
    }
    let most = memory.left();
    let mut reader = ListReader { input: BufReader::new(file), most, list: ValueList::default() };
    match reader.read(ignores_case)? {
        ListEnd::AtFault(fault) => Ok(Err(invalid(fault))),
        ListEnd::AtEnd => Ok(reader.list.finish().map_err(invalid)),
        ListEnd::TooLarge(begun) => {
            let extent = reader.extent(begun)?;
            let is_too_many = extent.is_some_and(|(values, _)| values > VALUES_MAX as u64);
            let too_many = || invalid(format!("has more than {VALUES_MAX} values"));
            Ok(Err(if is_too_many { too_many() } else { memory.fault(extent) }))
        }
    }
}

/// The end of reading a list.
enum ListEnd {
    AtEnd,
    AtFault(String),
    /// Within a value that there is no room for; the number of its bytes that were read.
    TooLarge(u64),
}

/// A list being read.
struct ListReader<R> {
    input: R,
    /// Bytes of memory that it may take.
    most: u64,
    list: ValueList,
}

impl<R: BufRead> ListReader<R> {
    fn read(&mut self, ignores_case: bool) -> io::Result<ListEnd> {
        let mut line = Vec::new();
        for number in 0.. {
            line.clear();
            let (values, bytes) = self.list.extent();
            let room = self.most.saturating_sub(ValueList::peak_bytes(values + 1, bytes));
            let read = self.input.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut line)?;
            match read as u64 {
                0 => break,
                length if length > LINE_BYTES_MAX => {
                    let (line, most) = (number + 1, ByteSize(LINE_BYTES_MAX));
                    let fault =
                        format!("has more than {most} in line {line}; write one value per line");
                    return Ok(ListEnd::AtFault(fault));
                }
                length if length > room => return Ok(ListEnd::TooLarge(length)),
                _ => {}
            }
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            let mark = if number == 0 { BYTE_ORDER_MARK } else { b"" };
            let start = line.len().min(if text.starts_with(mark) { mark.len() } else { 0 });
            let value = start..text.len().max(start);
            if ignores_case {
                line.make_ascii_uppercase();
            }
            if !value.is_empty()
                && let Err(fault) = self.list.add(&line[value])
            {
                return Ok(ListEnd::AtFault(fault));
            }
        }
        Ok(ListEnd::AtEnd)
    }

    /// Returns how many values there are and the bytes of all of them, where `begun` bytes of the
    /// next were read; `None` where they do not come to an end. The values themselves are gone.
    fn extent(&mut self, begun: u64) -> io::Result<Option<(u64, u64)>> {
        let (mut values, mut bytes) = self.list.extent();
        (values, bytes) = (values + 1, bytes + begun);
        self.list = ValueList::default();
        while bytes <= LOOKED_THROUGH_MAX {
            let here = self.input.fill_buf()?;
            let length = here.len();
            if length == 0 || values > VALUES_MAX as u64 {
                return Ok(Some((values, bytes)));
            }
            values += memchr_iter(b'\n', here).count() as u64;
            bytes += length as u64;
            self.input.consume(length);
        }
        Ok(None)
    }
}

/// Reads a collating sequence; or says what is wrong with it.
pub fn read_sequence(path: &str) -> io::Result<Result<[u8; SEQUENCE_BYTES], String>> {
    let mut bytes = Vec::new();
    let mut file = File::open(path)?;
    file.by_ref().take(SEQUENCE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    let places = bytes.as_slice().try_into();
    let size = || match file.metadata() {
        Ok(about) if about.len() >= bytes.len() as u64 => format!("{} bytes", about.len()),
        _ if bytes.len() > SEQUENCE_BYTES => format!("more than {SEQUENCE_BYTES} bytes"),
        _ => format!("{} bytes", bytes.len()),
    };
    Ok(places.map_err(|_| {
        format!(
            "{path} has {}, but a collating sequence has {SEQUENCE_BYTES}: the rank of each byte",
            size()
        )
    }))
}

#[cfg(test)]
mod tests;
