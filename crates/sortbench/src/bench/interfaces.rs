//! Bench of the ways to move bytes: through the page cache, past it, by mapping; with more and
//! fewer buffers, threads and memory.
//!
//! After NOW-Sort (Arpaci-Dusseau et al., SIGMOD 1997), Figure 2: what an interface does to a sort
//! under a limit of memory; and after Oracle 7's levers: direct writes, asynchronous requests, the
//! sort area, the degree of parallelism, write buffers.

use sortwell::ConfigErrorKind;
use sortwell::unstable::io::Engine;
use sortwell::unstable::sys::limits;
use sortwell::{ByteSize, Error, Result};

use super::cases::{Case, Measured};
use super::confinement::Confinement;
use super::finding::{Cell, Chart, ChartLine, FigureSource, FigureTable, Finding};
use super::ground::{COPIES, FileRecords, Ground, gigabytes, records_of};
use super::{papers, text};

/// Default memory of the whole process and of the page cache of its files.
const LIMIT: u64 = 512 << 20;

/// A sort gets this part of the limit as its budget: the rest is the kernel's for it.
const BUDGET: f64 = 0.8;

/// Sizes under the limit, in quarters of it.
const QUARTERS: [u64; 5] = [1, 2, 3, 4, 8];

/// Ratio of the input to the memory, in the sort that levers are tried on.
const TIMES_MEMORY: u64 = 8;

/// Least memory of that sort. A sort with half of it is still accepted, with any levers.
const MEMORY_LEAST: u64 = 64 << 20;

const ABOUT: &str = "The first part runs sorts of growing size under a memory limit that includes \
                     the page cache, once for each way to move bytes. The second part runs a sort \
                     in two passes and changes one setting at a time: the page cache, overlap of \
                     requests and work, memory, threads, and write buffers.";

/// Measures under a limit of `memory`, 512 MiB if not given.
///
/// # Errors
///
/// Those of the sorts; that there is not room for them.
pub fn interfaces(ground: &Ground, memory: Option<ByteSize>) -> Result<Finding> {
    let limit = memory.map_or(LIMIT, |memory| memory.0);
    let needed = limit * QUARTERS[QUARTERS.len() - 1] / 4 * COPIES;
    if ground.room()? < needed {
        return Err(Error::config(
            ConfigErrorKind::InvalidValue,
            format!(
                "the benchmark needs {} on the disk, which has less; give less --memory, or a \
                 directory on another disk",
                ByteSize(needed)
            ),
        ));
    }
    let confinement = Confinement::new(ByteSize(limit));
    let (sizes, limited) = under_a_limit(ground, limit, confinement.as_ref())?;
    let moved = levers(ground, limit)?;
    let mut tables = vec![
        interfaces_table(&sizes, &limited, limit, confinement.is_some()),
        levers_table(limit * 2, &moved),
    ];
    tables.extend(papers::tables(&PRINTED));
    let cases = limited.iter().flat_map(|(_, cases)| cases);
    Ok(Finding {
        bench: "interfaces",
        title: "ways to move bytes, and the settings of a large sort",
        about: ABOUT.to_owned(),
        answer: answer(&moved),
        tables,
        charts: vec![chart(&sizes, &limited)],
        unfair: UNFAIR.map(str::to_owned).to_vec(),
        references: papers::references(&PRINTED),
        setting: ground.setting(),
        samples: cases.chain(moved.iter().map(|(_, case)| case)).map(Measured::samples).collect(),
    })
}

/// Printed tables that the bench shows.
pub(super) const PRINTED: [&str; 8] = [
    "interfaces-now",
    "memory-now",
    "disks-now",
    "disks-talk",
    "arrays-alphasort",
    "arrays-talk",
    "striping-rates-alphasort",
    "striping-overhead-alphasort",
];

