//! From what is meant to what is done: the job of the library, and its errors in GNU sort's words.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, BufWriter};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::ExitCode;

use sortwell::format::Format;
use sortwell::io::locale::Locale;
use sortwell::io::{Engine, SpillDirectory};
use sortwell::job::{Budget, CheckJob, Input, MergeJob, Output, SortJob};
use sortwell::key::text::TextOrder;
use sortwell::operator::Unique;
use sortwell::stats::Progress;
use sortwell::{ByteSize, Error};

use super::complaint::{self, Complaint, reason};
use super::compressed::{self, Compression};
use super::little;
use super::order::Settings;
use super::parse::Check;
use super::quoting::Quoting;
use super::underline::Underline;
use crate::failure::Failure;
use crate::signals;

/// The least memory taken, whatever was asked for: scripts ask for kilobytes, which were much once.
const MEMORY_LEAST: ByteSize = ByteSize::mib(64);

/// Smallest chunk that is sorted at once, whatever was asked for: each costs a process or two.
const CHUNK_LEAST: u64 = 4096;

/// A command line that is understood, and how to speak of it.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a> {
    /// Everything but the order of lines.
    pub settings: &'a Settings,
    /// What the program was called.
    pub name: &'a [u8],
    /// How to quote the user's words.
    pub quoting: Quoting<'a>,
}

