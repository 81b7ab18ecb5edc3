//! Runs a command line with our program called as `sort` and with the system's GNU sort.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// How one command line ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Ended {
    /// Exit status.
    pub status: Option<i32>,
    /// Standard error.
    pub words: String,
}

/// A folder with files to name, and what is on this machine.
pub struct Both {
    folder: TempDir,
    has_gnu_sort: bool,
}

impl Both {
    /// Files: `f` and `g` of lines out of order, `list*` of names ended by NULs.
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("sortwell-test-").tempdir().expect("a folder");
        let files: [(&str, &[u8]); 8] = [
            ("f", b"b\na\n"),
            ("g", b"d\nc\n"),
            ("short", b"15 bytes: short"),
            ("list", b"f\0g\0"),
            ("list-gap", b"f\0\0g\0"),
            ("list-stdin", b"f\0-\0"),
            ("list-missing", b"f\0missing\0"),
            ("list-lines", b"b\na\n"),
        ];
        for (name, content) in files {
            fs::write(folder.path().join(name), content).expect("write");
        }
        let has_gnu_sort = has_gnu_sort();
        if !has_gnu_sort {
            println!("LEFT OUT: this machine has no GNU sort of coreutils 9 to compare with");
        }
        Self { folder, has_gnu_sort }
    }

    /// Our answer, and GNU sort's where the machine has one.
    pub fn run(&self, environment: &[(&str, &str)], line: &str) -> (Ended, Option<Ended>) {
        let ours = self.run_one(env!("CARGO_BIN_EXE_sortwell"), environment, line);
        (ours, self.has_gnu_sort.then(|| self.run_one("sort", environment, line)))
    }

    /// Returns our output where standard input is a file, and that of GNU sort if `is_compared` and
    /// the machine has one.
    pub fn print(&self, line: &str, input: &str, is_compared: bool) -> Vec<String> {
        let programs = [env!("CARGO_BIN_EXE_sortwell"), "sort"];
        let print = |program: &&str| {
            let mut command = Command::new(program);
            command.arg0("sort").args(words(line)).current_dir(self.folder.path());
            let input = fs::File::open(self.folder.path().join(input)).expect("open");
            let output = command.env("LC_ALL", "C").stdin(input).output().expect("run");
            assert!(output.status.success(), "{program} {line}: {output:?}");
            String::from_utf8(output.stdout).expect("UTF-8")
        };
        programs[..1 + usize::from(self.has_gnu_sort && is_compared)].iter().map(print).collect()
    }

    fn run_one(&self, program: &str, environment: &[(&str, &str)], line: &str) -> Ended {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut command = Command::new(program);
        command.arg0("sort").args(words(line)).current_dir(self.folder.path());
        command.env_clear().env("PATH", path).env("LC_ALL", "C").stdin(Stdio::null());
        command.envs(environment.iter().copied());
        let output = command.output().expect("run");
        Ended {
            status: output.status.code(),
            words: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Whether the program `sort` is one to compare with.
pub fn has_gnu_sort() -> bool {
    let version = Command::new("sort").arg("--version").output();
    version.is_ok_and(|output| {
        String::from_utf8_lossy(&output.stdout).starts_with("sort (GNU coreutils) 9.")
    })
}

/// The words of a line; single quotes keep blanks together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    for character in line.chars() {
        match character {
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            ' ' if !is_quoted => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}
