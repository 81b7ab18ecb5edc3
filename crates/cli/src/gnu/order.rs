//! Conversion of options into an order of text and a job's settings.
//!
//! Keys without options of their own have those of the command line; what excludes each other is
//! refused here, in the order in which GNU sort looks at it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;

use sortwell::unstable::key::text::{
    Collation, End, LastResort, Months, NumberFormat, Position, TextOrder, TextSpec, TextType,
    Translation,
};
use sortwell::unstable::key::{ListMemory, OrderOptions};
use sortwell::unstable::locale::{ByteClasses, Locale, LocaleCategory};
use sortwell::unstable::sys::space;
use sortwell::{Budget, ByteSize, Format, Key};

use super::complaint::{Complaint, reason};
use super::debug;
use super::inputs;
use super::key::{KeyDefinition, KeyEnd};
use super::number::MemorySize;
use super::ordering::Ordering;
use super::parse::{Environment, GnuCheck, Options};
use super::quoting::Quoter;

/// Default source of random bytes.
const CHANCE: &str = "/dev/urandom";

/// Action on the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Sort them.
    Sort,
    /// Merge inputs that are sorted.
    Merge,
    /// Look for the first that is out of order.
    Check(GnuCheck),
}

/// The order of lines.
#[derive(Clone, Debug)]
pub struct LineOrder {
    /// The keys, most significant first.
    pub keys: Vec<Key>,
    /// Everything that is not set key by key.
    pub options: OrderOptions,
    /// The lines.
    pub format: Format,
}

impl LineOrder {
    /// Returns the order of such lines by the keys.
    pub fn bound(&self) -> sortwell::Result<TextOrder> {
        self.options.bind(&self.keys, self.format, ListMemory::UNBOUNDED)
    }
}

/// Everything about a job but the order of its lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Action on the lines.
    pub action: Action,
    /// Inputs, `-` for standard input; never empty.
    pub inputs: Vec<OsString>,
    /// Output file; `None` for standard output.
    pub output: Option<OsString>,
    /// True if only the first of equal lines is kept. In a check, true if equal lines are out of
    /// order.
    pub is_unique: bool,
    /// True if the keys of lines are shown.
    pub is_debugged: bool,
    /// Remarks that are printed first if keys are shown.
    pub remarks: Vec<Vec<u8>>,
    /// Memory budget.
    pub memory: Budget,
    /// Number of worker threads, if the user gave it.
    pub threads: Option<usize>,
    /// Directories for run files.
    pub temporary: Vec<PathBuf>,
    /// Number of inputs that may be merged at once, if the user gave it.
    pub merge_width: Option<usize>,
    /// A program to compress run files with.
    pub compressor: Option<OsString>,
}

/// Makes sense of a command line.
pub fn settle(
    options: &Options,
    environment: &Environment,
) -> Result<(LineOrder, Settings), Complaint> {
    let quoting = Quoter::new(&environment.locale);
    let inputs = inputs(options, quoting)?;
    let keys = keys(options)?;
    let mut remarks = Vec::new();
    if options.is_debugged {
        let other = options.check.map(GnuCheck::letter).or(options.output.as_ref().map(|_| 'o'));
        if let Some(other) = other {
            let message = format!("options '-{other} --debug' are incompatible");
            return Err(Complaint::new(message));
        }
        remarks = debug::remarks(options, &keys, environment);
    }
    let seed = match keys.iter().any(|key| key.ordering.has(b'R')) {
        true => seed(options, quoting)?,
        false => [0; 16],
    };
    if let Some(check) = options.check {
        let letter = check.letter();
        if let Some(extra) = inputs.get(1) {
            let extra = quoting.file_always(extra.as_bytes());
            let end = format!(" not allowed with -{letter}");
            return Err(Complaint::new([b"extra operand ", &extra[..], end.as_bytes()].concat()));
        }
        if options.output.is_some() {
            return Err(Complaint::new(format!("options '-{letter}o' are incompatible")));
        }
    }
    let order = order(options, &keys, &environment.locale, seed)?;
    Ok((order, settings(options, inputs, remarks)))
}

/// Returns the keys that count, each with all its options.
pub fn keys(options: &Options) -> Result<Vec<KeyDefinition>, Complaint> {
    let mut keys = options.keys.clone();
    if keys.is_empty() && !options.ordering.is_default_but_direction() {
        keys.push(KeyDefinition::line(Ordering::default()));
    }
    for key in &mut keys {
        if key.ordering.is_default() {
            key.ordering = options.ordering;
        }
        key.ordering.check()?;
    }
    Ok(keys)
}

fn inputs(options: &Options, quoting: Quoter) -> Result<Vec<OsString>, Complaint> {
    match (&options.files_from, options.files.first()) {
        (Some(_), Some(extra)) => {
            let extra = quoting.file_always(extra.as_bytes());
            let why = b"\nfile operands cannot be combined with --files0-from";
            Err(Complaint::new([b"extra operand ", &extra[..], why].concat()).with_help())
        }
        (Some(list), None) => inputs::listed(list, quoting),
        (None, Some(_)) => Ok(options.files.clone()),
        (None, None) => Ok(vec!["-".into()]),
    }
}

