//! Every encoder against an order written down independently: named cases in order, and random
//! texts against a reference that compares without encoding.

use std::cmp::Ordering;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::super::order::{NumberFormat, TextOrder, TextSpec};
use super::super::sink::{BufferSink, KeySink, WordSink};
use super::super::typed::Typed;
use super::*;
use crate::key::{OPEN_WORD_BYTES, open_word};

mod reference;

const PLAIN: NumberFormat = NumberFormat { radix: b'.', thousands: None };
const GERMAN: NumberFormat = NumberFormat { radix: b',', thousands: Some(b'.') };

/// A type of text, as an encoder and as the reference's order.
#[derive(Clone, Copy, Debug)]
struct Type {
    name: &'static str,
    compare: fn(&[u8], &[u8]) -> Ordering,
}

const TYPES: [Type; 13] = [
    Type { name: "bytes", compare: <[u8]>::cmp },
    Type { name: "decimal", compare: |a, b| reference::decimals(a, b, PLAIN, true) },
    Type { name: "german", compare: |a, b| reference::decimals(a, b, GERMAN, true) },
    Type { name: "numeric", compare: |a, b| reference::decimals(a, b, PLAIN, false) },
    Type { name: "german numeric", compare: |a, b| reference::decimals(a, b, GERMAN, false) },
    Type { name: "int", compare: reference::ints },
    Type { name: "human", compare: reference::humans },
    Type { name: "size", compare: reference::sizes },
    Type { name: "general", compare: reference::generals },
    Type { name: "float", compare: reference::floats },
    Type { name: "month", compare: reference::months },
    Type { name: "version", compare: reference::versions },
    Type { name: "natural", compare: reference::naturals },
];

/// The type of this name, with what its values depend on.
fn typed(name: &str, is_open: bool, seed: u8) -> Typed {
    let text_type = match name {
        "german" => TextType::DECIMAL,
        "numeric" | "german numeric" => TextType::NUMERIC,
        "human" | "german human" => TextType::HUMAN,
        "general" => TextType::GENERAL,
        name => TextType::named(name).unwrap().1,
    };
    let numbers = if name.starts_with("german") { GERMAN } else { PLAIN };
    let order = TextOrder::by_bytes(b'\n')
        .with(|options| (options.numbers, options.seed) = (numbers, [seed; 16]));
    Typed::new(&TextSpec { text_type, ..TextSpec::default() }, &order, is_open, false)
}

fn append<S: KeySink>(name: &str, text: &[u8], is_open: bool, out: &mut S) {
    typed(name, is_open, 0).append(text, out);
}

fn key(name: &str, text: &[u8], is_open: bool) -> Vec<u8> {
    let mut out = Vec::new();
    append(name, text, is_open, &mut BufferSink::new(&mut out, usize::MAX));
    out
}

/// Holds the keys of two texts to everything an encoder promises.
fn check(kind: Type, a: &[u8], b: &[u8]) {
    if kind.name == "general" && (reference::is_far(a) || reference::is_far(b)) {
        return;
    }
    let expected = (kind.compare)(a, b);
    let said = || format!("{} of '{}' and '{}'", kind.name, a.escape_ascii(), b.escape_ascii());
    let (open_a, open_b) = (key(kind.name, a, true), key(kind.name, b, true));
    assert_eq!(open_a.cmp(&open_b), expected, "open {}", said());
    let (key_a, key_b) = (key(kind.name, a, false), key(kind.name, b, false));
    assert_eq!(key_a.cmp(&key_b), expected, "{}: {key_a:x?} {key_b:x?}", said());
    if expected.is_ne() {
        assert!(!key_b.starts_with(&key_a) && !key_a.starts_with(&key_b), "{}", said());
    }
    for index in 0..key_a.len() / OPEN_WORD_BYTES + 2 {
        let mut sink = WordSink::new(index);
        append(kind.name, a, false, &mut sink);
        let word = open_word(&key_a[(OPEN_WORD_BYTES * index).min(key_a.len())..]);
        assert_eq!(sink.word(), word, "word {index} of {}", said());
    }
    for limit in 0..key_a.len() {
        let mut cut = Vec::new();
        append(kind.name, a, false, &mut BufferSink::new(&mut cut, limit));
        assert_eq!(cut.get(..limit), Some(&key_a[..limit]), "cut at {limit}: {}", said());
    }
}

