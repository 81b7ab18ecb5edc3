//! Strides for speeds of many kinds, and for the disks of NOW-Sort's paper.

use super::*;

fn efficiency(speeds: &[f64], strides: &[u64]) -> f64 {
    striped_speed(speeds, strides) / speeds.iter().sum::<f64>()
}

#[test]
fn strides_follow_speeds() {
    assert_eq!(strides(&[5.0]), [1]);
    assert_eq!(strides(&[100.0, 101.0, 99.0]), [1, 1, 1]);
    assert_eq!(strides(&[200.0, 300.0]), [2, 3]);
    assert_eq!(strides(&[5.5e9, 1.1e9]), [5, 1]);
    let odd = [31.0, 47.0, 83.0, 59.0];
    assert!(efficiency(&odd, &strides(&odd)) > 0.95, "{:?}", strides(&odd));
    assert!(efficiency(&odd, &[1, 1, 1, 1]) < 0.6);
    assert_eq!(strides(&[1.0, 1e9]), [1, STRIDE_MAX], "no stride is endless");
}

/// Speeds of directories on disks of such numbers.
fn rates<const N: usize>(
    alone: [f64; N],
    together: [f64; N],
    disks: [usize; N],
) -> [DirectoryRate; N] {
    std::array::from_fn(|number| DirectoryRate {
        alone: alone[number],
        together: together[number],
        disk: disks[number],
    })
}

/// Two disks on a bus that they fill, and two faster ones on a bus that they do not (NOW-Sort,
/// Table 2): the slower get 2, the faster 3. The paper carried 20.5 of 21.3 MB/s so.
#[test]
fn the_disks_of_the_paper_get_two_to_three() {
    let disks = [0, 1, 2, 3];
    let read = rates([5.5, 5.5, 6.5, 6.5], [8.3 / 2.0, 8.3 / 2.0, 6.5, 6.5], disks);
    let speeds = carried(&read);
    let peak: f64 = speeds.iter().sum();
    assert_eq!(strides(&speeds), [2, 2, 3, 3]);
    let tenths = |speed: f64| (10.0 * speed).round() / 10.0;
    assert_eq!((tenths(striped_speed(&speeds, &[2, 2, 3, 3])), tenths(peak)), (20.8, 21.3));
    // By the speeds alone, the slower disks hold up the others.
    assert_eq!(tenths(striped_speed(&speeds, &[5, 5, 6, 6])), 18.3);
    assert_eq!(tenths(striped_speed(&speeds, &[1; 4])), 16.6);

    let write = rates([5.2, 5.2, 6.2, 6.2], [4.0, 4.0, 12.1 / 2.0, 12.1 / 2.0], disks);
    let speeds = carried(&write);
    assert_eq!(strides(&speeds), [2, 2, 3, 3]);
    let peak: f64 = speeds.iter().sum();
    assert_eq!((tenths(striped_speed(&speeds, &[2, 2, 3, 3])), tenths(peak)), (20.0, 20.1));
}

#[test]
fn directories_of_one_disk_have_equal_strides() {
    // They were measured at 3 and at 2 alone, and together they have 62% of the sum.
    let speeds = carried(&rates([3.0, 2.0], [1.9, 1.2], [0, 0]));
    assert_eq!(strides(&speeds), [1, 1]);
    // Each has half of the speed of its disk, and another disk has all of its own.
    let speeds = carried(&rates([300.0, 200.0, 310.0], [160.0, 140.0, 305.0], [7, 7, 2]));
    assert_eq!(speeds, [150.0, 150.0, 305.0]);
    assert_eq!(strides(&speeds), [1, 1, 2]);
    // Disks that share nothing keep the speeds that they have alone.
    assert_eq!(carried(&rates([3.0, 2.0], [3.1, 2.0], [0, 1])), [3.0, 2.0]);
}
