//! Lines that the quick check accepts, and lines that only the parser may judge.

use proptest::prelude::*;

use super::*;
use crate::format::json::fault;

fn accepts(line: &[u8]) -> bool {
    line_length(line) == Some(line.len())
}

#[test]
fn usual_lines_are_accepted() {
    let lines = [
        r#"{"seq":0,"user":{"id":347712782,"name":"n436"},"path":"/a/0"}"#,
        " { \"a\" : [ 1 , -2.5e-3, 0, -0, 0.10, 1e999, 1E+2 ] ,\t\"b\" : { } , \"c\":[]} \r",
        r#"{"a":"\"\\\/\b\f\n\r\t\u00e9\ud83d\uDE00\ud800","\u0061":"é€😀"}"#,
        "[[[true,false],null],\"\u{7f}\"]",
        "7",
        "\"\"",
        "123456789012345678901234567890.123456789012345678901234567890e-12345678901234567890",
    ];
    for line in lines {
        assert!(accepts(line.as_bytes()), "{line}");
        assert_eq!(fault(line.as_bytes()), None, "{line}");
        let followed = format!("{line}\n{{\"\u{e9}");
        assert_eq!(line_length(followed.as_bytes()), Some(line.len() + 1), "{line}");
        for end in 1..line.len() {
            verify(&line.as_bytes()[..end]);
        }
    }
}

