//! What is written, and where.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use sortwell::ByteSize;
use sortwell::io::compression::Compress;
use sortwell::io::stripe::Definition;
use sortwell::job::Output;

use super::values;

/// The output, and files on the way to it.
#[derive(Args, Debug)]
pub struct Writing {
    /// Where the records go; standard output if not given or `-`
    ///
    /// A file is written under a temporary name beside it and gets this name only when it is
    /// complete. It may be one of the inputs, which is then replaced at that moment. A file that
    /// was made by 'sortwell stripe create' stands for the striped file it defines, which gets new
    /// members.
    #[arg(short, long, value_name = "OUTPUT", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    /// How the output is compressed: auto, off, gzip[:LEVEL], zstd[:LEVEL] or lz4
    ///
    /// auto goes by the name: a file that ends in .gz, .zst or .lz4 is compressed, standard output
    /// is not. Levels are 1 to 9 for gzip (3 if not said) and 1 to 22 for zstd (3 as well). Threads
    /// compress a megabyte each, as a member or frame of its own: any program for the format reads
    /// them, and they are the same for any number of threads.
    #[arg(long, value_name = "HOW", default_value = "auto",
          value_parser = values::parse::<Compress>)]
    pub compress: Compress,

    /// Directory for temporary files; repeat to use several, best on different disks
    ///
    /// Used only for what cannot be done in one pass: to sort more than fits in memory, or to
    /// merge more files than can be merged at once. The default is the directory of the output.
    /// Several directories share the files by how fast each was written to so far; one that is full
    /// leaves the rest to the others. A file that was made by 'sortwell stripe create' stands for
    /// the directories of its members: each temporary file lies striped over all of them, and is
    /// written and read at the speed of all their disks together.
    #[arg(short = 'T', long = "temp", value_name = "DIRECTORY", value_hint = ValueHint::AnyPath)]
    pub temp: Vec<PathBuf>,

    /// Most bytes of temporary files, in all directories together (512MiB, 20GB)
    ///
    /// A job that is known to need more is refused before it begins; one of which that is not
    /// known, as it reads a pipe or drops records on the way, ends with an error before it takes
    /// more. What --resume has kept counts. The output on its way to its name does not.
    #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>)]
    pub temp_limit: Option<ByteSize>,
}

impl Writing {
    /// Where the records go.
    pub fn output(&self) -> Output {
        match &self.output {
            Some(path) if Definition::is_at(path) => Output::Striped(path.clone()),
            Some(path) if path.as_os_str() != "-" => Output::File(path.clone()),
            _ => Output::Stdout,
        }
    }
}
