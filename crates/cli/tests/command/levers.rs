//! What each lever does is seen in the statistics.

use serde_json::Value;

use crate::harness::{Folder, random_records, some, sorted_by};

/// A sort in two passes and the account of it.
fn sorted(folder: &Folder, levers: &str) -> Value {
    let words =
        "-F fixed:100 -k 0..10 -M 64MiB -j 2 --io threads --sync off --stats json -o out in";
    let said = folder.run(&format!("sort {levers} {words}"));
    assert_eq!(said.status, 0, "{said:?}");
    let statistics: Value = serde_json::from_str(&said.words).expect("JSON");
    assert!(statistics["passes"].as_u64() >= Some(2), "{statistics}");
    statistics
}

fn of(statistics: &Value, stream: &str, figure: &str) -> f64 {
    let found = statistics["requests"][stream][figure].as_f64();
    found.unwrap_or_else(|| panic!("{stream} {figure} in {statistics}"))
}

/// Bytes of a request, on average.
fn bytes_each(statistics: &Value, stream: &str) -> f64 {
    let bytes = statistics["streams"][stream].as_f64().expect("bytes");
    bytes / of(statistics, stream, "count")
}

fn depth(statistics: &Value, stream: &str) -> f64 {
    of(statistics, stream, "in_flight") / of(statistics, stream, "count")
}

#[test]
fn levers_are_seen_in_the_statistics() {
    let folder = Folder::new();
    folder.write("in", random_records(2_000_000, 100));
    let usual = sorted(&folder, "");
    let expected = std::fs::read(folder.at("out")).expect("read");

    let blocks = sorted(&folder, "--block-size 2MiB");
    let (small, large) = (bytes_each(&usual, "input_read"), bytes_each(&blocks, "input_read"));
    assert!(small < 600_000.0 && large > 1_500_000.0, "{small} {large}");

    let deep = sorted(&folder, "--queue-depth 48 --direct off");
    let (few, many) = (depth(&usual, "input_read"), depth(&deep, "input_read"));
    assert!(few <= 4.0 && many > 2.0 * few, "{few} {many}");
    let through = of(&deep, "input_read", "cached_bytes");
    assert!(through >= 200_000_000.0, "all of it through the cache: {through}");

    let buffers = sorted(&folder, "--write-buffers 3 --write-buffer-size 2MiB");
    let small = bytes_each(&usual, "spill_written");
    let large = bytes_each(&buffers, "spill_written");
    // Tasks of a small load end before a large buffer is full.
    assert!(large > 1.5 * small, "{small} {large}");

    let short = sorted(&folder, "--run-size 1MiB");
    let runs = |of: &Value| of["runs"].as_u64().expect("runs");
    assert!((190..=200).contains(&runs(&short)), "{} runs of 200 MB", runs(&short));
    assert!(runs(&usual) < 20, "{}", runs(&usual));

    let factor = sorted(&folder, "--read-factor 512");
    let narrow = sorted(&folder, "--merge-width 3");
    let width = |of: &Value| of["merge_width"].as_u64().expect("a width");
    assert!(width(&factor) < width(&usual), "{} {}", width(&factor), width(&usual));
    assert_eq!(width(&narrow), 3);
    assert!(usual["runs_merged_again"] == 0 && narrow["runs_merged_again"].as_u64() > Some(3));
    assert!(narrow["passes"].as_u64() > usual["passes"].as_u64());
    assert_eq!(std::fs::read(folder.at("out")).expect("read"), expected, "the same bytes");
}

