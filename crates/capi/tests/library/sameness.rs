//! One table of jobs, each by the command, the Rust library and the C library. Their bytes, counts,
//! passes, proofs and kinds of errors are compared.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use sortwell::{ByteSize, CheckJob, Format, MergeJob, SortJob, Unique};
use sortwell_cli::embed;
use tempfile::TempDir;

use crate::harness::{command, installation, succeeded};

/// A job of `tests/parity.json`, said once for all interfaces. The tests of the Python package read
/// the table too.
struct Job {
    name: String,
    /// `sort`, `merge` or `check`.
    kind: String,
    format: String,
    keys: Vec<String>,
    memory: Option<String>,
    unique: bool,
    /// Contents of the inputs; empty for one that is missing.
    inputs: Vec<Vec<u8>>,
    /// The exit status and the code.
    status: i32,
}

/// Result of a job: what all three have in common.
#[derive(Debug, PartialEq)]
struct Outcome {
    status: i32,
    output: Option<Vec<u8>>,
    /// Records, bytes, loads, passes, runs and the proof.
    counts: Value,
}

/// Returns the counts of a job that must not depend on who asked for it.
fn counts(statistics: &Value) -> Value {
    let names = ["records", "bytes", "passes", "proof", "is_order_proven"];
    let mut counts: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), statistics[name].clone())).collect();
    counts.insert("spills".to_owned(), json!(statistics["runs"].as_u64() > Some(0)));
    Value::Object(counts)
}

impl Job {
    /// Returns the options as names and values.
    fn options(&self) -> Vec<String> {
        let mut options = vec![format!("format={}", self.format)];
        options.extend(self.keys.iter().map(|key| format!("key={key}")));
        options.extend(self.memory.iter().map(|memory| format!("memory={memory}")));
        options.extend(self.unique.then(|| "unique".to_owned()));
        options
    }

    /// Does the job through the command. Returns its message too.
    fn by_command(&self, folder: &Folder) -> (Outcome, String) {
        let output = folder.at("by-command");
        let mut call = Command::new(command());
        call.arg(&self.kind).args(self.options().iter().map(|option| format!("--{option}")));
        if self.kind != "check" {
            call.args(["--stats", "json", "-o"]).arg(&output);
        }
        let ended = call.args(&folder.inputs).output().expect("the command");
        let words = String::from_utf8_lossy(&ended.stderr).into_owned();
        let status = ended.status.code().expect("a status");
        let statistics = serde_json::from_str(&words).unwrap_or_default();
        let message = words.trim_end().strip_prefix("sortwell: ").unwrap_or_default().to_owned();
        (Outcome { status, output: fs::read(output).ok(), counts: counts(&statistics) }, message)
    }

    /// Does the job through the Rust library.
    fn by_rust(&self, folder: &Folder) -> Outcome {
        let output = folder.at("by-rust");
        let (status, statistics) = match self.statistics_of_rust(folder, &output) {
            Ok(statistics) => (0, statistics),
            Err(None) => (1, Value::Null),
            Err(Some(error)) => (embed::status(&error).into(), Value::Null),
        };
        Outcome { status, output: fs::read(output).ok(), counts: counts(&statistics) }
    }

    fn statistics_of_rust(
        &self,
        folder: &Folder,
        output: &Path,
    ) -> Result<Value, Option<sortwell::Error>> {
        let format: Format = self.format.parse().expect("a format");
        let keys = self.keys.iter().map(|key| key.parse().map_err(sortwell::Error::from));
        let keys = keys.collect::<Result<Vec<_>, _>>().map_err(Some)?;
        let memory: Option<ByteSize> =
            self.memory.as_ref().map(|memory| memory.parse().expect("a size"));
        macro_rules! with_options {
            ($job:expr) => {{
                let job = $job;
                folder.inputs.iter().skip(1).for_each(|input| _ = job.input(input));
                keys.into_iter().for_each(|key| _ = job.key(key));
                memory.into_iter().for_each(|memory| _ = job.memory(memory));
                job
            }};
        }
        let first = &folder.inputs[0];
        let statistics = match self.kind.as_str() {
            "sort" => {
                let mut job = SortJob::new(format, first, output);
                let job = with_options!(&mut job);
                if self.unique {
                    job.unique(Unique::First);
                }
                job.run()
            }
            "merge" => {
                let mut job = MergeJob::new(format, output);
                with_options!(job.input(first)).unique(self.unique).run()
            }
            _ => {
                let mut job = CheckJob::new(format, first);
                let checked = with_options!(&mut job).unique(self.unique).run().map_err(Some)?;
                return checked.disorder.map_or(Ok(Value::Null), |_| Err(None));
            }
        };
        Ok(serde_json::to_value(statistics.map_err(Some)?).expect("JSON"))
    }

    /// Does the job through the C library, as a job of a kind that the driver knows. Returns the
    /// message and whether a record or an offset is known.
    fn by_c(&self, driver: &mut Command, kind: &str, folder: &Folder) -> (Outcome, String) {
        let output = folder.at(&format!("by-c-{kind}"));
        driver.arg(kind).arg(&output).args(&folder.inputs).arg("--").args(self.options());
        let printed = succeeded(driver);
        let lines: Vec<&str> = printed.lines().collect();
        let [code, message, _file, _offset, _record, json] = lines[..] else {
            panic!("{}: {printed}", self.name)
        };
        let statistics = serde_json::from_str(json).unwrap_or_default();
        let statistics = if self.kind == "check" { Value::Null } else { statistics };
        let status = code.parse().expect("a code");
        let output = fs::read(output).ok().filter(|_| status == 0);
        (Outcome { status, output, counts: counts(&statistics) }, message.to_owned())
    }
}

