//! What would have made a sort faster, as far as can be told from what it did: each in a sentence
//! that says what to do.

use std::fs;
use std::path::Path;

use crate::error::{Message, Setting, message};
use crate::io::Engine;
use crate::pipeline::{JobInput, Work};
use crate::plan::Need;
use crate::plan::outlook::Outlook;
use crate::stats::{Phase, Statistics, Stream, WorkerTime};
use crate::stripe::SpillPlace;
use crate::sys::{limits, space};
use crate::units::ByteSize;

/// Shorter sorts get no advice about processors and disks, because it would depend on chance.
const LEAST_SECONDS: f64 = 1.0;

/// From this share of their time on, what workers wait for is what keeps the sort.
const MUCH: f64 = 0.5;

/// Most of the memory there is that advice may ask for.
const MEMORY_SHARE: f64 = 0.8;

/// Path of the kernel setting that says whether huge pages are on.
const HUGE_PAGES: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

/// From this share of the time on, what happens after the last record was written is long.
const LONG_END: f64 = 0.25;

/// The conditions at both ends of a sort, beside its disks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Endpoints {
    /// True if inputs are expanded as they are read.
    pub is_input_packed: bool,
    /// True if the output is compressed as it is written.
    pub is_output_packed: bool,
    /// True if the output goes to a pipe or another stream.
    pub is_output_stream: bool,
    /// True if the output is made durable.
    pub is_durable: bool,
}

/// Returns advice about a sort that has ended.
pub fn of(
    statistics: &Statistics,
    work: &Work,
    need: &Need,
    ends: Endpoints,
    wanted: Engine,
) -> Vec<Message> {
    let mut advice = Vec::new();
    advice.extend(memory(statistics, work, need));
    advice.extend(threads(statistics, work));
    let is_stream = matches!(work.input, JobInput::Stream(_));
    advice.extend(partner(statistics, is_stream, ends).or_else(|| busiest(statistics, work)));
    advice.extend(flush(statistics, ends));
    advice.extend(strides(statistics, work));
    advice.extend(engine(statistics, wanted));
    advice.extend(fs::read_to_string(HUGE_PAGES).ok().and_then(|text| huge_pages(&text)));
    advice
}

/// Returns advice to use more memory, where that would take fewer passes.
fn memory(of: &Statistics, work: &Work, need: &Need) -> Option<Message> {
    let bytes = work.input.bytes().filter(|_| of.passes > 1)?;
    let outlook = Outlook::new(need, &work.plan, bytes);
    let most = limits::memory().map_or(0.0, |there| there.bytes() as f64 * MEMORY_SHARE);
    let is_more = |least: &ByteSize| *least > of.memory_budget && least.bytes() as f64 <= most;
    match (outlook.one_pass_budget.filter(is_more), outlook.two_pass_budget.filter(is_more)) {
        (Some(one), _) => Some(message!(
            "With {} all records would fit in memory, and only the output would be written.",
            Setting::Memory.to(one.for_option()),
        )),
        (None, Some(two)) if of.passes > 2 => Some(message!(
            "Runs were merged more than once; with {} one merge would be enough.",
            Setting::Memory.to(two.for_option()),
        )),
        _ => None,
    }
}

/// Workers that memory or the command had no room for.
fn threads(of: &Statistics, work: &Work) -> Option<Message> {
    let (had, wanted) = (work.plan.threads, work.plan.threads_wanted);
    (had < wanted).then(|| {
        message!(
            "The memory budget of {} had room for {} of {} threads; give more with {}.",
            of.memory_budget,
            had,
            wanted,
            Setting::Memory,
        )
    })
}

/// Names the partner that a sort waited for instead of a disk: the writer of its input, the reader
/// of its output, or a coder. Workers wait in turn for an input, and for an output together.
fn partner(of: &Statistics, is_stream: bool, ends: Endpoints) -> Option<Message> {
    if of.seconds < LEAST_SECONDS {
        return None;
    }
    let waits = |stream: Stream| {
        of.workers.iter().map(move |time| time.waiting_for.of(stream).as_secs_f64() / of.seconds)
    };
    let reads: f64 = waits(Stream::InputRead).sum();
    let writes = waits(Stream::OutputWritten).fold(0.0, f64::max);
    let percent = |share: f64| format!("{:.0}% of the time", 100.0 * share.min(1.0));
    if is_stream && reads >= MUCH {
        let (time, is_packed) = (percent(reads), ends.is_input_packed);
        return Some(match is_packed {
            true => message!(
                "The sort waited {} for its input to be decompressed, which was the limit. zstd \
                 and lz4 decompress faster than gzip.",
                time,
            ),
            false => message!(
                "The sort waited {} for its input: the program that writes to the pipe was the \
                 limit.",
                time,
            ),
        });
    }
    let time = percent(writes);
    match (writes >= MUCH, ends.is_output_packed, ends.is_output_stream) {
        (true, true, _) => Some(message!(
            "Workers waited {} for the output to be compressed: a lower level or lz4 would be \
             faster ({}).",
            time,
            Setting::Compress,
        )),
        (true, false, true) => Some(message!(
            "Workers waited {} for the program that reads the output, which was the limit.",
            time,
        )),
        _ => None,
    }
}

