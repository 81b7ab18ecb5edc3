//! From what is meant to what is done: the job of the library, and its errors in GNU sort's words.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, BufWriter};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use sortwell::format::Format;
use sortwell::io::locale::Locale;
use sortwell::io::{Engine, SpillDirectory, redirect};
use sortwell::job::{Budget, CheckJob, Input, MergeJob, Output, SortJob};
use sortwell::key::text::TextOrder;
use sortwell::stats::Progress;
use sortwell::{ByteSize, Error};

use super::complaint::{Complaint, reason};
use super::order::Settings;
use super::parse::Check;
use super::quoting::Quoting;
use super::underline::Underline;
use crate::failure::Failure;
use crate::signals;

/// The least memory taken, whatever was asked for: scripts ask for kilobytes, which were much once.
const MEMORY_LEAST: ByteSize = ByteSize::mib(64);

/// One thread sorts as much in a millisecond, about as long as a second takes to begin.
const SMALL_BYTES: u64 = 128 << 10;

/// Sorts.
pub fn sort(
    order: TextOrder,
    settings: &Settings,
    quoting: Quoting,
) -> Result<ExitCode, Complaint> {
    run(job(order, settings)).or_else(|failure| end(&failure, quoting))
}

/// Sorts, and prints the lines with their keys underlined.
pub fn show(order: TextOrder, settings: &Settings, locale: &Locale) -> Result<ExitCode, Complaint> {
    let sort_and_copy = || {
        let underline = Underline::new(&order, locale)?;
        let mut job = job(order, settings);
        // Removed when it is dropped; lines are in it and nowhere else until all are shown.
        let directory = SpillDirectory::create(&place_to_show(&job.temp))?;
        let sorted = directory.path().join("sorted");
        job.output = Output::File(sorted.clone());
        run(job)?;
        let lines = File::open(&sorted).map_err(|error| Error::io("open", &sorted, error))?;
        let mut out = BufWriter::new(io::stdout().lock());
        underline.copy(&mut BufReader::new(lines), &mut out)?;
        Ok(ExitCode::SUCCESS)
    };
    sort_and_copy().or_else(|failure| end(&failure, Quoting::new(locale)))
}

/// The job that a command line means.
fn job(order: TextOrder, settings: &Settings) -> SortJob {
    let format = Format::Lines { terminator: order.terminator };
    let mut job = SortJob::new(inputs(settings), output(settings), format);
    job.order = Some(order);
    job.select.unique = settings.is_unique;
    job.memory = memory(settings.memory);
    job.threads = settings.threads;
    job.temp.clone_from(&settings.temporary);
    // As GNU sort has it, a bad place only matters where something has to go there.
    job.check_temp = false;
    // Whoever calls GNU sort expects to have the output when it is written, not when it is durable.
    job.sync = false;
    job
}

