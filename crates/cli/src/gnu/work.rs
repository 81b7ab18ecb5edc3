//! Execution of a command line: the job of the library, and its errors in GNU sort's words.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, BufWriter};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use sortwell::unstable::io::{Engine, SpillDirectory};
use sortwell::unstable::job::{
    CheckJob, MergeJob, SortJob, distinct_streams, names_bytes, sort_lines, write_lines,
};
use sortwell::unstable::key::text::Body;
use sortwell::unstable::locale::Locale;
use sortwell::unstable::operator::Select;
use sortwell::unstable::plan::levers::Levers;
use sortwell::unstable::sys::space;
use sortwell::{Budget, Input, Output, Progress, Unique};
use sortwell::{ByteSize, Error};

use super::complaint::{self, Complaint, reason};
use super::compressed::{self, ProgramCompression};
use super::little;
use super::order::{Action, LineOrder, Settings};
use super::parse::GnuCheck;
use super::quoting::Quoter;
use super::underline::Underline;
use crate::failure::Failure;
use crate::signals;
use crate::standard::Printer;

/// The least memory taken, even if the user asked for less. Scripts ask for kilobytes, which were
/// once a lot.
const MEMORY_LEAST: ByteSize = ByteSize::mib(64);

/// Whoever calls GNU sort expects to have the output when it is written, not when it is durable.
const SYNC: bool = false;

/// Smallest chunk that is sorted at once, even if the user asked for less. Each chunk costs a
/// process or two.
const CHUNK_LEAST: u64 = 4096;

/// A command line that is understood, and how to speak of it.
#[derive(Clone, Copy, Debug)]
pub struct GnuWork<'a> {
    /// Everything but the order of lines.
    pub settings: &'a Settings,
    /// Name by which the program was called.
    pub name: &'a [u8],
    /// Quoting of the user's words.
    pub quoting: Quoter<'a>,
}

