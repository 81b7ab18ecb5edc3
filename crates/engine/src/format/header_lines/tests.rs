//! Headers of lines, by hand.

use super::*;

#[test]
fn a_number_counts_lines_and_anything_else_is_a_prefix() {
    assert_eq!("3".parse(), Ok(HeaderLines::Count(3)));
    assert_eq!("#".parse(), Ok(HeaderLines::Prefix(b"#".to_vec())));
    assert_eq!("-1".parse(), Ok(HeaderLines::Prefix(b"-1".to_vec())));
    assert_eq!("prefix:1".parse(), Ok(HeaderLines::Prefix(b"1".to_vec())));
    assert_eq!("prefix:prefix:".parse(), Ok(HeaderLines::Prefix(b"prefix:".to_vec())));
    for none in ["", "prefix:", "99999999999999999999"] {
        none.parse::<HeaderLines>().unwrap_err();
    }
}

#[test]
fn the_end_of_a_header_needs_the_beginning_of_the_line_after_it() {
    let header = HeaderLines::Prefix(b"##".to_vec());
    let length = |bytes: &[u8], is_whole| header.length(b'\n', bytes, is_whole);
    assert_eq!(length(b"##a\n##b\n#c\n", false), Some(8));
    assert_eq!(length(b"##a\n#", false), None, "the line may start with ##");
    assert_eq!(length(b"##a\n#", true), Some(4));
    assert_eq!(length(b"##a\n", false), None);
    assert_eq!(length(b"##a\n", true), Some(4));
    assert_eq!(length(b"##a", true), Some(3), "the last line lacks its end");
    assert_eq!(length(b"a\n##b\n", false), Some(0), "only leading lines count");
    assert_eq!(length(b"", true), Some(0));
}
