//! The account of a finished sort, for people and for programs.
//!
//! The figures are the library's; here they only become words. One topic a line, named in front, so
//! that a line can be found with `grep`.

use std::ffi::{OsStr, OsString};
use std::fmt::Write;

use serde::Serialize;
use sortbench::MachineProperties;
use sortwell::unstable::stats::{
    LeverSetting, MergeBuffers, Microruns, Prediction, RunCompression, Stages, WriteBuffers,
};
use sortwell::{ByteSize, Input, Output, Statistics};

use crate::reporting::JobFiles;
use crate::wording;

/// Returns a short block of lines, each ended.
pub fn text(of: &Statistics) -> String {
    // A merge reads what is sorted already, and has no loads.
    let is_merge = of.loads == 0 && of.records > 0;
    let mut lines = vec![
        (if is_merge { "merged" } else { "sorted" }, amount(of)),
        ("speed", speed(of)),
        ("plan", plan(of)),
        ("i/o", engine(of)),
        ("bytes", bytes(of)),
    ];
    lines.extend(requests(of).map(|words| ("requests", words)));
    lines.extend(levers(&of.levers).map(|words| ("levers", words)));
    lines.extend(of.microruns.as_ref().map(|runs| ("sorting", microruns(runs))));
    if of.streamed > ByteSize(0) {
        lines.push(("stores", format!("{} of sorted records past the caches", of.streamed)));
    }
    lines.extend(of.merge_buffers.as_ref().map(|buffers| ("buffers", merge_buffers(buffers))));
    let has_runs = of.streams.spill_written > ByteSize(0) || of.streams.spill_read > ByteSize(0);
    let run_forms = of.run_compression.as_ref().filter(|_| has_runs);
    lines.extend(run_forms.map(|of| ("runs", run_compression(of))));
    lines.extend(of.ragged_rows_dropped.map(|rows| ("dropped", dropped_rows(rows))));
    if let Some(records) = of.records_selected {
        lines.push(("output", counted(records, "record")));
    }
    lines.extend(invalid_keys(of).map(|words| ("keys", words)));
    lines.extend(unmatched_keys(of).map(|words| ("warning", words)));
    if !of.collations.is_empty() {
        lines.push(("order", of.collations.join(", ")));
    }
    lines.extend(of.phases.iter().map(|share| {
        let waiting = format!("{:.2} s waiting for I/O", share.io_wait_seconds);
        ("time", format!("{:.2} s {} ({waiting})", share.seconds, share.phase.words()))
    }));
    if let Some(prediction) = &of.prediction {
        lines.push(("expected", predicted(prediction)));
    }
    lines
        .push(("cpu", format!("{:.2} s user, {:.2} s system", of.user_seconds, of.system_seconds)));
    lines.push(("memory", format!("{} at the peak, {} allowed", of.memory_peak, of.memory_budget)));
    lines.push(("proof", proof(of)));
    lines.extend(of.advice.iter().map(|words| ("advice", wording::text(words))));
    let mut block = String::new();
    for (topic, words) in lines {
        // Writing to a string cannot fail.
        let _ = writeln!(block, "{topic:8} {words}");
    }
    block
}

/// Returns the default lines about rows that were left out and about invalid keys.
pub fn finding_lines(of: &Statistics) -> String {
    dropped_line(of.ragged_rows_dropped.unwrap_or_default()) + &key_lines(of)
}

/// Returns the default line about rows that were left out for the number of their cells, if any
/// were.
pub fn dropped_line(rows: u64) -> String {
    match rows {
        0 => String::new(),
        _ => format!("sortwell: left out {} (--ragged drop)\n", dropped_rows(rows)),
    }
}

/// Returns the default lines about invalid keys: one for the records that they place, and one for
/// each key that has no value in any record.
pub fn key_lines(of: &Statistics) -> String {
    let warnings = unmatched_keys(of).map(|words| format!("warning: {words}"));
    let words = invalid_keys(of).into_iter().chain(warnings);
    words.map(|words| format!("sortwell: {words}\n")).collect()
}