impl GnuWork<'_> {
    /// Sorts.
    pub fn sort(self, order: LineOrder) -> Result<ExitCode, Complaint> {
        let sort = || {
            let (mut inputs, output) = (inputs(self.settings), output(self.settings));
            match self.little(&mut inputs, &output, &order)? {
                Some(sorted) => self.write(&sorted, &output)?,
                None => self.run(self.job(inputs, output, order))?,
            }
            Ok(ExitCode::SUCCESS)
        };
        sort().or_else(|failure| self.end(&failure))
    }

    /// Sorts or merges, and prints the lines with their keys underlined.
    pub fn show(self, order: LineOrder, locale: &Locale) -> Result<ExitCode, Complaint> {
        let merges = self.settings.action == Action::Merge;
        let sort_and_copy = || {
            let underline = Underline::new(&order.bound()?, locale)?;
            let progress = Progress::new();
            let mut out = BufWriter::new(Printer::new(&progress)?);
            let mut inputs = inputs(self.settings);
            if !merges && let Some(sorted) = self.little(&mut inputs, &Output::Stdout, &order)? {
                underline.copy(&mut &sorted[..], &mut out)?;
                return Ok(ExitCode::SUCCESS);
            }
            // Removed when it is dropped; lines are in it and nowhere else until all are shown.
            let directory = SpillDirectory::create(&place_to_show(&self.settings.temporary))?;
            let sorted = directory.path().join("sorted");
            let output = Output::File(sorted.clone());
            match merges {
                true => self.merge_into(output, order)?,
                false => self.run(self.job(inputs, output, order))?,
            }
            let lines = File::open(&sorted).map_err(|error| Error::io("open", &sorted, error))?;
            // A stop on the way is told from the signal that asked for it.
            let failed = |error| Error::io("write", Path::new(STDOUT), error);
            let copy = || underline.copy(&mut BufReader::new(lines), &mut out).map_err(failed);
            signals::stoppable(&progress, copy)?;
            Ok(ExitCode::SUCCESS)
        };
        sort_and_copy().or_else(|failure| self.end(&failure))
    }

    /// Returns the sorted lines of small inputs, or `None` for other inputs. Also returns `None` if
    /// the user asked for threads, or for a compression program with little memory.
    fn little(
        self,
        inputs: &mut [Input],
        output: &Output,
        order: &LineOrder,
    ) -> sortwell::Result<Option<Vec<u8>>> {
        let Settings { threads, compressor, memory, is_unique, .. } = self.settings;
        if threads.is_some() || compressor.is_some() && chunk_bytes(*memory).is_some() {
            return Ok(None);
        }
        let order = order.bound()?;
        let lines = little::lines(inputs, output, order.body.terminator())?;
        lines.map(|lines| sort_lines(&lines, &order, *is_unique)).transpose()
    }

    /// Writes lines that are sorted.
    fn write(self, sorted: &[u8], output: &Output) -> Result<(), Failure> {
        let progress = Progress::new();
        let write = || write_lines(sorted, output, SYNC, &progress);
        if *output == Output::Stdout {
            // Nothing would have to be tidied up after a signal.
            return Ok(write()?);
        }
        signals::stoppable(&progress, write)
    }

    /// Returns the job that a command line means.
    fn job(self, inputs: Vec<Input>, output: Output, order: LineOrder) -> SortJob {
        let settings = self.settings;
        let LineOrder { keys, options, format } = order;
        let memory = memory(settings.memory, &inputs);
        let mut job = SortJob::new(inputs, output, format);
        (job.keys, job.order) = (keys, options);
        job.select.unique = settings.is_unique.then_some(Unique::First);
        job.memory = memory;
        job.threads = settings.threads;
        job.temp.clone_from(&settings.temporary);
        // As GNU sort has it, a bad place only matters where something has to go there.
        job.check_temp = false;
        job.sync = SYNC;
        job
    }

    /// Does a job.
    fn run(self, job: SortJob) -> Result<(), Failure> {
        let progress = Progress::new();
        match &self.settings.compressor {
            Some(program) => {
                self.compressing(program, &progress, |how| compressed::sort(job, how, &progress))
            }
            None => signals::stoppable(&progress, || job.run(&progress).map(drop)),
        }
    }

    /// Does what may need temporary files that pass through a program.
    fn compressing(
        self,
        program: &OsStr,
        progress: &Progress,
        work: impl FnOnce(&ProgramCompression) -> sortwell::Result<()>,
    ) -> Result<(), Failure> {
        let refused = |error: &io::Error| {
            complaint::remark(self.name, &self.cannot_run(program.as_bytes(), error));
        };
        let chunk_bytes = chunk_bytes(self.settings.memory);
        signals::heed_children();
        let merge_width = self.settings.merge_width;
        let how = ProgramCompression { program, chunk_bytes, merge_width, refused: &refused };
        signals::stoppable(progress, || work(&how))
    }

    fn cannot_run(self, program: &[u8], error: &io::Error) -> Vec<u8> {
        let program = self.quoting.text(program);
        let reason = reason(error);
        [b"could not run compress program ", &program[..], b": ", reason.as_bytes()].concat()
    }

    /// Merges.
    pub fn merge(self, order: LineOrder) -> Result<ExitCode, Complaint> {
        let merged = self.merge_into(output(self.settings), order);
        merged.map(|()| ExitCode::SUCCESS).or_else(|failure| self.end(&failure))
    }

    fn merge_into(self, output: Output, order: LineOrder) -> Result<(), Failure> {
        let settings = self.settings;
        let LineOrder { keys, options, format } = order;
        let inputs = inputs(settings);
        let (memory, engine) = means(settings.memory, &inputs);
        let unique = settings.is_unique.then_some(Unique::First);
        let job = MergeJob {
            keys,
            order: options,
            select: Select { unique, ..Select::default() },
            memory,
            engine,
            levers: Levers { merge_width: settings.merge_width, ..Levers::default() },
            temp: settings.temporary.clone(),
            check_temp: false,
            sync: SYNC,
            ..MergeJob::new(inputs, output, format)
        };
        let progress = Progress::new();
        match &settings.compressor {
            Some(program) => {
                self.compressing(program, &progress, |how| compressed::merge(&job, how, &progress))
            }
            None => signals::stoppable(&progress, || job.run(&progress).map(drop)),
        }
    }

    /// Looks for the first line that is out of order, and complains about it unless that is to be
    /// quiet.
    pub fn check(self, order: LineOrder, check: GnuCheck) -> Result<ExitCode, Complaint> {
        let settings = self.settings;
        let LineOrder { keys, options, format } = order;
        let terminator = Body::of(format).terminator();
        let inputs = inputs(settings);
        let (memory, engine) = means(settings.memory, &inputs);
        let job = CheckJob {
            keys,
            order: options,
            unique: settings.is_unique,
            memory,
            engine,
            ..CheckJob::new(inputs, format)
        };
        // Nothing would have to be tidied up after a signal.
        let checked = match job.run(&Progress::new()) {
            Ok(checked) => checked,
            Err(error) => return self.end(&error.into()),
        };
        let Some(disorder) = checked.disorder else { return Ok(ExitCode::SUCCESS) };
        if check == GnuCheck::Diagnose {
            let name = settings.inputs.first().map_or(&b"-"[..], |name| name.as_bytes());
            let place = format!(":{}: disorder: ", disorder.record_number);
            let line = disorder.record.strip_suffix(&[terminator]).unwrap_or(&disorder.record);
            let message = [name, place.as_bytes(), line].concat();
            return Err(Complaint::new(message).ended_by(terminator).with_status(DISORDER));
        }
        Ok(ExitCode::from(DISORDER))
    }

    /// Returns the status or the complaint that a failure ends with.
    fn end(self, failure: &Failure) -> Result<ExitCode, Complaint> {
        match failure {
            _ if failure.is_closed_pipe() => Ok(ExitCode::from(CLOSED_PIPE)),
            Failure::Signal { number, .. } => Ok(signals::die_of(*number)),
            Failure::Library(Error::Io { action, path, source, .. }) => {
                let file = match path.as_os_str().as_bytes() {
                    b"standard input" => b"-",
                    file => file,
                };
                if is_of_spilling(action) {
                    return Err(self.cannot_spill(file, source));
                }
                let what = match *action {
                    "read" => "read failed",
                    "write" => "write failed",
                    "open" => "open failed",
                    compressed::START => {
                        return Err(Complaint::new(self.cannot_run(file, source)));
                    }
                    compressed::RUN => {
                        let program = self.quoting.text(file);
                        let message = [&program[..], b" [-d] terminated abnormally"].concat();
                        return Err(Complaint::new(message));
                    }
                    _ => return Err(Complaint::new(failure.message())),
                };
                if file == STDOUT.as_bytes() {
                    let file = self.quoting.file_always(file);
                    let why = format!(": {}", reason(source));
                    let message = [b"write failed: ", &file[..], why.as_bytes()].concat();
                    return Err(Complaint::new(message).and("write error"));
                }
                Err(Complaint::about_file(what, file, source, self.quoting))
            }
            Failure::Output(error) => {
                Err(Complaint::new(format!("write error: {}", reason(error))))
            }
            Failure::Library(_) | Failure::Page(_) | Failure::Fault(_) => {
                Err(Complaint::new(failure.message()))
            }
        }
    }

    fn cannot_spill(self, place: &[u8], error: &io::Error) -> Complaint {
        let place = self.quoting.file_always(place);
        let why = format!(": {}", reason(error));
        Complaint::new([b"cannot create temporary file in ", &place[..], why.as_bytes()].concat())
    }
}

