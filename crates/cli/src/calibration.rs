//! Measurements of a machine, as text for people. The figures come from the benchmark library; this
//! module only words them.

use std::fmt::Write;

use sortbench::calibrate::{
    DiskReport, MemoryEnd, MemoryReport, StripeUse, strides, striped_speed,
};
use sortwell::ByteSize;
use sortwell::unstable::profile::{Cost, Costs, DiskProfile, MemoryProfile, ProcessorProfile};

use crate::statistics::counted;

/// Together with others, a disk should reach this share of its speed alone.
const SHARED: f64 = 0.85;

/// A figure whose measurements lie further apart is not sure.
const SURE: f64 = 0.2;

/// Describes the speeds of disks, and the strides that follow from them.
pub fn disks(of: &DiskReport) -> String {
    let mut block = String::new();
    for disk in &of.disks {
        // Writing to a string cannot fail.
        let _ = write!(block, "{}", one_disk(disk));
    }
    let Some(together) = &of.together else { return block };
    block += &together_line(of, "read", &together.read, |disk| disk.read);
    block += &together_line(of, "write", &together.write, |disk| disk.write);
    block + &shared(of) + &proposed(of)
}

/// Describes the rates of all directories at the same time, and which are slower than alone.
fn together_line(
    of: &DiskReport,
    what: &str,
    rates: &[f64],
    alone: fn(&DiskProfile) -> f64,
) -> String {
    let (rate, sum) = (rates.iter().sum::<f64>(), of.disks.iter().map(alone).sum::<f64>());
    let slower = of.disks.iter().zip(rates);
    let slower = slower.filter(|(disk, rate)| **rate < SHARED * alone(disk));
    let slower: Vec<String> =
        slower.map(|(disk, _)| disk.directory.display().to_string()).collect();
    let verdict = match slower.is_empty() || rate >= SHARED * sum {
        true => String::new(),
        false => format!("; a disk or a connection is shared by {}", slower.join(", ")),
    };
    let (rate, share) = (megabytes(rate), 100.0 * rate / sum);
    format!("together {what} {rate}, {share:.0}% of the sum{verdict}\n")
}

/// Describes the disks that several directories share.
fn shared(of: &DiskReport) -> String {
    let mut block = String::new();
    for first in 0..of.disks.len() {
        let own = (0..of.disks.len()).filter(|number| of.first_on_disks_of(*number) == first);
        let own: Vec<String> =
            own.map(|number| of.disks[number].directory.display().to_string()).collect();
        if own.len() > 1 {
            let devices: Vec<&str> = of.devices[first].iter().map(String::as_str).collect();
            let (directories, devices) = (own.join(", "), devices.join("+"));
            let _ = writeln!(block, "shared   {directories} lie on {devices}: equal strides");
        }
    }
    block
}

/// Describes the strides for each use, and the speed that they give.
fn proposed(of: &DiskReport) -> String {
    let mut block = String::new();
    for (topic, usage, words) in [
        ("strides", StripeUse::Read, "for reading"),
        ("", StripeUse::Write, "for writing"),
        ("", StripeUse::Both, "for both"),
    ] {
        let speeds = of.speeds(usage);
        let strides = strides(&speeds);
        let (rate, all) = (striped_speed(&speeds, &strides), speeds.iter().sum::<f64>());
        let strides: Vec<String> = strides.iter().map(|times| format!("{times}x")).collect();
        let strides = strides.join(",");
        let (rate, all) = (megabytes(rate), megabytes(all));
        let _ = writeln!(block, "{topic:8} {strides} {words}: {rate} of {all}");
    }
    block
}

fn one_disk(disk: &DiskProfile) -> String {
    let way = if disk.is_direct { "past" } else { "through" };
    format!(
        "disk     {}, {way} the page cache\nspeed    read {}, write {}, both at once \
         {}{}\nrequests {} with {} in flight; read factor {:.0} (time of a \
         4 KiB read, in further blocks)\n",
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
        MemoryEnd::Paging => "95% of the most that was touched again without paging",
        MemoryEnd::Time => "then the time was over; give more --seconds to measure more",
    };
    let MemoryProfile { small_pages_one, small_pages_all, huge_pages_one, huge_pages_all, .. } =
        of.profile;
    let utilisations = || of.probes.iter().map(|probe| 100.0 * probe.utilisation);
    let (least, most) = (utilisations().fold(100.0, f64::min), utilisations().fold(0.0, f64::max));
    let probes = of.probes.len();
    let copied = of.copied.map_or_else(String::new, |copied| {
        let bytes = ByteSize(copied.bytes);
        if [of.end, copied.end].contains(&MemoryEnd::Time) {
            return format!(
                "copied   {bytes} from a mapped file; give more --seconds to compare both sizes\n"
            );
        }
        let less = 100.0 * (1.0 - copied.bytes as f64 / of.wall_bytes.max(1) as f64);
        format!("copied   {bytes} if filled from a mapped file: {less:.0}% less\n")
    });
    format!(
        "memory   {usable} of {claimed} could be used: {end}\n\
         wall     {probes} sizes touched again, with the processor busy for {least:.0}% to \
         {most:.0}% of the time\n\
         {copied}\
         fresh    pages of 4 KiB: {} to one thread, {} to all{}\n\
         fresh    huge pages: {} to one thread, {} to all\n\
         again    huge pages: {} to all, for memory used shortly before\n",
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