/// Returns the number of records that invalid keys have placed, in words; `None` for 0.
fn invalid_keys(of: &Statistics) -> Option<String> {
    let found = of.keys.invalid.as_ref().filter(|found| found.records > 0)?;
    let (has, come) = if found.records == 1 { ("has", "comes") } else { ("have", "come") };
    let is_one = found.keys.len() == 1;
    let keys = found.keys.iter().map(|key| {
        let count = counted(key.records, "record");
        let count = if is_one { String::new() } else { format!(" ({count})") };
        format!("{} is not {}{count}", key.key, key.expected)
    });
    let keys = keys.collect::<Vec<_>>().join("; ");
    let (records, all, place) = (found.records, counted(found.of_records, "record"), found.place);
    Some(format!("{records} of {all} {has} an invalid key, and {come} {place}: {keys}"))
}

/// Returns a warning for each key of which no record has a value.
fn unmatched_keys(of: &Statistics) -> impl Iterator<Item = String> {
    of.keys.unmatched.iter().map(|key| {
        let advice = match key.suggestion {
            Some(name) => format!("; all values fit type {name}"),
            None => String::new(),
        };
        format!("{} has no valid value in any record: it is not {}{advice}", key.key, key.expected)
    })
}

/// Returns the line that says which format the names of the inputs say, where they do.
pub fn format_line(by_names: Option<&'static str>) -> String {
    by_names.map_or_else(String::new, |name| {
        format!("format   {name}, from the names of the inputs; --format overrides it\n")
    })
}

/// Names of a job's inputs and output, as the user knows them.
#[derive(Clone, Debug, Serialize)]
pub struct Named {
    /// The first inputs.
    pub inputs: Vec<String>,
    /// Number of inputs.
    pub input_count: usize,
    /// The output.
    pub output: String,
    /// The format of the inputs, where their names say it and not an option.
    pub format_by_names: Option<&'static str>,
    /// The command line.
    pub command: String,
}

/// More inputs than this are counted only.
const NAMES_MAX: usize = 20;

impl Named {
    /// Returns the names of `files`, which the words of a command line name.
    pub fn new(files: &JobFiles<'_>, words: impl Iterator<Item = OsString>) -> Self {
        let JobFiles { inputs, output, format_by_names, .. } = *files;
        let words: Vec<String> = words.map(|word| quoted(&word)).collect();
        Self {
            inputs: inputs.iter().take(NAMES_MAX).map(name_of).collect(),
            input_count: inputs.len(),
            output: match output {
                Output::File(path) | Output::Striped(path) => path.display().to_string(),
                Output::Stdout | Output::Pipe(_) => "standard output".to_owned(),
            },
            format_by_names,
            command: words.join(" "),
        }
    }
}

fn name_of(input: &Input) -> String {
    match input {
        Input::File(path) | Input::Striped(path) => path.display().to_string(),
        Input::Stdin => "standard input".to_owned(),
        Input::Supplied(_) => "a stream".to_owned(),
    }
}

/// Returns a word as a shell takes it.
pub fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:,=+%@".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Returns one line of JSON, without its end.
pub fn json(of: &Statistics, named: Named) -> String {
    #[derive(Serialize)]
    struct PrintedStatistics<'s> {
        #[serde(flatten)]
        statistics: &'s Statistics,
        machine: MachineProperties,
        job: Named,
    }
    let mut statistics = of.clone();
    statistics.advice = of.advice.iter().map(wording::in_plain_text).collect();
    let whole = PrintedStatistics {
        statistics: &statistics,
        machine: MachineProperties::here(),
        job: named,
    };
    // Only numbers, strings and lists of them: there is nothing in it that JSON cannot hold.
    serde_json::to_string(&whole).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"))
}

/// Returns the number of rows that were left out, and the reason, in words.
fn dropped_rows(rows: u64) -> String {
    let other = "a different number of cells than the header or first row";
    format!("{} with {other}", counted(rows, "row"))
}