/// Returns whether what failed was to make a place for runs.
fn is_of_spilling(action: &str) -> bool {
    matches!(action, "create a spill directory in" | "ask for the free space of")
}

/// Returns the inputs. A stream is at its end when it is named again.
fn inputs(settings: &Settings) -> Vec<Input> {
    distinct_streams(settings.inputs.iter().map(|name| input(name)))
}

fn output(settings: &Settings) -> Output {
    settings.output.as_ref().map_or(Output::Stdout, |path| Output::File(path.into()))
}

fn input(name: &OsStr) -> Input {
    if name == "-" { Input::Stdin } else { Input::File(name.into()) }
}

/// Returns the budget and the engine of a job that passes over its inputs once. For a page of
/// lines, looking up the machine's memory and setting up rings would take longer than the job.
fn means(budget: Budget, inputs: &[Input]) -> (Budget, Engine) {
    if budget == Budget::Auto && little::are_files(inputs) {
        return (memory(Budget::Bytes(MEMORY_LEAST), inputs), Engine::Sync);
    }
    (memory(budget, inputs), Engine::Auto)
}

/// Returns the memory that a job may use: the budget, but at least [`MEMORY_LEAST`], and also the
/// names of the inputs, once for the job and once here.
fn memory(budget: Budget, inputs: &[Input]) -> Budget {
    match budget {
        Budget::Bytes(bytes) => {
            let names = 2 * names_bytes(inputs).bytes();
            Budget::Bytes(ByteSize(bytes.max(MEMORY_LEAST).bytes() + names))
        }
        Budget::Percent(_) => {
            memory(Budget::Bytes(budget.resolve().unwrap_or(MEMORY_LEAST)), inputs)
        }
        Budget::Auto => Budget::Auto,
    }
}

/// Returns the bytes that are sorted at once, if the user gave less memory than the minimum. Small
/// inputs then also go through the compression program.
fn chunk_bytes(budget: Budget) -> Option<u64> {
    match budget {
        Budget::Bytes(bytes) if bytes < MEMORY_LEAST => Some(bytes.bytes().max(CHUNK_LEAST)),
        _ => None,
    }
}

/// Returns the directory where lines are kept until they are shown: that of the runs. If that is
/// not a directory, which GNU sort accepts for lines that fit in memory, returns the usual
/// directory for temporary files, or the current one.
fn place_to_show(places: &[PathBuf]) -> PathBuf {
    let usual = [space::temporary_directory(), PathBuf::from(".")];
    places.iter().chain(&usual).find(|place| place.is_dir()).cloned().unwrap_or_default()
}

/// The library's name of standard output.
const STDOUT: &str = "standard output";

/// The status that says that lines are out of order.
const DISORDER: u8 = 1;

/// Status that a shell reports for a program that SIGPIPE ended.
const CLOSED_PIPE: u8 = 141;
