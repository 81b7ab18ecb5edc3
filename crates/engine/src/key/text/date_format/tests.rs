//! Patterns, good and bad. What they read is held against the plain forms in `typed`.

use super::*;

#[test]
fn patterns_say_what_they_tell() {
    for (pattern, has_date, has_time) in [
        ("%d.%m.%Y", true, false),
        ("%H:%M", false, true),
        ("%Y-%m-%d %H:%M:%S%.f", true, true),
        ("%s", true, true),
        ("%G-W%V-%u", true, false),
        ("%Y%j", true, false),
        ("on %d %b %y", true, false),
    ] {
        let format = DateFormat::new(pattern).unwrap();
        assert_eq!((format.has_date, format.has_time), (has_date, has_time), "{pattern}");
        assert_eq!(format.pattern(), pattern);
    }
}

#[test]
fn patterns_that_tell_nothing_are_refused() {
    for (pattern, part) in [
        ("", "has neither a day nor a time"),
        ("%Y-%m", "has neither a day nor a time"),
        ("%?", "'%?' is not a date format"),
        ("%", "is not a date format"),
    ] {
        let message = DateFormat::new(pattern).unwrap_err();
        assert!(message.contains(part) && message.contains("%d.%m.%Y"), "{message}");
    }
}

#[test]
fn moments_before_1970_have_fractions_that_count_upwards() {
    let format = DateFormat::new("%Y-%m-%d %H:%M:%S%.f").unwrap();
    assert_eq!(format.timestamp(b"1969-12-31 23:59:59.25"), Some((-1, *b"250000000")));
    assert_eq!(format.timestamp(b"1970-01-01 00:00:00"), Some((0, *b"000000000")));
    assert_eq!(format.date(b"1969-12-31 23:59:59"), Some(-1));
    assert_eq!(format.time(b"1969-12-31 23:59:59.000000001"), Some((86_399, *b"000000001")));
    assert_eq!(format.date(b"1969-12-32 00:00:00"), None);
}
