//! Compressed inputs and outputs in whole jobs: the same records, the same proof, the same bytes
//! for any number of threads; and what goes wrong with them.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use std::time::{Duration, Instant};

use sortwell_engine::codec::{Codec, Compress, Compression, Decompress};
use sortwell_engine::format::{Format, HeaderLines};
use sortwell_engine::io::pipe::Outlet;
use sortwell_engine::job::{Budget, CheckJob, Input, MergeJob, Output, SortJob};
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::{ByteSize, Error, Result};

use crate::random::Random;
use crate::trial::Folder;

const LINES: Format = Format::Lines { terminator: b'\n' };

/// Puts `content` into a file, compressed as its name says.
pub fn pack(path: &Path, content: &[u8]) {
    let plain = path.with_extension("plain");
    fs::write(&plain, content).expect("write");
    repack(&plain, path);
    fs::remove_file(plain).expect("remove");
}

/// Copies a file, compressed or not as either name says. A merge of one input leaves its order.
pub fn repack(from: &Path, to: &Path) {
    let (from, to) = (Input::File(from.to_owned()), Output::File(to.to_owned()));
    let format = Format::Fixed { length: 1 };
    let mut job = MergeJob::new(vec![from], to, format);
    (job.decompress, job.compress, job.sync) = (Decompress::Auto, Compress::Auto, false);
    job.memory = Budget::Bytes(ByteSize::mib(64));
    job.run(&Progress::new()).expect("packed");
}

/// What a file holds, expanded if its name says so.
fn unpacked(path: &Path) -> Vec<u8> {
    let plain = path.with_extension("plain");
    repack(path, &plain);
    let content = fs::read(&plain).expect("read");
    fs::remove_file(plain).expect("remove");
    content
}

/// Lines of up to 60 bytes.
fn lines(bytes: usize, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut lines = Vec::with_capacity(bytes + 64);
    while lines.len() < bytes {
        let mut line = vec![0; random.below(60)];
        random.fill(&mut line);
        line.iter_mut().for_each(|byte| *byte = b'a' + *byte % 20);
        lines.append(&mut line);
        lines.push(b'\n');
    }
    lines
}

fn sorted(all: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = all.split_inclusive(|byte| *byte == b'\n').collect();
    lines.sort();
    lines.concat()
}

/// A sort of these files, to `out/NAME`.
fn job(folder: &Folder, inputs: &[PathBuf], name: &str) -> SortJob {
    let inputs = inputs.iter().cloned().map(Input::File).collect();
    let output = Output::File(folder.at("out").join(name));
    let mut job = SortJob::new(inputs, output, LINES);
    (job.decompress, job.compress, job.sync) = (Decompress::Auto, Compress::Auto, false);
    job.temp = vec![folder.at("spill")];
    job.memory = Budget::Bytes(ByteSize::mib(128));
    job
}

fn run(job: &SortJob) -> Result<Statistics> {
    job.run(&Progress::new())
}

/// Whatever ends a job in time.
fn within<T>(seconds: u64, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let made = work();
    assert!(begun.elapsed() < Duration::from_secs(seconds), "{:?}", begun.elapsed());
    made
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).expect("a file").len()
}

#[test]
fn every_codec_in_and_out() {
    let folder = Folder::on_disk();
    let parts: Vec<Vec<u8>> = (0..5).map(|seed| lines(1_200_000, 80 + seed)).collect();
    let names = ["a.gz", "b.zst", "c.txt", "d.lz4", "e.gz"];
    let inputs: Vec<PathBuf> = names.iter().map(|name| folder.at("in").join(name)).collect();
    for (path, part) in inputs.iter().zip(&parts) {
        if path.extension().is_some_and(|end| end == "txt") {
            fs::write(path, part).expect("write");
        } else {
            pack(path, part);
        }
    }
    let all = parts.concat();
    let expected = sorted(&all);
    let packed: u64 = [0, 1, 3, 4].into_iter().map(|index: usize| length(&inputs[index])).sum();
    for name in ["out.gz", "out.zst", "out.lz4", "out.txt"] {
        let statistics = run(&job(&folder, &inputs, name)).expect("sorted");
        let path = folder.at("out").join(name);
        assert!(unpacked(&path) == expected, "{name}");
        assert_eq!(statistics.bytes.bytes(), all.len() as u64);
        assert_eq!(statistics.proof.map(|proof| proof.records), Some(statistics.records));
        let streams = statistics.streams;
        assert_eq!(streams.input_read.bytes(), all.len() as u64);
        // Files that are not compressed are written in whole pages.
        assert_eq!(streams.output_written.bytes() == all.len() as u64, name != "out.txt");
        assert_eq!(streams.compressed_read, Some(ByteSize(packed)));
        let written = (name != "out.txt").then(|| ByteSize(length(&path)));
        assert_eq!(streams.compressed_written, written);
        fs::remove_file(path).expect("remove");
    }
    folder.assert_clean(false);
}