fn amount(of: &Statistics) -> String {
    let records = counted(of.records, "record");
    format!("{records}, {}, in {:.2} s", with_bytes(of.bytes), of.seconds)
}

fn speed(of: &Statistics) -> String {
    if of.seconds <= 0.0 {
        return "too short to measure".into();
    }
    let megabytes = of.bytes.bytes() as f64 / 1e6 / of.seconds;
    format!("{megabytes:.0} MB/s, {:.0} records/s", of.records as f64 / of.seconds)
}

fn plan(of: &Statistics) -> String {
    let mut parts = vec![counted(of.passes.into(), "pass")];
    parts.extend((of.loads > 0).then(|| counted(of.loads, "load")));
    let by = of.algorithm.map(|name| format!(" by {name}")).unwrap_or_default();
    parts.extend((of.runs > 0).then(|| counted(of.runs, "run") + &by));
    parts.extend((of.merge_width > 0).then(|| format!("merge width {}", of.merge_width)));
    let again = of.runs_merged_again;
    parts.extend((again > 0).then(|| format!("{again} merged before the last merge")));
    parts.push(counted(of.threads as u64, "thread"));
    parts.extend(stages(of));
    parts.join(", ")
}

/// Returns the number of steps, and of those in which reading and writing overlap, of run
/// generation and of merges.
fn stages(of: &Statistics) -> Option<String> {
    let Stages { count, overlapped, merging, merging_overlapped } = of.stages;
    let (runs, runs_overlapped) = (count - merging, overlapped - merging_overlapped);
    // Without runs, the steps read records into memory, and write them.
    let has_runs = of.runs > 0 || of.loads == 0;
    let (first, last) =
        if has_runs { ("run generation", "merges") } else { ("reading", "writing") };
    let of_runs = format!("in {runs_overlapped} of {runs} steps of {first}");
    let of_merges = format!("in {merging_overlapped} of {merging} steps of {last}");
    match (runs > 0, merging > 0) {
        (true, true) => Some(format!("overlap {of_runs} and {of_merges}")),
        (true, false) => Some(format!("overlap {of_runs}")),
        (false, true) => Some(format!("overlap {of_merges}")),
        (false, false) => None,
    }
}

fn engine(of: &Statistics) -> String {
    let way = |is_direct| if is_direct { "past the page cache" } else { "through the page cache" };
    let (input, output) = (way(of.direct_input), way(of.direct_output));
    let spill = of.direct_spill.map_or_else(String::new, |is| format!(", runs {}", way(is)));
    let waiting = if of.asynchronous { "" } else { ", one request at a time" };
    let WriteBuffers { count, bytes } = of.write_buffers;
    let buffers = match count {
        0 => String::new(),
        _ => format!(", {count} write buffers of {bytes}"),
    };
    format!("{}{waiting}, input {input}{spill}, output {output}{buffers}", of.engine)
}

