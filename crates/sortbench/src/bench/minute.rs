//! MinuteSort: the largest size that is sorted in a minute, found by bracketing.
//!
//! Nyberg et al., AlphaSort, VLDB Journal 1995, section 9: the size, and dollars a gigabyte where a
//! minute costs a millionth of the machine. Indy sorts binary records of 100 bytes by their first
//! ten; Daytona sorts the same as lines, which may have any length, by the first ten bytes of each.

use sortwell::ConfigErrorKind;
use sortwell::{ByteSize, Error, Result};

use super::cases::Measured;
use super::finding::{Cell, FigureTable, Finding, Samples};
use super::ground::{COPIES, FileRecords, Ground, gigabytes, records_of, too_small};
use super::search::{SUPPOSED, Search};
use super::{papers, price, text};
use crate::RECORD_LENGTH;

const ABOUT: &str = "sortwell sorts inputs of several sizes, each from a cold input to a durable \
                     output, until it finds the largest size that fits the time. It then repeats \
                     that size. Records have 100 bytes and keys of 10 bytes. Indy is a sort for \
                     such records only, the fixed path. Daytona is a general sort, here of \
                     printable lines.";

/// Options of the minute: its length and the largest size.
#[derive(Clone, Copy, Debug)]
pub struct MinuteOptions {
    /// The minute, in seconds.
    pub seconds: f64,
    /// The largest size that is tried; what the disk holds if not given.
    pub largest: Option<ByteSize>,
    /// Price of the machine, in dollars.
    pub dollars: Option<f64>,
}

/// Result of one category.
struct CategoryResult {
    name: &'static str,
    search: Search,
    /// The best size again and again.
    best: Option<(u64, Measured)>,
}

/// Finds the largest sizes of both categories.
///
/// # Errors
///
/// Those of the sorts; that there is not room for the smallest.
pub fn minute(ground: &Ground, options: MinuteOptions) -> Result<Finding> {
    let room = ground.room()? / COPIES;
    let most = options.largest.map_or(room, |size| size.0.min(room));
    if options.seconds * SUPPOSED < RECORD_LENGTH as f64 {
        let seconds = text::figure(options.seconds);
        return Err(Error::config(
            ConfigErrorKind::InvalidValue,
            format!("--seconds {seconds} is too short for the smallest sort; give more time"),
        ));
    }
    if most < RECORD_LENGTH as u64 {
        return Err(too_small("the smallest sort", options.largest, room));
    }
    let categories = [("Indy", FileRecords::Binary), ("Daytona", FileRecords::Lines)]
        .into_iter()
        .map(|(name, kind)| category(ground, name, kind, options.seconds, most))
        .collect::<Result<Vec<CategoryResult>>>()?;
    let mut tables = vec![results(&categories, options), tries(&categories)];
    tables.extend(papers::tables(&PRINTED));
    Ok(Finding {
        bench: "minute",
        title: "MinuteSort: the largest size sorted in a minute",
        about: match options.seconds {
            60.0 => ABOUT.to_owned(),
            seconds => format!(
                "{ABOUT} The time was {} seconds, so this is not MinuteSort.",
                text::figure(seconds)
            ),
        },
        answer: answer(&categories, options.seconds),
        tables,
        charts: Vec::new(),
        unfair: UNFAIR.map(str::to_owned).to_vec(),
        references: papers::references(&PRINTED),
        setting: ground.setting(),
        samples: categories.iter().flat_map(CategoryResult::samples).collect(),
    })
}

/// Printed tables that the bench shows.
pub(super) const PRINTED: [&str; 12] = [
    "minute-alphasort",
    "minute-node-now",
    "minute-now",
    "summary-now",
    "rates-now",
    "prices-now",
    "scale-now",
    "bus-now",
    "network-now",
    "communication-talk",
    "scaling-talk",
    "minute-berkeley-now",
];

const UNFAIR: [&str; 5] = [
    "The systems of 1993 to 1997 had dozens of disks, processors or machines; this is one \
     machine.",
    "Their prices are list prices of whole systems; the price here is the given one.",
    "The time here includes a proof, which sums every record on input and on output.",
    "NOW-Sort counts a GB as 2^30 bytes; here it is 10^9, 7% less.",
    "The space on the disk may end the search before the time does; the table says so.",
];

