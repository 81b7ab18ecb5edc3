//! What is written, and where.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use sortwell::Output;
use sortwell::unstable::io::inherited::{STDOUT, named_by};
use sortwell::unstable::io::stripe::Definition;
use sortwell::{ByteSize, Compress};

use super::{FILES, RESOURCES, values};

/// The output, and files on the way to it.
#[derive(Args, Debug)]
#[command(next_help_heading = FILES)]
pub struct Writing {
    /// Where the records go; standard output if not given or `-`
    ///
    /// A file is written under a temporary name beside it and gets this name only when it is
    /// complete. It may be one of the inputs, which is then replaced at that moment. /dev/stdout
    /// and /dev/fd/N are open descriptors, which are written from where they stand. A file that
    /// was made by 'sortwell stripe create' stands for the striped file it defines, which gets new
    /// members.
    #[arg(short, long, value_name = "OUTPUT", value_hint = ValueHint::FilePath,
          help_heading = None)]
    output: Option<PathBuf>,

    /// Replace output files that have no write permission too
    ///
    /// Without it, such a file is refused with status 4, before anything is read or, with --split
    /// and --split-by, before any file gets its name.
    #[arg(long, hide_short_help = true)]
    pub force: bool,

    /// Compress the output: auto, off, gzip[:LEVEL], zstd[:LEVEL] or lz4
    ///
    /// auto goes by the name: a file that ends in .gz, .zst or .lz4 is compressed, standard output
    /// is not, and a name of another format (.xz, .bz2, .zip, .7z, .br, .lzma and the like) is
    /// refused; off writes plain records under any name. Levels are 1 to 9 for gzip (3 if not said)
    /// and 1 to 22 for zstd (3 as well). Threads compress a megabyte each, as a member or frame of
    /// its own: any program for the format reads them, and they are the same for any number of
    /// threads.
    #[arg(long, value_name = "HOW", default_value = "auto",
          value_parser = values::parse::<Compress>)]
    pub compress: Compress,

    /// Directory for temporary files; repeat to use several disks
    ///
    /// Used only for what cannot be done in one pass: to sort more than fits in memory, or to
    /// merge more files than can be merged at once. The default is the directory of the output, or
    /// that of the system for temporary files (TMPDIR) if the output is a descriptor or a device.
    /// Several directories share the files by how fast each was written to so far; one that is full
    /// leaves the rest to the others. A file that was made by 'sortwell stripe create' stands for
    /// the directories of its members: each temporary file lies striped over all of them, and is
    /// written and read at the speed of all their disks together.
    #[arg(short = 'T', long = "temp", value_name = "DIRECTORY", value_hint = ValueHint::AnyPath,
          help_heading = RESOURCES)]
    pub temp: Vec<PathBuf>,

    /// Most bytes of temporary files, in all directories together (512MiB, 20GB)
    ///
    /// A job that is known to need more is refused before it begins; one of which that is not
    /// known, as it reads a pipe or drops records on the way, ends with an error before it takes
    /// more. What --resume has kept counts. The output on its way to its name does not.
    #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>,
          help_heading = RESOURCES, hide_short_help = true)]
    pub temp_limit: Option<ByteSize>,
}

impl Writing {
    /// Where the records go.
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
