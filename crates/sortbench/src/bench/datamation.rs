//! The Datamation benchmark: a million records of 100 bytes from disk to disk, and every one of its
//! seven steps in the time.
//!
//! Anon et al., A Measure of Transaction Processing Power, Datamation 31(7), 1985. The program is
//! run again as a process of its own, from a cold input to a durable output.

use sortwell::Phase;
use sortwell::Result;

use super::finding::{Cell, FigureTable, Finding, Samples};
use super::ground::{FileRecords, Ground, gigabytes};
use super::program::Trial;
use super::{papers, price, text};
use crate::RECORD_LENGTH;
use crate::samples::Spread;

/// The benchmark's size.
pub const RECORDS: u64 = 1_000_000;

const ABOUT: &str = "sortwell sorts a million records of 100 bytes with keys of 10 bytes, from a \
                     file that is not in memory to a durable file, and proves that no record was \
                     lost. The time runs from the launch of the program to its end.";

/// Sorts `records` records, [`RECORDS`] for the benchmark itself, on a machine of this price in
/// dollars if it is known.
///
/// # Errors
///
/// Those of the sorts.
pub fn datamation(ground: &Ground, records: u64, dollars: Option<f64>) -> Result<Finding> {
    let input = ground.generate("input", records, FileRecords::Binary)?;
    let sort = |_| ground.sort(&input, FileRecords::Binary, &[]);
    let trials = (0..ground.runs).map(sort).collect::<Result<Vec<Trial>>>()?;
    let bytes = records * RECORD_LENGTH as u64;
    let seconds: Vec<f64> = trials.iter().map(|trial| trial.seconds).collect();
    let spread = Spread::of(&seconds);
    let mut tables = vec![whole(bytes, spread, dollars), steps(&trials)];
    tables.extend(papers::tables(&PRINTED));
    Ok(Finding {
        bench: "datamation",
        title: "the Datamation benchmark, launch to exit",
        about: about(records),
        answer: format!(
            "{records} records in {} seconds, the median of {} runs.",
            text::figure(spread.median),
            spread.count
        ),
        tables,
        charts: Vec::new(),
        unfair: UNFAIR.map(str::to_owned).to_vec(),
        references: papers::references(&PRINTED),
        setting: ground.setting(),
        samples: vec![Samples { of: "launch to exit".into(), unit: "s", values: seconds }],
    })
}

/// Printed tables that the bench shows.
pub(super) const PRINTED: [&str; 14] = [
    "datamation-before-1994",
    "datamation-alphasort",
    "datamation-alphasort-steps",
    "datamation-alphasort-parts",
    "records-now",
    "summary-now",
    "startup-now",
    "before-alphasort-talk",
    "beyond-alphasort-talk",
    "alphasort-node-talk",
    "alphasort-parallel-talk",
    "startup-talk",
    "now-node-talk",
    "datamation-berkeley-now",
];

const UNFAIR: [&str; 4] = [
    "The machines are thirty years apart. The processors of the papers had 150 to 200 MHz, and \
     each of their many disks read a few megabytes per second.",
    "Their prices are list prices of whole systems; the price here is the given one.",
    "The time here includes a proof, which sums every record on input and on output. No paper says \
     that its time includes a check of the output.",
    "100 MB fit into memory many times over. This is a test of program start, of fresh memory and \
     of a flush to disk, as AlphaSort's authors already found.",
];

fn about(records: u64) -> String {
    match records {
        RECORDS => ABOUT.to_owned(),
        _ => format!("{ABOUT} This run has {records} records, so it is not the benchmark."),
    }
}

fn whole(bytes: u64, seconds: Spread, dollars: Option<f64>) -> FigureTable {
    let rate = bytes as f64 / 1e6 / seconds.median;
    let mut columns = vec!["GB", "seconds", "MB/s"];
    let mut row: Vec<Cell> = vec![gigabytes(bytes).into(), seconds.into(), rate.into()];
    if let Some(dollars) = dollars {
        columns.extend(["price $", "$/sort"]);
        let cost = price::of_datamation(dollars, seconds.median);
        row.extend([dollars.into(), cost.into()]);
    }
    FigureTable::measured("The whole sort", columns, vec![row]).noted(match dollars {
        Some(_) => "The price is written off over five years, as in the benchmark.",
        None => "Give --price to see the cost.",
    })
}

/// A step of the benchmark: its words, and its seconds of a run.
type DatamationStep = (&'static str, fn(&Trial) -> f64);

fn steps(trials: &[Trial]) -> FigureTable {
    let steps: [DatamationStep; 6] = [
        ("1 launch the program", |trial| trial.launch_seconds),
        ("2 open the input, create the output, plan", |trial| trial.phase_seconds(Phase::Planning)),
        ("3 read the input, and sum and deal its records", |trial| {
            trial.phase_seconds(Phase::Reading) + trial.phase_seconds(Phase::RunGeneration)
        }),
        ("4, 5 sort, and write the sorted output", |trial| {
            trial.phase_seconds(Phase::Writing) + trial.phase_seconds(Phase::IntermediateMerge)
        }),
        ("6 make it durable, compare the sums, give it its name", |trial| {
            trial.phase_seconds(Phase::Finishing)
        }),
        ("7 end the program", |trial| trial.exit_seconds),
    ];
    let row = |(words, seconds): DatamationStep| {
        let samples: Vec<f64> = trials.iter().map(seconds).collect();
        vec![words.into(), Spread::of(&samples).into()]
    };
    FigureTable::measured("Its seven steps", ["step", "seconds"], steps.into_iter().map(row))
        .noted("Some buckets are sorted while others are written, so steps 4 and 5 have one time.")
}

#[cfg(test)]
mod tests;