fn category(
    ground: &Ground,
    name: &'static str,
    kind: FileRecords,
    seconds: f64,
    most: u64,
) -> Result<CategoryResult> {
    let mut search = Search::new(seconds, most / RECORD_LENGTH as u64 * RECORD_LENGTH as u64);
    while let Some(size) = search.next() {
        let input = ground.generate("input", records_of(size), kind)?;
        search.note(size, ground.sort(&input, kind, &[])?.seconds);
    }
    let again = |size| -> Result<Measured> {
        let input = ground.generate("input", records_of(size), kind)?;
        let sort = |_| ground.sort(&input, kind, &[]);
        let trials = (0..ground.runs).map(sort).collect::<Result<Vec<_>>>()?;
        Ok(Measured { name: format!("{name}, {} GB", gigabytes(size)), trials })
    };
    let mut best = None;
    // A size may have been done in the time by good luck. Then it is a miss.
    while let (None, Some((size, _))) = (&best, search.best()) {
        let measured = again(size)?;
        match measured.seconds().median {
            median if median > seconds => search.note(size, median),
            _ => best = Some((size, measured)),
        }
    }
    Ok(CategoryResult { name, search, best })
}

impl CategoryResult {
    fn samples(&self) -> Vec<Samples> {
        let tried = Samples {
            of: format!("{}, while searching", self.name),
            unit: "s",
            values: self.search.tries().iter().map(|(_, seconds)| *seconds).collect(),
        };
        self.best.iter().map(|(_, measured)| measured.samples()).chain([tried]).collect()
    }
}

fn answer(categories: &[CategoryResult], seconds: f64) -> String {
    let words = |category: &CategoryResult| {
        let CategoryResult { name, search, best } = category;
        let Some((size, measured)) = best else {
            return format!("{name} sorted nothing in the time.");
        };
        let (size, took) = (text::figure(gigabytes(*size)), measured.seconds().median);
        let took = text::figure(took);
        match search.is_capped() {
            true => format!(
                "{name} sorted the largest size tried, {size} GB, in {took} of {} seconds.",
                text::figure(seconds)
            ),
            false => format!("{name} sorted {size} GB in {took} seconds."),
        }
    };
    categories.iter().map(words).collect::<Vec<String>>().join(" ")
}

fn results(categories: &[CategoryResult], options: MinuteOptions) -> FigureTable {
    let mut columns = vec!["category", "GB", "seconds", "MB/s", "passes", "ended by"];
    if options.dollars.is_some() {
        columns.push("$/GB");
    }
    let row = |category: &CategoryResult| {
        let best = category.best.as_ref();
        let size = best.map(|(size, _)| gigabytes(*size));
        let seconds = best.map(|(_, measured)| measured.seconds());
        let rate = size.zip(seconds).map(|(size, seconds)| size * 1000.0 / seconds.median);
        let ended = if category.search.is_capped() { "the room" } else { "the time" };
        let mut row: Vec<Cell> = vec![
            category.name.into(),
            size.into(),
            seconds.into(),
            rate.into(),
            best.map(|(_, measured)| measured.number("passes")).into(),
            ended.into(),
        ];
        if let Some(dollars) = options.dollars {
            let minutes = options.seconds / 60.0;
            row.push(size.map(|size| price::of_minute(dollars) * minutes / size).into());
        }
        row
    };
    FigureTable::measured("Largest sizes sorted", columns, categories.iter().map(row)).noted(
        "The seconds are those of the repeated runs. Ended by the room: the disk, or \
             --largest, allowed no more.",
    )
}

fn tries(categories: &[CategoryResult]) -> FigureTable {
    let rows = categories.iter().flat_map(|category| {
        category.search.tries().iter().map(|(size, seconds)| {
            vec![category.name.into(), gigabytes(*size).into(), (*seconds).into()]
        })
    });
    FigureTable::measured("The search", ["category", "GB", "seconds"], rows)
}