/// Returns the key of the hash that shuffles.
fn seed(options: &Options, quoting: Quoter) -> Result<[u8; 16], Complaint> {
    let chance = OsString::from(CHANCE);
    let source = options.random_source.as_ref().unwrap_or(&chance);
    let open = |error| Complaint::about_file("open failed", source.as_bytes(), &error, quoting);
    let mut seed = [0; 16];
    File::open(source).map_err(open)?.read_exact(&mut seed).map_err(|error| {
        let why = match error.kind() {
            io::ErrorKind::UnexpectedEof => ": end of file".to_owned(),
            _ => format!(": read error: {}", reason(&error)),
        };
        Complaint::new([quoting.text(source.as_bytes()), why.into_bytes()].concat())
    })?;
    Ok(seed)
}

fn settings(options: &Options, inputs: Vec<OsString>, remarks: Vec<Vec<u8>>) -> Settings {
    let action = match options.check {
        Some(check) => Action::Check(check),
        None if options.merges => Action::Merge,
        None => Action::Sort,
    };
    let memory = match options.memory {
        None => Budget::Auto,
        Some(MemorySize::Bytes(bytes)) => Budget::Bytes(ByteSize(bytes)),
        Some(MemorySize::Percent(percent)) => Budget::Percent(percent.clamp(1, 100) as f64),
    };
    let mut temporary: Vec<PathBuf> = options.temporary.iter().map(PathBuf::from).collect();
    if temporary.is_empty() {
        temporary.push(space::temporary_directory());
    }
    // Names of files are put behind it and a slash, so that nothing means the root.
    temporary.iter_mut().filter(|place| place.as_os_str().is_empty()).for_each(|place| {
        *place = PathBuf::from("/");
    });
    Settings {
        action,
        inputs,
        output: options.output.clone(),
        is_unique: options.is_unique,
        is_debugged: options.is_debugged,
        remarks,
        memory,
        threads: options.threads,
        temporary,
        merge_width: options.merge_width,
        compressor: options.compressor.clone(),
    }
}

fn order(
    options: &Options,
    keys: &[KeyDefinition],
    locale: &Arc<Locale>,
    seed: [u8; 16],
) -> Result<LineOrder, Complaint> {
    let collation = (!locale.sorts_by_bytes()).then(|| Arc::clone(locale) as Arc<dyn Collation>);
    let keys: Vec<Key> = keys.iter().map(|key| Key::from(spec(key, collation.as_ref()))).collect();
    let classes = locale.byte_classes();
    if !keys.is_empty() && classes.is_blank != ByteClasses::c().is_blank {
        let name = locale.name(LocaleCategory::CharacterType);
        let message = format!("keys in the character set of locale '{name}' are not supported");
        return Err(Complaint::new(message));
    }
    // Whole lines without any key are compared in any case.
    let is_last_resort = keys.is_empty() || !options.is_stable && !options.is_unique;
    let then_whole =
        is_last_resort.then(|| LastResort { is_descending: options.ordering.has(b'r'), collation });
    let terminator = if options.ends_with_nul { 0 } else { b'\n' };
    let options = OrderOptions {
        separator: options.separator,
        then_whole,
        numbers: NumberFormat {
            radix: locale.decimal_point(),
            thousands: locale.thousands_separator(),
        },
        months: match locale.month_abbreviations() {
            Some(names) => Months::new(&names, &classes),
            None => Months::default(),
        },
        classes: Arc::new(classes),
        seed,
        ..OrderOptions::default()
    };
    Ok(LineOrder { keys, options, format: Format::Lines { terminator } })
}

fn spec(key: &KeyDefinition, collation: Option<&Arc<dyn Collation>>) -> TextSpec {
    let ordering = key.ordering;
    let text_type = text_type(ordering);
    let is_text = [TextType::BYTES, TextType::RANDOM].contains(&text_type);
    // Case makes no difference to other numbers and to months; a suffix of a size needs capitals.
    let is_translated = is_text || [TextType::VERSION, TextType::HUMAN].contains(&text_type);
    let translation = Translation {
        folds_case: ordering.has(b'f'),
        only_dictionary: ordering.has(b'd'),
        only_printing: ordering.has(b'i') && !ordering.has(b'd'),
    };
    let end = match key.end {
        KeyEnd::Line => End::Record,
        KeyEnd::Field(field) => End::Field(field),
        KeyEnd::Byte { field, byte } => {
            End::At(Position { field, byte, skips_blanks: ordering.skips_end_blanks })
        }
    };
    let skips_blanks = ordering.skips_start_blanks;
    TextSpec {
        start: Position { field: key.field, byte: key.byte, skips_blanks },
        end,
        text_type,
        translation: if is_translated { translation } else { Translation::default() },
        collation: collation.filter(|_| is_text).cloned(),
        is_descending: ordering.has(b'r'),
        ..TextSpec::default()
    }
}

/// Returns the type of a key. A shuffle takes precedence over versions.
fn text_type(ordering: Ordering) -> TextType {
    let types = [
        (ordering.has(b'n'), TextType::NUMERIC),
        (ordering.has(b'g'), TextType::GENERAL),
        (ordering.has(b'h'), TextType::HUMAN),
        (ordering.has(b'M'), TextType::MONTH),
        (ordering.has(b'R'), TextType::RANDOM),
        (ordering.has(b'V'), TextType::VERSION),
    ];
    let named = types.into_iter().find(|(is_there, _)| *is_there);
    named.map_or(TextType::BYTES, |(_, text_type)| text_type)
}

#[cfg(test)]
mod tests;
