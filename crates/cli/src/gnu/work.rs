//! From what is meant to what is done: the job of the library, and its errors in GNU sort's words.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::ExitCode;

use sortwell::format::Format;
use sortwell::job::{Budget, Input, Output, SortJob};
use sortwell::key::text::TextOrder;
use sortwell::stats::Progress;
use sortwell::{ByteSize, Error};

use super::complaint::{Complaint, reason};
use super::order::Settings;
use super::quoting::Quoting;
use crate::failure::Failure;
use crate::signals;

/// The least memory taken, whatever was asked for: scripts ask for kilobytes, which were much once.
const MEMORY_LEAST: ByteSize = ByteSize::mib(64);

/// Sorts.
pub fn sort(
    order: TextOrder,
    settings: &Settings,
    quoting: Quoting,
) -> Result<ExitCode, Complaint> {
    let mut job = SortJob::new(
        settings.inputs.iter().map(|input| self::input(input)).collect(),
        settings.output.as_ref().map_or(Output::Stdout, |path| Output::File(path.into())),
        Format::Lines { terminator: order.terminator },
    );
    job.order = Some(order);
    job.select.unique = settings.is_unique;
    job.memory = memory(settings.memory);
    job.threads = settings.threads;
    job.temp = temporary(settings);
    // Whoever calls GNU sort expects to have the output when it is written, not when it is durable.
    job.sync = false;
    let progress = Progress::new();
    let ended = signals::stoppable(&progress, || job.run(&progress));
    ended.map(|_| ExitCode::SUCCESS).or_else(|failure| end(&failure, quoting))
}

fn input(name: &OsStr) -> Input {
    if name == "-" { Input::Stdin } else { Input::File(name.into()) }
}

fn memory(budget: Budget) -> Budget {
    match budget {
        Budget::Bytes(bytes) => Budget::Bytes(bytes.max(MEMORY_LEAST)),
        other => other,
    }
}

/// Where runs go: where the user said, else where temporary files go, as GNU sort has it.
fn temporary(settings: &Settings) -> Vec<PathBuf> {
    if settings.temporary.is_empty() {
        vec![std::env::temp_dir()]
    } else {
        settings.temporary.clone()
    }
}

/// The status or the complaint that a failure ends with.
fn end(failure: &Failure, quoting: Quoting) -> Result<ExitCode, Complaint> {
    match failure {
        _ if failure.is_closed_pipe() => Ok(ExitCode::from(CLOSED_PIPE)),
        Failure::Signal { number, .. } => {
            Ok(u8::try_from(128 + number).map_or(ExitCode::FAILURE, ExitCode::from))
        }
        Failure::Library(Error::Io { action, path, source, .. }) => {
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

/// What a shell reports of a program that SIGPIPE ended.
const CLOSED_PIPE: u8 = 141;
