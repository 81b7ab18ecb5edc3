//! Orders that are known from the languages themselves, and keys against the collator's comparison.

use proptest::prelude::*;

use super::*;

fn order(name: &str) -> Unicode {
    Unicode::new(name).unwrap_or_else(|why| panic!("{why}"))
}

fn key(order: &Unicode, text: &[u8]) -> Vec<u8> {
    let mut key = Vec::new();
    order.append_key(text, usize::MAX, &mut key);
    key
}

/// `words` are given as `locale` orders them.
fn assert_sorted(locale: &str, words: &[&str]) {
    let order = order(locale);
    for pair in words.windows(2) {
        let [a, b] = [0, 1].map(|index| key(&order, pair[index].as_bytes()));
        assert!(a < b, "{locale}: {} before {}", pair[0], pair[1]);
    }
}

#[test]
fn languages_have_their_own_orders() {
    assert_sorted("de", &["Ade", "Af", "Ähre", "z", "Z"]);
    assert_sorted("de-u-co-phonebk", &["Ade", "Ähre", "Af", "z", "Z"]);
    assert_sorted("de", &["Goes", "Gofer", "Göthe"]);
    assert_sorted("de-u-co-phonebk", &["Goes", "Göthe", "Gofer"]);
    assert_sorted("sv", &["zebra", "åka", "ärlig", "öl"]);
    assert_sorted("en", &["åka", "ärlig", "öl", "zebra"]);
    assert_sorted("es", &["nube", "ñu", "oro"]);
    assert_sorted("es-u-co-trad", &["cz", "ch", "d"]);
    assert_sorted("es", &["ch", "cz", "d"]);
    assert_sorted("ja", &["あ", "い", "か", "が", "き", "ギ"]);
}

#[test]
fn accents_run_backwards_in_canadian_french() {
    assert_sorted("fr", &["cote", "coté", "côte", "côté"]);
    assert_sorted("fr-CA", &["cote", "côte", "coté", "côté"]);
}

#[test]
fn numbers_count_where_that_is_wished() {
    assert_sorted("en", &["a10", "a2", "a9"]);
    assert_sorted("en-u-kn", &["a2", "a9", "a10"]);
    assert_sorted("en-u-kf-upper", &["A", "a", "B"]);
}

#[test]
fn what_is_no_locale_is_said() {
    for name in ["", "xx", "de_DE.UTF-8", "german language", "de-u-co-foo", "C"] {
        let why = Unicode::new(name).map(|order| order.describe()).unwrap_err();
        assert!(why.len() > 20 && !why.ends_with('.'), "{name}: {why}");
    }
    for name in ["und", "de", "de-AT", "DE", "en-US-u-kn-true", "zh-Hant", "yi", "en-US-posix"] {
        assert!(Unicode::new(name).is_ok(), "{name}");
    }
}

/// Equal and unequal pairs under the settings of UTS 35.
#[test]
fn settings_of_the_order_are_honoured() {
    let compare = |name: &str, a: &str, b: &str| {
        let order = order(name);
        key(&order, a.as_bytes()).cmp(&key(&order, b.as_bytes()))
    };
    use std::cmp::Ordering::{Equal, Greater, Less};
    for (name, a, b, expected) in [
        ("und-u-ks-level1", "e", "É", Equal),
        ("und-u-ks-level1", "e", "f", Less),
        ("und-u-ks-level2", "e", "E", Equal),
        ("und-u-ks-level2", "E", "é", Less),
        ("und-u-ks-level3", "E", "e", Greater),
        ("und-u-ks-level1-kc", "e", "é", Equal),
        ("und-u-ks-level1-kc-true", "e", "E", Less),
        ("und-u-ks-level1-kc-false", "e", "E", Equal),
        ("ja", "あ", "ア", Equal),
        ("ja-u-ks-level4", "あ", "ア", Less),
        ("ja-u-ks-level4", "ア", "ｱ", Equal),
        ("ja-u-ks-identic", "ア", "ｱ", Less),
        ("und-u-ks-identic", "a\0", "a", Greater),
        ("und", "de luge", "de-luge", Less),
        ("und", "deluge", "de-luge", Greater),
        ("und-u-ka-shifted", "deluge", "de-luge", Equal),
        ("und-u-ka-shifted", "a$b", "ab", Less),
        ("und-u-ka-shifted-kv-currency", "a$b", "ab", Equal),
        ("und-u-ka-shifted-kv-space", "a-b", "ab", Less),
        ("und-u-ka-shifted-ks-level4", "de-luge", "deluge", Less),
        ("th-u-ka-noignore", "a-b", "ab", Less),
        ("th", "a-b", "ab", Equal),
        ("und-u-kf-upper", "A", "a", Less),
        ("und-u-kn", "a10", "a9", Greater),
    ] {
        assert_eq!(compare(name, a, b), expected, "{name}: {a:?} and {b:?}");
    }
    assert_sorted("en-US-posix", &["A", "B", "a", "b"]);
}

