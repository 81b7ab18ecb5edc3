//! Which files are read.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use sortwell::job::Input;
use sortwell::{Error, Result};

/// Names of inputs.
#[derive(Args, Debug)]
pub struct Inputs {
    /// Files to read; `-` or none is standard input
    #[arg(value_name = "INPUT", value_hint = ValueHint::FilePath)]
    inputs: Vec<PathBuf>,
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
            false => Input::File(path.clone()),
        };
        Ok(self.inputs.iter().map(input).collect())
    }
}
