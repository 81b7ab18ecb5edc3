//! Where words begin and end, and what text in quotes says.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

/// The words of an expression, each as written.
fn words(text: &str) -> Vec<&str> {
    tokens(text).into_iter().map(|token| token.text).collect()
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer::new(text);
    let tokens = std::iter::from_fn(|| lexer.next().ok());
    tokens.take_while(|token| token.kind != WordKind::End).collect()
}

#[test]
fn words_end_where_the_next_begins() {
    let table: [(&str, &[&str]); 13] = [
        ("", &[]),
        (" \t\n", &[]),
        ("2:int<5", &["2:int", "<", "5"]),
        ("a>=1 and(b!=\"x\")", &["a", ">=", "1", "and", "(", "b", "!=", "\"x\"", ")"]),
        ("1:locale=de==\"x\"", &["1:locale=de", "==", "\"x\""]),
        ("1:order=low|mid|high == 'low'", &["1:order=low|mid|high", "==", "'low'"]),
        ("name=='x'", &["name", "==", "'x'"]),
        ("name=~'x'", &["name", "=~", "'x'"]),
        ("\"full name\":ci != 'o\\'neil'", &["\"full name\":ci", "!=", "'o\\'neil'"]),
        ("\"a\"\"b\" == 'it''s'", &["\"a\"\"b\"", "==", "'it''s'"]),
        ("o'neil == 2[0..4]", &["o'neil", "==", "2[0..4]"]),
        ("straße\u{a0}größe", &["straße", "größe"]),
        ("1:order=\"very low\"|high is", &["1:order=\"very low\"|high", "is"]),
    ];
    for (text, expected) in table {
        assert_eq!(words(text), expected, "{text}");
    }
}

#[test]
fn kinds_and_places() {
    let kinds: Vec<(WordKind, usize)> =
        tokens("a <= (\"b\"=~ )").iter().map(|token| (token.kind, token.at)).collect();
    let less_or_equal = WordKind::Comparison(Comparison::LessOrEqual);
    let expected = [
        (WordKind::Word, 0),
        (less_or_equal, 2),
        (WordKind::Open, 5),
        (WordKind::Quoted, 6),
        (WordKind::Matches, 9),
        (WordKind::Close, 12),
    ];
    assert_eq!(kinds, expected);
    let mut lexer = Lexer::new("x");
    assert!(lexer.next().is_ok_and(|token| token.is("X") && !token.is("xx")));
    for _ in 0..2 {
        assert!(lexer.next().is_ok_and(|token| (token.kind, token.at) == (WordKind::End, 1)));
    }
}

#[test]
fn what_is_in_quotes() {
    let table = [
        (r#""""#, ""),
        (r#""a b""#, "a b"),
        (r#""a\"b\\c\'d""#, r#"a"b\c'd"#),
        (r#"'a"b'"#, "a\"b"),
        (r#"'a\'b''c'"#, "a'b'c"),
        (r#""a""b""#, "a\"b"),
        (r#""\n\r\t""#, "\n\r\t"),
        (r#""\d+\.\w""#, r"\d+\.\w"),
        (r#""ä\ö""#, r"ä\ö"),
    ];
    for (written, said) in table {
        assert_eq!(words(written), [written]);
        assert_eq!(unquoted(written), said, "{written}");
    }
}

#[test]
fn keys_are_given_on_with_doubled_quotes() {
    let table = [
        ("amount:int", "amount:int"),
        ("\"full name\":ci", "\"full name\":ci"),
        ("'full name'[0..4]:ci", "\"full name\"[0..4]:ci"),
        (r#""5\" pipe":int"#, r#""5"" pipe":int"#),
        (r#""5"" pipe":int"#, r#""5"" pipe":int"#),
        (r#"'C:\\'"#, r#""C:\""#),
        (r#"1:order="very low"|"a\"b"|high:desc"#, r#"1:order="very low"|"a""b"|high:desc"#),
        ("o'neil:int", "o'neil:int"),
        ("5\"x:int", "5\"x:int"),
        ("1:order=it's|'x'", "1:order=it's|'x'"),
    ];
    for (written, given) in table {
        assert_eq!(words(written), [written]);
        assert_eq!(key(written), given, "{written}");
    }
}

#[test]
fn faults() {
    let fault = |text: &str| {
        let mut lexer = Lexer::new(text);
        loop {
            match lexer.next() {
                Ok(token) => assert_ne!(token.kind, WordKind::End, "{text} has no fault"),
                Err(fault) => return fault,
            }
        }
    };
    let open = "the text that begins here has no closing quote";
    assert_eq!(fault("a == \"b"), Mistake::new(5, open));
    assert_eq!(fault("a == 'b\\'"), Mistake::new(5, open));
    assert_eq!(fault("a == \"b\"\""), Mistake::new(5, open));
    assert_eq!(fault("a:order=\"x"), Mistake::new(8, open));
    let one = "'=' is not an operator; write == for equality";
    assert_eq!(fault("a = 5"), Mistake::new(2, one));
    assert_eq!(fault("a=5"), Mistake::new(1, one));
    let not = "'!' is not an operator; write not, or != for inequality";
    assert_eq!(fault("a == 1 and !b"), Mistake::new(11, not));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2048,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0042),
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_put_in_quotes_comes_out(text in any::<String>()) {
        let written = quoted(&text);
        prop_assert_eq!(words(&written), [written.as_str()]);
        prop_assert_eq!(unquoted(&written), text);
    }

    #[test]
    fn words_cover_all_but_blanks(text in "[ab'\"\\\\=!<>()~:. ä\\[\\]-]{0,24}") {
        let mut covered = 0;
        for token in tokens(&text) {
            prop_assert!(text[covered..token.at].trim().is_empty());
            prop_assert!(!token.text.is_empty());
            prop_assert_eq!(&text[token.at..token.at + token.text.len()], token.text);
            covered = token.at + token.text.len();
        }
    }
}
