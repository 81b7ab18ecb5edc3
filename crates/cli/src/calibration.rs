//! Measurements of a machine, as text for people. The figures come from the benchmark library; this
//! module only words them.

use std::fmt::Write;

use sortbench::calibrate::{DiskReport, MemoryEnd, MemoryReport};
use sortwell::ByteSize;
use sortwell::unstable::profile::{Cost, Costs, DiskProfile, MemoryProfile, ProcessorProfile};

use crate::statistics::counted;

/// Together, disks should reach this share of the sum of what they do alone.
const SHARED: f64 = 0.85;

/// A figure whose measurements lie further apart is not sure.
const SURE: f64 = 0.2;

/// Describes the speeds of disks, and the strides that follow from them.
pub fn disks(of: &DiskReport, strides: &[u64]) -> String {
    let mut block = String::new();
    for disk in &of.disks {
        // Writing to a string cannot fail.
        let _ = write!(block, "{}", one_disk(disk));
    }
    let Some(together) = of.together else { return block };
    let sum = |rate: fn(&DiskProfile) -> f64| of.disks.iter().map(rate).sum::<f64>();
    for (what, rate, alone) in [
        ("read", together.read, sum(|disk| disk.read)),
        ("write", together.write, sum(|disk| disk.write)),
    ] {
        let share = rate / alone;
        let verdict = if share < SHARED { ": they share a disk or a connection" } else { "" };
        let (rate, share) = (megabytes(rate), share * 100.0);
        let _ = writeln!(block, "together {what} {rate}, {share:.0}% of the sum{verdict}");
    }
    let strides: Vec<String> = strides.iter().map(|times| format!("{times}x")).collect();
    let _ = writeln!(block, "strides  {}", strides.join(","));
    block
}

fn one_disk(disk: &DiskProfile) -> String {
    let way = if disk.is_direct { "past" } else { "through" };
    format!(
        "disk     {}, {way} the page cache\nspeed    read {}, write {}, both at once \
         {}{}\nrequests {} with {} in flight; starting a read takes as long as reading {:.0} \
         blocks of 4 KiB\n",
        disk.directory.display(),
        megabytes(disk.read),
        megabytes(disk.write),
        megabytes(disk.both),
        certainty(disk.spread),
        ByteSize(disk.request_bytes),
        disk.queue_depth,
        disk.read_factor
    )
}

/// Describes the memory.
pub fn memory(of: &MemoryReport) -> String {
    let MemoryProfile { usable_bytes, claimed_bytes, .. } = of.profile;
    let (usable, claimed) = (ByteSize(usable_bytes), ByteSize(claimed_bytes));
    let end = match of.end {
        MemoryEnd::Whole => "all that the system reports, less a margin",
        MemoryEnd::Paging => "then memory ran short",
        MemoryEnd::Time => "then the time was over; give more --seconds to measure more",
    };
    let MemoryProfile { small_pages_one, small_pages_all, huge_pages_one, huge_pages_all, .. } =
        of.profile;
    format!(
        "memory   {usable} of {claimed} could be used: {end}\nfresh    pages of 4 KiB: {} to one \
         thread, {} to all{}\nfresh    huge pages: {} to one thread, {} to all\nagain    huge \
         pages: {} to all, for memory used shortly before\n",
        megabytes(small_pages_one),
        megabytes(small_pages_all),
        certainty(of.spread),
        megabytes(huge_pages_one),
        megabytes(huge_pages_all),
        megabytes(of.profile.reused_pages_all),
    )
}

/// Describes the costs of sorting. `spread` is the spread of the measurements.
pub fn processor(of: &ProcessorProfile, spread: f64) -> String {
    let mut block = String::new();
    for (what, costs) in [("records", &of.fixed), ("lines", &of.lines)] {
        let Costs { reading, writing, run_generation, merging } = costs;
        let [reading, writing, generation, merging] =
            [reading, writing, run_generation, merging].map(cost);
        let _ = writeln!(
            block,
            "{what:8} in memory {reading} to read and {writing} to write; runs {generation} to \
             make and {merging} to merge"
        );
    }
    let threads = counted(of.threads as u64, "thread");
    let _ = writeln!(block, "cpu      of {threads}, by record and byte{}", certainty(spread));
    block
}

fn cost(of: &Cost) -> String {
    format!("{:.0} + {:.2} ns", of.record, of.byte)
}

fn megabytes(rate: f64) -> String {
    format!("{:.0} MB/s", rate / 1e6)
}

/// Describes how certain a figure is whose measurements have this spread.
fn certainty(spread: f64) -> String {
    let doubt = if spread > SURE { ": uncertain; measure again" } else { "" };
    format!(" (measurements lie {:.0}% apart{doubt})", spread * 100.0)
}

#[cfg(test)]
mod tests;
