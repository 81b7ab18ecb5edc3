//! Pages on their way to their names: those of `--report` and of `sortwell report`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sortwell::io::{Direct, TempFile};
use sortwell::job::{Input, Output};
use sortwell::{Error, Result, report};

/// A page that will be written when a job is done.
#[derive(Debug)]
pub struct Report {
    path: PathBuf,
    /// What the job is called: by its output.
    name: String,
    temporary: TempFile,
}

impl Report {
    /// A page at `path` of a job from `inputs` to `output`.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where it would take the place of one of them, and what the system says.
    pub fn new(path: &Path, inputs: &[Input], output: &Output) -> Result<Self> {
        if is_stream(path) {
            return Err(Error::Usage(
                "the page of a job goes to a file: give --report a name, or --stats json, of which \
                 'sortwell report - -o -' makes one"
                    .to_owned(),
            ));
        }
        let files = inputs.iter().filter_map(|input| match input {
            Input::File(path) | Input::Striped(path) => Some(path),
            Input::Stdin | Input::Supplied(_) => None,
        });
        let output = match output {
            Output::File(path) | Output::Striped(path) => Some(path),
            Output::Stdout | Output::Pipe(_) => None,
        };
        files.chain(output).try_for_each(|other| check_differ(path, other))?;
        let name = output.map_or(path, PathBuf::as_path).display().to_string();
        let temporary = TempFile::create(path, Direct::Off)?;
        Ok(Self { path: path.to_owned(), name, temporary })
    }

    /// Writes it, of statistics as JSON.
    pub fn write(self, statistics: &str) -> Result<()> {
        let value = serde_json::from_str::<Value>(statistics).unwrap_or_default();
        write(self.temporary, &self.path, &report::page(&[(self.name, value)]))
    }
}

/// Writes a page, whole, to its name.
pub fn write(temporary: TempFile, path: &Path, page: &str) -> Result<()> {
    temporary.file().write_at(page.as_bytes(), 0)?;
    temporary.persist(path, false)?;
    Ok(())
}

/// Whether it is what standard input and output are called by.
fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
}

/// Checks that a page at `path` would not take the place of another file.
pub fn check_differ(path: &Path, other: &Path) -> Result<()> {
    let is_same = match (fs::canonicalize(path), fs::canonicalize(other)) {
        (Ok(path), Ok(other)) => path == other,
        _ => path == other && !is_stream(path),
    };
    match is_same {
        true => Err(Error::Usage(format!(
            "it would take the place of {}; give the page another name",
            other.display()
        ))),
        false => Ok(()),
    }
}
