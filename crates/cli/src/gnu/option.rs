//! Every option of GNU sort: its letter, its long name, whether it takes a value.
//!
//! The order of [`LONG`] is that in which an ambiguous abbreviation lists its possibilities.

/// Value that an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// No value.
    Nothing,
    /// An optional value after `=`.
    ValueOrNothing,
    /// A required value.
    Value,
}

/// An option by what it means; the letter of those that have one, in the way it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// An option that has a letter.
    Letter(u8),
    /// `--check`, which may say how.
    Check,
    /// `--compress-program`
    CompressProgram,
    /// `--debug`
    Debug,
    /// `--files0-from`
    FilesFrom,
    /// `--random-source`
    RandomSource,
    /// `--sort`
    Sort,
    /// `--batch-size`
    BatchSize,
    /// `--parallel`
    Parallel,
    /// `--help`
    Help,
    /// `--version`
    Version,
}

/// An option with a long name.
#[derive(Debug)]
pub struct LongOption {
    /// The name without its dashes.
    pub text: &'static str,
    /// Value that the option takes.
    pub takes: Takes,
    /// Meaning of the option.
    pub name: Name,
}

const fn long(text: &'static str, takes: Takes, name: Name) -> LongOption {
    LongOption { text, takes, name }
}

const fn flag(text: &'static str, letter: u8) -> LongOption {
    long(text, Takes::Nothing, Name::Letter(letter))
}

const fn value(text: &'static str, letter: u8) -> LongOption {
    long(text, Takes::Value, Name::Letter(letter))
}

/// The letters that are options without a value.
const FLAGS: &[u8] = b"bcCdfghiMmnrRsuVz";
/// The letters that are options with one. `-y` is of old systems and means nothing.
const WITH_VALUE: &[u8] = b"koStTy";

/// The long options.
pub const LONG: &[LongOption] = &[
    flag("ignore-leading-blanks", b'b'),
    long("check", Takes::ValueOrNothing, Name::Check),
    long("compress-program", Takes::Value, Name::CompressProgram),
    long("debug", Takes::Nothing, Name::Debug),
    flag("dictionary-order", b'd'),
    flag("ignore-case", b'f'),
    long("files0-from", Takes::Value, Name::FilesFrom),
    flag("general-numeric-sort", b'g'),
    flag("ignore-nonprinting", b'i'),
    value("key", b'k'),
    flag("merge", b'm'),
    flag("month-sort", b'M'),
    flag("numeric-sort", b'n'),
    flag("human-numeric-sort", b'h'),
    flag("version-sort", b'V'),
    flag("random-sort", b'R'),
    long("random-source", Takes::Value, Name::RandomSource),
    long("sort", Takes::Value, Name::Sort),
    value("output", b'o'),
    flag("reverse", b'r'),
    flag("stable", b's'),
    long("batch-size", Takes::Value, Name::BatchSize),
    value("buffer-size", b'S'),
    value("field-separator", b't'),
    value("temporary-directory", b'T'),
    flag("unique", b'u'),
    flag("zero-terminated", b'z'),
    long("parallel", Takes::Value, Name::Parallel),
    long("help", Takes::Nothing, Name::Help),
    long("version", Takes::Nothing, Name::Version),
];

/// Returns the option of a letter, and whether it has a value.
pub fn of_letter(letter: u8) -> Option<(Name, Takes)> {
    if FLAGS.contains(&letter) {
        Some((Name::Letter(letter), Takes::Nothing))
    } else {
        WITH_VALUE.contains(&letter).then_some((Name::Letter(letter), Takes::Value))
    }
}
