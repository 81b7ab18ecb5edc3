//! The command line of GNU sort: `sortwell gnu ...`, and the program called as `sort`.
//!
//! ```text
//! arguments -> words -> parse -> Options -> order -> LineOrder and Settings
//!               option   key, number, ordering        inputs, debug
//! ```
//!
//! `words` cuts the line the way of getopt, `parse` says what each word means, `order` makes sense
//! of them together. What is wrong becomes a [`Complaint`] with GNU sort's own words, because
//! scripts read them. Written from the manual and from what the program does; none of its code is
//! here.

mod complaint;
mod compressed;
mod debug;
mod help;
mod inputs;
mod key;
mod little;
mod number;
mod option;
mod order;
mod ordering;
mod parse;
mod quoting;
mod underline;
mod words;
mod work;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::ExitCode;

use complaint::Complaint;
pub use option::{LONG, LongOption, Name};
use order::{Action, Settings};
use parse::{Environment, GnuRequest, Options};
use quoting::Quoter;
use work::GnuWork;

use crate::standard;

/// The name in messages where the program was not called by it.
const NAME: &str = "sort";

/// A command line of GNU sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The name messages begin with: as the program was called.
    name: OsString,
    /// All arguments after it.
    arguments: Vec<OsString>,
}

impl Call {
    /// Creates a call by the arguments of `sortwell gnu`.
    pub fn new(arguments: Vec<OsString>) -> Self {
        Self { name: NAME.into(), arguments }
    }

    /// Returns the call that a whole command line is: that of a program called `sort`, or one that
    /// begins with `gnu`; `None` for any other.
    pub fn find(mut words: impl Iterator<Item = OsString>) -> Option<Self> {
        let name = words.next()?;
        if Path::new(&name).file_name() == Some(OsStr::new(NAME)) {
            return Some(Self { name, arguments: words.collect() });
        }
        (words.next()? == "gnu").then(|| Self::new(words.collect()))
    }

    /// Returns whether the arguments can be read and ask for records.
    pub fn is_readable(&self) -> bool {
        let arguments: Vec<Vec<u8>> =
            self.arguments.iter().map(|word| word.as_bytes().to_vec()).collect();
        let request = parse::parse(&arguments, &Environment::of_process());
        matches!(request, Ok(GnuRequest::Sort(_)))
    }

    /// Does what is asked, and prints what is wrong.
    pub fn run(self) -> ExitCode {
        let arguments: Vec<Vec<u8>> =
            self.arguments.into_iter().map(OsStringExt::into_vec).collect();
        let name = self.name.as_bytes();
        let environment = Environment::of_process();
        let done = parse::parse(&arguments, &environment).and_then(|request| match request {
            GnuRequest::Help => print(&help::help(name)),
            GnuRequest::Version => print(help::version().as_bytes()),
            GnuRequest::Sort(options) => sort(&options, &environment, name),
        });
        match done {
            Ok(status) => status,
            Err(complaint) => {
                standard::tell(complaint.text(name));
                ExitCode::from(complaint.status())
            }
        }
    }
}

fn print(text: &[u8]) -> Result<ExitCode, Complaint> {
    match standard::print(text).map_err(standard::reason) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Complaint::new(format!("write error: {}", complaint::reason(&error))))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Sorts, merges or checks.
fn sort(options: &Options, environment: &Environment, name: &[u8]) -> Result<ExitCode, Complaint> {
    let (order, settings) = order::settle(options, environment)?;
    for remark in &settings.remarks {
        complaint::remark(name, remark);
    }
    let quoting = Quoter::new(&environment.locale);
    check_files(&settings, quoting)?;
    let work = GnuWork { settings: &settings, name, quoting };
    match settings.action {
        Action::Sort | Action::Merge if settings.is_debugged => {
            work.show(order, &environment.locale)
        }
        Action::Sort => work.sort(order),
        Action::Merge => work.merge(order),
        Action::Check(check) => work.check(order, check),
    }
}

/// Complains about a file that cannot be had before work is spent on the others.
fn check_files(settings: &Settings, quoting: Quoter) -> Result<(), Complaint> {
    if let Action::Check(_) = settings.action {
        return inputs::check_readable(&settings.inputs, "open failed", quoting);
    }
    inputs::check_readable(&settings.inputs, "cannot read", quoting)?;
    settings.output.as_deref().map_or(Ok(()), |file| inputs::check_writable(file, quoting))
}
