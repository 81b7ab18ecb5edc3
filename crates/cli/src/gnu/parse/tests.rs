//! What each option sets, alone and several times.

use super::super::key::KeyEnd;
use super::*;

fn environment() -> Environment {
    Environment {
        is_posixly_correct: false,
        has_old_keys: true,
        locale: Arc::new(Locale::c()),
        is_locale_missing: false,
    }
}

fn request(line: &str, environment: &Environment) -> Result<GnuRequest, String> {
    let arguments: Vec<Vec<u8>> =
        line.split_whitespace().map(|word| word.as_bytes().to_vec()).collect();
    let said = |complaint: Complaint| String::from_utf8(complaint.text(b"sort")).expect("UTF-8");
    parse(&arguments, environment).map_err(said)
}

#[track_caller]
fn options_in(line: &str, environment: &Environment) -> Options {
    match request(line, environment) {
        Ok(GnuRequest::Sort(options)) => *options,
        other => panic!("{line}: {other:?}"),
    }
}

#[track_caller]
fn options(line: &str) -> Options {
    options_in(line, &environment())
}

fn complaint(line: &str) -> String {
    request(line, &environment()).expect_err(line)
}

#[test]
fn nothing_said_is_nothing_set() {
    assert_eq!(options(""), Options::default());
    assert_eq!(options("--"), Options::default());
}

#[test]
fn ordering_options_have_letters_and_names() {
    let cases = [
        ("-bdfgiMhnRrV", "bdfghMnRrV"),
        ("-i", "i"),
        ("--ignore-leading-blanks --dictionary-order --ignore-case", "bdf"),
        ("--general-numeric-sort --ignore-nonprinting --month-sort", "giM"),
        ("--human-numeric-sort --numeric-sort --random-sort --reverse", "hnRr"),
        ("--version-sort", "V"),
        ("--sort=general-numeric", "g"),
        ("--sort human-numeric", "h"),
        ("--sort=mon", "M"),
        ("--sort=n --sort=v", "nV"),
        ("--sort=random", "R"),
    ];
    for (line, letters) in cases {
        assert_eq!(options(line).ordering.letters(), letters, "{line}");
    }
    let both = options("-b").ordering;
    assert!(both.skips_start_blanks && both.skips_end_blanks);
}

#[test]
fn flags_have_letters_and_names() {
    let few = options("-c -m -s -u -z");
    let names = options("--check --merge --stable --unique --zero-terminated");
    assert_eq!(few, names);
    assert_eq!(few.check, Some(GnuCheck::Diagnose));
    assert!(few.merges && few.is_stable && few.is_unique && few.ends_with_nul);
    assert!(options("--debug").is_debugged);
    for line in ["-C", "--check=quiet", "--check=silent", "--check=q", "-C --check=s"] {
        assert_eq!(options(line).check, Some(GnuCheck::Quiet), "{line}");
    }
    assert_eq!(options("--check=diagnose-first -c").check, Some(GnuCheck::Diagnose));
}

#[test]
fn values_are_kept() {
    let all = options(
        "-o out -t: -S 2M -T one --parallel=3 --batch-size=16 --compress-program=gzip \
         --random-source=r --files0-from=list -T two -y 5 f -y g",
    );
    assert_eq!(all.output, Some("out".into()));
    assert_eq!(all.separator, Some(b':'));
    assert_eq!(all.memory, Some(MemorySize::Bytes(2 << 20)));
    assert_eq!(all.temporary, ["one", "two"]);
    assert_eq!((all.threads, all.merge_width), (Some(3), Some(16)));
    assert_eq!(all.compressor, Some("gzip".into()));
    assert_eq!(all.random_source, Some("r".into()));
    assert_eq!(all.files_from, Some("list".into()));
    assert_eq!(all.files, ["f", "g"]);
    assert_eq!(options("-t \\0").separator, Some(0));
    assert_eq!(options("-S 5%").memory, Some(MemorySize::Percent(5)));
    assert_eq!(options("-S 3 -S 1").memory, Some(MemorySize::Bytes(3072)));
    assert_eq!(options("--parallel=99999999999999999999").threads, Some(limits::WORKERS_MAX));
}

