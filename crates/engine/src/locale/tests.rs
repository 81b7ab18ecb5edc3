//! Keys order as the C library compares, in every locale this machine has.

use super::*;

/// Locales to try; those that are not installed are said and skipped. In the last two, some letters
/// together are one.
const NAMES: [&str; 7] = [
    "C",
    "C.UTF-8",
    "en_US.UTF-8",
    "de_DE.UTF-8",
    "de_DE.ISO-8859-1",
    "cs_CZ.UTF-8",
    "hu_HU.UTF-8",
];

fn installed() -> impl Iterator<Item = (&'static str, Locale)> {
    NAMES.into_iter().filter_map(|name| {
        let locale = Locale::named(name);
        if locale.is_none() {
            println!("LEFT OUT: this machine has no locale {name}");
        }
        Some((name, locale?))
    })
}

fn installed_one(name: &str) -> Option<Locale> {
    let locale = Locale::named(name);
    if locale.is_none() {
        println!("LEFT OUT: this machine has no locale {name}");
    }
    locale
}

fn key(locale: &Locale, text: &[u8]) -> Vec<u8> {
    let mut key = Vec::new();
    locale.append_key(text, usize::MAX, &mut key);
    key
}

#[test]
fn unknown_locales_are_none() {
    for name in ["no_SUCH.locale", "en\0US", "../C"] {
        assert!(Locale::named(name).is_none(), "{name:?}");
    }
}

/// Seeded texts of up to six pieces from an alphabet.
fn texts(alphabet: &[&[u8]], count: usize) -> Vec<Vec<u8>> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    println!("seed {state:#x}");
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    };
    let mut text = || (0..next(7)).flat_map(|_| alphabet[next(alphabet.len())].to_vec()).collect();
    (0..count).map(|_| text()).collect()
}

/// Compares every pair of random texts both ways.
fn compare_all(alphabet: &[&[u8]]) {
    compare_pairs(&texts(alphabet, 300));
}

fn compare_pairs(texts: &[Vec<u8>]) {
    for (name, locale) in installed() {
        let keys: Vec<Vec<u8>> = texts.iter().map(|text| key(&locale, text)).collect();
        for (a, key_a) in texts.iter().zip(&keys) {
            for (b, key_b) in texts.iter().zip(&keys) {
                assert_eq!(key_a.cmp(key_b), locale.compare(a, b), "{name}: {a:?} and {b:?}");
            }
        }
    }
}

#[test]
fn keys_of_letters_and_blanks_are_in_the_order_of_the_comparison() {
    let letters: [&[u8]; 11] =
        [b"a", b"A", b"b", b"B", b" ", b"-", b".", b"\t", b"z", b"\0", b"\x01"];
    compare_all(&letters);
}

#[test]
fn keys_of_digits_and_signs_are_in_the_order_of_the_comparison() {
    let numbers: [&[u8]; 9] = [b"0", b"1", b"2", b"$", b"+", b"-", b".", b" ", b"\0"];
    compare_all(&numbers);
}

#[test]
fn keys_of_all_together_are_too() {
    let all: [&[u8]; 18] = [
        b"a",
        b"B",
        b"c",
        b"h",
        b" ",
        b"-",
        b"1",
        b"2",
        b"$",
        b"\xff",
        b"\xe4",
        b"l",
        "·".as_bytes(),
        "²".as_bytes(),
        "é".as_bytes(),
        "ß".as_bytes(),
        "Æ".as_bytes(),
        "漢".as_bytes(),
    ];
    compare_all(&all);
}

#[test]
fn keys_of_digits_behind_characters_without_accents_are_too() {
    compare_all(&[b"1", b" ", b"(", b"$", "漢".as_bytes(), "²".as_bytes()]);
    compare_all(&[b"1", b" ", b"a", "漢".as_bytes()]);
}

#[test]
fn keys_of_any_characters_and_any_bytes_are_too() {
    let mut alphabet: Vec<Vec<u8>> = (1..=0xff_u8).step_by(7).map(|byte| vec![byte]).collect();
    // Alphabets of Europe and Asia, marks that join letters, ranges, and planes beyond the first.
    let blocks = [0x20, 0xc0, 0x300, 0x390, 0x430, 0x5d0, 0x915, 0xe40, 0xf71, 0x1100, 0x2010];
    for first in blocks.into_iter().chain([0x3041, 0x4e00, 0x9fa0, 0xac00, 0x1f600, 0x20000]) {
        let characters = (0..40).step_by(3).filter_map(|offset| char::from_u32(first + offset));
        alphabet.extend(characters.map(|character| character.to_string().into_bytes()));
    }
    let alphabet: Vec<&[u8]> = alphabet.iter().map(Vec::as_slice).collect();
    compare_all(&alphabet);
}

#[test]
fn keys_are_made_from_the_tables_of_the_library() {
    if cfg!(target_env = "gnu") {
        for (name, locale) in installed().filter(|(_, locale)| !locale.sorts_by_bytes()) {
            assert!(locale.levels().is_some(), "{name}");
        }
    }
}