/// Lines that are no JSON, separated by line feeds.
const FAULTY: &[u8] = b"01
-
-a
- 1
1.
.5
1.e3
1e
1e+
+1
00
-01
0x1
1 2
NaN
Infinity
nul
nulll
tru
falsy
True
\"
\"a
\"\\
\"\\\"
\"\\x\"
\"\\u12\"
\"\\u12g4\"
\"\\U0041\"
\"\0\"
\"\x1f\"
\"\t\"
\"a\rb\"
'a'
\"\xff\"
\"\xc3\"
\"\xed\xa0\x80\"
\"\xc0\x80\"
\"a\" \"b\"
\xef\xbb\xbf{}
\xc2\xa07
{
}
[
]
{]
[}
[1,]
[,1]
[1 2]
[1,,2]
{,}
{\"a\"}
{\"a\":}
{\"a\":1,}
{\"a\" 1}
{a:1}
{1:1}
{\"a\":1 \"b\":2}
{\"a\":1]
[1}
{}{}
{},
[1]]
{\"a\":1:2}
[\"a\":1]
[1]\x0c
[1] // no
[1\0]
\0
[true1]
[1true]
{\"a\":[1,{\"b\":2]}}";

#[test]
fn lines_with_faults_are_not_accepted() {
    for line in FAULTY.split(|byte| *byte == b'\n') {
        assert!(line_length(line).is_none(), "{}", line.escape_ascii());
        assert!(fault(line).is_some(), "{}", line.escape_ascii());
    }
}

#[test]
fn lines_that_take_the_parser_are_left_to_it() {
    let nested = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(accepts(nested(63).as_bytes()) && !accepts(nested(64).as_bytes()));
    let objects = |levels| format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
    assert!(accepts(objects(63).as_bytes()) && !accepts(objects(64).as_bytes()));
    let long = |bytes| format!("\"{}\"", "a".repeat(bytes - 2));
    assert!(accepts(long(BOUND).as_bytes()) && !accepts(long(BOUND + 1).as_bytes()));
    for line in ["", " ", "\n", "\r\n", "1\n\n2"] {
        assert_eq!(line_length(line.as_bytes()).filter(|length| *length == line.len()), None);
    }
    assert_eq!(line_length(b"1\n\n2"), Some(2));
}

/// Asserts that the parser takes a line that is accepted, in the midst of others and at the end.
fn verify(line: &[u8]) -> bool {
    let end = memchr::memchr(b'\n', line).map_or(line.len(), |at| at + 1);
    let found = line_length(line);
    if let Some(length) = found {
        assert_eq!(length, end, "{}", line.escape_ascii());
        assert_eq!(fault(&line[..length]), None, "{}", line.escape_ascii());
    }
    let followed = [&line[..end], b"\n\"\xff\""].concat();
    let is_ended = line[..end].ends_with(b"\n");
    assert_eq!(line_length(&followed), found.map(|length| length + usize::from(!is_ended)));
    found.is_some()
}

/// Parts of the generated texts: tokens of the grammar, their beginnings, and bytes that belong
/// nowhere.
const TOKENS: [&[u8]; 64] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b":",
    b",",
    b"{\"a\":",
    b"\"b\":",
    b"\"",
    b"\"a\"",
    b"\"long enough for two windows\"",
    b"\"\"",
    b"\"\\n\"",
    b"\\",
    b"\\u",
    b"\\u0041",
    b"\\ud800",
    b"\\\"",
    b"\"\\\\\"",
    b"0",
    b"1",
    b"-",
    b"-0",
    b"01",
    b"1e999",
    b"12345678901234567",
    b".",
    b"e",
    b"E+",
    b".5",
    b"1.5e-3",
    b"true",
    b"false",
    b"null",
    b"nul",
    b"t",
    b" ",
    b"\t",
    b"\r",
    b"\n",
    b"\0",
    b"\x1f",
    b"\x7f",
    b"\xff",
    b"\xc3\xa9",
    b"\xc3",
    b"\xe2\x82\xac",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80",
    b"\xef\xbb\xbf",
    b"a",
    b"\x0b",
    b"/",
    b"'",
    b"+",
    b"[1,2]",
    b"{}",
    b"[]",
];

/// A sequence of numbers from a seed (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    /// Appends a value, well formed but for what its strings and numbers are made of.
    fn append_value(&mut self, depth: usize, out: &mut Vec<u8>) {
        let blanks = |random: &mut Self, out: &mut Vec<u8>| {
            if random.below(8) == 0 {
                out.push(b" \t\r"[random.below(3)]);
            }
        };
        blanks(self, out);
        match self.below(if depth > 5 { 3 } else { 5 }) {
            0 => self.append_string(out),
            1 => out.extend(TOKENS[25 + self.below(14)]),
            2 => out.extend(self.below(1 << 40).to_string().into_bytes()),
            kind => {
                let is_object = kind == 3;
                out.push(if is_object { b'{' } else { b'[' });
                for element in 0..self.below(5) {
                    if element > 0 {
                        out.push(b',');
                    }
                    if is_object {
                        self.append_string(out);
                        blanks(self, out);
                        out.push(b':');
                    }
                    self.append_value(depth + 1, out);
                }
                out.push(if is_object { b'}' } else { b']' });
            }
        }
        blanks(self, out);
    }

    fn append_string(&mut self, out: &mut Vec<u8>) {
        const PIECES: [&[u8]; 9] = [
            b"\\n",
            b"\\\"",
            b"\\u00e9",
            b"\\ud83d\\ude00",
            b"\\udc00",
            b"\xc3\xa9",
            b"\x7f",
            b"{[",
            b"]},:",
        ];
        out.push(b'"');
        for _ in 0..self.below(4) {
            match self.below(3) {
                0 => out.extend(PIECES[self.below(PIECES.len())]),
                _ => out.extend(&b"abcdefghijklmnopqrstuvwxyz 0123456789"[self.below(30)..]),
            }
        }
        out.push(b'"');
    }

    /// Changes a few bytes of a text.
    fn mutate(&mut self, text: &mut Vec<u8>) {
        for _ in 0..self.below(3) {
            let (at, length) = (self.below(text.len() + 1), self.below(4));
            let end = (at + length).min(text.len());
            match self.below(4) {
                0 => drop(text.drain(at..end)),
                1 => drop(text.splice(at..at, TOKENS[self.below(TOKENS.len())].iter().copied())),
                2 => drop(text.splice(at..end, TOKENS[self.below(TOKENS.len())].iter().copied())),
                _ => {
                    let any = self.below(256) as u8;
                    text.get_mut(at).into_iter().for_each(|byte| *byte = any);
                }
            }
        }
    }
}

/// Generates lines from a seed, some of them with mutations, and verifies them all. Returns how
/// many were accepted.
fn verify_generated(seed: u64, lines: usize) -> usize {
    let (mut random, mut line, mut accepted) = (Random(seed), Vec::new(), 0);
    for _ in 0..lines {
        line.clear();
        match random.below(4) {
            0 => {
                for _ in 0..random.below(12) {
                    line.extend(TOKENS[random.below(TOKENS.len())]);
                }
            }
            _ => random.append_value(0, &mut line),
        }
        random.mutate(&mut line);
        accepted += usize::from(verify(&line));
    }
    accepted
}

#[test]
fn what_is_accepted_is_accepted_by_the_parser() {
    let accepted = verify_generated(0x5eed, 60_000);
    assert!((15_000..50_000).contains(&accepted), "{accepted} of 60000");
}

/// A longer run for changes of the check; `SEED` and `LINES` are environment variables.
#[test]
#[ignore = "takes 10 s in a release build, and longer in others"]
fn what_is_accepted_is_accepted_by_the_parser_at_length() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let (seed, lines) = (number("SEED").unwrap_or(1), number("LINES").unwrap_or(20_000_000));
    let accepted = verify_generated(seed, lines as usize);
    assert!(accepted > lines as usize / 5, "{accepted} of {lines}, seed {seed}");
    println!("{accepted} of {lines} were accepted, seed {seed}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes_are_looked_through(text in proptest::collection::vec(any::<u8>(), 0..60)) {
        verify(&text);
        verify(&[&b"[\""[..], &text, &b"\"]"[..]].concat());
    }
}
