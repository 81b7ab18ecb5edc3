//! All four ways, whose outputs are asserted to be ordered and whole in each run.

use sortwell::Progress;

use super::*;

#[test]
fn a_row_for_each_number_of_keys_and_a_line_for_each_way() {
    let progress = Progress::new();
    let numbers = [1, 2, 1000, 100_000];
    let section = measure(&mut KernelMeter::new(2, &progress), &numbers).unwrap();
    assert_eq!(section.tables[0].rows.len(), 4);
    assert_eq!(section.tables[0].columns.len(), 5);
    assert!(section.charts[0].lines.iter().all(|line| line.points.len() == 4));
    assert_eq!(section.samples.len(), 16);
    assert!(section.samples.iter().all(|samples| samples.values.len() == 2));
}
