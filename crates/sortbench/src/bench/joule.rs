//! JouleSort: records sorted for a joule, where the processor tells what it uses.
//!
//! Rivoire et al., JouleSort: A Balanced Energy-Efficiency Benchmark, SIGMOD 2007, measures at the
//! wall; here it is what the processors' own counters say (RAPL, through Linux's powercap).

use std::fs;
use std::path::{Path, PathBuf};

use sortwell::ConfigErrorKind;
use sortwell::{ByteSize, Error, Result};

use super::finding::{FigureTable, Finding, Samples};
use super::ground::{COPIES, FileRecords, Ground, gigabytes, records_of};
use super::text;
use crate::RECORD_LENGTH;
use crate::samples::Spread;

/// Directory of the counters on Linux.
const POWERCAP: &str = "/sys/class/powercap";

const ABOUT: &str = "sortwell sorts binary records of 100 bytes from a cold input to a durable \
                     output, while the processor counts the joules that it and its memory use.";

/// The counters of all processor packages.
#[derive(Debug)]
struct EnergyMeter {
    counters: Vec<Counter>,
}

/// One counter of microjoules, which begins again at nought after `range`.
#[derive(Debug)]
struct Counter {
    path: PathBuf,
    range: u64,
}

/// Sorts `size` bytes, a gigabyte if not given.
///
/// # Errors
///
/// That the machine does not tell its energy, and those of the sorts.
pub fn joule(ground: &Ground, size: Option<ByteSize>) -> Result<Finding> {
    let meter = EnergyMeter::at(Path::new(POWERCAP))?;
    let room = ground.room()? / COPIES;
    let records = records_of(size.map_or(1_000_000_000, |size| size.0).min(room));
    let input = ground.generate("input", records, FileRecords::Binary)?;
    let (mut joules, mut seconds) = (Vec::new(), Vec::new());
    for _ in 0..ground.runs {
        let before = meter.read()?;
        let trial = ground.sort(&input, FileRecords::Binary, &[])?;
        joules.push(meter.joules_since(&before)?);
        seconds.push(trial.seconds);
    }
    let records_a_joule: Vec<f64> = joules.iter().map(|joules| records as f64 / joules).collect();
    let efficiency = Spread::of(&records_a_joule);
    Ok(Finding {
        bench: "joule",
        title: "JouleSort: records per joule",
        about: ABOUT.to_owned(),
        answer: format!("{} records per joule.", text::figure(efficiency.median)),
        tables: vec![
            FigureTable::measured(
                "Energy of a sort",
                ["GB", "seconds", "joules", "records for a joule"],
                vec![vec![
                    gigabytes(records * RECORD_LENGTH as u64).into(),
                    Spread::of(&seconds).into(),
                    Spread::of(&joules).into(),
                    efficiency.into(),
                ]],
            )
            .noted(format!("Counters of {} processor packages.", meter.counters.len())),
        ],
        charts: Vec::new(),
        unfair: UNFAIR.map(str::to_owned).to_vec(),
        references: Vec::new(),
        setting: ground.setting(),
        samples: vec![
            Samples { of: "launch to exit".into(), unit: "s", values: seconds },
            Samples { of: "energy".into(), unit: "J", values: joules },
        ],
    })
}

const UNFAIR: [&str; 2] = [
    "JouleSort is measured at the wall, with disks, fans and the power supply. This count \
     excludes them.",
    "The count includes everything else that the machine does at the same time.",
];

impl EnergyMeter {
    /// Returns the counters below a directory: of packages, whose parts are counted in them.
    fn at(directory: &Path) -> Result<Self> {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let is_package = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with("intel-rapl:") && name.matches(':').count() == 1
        };
        let mut paths: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(is_package).collect();
        paths.sort();
        let counter = |path: PathBuf| {
            let range = number(&path.join("max_energy_range_uj"))?;
            let path = path.join("energy_uj");
            number(&path).map(|_| Counter { path, range })
        };
        let counters: Vec<Counter> = paths.into_iter().filter_map(counter).collect();
        match counters.is_empty() {
            true => Err(Error::config(
                ConfigErrorKind::Unsupported,
                format!(
                    "this machine does not report its energy: there is no readable counter in {} \
                     (virtual machines have none; on other machines it needs root)",
                    directory.display()
                ),
            )),
            false => Ok(Self { counters }),
        }
    }

    fn read(&self) -> Result<Vec<u64>> {
        let one = |counter: &Counter| {
            number(&counter.path).ok_or_else(|| {
                let gone = format!("{} is no longer readable", counter.path.display());
                Error::config(ConfigErrorKind::Unsupported, gone)
            })
        };
        self.counters.iter().map(one).collect()
    }

    fn joules_since(&self, before: &[u64]) -> Result<f64> {
        let now = self.read()?;
        let each = now.iter().zip(before).zip(&self.counters).map(|((now, before), counter)| {
            match now >= before {
                true => now - before,
                // It began again.
                false => counter.range.saturating_sub(*before) + now,
            }
        });
        Ok(each.sum::<u64>() as f64 / 1e6)
    }
}

fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests;