const UNFAIR: [&str; 4] = [
    "NOW-Sort ran short of memory because Solaris paged the sort out to buffer files. Linux \
     reclaims clean pages of files first, so the same mistake costs less.",
    "Its sort held all records in memory; here the memory budget holds, and other records go to \
     runs.",
    "The kernel copies from mappings without advice, because a file that becomes shorter would \
     end a process that touches them.",
    "Oracle's own figures are of index builds; 'sortwell bench index' shows them.",
];

/// A way to move bytes: its name, and the options that choose it.
type TransferChoice = (&'static str, [&'static str; 4]);

/// Ways through the page cache, and past it where the file system allows that.
fn ways(allows_direct: bool) -> Vec<TransferChoice> {
    let mut ways = vec![
        ("read, one request after the other", ["--io", "sync", "--direct", "off"]),
        ("read, by a pool of threads", ["--io", "threads", "--direct", "off"]),
    ];
    if Engine::MmapPlain.probe().is_ok() {
        ways.push(("mmap", ["--io", "mmap-plain", "--direct", "off"]));
    }
    ways.extend([
        ("mmap with madvise", ["--io", "mmap", "--direct", "off"]),
        ("asynchronous", ["--io", "auto", "--direct", "off"]),
    ]);
    if allows_direct {
        ways.push(("read, past the page cache", ["--io", "sync", "--direct", "on"]));
        ways.push(("asynchronous, past the page cache", ["--io", "auto", "--direct", "on"]));
    }
    ways
}

