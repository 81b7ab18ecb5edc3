//! What becomes of runs of the program: tables, without a program.

use serde_json::json;

use super::*;

#[test]
fn steps_are_of_one_run_each() {
    let trial = |reading: f64| Trial {
        seconds: 2.0,
        launch_seconds: 0.25,
        exit_seconds: 0.125,
        output_bytes: 0,
        statistics: json!({ "phases": [
            { "phase": "planning", "seconds": 0.5 },
            { "phase": "reading", "seconds": reading },
            { "phase": "finishing", "seconds": 0.0625 },
        ]}),
    };
    let table = steps(&[trial(1.0), trial(3.0), trial(2.0)]);
    let medians: Vec<f64> = table
        .rows
        .iter()
        .map(|row| match row[1] {
            Cell::Spread(spread) => spread.median,
            _ => f64::NAN,
        })
        .collect();
    assert_eq!(medians, [0.25, 0.5, 2.0, 0.0, 0.0625, 0.125]);
}

#[test]
fn a_price_adds_what_a_sort_costs() {
    let seconds = Spread::of(&[60.0]);
    assert_eq!(whole(100, seconds, None).columns.len(), 3);
    let table = whole(100, seconds, Some(1e6));
    let Some(Cell::Number(cost)) = table.rows[0].last() else { panic!("{table:?}") };
    assert!((cost - 0.38).abs() < 0.001);
}
