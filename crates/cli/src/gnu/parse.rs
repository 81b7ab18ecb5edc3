//! Reads the command line of GNU sort into [`Options`]: what was said, nothing looked at yet.
//!
//! Faults are reported as they are met, from left to right; what can only be judged when all is
//! known (options that exclude each other, too many operands) is left to `order`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::Arc;

use rustix::process::{Resource, getrlimit};
use sortwell::ByteSize;
use sortwell::unstable::locale::Locale;
use sortwell::unstable::sys::limits;

use super::complaint::Complaint;
use super::key::KeyDefinition;
use super::number::{self, MemorySize, NumberFault};
use super::option::Name;
use super::ordering::{Ordering, Side};
use super::quoting::Quoter;
use super::words::{Given, RemainingWords, Word};

/// Environment settings that affect a command line.
#[derive(Debug)]
pub struct Environment {
    /// True if options end at the first operand.
    pub is_posixly_correct: bool,
    /// True if `+1` is a key by itself, rather than only where `-2` follows it or a key before it.
    pub has_old_keys: bool,
    /// The language's; C where the environment asks for one that there is not.
    pub locale: Arc<Locale>,
    /// True if that happened.
    pub is_locale_missing: bool,
}

/// Form of a check, for inputs that are checked rather than sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GnuCheck {
    /// `-c`: says where the first disorder is.
    Diagnose,
    /// `-C`: only ends with the status.
    Quiet,
}

impl GnuCheck {
    /// Returns the option's letter.
    pub fn letter(self) -> char {
        match self {
            Self::Diagnose => 'c',
            Self::Quiet => 'C',
        }
    }
}

/// A command line as it was given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The keys, with the options that each has itself.
    pub keys: Vec<KeyDefinition>,
    /// The ordering options of the command line.
    pub ordering: Ordering,
    /// `-t`
    pub separator: Option<u8>,
    /// `-z`
    pub ends_with_nul: bool,
    /// `-c`, `-C`
    pub check: Option<GnuCheck>,
    /// `-m`
    pub merges: bool,
    /// `-s`
    pub is_stable: bool,
    /// `-u`
    pub is_unique: bool,
    /// `--debug`
    pub is_debugged: bool,
    /// `-o`
    pub output: Option<OsString>,
    /// Operands; an empty list means standard input.
    pub files: Vec<OsString>,
    /// `--files0-from`
    pub files_from: Option<OsString>,
    /// `-S`
    pub memory: Option<MemorySize>,
    /// `-T`
    pub temporary: Vec<OsString>,
    /// `--parallel`
    pub threads: Option<usize>,
    /// `--batch-size`
    pub merge_width: Option<usize>,
    /// `--compress-program`
    pub compressor: Option<OsString>,
    /// `--random-source`
    pub random_source: Option<OsString>,
}

/// Request of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GnuRequest {
    /// A sort, merge or check of lines.
    Sort(Box<Options>),
    /// `--help`
    Help,
    /// `--version`
    Version,
}

impl Environment {
    /// Returns the environment of this process.
    pub fn of_process() -> Self {
        let locale = Locale::from_environment();
        let version = std::env::var_os("_POSIX2_VERSION");
        Self {
            is_posixly_correct: std::env::var_os("POSIXLY_CORRECT").is_some(),
            has_old_keys: has_old_keys(version.as_deref()),
            is_locale_missing: locale.is_none(),
            locale: Arc::new(locale.unwrap_or(const { Locale::c() })),
        }
    }
}

/// Returns whether a version of POSIX has old keys. POSIX removed them in 2001 and allows them
/// again since 2008.
fn has_old_keys(version: Option<&OsStr>) -> bool {
    let version = version.and_then(OsStr::to_str).and_then(|text| text.trim_start().parse().ok());
    !(200_112..200_809).contains(&version.unwrap_or(200_809_i64))
}

/// Reads a command line, its name not included.
pub fn parse(arguments: &[Vec<u8>], environment: &Environment) -> Result<GnuRequest, Complaint> {
    let quoting = Quoter::new(&environment.locale);
    let mut options = Options::default();
    let mut words = RemainingWords::new(arguments);
    loop {
        let may_have_option = !environment.is_posixly_correct
            || options.files.is_empty()
            || has_late_output(&words, &options, environment);
        if !may_have_option {
            break;
        }
        match words.next()? {
            None => break,
            Some(Word::Operand(operand)) => {
                options.operand(operand, &mut words, environment, quoting)?;
            }
            Some(Word::Option(given)) => match given.name {
                Name::Help => return Ok(GnuRequest::Help),
                Name::Version => return Ok(GnuRequest::Version),
                Name::Letter(b'y') => put_back_operand(&given, &mut words),
                _ => options.option(given, quoting)?,
            },
        }
    }
    while let Some(operand) = words.take() {
        options.files.push(OsString::from_vec(operand.to_vec()));
    }
    Ok(GnuRequest::Sort(Box::new(options)))
}

