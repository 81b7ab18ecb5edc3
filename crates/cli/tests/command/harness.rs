//! A folder of its own for each test, the command run in it, and what it said.

use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A scratch folder that goes away with the test.
pub struct Folder(TempDir);

/// What a finished command said, and how it ended.
#[derive(Debug)]
pub struct Said {
    /// Exit status; of one that died of a signal, the negative number of that.
    pub status: i32,
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub words: String,
}

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::Builder::new().prefix("sortwell-test-").tempdir().expect("a folder"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.at(name), content).expect("write");
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.at(name)).unwrap_or_else(|error| panic!("read {name}: {error}"))
    }

    /// The names of all that is in the folder, in order: a test compares them to find litter.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).expect("list");
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<String> = entries.map(|entry| name(entry.expect("entry"))).collect();
        names.sort();
        names
    }

    /// The command, to be run in this folder.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sortwell"));
        command.args(words).current_dir(self.path()).stdin(Stdio::null());
        // What was measured of this machine is none of a test's business.
        command.env("XDG_CONFIG_HOME", self.at("config"));
        command
    }

    /// Runs `sortwell` with the words of `line`, split at blanks.
    pub fn run(&self, line: &str) -> Said {
        let words: Vec<&str> = line.split_whitespace().collect();
        Said::from(self.command(&words).output().expect("run"))
    }

    /// Runs it where no thread can be started whose stack has the default size: no machine has room
    /// for that.
    pub fn run_without_threads(&self, line: &str) -> Said {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = self.command(&words);
        command.env("RUST_MIN_STACK", (1_u64 << 48).to_string());
        Said::from(command.output().expect("run"))
    }

    /// Runs a script in this folder, in which `$sortwell` is the command and `gnu` its GNU sort.
    pub fn script(&self, script: &str) -> Said {
        let script = format!("gnu() {{ LC_ALL=C \"$sortwell\" gnu \"$@\"; }}; {script}");
        let mut shell = Command::new("bash");
        shell.args(["-c", &script]).current_dir(self.path()).stdin(Stdio::null());
        shell.env("sortwell", env!("CARGO_BIN_EXE_sortwell")).env("TMPDIR", self.path());
        Said::from(shell.output().expect("bash"))
    }

    /// Runs it with bytes on its standard input.
    pub fn run_with(&self, line: &str, input: &[u8]) -> Said {
        let mut child = self.start(line);
        let mut pipe = child.stdin.take().expect("a pipe");
        let input = input.to_owned();
        // Fed from the side: the command may write before it has read everything. It may also end
        // early, so that a broken pipe here is no failure of the test.
        let feeder = std::thread::spawn(move || pipe.write_all(&input));
        let said = Said::from(child.wait_with_output().expect("run"));
        let _ = feeder.join().expect("feeder");
        said
    }

    /// Starts it with pipes on all three standard streams.
    pub fn start(&self, line: &str) -> Child {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = self.command(&words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("start")
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or_else(|| -output.status.signal().unwrap_or(0)),
            out: output.stdout,
            words: String::from_utf8(output.stderr).expect("words are UTF-8"),
        }
    }
}

impl Said {
    /// Asserts success, and that nothing was said.
    #[track_caller]
    pub fn quietly(self) -> Vec<u8> {
        assert_eq!((self.status, self.words.as_str()), (0, ""), "quiet success");
        self.out
    }

    /// Asserts success, and that nothing but `words` was said.
    #[track_caller]
    pub fn saying(self, words: &str) -> Vec<u8> {
        assert_eq!((self.status, self.words.as_str()), (0, words), "success, with words");
        self.out
    }

    /// Asserts success, and that nothing was said but of keys that are no values.
    #[track_caller]
    pub fn saying_of_keys(self) -> Vec<u8> {
        let is_of_keys = |line: &str| line.contains("an invalid key, and come");
        assert!(self.status == 0 && self.words.lines().all(is_of_keys), "{self:?}");
        self.out
    }

    /// Asserts a failure with one line of words that hold every one of `parts`.
    #[track_caller]
    pub fn fails(self, status: i32, parts: &[&str]) {
        assert_eq!(self.status, status, "{self:?}");
        assert!(self.words.starts_with("sortwell: "), "{self:?}");
        assert_eq!(self.words.lines().count(), 1, "one line: {self:?}");
        for part in parts {
            assert!(self.words.contains(part), "'{part}' is missing: {}", self.words);
        }
    }
}

/// Says that a test, or a part of it, was left out, and why: past what holds back the words of
/// tests that pass.
pub fn left_out(why: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let _ = writeln!(std::io::stderr(), "LEFT OUT: {why} (test {test})");
}

/// Returns every sixth case, beginning with one of the first six by chance; one of fewer cases.
/// Returns all of them if the environment asks for that, as `make test-slow` does.
pub fn some<T: Copy>(cases: &[T]) -> Vec<T> {
    match std::env::var_os("SORTWELL_TEST_ALL") {
        Some(_) => cases.to_vec(),
        None => {
            let step = cases.len().clamp(1, 6);
            let first = Random::fresh().next() as usize % step;
            cases.iter().copied().skip(first).step_by(step).collect()
        }
    }
}

/// Statuses of processes that died of signals.
pub const DIED_OF_INT: i32 = -2;
pub const DIED_OF_KILL: i32 = -9;
pub const DIED_OF_TERM: i32 = -15;

/// Sends a signal, by its name without `SIG`.
pub fn signal(child: &Child, name: &str) {
    // The shell's own `kill` is everywhere; the program of that name is not.
    let script = format!("kill -s {name} {}", child.id());
    let status = Command::new("sh").args(["-c", &script]).status().expect("sh");
    assert!(status.success(), "{script}");
}

/// Waits for the child, for a while; one that hangs is killed and fails the test.
#[track_caller]
pub fn ended(mut child: Child, within: Duration) -> Output {
    let deadline = Instant::now() + within;
    while child.try_wait().expect("wait").is_none() {
        if Instant::now() > deadline {
            child.kill().expect("kill");
            panic!("still running after {within:?}");
        }
        sleep(Duration::from_millis(2));
    }
    child.wait_with_output().expect("output")
}

/// A small generator of numbers (Marsaglia's xorshift).
pub struct Random(u64);

impl Random {
    /// Always the same numbers.
    pub fn fixed() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    /// Other numbers each time; prints the seed, for whoever looks at a failure.
    pub fn fresh() -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let seed = now.expect("a clock").as_nanos() as u64 | 1;
        println!("seed {seed:#x}");
        Self(seed)
    }

    pub fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
    }

    /// From 0 up to 1.
    pub fn share(&mut self) -> f64 {
        f64::from(self.next()) / (f64::from(u32::MAX) + 1.0)
    }
}

/// `count` records of `length` bytes, always the same.
pub fn random_records(count: usize, length: usize) -> Vec<u8> {
    let mut random = Random::fixed();
    let mut records = vec![0; count * length];
    for bytes in records.chunks_mut(4) {
        bytes.copy_from_slice(&random.next().to_le_bytes()[..bytes.len()]);
    }
    records
}

/// The records in stable order of `key`, the plain way.
pub fn sorted_by<K: Ord>(records: &[u8], length: usize, key: impl Fn(&[u8]) -> K) -> Vec<u8> {
    let mut sorted: Vec<&[u8]> = records.chunks_exact(length).collect();
    sorted.sort_by_key(|record| key(record));
    sorted.concat()
}
