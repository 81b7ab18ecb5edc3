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
        ("sortwell", "sortwell"),
    ] {
        assert_eq!(completed_line(line), read);
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
