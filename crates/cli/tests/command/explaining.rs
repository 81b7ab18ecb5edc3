//! What is said of a sort beforehand is what it then does.

use crate::harness::{Folder, random_records};

/// A figure of a line of JSON.
fn figure(json: &[u8], names: &[&str]) -> u64 {
    let whole: serde_json::Value = serde_json::from_slice(json).expect("JSON");
    let found = names.iter().fold(&whole, |value, name| &value[*name]);
    found.as_u64().unwrap_or_else(|| panic!("{names:?} in {whole}"))
}

#[test]
fn a_sort_does_what_was_explained() {
    let folder = Folder::new();
    folder.write("in", random_records(600_000, 100));
    for (memory, most) in [("26MiB", 2), ("34MiB", 2), ("256MiB", 1)] {
        let words = format!("-F fixed:100 -k 0..10 -M {memory} -j 2 -o out in");
        let explained = folder.run(&format!("explain --form json {words}")).quietly();
        assert_eq!(folder.names(), ["in"], "nothing is written");
        let sorted = folder.run(&format!("sort --stats json {words}"));
        assert_eq!(sorted.status, 0, "{sorted:?}");
        let sorted = sorted.words.into_bytes();
        std::fs::remove_file(folder.at("out")).expect("an output");
        // Loads end where records do, so that there may be one more.
        for (name, margin) in [("passes", 0), ("runs", 1), ("merge_width", 1)] {
            let (told, found) = (figure(&explained, &["outlook", name]), figure(&sorted, &[name]));
            assert!(told.abs_diff(found) <= margin, "{memory}, {name}: {told} told, {found} found");
        }
        assert!(figure(&sorted, &["passes"]) >= most, "{memory}");
        let spilled = figure(&sorted, &["streams", "spill_written"]);
        let told = figure(&explained, &["outlook", "spilled_bytes"]);
        assert!(told.abs_diff(spilled) <= told / 10, "{memory}: {told} told, {spilled} spilled");
    }
    let words = folder.run("explain -F fixed:100 -M 26MiB in").quietly();
    let words = String::from_utf8(words).expect("text");
    assert!(words.contains("600000 records of 100 bytes"), "{words}");
}

#[test]
fn what_cannot_be_explained_says_so() {
    let folder = Folder::new();
    folder.run_with("explain -", b"x\n").fails(2, &["not known in advance"]);
    folder.run("explain nowhere").fails(4, &["nowhere"]);
    folder.write("in", random_records(10, 100));
    folder.run("explain -F fixed:100 -M 1MiB in").fails(2, &["too small"]);
    folder.run("explain -F fixed:99 in").fails(3, &["not a multiple"]);
}

/// What is not wanted is not spilled, and what is in the input's place takes no other.
#[test]
fn limits_and_sorts_in_place_are_explained() {
    let folder = Folder::new();
    folder.write("in", random_records(600_000, 100));
    let words = "-F fixed:100 -k 0..10 -M 56MiB -j 2";
    let explain = |more: &str| folder.run(&format!("explain --form json {words} {more}")).quietly();
    let told = |json: &[u8], name: &str| figure(json, &["outlook", name]);

    let all = explain("in");
    let few = explain("--limit 100 in");
    let sorted = folder.run(&format!("sort --stats json {words} --limit 100 -o out in"));
    assert_eq!(sorted.status, 0, "{sorted:?}");
    let sorted = sorted.words.into_bytes();
    // Loads end where records do.
    assert!(told(&few, "runs").abs_diff(figure(&sorted, &["runs"])) <= 1);
    let spilled = figure(&sorted, &["streams", "spill_written"]);
    let (most, whole) = (told(&few, "spilled_bytes"), told(&all, "spilled_bytes"));
    assert!(spilled <= most && most < whole / 10 * 9, "{spilled}, {most} told, {whole} of all");

    let in_place = folder.run(&format!("explain {words} --in-place in")).quietly();
    let in_place = String::from_utf8(in_place).expect("text");
    assert!(in_place.contains(" next to the input on its own device\n"), "{in_place}");
    let folded = folder.run(&format!("explain {words} --unique in")).quietly();
    assert!(String::from_utf8(folded).expect("text").contains("at most 2 passes"), "at most");
}
