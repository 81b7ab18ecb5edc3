//! The machine that something was measured on: no figure is worth anything without it.

use std::fs;

use serde::Serialize;
use sortwell::ByteSize;
use sortwell::unstable::sys::limits;

/// Properties of a machine, and the time they were read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MachineProperties {
    /// The processor's name, if the system reports it.
    pub processor: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Bytes of memory, used or free.
    pub memory: ByteSize,
    /// The kernel's release.
    pub kernel: String,
    /// The version of sortwell.
    pub version: &'static str,
    /// When, in UTC.
    pub date: String,
}

impl MachineProperties {
    /// Returns the properties of this machine, now.
    pub fn here() -> Self {
        let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let processors = text("/proc/cpuinfo");
        let memory = text("/proc/meminfo");
        let kilobytes = value_of(&memory, "MemTotal").trim_end_matches(" kB").parse::<u64>();
        Self {
            processor: value_of(&processors, "model name").to_owned(),
            cores: limits::cores(),
            memory: ByteSize(kilobytes.unwrap_or(0).saturating_mul(1024)),
            kernel: text("/proc/sys/kernel/osrelease").trim().to_owned(),
            version: env!("CARGO_PKG_VERSION"),
            date: now(),
        }
    }
}

/// Returns the current time in UTC, to the second.
pub fn now() -> String {
    let now = jiff::Timestamp::now();
    now.round(jiff::Unit::Second).unwrap_or(now).to_string()
}

/// Returns the text after the colon in the first line of this name.
fn value_of<'t>(text: &'t str, name: &str) -> &'t str {
    let pair = |line: &'t str| line.split_once(':').filter(|(found, _)| found.trim() == name);
    text.lines().find_map(pair).map_or("", |(_, value)| value.trim())
}

#[cfg(test)]
mod tests;
