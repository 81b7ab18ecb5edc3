//! One pass and two passes by price, as text and as JSON. The prices are the library's.

use serde::Serialize;
use sortwell::Explanation;
use sortwell::unstable::plan::price::{DiskPrice, PassForecast, PassPrice, Prices};

use crate::statistics::counted;

/// Prices of one pass and of two, where a sort can have so few.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PassPrices {
    one_pass: Option<PassPrice>,
    two_passes: Option<PassPrice>,
    /// Word for the cheaper number of passes; `None` if there is only one to choose.
    cheaper: Option<&'static str>,
}

impl PassPrices {
    /// Returns the prices of a sort.
    pub fn new(of: &Explanation, prices: &Prices) -> Self {
        let price = |forecast: &PassForecast| prices.price(forecast);
        let (one_pass, two_passes) =
            (of.one_pass.as_ref().map(price), of.two_passes.as_ref().map(price));
        let cheaper = one_pass
            .zip(two_passes)
            .map(|(one, two)| if one.total <= two.total { "one-pass" } else { "two-passes" });
        Self { one_pass, two_passes, cheaper }
    }
}

/// Returns the lines about one pass and two, first by price and then by time, without their topic.
pub fn lines(of: &Explanation, prices: &Prices) -> Vec<String> {
    let found = PassPrices::new(of, prices);
    let mut words = Vec::new();
    if let Some((forecast, price)) = of.one_pass.as_ref().zip(found.one_pass) {
        words.push(format!("one pass {} ({})", money(price.total), memory(forecast)));
    }
    if let Some((forecast, price)) = of.two_passes.as_ref().zip(found.two_passes) {
        words.push(format!(
            "two passes {} ({} {}, {} {})",
            money(price.total),
            memory(forecast),
            money(price.memory),
            disks(forecast, prices),
            money(price.disks)
        ));
    }
    let Some((one, two)) = found.one_pass.zip(found.two_passes) else {
        let only = words.pop().unwrap_or_else(|| "not known".to_owned());
        return vec![format!("{only}; there is no other choice")];
    };
    let (cheap, dear) = (one.total.min(two.total), one.total.max(two.total));
    let verdict = match found.cheaper {
        _ if cheap == dear => "both cost the same".to_owned(),
        Some("one-pass") => format!("one pass is {:.0}% cheaper", 100.0 * (1.0 - cheap / dear)),
        _ => format!("two passes are {:.0}% cheaper", 100.0 * (1.0 - cheap / dear)),
    };
    let mut lines = vec![format!("{}; {verdict}", words.join(", "))];
    let seconds = |forecast: Option<PassForecast>| forecast.and_then(|of| of.seconds);
    if let Some((one, two)) = seconds(of.one_pass).zip(seconds(of.two_passes)) {
        lines.push(format!("by time: one pass {one:.2} s, two passes {two:.2} s"));
    }
    lines
}

fn memory(of: &PassForecast) -> String {
    format!("{} of memory", of.budget)
}

fn disks(of: &PassForecast, prices: &Prices) -> String {
    match (prices.disk, of.spill_directories) {
        (DiskPrice::Byte(_), _) => format!("{} of disks", of.spill_space),
        (DiskPrice::Disk(_), count) => counted(count, "disk"),
    }
}

/// Returns an amount with cents, and small ones with more digits.
fn money(amount: f64) -> String {
    if amount >= 1.0 || amount == 0.0 { format!("{amount:.2}") } else { format!("{amount:.4}") }
}

#[cfg(test)]
mod tests;
