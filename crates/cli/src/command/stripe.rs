//! `sortwell stripe`: files that lie on several disks.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueHint};
use sortwell::unstable::io::{Direct, File};
use sortwell::unstable::job::CopyJob;
use sortwell::unstable::stripe::{Definition, Member, STRIDE_UNIT, Stride};
use sortwell::{ByteSize, Error, Result};
use sortwell::{Input, Output};

use super::options::inputs::input;
use super::options::values;
use super::options::watching::Watching;
use crate::failure::CommandOutcome;
use crate::failure::usage_error;
use crate::reporting::is_stream;
use crate::standard;
use crate::statistics::counted;

/// Make and manage files that lie on several disks
///
/// A striped file consists of members, usually one per disk. sortwell writes some bytes to each
/// member in turn, and reads and writes all members at the same time. A text file whose name ends
/// in .str names the members. sort, merge and check take its name wherever they take the name of a
/// file.
///
/// A text of two columns is also read: each line has the name of an existing file, and its number
/// of blocks of 4 KiB per turn, such as '/mnt/a/data 256'. Its name must end in .str, and one of
/// its names must contain a '/' or exist. An output turns it into sortwell's own form.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct StripeArguments {
    /// Operation
    #[command(subcommand)]
    action: StripeAction,
}

const EXAMPLES: &str = "\
Examples:
  A striped file over three disks, with half as much on the last:
    sortwell stripe create data.str /mnt/a /mnt/b /mnt/c --strides 2x,2x,1x

  Fill it, sort it, and read it as one file:
    sortwell stripe copy data.bin data.str
    sortwell sort -F fixed:100 data.str -o data.str
    sortwell stripe cat data.str > sorted.bin";

const CREATE_EXAMPLES: &str = "\
Examples:
  Three disks, with half as much on the last:
    sortwell stripe create data.str /mnt/a /mnt/b /mnt/c --strides 2x,2x,1x";

const COPY_EXAMPLES: &str = "\
Examples:
  Fill a striped file, and copy it to a plain file:
    sortwell stripe copy data.bin data.str
    sortwell stripe copy data.str plain.bin";

const CAT_EXAMPLES: &str = "\
Examples:
  Pass a striped file to another program:
    sortwell stripe cat data.str | sha256sum";

const INFO_EXAMPLES: &str = "\
Examples:
  The members, with their strides and sizes:
    sortwell stripe info data.str";

const CHECK_EXAMPLES: &str = "\
Examples:
  Check a striped file before a long sort:
    sortwell stripe check data.str";

const REMOVE_EXAMPLES: &str = "\
Examples:
  Remove all members and data.str:
    sortwell stripe remove data.str";

#[derive(Debug, Subcommand)]
enum StripeAction {
    /// Write the text file that defines a striped file, which is still empty
    #[command(after_help = CREATE_EXAMPLES)]
    Create {
        /// Text file to write; it must not exist yet
        #[arg(value_name = "NAME.str", value_hint = ValueHint::FilePath)]
        definition: PathBuf,

        /// Members: directories, in which each is named after NAME, or paths of files
        #[arg(value_name = "MEMBER", required = true)]
        members: Vec<PathBuf>,

        /// Set the bytes per turn: a size, or a multiple of the base such as 3x
        ///
        /// Give one value for all members, or one for each. Example: --strides 2x,2x,1x.
        #[arg(long, value_name = "STRIDE,...", value_delimiter = ',', default_value = "1x")]
        strides: Vec<Stride>,

        /// Set the base of strides such as 3x, a multiple of 4096 bytes
        #[arg(long, value_name = "SIZE", default_value = "1MiB",
              value_parser = values::parse::<ByteSize>)]
        base: ByteSize,
    },
    /// Copy a file, striped or not, to another
    #[command(after_help = COPY_EXAMPLES)]
    Copy {
        /// File to copy
        #[arg(value_hint = ValueHint::FilePath)]
        from: PathBuf,

        /// Target: a striped file, which gets new members, any other file name, or standard output
        /// (-)
        #[arg(value_hint = ValueHint::FilePath)]
        to: PathBuf,

        /// Replace a target that has no write permission too
        #[arg(long)]
        force: bool,

        #[command(flatten)]
        watching: Watching,
    },
    /// Write the bytes of a striped file to standard output
    #[command(after_help = CAT_EXAMPLES)]
    Cat {
        /// Text file that defines the striped file
        #[arg(value_name = "NAME.str", value_hint = ValueHint::FilePath)]
        definition: PathBuf,

        #[command(flatten)]
        watching: Watching,
    },
    /// Show the members of a striped file, and their sizes
    #[command(after_help = INFO_EXAMPLES)]
    Info {
        /// Text file that defines the striped file
        #[arg(value_name = "NAME.str", value_hint = ValueHint::FilePath)]
        definition: PathBuf,
    },
    /// Check that all members exist, have the right length, and belong to the striped file
    #[command(after_help = CHECK_EXAMPLES)]
    Check {
        /// Text file that defines the striped file
        #[arg(value_name = "NAME.str", value_hint = ValueHint::FilePath)]
        definition: PathBuf,
    },
    /// Remove a striped file: its members, and the text file that defines it
    #[command(after_help = REMOVE_EXAMPLES)]
    Remove {
        /// Text file that defines the striped file
        #[arg(value_name = "NAME.str", value_hint = ValueHint::FilePath)]
        definition: PathBuf,
    },
}

