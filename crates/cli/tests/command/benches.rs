//! Every bench from end to end at a toy size: its tables, its JSON, its page, and nothing left.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::harness::{DIED_OF_INT, DIED_OF_TERM, Folder, Said, ended, signal};

/// Runs a bench with few and small sorts, and gives what it found.
fn found(line: &str) -> Value {
    let folder = Folder::new();
    std::fs::create_dir(folder.at("ground")).expect("a directory");
    let how = "ground --runs 1 --json found.json --report found.html";
    let words = folder.run(&format!("bench {line} {how}")).quietly();
    let words = String::from_utf8(words).expect("text");
    let finding: Value = serde_json::from_slice(&folder.read("found.json")).expect("JSON");
    let page = String::from_utf8(folder.read("found.html")).expect("text");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains(r#""bench":{"#));
    let entries = std::fs::read_dir(folder.at("ground")).expect("list");
    assert_eq!(entries.count(), 0, "nothing is left of it");
    for part in ["about", "answer", "title"] {
        let part = finding[part].as_str().expect("words");
        assert!(!part.is_empty() && words.contains(&part[..part.len().min(40)]), "{words}");
    }
    assert!(words.contains("Limits of the comparison:"), "{words}");
    for table in list(&finding["tables"]) {
        let columns = list(&table["columns"]).len();
        assert!(!list(&table["rows"]).is_empty(), "{table}");
        assert!(list(&table["rows"]).iter().all(|row| list(row).len() == columns), "{table}");
    }
    for samples in list(&finding["samples"]) {
        assert!(!list(&samples["values"]).is_empty(), "{samples}");
    }
    assert!(finding["setting"]["machine"]["cores"].as_u64() > Some(0));
    let command = finding["setting"]["command"].as_str().expect("words");
    assert!(command.starts_with("sortwell bench "), "{command}");
    finding
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// The table of this title.
fn table<'f>(finding: &'f Value, title: &str) -> &'f Value {
    let titled = |table: &&Value| table["title"].as_str().is_some_and(|t| t.starts_with(title));
    list(&finding["tables"]).iter().find(titled).unwrap_or_else(|| panic!("{finding:#}"))
}

/// The figures in a column: the middle of each, where there are several.
fn column(table: &Value, name: &str) -> Vec<f64> {
    let place = list(&table["columns"]).iter().position(|column| column == name);
    let place = place.unwrap_or_else(|| panic!("no {name} in {table:#}"));
    let figure = |row: &Value| row[place].as_f64().or(row[place]["median"].as_f64());
    list(&table["rows"]).iter().map(|row| figure(row).expect("a figure")).collect()
}

fn sources(finding: &Value) -> (usize, usize) {
    let measured = |table: &&Value| table["source"] == "measured";
    let count = list(&finding["tables"]).iter().filter(measured).count();
    (count, list(&finding["tables"]).len() - count)
}

#[test]
fn datamation() {
    let finding = found("datamation --records 20000 --price 2000");
    assert_eq!(sources(&finding), (2, 14));
    let whole = table(&finding, "The whole sort");
    let seconds = column(whole, "seconds")[0];
    let cost = column(whole, "$/sort")[0];
    assert!((cost - 2000.0 * seconds / 157_680_000.0).abs() < 1e-12);
    // The steps are parts of the whole; what is between them is the threads' start and end.
    let steps: f64 = column(table(&finding, "Its seven steps"), "seconds").iter().sum();
    assert!(steps > 0.5 * seconds && steps < 1.01 * seconds, "{steps} of {seconds}");
    assert!(finding["about"].as_str().expect("words").contains("not the benchmark"));
    assert_eq!(list(&finding["references"]).len(), 4);
}

#[test]
fn minute() {
    let finding = found("minute --seconds 5 --largest 3MB --price 1000");
    assert_eq!(sources(&finding), (2, 12));
    let most = table(&finding, "Largest sizes sorted");
    assert_eq!(list(&most["rows"]).len(), 2, "Indy and Daytona");
    assert!(column(most, "GB").iter().all(|size| *size > 0.0 && *size <= 0.003));
    assert!(column(most, "$/GB").iter().all(|cost| *cost > 0.0));
}