impl Work<'_> {
    /// Sorts.
    pub fn sort(self, order: TextOrder) -> Result<ExitCode, Complaint> {
        let sort = || self.run(self.job(order)?);
        sort().or_else(|failure| self.end(&failure))
    }

    /// Sorts, and prints the lines with their keys underlined.
    pub fn show(self, order: TextOrder, locale: &Locale) -> Result<ExitCode, Complaint> {
        let sort_and_copy = || {
            let underline = Underline::new(&order, locale)?;
            let (mut job, is_little) = self.job(order)?;
            // Removed when it is dropped; lines are in it and nowhere else until all are shown.
            let directory = SpillDirectory::create(&place_to_show(&job.temp))?;
            let sorted = directory.path().join("sorted");
            job.output = Output::File(sorted.clone());
            self.run((job, is_little))?;
            let lines = File::open(&sorted).map_err(|error| Error::io("open", &sorted, error))?;
            let mut out = BufWriter::new(io::stdout().lock());
            underline.copy(&mut BufReader::new(lines), &mut out)?;
            Ok(ExitCode::SUCCESS)
        };
        sort_and_copy().or_else(|failure| self.end(&failure))
    }

    /// The job that a command line means, and whether its inputs are little.
    fn job(self, order: TextOrder) -> sortwell::Result<(SortJob, bool)> {
        let settings = self.settings;
        let (mut inputs, output) = (inputs(settings), output(settings));
        let is_little = little::are_little(&mut inputs, &output, order.terminator())?;
        let format = Format::Lines { terminator: order.terminator() };
        let mut job = SortJob::new(inputs, output, format);
        job.order = Some(order);
        job.select.unique = settings.is_unique.then_some(Unique::First);
        job.memory = memory(settings.memory);
        job.threads = settings.threads;
        job.temp.clone_from(&settings.temporary);
        // As GNU sort has it, a bad place only matters where something has to go there.
        job.check_temp = false;
        // Whoever calls GNU sort expects to have the output when it is written, not when it is
        // durable.
        job.sync = false;
        Ok((job, is_little))
    }

    /// Does a job.
    fn run(self, (mut job, is_little): (SortJob, bool)) -> Result<ExitCode, Failure> {
        let progress = Progress::new();
        let chunk_bytes = chunk_bytes(self.settings.memory);
        if let Some(program) = &self.settings.compressor
            && (!is_little || chunk_bytes.is_some())
        {
            self.compressing(program, &progress, |how| compressed::sort(job, how, &progress))?;
            return Ok(ExitCode::SUCCESS);
        }
        if is_little {
            shorten(&mut job);
        }
        if is_little && job.output == Output::Stdout {
            // Nothing would have to be tidied up after a signal.
            job.run(&progress)?;
        } else {
            signals::stoppable(&progress, || job.run(&progress))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Does what may need temporary files that pass through a program.
    fn compressing(
        self,
        program: &OsStr,
        progress: &Progress,
        work: impl FnOnce(&Compression) -> sortwell::Result<()>,
    ) -> Result<(), Failure> {
        let refused = |error: &io::Error| {
            complaint::remark(self.name, &self.cannot_run(program.as_bytes(), error));
        };
        let chunk_bytes = chunk_bytes(self.settings.memory);
        signals::heed_children();
        let merge_width = self.settings.merge_width;
        let how = Compression { program, chunk_bytes, merge_width, refused: &refused };
        signals::stoppable(progress, || work(&how))
    }

    fn cannot_run(self, program: &[u8], error: &io::Error) -> Vec<u8> {
        let program = self.quoting.text(program);
        let reason = reason(error);
        [b"could not run compress program ", &program[..], b": ", reason.as_bytes()].concat()
    }

    /// Merges.
    pub fn merge(self, order: TextOrder) -> Result<ExitCode, Complaint> {
        let settings = self.settings;
        let format = Format::Lines { terminator: order.terminator() };
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
        let ended = match &settings.compressor {
            Some(program) => {
                self.compressing(program, &progress, |how| compressed::merge(&job, how, &progress))
            }
            None => signals::stoppable(&progress, || job.run(&progress).map(drop)),
        };
        ended.map(|()| ExitCode::SUCCESS).or_else(|failure| self.end(&failure))
    }

    /// Looks for the first line that is out of order, and complains about it unless that is to be
    /// quiet.
    pub fn check(self, order: TextOrder, check: Check) -> Result<ExitCode, Complaint> {
        let settings = self.settings;
        let terminator = order.terminator();
        let job = CheckJob {
            order: Some(order),
            unique: settings.is_unique,
            memory: memory(settings.memory),
            ..CheckJob::new(inputs(settings), Format::Lines { terminator })
        };
        let progress = Progress::new();
        let checked = match signals::stoppable(&progress, || job.run(&progress)) {
            Ok(checked) => checked,
            Err(failure) => return self.end(&failure),
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

    /// The status or the complaint that a failure ends with.
    fn end(self, failure: &Failure) -> Result<ExitCode, Complaint> {
        match failure {
            _ if failure.is_closed_pipe() => Ok(ExitCode::from(CLOSED_PIPE)),
            Failure::Signal { number, .. } => {
                Ok(u8::try_from(128 + number).map_or(ExitCode::FAILURE, ExitCode::from))
            }
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
                Err(Complaint::about_file(what, file, source, self.quoting))
            }
            Failure::Output(error) => {
                Err(Complaint::new(format!("write error: {}", reason(error))))
            }
            Failure::Library(_) => Err(Complaint::new(failure.message())),
        }
    }

    fn cannot_spill(self, place: &[u8], error: &io::Error) -> Complaint {
        let place = self.quoting.file_always(place);
        let why = format!(": {}", reason(error));
        Complaint::new([b"cannot create temporary file in ", &place[..], why.as_bytes()].concat())
    }
}

/// Whether what failed was to make a place for runs.
fn is_of_spilling(action: &str) -> bool {
    matches!(action, "create a spill directory in" | "ask for the free space of")
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

/// What is sorted at once where less memory was asked for than is taken: whoever wants a little to
/// go through a program gets it.
fn chunk_bytes(budget: Budget) -> Option<u64> {
    match budget {
        Budget::Bytes(bytes) if bytes < MEMORY_LEAST => Some(bytes.bytes().max(CHUNK_LEAST)),
        _ => None,
    }
}

/// Where lines are kept until they are shown: with the runs; where that is no directory, which GNU
/// sort forgives for lines that fit in memory, where other programs put temporary files, or here.
fn place_to_show(places: &[PathBuf]) -> PathBuf {
    let usual = [std::env::temp_dir(), PathBuf::from(".")];
    places.iter().chain(&usual).find(|place| place.is_dir()).cloned().unwrap_or_default()
}

/// The status that says that lines are out of order.
const DISORDER: u8 = 1;

/// What a shell reports of a program that SIGPIPE ended.
const CLOSED_PIPE: u8 = 141;