/// Does it.
pub fn run(arguments: &StripeArguments) -> CommandOutcome {
    match &arguments.action {
        StripeAction::Create { definition, members, strides, base } => {
            define(definition, members, strides, *base)?;
        }
        StripeAction::Copy { from, to, force, watching } => {
            let output = match () {
                () if is_stream(to) => Output::Stdout,
                () if Definition::is_at(to) => Output::Striped(to.clone()),
                () => Output::File(to.clone()),
            };
            let is_stdout = output == Output::Stdout;
            let job = CopyJob { force: *force, ..CopyJob::new(input(from), output) };
            watching.run(is_stdout, |progress| job.run(progress))?;
        }
        StripeAction::Cat { definition, watching } => {
            let job = CopyJob::new(Input::Striped(definition.clone()), Output::Stdout);
            watching.run(true, |progress| job.run(progress))?;
        }
        StripeAction::Info { definition } => info(definition)?,
        StripeAction::Check { definition } => {
            let file = File::open_stripes(definition, Direct::Off)?;
            let members = Definition::read(definition)?.members.len();
            let bytes = ByteSize(file.len());
            let members = counted(members as u64, "member");
            let words = format!("{}: {members}, {bytes}\n", definition.display());
            standard::print(words.as_bytes())?;
        }
        StripeAction::Remove { definition } => Definition::read(definition)?.remove(definition)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the definition of a striped file that is not there yet.
pub fn define(path: &Path, members: &[PathBuf], strides: &[Stride], base: ByteSize) -> Result<()> {
    if strides.len() != 1 && strides.len() != members.len() {
        return Err(usage_error(format!(
            "--strides has {} for {}; give one for each, or one for all",
            counted(strides.len() as u64, "value"),
            counted(members.len() as u64, "member")
        )));
    }
    if path.extension().is_none_or(|ending| ending != "str") {
        return Err(usage_error(format!(
            "the name of a striped file must end in .str; {} does not",
            path.display()
        )));
    }
    if fs::symlink_metadata(path).is_ok() {
        return Err(usage_error(format!(
            "{} already exists; give another name, or remove it with 'sortwell stripe remove'",
            path.display()
        )));
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut made = Vec::with_capacity(members.len());
    for (number, member) in members.iter().enumerate() {
        let path = match member.is_dir() {
            true => member.join(format!("{name}.{number}")),
            false => member.clone(),
        };
        let path = std::path::absolute(&path).map_err(|e| Error::io("find", &path, e))?;
        let stride = strides[number % strides.len()];
        made.push(Member { path, stride, checksum: None });
    }
    let takes_base = |stride: &Stride| matches!(stride, Stride::Times(_));
    if strides.iter().any(takes_base) && !base.bytes().is_multiple_of(STRIDE_UNIT) {
        return Err(usage_error(format!(
            "--base: {} bytes are not a multiple of {STRIDE_UNIT} bytes",
            base.bytes()
        )));
    }
    let definition = Definition::new(made, Some(base.bytes())).map_err(usage_error)?;
    definition.check_places(path).map_err(usage_error)?;
    definition.write(path, true)
}

fn info(path: &Path) -> std::result::Result<(), crate::failure::Failure> {
    let definition = Definition::read(path)?;
    let (layout, length) = (definition.layout(), definition.length);
    let members = counted(definition.members.len() as u64, "member");
    let mut out = format!("{}: {}, {members}\n", path.display(), counted(length, "byte"));
    let (places, files) = (definition.places(path), definition.files(path));
    for (number, file) in files.iter().chain(&places).take(places.len()).enumerate() {
        let (stride, bytes) = (layout.stride(number), layout.member_bytes(number, length));
        let state = match fs::metadata(file) {
            _ if length == 0 => "not written yet".to_owned(),
            Ok(data) if data.len() == bytes => counted(bytes, "byte"),
            Ok(data) => format!("{}, expected {bytes}", counted(data.len(), "byte")),
            Err(e) => format!("{e}"),
        };
        let (file, stride) = (file.display(), ByteSize(stride));
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{number}: {file}, stride {stride}: {state}");
    }
    Ok(standard::print(out.as_bytes())?)
}
