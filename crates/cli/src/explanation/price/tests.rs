//! The words of prices, from fixed figures.

use super::*;
use sortwell::ByteSize;

fn forecast(budget: ByteSize, spill_space: u64, disks: u64, seconds: f64) -> PassForecast {
    PassForecast {
        budget,
        spill_space: ByteSize(spill_space),
        spill_directories: disks,
        seconds: Some(seconds),
    }
}

fn explanation() -> Explanation {
    let mut of = Explanation::default();
    of.one_pass = Some(forecast(ByteSize(30_000_000_000), 0, 0, 20.0));
    of.two_passes = Some(forecast(ByteSize(500_000_000), 21_000_000_000, 16, 41.5));
    of
}

fn prices(memory: &str, disk: &str) -> Prices {
    Prices { memory: memory.parse().expect("a price"), disk: disk.parse().expect("a price") }
}

#[test]
fn one_pass_and_two_by_price_and_by_time() {
    let words = lines(&explanation(), &prices("4", "0.05"));
    let expected = [
        "one pass 120.00 (27.9 GiB of memory), two passes 3.05 (476.8 MiB of memory 2.00, \
         19.6 GiB of disks 1.05); two passes are 97% cheaper",
        "by time: one pass 20.00 s, two passes 41.50 s",
    ];
    assert_eq!(words, expected);
    let words = lines(&explanation(), &prices("4", "100/disk"));
    let expected = "two passes 1602.00 (476.8 MiB of memory 2.00, 16 disks 1600.00); \
                    one pass is 93% cheaper";
    assert!(words[0].ends_with(expected), "{words:?}");
    let words = lines(&explanation(), &prices("0", "0"));
    assert!(words[0].ends_with("both cost the same"), "{words:?}");
}

#[test]
fn passes_that_cannot_be_have_no_price() {
    let mut of = explanation();
    of.two_passes = None;
    let words = lines(&of, &prices("0.001/GB", "1/disk"));
    let expected = "one pass 0.0300 (27.9 GiB of memory); there is no other choice";
    assert_eq!(words, [expected]);
    of.one_pass = None;
    assert_eq!(lines(&of, &prices("4", "1")), ["not known; there is no other choice"]);
    let json = serde_json::to_value(PassPrices::new(&of, &prices("4", "1"))).expect("JSON");
    assert!(json["cheaper"].is_null() && json["one_pass"].is_null(), "{json}");
}

#[test]
fn programs_get_prices() {
    let found = PassPrices::new(&explanation(), &prices("4", "0.05"));
    let json = serde_json::to_value(found).expect("JSON");
    let total = |passes: &str| json[passes]["total"].as_f64().expect("a price");
    assert!((total("one_pass") - 120.0).abs() < 1e-6, "{json}");
    assert!((total("two_passes") - 3.05).abs() < 1e-6, "{json}");
    assert_eq!(json["cheaper"], "two-passes");
}
