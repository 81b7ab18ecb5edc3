//! The memory ceiling: the highest resident size of a whole process (`VmHWM`) stays within the
//! budget of the one sort it runs, program, stacks and all.
//!
//! Each sort runs in a process of its own, this very test program again: `sorts_as_told` does what
//! the environment says, and nothing where it says nothing.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use sortwell_engine::codec::{Codec, Compress, Compression, Decompress};
use sortwell_engine::format::Format;
use sortwell_engine::io::Engine;
use sortwell_engine::job::{Algorithm, Budget, Input, MergeJob, Output, SortJob};
use sortwell_engine::operator::{FoldSpec, Function, Select, Unique};
use sortwell_engine::plan::levers::Overlap;
use sortwell_engine::plan::passes::MergeMethod;
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::{ByteSize, Error, Result};

use crate::random::Random;
use crate::trial::Folder;

/// The sort to run, as words: kind, format, threads, budget, engine, folder.
const TOLD: &str = "SORTWELL_TEST_SORT";

/// Before the figures in what the other process prints.
const MARK: &str = "figures:";

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "compression"), expect(dead_code, reason = "nothing is compressed"))]
enum Kind {
    Sort,
    /// A sort of which nothing overlaps.
    Synchronous,
    /// A sort that keeps one of equal records.
    Unique,
    /// A sort that keeps one of equal records, through runs of [`LONG_RUN`] bytes.
    UniqueRuns,
    /// A sort of lines that keeps the least second field of each first field.
    Folded,
    /// Such a sort through runs of [`LONG_RUN`] bytes.
    FoldedRuns,
    /// A sort by replacement selection.
    Selected,
    /// A sort through runs of [`RUN`] bytes.
    ShortRuns,
    /// A sort whose runs are merged as streams, in buffers of this geometry: hundredths.
    Streams(u8),
    /// A merge of two inputs.
    Merge,
    /// A sort of the same compressed input twice, to a compressed output.
    Packed(Codec),
    /// A merge of the same input so many times.
    MergePacked(Codec),
}

/// How often.
const MERGED_PACKED: usize = 40;

/// So few that runs are as many as are ever met.
const RUN: u64 = 16 << 10;

/// Bytes of a run with a long record or more.
const LONG_RUN: ByteSize = ByteSize::mib(6);

/// A sort in a process of its own.
#[derive(Debug)]
struct Sort {
    kind: Kind,
    /// Whether records are lines.
    is_lines: bool,
    /// Bytes of a record, of lines with their ends and about.
    length: usize,
    threads: usize,
    budget: ByteSize,
    engine: Engine,
}

/// What it came to.
#[derive(Debug)]
struct Figures {
    peak: ByteSize,
    passes: u64,
    records: u64,
}

impl Sort {
    /// Runs it over `in/0` of a folder.
    fn run(&self, folder: &Path) -> Figures {
        let Self { kind, is_lines, length, threads, budget, engine } = self;
        let format = if *is_lines { "lines".to_owned() } else { format!("fixed:{length}") };
        let (bytes, folder) = (budget.bytes(), folder.display());
        let told = format!("{kind:?} {format} {threads} {bytes} {engine} {folder}");
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["budget::sorts_as_told", "--exact", "--nocapture", "--test-threads=1"]);
        let output = command.env(TOLD, told).output().expect("run");
        let said = String::from_utf8_lossy(&output.stdout);
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{self:?}: {said}{words}");
        let figures = said.split(MARK).nth(1).expect("figures").split_whitespace();
        let figures: Vec<u64> = figures.map_while(|word| word.parse().ok()).collect();
        let [peak, passes, records] = figures[..] else { panic!("{said}") };
        Figures { peak: ByteSize(peak), passes, records }
    }

    /// Runs it within its budget. If it is refused, runs it within the budget that is named.
    fn run_within_or_named(self, folder: &Folder) {
        let figures = self.run(&folder.at(""));
        println!("{self:?}: {figures:?}");
        assert!(figures.peak <= self.budget, "{self:?}: {figures:?}");
        if figures.passes == 0 {
            let budget = ByteSize(figures.records);
            assert!(budget > self.budget, "{self:?}: {budget}");
            assert!(Sort { budget, ..self }.run_within(folder, 0) > 0);
        }
    }

    /// Runs it and asserts that it stayed within its budget; passes it took.
    fn run_within(&self, folder: &Folder, bytes: u64) -> u64 {
        let figures = self.run(&folder.at(""));
        println!("{self:?}: {figures:?}");
        assert!(figures.peak <= self.budget, "{self:?}: {figures:?}");
        if !self.is_lines {
            assert_eq!(figures.records, bytes / self.length as u64);
        }
        folder.assert_clean(true);
        figures.passes
    }
}

