//! Events and statistics that programs read: while a sort runs, and in the end.

use std::process::Command;

use serde_json::Value;

use crate::harness::{Folder, random_records};

const STREAMS: [&str; 4] = ["input_read", "spill_written", "spill_read", "output_written"];

fn sum(list: &Value) -> f64 {
    list.as_array().expect("a list").iter().map(|item| item.as_f64().expect("a number")).sum()
}

/// Either what the processor counted, or the sentence why it did not.
fn assert_counted(of: &Value) {
    let counters = &of["counters"];
    match counters["missing"].as_str() {
        Some(why) => assert!(why.len() > 20 && !why.ends_with('.'), "{counters}"),
        None => {
            // A counter that had no turn beside others counted nothing.
            let is_known = counters.get("cycles").is_some_and(|cycles| !cycles.is_null());
            let cycles = counters["cycles"].as_u64();
            assert!(!is_known || cycles > of["records"].as_u64(), "{counters}");
            assert!(counters.is_object(), "{of}");
        }
    }
}

#[test]
fn a_timeline_has_all_that_was_moved() {
    let folder = Folder::new();
    folder.write("in put", random_records(1_000_000, 100));
    for (memory, passes) in [("64MiB", 2), ("1GiB", 1)] {
        let line = format!("sort -F fixed:100 -k 0..10 -M {memory} -j 2 --stats json -o out");
        let words: Vec<&str> = line.split(' ').chain(["in put"]).collect();
        let output = folder.command(&words).output().expect("run");
        let of: Value = serde_json::from_slice(&output.stderr).expect("JSON");
        assert_eq!(of["passes"], passes);
        for stream in STREAMS {
            let (seen, moved) = (sum(&of["timeline"][stream]), &of["streams"][stream]);
            assert_eq!(Some(seen), moved.as_f64(), "{stream} of {memory}");
            let latency = &of["latency"][stream];
            let count = latency["count"].as_u64().unwrap_or(0);
            assert_eq!(of["requests"][stream]["count"], count, "{stream} of {memory}");
            assert_eq!(count == 0, seen == 0.0, "{stream} of {memory}");
            let waits = sum(&of["timeline"]["waiting_for"][stream]);
            let of_workers = of["workers"].as_array().expect("workers").iter();
            let told = of_workers.map(|one| one["waiting_for"][stream].as_f64().expect("seconds"));
            assert!((waits - told.sum::<f64>()).abs() < 0.01, "{stream} of {memory}");
            assert!(count > 0 || waits == 0.0, "{stream} of {memory}");
        }
        let seconds = of["seconds"].as_f64().expect("seconds");
        let samples = of["timeline"]["phase"].as_array().expect("phases").len() as f64;
        let interval = of["timeline"]["interval_seconds"].as_f64().expect("seconds");
        assert!((samples - 1.0) * interval <= seconds + 0.05, "{samples} in {seconds} s");
        let workers = of["workers"].as_array().expect("workers");
        assert_eq!(workers.len(), 2);
        for worker in workers {
            let parts = worker.as_object().expect("times").values();
            let all: f64 = parts.filter_map(Value::as_f64).sum();
            let waits = worker["waiting_for"].as_object().expect("waits").values();
            let waited: f64 = waits.map(|wait| wait.as_f64().expect("seconds")).sum();
            assert!((waited - worker["waiting"].as_f64().expect("seconds")).abs() < 1e-6);
            assert!((all - seconds).abs() < 0.05 * seconds + 0.01, "{all} of {seconds}: {worker}");
            assert!(worker["dealing"].as_f64() > Some(0.0), "{worker}");
        }
        assert_counted(&of);
        assert_eq!(of["job"]["inputs"][0], "in put");
        assert!(of["job"]["command"].as_str().expect("words").ends_with("-o out 'in put'"));
        assert!(of["machine"]["kernel"].is_string() && of["advice"].is_array(), "{of}");
    }
}

#[test]
fn more_memory_is_advised_where_it_would_save_a_pass() {
    let folder = Folder::new();
    folder.write("in", random_records(1_000_000, 100));
    let sort = "sort -F fixed:100 -k 0..10 --stats text -o out in -M";
    let said = folder.run(&format!("{sort} 64MiB")).words;
    let advice = said.lines().find(|line| line.starts_with("advice")).expect("advice");
    let budget = advice.split("--memory ").nth(1).expect("a budget");
    let budget = budget.split(' ').next().expect("a size");
    let said = folder.run(&format!("{sort} {budget}")).words;
    assert!(said.contains("1 pass") && !said.contains("--memory"), "{said}");
}

/// Pipes and coders that keep a sort are named, instead of disks.
#[test]
fn advice_names_what_a_sort_waited_for() {
    let folder = Folder::new();
    let sortwell = folder.command(&["sort"]).get_program().to_owned();
    let advice = |script: &str| {
        let mut shell = Command::new("bash");
        shell.args(["-c", script]).env("SORTWELL", &sortwell).current_dir(folder.path());
        let said = shell.output().expect("bash");
        let words = String::from_utf8(said.stderr).expect("text");
        let lines = words.lines().filter(|line| line.starts_with("advice"));
        lines.collect::<Vec<&str>>().join("\n")
    };
    let slow_input = "(echo b; sleep 1.5; echo a) | \"$SORTWELL\" sort --stats text -o out";
    let said = advice(slow_input);
    assert!(
        said.contains("the program that writes to the pipe") && !said.contains("disks"),
        "{said}"
    );

    folder.write("in", random_records(20_000, 100));
    let slow_reader =
        "\"$SORTWELL\" sort -F fixed:100 --stats text in | (sleep 1.5; cat > /dev/null)";
    let said = advice(slow_reader);
    assert!(
        said.contains("the program that reads the output") && !said.contains("disks"),
        "{said}"
    );

    let slow_packer =
        "(echo b; sleep 1.5; echo a) | gzip | \"$SORTWELL\" sort --decompress gzip --stats text";
    let said = advice(&format!("{slow_packer} -o out"));
    assert!(said.contains("to be decompressed") && !said.contains("disks"), "{said}");
}

