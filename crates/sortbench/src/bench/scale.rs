//! Bench of the growth of time with the size and with the threads, and the power law that fits.

use std::fs;
use std::path::Path;

use sortwell::unstable::sys::limits;
use sortwell::{ByteSize, Error, Result};

use super::cases::{Case, Measured};
use super::finding::{Cell, Chart, ChartLine, FigureSource, FigureTable, Finding};
use super::ground::{COPIES, FileRecords, Ground, gigabytes, records_of, too_small};
use super::growth::Growth;
use crate::RECORD_LENGTH;

/// The smallest size.
const SMALLEST: u64 = 10_000_000;

/// Sizes to a factor of ten.
const STEPS: f64 = 2.0;

const ABOUT: &str = "sortwell sorts binary records of 100 bytes in sizes that grow by the square \
                     root of ten, with one thread, two, and so on up to the cores. Each sort runs \
                     from a cold input to a durable output. A power law is fitted to the times of \
                     each number of threads. With an exponent of 1, the time is proportional to \
                     the size.";

/// Sorts sizes from 10 MB to `largest` or what the disk holds, with so much memory if it is given.
///
/// # Errors
///
/// Those of the sorts; that there is not room for even the smallest.
pub fn scale(
    ground: &Ground,
    largest: Option<ByteSize>,
    memory: Option<ByteSize>,
) -> Result<Finding> {
    let room = ground.room()? / COPIES;
    let most =
        largest.map_or(room, |size| size.0.min(room)) / RECORD_LENGTH as u64 * RECORD_LENGTH as u64;
    if most == 0 {
        return Err(too_small("the smallest sort", largest, room));
    }
    let sizes = sizes(most);
    let input = ground.generate("input", records_of(most), FileRecords::Binary)?;
    let threads = degrees(ground.threads.unwrap_or_else(limits::cores));
    // From the largest down: what is left of the file is the next one.
    let mut found: Vec<(u64, Vec<Measured>)> = Vec::new();
    for size in sizes.iter().rev() {
        shorten(&input, *size)?;
        let case = |threads: &usize| {
            let mut case = Case::new(
                format!("{} GB, {threads} threads", gigabytes(*size)),
                input.clone(),
                &["--threads", &threads.to_string()],
            );
            let budget = memory.map(|memory| memory.0.to_string());
            case.arguments.extend(budget.into_iter().flat_map(|b| ["--memory".to_owned(), b]));
            case
        };
        found.push((*size, ground.rounds(&threads.iter().map(case).collect::<Vec<Case>>())?));
    }
    found.reverse();
    let growths: Vec<Option<Growth>> = (0..threads.len()).map(|at| growth(&found, at)).collect();
    Ok(Finding {
        bench: "scale",
        title: "time against size and threads",
        about: ABOUT.to_owned(),
        answer: answer(&threads, &growths),
        tables: vec![times(&threads, &found), laws(&threads, &growths)],
        charts: vec![chart(&threads, &found)],
        unfair: UNFAIR.map(str::to_owned).to_vec(),
        references: Vec::new(),
        setting: ground.setting(),
        samples: found.iter().flat_map(|(_, cases)| cases.iter().map(Measured::samples)).collect(),
    })
}

const UNFAIR: [&str; 2] = [
    "A law through sizes with one pass and sizes with two passes fits neither; the table has the \
     number of passes of each size.",
    "Small sorts mostly start the program and flush the disk, which does not grow.",
];

/// Sizes from the smallest to the largest, each larger by the same factor, in whole records.
fn sizes(largest: u64) -> Vec<u64> {
    let mut sizes = Vec::new();
    let mut size = SMALLEST as f64;
    while (size as u64) < largest {
        sizes.push(size as u64 / RECORD_LENGTH as u64 * RECORD_LENGTH as u64);
        size *= 10_f64.powf(1.0 / STEPS);
    }
    sizes.push(largest);
    sizes
}

/// Returns numbers of threads: powers of two, and all there are.
fn degrees(most: usize) -> Vec<usize> {
    let mut degrees: Vec<usize> = (0..).map(|power| 1 << power).take_while(|n| *n < most).collect();
    degrees.push(most);
    degrees
}

fn shorten(path: &Path, length: u64) -> Result<()> {
    let file = fs::OpenOptions::new().write(true).open(path);
    let cut = file.and_then(|file| file.set_len(length));
    cut.map_err(|error| Error::io("shorten", path, error))
}

fn growth(found: &[(u64, Vec<Measured>)], at: usize) -> Option<Growth> {
    let point = |(size, cases): &(u64, Vec<Measured>)| {
        [*size as f64, cases.get(at).map_or(0.0, |case| case.seconds().median)]
    };
    Growth::fitted(&found.iter().map(point).collect::<Vec<_>>())
}

fn named(threads: usize) -> String {
    if threads == 1 { "1 thread".into() } else { format!("{threads} threads") }
}

fn answer(threads: &[usize], growths: &[Option<Growth>]) -> String {
    let laws: Vec<String> = threads
        .iter()
        .zip(growths)
        .filter_map(|(threads, growth)| {
            let exponent = growth.as_ref()?.exponent;
            Some(format!("with {} as the size to the power of {exponent:.2}", named(*threads)))
        })
        .collect();
    match laws.is_empty() {
        true => "There are too few sizes to fit a law.".into(),
        false => format!("The time grows {}.", laws.join(", ")),
    }
}

fn times(threads: &[usize], found: &[(u64, Vec<Measured>)]) -> FigureTable {
    let mut columns = vec!["GB".to_owned(), "passes".to_owned()];
    columns.extend(threads.iter().map(|threads| format!("seconds, {}", named(*threads))));
    columns.push("MB/s, the last".to_owned());
    let row = |(size, cases): &(u64, Vec<Measured>)| {
        let passes = cases.iter().map(|case| case.number("passes")).fold(0.0, f64::max);
        let mut row: Vec<Cell> = vec![gigabytes(*size).into(), passes.into()];
        row.extend(cases.iter().map(|case| case.seconds().into()));
        let last = cases.last().map(|case| *size as f64 / 1e6 / case.seconds().median);
        row.push(last.into());
        row
    };
    FigureTable::measured("Times", columns, found.iter().map(row))
}

fn laws(threads: &[usize], growths: &[Option<Growth>]) -> FigureTable {
    let row = |(threads, growth): (&usize, &Option<Growth>)| {
        let gigabyte = growth.map(|growth| growth.seconds(1e9));
        vec![
            named(*threads).into(),
            growth.map(|growth| growth.exponent).into(),
            gigabyte.into(),
            growth.map(|growth| growth.explained).into(),
        ]
    };
    FigureTable::measured(
        "The power law that fits",
        ["threads", "exponent", "seconds for 1 GB", "R squared"],
        threads.iter().zip(growths).map(row),
    )
    .noted("By least squares of the logarithms of size and time.")
}

fn chart(threads: &[usize], found: &[(u64, Vec<Measured>)]) -> Chart {
    let line = |(at, threads): (usize, &usize)| {
        let point = |(size, cases): &(u64, Vec<Measured>)| {
            Some([gigabytes(*size), cases.get(at)?.seconds().median])
        };
        ChartLine {
            name: named(*threads),
            source: FigureSource::Measured,
            points: found.iter().filter_map(point).collect(),
        }
    };
    Chart {
        title: "Time against size".into(),
        x: "GB".into(),
        y: "seconds".into(),
        logarithmic: true,
        lines: threads.iter().enumerate().map(line).collect(),
    }
}

#[cfg(test)]
mod tests;
