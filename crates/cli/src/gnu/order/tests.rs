//! How options become orders of text and settings.

mod beside;

use sortwell::unstable::key::KeyEncoder;
use sortwell::unstable::key::text::{Separator, TextKey};

use super::super::parse::{GnuRequest, parse};
use super::*;

fn environment(locale: Locale) -> Environment {
    Environment {
        is_posixly_correct: false,
        has_old_keys: true,
        locale: Arc::new(locale),
        is_locale_missing: false,
    }
}

fn settled_in(line: &str, locale: Locale) -> Result<(TextOrder, Settings), String> {
    let environment = environment(locale);
    let arguments: Vec<Vec<u8>> =
        line.split_whitespace().map(|word| word.as_bytes().to_vec()).collect();
    let said = |complaint: Complaint| String::from_utf8(complaint.text(b"sort")).expect("UTF-8");
    match parse(&arguments, &environment).map_err(said)? {
        GnuRequest::Sort(options) => {
            let (order, settings) = settle(&options, &environment).map_err(said)?;
            Ok((order.bound().map_err(|error| error.to_string())?, settings))
        }
        other => panic!("{line}: {other:?}"),
    }
}

#[track_caller]
fn order_of(line: &str) -> TextOrder {
    settled_in(line, Locale::c()).expect(line).0
}

#[track_caller]
fn settings_of(line: &str) -> Settings {
    settled_in(line, Locale::c()).expect(line).1
}

/// A spec in short: type, direction, translation, blanks at the start.
fn note(spec: &TextSpec) -> String {
    // It shows the name of the type's row, such as `..::NumericType`.
    let text_type = format!("{:?}", spec.text_type);
    let name = text_type.split("Type,").next().and_then(|row| row.rsplit("::").next());
    let mut note = name.expect("a row").to_owned();
    let translation = spec.translation;
    for (is_there, word) in [
        (spec.is_descending, " descending"),
        (translation.folds_case, " folds"),
        (translation.only_dictionary, " dictionary"),
        (translation.only_printing, " printing"),
        (spec.start.skips_blanks, " skips"),
    ] {
        note.push_str(if is_there { word } else { "" });
    }
    note
}

#[test]
fn whole_lines_need_no_key() {
    for (line, is_descending) in [("", false), ("-r", true), ("-s", false), ("-ru", true)] {
        let order = order_of(line);
        assert!(order.specs.is_empty(), "{line}");
        assert_eq!(
            order.options.then_whole.map(|last| last.is_descending),
            Some(is_descending),
            "{line}"
        );
    }
    assert_eq!(order_of("").body.terminator(), b'\n');
    assert_eq!(order_of("-z").body.terminator(), 0);
    assert_eq!(order_of("").separator, Separator::Blanks);
    assert_eq!(order_of("-t,").separator, Separator::Byte(b','));
}

#[test]
fn options_of_the_line_are_those_of_keys_without_any() {
    let cases = [
        ("-n", "Numeric"),
        ("-b", "Bytes skips"),
        ("-nr", "Numeric descending"),
        ("-k2", "Bytes"),
        ("-n -k2", "Numeric"),
        ("-k2 -nr", "Numeric descending"),
        ("-nr -k2,2M -k3", "Month, Numeric descending"),
        ("-n -k2r", "Bytes descending"),
        ("-n -k2,2b", "Bytes"),
        ("-n -k2b", "Bytes skips"),
        ("-bdf -k1,1", "Bytes folds dictionary skips"),
    ];
    for (line, expected) in cases {
        let notes: Vec<String> = order_of(line).specs.iter().map(note).collect();
        assert_eq!(notes.join(", "), expected, "{line}");
    }
}

#[test]
fn every_letter_has_a_type_or_a_translation() {
    let cases = [
        ("-g", "General"),
        ("-h", "Human"),
        ("-M", "Month"),
        ("-n", "Numeric"),
        ("-V", "Version"),
        ("-R", "Random"),
        ("-RV", "Random"),
        ("-d", "Bytes dictionary"),
        ("-i", "Bytes printing"),
        ("-di", "Bytes dictionary"),
        ("-id", "Bytes dictionary"),
        ("-f", "Bytes folds"),
        ("-nf", "Numeric"),
        ("-hf", "Human folds"),
        ("-Vdf", "Version folds dictionary"),
        ("-Ri", "Random printing"),
    ];
    for (line, expected) in cases {
        assert_eq!(note(&order_of(line).specs[0]), expected, "{line}");
    }
}

