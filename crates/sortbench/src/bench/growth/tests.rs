//! Laws that are known.

use super::*;

#[test]
fn a_law_is_found_again() {
    let law = |size: f64| 3.0 * size.powf(1.5);
    let points: Vec<[f64; 2]> = [1.0, 10.0, 70.0, 900.0].map(|size| [size, law(size)]).to_vec();
    let found = Growth::fitted(&points).unwrap();
    assert!((found.exponent - 1.5).abs() < 1e-9 && (found.factor - 3.0).abs() < 1e-9);
    assert!(found.explained > 0.999_999);
    assert!((found.seconds(20.0) - law(20.0)).abs() < 1e-6);
    assert!((found.size(law(20.0)) - 20.0).abs() < 1e-6);
}

#[test]
fn one_size_has_no_law() {
    assert_eq!(Growth::fitted(&[]), None);
    assert_eq!(Growth::fitted(&[[5.0, 1.0]]), None);
    assert_eq!(Growth::fitted(&[[5.0, 1.0], [5.0, 2.0]]), None);
    assert_eq!(Growth::fitted(&[[0.0, 1.0], [5.0, 2.0]]), None);
}

#[test]
fn what_scatters_is_explained_less() {
    let points = [[1.0, 1.0], [2.0, 8.0], [4.0, 1.0], [8.0, 16.0]];
    assert!(Growth::fitted(&points).unwrap().explained < 0.7);
}

#[test]
fn beyond_its_points_a_law_grows_as_sizes_do_at_least() {
    let points = [[1.0, 2.0], [4.0, 4.0]];
    let law = Growth::fitted(&points).unwrap();
    assert!((law.exponent - 0.5).abs() < 1e-9);
    let beyond = law.beyond(&points);
    assert!((beyond.seconds(400.0) - 400.0).abs() < 1e-9, "not 40: {beyond:?}");
    let steep = Growth::fitted(&[[1.0, 1.0], [4.0, 16.0]]).unwrap();
    assert_eq!(steep.beyond(&points), steep);
}
