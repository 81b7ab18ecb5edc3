//! Clusters, values, abbreviations and the end of options.

use super::*;

/// The words as short notes: `-k=1` for an option with a value, the operand itself otherwise.
fn notes(line: &str) -> Result<Vec<String>, String> {
    let arguments: Vec<Vec<u8>> =
        line.split_whitespace().map(|word| word.as_bytes().to_vec()).collect();
    let mut words = RemainingWords::new(&arguments);
    let mut notes = Vec::new();
    loop {
        match words.next() {
            Ok(None) => return Ok(notes),
            Ok(Some(Word::Operand(operand))) => {
                notes.push(String::from_utf8(operand).expect("UTF-8"));
            }
            Ok(Some(Word::Option(given))) => {
                let value = given.value.map(|value| String::from_utf8(value).expect("UTF-8"));
                let value = value.map_or(String::new(), |value| format!("={value}"));
                notes.push(format!("{}{value}", given.spelled));
            }
            Err(complaint) => {
                return Err(String::from_utf8(complaint.text(b"sort")).expect("UTF-8"));
            }
        }
    }
}

#[test]
fn words_are_told_apart() {
    let cases = [
        ("", ""),
        ("f -r g", "f -r g"),
        ("-rnk2 -k 3,3 f", "-r -n -k=2 -k=3,3 f"),
        ("-k -r", "-k=-r"),
        ("- -r", "- -r"),
        ("-r -- -n -- --x", "-r -n -- --x"),
        (
            "--rev --key=2 --key 3 --che --check=quiet",
            "--reverse --key=2 --key=3 --check --check=quiet",
        ),
        ("--z --u --di", "--zero-terminated --unique --dictionary-order"),
        ("--check x", "--check x"),
        ("-t: -S5 -y3", "-t=: -S=5 -y=3"),
        ("--key=", "--key="),
    ];
    for (line, expected) in cases {
        assert_eq!(notes(line).expect(line).join(" "), expected, "{line}");
    }
}

#[test]
fn bad_words_are_named() {
    let cases = [
        ("-x", "invalid option -- 'x'"),
        ("-r9", "invalid option -- '9'"),
        ("-k", "option requires an argument -- 'k'"),
        ("--key", "option '--key' requires an argument"),
        ("--reverse=1", "option '--reverse' doesn't allow an argument"),
        ("--re=1", "option '--reverse' doesn't allow an argument"),
        ("--nothing=1", "unrecognized option '--nothing=1'"),
        ("--s", "option '--s' is ambiguous; possibilities: '--sort' '--stable'"),
        ("--v=1", "option '--v=1' is ambiguous; possibilities: '--version-sort' '--version'"),
    ];
    for (line, expected) in cases {
        let said = notes(line).expect_err(line);
        let expected = format!("sort: {expected}\nTry 'sort --help' for more information.\n");
        assert_eq!(said, expected, "{line}");
    }
}

#[test]
fn every_letter_of_a_long_option_is_an_option() {
    for option in LONG {
        if let Name::Letter(letter) = option.name {
            assert_eq!(of_letter(letter), Some((option.name, option.takes)), "{}", option.text);
        }
    }
}
