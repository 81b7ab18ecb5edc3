//! Bench of index builds: with one thread and with several, with requests one after the other and
//! asynchronous, through the page cache and past it, with small and large sort areas.
//!
//! After Oracle's report "Tuning Large Sorts" (1996), Tables 2 to 4: CREATE INDEX on the store and
//! the product of its sales table. Its sort area decides the length of a run. Here the option for
//! the length of runs takes its place, so that the same area makes as many runs as there.

use std::path::Path;

use sortwell::unstable::sys::limits;
use sortwell::{ByteSize, ConfigErrorKind, Error, Result};

use super::cases::{Case, Measured};
use super::finding::{Cell, Chart, ChartLine, FigureSource, FigureTable, Finding};
use super::ground::{FileRecords, Ground};
use super::{papers, text};

/// Default number of rows: a tenth of the report's table.
pub const ROWS: u64 = 1_000_000;

/// Default memory of a build.
const MEMORY: u64 = 64 << 20;

/// Bytes that a row takes on the disk at most: in the table, in runs twice, and in the index.
const ROW_BYTES: u64 = 200;

/// Sort areas of the report, in MiB.
const AREAS: [u64; 3] = [1, 2, 4];

/// Write buffers. The report has 2, 4 and 8 of 32 KiB and of 64 KiB. A thread of sortwell has three
/// at least, and the blocks of a run have 64 KiB.
const BUFFERS: [u64; 3] = [3, 4, 8];
const BUFFER_KIB: [u64; 2] = [64, 128];

const ABOUT: &str = "Each build makes an index on store and product of a table of sales. The first \
                     builds have one thread, and then all. Requests for runs come one after the \
                     other or are asynchronous, pass through the page cache or past it, and runs \
                     have the length of a sort area of 1, 2 or 4 MiB. The last builds change the \
                     write buffers, or leave everything to sortwell.";

/// Printed tables that the bench shows.
pub(super) const PRINTED: [&str; 9] = [
    "index-memory-oracle",
    "index-buffers-oracle",
    "index-serial-oracle",
    "index-parallel-oracle",
    "index-gains-oracle",
    "index-rates-oracle",
    "index-setting-oracle",
    "index-sales-oracle",
    "index-columns-oracle",
];

/// Sizes of the bench.
#[derive(Clone, Copy, Debug)]
pub struct IndexSizes {
    /// Rows of the table.
    pub rows: u64,
    /// Memory of each build; `None` for 64 MiB.
    pub memory: Option<ByteSize>,
}

/// The builds, in the order in which they are measured.
struct IndexBuilds {
    rows: u64,
    table_bytes: u64,
    /// Threads of serial and of parallel builds.
    degrees: [usize; 2],
    /// Values of the option for direct requests: `off`, and `on` where the file system allows it.
    directs: Vec<&'static str>,
}

/// Measured builds.
struct MeasuredBuilds {
    /// By degree, then asynchronous or not, then area, then direct or not.
    levers: Vec<Measured>,
    /// By number of buffers, then size.
    buffers: Vec<Measured>,
    /// Builds with the settings of sortwell, by degree.
    chosen: Vec<Measured>,
}

/// Builds indexes in every way.
///
/// # Errors
///
/// Those of the builds; that there is not room for them.
pub fn index(ground: &Ground, sizes: IndexSizes) -> Result<Finding> {
    let IndexSizes { rows, memory } = sizes;
    let needed = rows.saturating_mul(ROW_BYTES);
    if ground.room()? < needed {
        return Err(Error::config(
            ConfigErrorKind::InvalidValue,
            format!(
                "the benchmark needs {} on the disk, which has less; give fewer --rows, or a \
                 directory on another disk",
                ByteSize(needed)
            ),
        ));
    }
    let input = ground.generate("input", rows, FileRecords::Sales)?;
    let table = std::fs::metadata(&input).map_err(|error| Error::io("look at", &input, error))?;
    let most = ground.threads.unwrap_or_else(limits::cores).max(2);
    let directs = if ground.allows_direct(&input) { vec!["off", "on"] } else { vec!["off"] };
    let builds = IndexBuilds { rows, table_bytes: table.len(), degrees: [1, most], directs };
    let memory = memory.map_or(MEMORY, |memory| memory.0);
    let measured = builds.measure(ground, &input, memory)?;
    let mut tables = builds.tables(&measured, memory);
    tables.extend(papers::tables(&PRINTED));
    let MeasuredBuilds { levers, buffers, chosen } = &measured;
    Ok(Finding {
        bench: "index",
        title: "indexes over a table of sales",
        about: ABOUT.to_owned(),
        answer: builds.answer(&measured),
        tables,
        charts: vec![builds.chart(levers)],
        unfair: UNFAIR.map(str::to_owned).to_vec(),
        references: papers::references(&PRINTED),
        setting: ground.setting(),
        samples: levers.iter().chain(buffers).chain(chosen).map(Measured::samples).collect(),
    })
}