/// Of one pass or of many, with any number of threads.
#[test]
fn bytes_do_not_hang_on_threads_or_memory() {
    let folder = Folder::on_disk();
    let all = lines(16_000_000, 90);
    let input = folder.at("in").join("all.zst");
    pack(&input, &all);
    let expected = sorted(&all);
    for codec in Random::fresh().some(Codec::ALL) {
        let name = format!("out.{}", codec.extension());
        let path = folder.at("out").join(&name);
        let mut first: Option<Vec<u8>> = None;
        for (threads, mib) in [(2, 256), (1, 48), (5, 56)] {
            let mut job = job(&folder, from_ref(&input), &name);
            (job.threads, job.memory) = (Some(threads), Budget::Bytes(ByteSize::mib(mib)));
            let statistics = run(&job).expect("sorted");
            assert_eq!(statistics.passes > 1, mib < 256, "{statistics:?}");
            let found = fs::read(&path).expect("read");
            assert!(found == *first.get_or_insert_with(|| found.clone()), "{codec}: {threads}");
        }
        assert!(unpacked(&path) == expected, "{codec}");
    }
    assert_eq!(folder.names("spill"), [""; 0]);
}

#[test]
fn merges_of_more_than_there_is_memory_for() {
    let folder = Folder::on_disk();
    let parts: Vec<Vec<u8>> = (0..60).map(|seed| sorted(&lines(60_000, 100 + seed))).collect();
    let expected = sorted(&parts.concat());
    for codec in Random::fresh().some(Codec::ALL) {
        let path = |index| folder.at("in").join(format!("{index}.{}", codec.extension()));
        parts.iter().enumerate().for_each(|(index, part)| pack(&path(index), part));
        for (mib, width) in [(32, None), (32, Some(3)), (320, None)] {
            let inputs = (0..parts.len()).map(|index| Input::File(path(index))).collect();
            let out = folder.at("out").join("out");
            let mut job = MergeJob::new(inputs, Output::File(out.clone()), LINES);
            (job.decompress, job.check, job.sync) = (Decompress::Auto, true, false);
            (job.memory, job.levers.merge_width) = (Budget::Bytes(ByteSize::mib(mib)), width);
            job.temp = vec![folder.at("spill")];
            let statistics = job.run(&Progress::new()).expect("merged");
            assert_eq!(statistics.passes > 1, mib == 32, "{codec}: {statistics:?}");
            assert!(fs::read(&out).expect("read") == expected, "{codec}");
        }
    }
    folder.assert_clean(true);
}

#[test]
fn a_check_names_places_in_the_expanded_data() {
    let folder = Folder::on_disk();
    let path = folder.at("in").join("a.zst");
    let good = sorted(&lines(3_000_000, 7));
    let records = good.iter().filter(|byte| **byte == b'\n').count() as u64;
    pack(&path, &[&good[..], b"\n"].concat());
    let mut job = CheckJob::new(vec![Input::File(path.clone()); 2], LINES);
    job.decompress = Decompress::Auto;
    let disorder = job.run(&Progress::new()).expect("checked").disorder.expect("a disorder");
    assert_eq!((disorder.record_number, disorder.offset), (records + 1, good.len() as u64));
    assert_eq!(disorder.path, Path::new(&format!("{} (decompressed)", path.display())));
    pack(&path, &good);
    let checked = job.run(&Progress::new()).expect("checked");
    assert_eq!((checked.disorder, checked.records), (None, 2 * records));
}