#[test]
fn what_would_have_no_effect_is_refused_by_name() {
    for (name, part) in [
        ("und-u-kb", "kb-true has no effect"),
        ("fr-CA-u-kb-false", "kb-false"),
        ("und-u-kr-latn", "kr-latn"),
        ("und-u-kk-true", "kk-true"),
        ("und-u-nu-latn", "nu-latn"),
        ("und-u-zz-abc", "zz-abc"),
        ("und-u-ks-level9", "there is no ks-level9; use ks-level1"),
        ("und-u-ks", "there is no ks-true"),
        ("und-u-ka-blanked", "ka-noignore, ka-shifted"),
        ("en-u-kn-yes", "kn-true, kn-false"),
        ("en-u-kf", "there is no kf-true"),
        ("en-u-ks-level1-ks-level2", "ks more than once"),
        ("de-u-co-foo", "'foo', which does not exist"),
        ("de-u-co-pinyin", "de has no order 'pinyin'"),
        ("zh-u-co-standard", "zh has no order"),
        ("de-u-foo", "'foo' has no effect"),
        ("de-phonebk", "'phonebk' has no effect"),
        ("de-x-foo", "x-foo"),
        ("de-t-en", "t-en"),
        ("de-a-foo", "a-foo"),
    ] {
        let why = Unicode::new(name).map(|order| order.describe()).unwrap_err();
        assert!(why.contains(part), "{name}: {why}");
    }
    for name in [
        "de-u-co-standard",
        "zh-u-co-pinyin",
        "zh-Hant-u-co-stroke",
        "de-AT-u-co-phonebk",
        "en-u-co-emoji",
        "und-u-co-eor",
        "en-u-kf-false-kn-false",
        "sr-Latn-RS-u-ks-identic",
    ] {
        assert!(Unicode::new(name).is_ok(), "{name}");
    }
}

#[test]
fn data_has_the_version_that_is_said() {
    let major: u32 = CLDR.split('.').next().and_then(|part| part.parse().ok()).expect("a version");
    assert!(major >= 49, "{CLDR}");
    assert_eq!(order("de-u-co-phonebk").describe(), format!("icu de-u-co-phonebk (CLDR {CLDR})"));
}

#[test]
fn bytes_that_are_no_utf8_count_as_the_replacement() {
    let order = order("de");
    assert_eq!(key(&order, b"a\xffb"), key(&order, "a\u{fffd}b".as_bytes()));
    assert_eq!(key(&order, b"a\xe2\x82b"), key(&order, "a\u{fffd}b".as_bytes()));
    assert!(key(&order, b"\xff") > key(&order, b"z"));
}

#[test]
fn different_texts_may_be_equal() {
    let order = order("ja");
    for (a, b) in [("", "\0"), ("あ", "ア"), ("é", "e\u{301}")] {
        assert_eq!(key(&order, a.as_bytes()), key(&order, b.as_bytes()), "{a} and {b}");
    }
    assert!(key(&order, b"") < key(&order, b" "));
}