#[test]
fn keys_say_where_they_lie() {
    let at = |field, byte, skips_blanks| Position { field, byte, skips_blanks };
    let cases = [
        ("-k1", at(0, 0, false), End::Record),
        ("-k2.3", at(1, 2, false), End::Record),
        ("-k1,1", at(0, 0, false), End::Field(0)),
        ("-k1,2.3", at(0, 0, false), End::At(at(1, 3, false))),
        ("-k1b,2.3", at(0, 0, true), End::At(at(1, 3, false))),
        ("-k1,2.3b", at(0, 0, false), End::At(at(1, 3, true))),
        ("-b -k1,2.3", at(0, 0, true), End::At(at(1, 3, true))),
        ("-b -k1,2.3n", at(0, 0, false), End::At(at(1, 3, false))),
        ("+1 -2", at(1, 0, false), End::Field(1)),
        ("+1 -2.1", at(1, 0, false), End::At(at(2, 1, false))),
    ];
    for (line, start, end) in cases {
        let spec = &order_of(line).specs[0];
        assert_eq!((spec.start, spec.end), (start, end), "{line}");
    }
}

#[test]
fn the_last_resort_goes_with_stability_and_uniqueness() {
    let last = |line: &str| order_of(line).options.then_whole.map(|last| last.is_descending);
    assert_eq!(last("-k1"), Some(false));
    assert_eq!(last("-k1 -r"), Some(true));
    assert_eq!(last("-k1r"), Some(false));
    assert_eq!(last("-k1n -r"), Some(true));
    assert_eq!(last("-s -k1"), None);
    assert_eq!(last("-u -n"), None);
}

#[test]
fn kinds_of_comparison_exclude_each_other() {
    let cases = [
        ("-nM", "Mn"),
        ("-nd", "dn"),
        ("-in", "in"),
        ("-gR", "gR"),
        ("-hV", "hV"),
        ("-Mi", "iM"),
        ("-k1,1nd", "dn"),
        ("-k2 -nM", "Mn"),
        ("-k1bgrhf", "fgh"),
        ("-k1,1M -k2gi", "gi"),
        ("-dighMnRV", "dghMnRV"),
    ];
    for (line, letters) in cases {
        let expected = format!("sort: options '-{letters}' are incompatible\n");
        assert_eq!(settled_in(line, Locale::c()).expect_err(line), expected, "{line}");
    }
    for line in ["-k2n -gM", "-diR", "-dV", "-RV", "-nf", "-bdfir", "-Mf"] {
        order_of(line);
    }
}

#[test]
fn checking_excludes_files_and_an_output() {
    let cases = [
        ("-c a b c", "extra operand 'b' not allowed with -c"),
        ("-C a b", "extra operand 'b' not allowed with -C"),
        ("-c -o x a", "options '-co' are incompatible"),
        ("-C -o x", "options '-Co' are incompatible"),
        ("-co x f g", "extra operand 'g' not allowed with -c"),
        ("--debug -c", "options '-c --debug' are incompatible"),
        ("--debug -C", "options '-C --debug' are incompatible"),
        ("--debug -o x", "options '-o --debug' are incompatible"),
        ("--debug -c -o x f g", "options '-c --debug' are incompatible"),
        ("-nM -c f g", "options '-Mn' are incompatible"),
    ];
    for (line, expected) in cases {
        let said = settled_in(line, Locale::c()).expect_err(line);
        assert_eq!(said, format!("sort: {expected}\n"), "{line}");
    }
}

#[test]
fn settings_are_what_was_said() {
    let plain = settings_of("");
    assert_eq!(plain.action, Action::Sort);
    assert_eq!(plain.inputs, ["-"]);
    assert_eq!((plain.output, plain.memory), (None, Budget::Auto));
    assert_eq!(plain.temporary, [space::temporary_directory()]);
    let all = settings_of("-m -u --debug -S 1M -T a --parallel=2 --batch-size=3 f - g");
    assert_eq!(all.action, Action::Merge);
    assert_eq!(all.inputs, ["f", "-", "g"]);
    assert!(all.is_unique && all.is_debugged);
    assert_eq!(all.memory, Budget::Bytes(ByteSize::mib(1)));
    assert_eq!(all.temporary, [PathBuf::from("a")]);
    assert_eq!((all.threads, all.merge_width), (Some(2), Some(3)));
    assert_eq!(settings_of("-S 50%").memory, Budget::Percent(50.0));
    assert_eq!(settings_of("-c f").action, Action::Check(GnuCheck::Diagnose));
    assert_eq!(settings_of("-mC f").action, Action::Check(GnuCheck::Quiet));
}