/// Those of a merge of sorted files, too.
#[test]
fn levers_of_merges_are_seen_in_the_statistics() {
    let folder = Folder::new();
    folder.write("in", random_records(2_000_000, 100));
    for part in 0..8 {
        let rest = format!("-F fixed:100 --skip {} --limit 250000", part * 250_000);
        assert_eq!(folder.run(&format!("sort {rest} -o part-{part} in")).status, 0);
    }
    let merged = |levers: &str| {
        let parts: String = (0..8).map(|part| format!(" part-{part}")).collect();
        let words =
            "-F fixed:100 -M 64MiB --io threads --direct off --sync off --stats json -o out";
        let said = folder.run(&format!("merge {levers} {words}{parts}"));
        assert_eq!(said.status, 0, "{said:?}");
        serde_json::from_str::<Value>(&said.words).expect("JSON")
    };
    let usual = merged("");
    let expected = std::fs::read(folder.at("out")).expect("read");

    let blocks = merged("--block-size 1MiB");
    let (small, large) = (bytes_each(&usual, "input_read"), bytes_each(&blocks, "input_read"));
    assert!(small < 600_000.0 && large > 900_000.0, "{small} {large}");
    let factor = bytes_each(&merged("--read-factor 256"), "input_read");
    assert!(factor > 1_800_000.0, "{factor}");
    let alone = merged("--queue-depth 1");
    assert!(depth(&alone, "input_read") == 1.0 && depth(&usual, "input_read") > 1.0, "{alone}");
    let buffers = merged("--write-buffers 3 --write-buffer-size 4MiB");
    let small = bytes_each(&usual, "output_written");
    let large = bytes_each(&buffers, "output_written");
    assert!(large > 2.0 * small, "{small} {large}");
    let narrow = merged("--merge-width 3");
    assert_eq!((&narrow["merge_width"], &narrow["passes"]), (&3.into(), &2.into()));
    assert!(std::fs::read(folder.at("out")).expect("read") == expected, "the same bytes");
    folder.run("merge -M 64MiB --block-size 1GiB -o out part-0 part-1").fails(2, &["at least"]);
}

/// NOW-Sort's two forms, both ways to merge, and workers that stay where they are.
#[test]
fn overlap_merge_and_affinity_are_seen_in_the_statistics() {
    let folder = Folder::new();
    folder.write("in", random_records(1_400_000, 100));
    let usual = sorted(&folder, "");
    let expected = std::fs::read(folder.at("out")).expect("read");
    let stages = |of: &Value| {
        let figure = |name: &str| of["stages"][name].as_u64().expect("a number");
        (figure("count"), figure("overlapped"))
    };
    let (count, overlapped) = stages(&usual);
    assert!(overlapped > count / 2, "{overlapped} of {count}");
    // A load, or slab, takes two stages and is as large as two.
    let sync = sorted(&folder, "--overlap sync");
    let (others, none) = stages(&sync);
    assert!(others * 3 > count * 2 && none == 0, "{none} of {others}, of {count}");
    let runs = |of: &Value| of["runs"].as_u64().expect("runs") as f64;
    let longer = runs(&usual) / runs(&sync);
    assert!((1.7..2.4).contains(&longer), "{} runs, and {}", runs(&usual), runs(&sync));
    assert!(std::fs::read(folder.at("out")).expect("read") == expected);

    let streams = sorted(&folder, "--merge streams");
    assert!(std::fs::read(folder.at("out")).expect("read") == expected);
    assert_eq!((&usual["merge"], &streams["merge"]), (&"slabs".into(), &"streams".into()));
    let (written, _) = stages(&streams);
    assert!(written < count, "no stages of a merge: {written} of {count}");

    let refills = |of: &Value| {
        let figure = |name: &str| of["merge_buffers"][name].as_f64().expect("a number");
        assert_eq!(figure("refills"), self::of(of, "spill_read", "count"), "each is a request");
        figure("refill_bytes") / figure("refills")
    };
    let [even, whole] = ["geometry=0", "geometry=1"].map(|geometry| {
        let levers = format!("--merge streams --merge-buffers {geometry}");
        let statistics = sorted(&folder, &levers);
        assert!(std::fs::read(folder.at("out")).expect("read") == expected);
        refills(&statistics)
    });
    let half = refills(&streams);
    assert!(even < half && whole > 1.25 * even, "{even} {half} {whole}");
    let set = (&streams["merge_buffers"]["geometry"], &streams["merge_buffers"]["refill"]);
    assert_eq!(set, (&0.5.into(), &0.25.into()));
    assert!(usual["merge_buffers"].is_null(), "{usual}");
    let alone = "sort -F fixed:100 -k 0..10 --merge-buffers geometry=0.5 -o out in";
    folder.run(alone).fails(2, &["--merge-buffers", "--merge streams"]);
    let said = folder.run(&alone.replace("0.5", "2"));
    assert!(said.status == 2 && said.words.contains("geometry=0 to geometry=1"), "{said:?}");

    let pinned = sorted(&folder, "--affinity cores");
    assert!(std::fs::read(folder.at("out")).expect("read") == expected);
    let processors = pinned["processors"].as_array().expect("workers");
    assert_eq!(processors.len(), 2);
    for worker in processors {
        assert_eq!(worker.as_array().map(Vec::len), Some(1), "{processors:?}");
    }
    // What one worker does alone, it does where it stays, too.
    let levers = "--affinity cores --merge streams --algorithm replacement-selection";
    let alone = sorted(&folder, levers);
    assert!(std::fs::read(folder.at("out")).expect("read") == expected);
    assert_eq!(alone["processors"][0], processors[0], "{alone}");
    let has_several = std::thread::available_parallelism().is_ok_and(|count| count.get() > 1);
    assert!(!has_several || processors[0] != processors[1], "{processors:?}");
}

