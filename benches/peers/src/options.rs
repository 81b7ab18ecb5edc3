//! The options of the command.

use std::path::PathBuf;
use std::str::FromStr;

use crate::Outcome;
use crate::records::Records;

/// The options of the command.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of records.
    pub count: u64,
    /// Number of different keys; zero where no two are equal.
    pub distinct: u64,
    pub memory_mib: u64,
    pub threads: usize,
    pub rounds: usize,
    /// Rounds of grenad, which takes ten times as long as the others.
    pub slow_rounds: usize,
    /// Directory for temporary files.
    pub temp: PathBuf,
    /// Directory for the files of the file job.
    pub files: PathBuf,
    /// The file for the raw figures.
    pub json: Option<PathBuf>,
    /// The contender to run in this process.
    pub contender: Option<String>,
    /// Contenders to leave out.
    pub without: Vec<String>,
}

impl Options {
    /// Reads the words of a command line.
    pub fn parse(words: &[String]) -> Outcome<Self> {
        let mut options = Self {
            count: 10_000_000,
            distinct: 0,
            memory_mib: 2048,
            threads: 2,
            rounds: 5,
            slow_rounds: 2,
            temp: std::env::temp_dir(),
            files: PathBuf::from("/dev/shm"),
            json: None,
            contender: None,
            without: Vec::new(),
        };
        let mut words = words.iter();
        while let Some(name) = words.next() {
            let value = words.next().ok_or_else(|| format!("{name} lacks its value"))?;
            match name.as_str() {
                "--records" => options.count = number(name, value)?,
                "--distinct" => options.distinct = number(name, value)?,
                "--memory" => options.memory_mib = number(name, value)?,
                "--threads" => options.threads = number(name, value)?,
                "--rounds" => options.rounds = number(name, value)?,
                "--slow-rounds" => options.slow_rounds = number(name, value)?,
                "--temp" => options.temp = value.into(),
                "--files" => options.files = value.into(),
                "--json" => options.json = Some(value.into()),
                "--contender" => options.contender = Some(value.clone()),
                "--without" => options.without.push(value.clone()),
                _ => return Err(format!("{name} is no option").into()),
            }
        }
        Ok(options)
    }

    /// Returns the records.
    pub fn records(&self) -> Records {
        Records::new(self.count, self.distinct)
    }
}

fn number<N: FromStr>(name: &str, value: &str) -> Outcome<N> {
    value.parse().map_err(|_| format!("{name}: '{value}' is no number").into())
}
