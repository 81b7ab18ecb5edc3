//! Which files are read.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use sortwell::io::compression::Decompress;
use sortwell::io::stripe::Definition;
use sortwell::job::Input;
use sortwell::{Error, Result};

use super::values;

/// Names of inputs.
#[derive(Args, Debug)]
pub struct Inputs {
    /// Files to read; `-` or none is standard input
    ///
    /// A file that was made by 'sortwell stripe create' stands for the striped file it defines.
    #[arg(value_name = "INPUT", value_hint = ValueHint::FilePath)]
    inputs: Vec<PathBuf>,

    /// Which inputs are compressed: auto, off, gzip, zstd or lz4
    ///
    /// auto goes by the names: files that end in .gz, .zst or .lz4 are expanded, by threads of
    /// their own, while they are read. Standard input has no name, and is taken as it is. The name
    /// of a format says that all inputs have it, standard input too; off takes all as they are.
    /// Records, offsets and statistics are those of the expanded data.
    #[arg(long, value_name = "HOW", default_value = "auto",
          value_parser = values::one_of::<Decompress>(&["auto", "off", "gzip", "zstd", "lz4"]))]
    pub decompress: Decompress,
}

impl Inputs {
    /// The inputs by their names; none is standard input.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where standard input would be read twice.
    pub fn inputs(&self) -> Result<Vec<Input>> {
        if self.inputs.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
            return Err(Error::Usage("'-' is given twice; standard input can be read once".into()));
        }
        if self.inputs.is_empty() {
            return Ok(vec![Input::Stdin]);
        }
        let input = |path: &PathBuf| match path.as_os_str() == "-" {
            true => Input::Stdin,
            false if Definition::is_at(path) => Input::Striped(path.clone()),
            false => Input::File(path.clone()),
        };
        Ok(self.inputs.iter().map(input).collect())
    }
}