#[test]
fn keys_are_kept_in_order_in_both_forms() {
    let keys = options("-k2,2n +0r -1 --key=3 f +4").keys;
    let notes: Vec<_> = keys.iter().map(|key| (key.field, key.end, key.is_old)).collect();
    let expected = [
        (1, KeyEnd::Field(1), false),
        (0, KeyEnd::Field(0), true),
        (2, KeyEnd::Line, false),
        (4, KeyEnd::Line, true),
    ];
    assert_eq!(notes, expected);
    assert_eq!(keys[1].ordering.letters(), "r");
}

#[test]
fn old_keys_are_files_where_the_environment_says_so() {
    let new = Environment { has_old_keys: false, ..environment() };
    assert_eq!(options_in("+1 f", &new).files, ["+1", "f"]);
    assert_eq!(options_in("+1 -2 f", &new).keys.len(), 1);
    assert_eq!(options_in("+1 -2 f +1 -k1", &new).keys.len(), 3);
    assert_eq!(options_in("-k1 +1 +1 -2 +1", &new).files, ["+1"]);
    assert_eq!(options_in("+x f", &environment()).files, ["+x", "f"]);
    assert_eq!(options("-- +1").files, ["+1"]);
    let strict = Environment { is_posixly_correct: true, ..new };
    assert_eq!(options_in("+1 -2", &strict).files, ["+1", "-2"]);
}

#[test]
fn options_end_at_the_first_operand_where_posix_says_so() {
    let strict = Environment { is_posixly_correct: true, ..environment() };
    assert_eq!(options_in("-r f -n", &strict).files, ["f", "-n"]);
    assert_eq!(options_in("f -o x", &strict).output, Some("x".into()));
    assert_eq!(options_in("f -ox g", &strict).files, ["f", "g"]);
    assert_eq!(options_in("-c f -ox", &strict).files, ["f", "-ox"]);
    assert_eq!(options_in("f -r g", &environment()).files, ["f", "g"]);
}

#[test]
fn versions_of_posix_decide_about_old_keys() {
    let cases = [
        (None, true),
        (Some("199209"), true),
        (Some("200112"), false),
        (Some("200808"), false),
        (Some("200809"), true),
        (Some(""), true),
        (Some("200112x"), true),
        (Some(" 200112"), false),
        (Some("99999999999999999999"), true),
        (Some("-1"), true),
    ];
    for (version, expected) in cases {
        assert_eq!(has_old_keys(version.map(OsStr::new)), expected, "{version:?}");
    }
}

#[test]
fn help_and_version_come_before_later_faults() {
    assert_eq!(request("--help -k0", &environment()), Ok(GnuRequest::Help));
    assert_eq!(request("-r --version --help", &environment()), Ok(GnuRequest::Version));
    assert!(complaint("-k0 --help").contains("field number is zero"));
}

#[test]
fn repetitions_that_differ_are_refused() {
    for (line, expected) in [
        ("-o a -o b", "multiple output files specified"),
        ("--random-source=a --random-source=b", "multiple random sources specified"),
        ("--compress-program=a --compress-program=b", "multiple compress programs specified"),
        ("-ta -tb", "incompatible tabs"),
        ("-cC", "options '-cC' are incompatible"),
    ] {
        assert_eq!(complaint(line), format!("sort: {expected}\n"), "{line}");
    }
    options("-o a -o a -ta -ta --random-source=a --random-source=a -c -c");
}

#[test]
fn unknown_words_list_the_known_ones() {
    let expected = "sort: ambiguous argument '' for '--check'\nValid arguments are:\n\
                    \x20 - 'quiet', 'silent'\n  - 'diagnose-first'\n\
                    Try 'sort --help' for more information.\n";
    assert_eq!(complaint("--check="), expected);
    assert_eq!(parse(&[b"--sort=x".to_vec()], &environment()).expect_err("x").status(), 1);
}