/// The files of a job.
struct Folder {
    folder: TempDir,
    inputs: Vec<PathBuf>,
}

impl Folder {
    fn new(job: &Job) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |(number, content): (usize, &Vec<u8>)| {
            let path = folder.path().join(format!("in-{number}"));
            if !content.is_empty() {
                fs::write(&path, content).expect("an input");
            }
            path
        };
        let inputs = job.inputs.iter().enumerate().map(write).collect();
        Self { folder, inputs }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Returns records of 100 bytes in no order, with some keys that are equal.
fn records(count: u32) -> Vec<u8> {
    let mut state = 7_u32;
    let mut bytes = Vec::with_capacity(count as usize * 100);
    for number in 0..count {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        bytes.extend_from_slice(&(state >> 12).to_be_bytes());
        bytes.extend_from_slice(&number.to_be_bytes());
        bytes.extend_from_slice(&[b'.'; 92]);
    }
    bytes
}

/// Returns keyed records of names and numbers.
fn keyed(count: u32) -> Vec<u8> {
    let record = |number: u32| {
        let key = (number.wrapping_mul(2_654_435_761) % 1009).to_be_bytes();
        let payload = number.to_string();
        let follows = (4 + key.len() + payload.len()) as u32;
        let parts: [&[u8]; 4] =
            [&follows.to_le_bytes(), &4_u32.to_le_bytes(), &key, payload.as_bytes()];
        parts.concat()
    };
    (0..count).flat_map(record).collect()
}

fn jobs() -> Vec<Job> {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/parity.json");
    let table = fs::read_to_string(table).expect("the table");
    let table: Vec<Value> = serde_json::from_str(&table).expect("JSON");
    table.iter().map(job).collect()
}

/// Returns a job of the table.
fn job(row: &Value) -> Job {
    let word = |name: &str| row[name].as_str().map(str::to_owned);
    let list = |name: &str| row[name].as_array().cloned().unwrap_or_default();
    let input = |input: &Value| match input {
        Value::String(text) => text.as_bytes().to_vec(),
        Value::Null => Vec::new(),
        made => {
            let count = |name: &str| made[name].as_u64().map(|count| count as u32);
            count("keyed").map(keyed).or_else(|| count("records").map(records)).expect("an input")
        }
    };
    Job {
        name: word("name").expect("a name"),
        kind: word("kind").unwrap_or_else(|| "sort".to_owned()),
        format: word("format").unwrap_or_else(|| "lines".to_owned()),
        keys: list("keys").iter().map(|key| key.as_str().expect("a key").to_owned()).collect(),
        memory: word("memory"),
        unique: row["unique"] == true,
        inputs: list("inputs").iter().map(input).collect(),
        status: row["status"].as_i64().unwrap_or_default() as i32,
    }
}

#[test]
fn command_rust_and_c_do_the_same() {
    let Some(installed) = installation() else { return };
    let program = installed.program("tests/c/driver.c");
    for job in jobs() {
        let folder = Folder::new(&job);
        let (by_command, message) = job.by_command(&folder);
        assert_eq!(by_command.status, job.status, "{}: {message}", job.name);
        assert_eq!(job.by_rust(&folder), by_command, "{}: in Rust", job.name);
        let (by_c, words) = job.by_c(&mut installed.call(&program), &job.kind, &folder);
        assert_eq!(by_c, by_command, "{}: in C: {words}", job.name);
        if job.status != 0 {
            assert_eq!(words, message, "{}", job.name);
        }
        let is_pushed = job.kind == "sort" && job.name != "no file";
        for kind in ["push", "next"].into_iter().filter(|_| is_pushed) {
            let (pushed, words) = job.by_c(&mut installed.call(&program), kind, &folder);
            assert_eq!(pushed.status, by_command.status, "{}: {kind}: {words}", job.name);
            let is_keyed = job.format == "keyed" && kind == "next";
            let same = pushed.output == by_command.output || is_keyed;
            assert!(same, "{}: {kind}: another output", job.name);
            assert_eq!(pushed.counts, by_command.counts, "{}: {kind}", job.name);
        }
    }
}

#[test]
fn errors_have_their_place() {
    let Some(installed) = installation() else { return };
    let program = installed.program("tests/c/driver.c");
    let places = [("malformed", "8", "2"), ("cut", "0", "1"), ("disorder", "2", "2")];
    for (name, offset, record) in places {
        let jobs = jobs();
        let job = jobs.iter().find(|job| job.name == name).expect("a job");
        let folder = Folder::new(job);
        let mut call = installed.call(&program);
        call.arg(&job.kind)
            .arg(folder.at("out"))
            .args(&folder.inputs)
            .arg("--")
            .args(job.options());
        let printed = succeeded(&mut call);
        let lines: Vec<&str> = printed.lines().collect();
        assert_eq!(lines[2], folder.inputs[0].to_string_lossy(), "{name}");
        assert_eq!((lines[3], lines[4]), (offset, record), "{name}: {}", lines[1]);
    }
}
