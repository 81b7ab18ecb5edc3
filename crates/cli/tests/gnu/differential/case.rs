//! One case: a command line and its files, run by both programs, and made smaller where their
//! answers differ.

use std::fmt::{self, Display, Formatter};
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::lines::{self, Beyond};
use super::options::Options;
use super::random::Random;

/// A command line, its files `f0`, `f1` and so on, and its standard input.
#[derive(Clone, Debug)]
pub struct Case {
    pub words: Vec<String>,
    pub files: Vec<Vec<u8>>,
    /// Whether the first file is standard input.
    pub has_stdin: bool,
    pub locale: &'static str,
    pub terminator: u8,
}

/// What one program made of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: Option<i32>,
    /// Standard output, or the file that `-o` names.
    pub output: Vec<u8>,
    /// Standard error; shown, not compared.
    pub words: String,
}

impl Case {
    /// The case of a number, in one of the locales.
    pub fn random(number: u64, locales: &[&'static str]) -> Self {
        let mut random = Random::new(number);
        let mut options = Options::random(&mut random);
        let count = random.pick(&[1, 1, 1, 1, 2, 3]);
        // The locale's own order costs more to make than to compare; most cases do without.
        let locale = if random.one_in(5) { random.pick(locales) } else { "C" };
        // A byte is a character of these, so that none is cut off.
        let is_whole = matches!(locale, "C" | "C.UTF-8") || locale.ends_with("8859-1");
        let cuts_bytes = options.words.iter().any(|word| word.contains('.'));
        let beyond = match (is_whole, cuts_bytes) {
            (true, _) => Beyond::Bytes,
            (false, false) => Beyond::Characters,
            (false, true) => Beyond::Nothing,
        };
        let mut files: Vec<Vec<u8>> =
            (0..count).map(|_| lines::file(&mut random, &options, beyond)).collect();
        if options.seeks_equal_floats {
            lines::leave_one_nan(&mut files);
        }
        let has_stdin = random.one_in(4);
        let mut words = Vec::new();
        let output_words = match random.below(12) {
            0 => vec!["-o".to_owned(), "out".to_owned()],
            1 if !has_stdin => vec!["-of0".to_owned()],
            _ => vec![],
        };
        words.append(&mut options.words);
        words.extend(output_words);
        let is_alone = has_stdin && files.len() == 1 && random.one_in(2);
        for index in 0..files.len() {
            match index {
                0 if is_alone => {}
                0 if has_stdin => words.push("-".into()),
                _ => words.push(format!("f{index}")),
            }
        }
        Self { words, files, has_stdin, locale, terminator: options.terminator }
    }

    /// What `program` makes of it in an empty `folder`.
    pub fn run(&self, program: &str, folder: &Path) -> Answer {
        for (index, content) in self.files.iter().enumerate() {
            fs::write(folder.join(format!("f{index}")), content).expect("write");
        }
        let output_file = self.output_file().map(|name| folder.join(name));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let stdin = match self.has_stdin {
            true => File::open(folder.join("f0")).expect("open").into(),
            false => Stdio::null(),
        };
        let mut command = Command::new(program);
        command.arg0("sort").args(&self.words).current_dir(folder).stdin(stdin);
        command.env_clear().env("PATH", path).env("LC_ALL", self.locale);
        if let Some(locales) = std::env::var_os("LOCPATH") {
            command.env("LOCPATH", locales);
        }
        // Some of what `--debug` prints is output, and translated where there are translations.
        command.env("LANGUAGE", "C");
        let ended = command.output().expect("run");
        let mut output = ended.stdout;
        if let Some(file) = output_file {
            output.extend(fs::read(&file).unwrap_or_default());
            let _ = fs::remove_file(&file);
        }
        let words = String::from_utf8_lossy(&ended.stderr).into_owned();
        Answer { status: ended.status.code(), output, words }
    }

    fn output_file(&self) -> Option<&str> {
        if self.words.iter().any(|word| word == "out") {
            return Some("out");
        }
        self.words.iter().any(|word| word == "-of0").then_some("f0")
    }

    /// Without as many lines and words as can go while `differs`.
    pub fn shrunk(mut self, differs: impl Fn(&Self) -> bool) -> Self {
        for file in 0..self.files.len() {
            let mut part = lines_of(&self.files[file], self.terminator).len();
            while part > 0 {
                let mut at = 0;
                while at < lines_of(&self.files[file], self.terminator).len() {
                    let mut smaller = self.clone();
                    let lines = lines_of(&self.files[file], self.terminator);
                    let kept = lines.iter().enumerate();
                    let kept = kept.filter(|(index, _)| !(at..at + part).contains(index));
                    smaller.files[file] = kept.flat_map(|(_, line)| line.to_vec()).collect();
                    if differs(&smaller) {
                        self = smaller;
                    } else {
                        at += part;
                    }
                }
                part /= 2;
            }
        }
        let mut at = 0;
        while at < self.words.len() {
            let mut smaller = self.clone();
            smaller.words.remove(at);
            if differs(&smaller) {
                self = smaller;
            } else {
                at += 1;
            }
        }
        self
    }
}

/// The lines of a file, each with its end.
pub fn lines_of(file: &[u8], terminator: u8) -> Vec<&[u8]> {
    file.split_inclusive(|&byte| byte == terminator).collect()
}

impl Display for Case {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "LC_ALL={} sort {:?}", self.locale, self.words)?;
        for (index, file) in self.files.iter().enumerate() {
            let name = if index == 0 && self.has_stdin { "stdin" } else { "file" };
            writeln!(f, "{name} f{index}: \"{}\"", file.escape_ascii())?;
        }
        Ok(())
    }
}

impl Display for Answer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} \"{}\" {}", self.status, self.output.escape_ascii(), self.words)
    }
}
