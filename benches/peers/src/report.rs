//! The figures as a table and as a file.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::figures::{Figures, rounded};
use crate::in_memory::MemorySort;
use crate::options::Options;
use crate::sorters::Contender;

/// A contender and its figures, round by round.
#[derive(Debug)]
pub struct Measured {
    pub contender: Contender,
    pub name: &'static str,
    pub rounds: Vec<Figures>,
}

impl Measured {
    /// Returns a contender without figures.
    pub fn new((contender, name): (Contender, &'static str)) -> Self {
        Self { contender, name, rounds: Vec::new() }
    }
}

/// Returns by how much the median wall and processor times exceed those of `base`.
fn ratios(own: &Figures, base: &Figures) -> [f64; 2] {
    [own.wall_s / base.wall_s, own.processor_s() / base.processor_s()]
}

/// Returns the contender that others are compared with: the file job, sortwell in memory, or the
/// first one if both are left out.
fn compared_with(measured: &[Measured]) -> Option<&Measured> {
    let is_base = |one: &&Measured| {
        let in_memory = |sort| matches!(sort, Contender::InMemory(MemorySort::Sortwell, _));
        one.contender == Contender::FileJob || in_memory(one.contender)
    };
    measured.iter().find(is_base).or(measured.first())
}

/// Returns the medians of that contender.
fn base_medians(measured: &[Measured]) -> Figures {
    compared_with(measured).map(|one| Figures::medians(&one.rounds)).unwrap_or_default()
}

/// Prints a table of the medians.
pub fn print(options: &Options, measured: &[Measured]) {
    let Options { count, memory_mib, threads, rounds, .. } = options;
    println!("{count} records, {memory_mib} MiB, {threads} threads, medians of {rounds} rounds");
    println!("{:18}wall s (best)  user s  system s  peak MiB  x wall  x processor", "");
    let base = base_medians(measured);
    for one in measured {
        let own = Figures::medians(&one.rounds);
        let [wall, processor] = ratios(&own, &base);
        let best = Figures::best(&one.rounds).wall_s;
        println!(
            "{:18}{:6.2} ({best:5.2}) {:7.2} {:9.2} {:9.0} {wall:7.2} {processor:12.2}",
            one.name, own.wall_s, own.user_s, own.system_s, own.peak_mib
        );
    }
}

/// Writes all figures to a file.
pub fn write(
    path: &Path,
    options: &Options,
    words: &[String],
    measured: &[Measured],
) -> Outcome<()> {
    let base = base_medians(measured);
    let mut sorts = Map::new();
    for one in measured {
        let own = Figures::medians(&one.rounds);
        let [wall, processor] = ratios(&own, &base).map(rounded);
        let rounds: Vec<Value> = one.rounds.iter().map(Figures::json).collect();
        sorts.insert(
            one.name.to_owned(),
            json!({
                "median": own.json(),
                "wall_to_base": wall,
                "processor_to_base": processor,
                "rounds": rounds,
            }),
        );
    }
    // Directories are those of one machine.
    let named: Vec<&[String]> = words.chunks(2).filter(|pair| is_repeatable(&pair[0])).collect();
    let report = json!({
        "date": said("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"]),
        "commit": said("git", &["describe", "--always", "--dirty"]),
        "machine": machine(),
        "repeat": format!("make peers PEERS=\"{}\"", named.concat().join(" ")),
        "records": options.count,
        "memory_mib": options.memory_mib,
        "threads": options.threads,
        "base": compared_with(measured).map(|one| one.name),
        "sorts": sorts,
    });
    fs::write(path, format!("{}\n", serde_json::to_string_pretty(&report)?))?;
    Ok(())
}

/// Returns whether an option is a part of the command by which the figures are repeated.
fn is_repeatable(name: &str) -> bool {
    !["--temp", "--files", "--json", "--command", "--library"].contains(&name)
}

/// Returns what a program prints; nothing if it cannot be run.
fn said(program: &str, words: &[&str]) -> String {
    let output = Command::new(program).args(words).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    text.unwrap_or_default()
}

/// Returns what the system says of the machine.
fn machine() -> Value {
    let field = |path: &str, name: &str| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_once(':').map_or("", |(_, value)| value.trim()).to_owned()
    };
    let cores = std::thread::available_parallelism().map_or(0, Into::into);
    json!({
        "cpu": field("/proc/cpuinfo", "model name"),
        "cores": cores,
        "memory": field("/proc/meminfo", "MemTotal"),
        "kernel": said("uname", &["-r"]),
        "load_average": fs::read_to_string("/proc/loadavg").unwrap_or_default().trim(),
    })
}
