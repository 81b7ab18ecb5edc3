//! The report page of a sort, of several, or of a bench: one HTML file that needs nothing else.
//!
//! Here the assets under `report/` are put together with the statistics; what is drawn of them is
//! the page's own script's to decide. Whatever the statistics say stays data: they stand in the
//! page as JSON in which no `<` is left, the script makes text of them and never markup, and the
//! page's own policy forbids it to load anything.
//!
//! Statistics come as JSON values, not as [`Statistics`](sortwell::Statistics), and so does
//! what a bench found: they may be another version's. [`read`] takes them from a file that anybody
//! may have written.

use std::io::Read;
use std::path::Path;

use serde_json::{Value, json};

use sortwell::{Error, Result};

/// Content of a file that a page is made from, as JSON.
#[derive(Clone, Debug, PartialEq)]
pub enum ReportSubject {
    /// The statistics of a sort, of which there may be several on a page.
    Sort(Value),
    /// The finding of a bench, which has a page of its own.
    Bench(Value),
}

/// Most bytes of a file of statistics: an hour at ten samples a second has some megabytes.
const BYTES_MAX: u64 = 64 << 20;

/// The script, in parts: each uses those before it.
const SCRIPT: &str = concat!(
    include_str!("report/words.js"),
    include_str!("report/dom.js"),
    include_str!("report/plan.js"),
    include_str!("report/charts.js"),
    include_str!("report/times.js"),
    include_str!("report/timeline.js"),
    include_str!("report/latency.js"),
    include_str!("report/tables.js"),
    include_str!("report/counters.js"),
    include_str!("report/sort.js"),
    include_str!("report/compare.js"),
    include_str!("report/finding.js"),
    include_str!("report/lines.js"),
    include_str!("report/bench.js"),
    include_str!("report/page.js"),
);

/// Style sheet in parts. Later parts override earlier ones.
const STYLE: &str = concat!(
    include_str!("report/uplot/uPlot.min.css"),
    "\n",
    include_str!("report/page.css"),
    include_str!("report/pictures.css"),
    include_str!("report/bench.css"),
    include_str!("report/narrow.css"),
);

/// Returns the page of some sorts, each with the name that it is shown under: of one its report, of
/// several what they have beside each other.
pub fn page(sorts: &[(String, Value)]) -> String {
    let sorts: Vec<Value> =
        sorts.iter().map(|(name, stats)| json!({ "name": name, "stats": stats })).collect();
    shell(&Value::Array(sorts))
}

/// Returns the page of what a bench found, as the benchmark library writes it.
pub fn bench_page(finding: &Value) -> String {
    shell(&json!({ "bench": finding }))
}

/// Returns the page, whose script displays the data.
fn shell(data: &Value) -> String {
    // In JSON a `<` can only stand in a string: no tag begins or ends there.
    let data = data.to_string().replace('<', "\\u003c");
    format!(
        include_str!("report/page.html"),
        version = env!("CARGO_PKG_VERSION"),
        style = STYLE,
        uplot_licence = include_str!("report/uplot/LICENSE"),
        uplot = include_str!("report/uplot/uPlot.iife.min.js"),
        script = SCRIPT,
        data = data,
    )
}

/// Returns what `from` holds, statistics or a finding: one JSON object, or lines of words with it
/// as the last. `path` is what `from` is called.
///
/// # Errors
///
/// That it cannot be read, or holds neither.
pub fn read(path: &Path, from: impl Read) -> Result<ReportSubject> {
    let malformed = |fault: String| {
        let message = format!(
            "{fault}; give the JSON that 'sortwell sort --stats json' prints to standard error, \
             or that 'sortwell bench --json' writes"
        );
        Error::Malformed { path: path.to_owned(), message: message.into() }
    };
    let mut bytes = Vec::new();
    from.take(BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Error::io("read", path, error))?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(malformed("larger than 64 MiB, too large for statistics".into()));
    }
    let text = str::from_utf8(&bytes).map_err(|_| malformed("not text".into()))?;
    let value = parse(text).map_err(|error| malformed(format!("not JSON: {error}")))?;
    // No statistics have a 'bench'; what has one is meant as a finding.
    let is_bench = value.get("bench").is_some();
    let fault = if is_bench { fault_of_finding(&value) } else { fault_of_statistics(&value) };
    match (fault, is_bench) {
        (None, false) => Ok(ReportSubject::Sort(value)),
        (None, true) => Ok(ReportSubject::Bench(value)),
        (Some(fault), false) => Err(malformed(format!("not the statistics of a sort: {fault}"))),
        (Some(fault), true) => Err(malformed(format!("not the result of a bench: {fault}"))),
    }
}

/// Returns the whole text as JSON, or else its last line from where an object may begin: progress
/// and warnings may stand before it.
fn parse(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text).or_else(|of_whole| {
        let last = text.trim_end().rsplit('\n').next().unwrap_or_default();
        let start = last.find('{').ok_or(of_whole)?;
        serde_json::from_str(&last[start..])
    })
}

/// Returns what statistics of a sort have, and these have not. Those of later versions may have
/// more.
fn fault_of_statistics(stats: &Value) -> Option<String> {
    if !stats.is_object() {
        return Some("not an object".into());
    }
    let lacks = |name: &&str| !stats[*name].is_number();
    if let Some(name) = ["records", "bytes", "seconds", "passes"].into_iter().find(lacks) {
        return Some(format!("no number '{name}' in it"));
    }
    (!stats["streams"].is_object()).then(|| "no 'streams' in it".into())
}

/// Returns what a finding has, and this has not; of the rest the page shows what there is.
fn fault_of_finding(finding: &Value) -> Option<String> {
    if !finding["bench"].is_string() {
        return Some("its 'bench' is not a name".into());
    }
    (!finding["tables"].is_array()).then(|| "no list 'tables' in it".into())
}

#[cfg(test)]
mod tests;
