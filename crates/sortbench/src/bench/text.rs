//! A finding in words, for a terminal: tables in columns, each under its source.

use std::fmt::Write;

use super::finding::{Cell, FigureTable, Finding};
use crate::samples::Spread;

/// Columns between two columns of a table.
const GAP: &str = "  ";

/// Columns of a line of words.
const COLUMNS: usize = 92;

/// Returns the whole of a finding, without its charts, whose figures are in the tables too.
pub fn words(of: &Finding) -> String {
    let about = wrapped(&of.about, "");
    let mut block = format!("{}: {}\n\n{about}\n\n", of.bench, of.title);
    for part in &of.tables {
        block.push_str(&table(part));
        block.push('\n');
    }
    // Writing to a string cannot fail.
    let _ = writeln!(block, "{}\n", wrapped(&of.answer, ""));
    if !of.unfair.is_empty() {
        block.push_str("Limits of the comparison:\n");
        for point in &of.unfair {
            let _ = writeln!(block, "- {}", wrapped(point, "  "));
        }
        block.push('\n');
    }
    for paper in &of.references {
        let _ = writeln!(block, "{}", wrapped(paper, ""));
    }
    let machine = &of.setting.machine;
    let _ = writeln!(
        block,
        "{}, {} cores, {} of memory, Linux {}; {}; input {}; sortwell {}, {}",
        machine.processor,
        machine.cores,
        machine.memory,
        machine.kernel,
        of.setting.disk,
        of.setting.cold,
        machine.version,
        machine.date
    );
    block
}

/// Returns one table as text, with names aligned to the left and figures to the right.
fn table(of: &FigureTable) -> String {
    let mut rows = vec![of.columns.clone()];
    rows.extend(of.rows.iter().map(|row| row.iter().map(cell).collect()));
    let is_figures = |column: usize| {
        let mut cells = of.rows.iter().filter_map(|row| row.get(column));
        cells.all(|cell| !matches!(cell, Cell::Text(words) if !is_figure(words)))
    };
    let widths: Vec<(usize, bool)> = (0..of.columns.len())
        .map(|column| {
            let wide = rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell));
            (wide.max().unwrap_or(0), is_figures(column))
        })
        .collect();
    let mut block = format!("{} ({})\n", of.title, of.source);
    for row in &rows {
        let mut line = String::new();
        for (text, (wide, is_figures)) in row.iter().zip(&widths) {
            let padding = " ".repeat(wide - width(text));
            let (before, after) =
                if *is_figures { (padding, String::new()) } else { (String::new(), padding) };
            line.push_str(&format!("{GAP}{before}{text}{after}"));
        }
        block.push_str(line.trim_end());
        block.push('\n');
    }
    if !of.note.is_empty() {
        let _ = writeln!(block, "{GAP}{}", wrapped(&of.note, GAP));
    }
    block
}

/// Returns the number of columns that a text takes.
fn width(text: &str) -> usize {
    text.chars().count()
}

/// Returns whether words are a figure as papers print them: `320*`, `.1`, `1+`, `4:33`, or none:
/// `-`.
fn is_figure(words: &str) -> bool {
    words.chars().all(|character| character.is_ascii_digit() || ".,-+*:".contains(character))
}

/// Returns words in lines of a terminal's width, each after the first after `margin`.
fn wrapped(words: &str, margin: &str) -> String {
    let mut lines = String::new();
    let mut column = margin.len();
    for word in words.split(' ') {
        if column + 1 + width(word) > COLUMNS && column > margin.len() {
            lines.push('\n');
            lines.push_str(margin);
            column = margin.len();
        } else if column > margin.len() {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += width(word);
    }
    lines
}

fn cell(of: &Cell) -> String {
    match of {
        Cell::Text(words) => words.clone(),
        Cell::Number(number) => figure(*number),
        Cell::Spread(spread) => spread_words(spread),
        Cell::Empty => "-".to_owned(),
    }
}

/// Returns the median, and from where to where all lie if there are several.
fn spread_words(of: &Spread) -> String {
    match of.count {
        0 => "-".to_owned(),
        1 => figure(of.median),
        _ => format!("{} [{}..{}]", figure(of.median), figure(of.least), figure(of.most)),
    }
}

/// Returns a figure with about three digits that count, and no more than it has.
pub fn figure(number: f64) -> String {
    let size = number.abs();
    if number.fract() == 0.0 && size < 1e15 {
        return format!("{number:.0}");
    }
    match size {
        100.0.. => format!("{number:.0}"),
        10.0.. => format!("{number:.1}"),
        1.0.. => format!("{number:.2}"),
        0.1.. => format!("{number:.3}"),
        0.001.. => format!("{number:.4}"),
        _ => format!("{number:.2e}"),
    }
}

#[cfg(test)]
mod tests;
