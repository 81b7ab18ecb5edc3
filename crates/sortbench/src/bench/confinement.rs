//! A limit of memory for a process that the system holds it to: a memory control group, where this
//! process may make one.
//!
//! Unlike a budget, it counts the page cache of what the process reads and writes.

use std::fs;
use std::path::{Path, PathBuf};

use sortwell::ByteSize;

/// Mount point of control groups.
const MOUNT: &str = "/sys/fs/cgroup";

/// A control group with a limit, removed when it is dropped.
#[derive(Debug)]
pub struct Confinement {
    directory: PathBuf,
}

impl Confinement {
    /// Creates a group below that of this process with a limit of `memory`, if one can be made.
    pub fn new(memory: ByteSize) -> Option<Self> {
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        Self::below(Path::new(MOUNT), &groups, memory)
    }

    /// Creates a group below a mount, for a process in these `groups`.
    fn below(mount: &Path, groups: &str, memory: ByteSize) -> Option<Self> {
        let name = format!("sortwell-bench-{}", std::process::id());
        places(mount, groups).into_iter().find_map(|(parent, file)| {
            let directory = parent.join(&name);
            fs::create_dir(&directory).ok()?;
            let made = Self { directory };
            // The files of a group are there as soon as it is.
            let limit = made.directory.join(file);
            (limit.exists() && fs::write(limit, memory.0.to_string()).is_ok()).then_some(made)
        })
    }

    /// Puts a process into the group.
    pub fn hold(&self, process: u32) -> bool {
        fs::write(self.directory.join("cgroup.procs"), process.to_string()).is_ok()
    }
}

impl Drop for Confinement {
    fn drop(&mut self) {
        // Its files are the kernel's, and go with it. A group that is in use stays.
        let _ = fs::remove_dir(&self.directory);
    }
}

/// Returns where a group could be made, and the name of its limit: the group of this process in the
/// second version, in the first one with that version's mount of memory, and the top of each.
fn places(mount: &Path, groups: &str) -> Vec<(PathBuf, &'static str)> {
    let mut places = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, group) = (parts.next().unwrap_or(""), parts.next().unwrap_or("/"));
        let (top, file) = match controllers {
            "" => (mount.to_owned(), "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                (mount.join("memory"), "memory.limit_in_bytes")
            }
            _ => continue,
        };
        places.push((top.join(group.trim_start_matches('/')), file));
        places.push((top, file));
    }
    places
}

#[cfg(test)]
mod tests;
