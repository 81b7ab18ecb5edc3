//! Options for the output.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use sortwell::Output;
use sortwell::unstable::io::inherited::{STDOUT, named_by};
use sortwell::unstable::stripe::Definition;
use sortwell::{ByteSize, Compress};

use super::{FILES, RESOURCES, values};

/// The output, and files on the way to it.
#[derive(Args, Debug)]
#[command(next_help_heading = FILES)]
pub struct Writing {
    /// Write the records to OUTPUT; default: standard output, also for `-`
    ///
    /// sortwell writes a temporary file in the same directory, and gives it this name only when it
    /// is complete. OUTPUT may be one of the inputs, which is then replaced at that moment.
    /// /dev/stdout and /dev/fd/N are open descriptors, written from their current position. A file
    /// made by 'sortwell stripe create' stands for the striped file that it defines, which gets new
    /// members.
    #[arg(short, long, value_name = "OUTPUT", value_hint = ValueHint::FilePath,
          help_heading = None)]
    output: Option<PathBuf>,

    /// Replace output files that have no write permission too
    ///
    /// Without it, sortwell refuses such a file with status 4, before it reads anything. With
    /// --split and --split-by, it refuses before any file gets its name.
    #[arg(long, hide_short_help = true)]
    pub force: bool,

    /// Compress the output: auto, off, gzip[:LEVEL], zstd[:LEVEL] or lz4
    ///
    /// auto: compress a file whose name ends in .gz, .zst or .lz4, and not standard output. auto
    /// refuses names of other formats (.xz, .bz2, .zip, .7z, .br, .lzma and the like). off: write
    /// plain records under any name. LEVEL is 1 to 9 for gzip, default: 1, and 1 to 22 for zstd,
    /// default: 3.
    ///
    /// Each megabyte is compressed as a member or frame of its own, by several threads. Any program
    /// for the format reads the result, which is the same for any number of threads. Example:
    /// --compress zstd:9.
    #[arg(long, value_name = "HOW", default_value = "auto",
          value_parser = values::parse::<Compress>)]
    pub compress: Compress,

    /// Directory for temporary files; repeat to use several disks
    ///
    /// sortwell needs temporary files to sort more than fits in memory, or to merge more files than
    /// it can merge at once. Default: the directory of the output. If the output is a descriptor or
    /// a device, it is the system's directory for temporary files (TMPDIR). sortwell distributes
    /// the files by the measured write speed of each directory. If one is full, sortwell uses the
    /// others.
    ///
    /// A file made by 'sortwell stripe create' stands for the directories of its members. Each
    /// temporary file is then striped over all of them, and has the speed of all their disks
    /// together. Example: -T /mnt/a -T /mnt/b.
    #[arg(short = 'T', long = "temp", value_name = "DIRECTORY", value_hint = ValueHint::AnyPath,
          help_heading = RESOURCES)]
    pub temp: Vec<PathBuf>,

    /// Limit the bytes of temporary files, in all directories together (512MiB, 20GB)
    ///
    /// If a job is known to need more, sortwell refuses it before it begins. If that is not known,
    /// as for a pipe or with dropped records, the job fails before it takes more. Work kept by
    /// --resume counts. The unfinished output does not. Example: --temp-limit 20GB.
    #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>,
          help_heading = RESOURCES, hide_short_help = true)]
    pub temp_limit: Option<ByteSize>,
}

impl Writing {
    /// Returns the output of the job.
    pub fn output(&self) -> Output {
        match &self.output {
            Some(path) if Definition::is_at(path) => Output::Striped(path.clone()),
            Some(path) if path.as_os_str() != "-" && named_by(path) != Some(STDOUT) => {
                Output::File(path.clone())
            }
            _ => Output::Stdout,
        }
    }
}
