//! A sort does what `explain` says.

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

/// The predicted budget for one pass is the least, also if keys or compression take a part of it.
#[test]
fn the_budget_of_one_pass_is_enough_and_the_least() {
    let folder = Folder::new();
    let line = |number: u64| format!("{},Name {}\n", number * 7919 % 1_000_003, number % 9173);
    folder.write("in", (0..500_000).map(line).collect::<String>());
    for words in ["-t , -k 2:ci -o out", "-t , -k 2 -o out", "-t , -k 2 -o out.zst"] {
        for memory in ["48MiB", "1GiB"] {
            let words = format!("{words} -j 2 in");
            let explain = |memory: &str| {
                folder.run(&format!("explain --form json -M {memory} {words}")).quietly()
            };
            let least = figure(&explain(memory), &["one_pass", "budget"]) >> 20;
            for (mib, passes) in [(least, 1), (least - 2, 2)] {
                let predicted = figure(&explain(&format!("{mib}MiB")), &["outlook", "passes"]);
                assert_eq!(predicted, passes, "{words} within {mib} MiB, from {memory}");
                let sort = format!("sort --force --stats json -M {mib}MiB {words}");
                let sorted = folder.run(&sort).words.into_bytes();
                assert_eq!(figure(&sorted, &["passes"]), passes, "{sort}");
            }
        }
    }
}

#[test]
fn each_decision_has_its_reason() {
    let folder = Folder::new();
    folder.write("in", random_records(600_000, 100));
    let explain = |words: &str| {
        let explained = folder.run(&format!("explain -F fixed:100 -j 2 {words} in")).quietly();
        String::from_utf8(explained).expect("text")
    };
    let two = explain("-M 56MiB --merge-width 20");
    for line in [
        "why      2 passes: the input with its entries takes ",
        "         2 threads: the number of processors, or of --threads\n",
        "         each load becomes a run: ",
        "         two loads take turns: one is read while",
        "         loads of ",
        "         runs merged by slabs: all threads",
        "         at most 20 runs at once: as asked for\n",
        "         8 reads of ",
    ] {
        assert!(two.contains(line), "'{line}' is not in\n{two}");
    }
    assert_eq!(two.matches("why ").count(), 1, "{two}");
    let one = explain("-M 256MiB");
    assert!(one.contains("why      1 pass: the input fits in memory: with its entries it takes "));
    assert!(!one.contains("runs at once"), "{one}");

    let json = explain("--form json -M 256MiB");
    let whole: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let threads = &whole["decisions"][1];
    assert_eq!((&threads["topic"], &threads["choice"]), (&"threads".into(), &"2 threads".into()));
    assert_eq!(threads["reason"], "the number of processors, or of --threads");
}

/// The spill space that is explained suffices as a limit, and a smaller limit is warned of.
#[test]
fn spill_space_is_enough_for_a_limit() {
    let folder = Folder::new();
    folder.write("in", random_records(100_000, 100));
    let words = "-F fixed:100 -k 0..10 -M 22MiB -j 2 -T . -o out in";
    let explained = folder.run(&format!("explain {words}")).quietly();
    let explained = String::from_utf8(explained).expect("text");
    let space = explained.split("spill space ").nth(1).expect("a size");
    let space = space.lines().next().expect("a line").replace(' ', "");
    folder.run(&format!("sort --temp-limit {space} {words}")).quietly();
    let said = folder.run(&format!("explain --temp-limit 1MiB {words}"));
    assert!(said.status == 0 && said.words.contains("would be refused"), "{said:?}");
}

#[test]
fn streams_are_as_many_as_explained() {
    let folder = Folder::new();
    let line = |number: u64| format!("{:07},{}\n", number * 7919 % 1_000_003, "x".repeat(90));
    folder.write("in", (0..100_000).map(line).collect::<String>());
    let words = "--merge streams -M 20MiB -j 2 -o out in in";
    let explained = folder.run(&format!("explain --form json {words}")).quietly();
    let sorted = folder.run(&format!("sort --stats json {words}")).words.into_bytes();
    let passes = figure(&explained, &["outlook", "passes"]);
    assert_eq!((passes, figure(&sorted, &["passes"])), (2, 2));
}

