//! Programs that behave, fail and hang: shell scripts in the sort's place.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

fn script(body: &str) -> (tempfile::TempDir, Program) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program");
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    (directory, Program(path))
}

#[test]
fn a_run_is_timed_from_launch_to_exit() {
    let body = "sleep 0.05; echo words >&2; sleep 0.1\n\
                echo '{\"seconds\": 0.1, \"phases\": [\
                {\"phase\": \"reading\", \"seconds\": 0.0625},\
                {\"phase\": \"reading\", \"seconds\": 0.0625}],\
                \"streams\": {\"input_read\": 7}}' >&2";
    let (_directory, program) = script(body);
    let trial = program.run(&["sort"], &[], None, &Progress::new()).unwrap();
    assert!(trial.seconds >= 0.15 && trial.launch_seconds >= 0.04, "{trial:?}");
    assert!(trial.launch_seconds + 0.1 + trial.exit_seconds <= trial.seconds + 1e-9, "{trial:?}");
    assert_eq!(trial.phase_seconds(Phase::Reading), 0.125);
    assert!(trial.phase_seconds(Phase::Writing).is_sign_positive(), "0, not -0");
    assert_eq!((trial.number("streams/input_read"), trial.number("none")), (7.0, 0.0));
}

#[test]
fn a_failure_is_told_in_the_programs_words() {
    let (_directory, program) = script("echo no room >&2; exit 4");
    let error = program
        .run(&["sort"], &["--limit".into(), "3".into()], None, &Progress::new())
        .unwrap_err();
    let words = error.to_string();
    assert!(words.contains("--limit 3") && words.contains("no room"), "{words}");
    let (_directory, program) = script("true");
    assert!(
        program.run(&["sort"], &[], None, &Progress::new()).is_err(),
        "a program without statistics"
    );
}

#[test]
fn a_stop_ends_the_program() {
    let (_directory, program) = script("exec sleep 60");
    let progress = Progress::new();
    progress.request_stop();
    let start = Instant::now();
    let error = program.run(&["sort"], &[], None, &progress).unwrap_err();
    assert!(matches!(error, Error::Interrupted), "{error}");
    assert!(start.elapsed() < Duration::from_secs(10));
}
