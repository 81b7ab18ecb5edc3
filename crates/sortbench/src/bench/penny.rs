//! PennySort: the most that is sorted for a penny, given what the machine costs.
//!
//! Nyberg et al., AlphaSort, VLDB Journal 1995, section 9, and the rules that psort's entries
//! followed. A power law through smaller sorts that take as many passes predicts the size. A real
//! sort verifies it where the disk has room.

use sortwell::ConfigErrorKind;
use sortwell::{ByteSize, Error, Result};

use super::cases::Measured;
use super::finding::{Cell, Chart, ChartLine, FigureSource, FigureTable, Finding};
use super::ground::{COPIES, FileRecords, Ground, gigabytes, records_of, too_small};
use super::growth::Growth;
use super::{papers, price, text};
use crate::RECORD_LENGTH;

/// Divisors of the largest sample that give the sizes of the samples.
const SHARES: [u64; 4] = [8, 4, 2, 1];

/// Memory of a sample is this part of its size, so that it takes two passes as a penny's size does.
const MEMORY_SHARE: u64 = 8;

/// Least memory of a sample. With less, a sort cannot finish in two passes and does not resemble a
/// large one.
const MEMORY_LEAST: u64 = 64 << 20;

/// Most bytes of a sample, even if the disk has room for more.
const SAMPLE_MOST: u64 = 12_000_000_000;

/// Least growth exponent of a sort's time. Sizes that follow from a smaller one mean nothing.
const EXPONENT_LEAST: f64 = 0.1;

const ABOUT: &str = "The price of the machine gives the time that a penny buys. By AlphaSort's \
                     formula, it is ten thousand minutes divided by the list price. By psort's, \
                     it is a share of three years of a machine that costs 35 dollars more than \
                     its parts. Sorts of several sizes give the size that this time is enough \
                     for. If the disk has room, the benchmark sorts that size.";

/// Options of the penny: the price of the machine and the largest size.
#[derive(Clone, Copy, Debug)]
pub struct PennyOptions {
    /// Price of the machine, in dollars.
    pub dollars: f64,
    /// The largest size that is sorted; what the disk holds if not given.
    pub largest: Option<ByteSize>,
}

/// A way to say how long a penny lasts, and what that came to.
struct PennyBudget {
    name: &'static str,
    seconds: f64,
    size: u64,
    verified: Option<Measured>,
}

/// Foretells and verifies what a penny sorts.
///
/// # Errors
///
/// Those of the sorts; that there is no room for the smallest.
pub fn penny(ground: &Ground, options: PennyOptions) -> Result<Finding> {
    let room = ground.room()? / COPIES;
    let most = options.largest.map_or(room, |size| size.0.min(room));
    let samples = samples(ground, most.min(SAMPLE_MOST))?;
    let points: Vec<[f64; 2]> =
        alike(&samples).iter().map(|(size, case)| [*size as f64, case.seconds().median]).collect();
    let growth = law(&points, || too_small("sorts of several sizes", options.largest, room))?;
    let ways = [
        ("AlphaSort: 10^4 minutes over the price", price::penny_by_list_price(options.dollars)),
        ("psort: three years, 35 $ of assembly", price::penny_by_three_years(options.dollars)),
    ];
    let budget = |(name, seconds)| budget(ground, name, seconds, growth, most);
    let budgets = ways.into_iter().map(budget).collect::<Result<Vec<PennyBudget>>>()?;
    let mut tables = vec![results(&budgets), sampled(&samples, growth)];
    tables.extend(papers::tables(&PRINTED));
    let verified = budgets.iter().filter_map(|budget| budget.verified.as_ref());
    Ok(Finding {
        bench: "penny",
        title: "PennySort: the largest size sorted for a penny",
        about: ABOUT.to_owned(),
        answer: answer(&budgets, options.dollars),
        tables,
        charts: vec![chart(&points, growth, &budgets)],
        unfair: UNFAIR.map(str::to_owned).to_vec(),
        references: papers::references(&PRINTED),
        setting: ground.setting(),
        samples: samples
            .iter()
            .map(|(_, case)| case)
            .chain(verified)
            .map(Measured::samples)
            .collect(),
    })
}

/// Printed tables that the bench shows.
pub(super) const PRINTED: [&str; 5] =
    ["penny-psort", "budget-psort", "parts-psort", "growth-psort", "penny-psort-journal"];

const UNFAIR: [&str; 5] = [
    "The price is the given one, not the price of parts on one day; for a rented machine it means \
     little.",
    "psort's machines were built for this benchmark, from the parts with the best value.",
    "A predicted size that was not sorted is an extrapolation from much smaller sizes.",
    "Samples of one pass predict too large a size, if a sort of that size takes two; --largest \
     makes samples larger.",
    "The time here includes a proof, which sums every record on input and on output.",
];

/// Sorts several sizes from the smallest on, in two passes if they are large enough.
fn samples(ground: &Ground, most: u64) -> Result<Vec<(u64, Measured)>> {
    let sizes = SHARES.map(|share| most / share / RECORD_LENGTH as u64 * RECORD_LENGTH as u64);
    let mut measured = Vec::new();
    for size in sizes.into_iter().filter(|size| *size > 0) {
        let memory = (size / MEMORY_SHARE).max(MEMORY_LEAST).to_string();
        let case = repeated(ground, size, &["--memory".to_owned(), memory])?;
        measured.push((size, case));
    }
    Ok(measured)
}

