//! Conversions between errors, and the library's words for each.

use super::*;
use crate::format::Format;
use crate::job::Budget;
use crate::key::Key;

fn read_all(size: &str, format: &str, key: &str) -> Result<()> {
    size.parse::<ByteSize>()?;
    format.parse::<Format>()?;
    key.parse::<Key>()?;
    Ok(())
}

#[test]
fn texts_that_cannot_be_read_are_config_errors() {
    assert!(read_all("1MiB", "csv", "0..4").is_ok());
    for (size, format, key, kind, text) in [
        ("1XB", "csv", "0..4", ConfigErrorKind::InvalidValue, "'1XB' has no known unit"),
        ("1MiB", "cvs", "0..4", ConfigErrorKind::InvalidValue, "'cvs' is not a known format"),
        ("1MiB", "csv", "4..0", ConfigErrorKind::InvalidKey, "the range in key '4..0' is empty"),
    ] {
        let error = read_all(size, format, key).expect_err("unreadable");
        assert_eq!(error.config_kind(), Some(kind), "{error}");
        assert!(error.to_string().starts_with(text), "{error}");
    }
}

#[test]
fn parse_errors_say_what_was_expected_and_found() {
    let error = "0%".parse::<Budget>().expect_err("no share");
    assert_eq!((error.expected(), error.value()), ("memory budget", "0%"));
    let error = "1XB".parse::<Budget>().expect_err("no unit");
    assert_eq!((error.expected(), error.value()), ("size", "1XB"));
    let empty = "4..4".parse::<Key>().expect_err("empty");
    assert_eq!(ParseError::from(empty).expected(), "key");
}

fn kept(error: Error, is_in_place: bool) -> Error {
    Error::Kept { is_in_place, directory: "spill".into(), error: Box::new(error) }
}

#[test]
fn a_job_that_kept_work_fails_with_the_error_inside() {
    let wrong = Error::config(ConfigErrorKind::InUse, "wait");
    assert_eq!(kept(wrong, false).config_kind(), Some(ConfigErrorKind::InUse));
    assert!(kept(Error::Interrupted, false).is_interruption());
    assert!(!kept(Error::Changed { expected: 1, found: 2 }, false).is_interruption());
    assert_eq!(
        kept(Error::Interrupted, false).to_string(),
        "interrupted; the finished work is kept in spill, from which the same job continues"
    );
    assert_eq!(
        kept(Error::io("read", Path::new("in"), io::ErrorKind::TimedOut), true).to_string(),
        "cannot read in: timed out; records of the input are in spill, from which the same job \
         continues"
    );
}

#[test]
fn settings_have_the_names_of_the_library() {
    let full = |others, setting| Error::NoSpace {
        path: "disk".into(),
        others,
        needed: ByteSize::mib(2),
        available: ByteSize::mib(1),
        setting,
    };
    for (error, expected) in [
        (
            full(0, Some(Setting::Temp)),
            "not enough space in disk: 2 MiB needed, 1 MiB free; free some space or name another \
             directory with temporary directories",
        ),
        (
            full(1, None),
            "not enough space in disk and 1 directory elsewhere: 2 MiB needed, 1 MiB free; free \
             some space or name another directory",
        ),
        (
            Error::OverLimit { needed: Some(ByteSize::mib(3)), limit: ByteSize::mib(1) },
            "temporary files would take up to 3 MiB, more than the limit of 1 MiB; raise the \
             limit, or give more memory to spill less",
        ),
        (
            Error::WriteProtected { path: "out".into() },
            "cannot replace out: it has no write permission; add the permission, or set the \
             permission to replace",
        ),
    ] {
        assert_eq!(error.to_string(), expected);
    }
}
