//! The plan of a sort, for people and for programs. The figures are the library's; here they only
//! become words.

pub mod price;

use std::fmt::Write;

use serde::Serialize;
use sortwell::ByteSize;
use sortwell::Explanation;
use sortwell::unstable::plan::price::Prices;

use crate::statistics::{counted, levers, predicted, with_bytes};
use crate::wording;
use price::PassPrices;

/// Returns a short block of lines, each ended. With `prices`, some compare one pass with two.
pub fn text(of: &Explanation, prices: Option<&Prices>) -> String {
    let lines = [
        ("input", input(of)),
        ("plan", plan(of)),
        ("merge", merge(of)),
        ("bytes", bytes(of)),
        ("memory", memory(of)),
        ("i/o", transfers(of)),
        ("budgets", budgets(of)),
        ("time", time(of)),
    ];
    let mut block = String::new();
    let set = levers(&of.levers).map(|words| ("levers", words));
    for (topic, words) in lines.into_iter().chain(set) {
        // Writing to a string cannot fail.
        let _ = writeln!(block, "{topic:8} {words}");
    }
    let priced = prices.map_or_else(Vec::new, |prices| price::lines(of, prices));
    for (number, words) in priced.iter().enumerate() {
        let topic = if number == 0 { "price" } else { "" };
        let _ = writeln!(block, "{topic:8} {words}");
    }
    for (number, decision) in of.decisions.iter().enumerate() {
        let topic = if number == 0 { "why" } else { "" };
        let reason = wording::text(&decision.reason);
        let _ = writeln!(block, "{topic:8} {}: {reason}", decision.choice);
    }
    block
}

/// Returns one line of JSON, not ended, with the format where the inputs' names say it, and the
/// prices of one pass and of two if `prices` says how to find them.
pub fn json(
    of: &Explanation,
    prices: Option<&Prices>,
    format_by_names: Option<&'static str>,
) -> String {
    #[derive(Serialize)]
    struct PrintedExplanation<'e> {
        #[serde(flatten)]
        explanation: &'e Explanation,
        #[serde(skip_serializing_if = "Option::is_none")]
        prices: Option<PassPrices>,
        format_by_names: Option<&'static str>,
    }
    let mut explanation = of.clone();
    explanation.unpredicted = of.unpredicted.as_ref().map(wording::in_plain_text);
    for decision in &mut explanation.decisions {
        decision.reason = wording::in_plain_text(&decision.reason);
    }
    let prices = prices.map(|prices| PassPrices::new(of, prices));
    let whole = PrintedExplanation { explanation: &explanation, prices, format_by_names };
    serde_json::to_string(&whole).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"))
}

fn input(of: &Explanation) -> String {
    let about = if of.varies { "about " } else { "" };
    let records = of.bytes.bytes() / of.record_length.max(1);
    let records = counted(records, "record");
    let length = ByteSize(of.record_length);
    format!("{}: {about}{records} of {length}", with_bytes(of.bytes))
}

fn plan(of: &Explanation) -> String {
    let outlook = &of.outlook;
    let mut words = format!("{}{}", at_most(of), counted(outlook.passes.into(), "pass"));
    if outlook.runs > 0 {
        let _ = write!(words, ", {} of {}", counted(outlook.runs, "run"), outlook.run_bytes);
    }
    let _ = write!(words, ", {}", counted(of.threads, "thread"));
    if of.threads < of.threads_wanted {
        let _ = write!(words, " of {}", of.threads_wanted);
    }
    words
}

/// Returns `at most ` if records may be dropped on the way, which makes the output smaller.
fn at_most(of: &Explanation) -> &'static str {
    if of.is_at_most { "at most " } else { "" }
}

fn merge(of: &Explanation) -> String {
    let outlook = &of.outlook;
    if outlook.runs == 0 {
        return "none: all records are sorted in memory".to_owned();
    }
    let (slab, piece) = (outlook.slab_bytes, outlook.piece_bytes);
    let read = match slab.bytes() {
        0 => format!("as streams, {piece} of each run ahead"),
        _ => format!("slabs of {slab}, {piece} of each run"),
    };
    let at_once = counted(outlook.merge_width, "run");
    let mut words = format!("{at_once} at once, {} possible; {read}", outlook.merge_width_max);
    if outlook.merged_before > 0 {
        let _ = write!(words, "; {} merged before", counted(outlook.merged_before, "run"));
    }
    words
}

fn bytes(of: &Explanation) -> String {
    let outlook = &of.outlook;
    let mut words = format!("{}{} read and written in total", at_most(of), outlook.moved_bytes);
    if outlook.runs > 0 {
        let (spilled, space) = (outlook.spilled_bytes, outlook.spill_space.rounded_up());
        let _ = write!(words, ", {spilled} of it spilled; spill space {space}");
        for forecast in &of.compressed_runs {
            let (bytes, compression) = (forecast.spilled_bytes, &forecast.compression);
            let _ = write!(words, "; about {bytes} spilled with {compression}");
        }
        if of.is_in_place {
            let beside = outlook.in_place_space;
            let _ = write!(words, ", or {beside} next to the input on its own device");
        }
    }
    words
}

fn memory(of: &Explanation) -> String {
    let loads = match of.loads_at_once {
        1 => format!("a load {}", of.load_bytes),
        count => format!("{count} loads of {}", of.load_bytes),
    };
    format!(
        "{} of {}: {loads}, write buffers {} ({} of {} for each thread), sorting {}",
        of.arena_bytes,
        of.budget,
        of.buffer_bytes,
        of.write_buffers.count,
        of.write_buffers.bytes,
        of.scratch_bytes
    )
}

fn transfers(of: &Explanation) -> String {
    let way = |is_direct| if is_direct { "past" } else { "through" };
    let spill = of.is_spill_direct.map_or_else(String::new, |is| format!(", runs {}", way(is)));
    let requests = match of.is_asynchronous {
        true => format!(
            "{} of {} in flight",
            counted(of.threads * of.read_depth, "read"),
            of.block_bytes
        ),
        false => format!("reads of {}, one request at a time for each thread", of.block_bytes),
    };
    format!("{}, input {}{spill} the page cache, {requests}", of.engine, way(of.is_direct))
}

fn time(of: &Explanation) -> String {
    match (&of.prediction, &of.unpredicted) {
        (Some(told), _) => predicted(told),
        (None, Some(why)) => format!("not known: {}", wording::text(why)),
        (None, None) => "not known".to_owned(),
    }
}

fn budgets(of: &Explanation) -> String {
    let words = |budget: Option<ByteSize>, what: &str| match budget {
        Some(budget) => format!("{what} from {} on", budget.for_option()),
        None => format!("{what} with no budget"),
    };
    let one = words(of.outlook.one_pass_budget, "one pass");
    let two = words(of.outlook.two_pass_budget, "two passes");
    format!("{two}, {one}")
}

#[cfg(test)]
mod tests;
