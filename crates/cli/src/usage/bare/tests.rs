//! Bare options before files.

use clap::Parser;

use super::*;

fn completed_line(line: &str) -> String {
    let words = completed(line.split(' ').map(OsString::from));
    words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_file_after_a_bare_option_is_an_input() {
    // A test runs in the folder of its package.
    for (line, read) in [
        ("sortwell sort --stats Cargo.toml", "sortwell sort --stats=text Cargo.toml"),
        ("sortwell merge --progress Cargo.toml", "sortwell merge --progress=auto Cargo.toml"),
        ("sortwell sort --stats json Cargo.toml", "sortwell sort --stats json Cargo.toml"),
        ("sortwell sort --stats -", "sortwell sort --stats=text -"),
        ("sortwell sort Cargo.toml --stats", "sortwell sort Cargo.toml --stats"),
        ("sortwell sort --stats --progress", "sortwell sort --stats --progress"),
        ("sortwell sort -- --stats Cargo.toml", "sortwell sort -- --stats Cargo.toml"),
        ("sortwell sort --stats xml", "sortwell sort --stats xml"),
        (
            "sortwell index append x --progress Cargo.toml",
            "sortwell index append x --progress=auto Cargo.toml",
        ),
        ("sortwell cluster sort --stats Cargo.toml", "sortwell cluster sort --stats Cargo.toml"),
        ("sortwell", "sortwell"),
    ] {
        assert_eq!(completed_line(line), read);
    }
}

#[test]
fn a_value_of_an_option_is_no_file() {
    for (line, values) in [
        ("sortwell sort --stats", ["text", "json"]),
        ("sortwell index build --stats", ["text", "json"]),
        ("sortwell index append --progress", ["auto", "json"]),
        ("sortwell index verify --progress", ["auto", "json"]),
        ("sortwell stripe copy --progress", ["auto", "json"]),
        ("sortwell bench datamation --progress", ["auto", "json"]),
        ("sortwell calibrate memory --progress", ["auto", "json"]),
    ] {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let (_, option) = line.rsplit_once(' ').expect("an option");
        let is_bare = |next: &str| is_bare_before(OsStr::new(next), option, &words);
        assert!(!values.iter().any(|value| is_bare(value)), "{line}");
        assert!(is_bare("file"), "{line}");
    }
}

#[test]
fn what_a_bare_option_means_is_what_the_definition_says() {
    for (option, value) in BARE {
        let whole = CommandLine::command();
        let sort = whole.find_subcommand("sort").expect("sort");
        let mut arguments = sort.get_arguments();
        let argument = arguments.find(|a| a.get_long() == option.strip_prefix("--"));
        let values = argument.expect(option).get_possible_values();
        assert!(values.iter().any(|known| known.get_name() == value), "{option}");
        let bare = CommandLine::try_parse_from(["sortwell", "sort", option]).expect(option);
        let written = format!("{option}={value}");
        let full = CommandLine::try_parse_from(["sortwell", "sort", &written]).expect(option);
        assert_eq!(format!("{bare:?}"), format!("{full:?}"));
    }
}
