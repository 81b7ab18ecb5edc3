//! Tables in columns.

use super::*;
use crate::bench::finding::FigureSource;

#[test]
fn figures_stand_to_the_right_and_names_to_the_left() {
    let table_of = FigureTable {
        title: "Sorts".into(),
        source: FigureSource::Measured,
        columns: ["size", "of what", "seconds"].map(str::to_owned).to_vec(),
        rows: vec![
            vec![1.0.into(), "lines".into(), Spread::of(&[2.0]).into()],
            vec![250.0.into(), "é".into(), Spread::of(&[1.0, 2.5, 3.25]).into()],
            vec![Cell::Empty, "none".into(), Cell::Empty],
        ],
        note: "All of one machine.".into(),
    };
    let words = "Sorts (measured)\n\
                 \u{20} size  of what           seconds\n\
                 \u{20}    1  lines                    2\n\
                 \u{20}  250  é        2.50 [1..3.25]\n";
    let found = table(&table_of);
    assert!(found.ends_with("  All of one machine.\n"), "{found}");
    assert_eq!(found.lines().next(), words.lines().next());
    let lines: Vec<usize> = found.lines().skip(1).take(4).map(width).collect();
    assert!(lines.iter().all(|width| *width == lines[0]), "{found}");
    assert!(found.contains("  250  é        2.50 [1..3.25]"), "{found}");
}

#[test]
fn figures_have_as_many_digits_as_count() {
    let cases = [
        (0.0, "0"),
        (7.0, "7"),
        (1_000_000.0, "1000000"),
        (12_345.678, "12346"),
        (99.94, "99.9"),
        (1.0049, "1.00"),
        (0.5, "0.500"),
        (0.0123, "0.0123"),
        (0.000_012_3, "1.23e-5"),
    ];
    for (number, words) in cases {
        assert_eq!(figure(number), words);
    }
}

#[test]
fn words_are_broken_between_words() {
    let long = ["word"; 40].join(" ");
    let lines: Vec<String> = wrapped(&long, "  ").lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|line| width(line) <= COLUMNS), "{lines:?}");
    assert!(lines[1].starts_with("  word"));
    assert_eq!(lines.join(" ").split_whitespace().count(), 40);
    assert_eq!(wrapped("", ""), "");
    assert_eq!(wrapped(&"x".repeat(200), ""), "x".repeat(200));
}
