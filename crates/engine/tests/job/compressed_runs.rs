//! Compressed runs: the output is the same as without, whatever the format, the merge, the engine
//! and the memory; a flipped bit in a run is reported; an interrupted sort continues.

use std::fs;
use std::time::Instant;

use sortwell_engine::codec::CompressRuns;
use sortwell_engine::format::Format;
use sortwell_engine::io::faulty::{InjectedFault, Script};
use sortwell_engine::job::{Budget, Input, Output, Resume, SortJob};
use sortwell_engine::plan::levers::{Levers, Overlap};
use sortwell_engine::plan::passes::MergeMethod;
use sortwell_engine::stats::{Progress, RunCompression, Statistics};
use sortwell_engine::{ByteSize, Error};

use crate::kept::stop_with_something_done;
use crate::random::Random;
use crate::resuming::run_for;
use crate::trial::{Folder, engines};

/// Lines of words, of which most shrink; some are of random letters and long.
fn lines(count: usize, random: &mut Random) -> Vec<u8> {
    let words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"];
    let mut data = Vec::new();
    for number in 0..count {
        for _ in 0..1 + number % 9 {
            data.extend_from_slice(random.pick(&words).as_bytes());
            data.push(b' ');
        }
        data.extend_from_slice(format!("{}", number * 7919 % count).as_bytes());
        if number % 5000 == 4999 {
            let mut noise = vec![0; 150_000];
            random.fill(&mut noise);
            data.extend(noise.iter().map(|byte| b'a' + byte % 26));
        }
        data.push(b'\n');
    }
    data
}

fn job(folder: &Folder, format: Format, compress: &str, random: &mut Random) -> SortJob {
    let inputs = vec![Input::File(folder.input(0))];
    let mut job = SortJob::new(inputs, Output::File(folder.output()), format);
    // Three workers and the caller have a coder each: those of zstd:12 take 18 MiB together.
    job.memory = Budget::Bytes(ByteSize::mib(48));
    job.temp = vec![folder.at("spill")];
    (job.threads, job.sync) = (Some(random.pick(&[1, 2, 3])), false);
    job.engine = random.pick(&engines());
    job.levers = Levers {
        run: Some(ByteSize(random.pick(&[300 << 10, 1 << 20, 3 << 20]))),
        merge: random.pick(&[None, Some(MergeMethod::Slabs), Some(MergeMethod::Streams)]),
        merge_width: random.pick(&[None, Some(3)]),
        overlap: random.pick(&[Overlap::Pipelined, Overlap::Sync]),
        compress_runs: compress.parse::<CompressRuns>().expect("a compression"),
        ..Levers::default()
    };
    job
}

fn account(statistics: &Statistics) -> RunCompression {
    statistics.run_compression.clone().expect("an account")
}

#[test]
fn compressed_runs_do_not_change_the_output() {
    let mut random = Random::fresh();
    for (format, key) in [
        (Format::LINES, None),
        (Format::Fixed { length: 100 }, Some("0..10")),
        (Format::Fixed { length: 8 }, Some("0..8")),
    ] {
        let folder = Folder::on_disk();
        let mut data = lines(60_000, &mut random);
        data.truncate(data.len() / 800 * 800);
        fs::write(folder.input(0), &data).expect("write");
        let some = random.some(["lz4", "zstd", "zstd:1", "zstd:12", "auto"]);
        let mut run = |compress: &str| {
            let mut job = job(&folder, format, compress, &mut random);
            job.keys.extend(key.map(|key| key.parse().expect("a key")));
            let statistics = job.run(&Progress::new()).expect("sorted");
            assert!(statistics.runs > 1, "{statistics:?}");
            folder.assert_clean(true);
            (fs::read(folder.output()).expect("read"), statistics)
        };
        let (expected, plain) = run("off");
        assert_eq!(plain.run_compression, None);
        for compress in some {
            let (output, statistics) = run(compress);
            assert!(output == expected, "{compress} {format:?}");
            let of = account(&statistics);
            if compress != "auto" {
                assert!(of.choice.starts_with(compress), "{of:?}");
                assert!(of.stored_bytes.0 < of.bytes.0 * 9 / 10, "{of:?}");
                assert!(of.blocks > 0 && of.plain_blocks < of.blocks, "{of:?}");
                // Header, footer and table are written too.
                let written = statistics.streams.spill_written.0;
                assert!(written > of.stored_bytes.0, "{written} {of:?}");
                assert!(written < of.bytes.0, "{written} {of:?}");
            }
        }
    }
}

