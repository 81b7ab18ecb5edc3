//! Patterns, good and bad. What they read is held against the plain forms in `typed`.

use super::*;

/// Returns the part of a second that is not a leap second.
fn part(digits: &[u8; 9]) -> Nanoseconds {
    Nanoseconds { is_leap: false, digits: *digits }
}

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

/// Moments of which a part did not count would be equal.
#[test]
fn patterns_with_a_part_that_does_not_count_are_refused() {
    for (pattern, part) in [
        ("%C%y-%m-%d", "the century of %C; write the year with %Y"),
        ("%d.%m.%C%y %H:%M", "the century of %C"),
        ("%s%.f", "digits after the seconds of %s"),
        ("%F %R %Q", "the name of a time zone; write its offset with %z"),
        ("%F %R %:Q", "the name of a time zone"),
        ("%I:%M", "the half of the day of %I or %l; write the hour with %H, or add %p"),
        ("%d.%m.%Y %l:%M", "the half of the day of %I"),
    ] {
        let message = DateFormat::new(pattern).unwrap_err();
        assert!(message.contains(part), "{pattern}: {message}");
    }
    for pattern in ["%y-%m-%d", "%A %d.%m.%y", "%C %Y-%m-%d", "%H:%M:%S%.f", "%F %T %z", "%D"] {
        DateFormat::new(pattern).unwrap();
    }
    for pattern in ["%I:%M %p", "%P %l:%M", "%p %H:%M", "%I %s"] {
        DateFormat::new(pattern).unwrap();
    }
}

#[test]
fn moments_before_1970_have_fractions_that_count_upwards() {
    let format = DateFormat::new("%Y-%m-%d %H:%M:%S%.f").unwrap();
    assert_eq!(format.timestamp(b"1969-12-31 23:59:59.25"), Some((-1, part(b"250000000"))));
    assert_eq!(format.timestamp(b"1970-01-01 00:00:00"), Some((0, part(b"000000000"))));
    assert_eq!(format.date(b"1969-12-31 23:59:59"), Some(-1));
    assert_eq!(format.time(b"1969-12-31 23:59:59.000000001"), Some((86_399, part(b"000000001"))));
    assert_eq!(format.date(b"1969-12-32 00:00:00"), None);
}

/// Instants of `jiff` end before its days do, and begin after them.
#[test]
fn moments_reach_from_the_first_day_to_the_last() {
    let format = DateFormat::new("%Y-%m-%d %H:%M:%S%.f").unwrap();
    let last = 253_402_300_799;
    assert_eq!(format.timestamp(b"9999-12-30 22:00:00"), Some((last - 93_599, part(b"000000000"))));
    assert_eq!(format.timestamp(b"9999-12-31 23:59:59"), Some((last, part(b"000000000"))));
    assert_eq!(
        format.timestamp(b"9999-12-31 23:59:59.999999999"),
        Some((last, part(b"999999999")))
    );
    assert_eq!(
        format.timestamp(b"-9999-01-01 00:00:00"),
        Some((-377_705_116_800, part(&[b'0'; 9])))
    );
    let format = DateFormat::new("%Y-%m-%d %H:%M:%S %z").unwrap();
    for (offset, ahead) in [("+0000", 0), ("+0200", 7200), ("-2359", -86_340)] {
        let text = format!("9999-12-31 23:59:59 {offset}");
        assert_eq!(
            format.timestamp(text.as_bytes()),
            Some((last - ahead, part(&[b'0'; 9]))),
            "{text}"
        );
    }
    let format = DateFormat::new("%d.%m.%Y").unwrap();
    assert_eq!(format.timestamp(b"31.12.9999"), Some((last - 86_399, part(&[b'0'; 9]))));
    assert_eq!(format.timestamp(b"32.12.9999"), None);
}