#[test]
fn a_way_to_merge_is_refused_in_place() {
    let folder = Folder::new();
    folder.write("in", random_records(100, 100));
    let line = "sort -F fixed:100 -k 0..10 --in-place --merge";
    for way in ["slabs", "streams"] {
        folder.run(&format!("{line} {way} in")).fails(2, &["--in-place", "leave out --merge"]);
    }
}

/// Requests in flight take memory of their own: threads that wait for them, or places in a ring.
#[test]
fn the_memory_ceiling_holds_with_deep_queues() {
    let folder = Folder::new();
    folder.write("in", random_records(1_200_000, 100));
    for engine in some(&["threads", "uring", "auto"]) {
        for levers in ["--queue-depth 1024", "--write-buffers 200 --write-buffer-size 16KiB"] {
            let words = "-F fixed:100 -k 0..10 -M 80MiB -j 2 --block-size 4KiB --stats json";
            let said = folder.run(&format!("sort {levers} --io {engine} {words} -o out in"));
            if engine == "uring" && said.status == 2 && said.words.contains("io_uring") {
                crate::harness::left_out("there is no io_uring here");
                continue;
            }
            assert_eq!(said.status, 0, "{said:?}");
            let statistics: Value = serde_json::from_str(&said.words).expect("JSON");
            let peak = statistics["memory_peak"].as_u64().expect("a peak");
            assert!(peak <= 80 << 20, "{engine} {levers}: {peak}");
        }
    }
    let words = "-F fixed:100 -k 0..10 -M 64MiB --queue-depth 4096 -o out in";
    folder.run(&format!("sort {words}")).fails(2, &["64 MiB", "at least"]);
}

#[test]
fn streams_go_past_the_cache_or_through_it() {
    let folder = Folder::new();
    folder.write("in", random_records(1_000_000, 100));
    let usual = sorted(&folder, "--direct on");
    assert_eq!(of(&usual, "spill_written", "cached_bytes"), 0.0);
    let mixed = sorted(&folder, "--direct input=on,spill=off,output=on");
    assert_eq!(of(&mixed, "spill_written", "cached_bytes"), spilled(&mixed));
    assert!(of(&mixed, "output_written", "cached_bytes") < 10_000_000.0, "edges alone");
    assert_eq!((&usual["direct_spill"], &mixed["direct_spill"]), (&true.into(), &false.into()));
    let refused = folder.run("sort --direct input=maybe in");
    assert!(refused.status == 2 && refused.words.contains("maybe"), "{refused:?}");
}

fn spilled(statistics: &Value) -> f64 {
    statistics["streams"]["spill_written"].as_f64().expect("bytes")
}

/// Short records are dealt as they arrive, so that each lies whole in one request, however small
/// requests are asked to be.
#[test]
fn small_requests_hold_short_records_whole() {
    let folder = Folder::new();
    for length in some(&(1..=17).collect::<Vec<_>>()) {
        let records = random_records(20_000, length);
        folder.write("in", &records);
        for line in ["-j 3 -o out in", "-j 1 -M 40MiB -o out in", "-j 3 -o out"] {
            let line = format!("sort -F fixed:{length} --block-size 4KiB {line}");
            folder.run_with(&line, &records).quietly();
            let expected = sorted_by(&records, length, <[u8]>::to_vec);
            assert!(folder.read("out") == expected, "{line}");
        }
    }
}

