//! When GNU sort's command line is suggested.

use super::*;

fn words(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

#[test]
fn its_own_words_are_repeated() {
    for (line, command) in [
        ("sortwell sort -n in", "sortwell gnu -n in"),
        ("sortwell sort -k2,2n -t, a;b", "sortwell gnu -k2,2n -t, 'a;b'"),
        ("sortwell merge -n a b", "sortwell gnu -m -n a b"),
        ("sortwell -n in", "sortwell gnu -n in"),
        ("sortwell check -n in", "sortwell gnu -c -n in"),
    ] {
        let said = advice(&words(line)).expect(line);
        assert_eq!(said, format!(". GNU sort options: use `{command}`"));
    }
}

#[test]
fn words_that_it_would_not_read_are_not() {
    for line in ["sortwell sort -n -F csv in", "sortwell sort --limit 3 -n", "sortwell stripe -n"] {
        assert_eq!(advice(&words(line)), None, "{line}");
    }
}

#[test]
fn letters_with_h_among_them_are_no_call_for_help() {
    assert!(accidental_help(&words("sortwell sort -rh in")).is_some());
    assert!(accidental_help(&words("sortwell sort -hk2 in")).is_none(), "2 is no letter");
    for line in ["sortwell sort -h", "sortwell sort -r --help", "sortwell help sort"] {
        assert_eq!(accidental_help(&words(line)), None, "{line}");
    }
}

#[test]
fn options_of_gnu_sort_are_known() {
    assert!(has("-n") && has("-M") && has("--numeric-sort") && has("--sort=month"));
    assert!(!has("-q") && !has("--limit") && !has("n"));
}