/// Explains a long time at the end, until the disk has stored all that was written.
fn flush(of: &Statistics, ends: Endpoints) -> Option<Message> {
    let at_end = of.phases.iter().filter(|time| time.phase == Phase::Finishing);
    let seconds = at_end.map(|time| time.seconds).sum::<f64>();
    let is_long =
        ends.is_durable && of.seconds >= LEAST_SECONDS && seconds >= LONG_END * of.seconds;
    is_long.then(|| {
        message!(
            "At the end, the sort waited {} s for the disk to store its cache (finishing). With \
             {} the system does that later, and a crash may lose the output.",
            format_args!("{seconds:.1}"),
            Setting::Sync.to("off"),
        )
    })
}

/// Returns advice about what kept the workers busy.
fn busiest(of: &Statistics, work: &Work) -> Option<Message> {
    if of.seconds < LEAST_SECONDS {
        return None;
    }
    let sum = |part: fn(&WorkerTime) -> f64| of.workers.iter().map(part).sum::<f64>();
    let all = of.seconds * of.workers.len() as f64;
    let waited = sum(|time| time.waiting) / all;
    let rested = sum(|time| time.resting) / all;
    if waited >= MUCH {
        let percent = 100.0 * waited;
        let spill = if of.passes > 1 { spill_disk(work) } else { Message::default() };
        return Some(message!(
            "Workers waited for disks {}% of the time: faster disks would help, more threads \
             would not.{}",
            format_args!("{percent:.0}"),
            spill,
        ));
    }
    let is_bound = 1.0 - waited - rested >= MUCH;
    let more = limits::cores().saturating_sub(of.threads);
    // Where memory has no room for more, that is the advice.
    let has_room = work.plan.threads == work.plan.threads_wanted;
    (is_bound && has_room && more > 0).then(|| {
        let cores = limits::cores();
        message!(
            "Processors were the limit, and {} of {} were not used: {}.",
            more,
            cores,
            Setting::Threads.to(cores),
        )
    })
}

/// Returns advice about runs that share a disk with the input.
fn spill_disk(work: &Work) -> Message {
    let device = |path: &Path| space::device(path).ok();
    let JobInput::Files(files) = &work.input else { return Message::default() };
    let directories = work.temp.iter().flat_map(SpillPlace::directories);
    let is_shared = directories
        .map(|(path, _)| device(path))
        .any(|own| own.is_some() && files.iter().any(|file| device(file.path()) == own));
    match is_shared {
        true => message!(
            " Runs share a disk with the input: {} on another disk would halve its load.",
            Setting::Temp
        ),
        false => Message::default(),
    }
}

/// Strides of spill sets that are longer than what is written at once.
fn strides(of: &Statistics, work: &Work) -> Option<Message> {
    let (lane, threads) = (&work.plan.lane, work.plan.threads);
    let at_once = (threads * lane.buffers * lane.capacity) as u64;
    let sets = work.temp.iter().filter(|place| place.members() > 1);
    let turns = sets.map(|set| set.directories().map(|(_, stride)| stride).sum::<u64>());
    let turn = turns.max().filter(|turn| of.runs > 0 && *turn > at_once)?;
    Some(message!(
        "The strides of a spill set are {} together, and no more than {} are written at once, \
         so that disks take turns: shorter strides would keep all of them busy.",
        ByteSize(turn),
        ByteSize(at_once),
    ))
}

/// Returns advice where the fastest engine could not be used.
fn engine(of: &Statistics, wanted: Engine) -> Option<Message> {
    let is_replaced = wanted == Engine::Auto && of.engine != Engine::Uring.name();
    is_replaced.then(|| match limits::are_files_few() {
        true => message!(
            "Too few files may be open for io_uring: {} replaces it, and takes more processor \
             time; raise the limit (ulimit -n).",
            of.engine,
        ),
        false => message!(
            "io_uring is not allowed here (kernel.io_uring_disabled, or the rules of a \
             container): {} replaces it, and takes more processor time.",
            of.engine,
        ),
    })
}

/// Returns advice where huge pages are switched off.
fn huge_pages(text: &str) -> Option<Message> {
    text.contains("[never]").then(|| {
        message!(
            "Huge pages are switched off, which makes memory slower. To switch them on: echo \
             madvise > {}",
            HUGE_PAGES,
        )
    })
}

#[cfg(test)]
mod tests;