/// Runs in memory of psort and AlphaSort, in one pass and in two.
#[test]
fn microruns_are_seen_in_the_statistics() {
    let folder = Folder::new();
    let records = random_records(100_000, 100);
    folder.write("in", &records);
    let expected = sorted_by(&records, 100, |record| record[..10].to_vec());
    let figures = |levers: &str| {
        let words = "-F fixed:100 -k 0..10 -j 2 --stats json -o out in";
        let said = folder.run(&format!("sort {levers} {words}"));
        assert!(said.status == 0 && folder.read("out") == expected, "{levers}: {said:?}");
        let statistics: Value = serde_json::from_str(&said.words).expect("JSON");
        ["entries", "runs", "tree_width"].map(|name| statistics["microruns"][name].as_u64())
    };
    assert_eq!(figures("-M 64MiB"), [None; 3]);
    // 317 is the square root; each worker has a last run that may be short.
    let [entries, runs, width] = figures("-M 64MiB --algorithm mergesort").map(Option::unwrap);
    assert!(entries == 512 && (196..=197).contains(&runs) && width == runs, "{runs} {width}");
    let [entries, runs, _] =
        figures("-M 64MiB --algorithm mergesort --microrun 4096").map(Option::unwrap);
    assert!(entries == 4096 && (25..=26).contains(&runs), "{entries} {runs}");
    let [_, runs, _] = figures("-M 64MiB --algorithm alphasort").map(Option::unwrap);
    assert!((10..=11).contains(&runs), "{runs}");
    let [_, runs, _] =
        figures("-M 64MiB --algorithm alphasort --alphasort-runs 40").map(Option::unwrap);
    assert!((40..=41).contains(&runs), "{runs}");
    let [entries, runs, width] =
        figures("-M 32MiB --run-size 2MiB --algorithm mergesort --microrun 1000")
            .map(Option::unwrap);
    assert!(entries == 1000 && width < 30 && runs >= 100, "{runs} {width}");

    let sort = "sort -F fixed:100 -k 0..10 -M 64MiB -j 2 -o out in";
    let said = folder.run(&format!("{sort} --algorithm mergesort --microrun 64 --stats text"));
    assert!(said.words.contains("each of at most 64 records; tree of 156"), "{}", said.words);
    let said = folder.run(&format!("explain{} --algorithm alphasort", &sort[4..]));
    let plan = String::from_utf8_lossy(&said.out);
    assert!(plan.contains("runs of 10000 entries by quicksort"), "{plan}");
    for (lever, wanted) in [("--microrun 64", "mergesort"), ("--alphasort-runs 9", "alphasort")] {
        let said = folder.run(&format!("{sort} --algorithm quicksort {lever}"));
        said.fails(2, &[lever.split(' ').next().unwrap(), &format!("--algorithm {wanted}")]);
    }
}

/// psort's copies past the cache, in one pass, in runs, and of lines; a record that is longer than
/// a batch goes through the caches.
#[test]
fn streaming_stores_are_seen_in_the_statistics() {
    let folder = Folder::new();
    folder.write("in", random_records(100_000, 100));
    let lines: Vec<String> =
        random_records(50_000, 8).chunks(8).map(|r| format!("{r:?}\n")).collect();
    let mut lines = lines.concat().into_bytes();
    lines.extend([b'x'; 20_000]);
    folder.write("lines", &lines);
    let streamed = |words: &str, levers: &str| {
        let said = folder.run(&format!("sort {words} -j 2 --stats json {levers} -o out"));
        assert_eq!(said.status, 0, "{said:?}");
        let statistics: Value = serde_json::from_str(&said.words).expect("JSON");
        (folder.read("out"), statistics["streamed"].as_u64().expect("a number"))
    };
    for words in ["-F fixed:100 -M 64MiB in", "-F fixed:100 --run-size 2MiB in", "lines"] {
        let (usual, none) = streamed(words, "");
        let (out, bytes) = streamed(words, "--gather-stores streaming");
        assert!(out == usual && none == 0, "{words}");
        let long = if words == "lines" { 20_001 } else { 0 };
        assert_eq!(bytes, usual.len() as u64 - long, "{words}");
    }
}