/// Returns whether `-o FILE` follows. Old systems accept it after operands, where they accept no
/// other option.
fn has_late_output(words: &RemainingWords, options: &Options, environment: &Environment) -> bool {
    let next = words.peek().unwrap_or_default();
    let has_value = next.len() > 2 || words.has_two();
    environment.has_old_keys && options.check.is_none() && next.starts_with(b"-o") && has_value
}

/// Puts back the word after `-y` of old systems, unless it is a number.
fn put_back_operand(given: &Given, words: &mut RemainingWords) {
    let value = given.value.as_deref().unwrap_or_default();
    if given.is_value_apart && !value.iter().all(u8::is_ascii_digit) {
        words.put_back();
    }
}

impl Options {
    /// Adds an operand: an old key, or a file.
    fn operand(
        &mut self,
        operand: Vec<u8>,
        words: &mut RemainingWords,
        environment: &Environment,
        quoting: Quoter,
    ) -> Result<(), Complaint> {
        let end = words.peek().filter(|next| matches!(next, [b'-', b'0'..=b'9', ..]));
        // Where the environment has no old keys, one with an end allows those after it.
        let is_allowed = environment.has_old_keys
            || end.is_some() && !environment.is_posixly_correct
            || self.keys.iter().any(|key| key.is_old);
        let is_old = is_allowed && !words.is_over() && operand.first() == Some(&b'+');
        if let Some(mut key) = KeyDefinition::parse_old_start(&operand).filter(|_| is_old) {
            if let Some(end) = end {
                words.take();
                key.parse_old_end(end, quoting)?;
            }
            self.keys.push(key);
            return Ok(());
        }
        self.files.push(OsString::from_vec(operand));
        Ok(())
    }

    fn option(&mut self, given: Given, quoting: Quoter) -> Result<(), Complaint> {
        let (spelled, has_value) = (given.spelled, given.value.is_some());
        let text = given.value.unwrap_or_default();
        match given.name {
            Name::Letter(b'c') => self.check_as(GnuCheck::Diagnose),
            Name::Letter(b'C') => self.check_as(GnuCheck::Quiet),
            Name::Check if !has_value => self.check_as(GnuCheck::Diagnose),
            Name::Check => self.check_as(choose(&text, &spelled, &CHECKS, quoting)?),
            Name::Sort => {
                let letter = choose(&text, &spelled, &SORTS, quoting)?;
                self.ordering.set(letter, Side::Both);
                Ok(())
            }
            Name::Letter(b'k') => {
                self.keys.push(KeyDefinition::parse(&text, quoting)?);
                Ok(())
            }
            Name::Letter(b't') => self.separate(&text, quoting),
            Name::Letter(b'S') => self.limit_memory(&text, &spelled),
            Name::Letter(b'T') => {
                self.temporary.push(OsString::from_vec(text));
                Ok(())
            }
            Name::Letter(b'o') => once(&mut self.output, text, "multiple output files specified"),
            Name::CompressProgram => {
                once(&mut self.compressor, text, "multiple compress programs specified")
            }
            Name::RandomSource => {
                once(&mut self.random_source, text, "multiple random sources specified")
            }
            Name::FilesFrom => {
                self.files_from = Some(OsString::from_vec(text));
                Ok(())
            }
            Name::BatchSize => self.limit_merges(&text, quoting),
            Name::Parallel => self.limit_threads(&text, &spelled),
            name => {
                self.flag(name);
                Ok(())
            }
        }
    }

    fn flag(&mut self, name: Name) {
        match name {
            Name::Letter(b'm') => self.merges = true,
            Name::Letter(b's') => self.is_stable = true,
            Name::Letter(b'u') => self.is_unique = true,
            Name::Letter(b'z') => self.ends_with_nul = true,
            Name::Debug => self.is_debugged = true,
            Name::Letter(letter) => {
                self.ordering.set(letter, Side::Both);
            }
            _ => {}
        }
    }

    fn check_as(&mut self, check: GnuCheck) -> Result<(), Complaint> {
        if self.check.is_some_and(|before| before != check) {
            return Err(Complaint::new("options '-cC' are incompatible"));
        }
        self.check = Some(check);
        Ok(())
    }

    fn separate(&mut self, text: &[u8], quoting: Quoter) -> Result<(), Complaint> {
        let separator = match text {
            [] => return Err(Complaint::new("empty tab")),
            b"\\0" => 0,
            &[byte] => byte,
            _ => {
                let message = [b"multi-character tab ", quoting.text(text).as_slice()].concat();
                return Err(Complaint::new(message));
            }
        };
        if self.separator.is_some_and(|before| before != separator) {
            return Err(Complaint::new("incompatible tabs"));
        }
        self.separator = Some(separator);
        Ok(())
    }