/// The other process.
#[test]
fn sorts_as_told() {
    let Ok(told) = std::env::var(TOLD) else { return };
    let words: Vec<&str> = told.splitn(6, ' ').collect();
    let number = |word: usize| words[word].parse::<u64>().expect("a number");
    let folder = PathBuf::from(words[5]);
    let input = |index: &str| Input::File(folder.join("in").join(index));
    let output = Output::File(folder.join("out").join("out"));
    let format: Format = words[1].parse().expect("a format");
    let (threads, memory) = (Some(number(2) as usize), Budget::Bytes(ByteSize(number(3))));
    let (engine, temp) = (words[4].parse().expect("an engine"), vec![folder.join("spill")]);
    let packed = Codec::ALL.into_iter().find(|codec| words[0].ends_with(&format!("({codec:?})")));
    let statistics = if let (Some(codec), true) = (packed, words[0].starts_with("Merge")) {
        let inputs = vec![input("0"); MERGED_PACKED];
        let (decompress, compress) = (Decompress::All(codec), Compress::As(Compression::of(codec)));
        let job = MergeJob::new(inputs, output, format);
        MergeJob { decompress, compress, memory, engine, temp, sync: false, ..job }
            .run(&Progress::new())
    } else if let Some(codec) = packed {
        let (decompress, compress) = (Decompress::All(codec), Compress::As(Compression::of(codec)));
        let job = SortJob::new(vec![input("0"), input("0")], output, format);
        SortJob { decompress, compress, threads, memory, engine, temp, sync: false, ..job }
            .run(&Progress::new())
    } else if words[0] == "Merge" {
        let inputs = vec![input("0"), input("1")];
        let job = MergeJob::new(inputs, output, format);
        MergeJob { memory, engine, temp, sync: false, ..job }.run(&Progress::new())
    } else {
        let is_folded = words[0].starts_with("Folded");
        let fold = || FoldSpec::read(Function::Min, "2:bytes").expect("a fold");
        let select = Select {
            unique: words[0].starts_with("Unique").then_some(Unique::First),
            folds: is_folded.then(fold).into_iter().collect(),
            ..Select::default()
        };
        let algorithm = match words[0] {
            "Selected" => Algorithm::ReplacementSelection,
            _ => Algorithm::Auto,
        };
        let job = SortJob::new(vec![input("0")], output, format);
        let mut job = SortJob { threads, memory, engine, temp, select, sync: false, ..job };
        if is_folded {
            job.keys = vec!["1".parse().expect("a key")];
            job.order.separator = Some(b' ');
        }
        job.levers.run = match words[0] {
            "ShortRuns" => Some(ByteSize(RUN)),
            "UniqueRuns" | "FoldedRuns" => Some(LONG_RUN),
            _ => None,
        };
        if let Some(hundredths) = words[0].strip_prefix("Streams(") {
            let hundredths: f64 = hundredths.trim_end_matches(')').parse().expect("a number");
            let geometry = format!("geometry={}", hundredths / 100.0).parse().expect("a geometry");
            (job.levers.merge, job.levers.merge_buffers) =
                (Some(MergeMethod::Streams), Some(geometry));
        }
        if words[0] == "Synchronous" {
            job.levers.overlap = Overlap::Sync;
        }
        SortJob { algorithm, ..job }.run(&Progress::new())
    };
    say(statistics);
}

/// Says what the sort came to. One that is refused has no passes, and names a budget.
fn say(statistics: Result<Statistics>) {
    let [passes, records] = match statistics {
        Err(Error::BudgetExceeded { least: Some(least), .. }) => [0, least.bytes()],
        statistics => {
            let statistics = statistics.expect("done");
            [u64::from(statistics.passes), statistics.records]
        }
    };
    // Asked of the system once more: the figure of the statistics is older.
    let status = fs::read_to_string("/proc/self/status").expect("what the system knows");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kib: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    println!("{MARK} {} {passes} {records}", kib << 10);
}