const UNFAIR: [&str; 6] = [
    "Oracle's table has 10 million rows in 450 MB. Its machine had 16 processors and striped \
     disks. Compare ratios, and set --rows 10000000 for as many rows and runs.",
    "Oracle's asynchronous I/O concerned all files. Here, --io and --direct concern runs; the \
     table is read and the index is written through the page cache in all cases.",
    "Oracle's sort area is the memory of each of 16 processes. Here, all threads make one run of \
     that length, and the memory of a build stays the same.",
    "Oracle's smallest areas made a serial build merge some runs twice, and no parallel build. \
     Here, the memory decides how many runs are merged at once, and the passes are in the tables.",
    "Without direct writes, one process of Oracle wrote all runs, and the others waited for it. \
     Linux writes the page cache with several threads, and runs that fit in it are not read from \
     the disk again.",
    "The report has one time for each case, and says that the differences between its \
     sort areas are within the error.",
];

impl IndexBuilds {
    fn measure(&self, ground: &Ground, input: &Path, memory: u64) -> Result<MeasuredBuilds> {
        let memory = memory.to_string();
        let case = |name: String, degree: usize, further: &[&str]| {
            let threads = degree.to_string();
            let arguments = [&["--memory", &memory, "--threads", &threads], further].concat();
            Case { kind: FileRecords::Sales, ..Case::new(name, input.to_owned(), &arguments) }
        };
        let mut cases = Vec::new();
        for degree in self.degrees {
            for io in ["sync", "auto"] {
                for area in AREAS {
                    let run = format!("{area}MiB");
                    for &direct in &self.directs {
                        let name =
                            format!("{degree} threads, --io {io}, --direct {direct}, {area} MiB");
                        let options = ["--io", io, "--direct", direct, "--run-size", &run];
                        cases.push(case(name, degree, &options));
                    }
                }
            }
        }
        let levers = cases.len();
        let degree = self.degrees[1];
        for buffers in BUFFERS {
            for kib in BUFFER_KIB {
                let (count, size) = (buffers.to_string(), format!("{kib}KiB"));
                let run = format!("{}MiB", AREAS[0]);
                let direct = self.directs[self.directs.len() - 1];
                let options = ["--write-buffers", &count, "--write-buffer-size", &size];
                let options = [&options[..], &["--direct", direct, "--run-size", &run]].concat();
                cases.push(case(format!("{buffers} buffers of {kib} KiB"), degree, &options));
            }
        }
        let chosen = cases.len();
        for degree in self.degrees {
            cases.push(case(format!("{degree} threads, chosen by sortwell"), degree, &[]));
        }
        let mut measured = ground.rounds(&cases)?;
        let chosen = measured.split_off(chosen);
        let buffers = measured.split_off(levers);
        Ok(MeasuredBuilds { levers: measured, buffers, chosen })
    }

