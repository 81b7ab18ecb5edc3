//! Which files are read.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use sortwell::unstable::io::stripe::Definition;
use sortwell::{Decompress, Input};
use sortwell::{Error, Result};

use super::{FILES, values};
use crate::failure::usage_error;
use crate::standard::Text;

/// Names of inputs.
#[derive(Args, Debug)]
#[command(next_help_heading = FILES)]
pub struct Inputs {
    /// Files to read; `-` or none is standard input
    ///
    /// A file that was made by 'sortwell stripe create' stands for the striped file it defines.
    #[arg(value_name = "INPUT", value_hint = ValueHint::FilePath, help_heading = None)]
    inputs: Vec<PathBuf>,

    /// Read the names of the files from FILE, each ended by a NUL; `-` is standard input
    ///
    /// For more files than a command line holds, as `find -print0` lists them. Each takes some 200
    /// bytes of the memory budget.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "inputs",
          hide_short_help = true)]
    files0_from: Option<PathBuf>,

    /// Which inputs are compressed: auto, off, gzip, zstd or lz4
    ///
    /// auto goes by the names: files that end in .gz, .zst or .lz4 are expanded, by threads of
    /// their own, while they are read. Where records are lines, csv or tsv, it also looks how an
    /// input begins, standard input too: gzip, zstd and lz4 data is expanded under any name, and
    /// what other programs make text of (xz, bzip2, zip, 7z and others, UTF-16, Parquet) is
    /// refused, with the command that does. Of several pipes that are read one after the other only
    /// the first is expanded so, and others are refused. The name of a format says that all inputs
    /// have it; off takes all as they are. Records, offsets and statistics are those of the
    /// expanded data.
    #[arg(long, value_name = "HOW", default_value = "auto",
          value_parser = values::one_of::<Decompress>(&["auto", "off", "gzip", "zstd", "lz4"]),
          hide_short_help = true)]
    pub decompress: Decompress,
}

impl Inputs {
    /// The inputs by their names; none is standard input.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] where standard input would be read twice, and what is wrong with a list.
    pub fn inputs(&self) -> Result<Vec<Input>> {
        if let Some(list) = &self.files0_from {
            return listed(list);
        }
        if self.inputs.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
            return Err(usage_error("'-' is given twice; standard input can be read once"));
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

/// The input of this name: a file, or the striped one that it defines.
fn input(path: &Path) -> Input {
    let path = path.to_owned();
    if Definition::is_at(&path) { Input::Striped(path) } else { Input::File(path) }
}

/// The files that a list names. It is read name by name, as it may be long.
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
                return Err(wrong(format!("name {number} is '-', which no list can name")));
            }
            name => inputs.push(input(&PathBuf::from(OsString::from_vec(name.to_vec())))),
        }
    }
    if inputs.is_empty() { Err(wrong("there are no names in it".to_owned())) } else { Ok(inputs) }
}