/// Writes some `bytes` random bytes, in whole records.
fn fill(folder: &Folder, bytes: usize, length: usize) -> u64 {
    let mut random = Random::new(length as u64);
    let mut file = BufWriter::new(File::create(folder.input(0)).expect("create"));
    let mut block = vec![0; 1 << 20];
    let whole = bytes / length * length;
    for start in (0..whole).step_by(block.len()) {
        let part = &mut block[..(whole - start).min(1 << 20)];
        random.fill(part);
        file.write_all(part).expect("write");
    }
    file.flush().expect("write");
    whole as u64
}

/// Every record length with every number of threads.
fn all_within(budget: ByteSize, bytes: usize) {
    let mut random = Random::fresh();
    for length in [16, 100, 10_000, 1 << 20] {
        let folder = Folder::on_disk();
        let bytes = fill(&folder, bytes, length);
        for threads in random.some([1, 2, 8]) {
            let sort = Sort {
                kind: Kind::Sort,
                is_lines: false,
                length,
                threads,
                budget,
                engine: Engine::Auto,
            };
            assert!(sort.run_within(&folder, bytes) > 1, "{sort:?} fits in memory");
        }
    }
}

#[test]
fn budgets_of_64_mib_hold() {
    all_within(ByteSize::mib(64), 80_000_000);
}

#[test]
fn a_budget_of_64_mib_holds_with_every_engine() {
    let folder = Folder::on_disk();
    let bytes = fill(&folder, 80_000_000, 100);
    for engine in crate::trial::engines() {
        let budget = ByteSize::mib(64);
        Sort { kind: Kind::Sort, is_lines: false, length: 100, threads: 2, budget, engine }
            .run_within(&folder, bytes);
    }
}

/// Copies of lines are dropped while they are read, and what is left fits or does not.
#[test]
fn budgets_hold_where_lines_repeat() {
    for (distinct, budgets) in [(20_000, &[64][..]), (300_000, &[64, 96, 256])] {
        let (folder, mut random) = (Folder::on_disk(), Random::new(distinct as u64));
        let mut file = BufWriter::new(File::create(folder.input(0)).expect("create"));
        for _ in 0..1_500_000 {
            writeln!(file, "{:060}", random.below(distinct)).expect("write");
        }
        file.flush().expect("write");
        let sorts = budgets.iter().flat_map(|mib| [(1, *mib), (3, *mib)]);
        for (threads, mib) in Random::fresh().some(sorts) {
            let (kind, budget, engine) = (Kind::Unique, ByteSize::mib(mib), Engine::Auto);
            Sort { kind, is_lines: true, length: 61, threads, budget, engine }
                .run_within(&folder, 61 * 1_500_000);
        }
    }
}

#[test]
fn budgets_hold_for_replacement_selection() {
    let mut random = Random::fresh();
    let (kind, engine) = (Kind::Selected, Engine::Auto);
    // Several times what memory holds; one thread takes short records one by one.
    for (length, bytes) in random.some([(16, 20_000_000), (100, 70_000_000), (10_000, 70_000_000)])
    {
        let folder = Folder::on_disk();
        let bytes = fill(&folder, bytes, length);
        for (threads, mib) in random.some([(1, 32), (2, 64)]) {
            let (is_lines, budget) = (false, ByteSize::mib(mib));
            Sort { kind, is_lines, length, threads, budget, engine }.run_within(&folder, bytes);
        }
    }
    // Every pair of length, engine and threads comes up, not every three of them.
    let lengths = [(2, 3_000_000), (100, 40_000_000), (200_000, 40_000_000)];
    for (row, (length, bytes)) in random.some(lengths.into_iter().enumerate()) {
        let folder = Folder::on_disk();
        let bytes = fill_lines(&folder, bytes, length);
        for (column, engine) in crate::trial::engines().into_iter().enumerate() {
            let (threads, mib) = [(1, 28), (3, 48)][(row + column) % 2];
            let (is_lines, budget) = (true, ByteSize::mib(mib));
            Sort { kind, is_lines, length, threads, budget, engine }.run_within(&folder, bytes);
        }
    }
}