#[test]
fn options_that_only_watch_a_sort_are_ignored() {
    let folder = Folder::new();
    folder.write("in", random_records(10, 100));
    let words = "--progress json --stats json --report page.html -o out";
    folder.run(&format!("explain -F fixed:100 {words} in")).quietly();
    assert_eq!(folder.names(), ["in"], "nothing is written");
    let help = String::from_utf8(folder.run("explain --help").quietly()).expect("text");
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("It ignores --progress, --stats and --report."), "{help}");
}

#[test]
fn what_cannot_be_explained_says_so() {
    let folder = Folder::new();
    folder.run_with("explain -", b"x\n").fails(2, &["not known in advance"]);
    folder.run("explain nowhere").fails(4, &["nowhere"]);
    folder.write("in", random_records(10, 100));
    for what in ["", "-o out.gz", "-o /dev/stdout", "-o out --algorithm replacement-selection"] {
        let [asked, sorted] = ["explain", "sort"]
            .map(|command| folder.run(&format!("{command} --resume -F fixed:100 {what} in")));
        assert_eq!((asked.status, sorted.status), (2, 2), "{what}: {asked:?}");
        assert_eq!(asked.words, sorted.words, "{what}");
    }
    folder.run("explain -F fixed:100 -M 1MiB in").fails(2, &["too small"]);
    folder.run("explain -F fixed:99 in").fails(3, &["not a multiple"]);
}

/// Outputs and directories that a sort refuses are refused in the same words.
#[test]
fn outputs_are_looked_at_as_by_a_sort() {
    let folder = Folder::new();
    folder.write("in", "b\na\n");
    std::fs::create_dir(folder.at("folder")).expect("a directory");
    for words in ["--split 3 in", "-T missing -o out in", "-o folder in", "-o missing/out in"] {
        let explained = folder.run(&format!("explain {words}"));
        let sorted = folder.run(&format!("sort {words}"));
        assert_eq!((explained.status, &explained.words), (sorted.status, &sorted.words));
        assert!(sorted.status != 0, "{words}");
    }
    folder.run("explain --split 3 -o folder in").quietly();
}

/// Records that are not wanted are not spilled, and a sort in place takes no other room.
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

/// AlphaSort's question: memory for one pass, or disks for two?
#[test]
fn one_pass_is_compared_with_two_by_price() {
    let folder = Folder::new();
    folder.write("in", random_records(600_000, 100));
    std::fs::create_dir(folder.at("scratch")).expect("a directory");
    let words = "-F fixed:100 -k 0..10 -j 2 -o out in";
    let explain = |more: &str| {
        let explained = folder.run(&format!("explain {more} {words}")).quietly();
        String::from_utf8(explained).expect("text")
    };
    assert!(!explain("").contains("price"), "only where it is asked for");
    let cheap_disks = explain("--price-memory 4 --price-disk 0.05");
    let line = cheap_disks.lines().find(|line| line.starts_with("price    ")).expect("a line");
    for part in ["one pass 0.", " of memory), two passes 0.", " of disks 0.0030); two passes are "]
    {
        assert!(line.contains(part), "'{part}' is not in {line}");
    }
    let dear_disks = explain("--price-memory 100/MB --price-disk 2400/disk -T . -T scratch");
    assert!(dear_disks.contains(", 2 disks 4800.00); "), "{dear_disks}");

    let json = explain("--form json --price-memory 4/GB --price-disk 60/disk");
    let whole: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let price = |passes: &str, what: &str| whole["prices"][passes][what].as_f64().expect("a price");
    let memory = whole["one_pass"]["budget"].as_f64().expect("a budget") * 4e-9;
    assert!((price("one_pass", "total") / memory - 1.0).abs() < 1e-9, "{json}");
    assert!((price("two_passes", "disks") - 60.0).abs() < 1e-9, "{json}");
    assert_eq!(whole["prices"]["cheaper"], "one-pass");

    folder.run("explain --price-memory 4 in").fails(2, &["--price-disk"]);
    let wrong = folder.run("explain --price-memory 4 --price-disk much in");
    wrong.fails(2, &["'much' is not a price of disks", "2400/disk"]);
}
