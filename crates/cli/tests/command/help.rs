//! Help, version, completions, manual pages, and the reference in the tree.

use std::fs;
use std::path::Path;

use crate::harness::Folder;

fn printed(line: &str) -> String {
    String::from_utf8(Folder::new().run(line).quietly()).expect("UTF-8")
}

#[test]
fn help_names_every_subcommand_and_exit_status() {
    let help = printed("--help");
    for word in ["sort ", "generate ", "validate ", "completions ", "man ", "Exit status", "130 "] {
        assert!(help.contains(word), "{word} is missing:\n{help}");
    }
    assert!(!help.contains("reference"), "hidden:\n{help}");
}

#[test]
fn help_of_sort_has_every_option_and_examples() {
    let help = printed("sort --help");
    let options = "--output --format --key --reverse --include --exclude --memory --threads --temp \
                   --verify --sync --io --direct --progress --stats Examples: fixed:100";
    for word in options.split_whitespace() {
        assert!(help.contains(word), "{word} is missing:\n{help}");
    }
    let too_wide: Vec<&str> = help.lines().filter(|line| line.chars().count() > 100).collect();
    assert!(too_wide.is_empty(), "{too_wide:?}");
}

#[test]
fn short_help_fits_on_a_page() {
    for name in ["sort", "merge", "check", "explain", "generate", "validate", "spill", "bench"] {
        let help = printed(&format!("{name} -h"));
        let lines = help.lines().count();
        assert!(lines <= 60, "{name} -h has {lines} lines");
        let too_wide: Vec<&str> = help.lines().filter(|line| line.chars().count() > 100).collect();
        assert!(too_wide.is_empty(), "{too_wide:?}");
    }
}

#[test]
fn help_begins_with_what_is_used_most_and_ends_with_expert_settings() {
    let help = printed("sort --help");
    let first = help.lines().next().unwrap_or_default();
    assert!(first.contains("CSV"), "{first}");
    assert!(printed("--help").lines().next().unwrap_or_default().contains("CSV"));
    let order = [
        "\nOptions:",
        "--key <KEY>",
        "--format <FORMAT>",
        "--output <OUTPUT>",
        "\nSelection:",
        "\nInputs and output:",
        "\nResources:",
        "\nSafety:",
        "\nProgress and statistics:",
        "\nExpert settings:",
        "--queue-depth <N>",
        "\nExamples:",
    ];
    let places: Vec<usize> = order
        .iter()
        .map(|words| help.find(words).unwrap_or_else(|| panic!("{words} is missing:\n{help}")))
        .collect();
    assert!(places.is_sorted(), "{:?}", order.iter().zip(&places).collect::<Vec<_>>());
    let short = printed("sort -h");
    assert!(short.find("--key") < short.find("--limit"), "{short}");
    assert!(!short.contains("--queue-depth"), "expert settings are for --help:\n{short}");
}

#[test]
fn keys_are_explained_by_a_text_of_their_own() {
    let help = printed("help keys");
    for word in ["LOCATION", "TYPE", "MODIFIER", "2:decimal:desc", "packed", "locale=", "-k2,2nr"] {
        assert!(help.contains(word), "{word} is missing:\n{help}");
    }
    assert!(!help.contains("Usage:"), "it is a text and no command:\n{help}");
    for line in ["keys", "keys -h", "keys --help"] {
        assert_eq!(printed(line), help, "{line}");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference.md");
    let page = fs::read_to_string(path).expect("docs/reference.md");
    assert!(page.contains("## sortwell keys"), "the reference has it too");
    assert!(printed("sort --help").contains("help keys"), "and the option points to it");
}

#[test]
fn version_is_the_package_s() {
    assert_eq!(printed("--version"), concat!("sortwell ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn without_a_subcommand_the_help_is_an_answer_but_no_success() {
    let said = Folder::new().run("");
    assert_eq!(said.status, 2);
    assert!(said.words.contains("Usage: sortwell <COMMAND>"), "{}", said.words);
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = printed(&format!("completions {shell}"));
        for word in ["sortwell", "generate", "verify"] {
            assert!(script.contains(word), "{shell}: {word} is missing");
        }
        assert!(!script.contains("reference"), "{shell}: a hidden subcommand");
    }
}

#[test]
fn manual_pages_exist_for_every_subcommand() {
    for name in ["", "sort", "generate", "validate", "completions", "man"] {
        let page = printed(&format!("man {name}"));
        assert!(page.contains(".SH NAME") && page.contains(".SH OPTIONS"), "{name}:\n{page}");
    }
    Folder::new().run("man clusters").fails(2, &["'clusters' is not a subcommand"]);

    let folder = Folder::new();
    assert_eq!(folder.run("man --to share/man1").quietly(), b"");
    for (file, words) in [
        ("sortwell.1", ""),
        ("sortwell-sort.1", "sort"),
        ("sortwell-spill.1", "spill"),
        ("sortwell-spill-clean.1", ""),
    ] {
        let page = fs::read_to_string(folder.path().join("share/man1").join(file)).expect(file);
        assert!(page.contains(".SH NAME"), "{file}:\n{page}");
        if !words.is_empty() {
            let title = format!(".TH sortwell-{words} 1 ");
            let line = page.lines().find(|line| line.starts_with(&title)).expect(file);
            let source = concat!("\"sortwell ", env!("CARGO_PKG_VERSION"), "\"");
            assert!(line.contains(source), "{file}: {line}");
        }
    }
    folder.run("man --to share/man1/sortwell.1").fails(4, &["share/man1/sortwell.1"]);
}

#[test]
fn reference_in_the_tree_is_what_the_command_prints() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference.md");
    let page = fs::read_to_string(path).expect("docs/reference.md; 'make docs' writes it");
    let printed = printed("reference");
    let differ = page.lines().zip(printed.lines()).find(|(old, new)| old != new);
    assert!(page == printed, "docs/reference.md is stale; run 'make docs'. First: {differ:?}");
}