/// Buffers that grow take what others have used up, and no more.
#[test]
fn budgets_hold_where_runs_are_merged_as_streams() {
    let mut random = Random::fresh();
    for (length, is_lines) in random.some([(100, false), (10_000, false), (100, true)]) {
        let folder = Folder::on_disk();
        let bytes = match is_lines {
            true => fill_lines(&folder, 100_000_000, length),
            false => fill(&folder, 100_000_000, length),
        };
        for (geometry, mib) in random.some([(0, 32), (50, 64), (100, 32), (100, 64)]) {
            let (kind, engine) = (Kind::Streams(geometry), random.pick(&crate::trial::engines()));
            let (threads, budget) = (2, ByteSize::mib(mib));
            let sort = Sort { kind, is_lines, length, threads, budget, engine };
            assert!(sort.run_within(&folder, bytes) > 1, "{sort:?} fits in memory");
        }
    }
}

/// One load, and one slab, have the memory of two.
#[test]
fn budgets_hold_where_nothing_overlaps() {
    let mut random = Random::fresh();
    let (kind, engine) = (Kind::Synchronous, Engine::Auto);
    let kinds = [(16, false), (100, false), (1 << 20, false), (100, true)];
    for (length, is_lines) in random.some(kinds) {
        let folder = Folder::on_disk();
        let bytes = match is_lines {
            true => fill_lines(&folder, 80_000_000, length),
            false => fill(&folder, 80_000_000, length),
        };
        for (threads, mib) in random.some([(1, 32), (3, 64)]) {
            let budget = ByteSize::mib(mib);
            let sort = Sort { kind, is_lines, length, threads, budget, engine };
            assert!(sort.run_within(&folder, bytes) > 1, "{sort:?} fits in memory");
        }
    }
    let folder = Folder::on_disk();
    let (length, budget) = ((64 << 20) / 3, ByteSize::mib(64));
    let bytes = fill_with_long_lines(&folder, 130 << 20, length);
    Sort { kind, is_lines: true, length, threads: 2, budget, engine }.run_within(&folder, bytes);
}

#[test]
fn a_budget_of_256_mib_holds() {
    let folder = Folder::on_disk();
    let bytes = fill(&folder, 300_000_000, 100);
    let budget = ByteSize::mib(256);
    let sort = Sort {
        kind: Kind::Sort,
        is_lines: false,
        length: 100,
        threads: 2,
        budget,
        engine: Engine::Auto,
    };
    assert!(sort.run_within(&folder, bytes) > 1);
}

/// Writes some `bytes` bytes of lines of up to twice `length` bytes, about.
fn fill_lines(folder: &Folder, bytes: usize, length: usize) -> u64 {
    let mut random = Random::new(length as u64);
    let mut file = BufWriter::new(File::create(folder.input(0)).expect("create"));
    let mut line = vec![0; 2 * length];
    let mut written = 0;
    while written < bytes {
        let part = if length <= 2 { length } else { 1 + random.below(2 * length) };
        let line = &mut line[..part];
        random.fill(line);
        line.iter_mut().for_each(|byte| *byte |= 0x40);
        line[part - 1] = b'\n';
        file.write_all(line).expect("write");
        written += part;
    }
    file.flush().expect("write");
    written as u64
}

/// Empty lines, lines of one byte, of an ordinary length and of hundreds of kilobytes, in budgets
/// where the least mistake shows. Every pair of length, engine and budget comes up, not every
/// three.
#[test]
fn small_budgets_hold_for_lines_with_every_engine() {
    let mut random = Random::fresh();
    for (row, length) in random.some([1, 2, 100, 200_000].into_iter().enumerate()) {
        let folder = Folder::on_disk();
        let bytes = if length < 3 { 5_000_000 } else { 40_000_000 };
        let bytes = fill_lines(&folder, bytes, length);
        for (column, engine) in crate::trial::engines().into_iter().enumerate() {
            let (threads, mib) = [(1, 28), (5, 32), (3, 48)][(row + column) % 3];
            let (kind, budget) = (Kind::Sort, ByteSize::mib(mib));
            let sort = Sort { kind, is_lines: true, length, threads, budget, engine };
            let passes = sort.run_within(&folder, bytes);
            assert!(passes > 1 || length < 3, "{sort:?} fits in memory");
        }
    }
}

/// Lines of a third of the budget and of a little less, with thousands of short ones between them:
/// a load is all of one, and so is a window. With equal lines to be dropped, a third one is kept.
#[test]
fn a_budget_holds_for_lines_of_a_third_of_it() {
    let mut random = Random::fresh();
    let budget = ByteSize::mib(64);
    for (kind, length, all_threads) in random.some([
        (Kind::Sort, 20 << 20, [1, 8]),
        (Kind::Sort, (64 << 20) / 3, [2, 8]),
        (Kind::Unique, 14 << 20, [1, 2]),
    ]) {
        let folder = Folder::on_disk();
        let bytes = fill_with_long_lines(&folder, 130 << 20, length);
        for threads in random.some(all_threads) {
            let is_lines = true;
            let sort = Sort { kind, is_lines, length, threads, budget, engine: Engine::Auto };
            assert!(sort.run_within(&folder, bytes) > 2, "{sort:?}");
        }
    }
}

