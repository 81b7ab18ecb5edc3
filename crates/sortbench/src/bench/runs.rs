//! Bench of the effect of run size on a sort in two passes, and of the best way to merge runs.
//!
//! After NOW-Sort (Arpaci-Dusseau et al., SIGMOD 1997), section 6.2 and Figure 8, and psort
//! (Bertasi et al., 2008), section 1.1, on the geometry of the merge.

use sortwell::{ByteSize, Error, Result};
use sortwell::{ConfigErrorKind, Phase};

use super::cases::{Case, Measured};
use super::finding::{Cell, Chart, ChartLine, FigureSource, FigureTable, Finding};
use super::ground::{COPIES, FileRecords, Ground, gigabytes, records_of};
use super::{papers, text};

/// Default number of bytes that are sorted.
const SIZE: u64 = 2_000_000_000;

/// The least memory that is tried: with less, a sort is refused.
const MEMORY_LEAST: u64 = 32 << 20;

/// Memory for the merges that are compared, as a part of the size.
const MERGE_SHARE: u64 = 16;

/// Memory where the number of runs varies, as a part of the size.
const COUNT_SHARE: u64 = 2;

/// Numbers of runs that one budget makes: more than memory needs, and beyond NOW-Sort's 30.
const RUNS: [u64; 5] = [4, 8, 17, 30, 60];

/// Numbers of runs in memory: AlphaSort's 10 to 100, and beyond.
const RUNS_IN_MEMORY: [u64; 5] = [3, 10, 30, 100, 300];

const ABOUT: &str = "The first part sorts the same records with more and more memory: from many \
                     short runs to a few long ones, and to none if memory holds all records. A \
                     sort in two passes takes no more memory than helps it, so its runs stop \
                     growing. The second part merges runs in several ways with one budget: by \
                     slabs, as streams, in pieces of several sizes, and a few runs at a time. \
                     The third part makes more and more runs with one budget. The fourth part \
                     sorts in memory with AlphaSort's algorithm, in more and more runs.";

/// Sorts `size` bytes in every way.
///
/// # Errors
///
/// Those of the sorts; that there is not room for one in two passes.
pub fn runs(ground: &Ground, size: Option<ByteSize>) -> Result<Finding> {
    let size = size.map_or(SIZE, |size| size.0).min(ground.room()? / COPIES);
    if size <= MEMORY_LEAST {
        return Err(Error::config(
            ConfigErrorKind::InvalidValue,
            format!(
                "a sort in two passes has more than {}; give a larger --size, or a directory on a \
                 larger disk",
                ByteSize(MEMORY_LEAST)
            ),
        ));
    }
    let input = ground.generate("input", records_of(size), FileRecords::Binary)?;
    let by_memory = |memory: &u64| {
        let budget = memory.to_string();
        Case::new(megabytes(*memory), input.clone(), &["--memory", &budget])
    };
    let budgets = budgets(size);
    let by_size = ground.rounds(&budgets.iter().map(by_memory).collect::<Vec<Case>>())?;
    let memory = (size / MERGE_SHARE).max(MEMORY_LEAST).to_string();
    let merged = |(name, further): &(&str, Vec<&str>)| {
        let mut arguments = vec!["--memory", &memory];
        arguments.extend(further);
        Case::new(*name, input.clone(), &arguments)
    };
    let merges = ground.rounds(&merges().iter().map(merged).collect::<Vec<Case>>())?;
    let budget = (size / COUNT_SHARE).max(MEMORY_LEAST).to_string();
    let by_count = RUNS.map(|runs| {
        let run = (size / runs).to_string();
        let arguments = ["--memory", &budget, "--run-size", &run];
        Case::new(format!("{runs} runs"), input.clone(), &arguments)
    });
    let by_count = ground.rounds(&by_count)?;
    let budget = (2 * size).to_string();
    let in_memory = RUNS_IN_MEMORY.map(|runs| {
        let number = runs.to_string();
        let method = ["--algorithm", "alphasort", "--alphasort-runs", &number];
        let arguments = [&["--memory", &budget][..], &method].concat();
        Case::new(format!("{runs} runs"), input.clone(), &arguments)
    });
    let in_memory = ground.rounds(&in_memory)?;
    let mut tables =
        vec![sizes(size, &by_size), ways(&merges), counts(size, &by_count), loads(&in_memory)];
    tables.extend(papers::tables(&PRINTED));
    Ok(Finding {
        bench: "runs",
        title: "the size of runs, and the geometry of merges",
        about: ABOUT.to_owned(),
        answer: answer(&by_size, &merges),
        tables,
        charts: vec![chart(size, &by_size)],
        unfair: UNFAIR.map(str::to_owned).to_vec(),
        references: papers::references(&PRINTED),
        setting: ground.setting(),
        samples: [by_size, merges, by_count, in_memory]
            .iter()
            .flatten()
            .map(Measured::samples)
            .collect(),
    })
}

