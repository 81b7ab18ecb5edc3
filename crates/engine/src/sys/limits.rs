//! Resources of this process, available and used: memory, cores, processor time.
//!
//! A machine's memory is the least of many numbers: what is free or can be freed, what each control
//! group above us leaves (version 1 and 2), and the process's own resource limits. The parsers take
//! text and touch nothing, so that every container's oddities can be a test.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::process::{Resource, getrlimit, setrlimit};
#[cfg(target_env = "gnu")]
use rustix::thread::sched_getaffinity;

use crate::error::{ConfigErrorKind, Result, config};
use crate::units::ByteSize;

/// Files taken to be open where the system does not report it: the standard streams and a few more.
const OPEN_FILES_USUAL: usize = 16;

/// Fewer files than this are few: rings for all workers of a large machine would not leave enough.
const FILES_FEW: usize = 256;

/// Mount points of control groups: version 2, version 2 beside version 1, version 1. A group of
/// version 1 keeps its files under other names.
const CGROUP_MOUNTS: [(&str, &GroupFiles); 3] = [
    ("/sys/fs/cgroup", &VERSION_2),
    ("/sys/fs/cgroup/unified", &VERSION_2),
    ("/sys/fs/cgroup/memory", &VERSION_1),
];

/// The names of a control group's memory files.
struct GroupFiles {
    /// Limits; the least counts, and a missing or boundless one does not.
    limits: &'static [&'static str],
    /// File with the group's usage, page cache included.
    usage: &'static str,
    /// Lines of `memory.stat` with page cache that gives way when memory is short.
    reclaimable: &'static [&'static str],
    /// Mark in `/proc/self/cgroup` of the hierarchy that memory belongs to.
    controller: &'static str,
}

const VERSION_2: GroupFiles = GroupFiles {
    limits: &["memory.max", "memory.high"],
    usage: "memory.current",
    reclaimable: &["inactive_file", "active_file"],
    controller: "",
};

const VERSION_1: GroupFiles = GroupFiles {
    limits: &["memory.limit_in_bytes"],
    usage: "memory.usage_in_bytes",
    reclaimable: &["total_inactive_file", "total_active_file"],
    controller: "memory",
};

/// A limit of version 1 that means "none": it writes the largest page-aligned number.
const BOUNDLESS_BYTES: u64 = 1 << 62;

/// Returns the bytes of memory this process could use now without swapping or being killed. `None`
/// where the system tells nothing.
pub fn memory() -> Option<ByteSize> {
    least_memory(memory_available, room_of_group)
}

/// Returns the bytes of memory this process could have if no other process used any. It can never
/// use more. `None` where the system tells nothing.
pub fn memory_most() -> Option<ByteSize> {
    least_memory(|meminfo| kilobytes(meminfo, "MemTotal:"), |_, _, limit| limit)
}

/// Returns the least of what `of_machine` reads from the machine's account, what `of_group` makes
/// of each control group's limit, and our own limits.
fn least_memory(
    of_machine: impl Fn(&str) -> Option<u64>,
    of_group: impl Fn(&Path, &GroupFiles, u64) -> u64,
) -> Option<ByteSize> {
    let machine = read_to_string("/proc/meminfo").ok().and_then(|text| of_machine(&text));
    let groups = read_to_string("/proc/self/cgroup").unwrap_or_default();
    let groups = CGROUP_MOUNTS.iter().filter_map(|(mount, files)| {
        let group = group_path(&groups, files.controller)?;
        least_of_groups(Path::new(mount), group, files, &of_group)
    });
    let own = [Resource::As, Resource::Data].into_iter().filter_map(|r| getrlimit(r).current);
    machine.into_iter().chain(groups).chain(own).min().map(ByteSize)
}

/// Returns the most that the stack of the first thread may take; `None` for no limit.
pub fn stack() -> Option<ByteSize> {
    getrlimit(Resource::Stack).current.map(ByteSize)
}

/// Lets this process open as many files as it is allowed to: a merge holds all its runs open.
/// Refusal is no error here; a later failure to open a file reports it.
pub fn raise_open_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
}

/// Returns whether so few files may be open that they are worth more than what a second descriptor
/// for each, or a ring for each worker, brings.
pub fn are_files_few() -> bool {
    open_files_limit() < FILES_FEW
}

fn open_files_limit() -> usize {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from(limit).unwrap_or(usize::MAX)
}

/// Makes sure that a process which may open `left` more files can open `needed`.
///
/// # Errors
///
/// [`Error::Config`](crate::Error::Config) with the least limit that would do.
pub fn check_open_files(left: usize, needed: usize) -> Result<()> {
    if left >= needed {
        return Ok(());
    }
    let least = open_files_limit().saturating_add(needed - left);
    Err(config!(
        ConfigErrorKind::OpenFileLimit { least: Some(least as u64) },
        "only {} more files may be opened, and {} are needed; raise the limit to {} or more \
         (ulimit -n {})",
        left,
        needed,
        least,
        least
    ))
}

/// Returns how many files this process may still open, as far as the system reports it.
pub fn open_files_left() -> usize {
    let open = match std::fs::read_dir("/proc/self/fd") {
        Ok(entries) => entries.count().saturating_sub(1), // the directory itself is one of them
        Err(e) if e.raw_os_error() == Some(Errno::MFILE.raw_os_error()) => return 0,
        Err(_) => OPEN_FILES_USUAL,
    };
    open_files_limit().saturating_sub(open)
}

/// Threads that can run at once: processors, less what affinity and control groups take away.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Most workers of a job.
pub const WORKERS_MAX: usize = 1024;