/// Writes some `bytes` bytes of short lines with lines of `length` bytes among them, which are two
/// thirds of all. In sorted order these are next to each other.
fn fill_with_long_lines(folder: &Folder, bytes: usize, length: usize) -> u64 {
    let mut random = Random::new(length as u64);
    let mut file = BufWriter::new(File::create(folder.input(0)).expect("create"));
    let long = bytes * 2 / 3 / length;
    for _ in 0..long {
        for _ in 0..(bytes - long * length) / long / 40 {
            let mut line = [0; 40];
            random.fill(&mut line);
            line.iter_mut().for_each(|byte| *byte |= 0x40);
            line[39] = b'\n';
            file.write_all(&line).expect("write");
        }
        file.write_all(&long_line(length, random.next())).expect("write");
    }
    file.flush().expect("write");
    bytes as u64
}

/// A line of `length` bytes that comes before ordinary ones, and among its like as `number` says.
fn long_line(length: usize, number: u64) -> Vec<u8> {
    let mut line = format!("!{number:020}").into_bytes();
    line.resize(length - 1, b'l');
    line.push(b'\n');
    line
}

/// A long line that is a group of its own stays where the load has it.
#[test]
fn a_budget_holds_where_a_long_line_is_kept() {
    let folder = Folder::on_disk();
    let text = [long_line(33_000_000, 1), b"z\n".repeat(100)].concat();
    fs::write(folder.input(0), &text).expect("write");
    for threads in [1, 2] {
        let (kind, length, budget) = (Kind::Unique, 1 << 16, ByteSize::mib(64));
        let sort = Sort { kind, is_lines: true, length, threads, budget, engine: Engine::Auto };
        assert_eq!(sort.run_within(&folder, text.len() as u64), 1);
    }
}

/// Values and records that are made of others are copies, whose memory is set aside or refused.
#[test]
fn budgets_hold_where_long_values_are_folded() {
    for (kind, length, mib) in [(Kind::Folded, 9 << 20, 48), (Kind::FoldedRuns, 5 << 20, 48)] {
        let folder = Folder::on_disk();
        let line = |byte: u8| [&b"k "[..], &vec![byte; length], b"\n"].concat();
        fs::write(folder.input(0), b"cab".map(line).concat()).expect("write");
        let (threads, budget) = (2, ByteSize::mib(mib));
        let sort = Sort { kind, is_lines: true, length, threads, budget, engine: Engine::Auto };
        sort.run_within_or_named(&folder);
    }
}

/// One worker at a time keeps a long line, however many merge a slab.
#[test]
fn a_budget_holds_where_workers_keep_long_lines() {
    let folder = Folder::on_disk();
    let lines: Vec<u8> = (0..40).flat_map(|line| long_line(1_500_000, line * 7 % 40)).collect();
    fs::write(folder.input(0), &lines).expect("write");
    let (kind, length, budget) = (Kind::UniqueRuns, 1_500_000, ByteSize::mib(64));
    let sort = Sort { kind, is_lines: true, length, threads: 8, budget, engine: Engine::Auto };
    assert!(sort.run_within(&folder, lines.len() as u64) > 1);
}

#[test]
fn a_budget_holds_for_merges_of_lines_of_a_third_of_it() {
    let budget = ByteSize::mib(64);
    let length = budget.bytes() as usize / 3;
    let folder = Folder::on_disk();
    for input in 0..2 {
        let mut file = File::create(folder.input(input)).expect("create");
        for number in 0..4 {
            file.write_all(&long_line(length, 2 * number + input as u64)).expect("write");
        }
    }
    let (kind, is_lines, threads) = (Kind::Merge, true, 1);
    let sort = Sort { kind, is_lines, length, threads, budget, engine: Engine::Auto };
    assert_eq!(sort.run_within(&folder, 8 * length as u64), 1);
}