/// Returns the samples whose sizes took as many passes as the largest one: the law is theirs.
fn alike(samples: &[(u64, Measured)]) -> &[(u64, Measured)] {
    let passes = |(_, case): &(u64, Measured)| case.number("passes");
    let of_largest = samples.last().map(passes);
    let first = samples.iter().position(|sample| Some(passes(sample)) == of_largest);
    let alike = &samples[first.unwrap_or_default()..];
    // A law needs two sizes.
    if alike.len() > 1 { alike } else { samples }
}

/// Returns the law by which the time of the samples grows.
/// `too_small` returns the error of too few sizes.
fn law(points: &[[f64; 2]], too_small: impl FnOnce() -> Error) -> Result<Growth> {
    let growth = Growth::fitted(points).ok_or_else(too_small)?;
    match growth.exponent > EXPONENT_LEAST {
        true => Ok(growth.beyond(points)),
        false => Err(Error::config(
            ConfigErrorKind::Other,
            "larger sorts took no longer than smaller ones, so no prediction is possible: the \
             machine was busy, or the sizes too small; give more --runs, or a larger --largest",
        )),
    }
}

/// Sorts a size as often as the bench repeats.
fn repeated(ground: &Ground, size: u64, further: &[String]) -> Result<Measured> {
    let input = ground.generate("input", records_of(size), FileRecords::Binary)?;
    let sort = |_| ground.sort(&input, FileRecords::Binary, further);
    let trials = (0..ground.runs).map(sort).collect::<Result<Vec<_>>>()?;
    Ok(Measured { name: format!("{} GB", gigabytes(size)), trials })
}

fn budget(
    ground: &Ground,
    name: &'static str,
    seconds: f64,
    growth: Growth,
    most: u64,
) -> Result<PennyBudget> {
    let size = growth.size(seconds) as u64 / RECORD_LENGTH as u64 * RECORD_LENGTH as u64;
    let fits = size > 0 && size <= most;
    let verified = fits.then(|| repeated(ground, size, &[])).transpose()?;
    Ok(PennyBudget { name, seconds, size, verified })
}

fn answer(budgets: &[PennyBudget], dollars: f64) -> String {
    let words = |budget: &PennyBudget| {
        let (size, seconds) = (text::figure(gigabytes(budget.size)), text::figure(budget.seconds));
        let verified = match &budget.verified {
            Some(case) => format!("sorted in {}", text::figure(case.seconds().median)),
            None => "not verified, as it is larger than the disk or --largest allows".to_owned(),
        };
        format!("{size} GB in {seconds} seconds ({verified})")
    };
    let each: Vec<String> = budgets.iter().map(words).collect();
    format!(
        "With a price of {} dollars, a penny sorts {}.",
        text::figure(dollars),
        each.join(", or ")
    )
}

fn results(budgets: &[PennyBudget]) -> FigureTable {
    let row = |budget: &PennyBudget| -> Vec<Cell> {
        let seconds = budget.verified.as_ref().map(Measured::seconds);
        vec![
            budget.name.into(),
            budget.seconds.into(),
            gigabytes(budget.size).into(),
            seconds.into(),
        ]
    };
    FigureTable::measured(
        "Results for a penny",
        ["formula", "seconds for a penny", "GB predicted", "seconds really"],
        budgets.iter().map(row),
    )
    .noted("Sizes without measured seconds did not fit the disk, or were larger than --largest.")
}

fn sampled(samples: &[(u64, Measured)], growth: Growth) -> FigureTable {
    let row = |(size, case): &(u64, Measured)| {
        let law = growth.seconds(*size as f64);
        vec![
            gigabytes(*size).into(),
            case.number("passes").into(),
            case.seconds().into(),
            law.into(),
        ]
    };
    FigureTable::measured(
        "Sorts used for the prediction",
        ["GB", "passes", "seconds", "seconds by the law"],
        samples.iter().map(row),
    )
    .noted(match growth.exponent > 1.0 {
        true => format!(
            "The law is the size to the power of {:.2}, by least squares of logarithms.",
            growth.exponent
        ),
        false => "The law is in proportion to the largest size: smaller sizes took longer per \
                      byte."
            .to_owned(),
    })
}

fn chart(points: &[[f64; 2]], growth: Growth, budgets: &[PennyBudget]) -> Chart {
    let line = |name: &str, points: Vec<[f64; 2]>| ChartLine {
        name: name.into(),
        source: FigureSource::Measured,
        points: points.into_iter().map(|[size, seconds]| [size / 1e9, seconds]).collect(),
    };
    let ends = budgets.iter().map(|budget| budget.size as f64);
    let mut sizes: Vec<f64> = points.iter().map(|point| point[0]).chain(ends).collect();
    sizes.sort_by(f64::total_cmp);
    let law = sizes.into_iter().map(|size| [size, growth.seconds(size)]).collect();
    let verified: Vec<[f64; 2]> = budgets
        .iter()
        .filter_map(|budget| Some([budget.size as f64, budget.verified.as_ref()?.seconds().median]))
        .collect();
    let mut lines = vec![line("samples", points.to_vec()), line("the law", law)];
    if !verified.is_empty() {
        lines.push(line("verified", verified));
    }
    Chart {
        title: "From samples to a penny".into(),
        x: "GB".into(),
        y: "seconds".into(),
        logarithmic: true,
        lines,
    }
}

#[cfg(test)]
mod tests;
