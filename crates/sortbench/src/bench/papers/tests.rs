//! The data file: its form, its checksums, and the figures that follow from others in print.

use sha2::{Digest, Sha256};

use super::*;
use crate::bench::{datamation, index, interfaces, kernels, minute, penny, runs};

/// Words that a place in a paper begins with.
const PLACES: [&str; 6] = ["Table ", "Figure ", "section", "slide", "abstract", "Appendix "];

fn library() -> &'static Library {
    LIBRARY.as_ref().unwrap()
}

/// Returns the checksums that `scripts/check_papers.py` wrote.
fn checksums() -> BTreeMap<String, String> {
    toml::from_str(include_str!("checksums.toml")).unwrap()
}

/// Computes the checksum of a table's printed parts, as the script does.
fn checksum(name: &str, table: &Printed) -> String {
    let rows = std::iter::once(&table.columns).chain(&table.rows).map(|row| row.join("\t"));
    let head = [name, &table.paper, &table.place].map(str::to_owned);
    let lines: Vec<String> = head.into_iter().chain(rows).collect();
    let sum = Sha256::digest(format!("{}\n", lines.join("\n")));
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_table_is_of_a_paper_and_says_where() {
    for (name, table) in &library().table {
        assert!(library().paper.contains_key(&table.paper), "{name}");
        let is_place = PLACES.iter().any(|place| table.place.starts_with(place));
        assert!(is_place || table.place.starts_with("text at "), "{name}: '{}'", table.place);
        assert!(!table.rows.is_empty(), "{name}");
        for row in &table.rows {
            assert_eq!(row.len(), table.columns.len(), "{name}: {row:?}");
        }
    }
}

/// A change of a figure needs the documents: `make check-papers` compares them, and `--seal` of the
/// script writes the checksums.
#[test]
fn tables_are_those_that_were_compared_with_the_documents() {
    let computed =
        library().table.iter().map(|(name, table)| (name.clone(), checksum(name, table)));
    let computed: BTreeMap<String, String> = computed.collect();
    let sealed = checksums();
    let differ: Vec<&String> = computed
        .iter()
        .filter(|(name, sum)| sealed.get(*name) != Some(*sum))
        .map(|(name, _)| name)
        .collect();
    assert!(differ.is_empty(), "run scripts/check_papers.py DIRECTORY --seal: {differ:?}");
    assert_eq!(computed.len(), sealed.len(), "a table was removed; seal the tables again");
}

#[test]
fn one_digit_changes_the_checksum() {
    let name = "quicksorts";
    let Printed { paper, place, title, columns, rows, note, .. } = &library().table[name];
    let mut rows = rows.clone();
    rows[0][1] = rows[0][1].replace('8', "9");
    let changed = Printed {
        paper: paper.clone(),
        place: place.clone(),
        title: title.clone(),
        columns: columns.clone(),
        rows,
        note: note.clone(),
        _found: IgnoredAny,
    };
    assert_ne!(checksum(name, &changed), checksums()[name]);
}

#[test]
fn benches_show_every_table() {
    let shown: [&[&str]; 7] = [
        &datamation::PRINTED,
        &index::PRINTED,
        &interfaces::PRINTED,
        &kernels::PRINTED,
        &minute::PRINTED,
        &penny::PRINTED,
        &runs::PRINTED,
    ];
    let shown: BTreeSet<&str> = shown.concat().into_iter().collect();
    let there: BTreeSet<&str> = library().table.keys().map(String::as_str).collect();
    assert_eq!(shown, there);
}

#[test]
fn tables_name_their_source_and_stay_text() {
    let tables = tables(&["minute-alphasort", "minute-berkeley-now"]);
    let [table, other] = tables.as_slice() else { panic!("{tables:?}") };
    assert_eq!(table.source.to_string(), "printed: AlphaSort, section 9");
    assert!(table.rows.iter().flatten().all(|cell| matches!(cell, Cell::Text(_))));
    let words = "printed: Berkeley NOW (another publication), section 6.6, page 9";
    assert_eq!(other.source.to_string(), words);
    let references = references(&["minute-alphasort", "summary-now", "datamation-alphasort"]);
    let [alphasort, now] = references.as_slice() else { panic!("{references:?}") };
    assert!(alphasort.starts_with("AlphaSort: Nyberg, Barclay"), "{alphasort}");
    assert!(now.starts_with("NOW-Sort: Arpaci-Dusseau"), "{now}");
}

fn column(table: &str, name: &str) -> Vec<f64> {
    let table = &library().table[table];
    let place = table.columns.iter().position(|column| column == name).unwrap();
    let figure = |cell: &str| cell.trim_matches(['$', 'k']).parse().unwrap_or(f64::NAN);
    table.rows.iter().map(|row| figure(&row[place])).collect()
}

/// AlphaSort's Table 4 prints the cost of each sort next to price and time: five years prorated.
/// For one of the five it prints 0.014 where 0.012 follows.
#[test]
fn alphasorts_prices_follow_from_its_times() {
    let [prices, times, costs] =
        ["total $", "seconds", "$/sort"].map(|name| column("datamation-alphasort", name));
    for ((price, time), cost) in prices.into_iter().zip(times).zip(costs) {
        let ours = crate::bench::price::of_datamation(price * 1000.0, time);
        assert!((ours - cost).abs() < 0.0022, "{price} k$, {time} s: {ours} against {cost}");
    }
}

/// AlphaSort's Table 2 adds up its steps.
#[test]
fn alphasorts_quicksorts_add_up() {
    let steps = ["generate the array", "QuickSort", "output", "total"];
    let [generate, sort, output, total] = steps.map(|name| column("quicksorts", name));
    for row in 0..total.len() {
        let generate = if generate[row].is_nan() { 0.0 } else { generate[row] };
        let sum = generate + sort[row] + output[row];
        assert!((sum - total[row]).abs() < 0.005, "{sum} against {}", total[row]);
    }
}

/// NOW-Sort's Table 1 adds up its parts: the figures of both systems follow.
#[test]
fn nowsorts_systems_cost_as_much_as_their_parts() {
    let prices = &library().table["prices-now"].rows;
    let dollars = |row: usize| -> f64 {
        let digits = prices[row][1].trim_end_matches(" per MB").trim_start_matches('$');
        digits.replace(',', "").parse().unwrap()
    };
    let parts: Vec<f64> = (0..10).map(dollars).collect();
    let [node, megabyte, hawk, barracuda, enclosure, scsi, myrinet, switch, eight, all] = parts[..]
    else {
        panic!("{parts:?}")
    };
    let large = node + 64.0 * megabyte + hawk + 2.0 * barracuda + scsi + myrinet;
    assert_eq!(8.0 * large + 4.0 * enclosure + switch, eight);
    assert_eq!(64.0 * (node + hawk + myrinet) + 26.0 * switch, all);
}

/// psort's parts add up to the price of its machine.
#[test]
fn psorts_parts_add_up() {
    let prices = column("parts-psort", "price");
    let (total, parts) = prices.split_last().unwrap();
    let sum: f64 = parts.iter().sum();
    assert!((sum - total).abs() < 0.005, "{sum} against {total}");
    let seconds = crate::bench::price::penny_by_three_years(*total);
    assert!((seconds - 2408.6766).abs() < 0.0001, "{seconds}");
}

/// Oracle's text has the reductions that follow from its tables, and rounds them.
#[test]
fn oracles_reductions_follow_from_its_times() {
    let seconds = |table: &str| -> Vec<Vec<f64>> {
        let seconds = |cell: &String| {
            let (minutes, seconds) = cell.split_once(':')?;
            Some(minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap())
        };
        let rows = library().table[table].rows.iter();
        rows.map(|row| row.iter().filter_map(seconds).collect()).collect()
    };
    let gain = |base: f64, time: f64| (1.0 - time / base) * 100.0;
    let serial = seconds("index-serial-oracle");
    let best = serial.iter().flatten().map(|time| gain(serial[0][0], *time)).fold(0.0, f64::max);
    assert!((best - 11.4).abs() < 0.05, "{best}");
    let parallel = seconds("index-parallel-oracle");
    for (rows, column, range) in [(0..3, 1, 63..66), (3..6, 0, 61..65), (3..6, 1, 65..69)] {
        let gains = rows.map(|row| gain(parallel[0][0], parallel[row][column]).round() as i32);
        let gains: Vec<i32> = gains.collect();
        let (least, most) = (gains.iter().min().unwrap(), gains.iter().max().unwrap());
        assert!((least - range.start).abs() <= 1 && (most - range.end).abs() <= 1, "{gains:?}");
    }
    let buffers = seconds("index-buffers-oracle");
    for (row, column, printed) in [(0, 1, 5.2), (1, 0, 6.2), (2, 1, 6.9)] {
        let ours = gain(buffers[0][0], buffers[row][column]);
        assert!((ours - printed).abs() < 0.05, "{ours} against {printed}");
    }
}