    /// Returns the cases of a degree, each row with one case for each kind of direct requests.
    fn of_degree<'m>(&self, levers: &'m [Measured], degree: usize) -> Vec<&'m [Measured]> {
        let each = levers.len() / self.degrees.len();
        levers[degree * each..][..each].chunks(self.directs.len()).collect()
    }

    fn tables(&self, measured: &MeasuredBuilds, memory: u64) -> Vec<FigureTable> {
        let MeasuredBuilds { levers, buffers, chosen } = measured;
        let [serial, parallel] = [0, 1].map(|degree| self.of_degree(levers, degree));
        let directs: Vec<String> = self.directs.iter().map(|way| format!("direct {way}")).collect();
        let seconds = |title: String, rows: &[&[Measured]]| {
            let mut columns = ["asynchronous", "sort area"].map(str::to_owned).to_vec();
            columns.extend_from_slice(&directs);
            columns.extend(["runs", "passes"].map(str::to_owned));
            let cells = |row: &[Measured]| -> Vec<Cell> {
                let seconds = row.iter().map(|case| Cell::from(case.seconds()));
                let plan = ["runs", "passes"].map(|name| Cell::from(row[0].number(name)));
                seconds.chain(plan).collect()
            };
            FigureTable::measured(title, columns, lever_rows(rows.iter().map(|row| cells(row))))
        };
        let rows = self.rows;
        let memory = ByteSize(memory);
        let [one, most] = self.degrees;
        vec![
            seconds(format!("Seconds of serial builds, {one} thread, {rows} rows"), &serial)
                .noted(format!("Every build has {memory}.")),
            seconds(format!("Seconds of parallel builds, {most} threads, {rows} rows"), &parallel),
            self.buffers(buffers),
            self.gains(&serial, &parallel),
            self.chosen(chosen),
        ]
    }

    /// Returns the table of reductions against the first case of each degree.
    fn gains(&self, serial: &[&[Measured]], parallel: &[&[Measured]]) -> FigureTable {
        let mut columns = vec!["asynchronous".to_owned(), "sort area".to_owned()];
        for degree in ["serial", "parallel"] {
            columns.extend(self.directs.iter().map(|way| format!("{degree}, direct {way}")));
        }
        let cells = |rows: &[&[Measured]], row: usize| -> Vec<Cell> {
            let base = &rows[0][0];
            rows[row].iter().map(|case| Cell::from(reduction(base, case))).collect()
        };
        let rows = (0..serial.len()).map(|row| [cells(serial, row), cells(parallel, row)].concat());
        FigureTable::measured("Reduction of the time in %", columns, lever_rows(rows))
            .noted("Against the first row without direct requests. Less than 0 is slower.")
    }

    fn buffers(&self, cases: &[Measured]) -> FigureTable {
        let columns = ["write buffers".to_owned()].into_iter();
        let seconds = BUFFER_KIB.map(|kib| format!("of {kib} KiB"));
        let gains = BUFFER_KIB.map(|kib| format!("reduction in %, {kib} KiB"));
        let columns = columns.chain(seconds).chain(gains);
        let rows = BUFFERS.iter().zip(cases.chunks(BUFFER_KIB.len())).map(|(count, row)| {
            let seconds = row.iter().map(|case| Cell::from(case.seconds()));
            let gains = row.iter().map(|case| Cell::from(reduction(&cases[0], case)));
            let count = std::iter::once(Cell::from(*count as f64));
            count.chain(seconds).chain(gains).collect()
        });
        let most = self.degrees[1];
        let title = format!("Seconds of parallel builds, {most} threads, by their write buffers");
        FigureTable::measured(title, columns, rows)
            .noted("With runs of 1 MiB, asynchronous, and direct where the file system allows it.")
    }

    fn chosen(&self, cases: &[Measured]) -> FigureTable {
        let row = |(degree, case): (usize, &Measured)| -> Vec<Cell> {
            let seconds = case.seconds();
            let megabytes = |bytes: f64| Cell::from(bytes / 1e6);
            vec![
                (degree as f64).into(),
                seconds.into(),
                megabytes(self.table_bytes as f64 / seconds.median),
                case.number("passes").into(),
                case.number("runs").into(),
                megabytes(case.number("streams/spill_written")),
                megabytes(case.spread(|trial| trial.output_bytes as f64).median),
            ]
        };
        let columns =
            ["threads", "seconds", "MB/s", "passes", "runs", "MB spilled", "MB of the index"];
        let rows = self.degrees.into_iter().zip(cases).map(row);
        let megabytes = text::figure(self.table_bytes as f64 / 1e6);
        FigureTable::measured("Builds with the settings of sortwell", columns, rows)
            .noted(format!("The table has {megabytes} MB, and MB/s are of the table."))
    }

    fn answer(&self, measured: &MeasuredBuilds) -> String {
        let [serial, parallel] = &measured.chosen[..] else { return String::new() };
        let [slow, quick] = [serial, parallel].map(|case| case.seconds().median);
        let [one, most] = [0, 1].map(|degree| {
            let rows = self.of_degree(&measured.levers, degree);
            let gains = rows.iter().copied().flatten().map(|case| reduction(&rows[0][0], case));
            text::figure(gains.fold(0.0, f64::max))
        });
        format!(
            "With its own settings, sortwell built the index in {} seconds with one thread and {} \
             with {} threads, {} times as fast. Asynchronous and direct requests and the sort area \
             reduce the time by up to {one}% with one thread, and {most}% with {}.",
            text::figure(slow),
            text::figure(quick),
            self.degrees[1],
            text::figure(slow / quick),
            self.degrees[1]
        )
    }

    fn chart(&self, levers: &[Measured]) -> Chart {
        let mut lines = Vec::new();
        for (degree, threads) in self.degrees.into_iter().enumerate() {
            let rows = self.of_degree(levers, degree);
            for (io, rows) in ["--io sync", "--io auto"].iter().zip(rows.chunks(AREAS.len())) {
                for (column, direct) in self.directs.iter().enumerate() {
                    let point = |(area, row): (u64, &&[Measured])| {
                        [area as f64, row[column].seconds().median]
                    };
                    lines.push(ChartLine {
                        name: format!("{threads} threads, {io}, --direct {direct}"),
                        source: FigureSource::Measured,
                        points: AREAS.into_iter().zip(rows).map(point).collect(),
                    });
                }
            }
        }
        Chart {
            title: "Time of a build against the sort area".into(),
            x: "MiB".into(),
            y: "seconds".into(),
            logarithmic: false,
            lines,
        }
    }
}

/// Returns by how many per cent a case is shorter than another.
fn reduction(base: &Measured, case: &Measured) -> f64 {
    let [base, case] = [base, case].map(|case| case.seconds().median);
    // To a tenth, as the report has it.
    ((1.0 - case / base.max(f64::MIN_POSITIVE)) * 1000.0).round() / 10.0
}

/// Puts the levers in front of the cells of each row.
fn lever_rows(rows: impl Iterator<Item = Vec<Cell>>) -> Vec<Vec<Cell>> {
    let levers = ["no", "yes"].into_iter().flat_map(|is| AREAS.map(|area| (is, area)));
    let row = |((is, area), cells): ((&str, u64), Vec<Cell>)| {
        let mut row = vec![Cell::from(is), format!("{area} MiB").into()];
        row.extend(cells);
        row
    };
    levers.zip(rows).map(row).collect()
}