/// Orders whose keys are held against the collator's comparison.
const KEYED: [&str; 12] = [
    "und",
    "de-u-co-phonebk",
    "fr-CA",
    "ja",
    "en-u-kn",
    "th",
    "zh",
    "und-u-ks-level1-kc",
    "und-u-ks-level2",
    "und-u-ka-shifted-ks-level4",
    "ja-u-ks-identic",
    "und-u-ka-shifted-kv-currency-kf-upper",
];

/// Returns all strings of up to `length` of these characters.
fn strings(characters: &[&str], length: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut longest = all.clone();
    for _ in 0..length {
        let longer = |text: &String| characters.iter().map(|c| format!("{text}{c}")).collect();
        longest = longest.iter().flat_map(|text| -> Vec<String> { longer(text) }).collect();
        all.extend_from_slice(&longest);
    }
    all
}

/// Marks after punctuation and after each other, with joiners and variation selectors. Where
/// punctuation is ignored or accents count backwards, the collator's comparison differs from its
/// keys.
#[test]
fn comparisons_agree_with_keys() {
    let characters = ["-", "\u{301}", "\u{200d}", "\u{e4e}", "a", "#", "\u{fe0f}", "\u{20e3}", "1"];
    let texts = strings(&characters, 2);
    let few = strings(&characters[..5], 3);
    for name in KEYED.iter().chain(&["en-u-ka-shifted", "th-u-ka-noignore", "und-u-co-emoji"]) {
        let order = order(name);
        for texts in [&texts, &few] {
            let keys: Vec<Vec<u8>> =
                texts.iter().map(|text| key(&order, text.as_bytes())).collect();
            for (a, key_a) in texts.iter().zip(&keys) {
                for (b, key_b) in texts.iter().zip(&keys) {
                    let found = order.compare(a.as_bytes(), b.as_bytes());
                    let expected = found.map(|_| key_a.cmp(key_b));
                    assert_eq!(found, expected, "{name}: {a:?} and {b:?}");
                }
            }
        }
    }
    let slow = ["th", "en-u-ka-shifted", "fr-CA", "en-u-co-emoji"].map(|name| (name, false));
    for (name, is_fast) in slow.into_iter().chain([("de", true)]) {
        assert_eq!(order(name).compare(b"a", b"b").is_some(), is_fast, "{name}");
    }
}

proptest! {
    #[test]
    fn keys_stand_in_the_order_of_the_comparison(
        a in any::<Vec<u8>>(), b in any::<Vec<u8>>(), x in "[ a-cA-C0-2éèßñ.-]{0,8}",
        y in "[ a-cA-C0-2éèßñ.-]{0,8}", any_a in any::<String>(), any_b in any::<String>(),
    ) {
        for name in KEYED {
            let order = order(name);
            let pairs = [
                (a.as_slice(), b.as_slice()),
                (x.as_bytes(), y.as_bytes()),
                (any_a.as_bytes(), any_b.as_bytes()),
            ];
            let usual = key(&order, x.as_bytes()).cmp(&key(&order, y.as_bytes()));
            prop_assert_eq!(usual, order.collator.compare(&x, &y));
            for (a, b) in pairs {
                let (key_a, key_b) = (key(&order, a), key(&order, b));
                let found = order.compare(a, b).unwrap_or_else(|| key_a.cmp(&key_b));
                prop_assert_eq!(key_a.cmp(&key_b), found);
                // The pair 0 0 is for the end of a key.
                prop_assert!(!key_a.windows(2).any(|pair| pair == [0, 0]));
                prop_assert!(key_a.last() != Some(&0));
                for limit in [0, 1, 7, 20] {
                    let mut beginning = Vec::new();
                    order.append_key(a, limit, &mut beginning);
                    let wanted = limit.min(key_a.len());
                    prop_assert!(beginning.len() >= wanted);
                    prop_assert_eq!(&beginning[..wanted], &key_a[..wanted]);
                }
            }
        }
    }
}