/// Printed tables that the bench shows.
pub(super) const PRINTED: [&str; 3] = ["runs-now", "parameters-psort", "passes-alphasort"];

const UNFAIR: [&str; 3] = [
    "A seek cost the disks of the papers as much as reading a hundred kilobytes. Many disks of \
     today have no such cost, and short pieces cost less.",
    "NOW-Sort made 2 to 30 runs with 128 MB of memory. The first part varies the memory instead, \
     and the third part has more memory.",
    "psort names no default for the threshold of its refills. Here it is a quarter of a share.",
];

/// Budgets that double from the least until all fits into memory.
fn budgets(size: u64) -> Vec<u64> {
    let mut budgets: Vec<u64> = (0..)
        .map(|power| MEMORY_LEAST << power)
        .take_while(|memory| *memory < size + size / 2)
        .collect();
    budgets.push(size * 2);
    budgets
}

/// Returns the ways to merge that are compared, and the options that choose them.
fn merges() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        ("chosen by sortwell", vec![]),
        ("slabs", vec!["--merge", "slabs"]),
        (
            "streams, even buffers (geometry 0)",
            vec!["--merge", "streams", "--merge-buffers", "geometry=0"],
        ),
        ("streams (geometry 0.5)", vec!["--merge", "streams"]),
        (
            "streams, buffers that grow most (geometry 1)",
            vec!["--merge", "streams", "--merge-buffers", "geometry=1"],
        ),
        ("slabs, read factor 42: Oracle's", vec!["--merge", "slabs", "--read-factor", "42"]),
        ("slabs, read factor 256: long pieces", vec!["--merge", "slabs", "--read-factor", "256"]),
        ("4 runs at once", vec!["--merge-width", "4"]),
        ("2 runs at once", vec!["--merge-width", "2"]),
    ]
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", text::figure(bytes as f64 / 1e6))
}

fn answer(by_size: &[Measured], merges: &[Measured]) -> String {
    let quickest = |cases: &[Measured]| {
        let seconds = |case: &&Measured| case.seconds().median;
        let least = cases.iter().min_by(|a, b| seconds(a).total_cmp(&seconds(b)));
        least.map_or_else(String::new, |case| {
            format!("{} ({} seconds)", case.name, text::figure(case.seconds().median))
        })
    };
    format!(
        "The fastest memory size was {}; the fastest way to merge was {}.",
        quickest(by_size),
        quickest(merges)
    )
}

/// Returns the average number of bytes of a run, or `None` without runs.
fn run_bytes(size: u64, case: &Measured) -> Option<f64> {
    let runs = case.number("runs");
    (runs > 0.0).then(|| size as f64 / runs)
}

