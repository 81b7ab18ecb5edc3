//! Time, processor time and memory of a sort, measured by its own process.

use std::fs;
use std::time::Instant;

use serde_json::{Value, json};

use crate::Outcome;
use crate::records::OrderSum;

/// Ticks of processor time in a second, in `/proc` (always 100 where programs see it).
const TICKS: f64 = 100.0;

/// Bytes of a MiB.
const MIB: f64 = 1_048_576.0;

/// Figures of one sort.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    pub wall_s: f64,
    pub user_s: f64,
    pub system_s: f64,
    /// Peak of the resident memory, without files on tmpfs, and without other processes.
    pub peak_mib: f64,
    pub sum: OrderSum,
}

impl Figures {
    /// Returns user and system time together.
    pub fn processor_s(&self) -> f64 {
        self.user_s + self.system_s
    }

    /// Returns one line, for [`parse`](Self::parse).
    pub fn line(&self) -> String {
        let Self { wall_s, user_s, system_s, peak_mib, sum } = self;
        let OrderSum { records, keys, numbers } = sum;
        format!("{wall_s} {user_s} {system_s} {peak_mib} {records} {keys} {numbers}")
    }

    /// Reads a line.
    pub fn parse(line: &str) -> Outcome<Self> {
        let mut words = line.split_whitespace();
        let mut word = || words.next().ok_or("a figure is missing");
        let (wall_s, user_s) = (word()?.parse()?, word()?.parse()?);
        let (system_s, peak_mib) = (word()?.parse()?, word()?.parse()?);
        let sum = OrderSum {
            records: word()?.parse()?,
            keys: word()?.parse()?,
            numbers: word()?.parse()?,
        };
        Ok(Self { wall_s, user_s, system_s, peak_mib, sum })
    }

    /// Returns the figures for a file of raw figures.
    pub fn json(&self) -> Value {
        json!({
            "seconds": rounded(self.wall_s),
            "user_seconds": self.user_s,
            "system_seconds": self.system_s,
            "peak_mib": rounded(self.peak_mib),
        })
    }

    /// Returns the median of each figure.
    pub fn medians(rounds: &[Self]) -> Self {
        let middle = |of: fn(&Self) -> f64| {
            let mut values: Vec<f64> = rounds.iter().map(of).collect();
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or_default()
        };
        Self {
            wall_s: middle(|of| of.wall_s),
            user_s: middle(|of| of.user_s),
            system_s: middle(|of| of.system_s),
            peak_mib: middle(|of| of.peak_mib),
            sum: rounds.first().map(|of| of.sum).unwrap_or_default(),
        }
    }

    /// Returns the round that took the least time.
    pub fn best(rounds: &[Self]) -> Self {
        let least = rounds.iter().min_by(|a, b| a.wall_s.total_cmp(&b.wall_s));
        least.copied().unwrap_or_default()
    }
}

/// Returns a number with three decimals.
pub fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

/// A measurement of this process that has begun.
#[derive(Debug)]
pub struct Begun {
    wall: Instant,
    /// User and system time so far.
    processor: [f64; 2],
}

impl Begun {
    /// Begins.
    pub fn now() -> Outcome<Self> {
        Ok(Self { wall: Instant::now(), processor: processor_seconds()? })
    }

    /// Returns what was taken since.
    pub fn end(self) -> Outcome<Figures> {
        let (wall_s, [user, system]) = (self.wall.elapsed().as_secs_f64(), processor_seconds()?);
        let [user_s, system_s] = [user - self.processor[0], system - self.processor[1]];
        let sum = OrderSum::default();
        Ok(Figures { wall_s, user_s, system_s, peak_mib: peak_mib()?, sum })
    }
}

/// Returns the user and the system time of this process, of all its threads, and of processes that
/// it began and waited for.
fn processor_seconds() -> Outcome<[f64; 2]> {
    let text = fs::read_to_string("/proc/self/stat")?;
    // The name in parentheses may hold blanks; the times are the 12th to 15th fields after it.
    let fields = text.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(4).map(str::parse::<f64>);
    let ticks: Vec<f64> = ticks.collect::<Result<_, _>>()?;
    let [user, system, child_user, child_system] = ticks[..] else {
        return Err("a field of /proc/self/stat is missing".into());
    };
    Ok([(user + child_user) / TICKS, (system + child_system) / TICKS])
}

/// Returns the peak of the resident memory.
fn peak_mib() -> Outcome<f64> {
    let text = fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next());
    Ok(kib.ok_or("VmHWM is missing")?.parse::<f64>()? * 1024.0 / MIB)
}
