//! Keys of GNU sort, and what is said of them.

use super::gnu_key;
use crate::key::Key;

#[test]
fn keys_within_a_field_are_written_out() {
    for (gnu, ours) in [
        ("2,2", "write 2"),
        ("2,2n", "write 2:decimal"),
        ("2n,2", "write 2:decimal"),
        ("2nr", "write 2:decimal:desc"),
        ("2,3n", "write 2:decimal"),
        ("2.3,3.1n", "write 2[2..]:decimal"),
        ("1,1V", "write 1:version"),
        ("3,3fb", "write 3:ci:trim"),
        ("2.3,2.5", "write 2[2..5]"),
        ("2.3,2", "write 2[2..]"),
        ("2.3,2.0", "write 2[2..]"),
        ("4,4hr", "write 4:size:desc"),
    ] {
        assert_eq!(gnu_key(gnu).as_deref(), Some(ours), "{gnu}");
    }
}

#[test]
fn keys_that_nothing_stands_for_are_not_written_out() {
    for (gnu, words) in [
        ("2,2d", "no modifier ignores characters as d does"),
        ("2d", "no modifier ignores characters as d does"),
        ("2,5fi", "no modifier ignores characters as i does"),
        ("1d,1i", "no modifier ignores characters as d or i does"),
        ("2.3,3.1", "no key begins in field 2 and ends at a byte of field 3"),
        ("2,3.1", "no key begins in field 2 and ends at a byte of field 3"),
    ] {
        assert_eq!(gnu_key(gnu).as_deref(), Some(words), "{gnu}");
    }
}

#[test]
fn all_columns_are_listed() {
    for (gnu, keys) in [
        ("2.3,5r", "-k 2[2..]:desc -k 3:desc -k 4:desc -k 5:desc"),
        ("1,8", "-k 1 -k 2 -k 3 -k 4 -k 5 -k 6 -k 7 -k 8"),
        ("1,9", "-k 1 -k 2 and so on to -k 9"),
        ("2,4294967295", "-k 2 -k 3 and so on to -k 4294967295"),
    ] {
        let said = gnu_key(gnu).unwrap();
        assert_eq!(said.split(": ").last(), Some(keys), "{gnu}");
    }
}

#[test]
fn ranges_of_fields_are_one_key() {
    assert_eq!(
        gnu_key("2,3").unwrap(),
        "write 2-3 for fields 2 to 3 of a line; 2..3 stands for bytes, and columns are keys of \
         their own: -k 2 -k 3"
    );
    assert!(gnu_key("2.4,9r").unwrap().starts_with("write 2-9[3..]:desc for fields 2 to 9"));
    assert_eq!(gnu_key("2f").unwrap(), "write 2-:ci, or 2:ci for field 2 alone");
}

#[test]
fn what_is_written_out_can_be_read() {
    for place in ["2,2", "2.3,2.5", "3.2", "1,5"] {
        for options in ["", "n", "nr", "nf", "hfb", "Mr", "Vfr", "Rb", "gd", "bdfir"] {
            let gnu = format!("{place}{options}");
            let Some(how) = gnu_key(&gnu) else { continue };
            let first = how.strip_prefix("write ").and_then(|rest| rest.split([' ', ',']).next());
            let listed = how.split("-k ").skip(1).filter_map(|key| key.split(' ').next());
            for key in first.into_iter().chain(listed) {
                assert!(key.parse::<Key>().is_ok(), "{gnu}: {how}");
            }
        }
    }
}

#[test]
fn what_is_no_key_of_gnu_sort_is_left() {
    for text in [
        "2.4,2.3", "3,2", "2", "", "name", "2,", ",2", "2x", "2,x", "0,1", "2..3", "2[0..4]", "n",
        "1,2,3",
    ] {
        assert_eq!(gnu_key(text), None, "{text}");
    }
}
