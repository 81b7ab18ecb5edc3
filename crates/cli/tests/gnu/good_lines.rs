//! Command lines that are fine: help, version, and options that must not be refused.

use std::process::Command;

fn printed(words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sortwell"));
    let output = command.args(words).output().expect("run");
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn help_and_version_are_printed() {
    let help = printed(&["gnu", "--help"]);
    for word in ["Usage: sort ", "--key=KEY", "--files0-from=F", "Exit status"] {
        assert!(help.contains(word), "{word} is missing:\n{help}");
    }
    assert!(help.lines().all(|line| line.chars().count() <= 80), "too wide:\n{help}");
    let version = format!("sort (sortwell) {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(printed(&["gnu", "-r", "--version", "--bad"]).as_str(), version);
}
