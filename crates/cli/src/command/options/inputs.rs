//! Options for input files.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use sortwell::unstable::stripe::Definition;
use sortwell::{Decompress, Input};
use sortwell::{Error, Result};

use super::{FILES, values};
use crate::failure::usage_error;
use crate::standard::Text;

/// Names of inputs.
#[derive(Args, Debug)]
#[command(next_help_heading = FILES)]
pub struct Inputs {
    /// Files to read; standard input if none is given, or for `-`
    ///
    /// A file made by 'sortwell stripe create' stands for the striped file that it defines.
    #[arg(value_name = "INPUT", value_hint = ValueHint::FilePath, help_heading = None)]
    inputs: Vec<PathBuf>,

    /// Read the names of the input files from FILE, each ended by a NUL
    ///
    /// `-` stands for standard input. Use it for more files than a command line holds; `find
    /// -print0` writes such a list. Each file takes about 200 bytes of the memory budget. Example:
    /// find logs -type f -print0 | sortwell sort --files0-from -
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "inputs",
          hide_short_help = true)]
    files0_from: Option<PathBuf>,

    /// Decompress inputs: auto, off, gzip, zstd or lz4
    ///
    /// auto decompresses files whose names end in .gz, .zst or .lz4. For lines, groups of lines,
    /// csv, tsv and jsonl, it also looks at the first 4 KiB of each input, standard input included.
    /// It decompresses gzip, zstd and lz4 data under any name. It refuses data that another program
    /// must turn into text (xz, bzip2, zip, 7z and others, UTF-16, Parquet), and names the command
    /// that does. It also refuses data that begins with a longer skippable frame of zstd or lz4;
    /// give its format. Of several pipes that are read one after the other, it decompresses only
    /// the first in this way, and refuses compressed data in the others.
    ///
    /// gzip, zstd, lz4: all inputs have this format. off: read all inputs as they are.
    ///
    /// Threads of their own decompress while the sort reads. Records, offsets and statistics are
    /// those of the decompressed data. Example: --decompress gzip.
    #[arg(long, value_name = "HOW", default_value = "auto",
          value_parser = values::one_of::<Decompress>(&["auto", "off", "gzip", "zstd", "lz4"]),
          hide_short_help = true)]
    pub decompress: Decompress,
}

impl Inputs {
    /// Returns the inputs by their names; none is standard input.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] with what is wrong with a list.
    pub fn inputs(&self) -> Result<Vec<Input>> {
        if let Some(list) = &self.files0_from {
            return listed(list);
        }
        if self.inputs.is_empty() {
            return Ok(vec![Input::Stdin]);
        }
        let input = |path: &PathBuf| match path.as_os_str() == "-" {
            true => Input::Stdin,
            false => input(path),
        };
        Ok(self.inputs.iter().map(input).collect())
    }
}

/// Returns the input of this name: a file, or the striped one that it defines.
pub fn input(path: &Path) -> Input {
    let path = path.to_owned();
    if Definition::is_at(&path) { Input::Striped(path) } else { Input::File(path) }
}

/// Returns the files that a list names. It is read name by name, as it may be long.
fn listed(list: &Path) -> Result<Vec<Input>> {
    let mut reader = BufReader::new(Text::open(list)?);
    let wrong = |what: String| usage_error(format!("--files0-from {}: {what}", list.display()));
    let mut inputs = Vec::new();
    let mut name = Vec::new();
    loop {
        name.clear();
        let read = reader.read_until(0, &mut name).map_err(|e| Error::io("read", list, e))?;
        if read == 0 {
            break;
        }
        let number = inputs.len() + 1;
        match name.strip_suffix(b"\0").unwrap_or(&name) {
            b"" => return Err(wrong(format!("name {number} is empty"))),
            b"-" => {
                return Err(wrong(format!(
                    "name {number} is '-', but a list cannot name standard input"
                )));
            }
            name => inputs.push(input(&PathBuf::from(OsString::from_vec(name.to_vec())))),
        }
    }
    if inputs.is_empty() { Err(wrong("the list is empty".to_owned())) } else { Ok(inputs) }
}