/// A merge is looked at as a sort is: what it reads of inputs and of runs, and how long that took.
#[test]
fn a_merge_has_a_timeline_and_latencies_too() {
    let folder = Folder::new();
    let names: Vec<String> = (0..600).map(|number| format!("in{number}")).collect();
    names.iter().for_each(|name| folder.write(name, "x\n".repeat(5000)));
    for count in [3, 600] {
        let said = folder.run(&format!("merge --stats json -o out {}", names[..count].join(" ")));
        let of: Value = serde_json::from_str(&said.words).expect("JSON");
        assert_counted(&of);
        for stream in STREAMS {
            let (seen, moved) = (sum(&of["timeline"][stream]), &of["streams"][stream]);
            assert_eq!(Some(seen), moved.as_f64(), "{stream} of {count}");
            let requests = of["latency"][stream]["count"].as_u64().unwrap_or(0);
            assert_eq!(of["requests"][stream]["count"], requests, "{stream} of {count}");
            assert_eq!(requests == 0, seen == 0.0, "{stream} of {count}");
        }
    }
}

/// A copy counts what it reads and what it writes.
#[test]
fn events_of_a_copy_tell_reads_from_writes() {
    let folder = Folder::new();
    folder.write("in", random_records(1000, 100));
    std::fs::create_dir(folder.at("member")).expect("a directory");
    folder.run("stripe create set.str member").quietly();
    let said = folder.run("stripe copy --progress json in set.str");
    let line = said.words.lines().last().expect("an event");
    let last: Value = serde_json::from_str(line).expect("an object");
    assert_eq!((&last["input_read"], &last["output_written"]), (&100_000.into(), &100_000.into()));
    let said = folder.run("stripe cat --progress json set.str");
    let line = said.words.lines().last().expect("an event");
    let last: Value = serde_json::from_str(line).expect("an object");
    assert_eq!((&last["input_read"], &last["output_written"]), (&100_000.into(), &100_000.into()));
}

/// Requests go beyond the end of a short file, and what is read ahead may not be wanted.
#[test]
fn a_merge_reads_no_more_from_the_page_cache_than_it_reads() {
    let folder = Folder::new();
    folder.write("short", "a\n");
    folder.write("long", "b\n".repeat(8_000_000));
    for line in ["short short", "--unique short long", "--limit 3 long long"] {
        let said = folder.run(&format!("merge --stats json -o out {line}"));
        assert_eq!(said.status, 0, "{said:?}");
        let account: Value = serde_json::from_str(&said.words).expect("an object");
        let cached = account["requests"]["input_read"]["cached_bytes"].as_u64();
        assert!(cached <= account["streams"]["input_read"].as_u64(), "{line}: {account}");
    }
}

/// A merge reads its inputs, and runs only where there are too many to be merged at once.
#[test]
fn events_of_a_merge_tell_inputs_from_runs() {
    let folder = Folder::new();
    let names: Vec<String> = (0..600).map(|number| format!("in{number}")).collect();
    names.iter().for_each(|name| folder.write(name, "x\n".repeat(50)));
    let last = |inputs: &[String]| {
        let said = folder.run(&format!("merge --progress json -o out {}", inputs.join(" ")));
        assert_eq!(said.status, 0, "{said:?}");
        let line = said.words.lines().last().expect("an event").to_owned();
        serde_json::from_str::<Value>(&line).expect("an object")
    };
    let once = last(&names[..3]);
    assert_eq!((&once["input_read"], &once["spill_read"]), (&300.into(), &0.into()), "{once}");
    let twice = last(&names);
    assert_eq!(twice["input_read"], 60_000, "{twice}");
    assert!(twice["spill_read"].as_u64() > Some(0), "{twice}");
}

#[test]
fn events_say_how_far_a_sort_is() {
    let folder = Folder::new();
    folder.write("in", random_records(1_000_000, 100));
    let said = folder.run("sort -F fixed:100 -k 0..10 -M 64MiB --progress json -o out in");
    assert_eq!(said.status, 0, "{said:?}");
    let event = |line: &str| serde_json::from_str::<Value>(line).expect("an object");
    let events: Vec<Value> = said.words.lines().map(event).collect();
    let last = events.last().expect("one at the end");
    assert_eq!(last["phase"], "finishing");
    assert_eq!((&last["done"], &last["seconds_left"]), (&1.0.into(), &0.0.into()), "{last}");
    let bytes = |of: &Value, name: &str| of[name].as_u64().expect("bytes");
    assert_eq!(bytes(last, "bytes_done"), bytes(last, "bytes_total"), "{last}");
    let is_possible = |event: &Value| event["bytes_done"].as_u64() <= event["bytes_total"].as_u64();
    assert!(events.iter().filter(|event| !event["bytes_total"].is_null()).all(is_possible));
    assert_eq!(last["input_read"], 100_000_000);
    let done: Vec<f64> = events.iter().map(|event| event["done"].as_f64().unwrap_or(0.0)).collect();
    assert!(done.is_sorted() && done.last() > Some(&0.8), "{done:?}");
}