#[test]
fn headers_stay_and_fixed_lengths_hold() {
    let folder = Folder::on_disk();
    let inputs = [folder.at("in").join("a.gz"), folder.at("in").join("b.lz4")];
    pack(&inputs[0], b"head\nb\nd\n");
    pack(&inputs[1], b"head\nc\na");
    let lined = SortJob { header: HeaderLines::Count(1), ..job(&folder, &inputs, "out") };
    run(&lined).expect("sorted");
    assert_eq!(fs::read(folder.output()).expect("read"), b"head\na\nb\nc\nd\n");

    let format = Format::Fixed { length: 4 };
    pack(&inputs[0], b"2222111");
    let words = run(&SortJob { format, ..job(&folder, &inputs[..1], "out") });
    let words = words.expect_err("a record is cut").to_string();
    assert!(words.contains("a.gz (decompressed)") && words.contains("record 2"), "{words}");
    pack(&inputs[0], b"22221111");
    run(&SortJob { format, ..job(&folder, &inputs[..1], "out") }).expect("sorted");
    assert_eq!(fs::read(folder.output()).expect("read"), b"11112222");
}

#[test]
fn what_is_cut_or_no_file_makes_no_output() {
    let folder = Folder::on_disk();
    for codec in Codec::ALL {
        let path = folder.at("in").join(format!("a.{}", codec.extension()));
        pack(&path, &lines(2_500_000, 3));
        let file = fs::OpenOptions::new().write(true).open(&path).expect("open");
        file.set_len(length(&path) / 2).expect("cut");
        let failure = run(&job(&folder, from_ref(&path), "out.gz")).expect_err("cut");
        assert!(matches!(failure, Error::Malformed { .. }));
        let words = failure.to_string();
        assert!(words.starts_with(&format!("{}: ends in the middle", path.display())), "{words}");
        fs::remove_file(&path).expect("remove");
        let missing = run(&job(&folder, from_ref(&path), "out.gz")).expect_err("missing");
        assert!(missing.to_string().starts_with("cannot open"), "{missing}");
        fs::create_dir(&path).expect("a folder");
        let directory = run(&job(&folder, from_ref(&path), "out.gz")).expect_err("a folder");
        assert!(directory.to_string().starts_with("cannot read"), "{directory}");
    }
    folder.assert_clean(false);
}

/// What the caller makes is never expanded, nor is anything without being asked to.
#[test]
fn nothing_is_expanded_unasked() {
    let folder = Folder::on_disk();
    let path = folder.at("in").join("a.gz");
    pack(&path, b"b\na\n");
    let packed = fs::read(&path).expect("read");
    let (format, inputs) = (Format::Fixed { length: 1 }, vec![Input::File(path)]);
    let plain = SortJob::new(inputs, Output::File(folder.at("out").join("out.gz")), format);
    SortJob { sync: false, ..plain }.run(&Progress::new()).expect("sorted");
    let mut expected = packed.clone();
    expected.sort_unstable();
    assert_eq!(fs::read(folder.at("out").join("out.gz")).expect("read"), expected);
}