/// Returns the levers that were set, if any were.
pub fn levers(set: &[LeverSetting]) -> Option<String> {
    let words: Vec<String> = set.iter().map(|of| format!("{} {}", of.name, of.value)).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

fn bytes(of: &Statistics) -> String {
    let streams = &of.streams;
    let packed = |bytes: Option<ByteSize>| match bytes {
        Some(bytes) => format!(" ({bytes} compressed)"),
        None => String::new(),
    };
    let mut words = format!("{} read{}", streams.input_read, packed(streams.compressed_read));
    if streams.spill_written > ByteSize(0) || streams.spill_read > ByteSize(0) {
        let (out, back) = (streams.spill_written, streams.spill_read);
        let _ = write!(words, ", {out} spilled, {back} read back");
    }
    let (written, compressed) = (streams.output_written, packed(streams.compressed_written));
    let _ = write!(words, ", {written} written{compressed}");
    words
}

/// Returns the number and size of each stream's requests, and how many were in flight at once in
/// the queue of a worker. Returns `None` without requests.
fn requests(of: &Statistics) -> Option<String> {
    let (streams, requests) = (&of.streams, &of.requests);
    let streams = [
        ("input", streams.input_read, requests.input_read),
        ("spill", streams.spill_written, requests.spill_written),
        ("read back", streams.spill_read, requests.spill_read),
        ("output", streams.output_written, requests.output_written),
    ];
    let words = streams.into_iter().filter(|(.., requests)| requests.count > 0);
    let words = words.map(|(name, bytes, requests)| {
        let each = ByteSize(bytes.bytes() / requests.count);
        let depth = requests.in_flight as f64 / requests.count as f64;
        format!("{name} {} of {each}, {depth:.1} in flight", requests.count)
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| words.join("; "))
}

/// Returns the buffers of runs that were merged as streams, and their refills.
fn microruns(of: &Microruns) -> String {
    let (runs, width) = (counted(of.runs, "run"), of.tree_width);
    format!("{runs} in memory, each of at most {}; tree of {width}", counted(of.entries, "record"))
}

fn merge_buffers(of: &MergeBuffers) -> String {
    let mean = ByteSize(of.refill_bytes.bytes() / of.refills.max(1));
    format!(
        "geometry {}, refilled below {}: {} of {} to {} each, {} of {mean}, {} at most",
        of.geometry,
        of.refill,
        counted(of.runs, "run"),
        of.buffer_min,
        of.buffer_max,
        counted(of.refills, "refill"),
        of.refill_max,
    )
}

/// Returns the compression of runs, with the bytes before and after it.
fn run_compression(of: &RunCompression) -> String {
    if of.choice == "off" {
        return format!("not compressed: {}", of.reason);
    }
    let percent = 100.0 * of.stored_bytes.bytes() as f64 / of.bytes.bytes().max(1) as f64;
    format!(
        "compressed with {} ({}): {} in {}, {percent:.0}%; {} of {} did not shrink; {:.2} s",
        of.choice,
        of.reason,
        of.bytes,
        of.stored_bytes,
        of.plain_blocks,
        counted(of.blocks, "block"),
        of.seconds,
    )
}

fn proof(of: &Statistics) -> String {
    let order = "in proven order";
    match of.proof {
        None if of.is_order_proven => format!("order only: records written, {order}"),
        None => "off".into(),
        Some(proof) => {
            let records = counted(proof.records, "record");
            let order = if of.is_order_proven { format!(", {order}") } else { String::new() };
            format!("{records} in and out, checksum {:032x} of both{order}", proof.checksum)
        }
    }
}

/// Factor between two times above which both are reported.
const FAR_MORE: f64 = 1.1;

/// Describes the predicted time of a job, and what limits its speed.
pub fn predicted(prediction: &Prediction) -> String {
    let phases = prediction.phases.iter().filter(|phase| phase.seconds >= 0.005).map(|phase| {
        let is_disk = phase.disk_seconds >= phase.processor_seconds;
        let busiest = if is_disk { "disks" } else { "processors" };
        format!("{:.2} s {} ({busiest})", phase.seconds, phase.phase.words())
    });
    let phases: Vec<String> = phases.collect();
    let mut words = format!("{:.2} s: {}", prediction.seconds, phases.join(", "));
    if prediction.most_seconds > FAR_MORE * prediction.seconds {
        words += &format!("; up to {:.2} s if new memory is slow", prediction.most_seconds);
    }
    words
}

/// Returns a size, and its bytes in parentheses if it is not shown in bytes.
pub fn with_bytes(size: ByteSize) -> String {
    match size.bytes() {
        0..1024 => size.to_string(),
        bytes => format!("{size} ({bytes} bytes)"),
    }
}

/// Returns `1 record`, `2 records`, `3 passes`.
pub fn counted(count: u64, word: &str) -> String {
    match (count, word.ends_with('s')) {
        (1, _) => format!("1 {word}"),
        (_, true) => format!("{count} {word}es"),
        (_, false) => format!("{count} {word}s"),
    }
}

#[cfg(test)]
mod tests;
