//! `sortwell help keys`: how keys are written, for all subcommands that take some.

use std::process::ExitCode;

use clap::{Args, CommandFactory};

use crate::command::CommandLine;
use crate::failure::Outcome;
use crate::standard;

/// Explain how keys are written
///
/// A key is LOCATION[:TYPE][:MODIFIER]..., as in --key 2:decimal:desc. Give --key again for each
/// further key, most significant first. Without any key, the whole record is compared as bytes.
/// Records with equal keys keep the order of the input. Names of types and modifiers are read in
/// any case.
///
/// LOCATION in lines and CSV: a field counted from 1 (2), bytes of a field counted from 0, the end
/// not included (2[0..4]), or bytes of the record (0..10). In CSV also a column's name (amount), in
/// double quotes where it might be misread ("2024", "a:b"). In fixed:N and records with a length in
/// front: bytes of the record (0..10, 4..), counted after the length.
///
/// LOCATION in lines may also be several fields with what separates them: 2-3 for fields 2 to 3, 2-
/// for field 2 to the end of the line, 2-3[0..4] for bytes of that text. 2..3 is always a range of
/// bytes. Columns of CSV are keys of their own.
///
/// LOCATION in lines:group=N: a line of the record counted from 1 (2), bytes of a line (2[0..4]),
/// lines with their ends between them (2-3, 2-), or bytes of the record (0..10). Fields of one line
/// follow its number: 1.2 for the second field of the first line, 1.2-3, 1.2-, 1.2[0..4].
///
/// LOCATION in jsonl: the path of a value (user.id, tags.0 for the first element of an array), or a
/// JSON Pointer for names with dots (/user/first.name). A string counts without its quotes and
/// escapes, anything else as it is written. Missing, null and "" are empty. Of two members of one
/// name the first counts.
///
/// TYPE in all formats: bytes (the default), text, int, decimal (any number of digits, exact),
/// float, size (1K, 2.5Gi), month, version (the order of GNU sort -V), semver (of semver.org:
/// 1.0.0-rc.1 before 1.0.0, build metadata does not count; v1.0.0 is one too), natural (digits in
/// text by their value), random (a shuffle that keeps equal keys together), date (2026-11-22),
/// time (13:45:06.789, or with an offset 13:45:06+02:00, by which it is an instant of one day),
/// timestamp (2026-11-22T13:45:06+01:00; both without an offset UTC), ip (version 4 before 6),
/// uuid, bool (yes true on 1 y t, and their opposites, which come first), order=low|mid|high
/// (values in this order; order=@FILE has one a line).
///
/// TYPE in records of bytes: an unsigned integer u8 u16le u16be u32le u32be u64le u64be, a
/// signed one i8 i16le ... i64be, or a floating-point number f32le f32be f64le f64be, ordered
/// -NaN, -inf, negative, -0, +0, positive, inf, NaN. Of mainframes: packed (COMP-3), zoned and
/// zoned=ebcdic (the sign over the last digit; zoned-leading, zoned-separate,
/// zoned-leading-separate), ebcdic (text in code page 037, as the characters it stands for;
/// ebcdic=500, ebcdic=1047), sequence=FILE (a collating sequence: 256 bytes, what each byte
/// sorts as).
///
/// Numbers as people write them, by modifiers of int and decimal: decimal=, (a comma before the
/// fraction; without a type it is decimal), thousands=. (a dot between groups of three digits),
/// currency (one sign such as $ or € before or after the number). price:decimal=,:thousands=.
/// takes 1.234,56. What is written otherwise is no value, also in lines, and --invalid says what
/// becomes of it.
///
/// MODIFIER: desc (largest first) and asc, ci (case does not count), trim (blanks at the ends do
/// not count), nulls-first and nulls-last (where empty keys go; empty cells of CSV last, whichever
/// direction), pad=BYTE (what stands for bytes that a record is too short to have), locale=NAME (a
/// language's order of text, equal on every machine: locale=de).
///
/// A locale may set its order as Unicode names it: co-phonebk and the like (an order of its
/// own), ks-level1 (accents and case do not count), ks-level2 (case does not count), ks-level3
/// (the default), ks-level4, ks-identic, ka-shifted (punctuation does not count; kv-space to
/// kv-currency: which characters that are), kc-true (a level for case), kf-upper, kf-lower,
/// kn-true (numbers by their value), as in locale=de-u-ks-level1-kn-true. Text that is equal
/// then keeps the order of the input, and is one for --unique.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, help_template = "{about-with-newline}{after-help}",
          disable_help_flag = true)]
pub struct Arguments {}

const EXAMPLES: &str = "\
Keys of GNU sort, and how they are written here:
  -k2,2       2                 -k2,2n      2:decimal
  -k2.1,2.4   2[0..4]           -k2,2nr     2:decimal:desc
  -k2,2V      2:version         -k2,2h      2:size
  -k2,2fb     2:ci:trim         -k2,3       2-3
  -k2f,2      2:ci              -k2         2-

Examples:
  A CSV file by its column amount, largest first, then by name:
    sortwell sort -k amount:decimal:desc -k name -o sorted.csv orders.csv

  Binary records by a little-endian number at bytes 8 to 16:
    sortwell sort -F fixed:32 -k 8..16:u64le -o sorted.bin input.bin";

/// Prints the explanation.
pub fn run() -> Outcome {
    let mut whole = CommandLine::command();
    whole.build();
    if let Some(keys) = whole.find_subcommand_mut("keys") {
        standard::print(keys.render_long_help().to_string().as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}
