//! Places as they are written, and what they mean.

use super::*;

#[test]
fn places_are_read_and_shown() {
    for text in ["3", "amount", "\"3\"", "0..4", "8.."] {
        assert_eq!(text.parse::<Place>().unwrap().to_string(), text);
    }
    assert_eq!("..4".parse(), Ok(Place::Range(0, Some(4))));
    // Whatever is no range is a name.
    assert_eq!("a..b".parse(), Ok(Place::Column("a..b".to_owned())));
    assert!("4..4".parse::<Place>().unwrap_err().to_string().contains("4..5"));
    assert!("".parse::<Place>().is_err());
}

#[test]
fn columns_have_numbers_and_names() {
    let layout = RecordForm::of(Format::CSV, None);
    let names = ["id", "2", "id", "a b", "a\"b", "\"c"];
    let cells: Vec<Vec<u8>> = names.map(|name| name.as_bytes().into()).into();
    let columns = |text: &str, are_named| {
        let columns = RowColumns { cells: &cells, are_named };
        layout.column(&text.parse().unwrap(), Some(columns))
    };
    assert_eq!(columns("a b", true), Ok(3));
    assert_eq!(columns("3", true), Ok(2));
    assert_eq!(columns("\"2\"", true), Ok(1));
    for (text, column) in [("a\"b", 4), ("\"a\"\"b\"", 4), ("\"c", 5), ("\"\"\"c\"", 5)] {
        assert_eq!(columns(text, true), Ok(column), "{text}");
    }
    for (text, are_named, part) in [
        ("id", true, "columns 1 and 3"),
        ("x", true, "'id', '2', 'id', 'a b', 'a\"b', '\"c'"),
        ("x", false, "no names"),
        ("7", true, "there is no column 7; the first row has 6"),
        ("0", true, "count from 1"),
        ("0..2", true, "range"),
    ] {
        let said = columns(text, are_named).unwrap_err().to_string();
        assert!(said.contains(part), "{said}");
    }
    let kind = |text| Error::from(columns(text, true).unwrap_err()).config_kind();
    assert_eq!(kind("x"), Some(ConfigErrorKind::UnknownColumn));
    assert_eq!(kind("7"), Some(ConfigErrorKind::UnknownColumn));
    assert_eq!(kind("0..2"), Some(ConfigErrorKind::InvalidValue));
    let lines = RecordForm::of(Format::LINES, None).column(&Place::Column("1".into()), None);
    assert!(lines.unwrap_err().to_string().ends_with("give it with separator"));
}

#[test]
fn ranges_lie_within_records_of_one_length() {
    let place = |text: &str| text.parse::<Place>().unwrap();
    assert_eq!(RecordForm::Fixed(8).range(&place("4..")), Ok((4, Some(8))));
    assert!(
        RecordForm::Fixed(8).range(&place("4..9")).unwrap_err().to_string().contains("8 bytes")
    );
    assert!(RecordForm::Fixed(8).range(&place("8..")).is_err());
    assert!(RecordForm::Fixed(8).range(&place("amount")).unwrap_err().to_string().contains("0..4"));
    assert_eq!(RecordForm::Prefixed(Prefix::RDW).range(&place("4..")), Ok((4, None)));
}

#[test]
fn groups_have_as_many_lines_as_they_say() {
    let layout = RecordForm::of("lines:0,group=3".parse().unwrap(), Some(b','));
    for (text, column) in [("1", Some(0)), ("3", Some(2)), ("4", None), ("0", None), ("1.2", None)]
    {
        assert_eq!(layout.column(&text.parse().unwrap(), None).ok(), column, "{text}");
    }
    let lines: Vec<&[u8]> = layout.cells(b"a,b\0\0c\0").unwrap().collect();
    assert_eq!(lines, [&b"a,b"[..], b"", b"c"]);
}