#[test]
fn penny() {
    // Of 60 million dollars a penny lasts a hundredth of a second.
    let finding = found("penny --price 60000000 --largest 64MB");
    assert_eq!(sources(&finding), (2, 5));
    let seconds = column(table(&finding, "Results for a penny"), "seconds for a penny");
    assert!((seconds[0] - 0.01).abs() < 1e-9 && (seconds[1] - 0.0158).abs() < 1e-4);
    assert_eq!(list(&table(&finding, "Sorts used for")["rows"]).len(), 4);
    assert_eq!(list(&finding["charts"]).len(), 1);
    let folder = Folder::new();
    for line in ["penny --price 1 --largest 99", "scale --largest 99", "minute --largest 99"] {
        folder.run(&format!("bench {line}")).fails(2, &["--largest 99 bytes is too small"]);
    }
    folder.run("bench minute --seconds 0.000001").fails(2, &["--seconds", "too short"]);
    let words = ["cannot create a directory for the measurement in nowhere"];
    folder.run("bench datamation nowhere").fails(4, &words);
    let words = folder.run("bench penny --price none");
    assert!(words.status == 2 && words.words.contains("number of dollars"), "{words:?}");
}

/// Where there are counters there is a figure, and elsewhere a word on it.
#[test]
fn joule() {
    let folder = Folder::new();
    let said = folder.run("bench joule --size 1MB --runs 1");
    match said.status {
        0 => assert!(String::from_utf8_lossy(&said.out).contains("records for a joule")),
        _ => assert!(said.status == 2 && said.words.contains("does not report its energy")),
    }
    assert!(folder.names().is_empty(), "nothing is left of it");
}

#[test]
fn interfaces() {
    let finding = found("interfaces --memory 32MiB");
    let (measured, printed) = sources(&finding);
    assert_eq!((measured, printed), (2, 8));
    let limited = table(&finding, "Seconds of sorts");
    assert!(list(&limited["rows"]).len() >= 4);
    assert_eq!(list(&limited["columns"]).len(), 6);
    let levers = table(&finding, "One setting at a time");
    assert!(column(levers, "seconds").iter().all(|seconds| *seconds > 0.0));
    assert!(column(levers, "passes").contains(&2.0), "{levers:#}");
}

#[test]
fn runs() {
    let finding = found("runs --size 40MB");
    assert_eq!(sources(&finding), (4, 3));
    let counts = column(table(&finding, "More and more runs with one budget"), "runs");
    assert!(counts.is_sorted() && counts.first() < counts.last(), "{counts:?}");
    let in_memory = column(table(&finding, "Runs in memory"), "runs");
    assert!(in_memory.is_sorted() && in_memory[0] >= 3.0 && in_memory[4] >= 300.0, "{in_memory:?}");
    let sizes = table(&finding, "0.0400 GB");
    let passes = column(sizes, "passes");
    assert_eq!((passes.first(), passes.last()), (Some(&2.0), Some(&1.0)), "{sizes:#}");
    let ways = table(&finding, "Ways to merge");
    assert_eq!(list(&ways["rows"]).len(), 9);
    assert!(column(ways, "reads of runs").iter().all(|reads| *reads > 0.0));
    let said = Folder::new().run("bench runs --size 1MB");
    assert!(said.status == 2 && said.words.contains("give a larger --size"), "{said:?}");
}

#[test]
fn scale() {
    let finding = found("scale --largest 40MB --threads 2");
    let times = table(&finding, "Times");
    assert_eq!(list(&times["rows"]).len(), 3, "10, 31.6 and 40 MB");
    assert!(column(times, "seconds, 2 threads").iter().all(|seconds| *seconds > 0.0));
    let laws = table(&finding, "The power law");
    assert_eq!(list(&laws["rows"]).len(), 2);
    let lines = list(&finding["charts"][0]["lines"]);
    assert!(lines.iter().all(|line| list(&line["points"]).len() == 3));
}