#[test]
fn a_shuffle_takes_its_seed_from_the_source() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("chance");
    let line = format!("-R --random-source={}", path.display());
    let missing = settled_in(&line, Locale::c()).expect_err("no file");
    assert!(missing.starts_with("sort: open failed: "), "{missing}");
    std::fs::write(&path, [7; 15]).expect("write");
    let short = settled_in(&line, Locale::c()).expect_err("too short");
    assert_eq!(short, format!("sort: '{}': end of file\n", path.display()));
    std::fs::write(&path, [7; 20]).expect("write");
    assert_eq!(order_of(&line).options.seed, [7; 16]);
    assert_ne!(order_of("-k1R").options.seed, order_of("-k1R").options.seed);
    assert_eq!(order_of("--random-source=missing").options.seed, [0; 16]);
}

#[test]
fn the_locale_orders_text_and_writes_numbers() {
    let Some(locale) = Locale::named("de_DE.UTF-8") else {
        println!("LEFT OUT: this machine has no locale de_DE.UTF-8");
        return;
    };
    let (order, _) = settled_in("-k1,1 -k2,2n -k3R -k4V", locale).expect("good");
    let has: Vec<bool> = order.specs.iter().map(|spec| spec.collation.is_some()).collect();
    assert_eq!(has, [true, false, true, false]);
    let last = order.options.then_whole.expect("a last resort").collation.expect("a collation");
    assert_eq!(last.describe(), "de_DE.UTF-8");
    let key = |text: &[u8]| {
        let mut key = Vec::new();
        last.append_key(text, usize::MAX, &mut key);
        key
    };
    assert!(key(b"b") < key(b"C") && key("\u{e4}".as_bytes()) < key(b"b"));
    assert_eq!(order.options.numbers, NumberFormat { radix: b',', thousands: Some(b'.') });
    assert_eq!(order.options.months.beginning(b"mai"), Some((4, 3)));
}

#[test]
fn bytes_order_text_in_c_and_its_utf8() {
    assert!(order_of("-k1").specs[0].collation.is_none());
    let Some(locale) = Locale::named("C.UTF-8") else {
        println!("LEFT OUT: this machine has no locale C.UTF-8");
        return;
    };
    let (order, _) = settled_in("-k1", locale).expect("good");
    assert!(order.specs[0].collation.is_none());
    assert!(order.options.then_whole.expect("a last resort").collation.is_none());
}

#[test]
fn bytes_are_letters_where_the_locale_says_so() {
    let name = "de_DE.ISO-8859-1";
    if Locale::named(name).is_none() {
        println!("LEFT OUT: this machine has no locale {name}");
        return;
    }
    // The second of each pair is the first in the eyes of the options, but not in those of C.
    let pairs: [(&str, &[u8], &[u8]); 6] = [
        ("-f", b"\xe4b", b"\xc4B"),
        ("-d", b"a\xfc", b"\xa7a\xfc"),
        ("-d", b"a\xfc", b"\xbfa\xfc"),
        ("-i", b"a\xa0b", b"a\x85\xa0b"),
        ("-M", b"m\xe4r", b" M\xc4R"),
        ("-k2,2fd", b"x \xd6", b"y \xf6-"),
    ];
    for (line, a, b) in pairs {
        let (order, _) = settled_in(&format!("-s {line}"), Locale::named(name).unwrap()).unwrap();
        let key = TextKey::new(&order).unwrap();
        let said = format!("{line} {} {}", a.escape_ascii(), b.escape_ascii());
        assert!(key.compare_from(a, b, 0).is_eq(), "{said}");
    }
    // What is left out is what is no letter, and what has a picture stays.
    for (line, a, b) in [("-d", &b"\xe4"[..], &b"\xa7"[..]), ("-i", b"\xa7", b"")] {
        let (order, _) = settled_in(&format!("-s {line}"), Locale::named(name).unwrap()).unwrap();
        assert!(TextKey::new(&order).unwrap().compare_from(a, b, 0).is_gt(), "{line}");
    }
}