/// Does a job.
fn run(mut job: SortJob) -> Result<ExitCode, Failure> {
    let progress = Progress::new();
    let is_small = is_small(&job.inputs);
    if is_small {
        shorten(&mut job);
    }
    if is_small && job.output == Output::Stdout {
        // Nothing would have to be tidied up after a signal.
        job.run(&progress)?;
    } else {
        signals::stoppable(&progress, || job.run(&progress))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Merges.
pub fn merge(
    order: TextOrder,
    settings: &Settings,
    quoting: Quoting,
) -> Result<ExitCode, Complaint> {
    let format = Format::Lines { terminator: order.terminator };
    let job = MergeJob {
        order: Some(order),
        unique: settings.is_unique,
        memory: memory(settings.memory),
        merge_width: settings.merge_width,
        temp: settings.temporary.clone(),
        check_temp: false,
        // As for sorting.
        sync: false,
        ..MergeJob::new(inputs(settings), output(settings), format)
    };
    let progress = Progress::new();
    let ended = signals::stoppable(&progress, || job.run(&progress));
    ended.map(|_| ExitCode::SUCCESS).or_else(|failure| end(&failure, quoting))
}

/// Looks for the first line that is out of order, and complains about it unless that is to be
/// quiet.
pub fn check(
    order: TextOrder,
    check: Check,
    settings: &Settings,
    quoting: Quoting,
) -> Result<ExitCode, Complaint> {
    let terminator = order.terminator;
    let job = CheckJob {
        order: Some(order),
        unique: settings.is_unique,
        memory: memory(settings.memory),
        ..CheckJob::new(inputs(settings), Format::Lines { terminator })
    };
    let progress = Progress::new();
    let checked = match signals::stoppable(&progress, || job.run(&progress)) {
        Ok(checked) => checked,
        Err(failure) => return end(&failure, quoting),
    };
    let Some(disorder) = checked.disorder else { return Ok(ExitCode::SUCCESS) };
    if check == Check::Diagnose {
        let name = settings.inputs.first().map_or(&b"-"[..], |name| name.as_bytes());
        let place = format!(":{}: disorder: ", disorder.record_number);
        let line = disorder.record.strip_suffix(&[terminator]).unwrap_or(&disorder.record);
        let message = [name, place.as_bytes(), line].concat();
        return Err(Complaint::new(message).ended_by(terminator).with_status(DISORDER));
    }
    Ok(ExitCode::from(DISORDER))
}

fn inputs(settings: &Settings) -> Vec<Input> {
    settings.inputs.iter().map(|input| self::input(input)).collect()
}

fn output(settings: &Settings) -> Output {
    settings.output.as_ref().map_or(Output::Stdout, |path| Output::File(path.into()))
}

fn input(name: &OsStr) -> Input {
    if name == "-" { Input::Stdin } else { Input::File(name.into()) }
}

/// Whether all inputs are files, and so little together that starting threads, rings and counters
/// would take longer than to sort them.
fn is_small(inputs: &[Input]) -> bool {
    let mut bytes = 0;
    inputs.iter().all(|input| {
        let path = match input {
            Input::File(path) => Some(path.clone()),
            Input::Stdin => redirect::input(),
        };
        let Some(Ok(data)) = path.map(|path| path.metadata()) else { return false };
        bytes += data.len();
        data.is_file() && bytes <= SMALL_BYTES
    })
}

/// Leaves out of a job what only pays for more than a page of lines.
fn shorten(job: &mut SortJob) {
    job.threads = Some(1);
    job.engine = Engine::Sync;
    // They are not needed, so they need not be there.
    job.temp.clear();
    // Looking up what the machine has takes sixty system calls.
    if job.memory == Budget::Auto {
        job.memory = Budget::Bytes(MEMORY_LEAST);
    }
}

fn memory(budget: Budget) -> Budget {
    match budget {
        Budget::Bytes(bytes) => Budget::Bytes(bytes.max(MEMORY_LEAST)),
        other => other,
    }
}

/// Where lines are kept until they are shown: with the runs; where that is no directory, which GNU
/// sort forgives for lines that fit in memory, where other programs put temporary files, or here.
fn place_to_show(places: &[PathBuf]) -> PathBuf {
    let usual = [std::env::temp_dir(), PathBuf::from(".")];
    places.iter().chain(&usual).find(|place| place.is_dir()).cloned().unwrap_or_default()
}

/// The status or the complaint that a failure ends with.
fn end(failure: &Failure, quoting: Quoting) -> Result<ExitCode, Complaint> {
    match failure {
        _ if failure.is_closed_pipe() => Ok(ExitCode::from(CLOSED_PIPE)),
        Failure::Signal { number, .. } => {
            Ok(u8::try_from(128 + number).map_or(ExitCode::FAILURE, ExitCode::from))
        }
        Failure::Library(Error::Io { action, path, source, .. }) => {
            if is_of_spilling(action) {
                return Err(cannot_spill(path, source, quoting));
            }
            let what = match *action {
                "read" => "read failed",
                "write" => "write failed",
                "open" => "open failed",
                _ => return Err(Complaint::new(failure.message())),
            };
            let file = path.as_os_str().as_bytes();
            Err(Complaint::about_file(what, file, source, quoting))
        }
        Failure::Output(error) => Err(Complaint::new(format!("write error: {}", reason(error)))),
        Failure::Library(_) => Err(Complaint::new(failure.message())),
    }
}

/// Whether what failed was to make a place for runs.
fn is_of_spilling(action: &str) -> bool {
    matches!(action, "create a spill directory in" | "ask for the free space of")
}

fn cannot_spill(place: &Path, error: &io::Error, quoting: Quoting) -> Complaint {
    let place = quoting.file_always(place.as_os_str().as_bytes());
    let why = format!(": {}", reason(error));
    Complaint::new([b"cannot create temporary file in ", &place[..], why.as_bytes()].concat())
}

/// The status that says that lines are out of order.
const DISORDER: u8 = 1;

/// What a shell reports of a program that SIGPIPE ended.
const CLOSED_PIPE: u8 = 141;