/// The defaults of Oracle 7.2, and its synchronous I/O.
#[test]
fn levers_of_oracle_are_seen_in_the_statistics() {
    let folder = Folder::new();
    folder.write("in", random_records(400_000, 100));
    let usual = sorted(&folder, "--run-size 2MB");
    let expected = std::fs::read(folder.at("out")).expect("read");
    let is_expected = || std::fs::read(folder.at("out")).expect("read") == expected;

    let small = "--run-size 2MB --write-buffers 2 --write-buffer-size 32KiB";
    let buffers = sorted(&folder, small);
    assert!(is_expected());
    let set = &buffers["write_buffers"];
    assert_eq!((&set["count"], &set["bytes"]), (&2.into(), &(32 << 10).into()));
    for stream in ["spill_written", "output_written"] {
        let each = bytes_each(&buffers, stream);
        assert!(each < 40_000.0 && each < bytes_each(&usual, stream), "{stream}: {each}");
        assert!(depth(&buffers, stream) < 3.0, "{buffers}");
    }

    let waiting = sorted(&folder, "--run-size 2MB --async-io off --overlap pipelined");
    assert!(is_expected());
    for stream in ["input_read", "spill_written", "spill_read", "output_written"] {
        assert_eq!(depth(&waiting, stream), 1.0, "{stream}");
    }
    assert!(depth(&usual, "spill_read") > 1.0 && usual["asynchronous"] == true, "{usual}");
    assert_eq!(waiting["asynchronous"], false);
    let overlapped = waiting["stages"]["overlapped"].as_u64();
    assert!(overlapped > Some(0), "a lever of its own: {waiting}");
    let streams = sorted(&folder, "--run-size 2MB --async-io off --merge streams");
    assert!(is_expected() && depth(&streams, "spill_read") == 1.0, "{streams}");
    let refused = folder.run("sort -F fixed:100 --async-io on --io sync -o out in");
    refused.fails(2, &["--io sync", "--async-io on"]);

    let width = |factor: u32| {
        let statistics = sorted(&folder, &format!("--run-size 400KB --read-factor {factor}"));
        assert!(is_expected());
        assert!(statistics["levers"].to_string().contains("read factor"), "{statistics}");
        statistics["merge_width"].as_u64().expect("a width")
    };
    let widths = [1, 16, 42, 96, 256].map(width);
    assert!(widths.windows(2).all(|pair| pair[1] < pair[0]), "{widths:?}");
    let set = format!("{small} --read-factor 42 --async-io off");
    let words = "-F fixed:100 -k 0..10 -M 64MiB -j 2 -o out in";
    let said = folder.run(&format!("explain {set} {words}")).quietly();
    let said = String::from_utf8(said).expect("text");
    for part in [
        "write buffers 2, write buffer size 32 KiB, run size",
        "read factor 42, asynchronous I/O off",
        "(2 of 32 KiB for each thread)",
        "one request at a time",
        "runs past the page cache",
    ] {
        assert!(said.contains(part), "'{part}' is missing:\n{said}");
    }
    // A selection holds records back in a buffer of its own.
    let folder = Folder::new();
    folder.write("in", random_records(300_000, 100));
    let unique = sorted(&folder, &format!("--unique {small}"));
    assert_eq!(unique["write_buffers"]["count"], 3, "{unique}");
}

/// Each phase in a form of its own.
#[test]
fn overlap_of_each_phase_is_seen_in_the_statistics() {
    let folder = Folder::new();
    folder.write("in", random_records(1_200_000, 100));
    sorted(&folder, "--overlap pipelined");
    let expected = std::fs::read(folder.at("out")).expect("read");
    for (levers, runs_overlap, merges_overlap) in some(&[
        ("runs=sync,merge=pipelined", false, true),
        ("runs=pipelined,merge=sync", true, false),
        ("sync", false, false),
        ("pipelined", true, true),
    ]) {
        let statistics = sorted(&folder, &format!("--overlap {levers}"));
        assert!(std::fs::read(folder.at("out")).expect("read") == expected, "{levers}");
        let figure = |name: &str| statistics["stages"][name].as_u64().expect("a number");
        let merges = figure("merging_overlapped");
        let runs = figure("overlapped") - merges;
        assert_eq!((runs > 0, merges > 0), (runs_overlap, merges_overlap), "{statistics}");
        assert!(figure("merging") > 0 && figure("count") > figure("merging"), "{statistics}");
        let set = statistics["levers"].to_string();
        assert!(set.contains("overlap"), "{set}");
    }
    folder.run("sort --overlap load=sync in").fails(2, &["load", "runs or merge"]);
}