/// Threads, buffers and windows of compressed inputs and outputs are within the budget too.
#[cfg(feature = "compression")]
#[test]
fn a_budget_holds_for_compressed_files() {
    let mut random = Random::fresh();
    let (length, engine) = (100, Engine::Auto);
    let folder = Folder::on_disk();
    let bytes = fill_lines(&folder, 30_000_000, length);
    for codec in random.some(Codec::ALL) {
        let plain = folder.at("in").join("plain");
        let packed = folder.at("in").join(format!("packed.{}", codec.extension()));
        fs::copy(folder.input(0), &plain).expect("copy");
        crate::compression::repack(&plain, &packed);
        let inner = Folder::on_disk();
        fs::rename(&packed, inner.input(0)).expect("rename");
        for (threads, mib) in random.some([(1, 48), (4, 64)]) {
            let (kind, budget) = (Kind::Packed(codec), ByteSize::mib(mib));
            let sort = Sort { kind, is_lines: true, length, threads, budget, engine };
            assert!(sort.run_within(&inner, 2 * bytes) > 1, "{sort:?}");
        }
        fs::remove_file(inner.output()).expect("remove");
        let (kind, threads, budget) = (Kind::MergePacked(codec), 1, ByteSize::mib(48));
        // A megabyte, as a window is no larger than what there is; few lines, as each takes time.
        crate::compression::pack(&packed, &[&[b'l'; 99][..], &b"\n"[..]].concat().repeat(10_000));
        fs::rename(&packed, inner.input(0)).expect("rename");
        let sort = Sort { kind, is_lines: true, length, threads, budget, engine };
        sort.run_within(&inner, 1_000_000 * MERGED_PACKED as u64);
    }
}

/// As much as just fits: the smallest budget that takes one pass is not overstepped.
#[test]
fn budgets_of_one_pass_hold() {
    for length in Random::fresh().some([16, 100, 70_000]) {
        let folder = Folder::on_disk();
        let bytes = fill(&folder, 60_000_000, length);
        let sort = |mib| {
            let budget = ByteSize::mib(mib);
            Sort {
                kind: Kind::Sort,
                is_lines: false,
                length,
                threads: 3,
                budget,
                engine: Engine::Auto,
            }
            .run_within(&folder, bytes)
        };
        let passes: Vec<u64> = (80..200).step_by(20).map(sort).collect();
        assert!(passes.is_sorted_by(|a, b| a >= b) && passes.ends_with(&[1]), "{passes:?}");
    }
}

/// What is known of each run stays in memory, be they as many as they will.
#[test]
#[ignore = "slow: a hundred thousand files"]
fn a_budget_holds_for_100_000_runs() {
    let (kind, length, engine) = (Kind::ShortRuns, 100, Engine::Auto);
    let folder = Folder::on_disk();
    // Loads end at whole pages: past the page cache so small ones are half full.
    let bytes = fill(&folder, 100_000 * RUN as usize, length);
    let (threads, budget) = (2, ByteSize::mib(72));
    let sort = Sort { kind, is_lines: false, length, threads, budget, engine };
    assert!(sort.run_within(&folder, bytes) > 3, "{sort:?}");
}

/// Long keys make tables of runs grow fastest, one part in 250 of the data: kept in memory they
/// took 3 MiB more for these four gigabytes. The peak must not depend on the size of the input.
#[test]
#[ignore = "slow: tens of gigabytes moved"]
fn tables_of_runs_do_not_stay_in_memory() {
    let (length, threads, budget) = (1000, 2, ByteSize::mib(33));
    let sort =
        Sort { kind: Kind::Sort, is_lines: false, length, threads, budget, engine: Engine::Auto };
    let peaks = [400_000_000, 4_000_000_000].map(|bytes| {
        let folder = Folder::on_disk();
        fill(&folder, bytes, length);
        let figures = sort.run(&folder.at(""));
        println!("{bytes} bytes: {figures:?}");
        assert!(figures.peak <= budget && figures.passes > 2, "{figures:?}");
        figures.peak
    });
    let [small, large] = peaks;
    assert!(large.bytes() < small.bytes() + (1 << 20), "{small} for a tenth, {large} for all");
}

#[test]
#[ignore = "slow: tens of gigabytes moved"]
fn budgets_up_to_1_gib_hold() {
    all_within(ByteSize::mib(64), 1_000_000_000);
    all_within(ByteSize::mib(256), 1_000_000_000);
    all_within(ByteSize::gib(1), 3_000_000_000);
}
