//! `sortwell help keys`: how keys are written, for all subcommands that take some.

use std::process::ExitCode;

use clap::{Args, CommandFactory};

use crate::command::CommandLine;
use crate::failure::CommandOutcome;
use crate::standard;

/// Explain how keys are written
///
/// A key is LOCATION[:TYPE][:MODIFIER]..., as in --key 2:decimal:desc. Repeat --key for further
/// keys; the first is the most significant. Without any key, the whole record is compared as bytes.
/// Records with equal keys keep the order of the input. Upper and lower case are equal in the names
/// of types and modifiers.
///
/// LOCATION in lines and CSV is a field, counted from 1 (2), or bytes of the record (0..10).
/// 2[0..4] is a range of bytes of a field, counted from 0, without the end. In CSV it may also be
/// the name of a column (amount). Write a name in double quotes if it could be misread, and single
/// quotes around it for the shell: -k '"2024"', -k '"a:b":int'. In fixed:N and records with a
/// length in front, LOCATION is bytes of the record (0..10, 4..), counted after the length.
///
/// LOCATION in lines may also be several fields with the text between them. 2-3 is fields 2 to 3,
/// 2- is field 2 to the end of the line, and 2-3[0..4] is bytes of that text. 2..3 is always a
/// range of bytes. In CSV, use one key per column.
///
/// LOCATION in lines:group=N is a line of the record, counted from 1 (2), or bytes of the record
/// (0..10). 2[0..4] is bytes of a line, and 2-3 or 2- is several lines with the line ends between
/// them. Fields of a line follow its number: 1.2 for the second field of the first line, 1.2-3,
/// 1.2-, 1.2[0..4].
///
/// LOCATION in jsonl is the path of a value (user.id, tags.0 for the first element of an array).
/// For names with dots, use a JSON Pointer (/user/first.name). A string is compared without its
/// quotes and escapes, and any other value as it is written. Missing values, null and "" are empty.
/// If an object has two members of one name, the first counts.
///
/// TYPE for text, in all formats: bytes (the default), text, natural (digits in text by their
/// value), month, version (the order of GNU sort -V) and semver. semver is that of semver.org:
/// 1.0.0-rc.1 comes before 1.0.0, and build metadata is ignored; v1.0.0 is valid too. random is a
/// shuffle that keeps equal keys together. order=low|mid|high sorts values in this order, and
/// order=@FILE reads them from a file with one per line.
///
/// TYPE for numbers: int, decimal (any number of digits, exact), float and size (1K, 2.5Gi). The
/// unit of a size is one of K M G T P E Z Y R Q, perhaps with i (powers of 1024) and then B after
/// it, in either case. One blank may stand before it. Other words are no units, and neither is a
/// letter before a digit or a sign: in lines, 3 pieces is 3, and 1e3 is 1.
///
/// TYPE for days and times: date (2026-11-22), time (13:45:06.789) and timestamp
/// (2026-11-22T13:45:06+01:00). A time may have an offset (13:45:06+02:00). Values are compared in
/// UTC, and those without an offset are UTC. So a date that --date-format reads with an offset is
/// the day in UTC. A time in UTC may be before 00:00, as in 00:30+01:00, which is -00:30, or
/// after 24:00. Second 60 comes after all of second 59.
///
/// Other values of TYPE: ip (version 4 before 6), uuid and bool. A uuid is written in either case,
/// with or without hyphens, in braces or after urn:uuid:. True values of bool are yes, true, on, 1,
/// y and t. False values are their opposites, and come first.
///
/// TYPE in binary records: an unsigned integer u8 u16le u16be u32le u32be u64le u64be, a signed one
/// i8 i16le ... i64be, or a floating-point number f32le f32be f64le f64be. The order of the latter
/// is -NaN, -inf, negative, -0, +0, positive, inf, NaN.
///
/// TYPE of mainframes: packed (COMP-3), zoned and zoned=ebcdic (with the sign over the last digit),
/// zoned-leading, zoned-separate and zoned-leading-separate. ebcdic is text in code page 037, in
/// the order of its characters; also ebcdic=500 and ebcdic=1047. sequence=FILE is a collating
/// sequence: 256 bytes, with the rank of each byte.
///
/// MODIFIER of int and decimal, for numbers with signs and separators: decimal=, is a comma before
/// the fraction, and makes a key without a type decimal. thousands=. is a dot between groups of
/// three digits. currency is one sign such as $ or € before or after the number.
/// price:decimal=,:thousands=. reads 1.234,56. Any other text is an invalid value, also in lines;
/// see --invalid.
///
/// MODIFIER of any type: desc (largest first) and asc. nulls-first and nulls-last set the place of
/// empty keys; by default, empty cells of CSV come last in both directions. In lines, an empty
/// text, float or month is the smallest, an empty int, decimal or size is 0, and other empty values
/// come last. With --invalid, all of these but text come last. trim ignores blanks at the ends of
/// text, and ci the case of its ASCII letters. locale=NAME is the order of a language for bytes and
/// text, which is equal on every machine: locale=de. pad=BYTE replaces the missing bytes of short
/// records that begin with their length.
///
/// A locale may have settings with their Unicode names, as in locale=de-u-ks-level1-kn-true.
/// co-phonebk and the like select another order. ks-level1 ignores accents and case, ks-level2
/// ignores case, and ks-level3 is the default; ks-level4 and ks-identic distinguish more.
/// ka-shifted ignores punctuation, and kv-space to kv-currency select the characters. kc-true adds
/// a level for case, and kf-upper and kf-lower set which case comes first. kn-true compares numbers
/// by their value. Text that is equal in such an order keeps the order of the input, and is equal
/// for --unique.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, help_template = "{about-with-newline}{after-help}",
          disable_help_flag = true)]
pub struct KeysArguments {
    /// Print this page, as without the option
    #[arg(short, long, hide = true)]
    help: bool,
}

const EXAMPLES: &str = "\
Keys of GNU sort, and the closest keys of sortwell:
  -k2,2       2                 -k2,2n      2:decimal
  -k2.1,2.4   2[0..4]           -k2,2nr     2:decimal:desc
  -k2,2V      2:version         -k2,2h      2:size
  -k2,2fb     2:ci:trim         -k2,3       2-3
  -k2f,2      2:ci              -k2         2-
trim ignores blanks at both ends, b of GNU sort only those at the start. size compares values,
h of GNU sort first the units. decimal takes a plus sign, n of GNU sort does not: +5 is 0 there.
'sortwell gnu' has exactly the order of GNU sort, except for -R with --random-source, and for
NaN with -g and -u.

Examples:
  A CSV file by its column amount, largest first, then by name:
    sortwell sort -k amount:decimal:desc -k name -o sorted.csv orders.csv

  Binary records by a little-endian number at bytes 8 to 16:
    sortwell sort -F fixed:32 -k 8..16:u64le -o sorted.bin input.bin";

/// Prints the explanation.
pub fn run() -> CommandOutcome {
    let mut whole = CommandLine::command();
    whole.build();
    if let Some(keys) = whole.find_subcommand_mut("keys") {
        standard::print(keys.render_long_help().to_string().as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}