#[test]
fn records_that_do_not_shrink_are_stored_as_they_are() {
    let mut random = Random::fresh();
    let folder = Folder::on_disk();
    let mut data = vec![0; 6_000_000];
    random.fill(&mut data);
    fs::write(folder.input(0), &data).expect("write");
    for compress in ["off", "lz4", "zstd"] {
        let mut job = job(&folder, Format::Fixed { length: 100 }, compress, &mut random);
        job.keys = vec!["0..10".parse().expect("a key")];
        let statistics = job.run(&Progress::new()).expect("sorted");
        let Some(of) = statistics.run_compression else { continue };
        // The last block of a run is padded with zeros.
        assert!(of.plain_blocks * 10 > of.blocks * 7, "{of:?}");
        assert!(of.stored_bytes <= of.bytes, "{of:?}");
    }
}

/// Parts of a run that a killed sort had not noted are removed by the next sort.
#[test]
fn what_is_of_no_compressed_run_is_removed() {
    let mut random = Random::fresh();
    let folder = Folder::on_disk();
    fs::write(folder.input(0), lines(60_000, &mut random)).expect("write");
    let mut job = job(&folder, Format::LINES, "zstd", &mut random);
    (job.resume, job.levers.run) = (Resume::Often, Some(ByteSize::mib(1)));
    let directory = stop_with_something_done(&job);
    let rest = directory.join("run-000099");
    fs::write(&rest, b"a part of a run").expect("write");
    run_for(&job, 0).expect_err("stopped at once");
    assert!(directory.exists() && !rest.exists());
    job.run(&Progress::new()).expect("sorted");
    folder.assert_clean(true);
}

#[test]
fn a_sort_in_place_refuses_compressed_runs() {
    let mut random = Random::fresh();
    let folder = Folder::on_disk();
    fs::write(folder.input(0), lines(20_000, &mut random)).expect("write");
    let mut job = job(&folder, Format::LINES, "lz4", &mut random);
    (job.output, job.in_place) = (Output::File(folder.input(0)), true);
    (job.levers.merge, job.sync) = (None, true);
    let error = job.run(&Progress::new()).expect_err("refused");
    let is_refused = matches!(error, Error::Config(_));
    assert!(is_refused && error.to_string().contains("compressed runs"), "{error}");
}

/// Bytes per second of all reads and writes together, slow enough for any machine.
const DISK_RATE: u64 = 16_000_000;
const DISK_BYTES: usize = 24_000_000;

/// The machine may be busy with something else for a moment.
const TRIES: usize = 3;

/// Lines as a log has them: a time, a level, a name and numbers.
fn log_lines(bytes: usize, random: &mut Random) -> Vec<u8> {
    let levels = ["INFO", "WARN", "DEBUG", "ERROR"];
    let names = ["server.request", "server.response", "store.commit", "cache.evicted"];
    let mut data = Vec::with_capacity(bytes + 200);
    while data.len() < bytes {
        let line = format!(
            "{:08} 2026-11-{:02}T{:02}:{:02} {} {} session={:06} took={}ms bytes={}\n",
            random.below(100_000_000),
            1 + random.below(28),
            random.below(24),
            random.below(60),
            random.pick(&levels),
            random.pick(&names),
            random.below(1_000_000),
            random.below(500),
            random.below(40) * 512,
        );
        data.extend_from_slice(line.as_bytes());
    }
    data
}

/// On a slow disk, `auto` compresses text: fewer bytes are spilled, and the sort takes less time.
#[test]
fn a_slow_disk_makes_auto_compress() {
    let mut random = Random::fresh();
    let folder = Folder::on_disk();
    fs::write(folder.input(0), log_lines(DISK_BYTES, &mut random)).expect("write");
    let under = folder.at("");
    let sort = |compress: &str| {
        let mut job = SortJob::new(
            vec![Input::File(folder.input(0))],
            Output::File(folder.output()),
            Format::LINES,
        );
        (job.memory, job.temp) = (Budget::Bytes(ByteSize::mib(40)), vec![folder.at("spill")]);
        (job.threads, job.sync) = (Some(2), false);
        job.levers.run = Some(ByteSize::mib(4));
        job.levers.compress_runs = compress.parse().expect("a compression");
        let disk = Script::new(&under, 0..u64::MAX, InjectedFault::Flows(DISK_RATE)).install();
        let begun = Instant::now();
        let statistics = job.run(&Progress::new()).expect("sorted");
        let seconds = begun.elapsed().as_secs_f64();
        drop(disk);
        (seconds, statistics)
    };
    let ratios = || {
        let (plain, off) = sort("off");
        let (packed, auto) = sort("auto");
        let of = account(&auto);
        println!("{plain:.2} s off, {packed:.2} s auto, {of:?}");
        assert_ne!(of.choice, "off", "{of:?}");
        let written = |of: &Statistics| of.streams.spill_written.0 as f64;
        (packed / plain, written(&auto) / written(&off))
    };
    let mut tries = (0..TRIES).map(|_| ratios());
    let is_enough = |(time, bytes): (f64, f64)| time < 0.8 && bytes < 0.45;
    assert!(tries.any(is_enough), "{:?}", ratios());
}