/// Sorts of each size in each way: the sizes, and for each way its name and its sorts.
type Limited = (Vec<u64>, Vec<(&'static str, Vec<Measured>)>);

fn under_a_limit(ground: &Ground, limit: u64, within: Option<&Confinement>) -> Result<Limited> {
    let sizes: Vec<u64> = QUARTERS.iter().map(|quarters| limit * quarters / 4).collect();
    let budget = ((limit as f64 * BUDGET) as u64).to_string();
    let mut limited: Vec<(&str, Vec<Measured>)> = Vec::new();
    for size in &sizes {
        let input = ground.generate("input", records_of(*size), FileRecords::Binary)?;
        let ways = ways(ground.allows_direct(&input));
        let case = |(name, options): &TransferChoice| {
            let mut arguments = vec!["--memory", &budget];
            arguments.extend(options);
            Case::new(format!("{name}, {} GB", gigabytes(*size)), input.clone(), &arguments)
        };
        let cases: Vec<Case> = ways.iter().map(case).collect();
        if limited.is_empty() {
            limited = ways.iter().map(|(name, _)| (*name, Vec::new())).collect();
        }
        let measured = ground.confined_rounds(&cases, within)?;
        for ((_, of_way), case) in limited.iter_mut().zip(measured) {
            of_way.push(case);
        }
    }
    Ok((sizes, limited))
}

/// Measures a sort in two passes with one lever changed at a time. Returns each lever and its case.
fn levers(ground: &Ground, limit: u64) -> Result<Vec<(&'static str, Measured)>> {
    let size = limit * 2;
    let input = ground.generate("input", records_of(size), FileRecords::Binary)?;
    let memory = (size / TIMES_MEMORY).max(MEMORY_LEAST);
    let case = |lever: &'static str, name: String, further: &[&str]| {
        let usual = memory.to_string();
        let mut arguments = further.to_vec();
        if !further.contains(&"--memory") {
            arguments.extend(["--memory", &usual]);
        }
        (lever, Case::new(name, input.clone(), &arguments))
    };
    let mut cases = vec![case("none", "chosen by sortwell".into(), &[])];
    let directs: &[&str] = if ground.allows_direct(&input) { &["on", "off"] } else { &["off"] };
    for direct in directs {
        for overlap in ["pipelined", "sync"] {
            let name = format!("direct {direct}, {overlap}");
            let options = ["--direct", direct, "--overlap", overlap];
            cases.push(case("direct, overlap", name, &options));
        }
    }
    let off = ["--async-io", "off"];
    cases.push(case("asynchronous I/O", "one request at a time".to_owned(), &off));
    for memory in [memory / 2, memory * 2, memory * 4] {
        let name = format!("{} MB", text::figure(memory as f64 / 1e6));
        cases.push(case("sort area", name, &["--memory", &memory.to_string()]));
    }
    for threads in [1, 2, 4].into_iter().filter(|threads| *threads <= limits::cores().max(2)) {
        let name = format!("{threads} threads");
        cases.push(case("degree", name, &["--threads", &threads.to_string()]));
    }
    for (count, bytes) in [("2", "32KiB"), ("3", "512KiB"), ("8", "512KiB"), ("3", "2MiB")] {
        let options = ["--write-buffers", count, "--write-buffer-size", bytes];
        cases.push(case("write buffers", format!("{count} of {bytes}"), &options));
    }
    let (names, cases): (Vec<&str>, Vec<Case>) = cases.into_iter().unzip();
    Ok(names.into_iter().zip(ground.rounds(&cases)?).collect())
}

fn answer(moved: &[(&'static str, Measured)]) -> String {
    let usual = moved.first().map_or(0.0, |(_, case)| case.seconds().median);
    let seconds = |(_, case): &&(&str, Measured)| case.seconds().median;
    let quickest = moved.iter().min_by(|a, b| seconds(a).total_cmp(&seconds(b)));
    let Some((lever, case)) = quickest else { return String::new() };
    format!(
        "The choice of sortwell took {} seconds; the fastest was {} ({lever}) with {}.",
        text::figure(usual),
        case.name,
        text::figure(case.seconds().median)
    )
}

fn interfaces_table(
    sizes: &[u64],
    limited: &[(&str, Vec<Measured>)],
    limit: u64,
    is_held: bool,
) -> FigureTable {
    let mut columns = vec!["bytes are moved by".to_owned()];
    columns.extend(sizes.iter().map(|size| format!("{} MB", text::figure(*size as f64 / 1e6))));
    let row = |(name, cases): &(&str, Vec<Measured>)| {
        let mut row: Vec<Cell> = vec![(*name).into()];
        row.extend(cases.iter().map(|case| Cell::from(case.seconds())));
        row
    };
    FigureTable::measured(
        "Seconds of sorts of these sizes under a memory limit",
        columns,
        limited.iter().map(row),
    )
    .noted(match is_held {
        true => format!(
            "A control group sets the limit of {}, which includes the page cache.",
            ByteSize(limit)
        ),
        false => format!(
            "No control group was possible here, as it needs root. Only the budget of {} was \
                 in force, and the page cache was not counted.",
            ByteSize((limit as f64 * BUDGET) as u64)
        ),
    })
}

fn levers_table(size: u64, moved: &[(&'static str, Measured)]) -> FigureTable {
    let row = |(lever, case): &(&'static str, Measured)| -> Vec<Cell> {
        let seconds = case.seconds();
        vec![
            (*lever).into(),
            case.name.as_str().into(),
            seconds.into(),
            (size as f64 / 1e6 / seconds.median).into(),
            case.number("passes").into(),
            case.number("runs").into(),
        ]
    };
    FigureTable::measured(
        format!("One setting at a time, {} GB", text::figure(gigabytes(size))),
        ["lever", "at", "seconds", "MB/s", "passes", "runs"],
        moved.iter().map(row),
    )
    .noted(format!("The rest is chosen by sortwell, with 1/{TIMES_MEMORY} of the size as memory."))
}

fn chart(sizes: &[u64], limited: &[(&str, Vec<Measured>)]) -> Chart {
    let line = |(name, cases): &(&str, Vec<Measured>)| ChartLine {
        name: (*name).to_owned(),
        source: FigureSource::Measured,
        points: sizes
            .iter()
            .zip(cases)
            .map(|(size, case)| [*size as f64 / 1e6, case.seconds().median])
            .collect(),
    };
    Chart {
        title: "Time against size under a memory limit".into(),
        x: "MB".into(),
        y: "seconds".into(),
        logarithmic: false,
        lines: limited.iter().map(line).collect(),
    }
}
