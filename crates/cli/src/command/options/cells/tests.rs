//! What may be said of cells, and of what.

use super::*;
use sortwell::Error;

fn applied(cells: &CellOptions, format: &str, separator: Option<u8>) -> Result<Format> {
    cells.apply(format.parse().unwrap(), separator)
}

fn cells(byte: Option<Option<u8>>, no_header: bool, ragged: Option<&str>) -> CellOptions {
    let quote = byte.map(|byte| Quote { byte, is_lenient: false });
    CellOptions { quote, no_header, ragged: ragged.map(str::to_owned), union_by_name: false }
}

#[test]
fn dialects_are_as_said() {
    let said = cells(Some(Some(b'\'')), true, Some("keep"));
    let Ok(Format::Csv(csv)) = applied(&said, "csv", Some(b';')) else { panic!("csv") };
    assert_eq!((csv.dialect.separator, csv.dialect.quote), (b';', Some(b'\'')));
    assert!(!csv.has_header && csv.ragged == Ragged::Keep);
    let unsaid = cells(None, false, None);
    let Ok(Format::Csv(csv)) = applied(&unsaid, "tsv", None) else { panic!("tsv") };
    assert_eq!((csv.dialect.separator, csv.dialect.quote), (b'\t', Some(b'"')));
    assert!(csv.has_header && csv.ragged == Ragged::Refuse);
    let dropping = cells(None, false, Some("drop"));
    let Ok(Format::Csv(csv)) = applied(&dropping, "tsv", None) else { panic!("tsv") };
    assert_eq!(csv.ragged, Ragged::Drop);
    assert_eq!(applied(&unsaid, "lines", Some(b';')).unwrap(), Format::LINES);
}

#[test]
fn what_cannot_be_is_refused() {
    let message = |said: &CellOptions, format, separator| {
        let Err(Error::Config(error)) = applied(said, format, separator) else { panic!("refused") };
        error.to_string()
    };
    assert!(message(&cells(Some(None), false, None), "lines", None).starts_with("--quote"));
    assert!(message(&cells(None, true, None), "fixed:10", None).starts_with("--no-header"));
    assert!(message(&cells(None, false, Some("error")), "lines", None).starts_with("--ragged"));
    let unsaid = cells(None, false, None);
    assert!(message(&unsaid, "csv", Some(b'"')).contains("--separator"));
    assert!(message(&unsaid, "csv", Some(b'\n')).contains("--separator"));
    for text in ["ab", "a", "lenientx", "lenient:", "lenient:ab", "lenient:none"] {
        assert!(quote(text).is_err(), "{text}");
    }
}

#[test]
fn quotes_are_strict_lenient_or_none() {
    let is = |text, byte, is_lenient| assert_eq!(quote(text), Ok(Quote { byte, is_lenient }));
    is("'", Some(b'\''), false);
    is("none", None, false);
    is("lenient", Some(b'"'), true);
    is("lenient:'", Some(b'\''), true);
}
