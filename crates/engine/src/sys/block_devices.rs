//! Physical disks under file systems, as far as `/sys` knows them.
//!
//! ```text
//!   /data   st_dev 253:1 ─▶ dm-1 ─ slaves ─▶ sda2 ─ partition of ─▶ sda
//!                                         └▶ sdb1 ─ partition of ─▶ sdb
//! ```
//!
//! Two paths with the same disks share their speed. A file system without a block device, such as
//! one in memory or on a network, is a disk by itself.

use std::collections::BTreeSet;
use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

use rustix::fs::{major, minor, stat};

use super::space::device;
use crate::error::Result;

/// Directory in which the system lists block devices by their numbers.
const DEVICES: &str = "/sys/dev/block";

/// Most devices that lie on each other: beyond that, something is wrong.
const DEPTH_MAX: usize = 16;

/// Returns the names of the disks under the file system of `path`, such as `sda`. One that is not
/// known has the numbers of its device, such as `0:42`.
///
/// # Errors
///
/// The errors of looking for `path`.
pub fn disks_of(path: &Path) -> Result<BTreeSet<String>> {
    let mut disks = BTreeSet::new();
    add_device(Path::new(DEVICES), device(path)?, DEPTH_MAX, &mut disks);
    Ok(disks)
}

/// Adds the disks of a device by its number.
fn add_device(devices: &Path, number: u64, depth: usize, disks: &mut BTreeSet<String>) {
    let name = format!("{}:{}", major(number), minor(number));
    match devices.join(&name).canonicalize() {
        Ok(found) => add_disks(devices, found, depth, disks),
        Err(_) => {
            disks.insert(name);
        }
    }
}

/// Adds the disks of the device that `/sys` describes in a directory.
fn add_disks(devices: &Path, mut found: PathBuf, depth: usize, disks: &mut BTreeSet<String>) {
    if found.join("partition").exists() {
        found.pop();
    }
    let entries = read_dir(found.join("slaves")).into_iter().flatten().flatten();
    let below: Vec<PathBuf> =
        entries.filter_map(|entry| entry.path().canonicalize().ok()).collect();
    let file = read_to_string(found.join("loop/backing_file")).ok();
    let holder = file.and_then(|file| stat(file.trim_end()).ok()).map(|stat| stat.st_dev);
    match (depth, holder) {
        (1.., _) if !below.is_empty() => {
            below.into_iter().for_each(|own| add_disks(devices, own, depth - 1, disks));
        }
        (1.., Some(number)) => add_device(devices, number, depth - 1, disks),
        _ => {
            let name = found.file_name().unwrap_or(found.as_os_str());
            disks.insert(name.to_string_lossy().into_owned());
        }
    }
}

#[cfg(test)]
mod tests;