fn sizes(size: u64, cases: &[Measured]) -> FigureTable {
    let row = |case: &Measured| -> Vec<Cell> {
        let phase = |phase| case.spread(move |trial| trial.phase_seconds(phase)).median;
        vec![
            case.name.as_str().into(),
            case.number("passes").into(),
            case.number("runs").into(),
            run_bytes(size, case).map(|bytes| bytes / 1e6).into(),
            case.seconds().into(),
            phase(Phase::RunGeneration).into(),
            phase(Phase::IntermediateMerge).into(),
            phase(Phase::Writing).into(),
        ]
    };
    FigureTable::measured(
        format!("{} GB with more and more memory", text::figure(gigabytes(size))),
        [
            "memory",
            "passes",
            "runs",
            "MB per run",
            "seconds",
            "to make runs",
            "to merge runs to fewer",
            "to write the output",
        ],
        cases.iter().map(row),
    )
    .noted("Without runs, memory holds all records.")
}

fn ways(cases: &[Measured]) -> FigureTable {
    let row = |case: &Measured| -> Vec<Cell> {
        let reads = case.number("requests/spill_read/count");
        let piece = case.number("streams/spill_read") / reads.max(1.0) / 1e3;
        vec![
            case.name.as_str().into(),
            case.number("merge_width").into(),
            case.number("passes").into(),
            reads.into(),
            piece.into(),
            case.seconds().into(),
            case.spread(|trial| trial.phase_seconds(Phase::Writing)).into(),
        ]
    };
    FigureTable::measured(
        "Ways to merge",
        [
            "way",
            "runs at once",
            "passes",
            "reads of runs",
            "kB per read",
            "seconds",
            "of the last merge",
        ],
        cases.iter().map(row),
    )
    .noted(format!("With 1/{MERGE_SHARE} of the size as memory, and at least 32 MiB."))
}

fn counts(size: u64, cases: &[Measured]) -> FigureTable {
    let row = |case: &Measured| -> Vec<Cell> {
        let phase = |phase| case.spread(move |trial| trial.phase_seconds(phase)).median;
        vec![
            case.name.as_str().into(),
            case.number("runs").into(),
            run_bytes(size, case).map(|bytes| bytes / 1e6).into(),
            case.number("passes").into(),
            case.seconds().into(),
            phase(Phase::RunGeneration).into(),
            phase(Phase::Writing).into(),
        ]
    };
    FigureTable::measured(
        "More and more runs with one budget",
        [
            "wanted",
            "runs",
            "MB per run",
            "passes",
            "seconds",
            "to make runs",
            "to write the output",
        ],
        cases.iter().map(row),
    )
    .noted(format!("With 1/{COUNT_SHARE} of the size as memory, and at least 32 MiB."))
}

fn loads(cases: &[Measured]) -> FigureTable {
    let row = |case: &Measured| -> Vec<Cell> {
        let phase = |phase| case.spread(move |trial| trial.phase_seconds(phase)).median;
        vec![
            case.name.as_str().into(),
            case.number("microruns/runs").into(),
            case.number("microruns/entries").into(),
            case.seconds().into(),
            phase(Phase::Writing).into(),
        ]
    };
    FigureTable::measured(
        "Runs in memory, by AlphaSort's algorithm",
        ["wanted", "runs", "records of a run", "seconds", "to merge and write"],
        cases.iter().map(row),
    )
    .noted("More runs leave less to sort when the last block has been read.")
}

fn chart(size: u64, cases: &[Measured]) -> Chart {
    let points = |seconds: &dyn Fn(&Measured) -> f64| {
        cases
            .iter()
            .filter_map(|case| Some([run_bytes(size, case)? / 1e6, seconds(case)]))
            .collect::<Vec<[f64; 2]>>()
    };
    let line = |name: &str, points| ChartLine {
        name: name.into(),
        source: FigureSource::Measured,
        points,
    };
    Chart {
        title: "Time against the size of runs".into(),
        x: "MB per run".into(),
        y: "seconds".into(),
        logarithmic: true,
        lines: vec![
            line("whole sort", points(&|case| case.seconds().median)),
            line(
                "making runs",
                points(&|case| {
                    case.spread(|trial| trial.phase_seconds(Phase::RunGeneration)).median
                }),
            ),
            line(
                "writing the output",
                points(&|case| case.spread(|trial| trial.phase_seconds(Phase::Writing)).median),
            ),
        ],
    }
}
