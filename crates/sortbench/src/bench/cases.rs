//! Sorts that are compared: each case takes its turn in every round, so that a machine that becomes
//! slower meanwhile is slower for all of them.

use std::path::PathBuf;

use sortwell::Result;

use super::confinement::Confinement;
use super::finding::Samples;
use super::ground::{FileRecords, Ground};
use super::program::Trial;
use crate::samples::Spread;

/// One of the sorts.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name of the case.
    pub name: String,
    /// File that is sorted.
    pub input: PathBuf,
    /// Kind of the records.
    pub kind: FileRecords,
    /// Options beyond those of every sort of such records.
    pub arguments: Vec<String>,
}

impl Case {
    /// Creates a sort of binary records with these options.
    pub fn new(name: impl Into<String>, input: PathBuf, arguments: &[&str]) -> Self {
        let arguments = arguments.iter().map(|word| (*word).to_owned()).collect();
        Self { name: name.into(), input, kind: FileRecords::Binary, arguments }
    }
}

/// A case with all of its runs.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Name of the case.
    pub name: String,
    /// Trials, one of each round.
    pub trials: Vec<Trial>,
}

impl Measured {
    /// Returns the seconds from launch to exit.
    pub fn seconds(&self) -> Spread {
        self.spread(|trial| trial.seconds)
    }

    /// Returns the spread of a figure over all runs.
    pub fn spread(&self, of: impl Fn(&Trial) -> f64) -> Spread {
        Spread::of(&self.trials.iter().map(of).collect::<Vec<f64>>())
    }

    /// Returns a number of its statistics that is the same in all runs, or nearly so.
    pub fn number(&self, path: &str) -> f64 {
        self.spread(|trial| trial.number(path)).median
    }

    /// Returns the seconds of each run.
    pub fn samples(&self) -> Samples {
        let values = self.trials.iter().map(|trial| trial.seconds).collect();
        Samples { of: self.name.clone(), unit: "s", values }
    }
}

impl Ground<'_> {
    /// Runs all cases in turn, as many rounds as this bench repeats.
    ///
    /// # Errors
    ///
    /// Those of the first sort that fails.
    pub fn rounds(&self, cases: &[Case]) -> Result<Vec<Measured>> {
        self.confined_rounds(cases, None)
    }

    /// Runs all cases in turn within a memory limit that the system enforces, page cache included.
    ///
    /// # Errors
    ///
    /// Those of the first sort that fails.
    pub fn confined_rounds(
        &self,
        cases: &[Case],
        within: Option<&Confinement>,
    ) -> Result<Vec<Measured>> {
        let empty = |case: &Case| Measured { name: case.name.clone(), trials: Vec::new() };
        let mut measured: Vec<Measured> = cases.iter().map(empty).collect();
        for _ in 0..self.runs {
            for (case, measured) in cases.iter().zip(&mut measured) {
                let trial = self.sort_within(&case.input, case.kind, &case.arguments, within)?;
                measured.trials.push(trial);
            }
        }
        Ok(measured)
    }
}
