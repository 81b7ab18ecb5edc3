//! Lines sorted in memory by the orders that options become, beside what GNU sort makes of them.

use std::io::Write;
use std::process::{Command, Stdio};

use sortwell::unstable::key::KeyEncoder;
use sortwell::unstable::key::text::TextKey;

use super::*;

/// A small generator of numbers (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % end
    }

    fn one_of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    /// Up to `end - 1` pieces, one after the other.
    fn text(&mut self, pieces: &[&[u8]], end: usize) -> Vec<u8> {
        (0..self.below(end)).flat_map(|_| self.one_of(pieces).to_vec()).collect()
    }
}

const OPTIONS: [&str; 26] = [
    "",
    "-n",
    "-g",
    "-h",
    "-M",
    "-V",
    "-f",
    "-d",
    "-i",
    "-b",
    "-r",
    "-nr",
    "-s",
    "-u",
    "-k2",
    "-k1,1",
    "-k2,2n",
    "-k2b,2.3b",
    "-k1.2,1.4r",
    "-k2,2.2b",
    "-k2,1",
    "-k3g",
    "-k2,2fd",
    "-t: -k2",
    "-t: -k2,2n",
    "+1 -2",
];
/// No NaN: the order of two of them is chance in GNU sort, which compares bytes it never set.
const PIECES: [&[u8]; 29] = [
    b"a", b"B", b"b", b"A", b" ", b" ", b"\t", b":", b":", b"1", b"2", b"0", b"-", b".", b"+",
    b"10", b"1.50", b"-3", b"K", b"M", b"e2", b"inf", b"0x1f", b"jan", b"Feb ", b"~", b"\xff",
    b"\0", b"v1.10",
];
const LETTERS: [&[u8]; 8] = [b"a", b"A", b"b", b"B", b" ", b"-", b".", b"z"];

/// What GNU sort makes of it; `None` where the machine has none.
fn theirs(line: &str, locale: &str, input: &[u8]) -> Option<Vec<u8>> {
    let mut command = Command::new("sort");
    command.args(line.split_whitespace()).env("LC_ALL", locale).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    // The inputs fit into the pipe.
    child.stdin.take()?.write_all(input).expect("write");
    let output = child.wait_with_output().expect("run");
    output.status.success().then_some(output.stdout)
}

/// A stable sort of the lines by their keys; of equal ones the first alone where that is said.
fn ours(order: &TextOrder, is_unique: bool, input: &[u8]) -> Vec<u8> {
    let encoder = TextKey::new(order).expect("a key");
    let key = |line: &[u8]| {
        let mut key = Vec::new();
        encoder.key_bytes(line.into(), usize::MAX, &mut key);
        key
    };
    let lines = input.split_inclusive(|&byte| byte == b'\n');
    let mut keyed: Vec<(Vec<u8>, &[u8])> = lines.map(|line| (key(line), line)).collect();
    keyed.sort_by(|a, b| a.0.cmp(&b.0));
    if is_unique {
        keyed.dedup_by(|later, earlier| later.0 == earlier.0);
    }
    keyed.into_iter().flat_map(|(_, line)| line.to_vec()).collect()
}

fn has_gnu_sort() -> bool {
    let version = Command::new("sort").arg("--version").output();
    let has = version.is_ok_and(|said| said.stdout.starts_with(b"sort (GNU coreutils) 9."));
    if !has {
        println!("LEFT OUT: this machine has no GNU sort of coreutils 9 to compare with");
    }
    has
}

fn compare(locale_name: &str, pieces: &[&[u8]], cases: usize) {
    let locale = || Locale::named(locale_name);
    if locale().is_none() || !has_gnu_sort() {
        println!("LEFT OUT: no locale {locale_name} or no GNU sort");
        return;
    }
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    println!("seed {:#x}", random.0);
    let mut compared = 0;
    while compared < cases {
        let line = [random.one_of(&OPTIONS), random.one_of(&OPTIONS)].join(" ");
        let Ok((order, settings)) = settled_in(&line, locale().expect("it is there")) else {
            continue;
        };
        let mut input = Vec::new();
        for _ in 0..random.below(40) {
            input.extend(random.text(pieces, 9));
            input.push(b'\n');
        }
        let theirs = theirs(&line, locale_name, &input).expect("GNU sort takes what we take");
        let ours = ours(&order, settings.is_unique, &input);
        let (ours, theirs) = (String::from_utf8_lossy(&ours), String::from_utf8_lossy(&theirs));
        assert_eq!(ours, theirs, "case {compared}: LC_ALL={locale_name} sort {line}");
        compared += 1;
    }
}

#[test]
fn lines_are_in_the_order_of_gnu_sort_in_c() {
    compare("C", &PIECES, 400);
}

#[test]
fn letters_are_in_the_order_of_gnu_sort_in_english() {
    compare("en_US.UTF-8", &LETTERS, 200);
}