/// Groups of lines are text: their content decides, whatever the name.
#[test]
fn groups_of_lines_are_expanded_under_any_name() {
    let folder = Folder::on_disk();
    let format: Format = "lines:group=2".parse().expect("a format");
    let path = folder.at("in").join("data");
    for codec in Codec::ALL {
        let packed = path.with_extension(codec.extension());
        pack(&packed, b"b\n1\na\n2\n");
        fs::rename(&packed, &path).expect("rename");
        run(&SortJob { format, ..job(&folder, from_ref(&path), "out") }).expect("sorted");
        assert_eq!(fs::read(folder.output()).expect("read"), b"a\n2\nb\n1\n", "{codec}");
    }
    fs::write(&path, b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0").expect("write");
    let refused = run(&SortJob { format, ..job(&folder, from_ref(&path), "out") });
    let words = refused.expect_err("another program's").to_string();
    assert!(words.contains("data: is zip"), "{words}");
}

/// Compressed data may follow a skippable frame that is longer than what is looked at.
#[test]
fn long_skippable_frames_are_refused_unless_the_codec_is_given() {
    let folder = Folder::on_disk();
    let path = folder.at("in").join("data");
    for codec in [Codec::Zstd, Codec::Lz4] {
        let packed = path.with_extension(codec.extension());
        pack(&packed, b"b\na\n");
        let head = [&b"\x50\x2a\x4d\x18"[..], &5000_u32.to_le_bytes(), &[b'x'; 5000]].concat();
        let data = [head, fs::read(&packed).expect("read")].concat();
        fs::write(&path, &data).expect("write");
        let job = job(&folder, from_ref(&path), "out");
        let failure = run(&job).expect_err("unknown");
        assert!(matches!(failure, Error::Malformed { .. }));
        let words = failure.to_string();
        let parts = ["data: begins with a skippable frame", "input compression zstd"];
        assert!(parts.iter().all(|part| words.contains(part)), "{words}");
        run(&SortJob { decompress: Decompress::All(codec), ..job.clone() }).expect("sorted");
        assert_eq!(fs::read(folder.output()).expect("read"), b"a\nb\n");
        let decompress = Decompress::All(Codec::Gzip);
        let words = run(&SortJob { decompress, ..job.clone() }).expect_err("no gzip").to_string();
        let parts = format!("does not begin as gzip data does; is {codec} data");
        assert!(words.contains(&parts), "{words}");
        run(&SortJob { decompress: Decompress::Off, ..job }).expect("sorted");
        assert!(length(&folder.output()) >= data.len() as u64);
    }
}

/// A frame that wants more memory than the budget can give is refused before anything is done.
#[test]
fn windows_beyond_the_budget_are_refused() {
    let folder = Folder::on_disk();
    let path = folder.at("in").join("a.zst");
    let frame = [&0xfd2f_b528_u32.to_le_bytes()[..], &[0, 17 << 3], &[1, 0, 0]].concat();
    fs::write(&path, frame).expect("write");
    let failure = run(&job(&folder, from_ref(&path), "out")).expect_err("too far back");
    let words = failure.to_string();
    assert!(
        words.contains("need a window of 128 MiB") && words.contains("at least 1 GiB"),
        "{words}"
    );
    let memory = Budget::Bytes(ByteSize::gib(1));
    run(&SortJob { memory, ..job(&folder, &[path], "out") }).expect("sorted");
    folder.assert_clean(true);
}

#[test]
fn jobs_that_wait_for_compressed_pipes_are_stopped() {
    let folder = Folder::on_disk();
    let path = folder.at("in").join("a.gz");
    folder.make_pipe(&path);
    // A writer that says little and does not go away.
    let open = fs::OpenOptions::new().read(true).write(true).open(&path);
    let mut writer = open.expect("open");
    writer.write_all(&[0x1f, 0x8b, 8]).expect("write");
    let job = job(&folder, &[path], "out.gz");
    assert_stops(&job);
    folder.assert_clean(false);
    drop(writer);
}

#[test]
fn jobs_whose_compressed_output_nobody_reads_are_stopped() {
    let folder = Folder::on_disk();
    let path = folder.at("in").join("a");
    fs::write(&path, lines(20_000_000, 5)).expect("write");
    let (from, to) = std::io::pipe().expect("a pipe");
    let mut job = job(&folder, &[path], "out");
    job.output = Output::Pipe(Outlet::new(to, Path::new("a pipe")));
    job.compress = Compress::As(Compression::of(Codec::Lz4));
    assert_stops(&job);
    drop(from);
    // And with nobody at the other end, it ends by itself.
    let failure = within(10, || run(&job)).expect_err("nobody reads");
    let Error::Io { source, .. } = failure else { panic!("{failure}") };
    assert_eq!(source.kind(), std::io::ErrorKind::BrokenPipe);
    folder.assert_clean(false);
}

/// Lets the job run until it waits, and stops it.
fn assert_stops(job: &SortJob) {
    let progress = Progress::new();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| job.run(&progress));
        std::thread::sleep(Duration::from_millis(700));
        assert!(!running.is_finished(), "it does not wait");
        progress.request_stop();
        let outcome = within(2, || running.join().expect("no panic"));
        assert!(matches!(outcome, Err(Error::Interrupted)), "{outcome:?}");
    });
}