/// Classes of equal texts, in order.
const ORDERS: &[(&str, &[&[&str]])] = &[
    (
        "bytes",
        &[
            &[""],
            &["\0"],
            &["\0\0"],
            &["\0\u{1}"],
            &["\u{1}"],
            &["\u{1}\0"],
            &["\u{2}"],
            &["a"],
            &["a\0"],
            &["a\0b"],
            &["a\u{1}"],
            &["aaaaaaaa"],
            &["aaaaaaaa\0"],
            &["ab"],
        ],
    ),
    (
        "decimal",
        &[
            &["-100", "-0100.0"],
            &["-1"],
            &["-.51"],
            &["-.5", "-0.50"],
            &["-0.05"],
            &["", "0", "-0", "x", "+", "+-1", "- 1", "+ 1", "-", ".", "-.", "+.", "00", "0.000"],
            &["0.00000000000000000000000000000000000000000001"],
            &["0.05"],
            &[".5", "  .5", "+.5"],
            &["1", "01", "1e3", "1,5", "1.", "1.0", "\n1", "+1", " +01.0"],
            &["1.00000000000000000000000000000000001"],
            &["1.5", "1.50", "+1.5"],
            &["9"],
            &["10"],
            &["99"],
            &["100"],
            &["123456789012345678901234567890"],
            &["123456789012345678901234567891"],
            &["1000000000000000000000000000000000000000000000000000000000000000000000000000000000"],
            &["2000000000000000000000000000000000000000000000000000000000000000000000000000000000"],
        ],
    ),
    (
        "german",
        &[
            &["-1.000,5"],
            &["0", ".", "x"],
            &["0,5", ",5", ".,5", "+,5"],
            &["999"],
            &["1.000", "1000", "..1000", "10.00", "1000.,0", "+1.000"],
            &["1.000,25"],
        ],
    ),
    (
        "numeric",
        &[
            &["-1"],
            &["-.5"],
            &["", "0", "-0", "x", "+1", "+.5", "+", "-", "."],
            &["0.5"],
            &["1", " 1", "1.0", "1+"],
        ],
    ),
    ("german numeric", &[&["-1.000"], &["0", "+1.000", "+,5"], &["0,5"], &["1.000", "1000"]]),
    ("int", &[&["-7", "-007"], &["0", "", "x", "+", ".9", "-0"], &["+1", "1", "1.9"], &["12"]]),
    (
        "human",
        &[
            &["-2K"],
            &["-1K"],
            &["-1"],
            &["0", "0K", "x", "K", ""],
            &[".5"],
            &["1", "1m"],
            &["999999"],
            &[".5K"],
            &["1k", "1K", "1KB", "1Ki"],
            &["1000K"],
            &["1M"],
            &["1G"],
            &["1T"],
            &["1P"],
            &["1E"],
            &["1Z"],
            &["1Y"],
            &["1R"],
            &["1Q"],
        ],
    ),
    (
        "size",
        &[
            &["-1Ki"],
            &["-1K"],
            &["0", "", "x", "0Gi"],
            &[
                "1",
                "1B",
                "+1",
                "1 min",
                "1 Kilo",
                "1 KiBi",
                "1KBs",
                "1 Mädchen",
                "1  K",
                "1e3",
                "1E+3",
                "1e-3",
                "1 e3",
                "1K2",
                "1KiB-2",
                "1KB2",
            ],
            &["3 pieces"],
            &["1000", "1K", "1k", "1 KB", "1kb", "1K b", "1 kb/s", "1K,2"],
            &["1024", "1Ki", "1KiB", "1 kib"],
            &["0.5Mi", "512Ki"],
            &["2500M", "2.5G"],
            &["2684354560", "2.5GiB"],
            &["1Ti", "1024Gi", "1099511627776"],
            &["1Q", "1000000000000000000000000000000"],
            &["1Qi", "1267650600228229401496703205376"],
            &["1267650600228229401496703205377"],
        ],
    ),
    (
        "general",
        &[
            &["", "x", "-", ".", "e1", ".e1", "+"],
            &["nan", "NaN(0)", "nan(x)", "nan(1", "nanx"],
            &["-nan"],
            &["nan(256)"],
            &["nan(1)", "nan(0x1)", "nan(01)"],
            &["-nan(1)"],
            &["-inf", "-INFINITY", "-1e5000"],
            &["-1e4932"],
            &["-1"],
            &["-0x.8", "-.5"],
            &["0", "-0", "1e-5000", "0x", "0xp1", "-1e-9999999999999999999999"],
            &["1e-4950"],
            &["2e-4950"],
            &["1e-4932"],
            &["1e-400"],
            &["0.1", "1e-1", "\x0b.1"],
            &["1", "1.00000000000000000001", "1e", "1e+", "0x1p0", "1x"],
            &["1.0000000000000000001"],
            &["7"],
            &["0x1p3", "8", "+8", "0x.8p4"],
            &["1e400"],
            &["1.1e4932"],
            &["inf", "1e5000", "infinity", "INFX", "0x1p99999999999"],
        ],
    ),
    (
        "float",
        &[
            &["", "x", "1x"],
            &["-inf"],
            &["-1.5"],
            &["0", "-0", " 0.0 "],
            &["1e-300"],
            &["1"],
            &["1e300"],
            &["inf"],
            &["nan", "-nan"],
        ],
    ),
    (
        "month",
        &[
            &["", "x", "ja", "\x0bjan"],
            &["jan", " JANUARY", "Jan 5"],
            &["feb"],
            &["MARCH"],
            &["apr"],
            &["may"],
            &["jun"],
            &["jul"],
            &["aug"],
            &["sep"],
            &["oct"],
            &["nov"],
            &["\t december"],
        ],
    ),
    (
        "version",
        &[
            &[""],
            &["."],
            &[".."],
            &[".a"],
            &["..a"],
            &[".1"],
            &["..."],
            &["~"],
            &["a~~"],
            &["a~"],
            &["a~a"],
            &["a0~"],
            &["a", "a0", "a00"],
            &["a0.x"],
            &["a.tar"],
            &["a.tar.gz"],
            &["a.y"],
            &["a0b"],
            &["a1", "a01"],
            &["a1.gz", "a01.gz"],
            &["a2"],
            &["a10"],
            &["ab"],
            &["a+1"],
            &["a-1"],
            &["a."],
            &["a_"],
        ],
    ),
    (
        "natural",
        &[
            &[""],
            &["a"],
            &["a!"],
            &["a0", "a00"],
            &["a2", "a002"],
            &["a2b"],
            &["a10"],
            &["a10\0"],
            &["a:"],
            &["ab"],
        ],
    ),
];