#[test]
fn second_60_is_a_leap_second() {
    for (pattern, leap, last, none) in [
        ("%H:%M:%S", "23:59:60", "23:59:59", "23:59:61"),
        ("%T", "23:59:60", "23:59:59", "23:59:61"),
        ("%H:%M:%S%.f", "23:59:60.5", "23:59:59.60", "23:59:60.x"),
        ("%H%M%-S %z", "235960 +0000", "235959 +0030", "235960"),
        ("%S60%% %H:%M", "6060% 23:59", "5960% 23:59", "60% 23:59"),
    ] {
        let format = DateFormat::new(pattern).unwrap();
        let read = |text: &str| format.time(text.as_bytes()).map(|(_, part)| part.is_leap);
        let known = [read(leap), read(last), read(none)];
        assert_eq!(known, [Some(true), Some(false), None], "{pattern}");
    }
    let format = DateFormat::new("%F %T %z").unwrap();
    let last = (1_483_228_799, part(&[b'0'; 9]));
    let leap = (last.0, Nanoseconds { is_leap: true, ..last.1 });
    assert_eq!(format.timestamp(b"2017-01-01 00:59:59 +0100"), Some(last));
    assert_eq!(format.timestamp(b"2017-01-01 00:59:60 +0100"), Some(leap));
    let format = DateFormat::new("%s").unwrap();
    assert_eq!(format.timestamp(b"1483228799"), Some(last));
}

#[test]
fn names_are_full_or_short() {
    for pattern in ["%a, %d %b %Y", "%A, %d %B %Y", "%a, %d %h %Y", "%A, %d %b %Y"] {
        let format = DateFormat::new(pattern).unwrap();
        for text in ["Fri, 02 Jan 1970", "Friday, 02 January 1970", "friday, 02 JAN 1970"] {
            assert_eq!(format.date(text.as_bytes()), Some(1), "{pattern}: {text}");
        }
        for text in ["Fri, 02 Janu 1970", "Frid, 02 Jan 1970", "Fri, 02 Jan 1970 x"] {
            assert_eq!(format.date(text.as_bytes()), None, "{pattern}: {text}");
        }
    }
    let format = DateFormat::new("%%b %b %Y-%d").unwrap();
    assert_eq!(format.date(b"%b January 1970-03"), Some(2));
    assert_eq!(format.date(b"%B January 1970-03"), None, "no directive");
}

#[test]
fn offsets_have_colons_or_none() {
    for pattern in ["%T %z", "%T %:z"] {
        let format = DateFormat::new(pattern).unwrap();
        for (text, second) in [
            ("12:00:00 +0200", 36_000),
            ("12:00:00 +02:00", 36_000),
            ("12:00:00 +02", 36_000),
            ("12:00:00 -0030", 45_000),
            ("12:00:00 Z", 43_200),
        ] {
            let time = format.time(text.as_bytes()).map(|(second, _)| second);
            assert_eq!(time, Some(second), "{pattern}: {text}");
        }
        for text in ["12:00:00", "12:00:00 ", "12:00:00 CET", "12:00:00 +2", "12:00:00 +02:00x"] {
            assert_eq!(format.time(text.as_bytes()), None, "{pattern}: {text}");
        }
        let (_, part) = format.time(b"00:59:60 +01:00").unwrap();
        assert!(part.is_leap, "{pattern}");
    }
    let exact = DateFormat::new("%T %::z").unwrap();
    assert_eq!(exact.time(b"12:00:00 +0200"), None);
}

#[test]
fn days_with_an_offset_are_those_of_utc() {
    let format = DateFormat::new("%Y-%m-%d %H:%M %z").unwrap();
    for (text, day) in [
        ("1970-01-02 01:59 +0200", 0),
        ("1970-01-02 02:00 +0200", 1),
        ("1970-01-01 22:00 -0200", 1),
        ("1970-01-01 00:00 +0001", -1),
    ] {
        assert_eq!(format.date(text.as_bytes()), Some(day), "{text}");
        let (second, _) = format.timestamp(text.as_bytes()).unwrap();
        assert_eq!(second.div_euclid(86_400), i64::from(day), "{text}");
    }
    let format = DateFormat::new("%F%z").unwrap();
    assert_eq!(format.date(b"1970-01-02+0100"), Some(0));
}
