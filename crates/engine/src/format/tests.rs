//! Formats by their names.

use super::Format;

#[test]
fn names_are_read_in_any_case() {
    for (written, read) in [
        ("CSV", Format::CSV),
        ("Tsv", Format::TSV),
        ("LINES", Format::LINES),
        ("Fixed:100", Format::Fixed { length: 100 }),
        ("LINES:A", Format::Lines { terminator: b'A' }),
    ] {
        assert_eq!(written.parse(), Ok(read), "{written}");
    }
    assert_eq!("U16BE:SELF".parse::<Format>(), "u16be:self".parse());
    assert_eq!("RDW".parse::<Format>(), "rdw".parse());
}

#[test]
fn near_names_are_suggested() {
    let error = "scv".parse::<Format>().unwrap_err().to_string();
    assert!(error.contains("(did you mean 'csv'?)"), "{error}");
    assert!(!"xml".parse::<Format>().unwrap_err().to_string().contains("did you mean"));
}

#[test]
fn formats_of_other_names_are_pointed_out() {
    let error = "FASTQ".parse::<Format>().unwrap_err().to_string();
    assert!(error.contains("format (FASTQ is lines:group=4); write lines"), "{error}");
}
