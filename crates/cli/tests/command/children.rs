//! A child process with the kernel's account of it: its status, what it said, and the largest
//! resident size it ever had.
//!
//! The kernel counts in the size of a child what its parent had in memory when the child was made.
//! So the command is started by a process that has hardly anything in memory: this test program
//! again, which runs [`measures_a_child`] alone, and is told by a variable that it shall.

use std::env;
use std::fs;
use std::mem::MaybeUninit;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::harness::{Folder, Said};

/// Names the file that the measuring process writes its account to.
const ACCOUNT: &str = "SORTWELL_TEST_ACCOUNT";

/// Holds the words of the command that the measuring process runs, a line each.
const WORDS: &str = "SORTWELL_TEST_WORDS";

/// Runs `sortwell` with the words of `line`, split at blanks, in the folder; LC_ALL and LOCPATH may
/// stand before them, as in a shell. Returns what it said, and its peak resident size in bytes.
pub fn measured(folder: &Folder, line: &str) -> (Said, u64) {
    let scratch = Folder::new();
    let is_variable = |word: &&str| word.starts_with("LC_ALL=") || word.starts_with("LOCPATH=");
    let variables = line.split(' ').filter(|word| !word.is_empty()).take_while(is_variable);
    let words: Vec<&str> =
        line.split(' ').filter(|word| !word.is_empty()).skip_while(is_variable).collect();
    let mut measurer = Command::new(env::current_exe().expect("this program"));
    measurer.args(["children::measures_a_child", "--exact", "--nocapture", "--test-threads=1"]);
    measurer.current_dir(folder.path()).stdin(Stdio::null());
    measurer.env(ACCOUNT, scratch.at("account")).env(WORDS, words.join("\n"));
    measurer.env("XDG_CONFIG_HOME", scratch.at("config"));
    measurer.envs(variables.filter_map(|word| word.split_once('=')));
    let output = measurer.output().expect("this program again");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    let account = String::from_utf8(scratch.read("account")).expect("numbers");
    let (status, kibibytes) = account.split_once(' ').expect("two numbers");
    let said = Said { status: status.parse().expect("a status"), ..Said::from(output) };
    (said, kibibytes.parse::<u64>().expect("a size") << 10)
}

/// Measures the command that the variables name; does nothing where they are not set.
#[test]
fn measures_a_child() {
    let (Some(account), Ok(words)) = (env::var_os(ACCOUNT), env::var(WORDS)) else { return };
    let mut command = Command::new(env!("CARGO_BIN_EXE_sortwell"));
    command.args(words.lines()).env_remove(ACCOUNT).env_remove(WORDS);
    let (status, kibibytes) = wait(&command.spawn().expect("start"));
    let status = status.code().unwrap_or_else(|| -status.signal().unwrap_or(0));
    fs::write(account, format!("{status} {kibibytes}")).expect("write");
}

/// Waits for a child. Returns its status and its peak resident size in KiB.
#[expect(unsafe_code, reason = "the kernel's account of one child is to be had of wait4 alone")]
fn wait(child: &Child) -> (ExitStatus, i64) {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    let id = child.id() as libc::pid_t;
    // SAFETY: both pointers are to values that live during the call, of the types it writes.
    let waited = unsafe { libc::wait4(id, &raw mut status, 0, usage.as_mut_ptr()) };
    assert_eq!(waited, id, "{}", std::io::Error::last_os_error());
    // SAFETY: all bytes of it were zero, which is a value of the type, before the call wrote some.
    let usage = unsafe { usage.assume_init() };
    (ExitStatus::from_raw(status), usage.ru_maxrss)
}