#[test]
fn index() {
    let finding = found("index --rows 60000 --threads 2");
    assert_eq!(sources(&finding), (5, 9));
    let serial = table(&finding, "Seconds of serial builds");
    let parallel = table(&finding, "Seconds of parallel builds, 2 threads, 60000 rows");
    for builds in [serial, parallel] {
        assert_eq!(list(&builds["rows"]).len(), 6);
        assert!(column(builds, "direct off").iter().all(|seconds| *seconds > 0.0));
        assert!(column(builds, "runs")[0] >= 2.0 && column(builds, "passes")[0] == 2.0);
    }
    let gains = table(&finding, "Reduction of the time in %");
    assert_eq!(column(gains, "serial, direct off")[0], 0.0);
    let [first, last] = [0, 5].map(|row| column(parallel, "direct off")[row]);
    let gain = column(gains, "parallel, direct off")[5];
    assert!((gain - (1.0 - last / first) * 100.0).abs() < 0.06, "{gain}: {first}, {last}");
    let buffers = table(&finding, "Seconds of parallel builds, 2 threads, by their write buffers");
    assert_eq!(column(buffers, "write buffers"), [3.0, 4.0, 8.0]);
    let chosen = table(&finding, "Builds with the settings of sortwell");
    assert_eq!(column(chosen, "threads"), [1.0, 2.0]);
    assert_eq!(column(chosen, "runs"), [0.0, 0.0], "they fit in memory");
    assert!(column(chosen, "MB of the index").iter().all(|size| *size > 0.5 && *size < 5.0));
    let words = finding["references"][0].as_str().expect("words");
    assert!(words.contains("Tuning Large Sorts"), "{words}");
    let said = Folder::new().run("bench index --rows 1000000000000000");
    assert!(said.status == 2 && said.words.contains("give fewer --rows"), "{said:?}");
}

/// Results go where they were asked for, and what cannot be written is told before the bench.
#[test]
fn results_go_where_they_are_asked_for() {
    let folder = Folder::new();
    let line = "bench datamation --records 1000 --runs 2";
    let json = folder.run(&format!("{line} --json -")).quietly();
    let finding: Value = serde_json::from_slice(&json).expect("JSON alone");
    assert_eq!(list(&finding["samples"][0]["values"]).len(), 2);
    let said = folder.run(&format!("{line} --report none/page.html"));
    assert_eq!(said.status, 4, "{said:?}");
    let words = ["--report needs the name of a file", "the output of --json - to"];
    folder.run(&format!("{line} --report -")).fails(2, &words);
    let words = ["the page would replace found", "another name"];
    folder.run(&format!("{line} --json found --report ./found")).fails(2, &words);
    let said = folder.run("bench datamation nowhere --records 1000");
    assert!(said.status != 0 && said.words.contains("nowhere"), "{said:?}");
    assert!(folder.names().is_empty(), "nothing is left of it");
}

#[test]
fn arguments_need_not_be_utf_8() {
    let folder = Folder::new();
    let name = OsStr::from_bytes(b"found \xff.json");
    let mut command = folder.command(&["bench", "datamation", "--records", "1000", "--runs", "1"]);
    let said = Said::from(command.arg("--json").arg(name).output().expect("run"));
    said.quietly();
    let json = std::fs::read(folder.path().join(name)).expect("the result");
    let finding: Value = serde_json::from_slice(&json).expect("JSON");
    let command = finding["setting"]["command"].as_str().expect("words");
    assert!(command.ends_with("--json 'found \u{fffd}.json'"), "{command}");
}

/// One that is stopped ends soon, together with the sort that it had started.
#[test]
fn a_bench_that_is_stopped_leaves_nothing() {
    for (name, status) in [("INT", DIED_OF_INT), ("TERM", DIED_OF_TERM)] {
        let folder = Folder::new();
        let child = folder.start("bench datamation --records 300000 --runs 1000");
        sleep(Duration::from_millis(1500));
        signal(&child, name);
        let said = Said::from(ended(child, Duration::from_secs(20)));
        assert_eq!(said.status, status, "{said:?}");
        assert!(folder.names().is_empty(), "{name}: {:?}", folder.names());
    }
}
