//! `-R` has an order of its own; what must be true of it is that nothing is lost, that equal keys
//! stand together, and that it is another order than that of the lines.

use std::collections::HashMap;
use std::process::{Command, Stdio};

use super::random::Random;

/// What is printed for lines in a file, as a list of them.
fn shuffled(words: &[&str], lines: &[String]) -> Vec<String> {
    let folder = tempfile::Builder::new().prefix("sortwell-test-").tempdir().expect("a folder");
    let file = folder.path().join("lines");
    std::fs::write(&file, lines.concat()).expect("write");
    let mut command = Command::new(super::OURS);
    command.arg("gnu").args(words).arg(&file).env("LC_ALL", "C").stdin(Stdio::null());
    let ended = command.output().expect("run");
    assert!(ended.status.success(), "{words:?}: {ended:?}");
    let text = String::from_utf8(ended.stdout).expect("UTF-8");
    text.split_inclusive('\n').map(str::to_owned).collect()
}

#[test]
fn equal_keys_stay_together() {
    let mut random = Random::new(7);
    let mut line = || format!("{},{}\n", random.below(30), random.pick(&["a", "A", "b", "B"]));
    let lines: Vec<String> = (0..500).map(|_| line()).collect();
    let second = |line: &str| line.trim_end().split(',').nth(1).unwrap_or_default().to_owned();
    type Key<'a> = &'a dyn Fn(&str) -> String;
    let cases: [(&[&str], Key<'_>); 5] = [
        (&["-R"], &str::to_owned),
        (&["-R", "-s", "-f"], &str::to_uppercase),
        (&["-t,", "-k2,2R"], &second),
        (&["-t,", "-k2,2Rf"], &|line| second(line).to_uppercase()),
        (&["--sort=random", "-r", "-t,", "-k2"], &second),
    ];
    for (words, key) in cases {
        let out = shuffled(words, &lines);
        let sorted = |lines: &[String]| {
            let mut lines = lines.to_vec();
            lines.sort();
            lines
        };
        assert_eq!(sorted(&out), sorted(&lines), "{words:?}");
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, line) in out.iter().enumerate() {
            places.entry(key(line)).or_default().push(place);
        }
        let is_together = |places: &Vec<usize>| places.windows(2).all(|two| two[0] + 1 == two[1]);
        assert!(places.values().all(is_together), "{words:?}: {places:?}");
    }
    assert_ne!(shuffled(&["-R"], &lines), shuffled(&["-R"], &lines), "chance is chance");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let words = ["-R", "--random-source", source];
    assert_eq!(shuffled(&words, &lines), shuffled(&words, &lines), "a source says which");
}
