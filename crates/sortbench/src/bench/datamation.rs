//! The Datamation benchmark: a million records of 100 bytes from disk to disk, and every one of its
//! seven steps in the time.
//!
//! Anon et al., A Measure of Transaction Processing Power, Datamation 31(7), 1985. The program is
//! run again as a process of its own, from a cold input to a durable output.

use sortwell::Phase;
use sortwell::Result;

use super::finding::{Cell, Finding, Samples, Source, Table};
use super::ground::{Ground, Records, gigabytes};
use super::program::Trial;
use super::{papers, price, text};
use crate::RECORD_LENGTH;
use crate::samples::Spread;

/// The benchmark's size.
pub const RECORDS: u64 = 1_000_000;

const ABOUT: &str = "A million records of 100 bytes with keys of 10 are sorted from a file that is \
    not in memory to a file that is durable, with a proof that no record was lost. The time runs \
    from the launch of the program until it has ended.";

/// Sorts `records` records, [`RECORDS`] for the benchmark itself, on a machine of this price in
/// dollars if it is known.
///
/// # Errors
///
/// Those of the sorts.
pub fn datamation(ground: &Ground, records: u64, dollars: Option<f64>) -> Result<Finding> {
    let input = ground.generate("input", records, Records::Binary)?;
    let sort = |_| ground.sort(&input, Records::Binary, &[]);
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
            "{records} records in {} seconds, the middle of {} runs.",
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

const PRINTED: [&str; 4] = [
    "datamation-before-1994",
    "datamation-alphasort",
    "datamation-alphasort-steps",
    "datamation-now",
];

const UNFAIR: [&str; 4] = [
    "Thirty years lie between the machines: the papers' processors had 150 to 200 MHz, their disks \
     read a few megabytes a second each, and they had many of them.",
    "Their prices are of whole systems at list price; the price here is the one that was given.",
    "Here a proof is in the time: every record is summed when it is read and when it is written. \
     The papers checked their outputs afterwards.",
    "100 MB fit into memory many times over, so this is a test of starting, of fresh memory and of \
     a flush to disk, as AlphaSort's authors found it to be already.",
];

fn about(records: u64) -> String {
    match records {
        RECORDS => ABOUT.to_owned(),
        _ => format!("{ABOUT} This run has {records} records and is none of the benchmark."),
    }
}

fn whole(bytes: u64, seconds: Spread, dollars: Option<f64>) -> Table {
    let rate = bytes as f64 / 1e6 / seconds.median;
    let mut columns = vec!["GB", "seconds", "MB/s"];
    let mut row: Vec<Cell> = vec![gigabytes(bytes).into(), seconds.into(), rate.into()];
    if let Some(dollars) = dollars {
        columns.extend(["price $", "$/sort"]);
        let cost = price::of_datamation(dollars, seconds.median);
        row.extend([dollars.into(), cost.into()]);
    }
    Table {
        title: "The whole sort".into(),
        source: Source::Measured,
        columns: columns.into_iter().map(str::to_owned).collect(),
        rows: vec![row],
        note: match dollars {
            Some(_) => "The price is written off over five years, as the benchmark has it.".into(),
            None => "Give --price to see what it costs.".into(),
        },
    }
}

/// A step of the benchmark: its words, and its seconds of a run.
type Step = (&'static str, fn(&Trial) -> f64);

fn steps(trials: &[Trial]) -> Table {
    let steps: [Step; 6] = [
        ("1 launch the program", |trial| trial.launch_seconds),
        ("2 open the input, create the output, plan", |trial| trial.phase_seconds(Phase::Planning)),
        ("3 read the input, and sum and deal its records", |trial| {
            trial.phase_seconds(Phase::Reading) + trial.phase_seconds(Phase::RunGeneration)
        }),
        ("4, 5 sort, and write the output as it becomes sorted", |trial| {
            trial.phase_seconds(Phase::Writing) + trial.phase_seconds(Phase::IntermediateMerge)
        }),
        ("6 make it durable, compare the sums, give it its name", |trial| {
            trial.phase_seconds(Phase::Finishing)
        }),
        ("7 end the program", |trial| trial.exit_seconds),
    ];
    let row = |(words, seconds): Step| {
        let samples: Vec<f64> = trials.iter().map(seconds).collect();
        vec![words.into(), Spread::of(&samples).into()]
    };
    Table {
        title: "Its seven steps".into(),
        source: Source::Measured,
        columns: ["step", "seconds"].map(str::to_owned).to_vec(),
        rows: steps.into_iter().map(row).collect(),
        note:
            "Buckets are sorted while others are already written, so that steps 4 and 5 have one \
               time."
                .into(),
    }
}

#[cfg(test)]
mod tests;