    /// Sets the memory. The largest of several sizes applies, in any order.
    fn limit_memory(&mut self, text: &[u8], spelled: &str) -> Result<(), Complaint> {
        let complain = |fault: NumberFault| Complaint::new(fault.message(spelled, text));
        let size = number::size(text).map_err(complain)?;
        if let MemorySize::Percent(percent) = size {
            let memory = limits::memory().map_or(1 << 30, ByteSize::bytes);
            if u128::from(percent) * u128::from(memory) / 100 > u128::from(u64::MAX) {
                return Err(complain(NumberFault::TooLarge));
            }
        }
        self.memory = match (self.memory, size) {
            (Some(MemorySize::Bytes(before)), MemorySize::Bytes(now)) => {
                Some(MemorySize::Bytes(before.max(now)))
            }
            _ => Some(size),
        };
        Ok(())
    }

    fn limit_threads(&mut self, text: &[u8], spelled: &str) -> Result<(), Complaint> {
        let threads = match number::plain(text) {
            Ok(0) => return Err(Complaint::new("number in parallel must be nonzero")),
            Ok(threads) => usize::try_from(threads).unwrap_or(usize::MAX),
            Err(NumberFault::TooLarge) => usize::MAX,
            Err(fault) => return Err(Complaint::new(fault.message(spelled, text))),
        };
        self.threads = Some(threads.min(limits::WORKERS_MAX));
        Ok(())
    }

    /// Sets the merge width. Its limits are those of a merge that opens all its inputs at once.
    fn limit_merges(&mut self, text: &[u8], quoting: Quoter) -> Result<(), Complaint> {
        let quoted = quoting.text(text);
        let most = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX).saturating_sub(3);
        match number::plain(text) {
            Ok(0..2) => {
                let message = [b"invalid --batch-size argument ", quoted.as_slice()].concat();
                let least = quoting.text(b"2");
                let least = [b"minimum --batch-size argument is ", least.as_slice()].concat();
                Err(Complaint::new(message).and(least))
            }
            Ok(width) if width <= most => {
                self.merge_width = usize::try_from(width).ok();
                Ok(())
            }
            Ok(_) | Err(NumberFault::TooLarge) => {
                let message = [b"--batch-size argument ", quoted.as_slice(), b" too large"];
                let limit = format!("maximum --batch-size argument with current rlimit is {most}");
                Err(Complaint::new(message.concat()).and(limit))
            }
            Err(fault) => Err(Complaint::new(fault.message("--batch-size", text))),
        }
    }
}

/// Sets what may be given several times only if it is always the same.
fn once(place: &mut Option<OsString>, text: Vec<u8>, complaint: &str) -> Result<(), Complaint> {
    if place.as_ref().is_some_and(|before| before.as_bytes() != text) {
        return Err(Complaint::new(complaint));
    }
    *place = Some(OsString::from_vec(text));
    Ok(())
}

/// The words of `--check`; two that mean the same stand together.
const CHECKS: [(&str, GnuCheck); 3] = [
    ("quiet", GnuCheck::Quiet),
    ("silent", GnuCheck::Quiet),
    ("diagnose-first", GnuCheck::Diagnose),
];
/// The words of `--sort`, and the letters they stand for.
const SORTS: [(&str, u8); 6] = [
    ("general-numeric", b'g'),
    ("human-numeric", b'h'),
    ("month", b'M'),
    ("numeric", b'n'),
    ("random", b'R'),
    ("version", b'V'),
];

/// Returns the meaning of a word, whole or abbreviated, from a list.
fn choose<T: Copy + PartialEq>(
    text: &[u8],
    spelled: &str,
    choices: &[(&str, T)],
    quoting: Quoter,
) -> Result<T, Complaint> {
    let begins = |(word, _): &&(&str, T)| word.as_bytes().starts_with(text);
    let exact = choices.iter().find(|(word, _)| word.as_bytes() == text);
    let meanings: Vec<T> = choices.iter().filter(begins).map(|&(_, meaning)| meaning).collect();
    if let Some(&(_, meaning)) = exact {
        return Ok(meaning);
    }
    let fault = match meanings.as_slice() {
        [] => "invalid",
        [first, rest @ ..] if rest.iter().all(|meaning| meaning == first) => return Ok(*first),
        _ => "ambiguous",
    };
    let spelled = quoting.text(spelled.as_bytes());
    let start = format!("{fault} argument ");
    let mut message =
        [start.as_bytes(), &quoting.text(text), b" for ", &spelled, b"\nValid arguments are:"]
            .concat();
    for (number, (word, meaning)) in choices.iter().enumerate() {
        let is_another = number > 0 && choices[number - 1].1 == *meaning;
        message.extend_from_slice(if is_another { b", " } else { b"\n  - " });
        message.extend_from_slice(&quoting.text(word.as_bytes()));
    }
    Err(Complaint::new(message).with_help().with_status(1))
}

#[cfg(test)]
mod tests;