#[test]
fn named_texts_stand_in_order() {
    for (name, classes) in ORDERS {
        let kind = *TYPES.iter().find(|kind| kind.name == *name).unwrap();
        let texts: Vec<(usize, &str)> = classes
            .iter()
            .enumerate()
            .flat_map(|(class, texts)| texts.iter().map(move |text| (class, *text)))
            .collect();
        for (a, b) in texts.iter().flat_map(|a| texts.iter().map(move |b| (a, b))) {
            let keys = [a, b].map(|(_, text)| key(name, text.as_bytes(), false));
            assert_eq!(keys[0].cmp(&keys[1]), a.0.cmp(&b.0), "{name} {:?} {:?}", a.1, b.1);
            check(kind, a.1.as_bytes(), b.1.as_bytes());
        }
    }
}

#[test]
fn short_numbers_fit_into_a_prefix() {
    assert_eq!(key("decimal", b"0", false), [0x80]);
    assert_eq!(key("decimal", b"-12.5", false).len(), 3);
    assert_eq!(key("decimal", b"12345678901234", false).len(), 8);
    assert_eq!(key("decimal", &[b'9'; 1000], false).len(), 1 + 8 + 500);
}

#[test]
fn random_keeps_equal_keys_together_and_follows_the_seed() {
    let hash = |text: &[u8], seed| {
        let mut out = Vec::new();
        typed("random", true, seed).append(text, &mut BufferSink::new(&mut out, usize::MAX));
        out
    };
    assert_eq!(hash(b"a", 1), hash(b"a", 1));
    assert_eq!(hash(b"a", 1).len(), 16);
    assert_ne!(hash(b"a", 1), hash(b"b", 1));
    let order = |seed| {
        let mut texts: Vec<u8> = (0..50).collect();
        texts.sort_by_key(|&text| hash(&[text], seed));
        texts
    };
    assert_ne!(order(1), order(2));
}

