//! Prices at the numbers of AlphaSort's paper, of 1993, and texts of prices.

use super::*;

const MB: u64 = 1_000_000;

fn prices(memory: &str, disk: &str) -> Prices {
    let memory = memory.parse().expect("a price of memory");
    Prices { memory, disk: disk.parse().expect("a price of disks") }
}

/// The prices of one pass in `bytes` bytes of memory, and of two passes with `disks` scratch disks.
/// The paper counts no memory for two passes.
fn totals(prices: &Prices, bytes: u64, disks: u64) -> (f64, f64) {
    let none = ByteSize(0);
    let one = PassForecast {
        budget: ByteSize(bytes),
        spill_space: none,
        spill_directories: 0,
        seconds: None,
    };
    let two = PassForecast {
        budget: none,
        spill_space: ByteSize(bytes),
        spill_directories: disks,
        seconds: None,
    };
    (prices.price(&one).total, prices.price(&two).total)
}

/// The paper has $100 for a MB, and $2,400 for a disk with its controller.
#[test]
fn a_hundred_megabytes_are_cheaper_than_sixteen_disks() {
    let (one, two) = totals(&prices("100/MB", "2400/disk"), 100 * MB, 16);
    assert_eq!((one.round(), two.round()), (10_000.0, 38_400.0));
    // It prints $36,000 for the disks: 360% of the memory. Those are disks of $2,250.
    let (one, two) = totals(&prices("100/MB", "2250/disk"), 100 * MB, 16);
    assert_eq!((two.round(), (100.0 * two / one).round()), (36_000.0, 360.0));
}

#[test]
fn a_gigabyte_costs_more_than_thirty_six_disks() {
    let (one, two) = totals(&prices("100/MB", "2400/disk"), 1000 * MB, 36);
    assert_eq!((one.round(), two.round()), (100_000.0, 86_400.0));
    assert_eq!((1000.0 * (1.0 - two / one)).round(), 136.0, "13.6% less");
    // The 15% that it prints are those of the array in its Table 3, for 85 k$.
    let disk = format!("{}/disk", 85_000.0 / 36.0);
    let (one, two) = totals(&prices("100/MB", &disk), 1000 * MB, 36);
    assert_eq!((100.0 * (1.0 - two / one)).round(), 15.0);
}

#[test]
fn memory_and_disks_are_added() {
    let two = PassForecast {
        budget: ByteSize(500 * MB),
        spill_space: ByteSize(20_000 * MB),
        spill_directories: 3,
        seconds: Some(1.0),
    };
    let price = prices("4", "0.05").price(&two);
    assert!((price.memory - 2.0).abs() < 1e-9 && (price.disks - 1.0).abs() < 1e-9, "{price:?}");
    assert!((price.total - 3.0).abs() < 1e-9, "{price:?}");
    let price = prices("4", "100/disk").price(&two);
    assert!((price.disks - 300.0).abs() < 1e-9, "{price:?}");
}

#[test]
fn prices_have_units() {
    let memory = |text: &str| text.parse::<MemoryPrice>().expect(text).0;
    let is_about = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-9;
    assert!(is_about(memory("4"), 4e-9) && is_about(memory("4/GB"), 4e-9));
    assert!(is_about(memory("100/MB"), 1e-4));
    assert!(is_about(memory("2/GiB"), 2.0 / f64::from(1 << 30)));
    assert_eq!("50/TB".parse::<DiskPrice>().expect("a price"), DiskPrice::Byte(50.0 / 1e12));
    assert_eq!("0".parse::<DiskPrice>().expect("nothing"), DiskPrice::Byte(0.0));
    assert_eq!("2400/disk".parse::<DiskPrice>().expect("a price"), DiskPrice::Disk(2400.0));
    for wrong in ["", "-1", "4 /GB", "4/", "4/10GB", "4/box", "inf", "1e3", "$4", "4/GB/GB"] {
        assert!(wrong.parse::<MemoryPrice>().is_err(), "{wrong}");
        let error = wrong.parse::<DiskPrice>().expect_err(wrong);
        assert!(error.to_string().contains("2400/disk"), "{error}");
    }
    assert!("4/disk".parse::<MemoryPrice>().is_err());
}