/// Returns the number of workers for a job that wants `wanted`: one for each processor if it leaves
/// that open.
pub fn workers(wanted: Option<usize>) -> usize {
    wanted.unwrap_or_else(cores).clamp(1, WORKERS_MAX)
}

/// Returns the highest resident size of this process so far, where the system reports it.
pub fn memory_peak() -> Option<ByteSize> {
    let status = read_to_string("/proc/self/status").ok()?;
    kilobytes(&status, "VmHWM:").map(ByteSize)
}

/// Returns the resident size of this process now, where the system reports it.
pub fn memory_now() -> Option<ByteSize> {
    let status = read_to_string("/proc/self/status").ok()?;
    kilobytes(&status, "VmRSS:").map(ByteSize)
}

/// Processor time this process has used, all threads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessorTime {
    /// In its own code.
    pub user_seconds: f64,
    /// In the kernel for it.
    pub system_seconds: f64,
}

/// Returns the processor time used so far.
pub fn processor_time() -> ProcessorTime {
    let usage = usage();
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    ProcessorTime { user_seconds: seconds(usage.ru_utime), system_seconds: seconds(usage.ru_stime) }
}

/// Least bytes of memory that is mapped apart from other memory.
#[cfg(target_env = "gnu")]
const LARGE_BYTES: libc::c_int = 256 << 10;

/// Arenas of the allocator for each processor, as many as glibc has by default.
#[cfg(target_env = "gnu")]
const ARENAS: u32 = 8;

/// Makes the allocator of this process give large memory back to the system when it is freed. The
/// allocator of glibc keeps up to 64 MiB otherwise, once some has been freed.
///
/// It also sets the number of arenas. Otherwise glibc reads the number of processors from a file
/// when a thread first needs an arena, and a merge may have no descriptor left by then.
pub fn set_up_allocator() {
    #[cfg(target_env = "gnu")]
    {
        let processors = sched_getaffinity(None).map_or(1, |set| set.count());
        let arenas = libc::c_int::try_from(processors * ARENAS).unwrap_or(libc::c_int::MAX);
        // SAFETY: the calls may be made at any time from any thread.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE_BYTES);
            libc::mallopt(libc::M_ARENA_MAX, arenas);
        }
    }
}

/// Gives memory that the allocator keeps for later back to the system.
pub fn trim_memory() {
    // SAFETY: the call may be made at any time from any thread.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Returns the resource usage of this process.
fn usage() -> libc::rusage {
    // SAFETY: all zeros is a valid `rusage`, and the call only fills the one it is given.
    unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    }
}

/// Returns `MemAvailable` of `/proc/meminfo`, or an approximation on kernels before 3.14.
fn memory_available(meminfo: &str) -> Option<u64> {
    kilobytes(meminfo, "MemAvailable:")
        .or_else(|| Some(kilobytes(meminfo, "MemFree:")? + kilobytes(meminfo, "Cached:")?))
}

/// Returns the bytes in a line such as `VmHWM:    1234 kB`.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Returns our group below the mount, from `/proc/self/cgroup`: lines of `number:controllers:path`.
/// Version 2 is the line without controllers.
fn group_path<'a>(groups: &'a str, controller: &str) -> Option<&'a str> {
    groups.lines().find_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        controllers.split(',').any(|name| name == controller).then_some(path)
    })
}

/// Returns the least that `of_group` makes of the limits of our group and of every group above it.
/// Inside a container the path may be the host's and lead nowhere; then the mount's own root is
/// ours and is still looked at.
fn least_of_groups(
    mount: &Path,
    group: &str,
    files: &GroupFiles,
    of_group: impl Fn(&Path, &GroupFiles, u64) -> u64,
) -> Option<u64> {
    let ours = PathBuf::from(group.trim_start_matches('/'));
    ours.ancestors()
        .filter_map(|group| {
            let group = mount.join(group);
            let read = |name: &&str| read_to_string(group.join(name)).ok();
            let limits = files.limits.iter().filter_map(|name| limit(&read(name)?));
            limits.min().map(|limit| of_group(&group, files, limit))
        })
        .min()
}

/// Returns the bytes that the group in a folder has left of its limit.
fn room_of_group(group: &Path, files: &GroupFiles, limit: u64) -> u64 {
    let read = |name: &str| read_to_string(group.join(name)).ok();
    let usage = read(files.usage).and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    let cache = read("memory.stat").map_or(0, |text| counters(&text, files.reclaimable));
    room(limit, usage, cache)
}

/// Returns a group's limit, unless it has none.
fn limit(text: &str) -> Option<u64> {
    text.trim().parse().ok().filter(|bytes| *bytes < BOUNDLESS_BYTES)
}

/// Returns the bytes that a group with this limit has left, when its page cache gives way.
fn room(limit: u64, usage: u64, reclaimable: u64) -> u64 {
    limit.saturating_sub(usage.saturating_sub(reclaimable))
}

/// Returns the sum of the named counters in lines of `name number`.
fn counters(stat: &str, names: &[&str]) -> u64 {
    stat.lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|(name, _)| names.contains(name))
        .filter_map(|(_, number)| number.trim().parse::<u64>().ok())
        .sum()
}

/// Returns the permissions that this process withholds from new files. Asked of the system's
/// account of it, as the call that tells also sets them.
pub fn umask() -> u32 {
    let status = read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    line.and_then(|digits| u32::from_str_radix(digits.trim(), 8).ok()).unwrap_or(0o022)
}

#[cfg(test)]
mod tests;