/// Texts of the letters that matter to a type, some of them equal to one another.
fn texts(name: &str) -> BoxedStrategy<(Vec<u8>, Vec<u8>)> {
    let alphabet: &[u8] = match name {
        "bytes" => b"\0\x01\x02a\xff",
        "decimal" | "german" | "numeric" | "german numeric" | "int" => b"0012359-.,+ \0x",
        "human" | "size" => b"00159-.kKMiGB TQn\xc3",
        "general" | "float" => b"00159-.eE+xpa in",
        "month" => b"janfebmrJAFE \n",
        _ => b"0019ab~.-_A\0\x01z:",
    };
    let byte = proptest::sample::select(alphabet.to_vec());
    let text = proptest::collection::vec(byte.clone(), 0..14);
    let edit = (any::<proptest::sample::Index>(), byte, 0u8..4);
    (text.clone(), text, edit)
        .prop_map(|(a, other, (at, byte, choice))| {
            let mut b = a.clone();
            let at = at.index(b.len() + 1);
            match choice {
                0 => b = other,
                1 => b.insert(at, byte),
                2 => b.truncate(at),
                _ => b.splice(at..(at + 1).min(a.len()), [byte]).for_each(drop),
            }
            (a, b)
        })
        .boxed()
}

fn any_type() -> impl Strategy<Value = (usize, (Vec<u8>, Vec<u8>))> {
    (0..TYPES.len()).prop_flat_map(|index| (Just(index), texts(TYPES[index].name)))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 30_000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0003),
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_texts_are_ordered_like_the_reference((index, (a, b)) in any_type()) {
        check(TYPES[index], &a, &b);
    }

    /// Two decimals near to one another, against the language's own conversion where it is exact.
    #[test]
    fn extended_numbers_agree_with_doubles(a in any::<f64>(), b in any::<f64>()) {
        prop_assume!(a.is_finite() && b.is_finite());
        let keys = [a, b].map(|number| key("general", format!("{number:e}").as_bytes(), false));
        prop_assert_eq!(keys[0].cmp(&keys[1]), a.partial_cmp(&b).unwrap());
    }

    /// Digits many at a time are those two by two, and nothing else is taken for few digits.
    #[test]
    fn few_digits_are_appended_as_many_are(
        digits in "[1-9][0-9]{0,17}|[1-9][0-9]{0,3}0{0,12}|[1-9][0-9]{200,600}0{0,40}",
        shift in -90_i64..90,
        is_negative: bool,
        other: u8,
        place: prop::sample::Index,
        middle: prop::sample::Index,
    ) {
        let digits = digits.into_bytes();
        let last = digits.iter().rposition(|&digit| digit != b'0').unwrap_or(0);
        let (mut few, mut many) = (Vec::new(), Vec::new());
        digits::append_whole(is_negative, shift, &digits, &mut BufferSink::new(&mut few, 999));
        let (exponent, each) = (digits.len() as i64 + shift, digits[..=last].iter().copied());
        digits::append(is_negative, exponent, each, &mut BufferSink::new(&mut many, 999));
        prop_assert_eq!(&few, &many);
        let (whole, fraction) = digits[..=last].split_at(middle.index(last + 2));
        let mut parts = Vec::new();
        let sink = &mut BufferSink::new(&mut parts, 999);
        digits::append_parts(is_negative, exponent, [whole, fraction], sink);
        prop_assert_eq!(parts, many);
        let mut text = digits;
        let place = place.index(text.len());
        text[place] = other;
        let is_few = text.len() <= 16 && text.iter().all(u8::is_ascii_digit);
        prop_assert_eq!(digits::are_few(&text), is_few);
    }

    /// Numbers of few digits have the same key at once as by way of their parts.
    #[test]
    fn few_digits_are_appended_at_once(
        text in "-?0{0,9}[0-9]{0,10}|-?[0-9]{0,17}|[0-9]{1,8}[ .x-]",
        is_descending: bool,
    ) {
        let mut at_once = Vec::new();
        let sink = &mut BufferSink::new(&mut at_once, 999);
        let is_taken = digits::append_few(text.as_bytes(), is_descending, sink);
        let digits = text.strip_prefix('-').unwrap_or(&text);
        let are_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_long = digits.len() > 16 || digits.len() > 8 && digits.starts_with('0');
        prop_assert_eq!(is_taken, are_digits && !digits.is_empty() && !is_long);
        let mut apart = key("int", text.as_bytes(), false);
        if is_descending {
            apart.iter_mut().for_each(|byte| *byte = !*byte);
        }
        let expected = if is_taken { apart } else { Vec::new() };
        prop_assert_eq!(at_once, expected);
    }

    /// Short ways and long integers round alike.
    #[test]
    fn both_ways_of_rounding_agree(value in any::<u64>(), power in -27i64..=27) {
        let digits = value.max(1).to_string().into_bytes();
        let digits = &digits[..digits.len().min(19)];
        let last = digits.iter().rposition(|&digit| digit != b'0').unwrap_or(0);
        let digits = &digits[..=last];
        prop_assert_eq!(extended::from_decimal(digits, power), extended::from_long(digits, power));
    }

    /// The first digits of a number round as all of them do, also next to a halfway point.
    #[test]
    fn few_digits_round_as_many_do(
        beginning in "[1-9][0-9]{0,50}|9{30,60}|1844674407370955161[57]0{0,40}|5{38,42}",
        end in "[0-9]{0,9}[1-9]",
        power in -90i64..90,
    ) {
        let digits = [beginning, end].concat().into_bytes();
        let expected = extended::from_long(&digits, power);
        prop_assert_eq!(extended::from_decimal(&digits, power), expected);
    }
}

