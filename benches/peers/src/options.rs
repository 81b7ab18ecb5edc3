//! The options of the command.

use std::path::PathBuf;
use std::str::FromStr;

use crate::Outcome;
use crate::in_memory::Elements;
use crate::records::{KEY, RECORD, Records};
use crate::sorters::Contender;

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
    /// The command and the C library of a release build.
    pub command: PathBuf,
    pub library: PathBuf,
    /// The file for the raw figures.
    pub json: Option<PathBuf>,
    /// The contender to run in this process.
    pub contender: Option<String>,
    /// Contenders to leave out.
    pub without: Vec<String>,
    /// Numbers that are sorted in memory, instead of records.
    pub elements: Option<Elements>,
}

impl Options {
    /// Reads the words of a command line.
    pub fn parse(words: &[String]) -> Outcome<Self> {
        let built =
            std::env::var_os("CARGO_TARGET_DIR").map_or("../../target".into(), PathBuf::from);
        let mut options = Self {
            count: 10_000_000,
            distinct: 0,
            memory_mib: 2048,
            threads: 2,
            rounds: 5,
            slow_rounds: 2,
            temp: std::env::temp_dir(),
            files: PathBuf::from("/dev/shm"),
            command: built.join("release/sortwell"),
            library: built.join("capi/libsortwell.so"),
            json: None,
            contender: None,
            without: Vec::new(),
            elements: None,
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
                "--command" => options.command = value.into(),
                "--library" => options.library = value.into(),
                "--temp" => options.temp = value.into(),
                "--files" => options.files = value.into(),
                "--json" => options.json = Some(value.into()),
                "--contender" => options.contender = Some(value.clone()),
                "--in-memory" => {
                    options.elements = Some(match value.as_str() {
                        "numbers" => Elements::Numbers,
                        "pairs" => Elements::Pairs,
                        _ => return Err(format!("{name}: '{value}' is not sorted").into()),
                    });
                }
                "--without" => options.without.push(value.clone()),
                _ => return Err(format!("{name} is no option").into()),
            }
        }
        Ok(options)
    }

    /// Returns names and values of the options that file jobs take through the command and C.
    pub fn of_file_jobs(&self) -> Outcome<Vec<(&'static str, String)>> {
        let mut named = self.of_records()?;
        let others = [("format", format!("fixed:{RECORD}")), ("key", format!("0..{KEY}"))];
        named.extend(others);
        named.push(("sync", "off".to_owned()));
        Ok(named)
    }

    /// Returns names and values of the options that a job of pushed records takes in C.
    pub fn of_records(&self) -> Outcome<Vec<(&'static str, String)>> {
        let temp = self.temp.to_str().ok_or("the directory is no text")?.to_owned();
        let memory = format!("{}MiB", self.memory_mib);
        Ok(vec![("memory", memory), ("threads", self.threads.to_string()), ("temp", temp)])
    }

    /// Returns the sorts that are compared, each with its name.
    pub fn contenders(&self) -> Vec<(Contender, &'static str)> {
        match self.elements {
            Some(elements) => Contender::of_numbers(elements),
            None => Contender::OF_RECORDS.to_vec(),
        }
    }

    /// Returns the records.
    pub fn records(&self) -> Records {
        Records::new(self.count, self.distinct)
    }
}

fn number<N: FromStr>(name: &str, value: &str) -> Outcome<N> {
    value.parse().map_err(|_| format!("{name}: '{value}' is no number").into())
}