/// Runs are compressed: fewer bytes are spilled and read back, and the output is the same.
#[test]
fn compressed_runs_are_seen_in_the_statistics() {
    let folder = Folder::new();
    folder.run("generate --ascii 400000 lines").quietly();
    let sorted = |levers: &str| -> Value {
        let line = format!("sort -M 40MiB -j 2 --stats json {levers} -o out lines");
        let said = folder.run(&line);
        assert_eq!(said.status, 0, "{said:?}");
        serde_json::from_str(&said.words).expect("JSON")
    };
    let usual = sorted("--compress-runs off");
    let expected = folder.read("out");
    assert!(usual["run_compression"].is_null(), "{usual}");
    let moved = |of: &Value, stream: &str| of["streams"][stream].as_u64().expect("bytes") as f64;
    for (levers, choice) in some(&[
        ("--compress-runs lz4", "lz4:1"),
        ("--compress-runs zstd:1", "zstd:1"),
        ("--compress-runs zstd --merge streams", "zstd:3"),
        ("--compress-runs lz4 --merge-width 3", "lz4:1"),
        ("--compress-runs lz4 --algorithm replacement-selection", "lz4:1"),
        ("--compress-runs zstd:1 --unique", "zstd:1"),
    ]) {
        let of = sorted(levers);
        let compression = &of["run_compression"];
        assert_eq!(compression["choice"], choice, "{levers}: {compression}");
        let figure = |name: &str| compression[name].as_f64().expect("a number");
        assert!(figure("stored_bytes") < 0.8 * figure("bytes"), "{levers}: {compression}");
        assert!(folder.read("out") == expected, "{levers}");
        if of["passes"] == usual["passes"] {
            for stream in ["spill_written", "spill_read"] {
                let (less, more) = (moved(&of, stream), moved(&usual, stream));
                assert!(less < 0.8 * more, "{levers}: {stream} {less} of {more}");
            }
        }
    }
    let auto = sorted("--compress-runs auto");
    assert_eq!(auto["run_compression"]["wanted"], "auto", "{auto}");
    assert!(folder.read("out") == expected);
    let text = folder.run("sort -M 40MiB --compress-runs lz4 --stats text -o out lines").words;
    assert!(text.contains("compressed with lz4:1 (as asked for)"), "{text}");
    let plan = folder.run("explain -M 40MiB --compress-runs zstd -o out lines");
    let plan = String::from_utf8(plan.quietly()).expect("text");
    assert!(plan.contains("runs compressed with zstd:3: as asked for"), "{plan}");
    assert!(plan.contains(" spilled with zstd:3"), "{plan}");
    folder.run("sort --compress-runs gzip -o out lines").fails(2, &["gzip", "lz4 or zstd"]);
    folder.run("sort --compress-runs zstd:23 -o out lines").fails(2, &["22"]);
    let refused = folder.run("sort --in-place --compress-runs lz4 lines");
    refused.fails(2, &["--compress-runs", "--in-place"]);
}

#[test]
fn a_load_without_room_for_a_record_is_an_error() {
    let folder = Folder::new();
    folder.write("in", "+\n+\n\n\n7M\n");
    let command = "sort -F lines:group=5 --unique-by 5:size -j 16 --write-buffer-size 256KiB \
                   --overlap runs=sync,merge=pipelined --merge streams -o out in";
    let said = folder.run(&format!("{command} -M 22MiB"));
    let is_named =
        said.words.contains("too small to sort records of 9 bytes; give at least 23 MiB");
    assert!(said.status == 2 && is_named, "{said:?}");
    folder.run(&format!("{command} -M 23MiB")).quietly();
}