/// Known roundings of 80-bit numbers: halves, the largest, the smallest.
#[test]
fn extended_numbers_are_rounded_exactly() {
    let number = |digits: &str, power| extended::from_decimal(digits.as_bytes(), power);
    let of = |exponent, mantissa| extended::Extended { exponent, mantissa };
    assert_eq!(number("1", 0), of(16383, 1 << 63));
    assert_eq!(number("3", 0), of(16384, 3 << 62));
    assert_eq!(number("18446744073709551615", 0), of(16446, u64::MAX));
    // 2^64 + 1 lies halfway: to even. A little more goes up, and so does 2^64 + 3.
    assert_eq!(number("18446744073709551617", 0), of(16447, 1 << 63));
    assert_eq!(number("184467440737095516170000000000001", -13), of(16447, (1 << 63) + 1));
    assert_eq!(number("18446744073709551619", 0), of(16447, (1 << 63) + 2));
    assert_eq!(number("1", -1), of(16379, 0xcccc_cccc_cccc_cccd));
    assert_eq!(number("118973149535723176502126385303097021", 4897), of(32766, u64::MAX));
    assert_eq!(number("118973149535723176508575932662800702", 4897), extended::Extended::INFINITY);
    assert_eq!(number("36451995318824746025", -4970), of(0, 1));
    assert_eq!(number("18", -4952), extended::Extended::ZERO);
    assert_eq!(number("19", -4952), of(0, 1));
    assert_eq!(number("1", i64::MAX), extended::Extended::INFINITY);
    assert_eq!(number("1", i64::MIN), extended::Extended::ZERO);
}

/// A number is the same with zeros at its end and a smaller power.
#[test]
fn powers_of_ten_are_exact() {
    for power in (-4990..4930).step_by(97) {
        let expected = extended::from_long(b"12345678901234567891", power);
        for zeros in 0..20 {
            let digits = format!("12345678901234567891{}", "0".repeat(zeros));
            let found = extended::from_long(digits.as_bytes(), power - zeros as i64);
            assert_eq!(found, expected, "{power}, {zeros} zeros");
        }
    }
}

#[test]
fn suffixes_count_where_separators_stand_between_digits() {
    let cases: [(&[u8], u8); 12] = [
        (b"1.000K", 1),
        (b" 1.000,5K", 1),
        (b"-1.0.0K", 1),
        (b"1,K", 1),
        (b"1,5.000K", 0),
        (b"1.K", 0),
        (b"1.,K", 0),
        (b"1.,000K", 0),
        (b"1..000K", 0),
        (b".1K", 0),
        (b"-.1K", 0),
        (b"0.,K", 0),
    ];
    for (text, steps) in cases {
        let mut key = Vec::new();
        let sink = &mut BufferSink::new(&mut key, usize::MAX);
        append("german human", text, false, sink);
        let expected = if text.contains(&b'-') { 0x80 - steps } else { 0x80 + steps };
        assert_eq!(key[0], expected, "{}", text.escape_ascii());
    }
}

#[test]
fn long_sizes_are_their_values() {
    for length in [4, 5, 100, 4095, 4096, 4097, 8192, 20_000] {
        let nines = "9".repeat(length);
        let zeros = "0".repeat(length);
        for (text, value) in [
            (format!("{nines}KiB"), format!("1023{}8976", "9".repeat(length - 4))),
            (format!("1{zeros}KiB"), format!("1024{zeros}")),
            (format!("9765625{zeros}Ki"), format!("10000000000{zeros}")),
            (format!("0.{zeros}5Ki"), format!("0.{}512", &zeros[3..])),
            (format!("1{zeros}QiB"), format!("1267650600228229401496703205376{zeros}")),
        ] {
            assert!(key("size", text.as_bytes(), true) == key("size", value.as_bytes(), true));
        }
    }
}