#[test]
fn texts_that_neighbours_speak_for_agree_pair_by_pair() {
    compare_pairs(&levels::PROBES.map(<[u8]>::to_vec));
}

#[test]
fn parts_that_no_sort_looks_at_are_opened_where_they_may_be_missing() {
    let opens_all = |variables: &[(&str, &str)]| {
        let value = |name: &str| {
            let said = variables.iter().find(|(variable, _)| *variable == name);
            said.map(|(_, value)| (*value).into())
        };
        parts_in_force(value) == libc::LC_ALL_MASK
    };
    assert!(!opens_all(&[]) && !opens_all(&[("LANG", "en_US.UTF-8"), ("LC_COLLATE", "C")]));
    assert!(opens_all(&[("LANG", "en_US.UTF-8"), ("LC_PAPER", "no_such")]));
    assert!(!opens_all(&[("LC_ALL", "C.UTF-8"), ("LC_PAPER", "no_such")]));
    assert!(!opens_all(&[("LC_ALL", ""), ("LC_PAPER", "")]));
}

#[test]
fn beginnings_of_keys_begin_the_keys() {
    let alphabet: [&[u8]; 7] = [b"a", b"B", b"1", b" ", b"\0", "é".as_bytes(), b"\xff"];
    for (name, locale) in installed() {
        for text in texts(&alphabet, 100) {
            let whole = key(&locale, &text);
            for limit in 0..=whole.len() + 1 {
                let mut beginning = Vec::new();
                locale.append_key(&text, limit, &mut beginning);
                let wanted = limit.min(whole.len());
                assert!(beginning.len() >= wanted, "{name}: {text:?} {limit}");
                assert_eq!(beginning[..wanted], whole[..wanted], "{name}: {text:?} {limit}");
            }
        }
    }
}

#[test]
fn long_texts_have_keys_too() {
    for (name, locale) in installed() {
        let mut previous = Vec::new();
        for length in [1, 100, PIECE_BYTES_ON_STACK - 1, PIECE_BYTES_ON_STACK, 1 << 20] {
            let next = key(&locale, &vec![b'q'; length]);
            assert!(previous < next, "{name}: {length}");
            previous = next;
        }
    }
}

#[test]
fn keys_are_appended() {
    for (_, locale) in installed() {
        let mut appended = b"before".to_vec();
        locale.append_key(b"x", usize::MAX, &mut appended);
        assert_eq!(appended, [b"before".as_slice(), &key(&locale, b"x")].concat());
    }
}

#[test]
fn c_is_bytes() {
    let c = Locale::c();
    assert!(c.sorts_by_bytes() && c.is_c(LocaleCategory::Collation) && !c.is_utf8());
    assert_eq!(key(&c, b"a\0\xffb\0"), b"a\0\x01\xffb\0\x01");
    assert_eq!((c.decimal_point(), c.thousands_separator()), (b'.', None));
    assert_eq!(c.month_abbreviations(), None);
    assert!(c.is_printable('~') && !c.is_printable('ü') && !c.is_printable('\n'));
}

#[test]
fn c_with_utf8_sorts_by_bytes_under_its_own_name() {
    let Some(locale) = installed_one("C.UTF-8") else { return };
    assert!(locale.sorts_by_bytes() && locale.is_utf8());
    assert!(!locale.is_c(LocaleCategory::Collation));
    assert_eq!(locale.name(LocaleCategory::Collation), "C.UTF-8");
    assert!(locale.compare(b"Z", b"a").is_lt());
}

#[test]
fn english_sorts_by_letters_first() {
    let Some(locale) = installed_one("en_US.UTF-8") else { return };
    assert!(!locale.sorts_by_bytes());
    assert!(locale.compare(b"a", b"B").is_lt() && locale.compare(b"Z", b"a").is_gt());
    assert_eq!((locale.decimal_point(), locale.thousands_separator()), (b'.', Some(b',')));
    let months = locale.month_abbreviations().expect("it has names of its own");
    assert_eq!((months[0].as_slice(), months[11].as_slice()), (&b"Jan"[..], &b"Dec"[..]));
    assert!(locale.is_printable('ü') && !locale.is_printable('\u{7f}'));
}

#[test]
fn german_writes_numbers_with_a_comma() {
    let Some(locale) = installed_one("de_DE.UTF-8") else { return };
    assert_eq!((locale.decimal_point(), locale.thousands_separator()), (b',', Some(b'.')));
    let months = locale.month_abbreviations().expect("it has names of its own");
    assert_eq!(months[4], b"Mai");
}

#[test]
fn bytes_of_utf8_locales_are_those_of_c() {
    for (name, locale) in installed().filter(|(_, locale)| locale.is_utf8()) {
        assert_eq!(locale.byte_classes(), ByteClasses::c(), "{name}");
    }
}

#[test]
fn bytes_of_latin_1_are_letters() {
    let Some(locale) = installed_one("de_DE.ISO-8859-1") else { return };
    let classes = locale.byte_classes();
    assert!(classes.is_alphanumeric[0xfc] && classes.is_printable[0xfc]);
    assert_eq!(classes.upper[0xfc], 0xdc);
}
