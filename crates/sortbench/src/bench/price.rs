//! Cost of a sort, by the formulas of the papers that defined it. Prices are in dollars, times in
//! seconds, sizes in bytes.

/// Seconds in a year, as PennySort's rules count them.
const YEAR: f64 = 365.0 * 24.0 * 60.0 * 60.0;

/// Dollars that psort's authors add to the parts of a machine for putting it together.
const ASSEMBLY: f64 = 35.0;

/// Returns the cost of a sort on a system whose price covers five years (Datamation's rule;
/// AlphaSort, section 2: a minute on a machine of a million dollars costs 38 cents).
pub fn of_datamation(price: f64, seconds: f64) -> f64 {
    price * seconds / (5.0 * YEAR)
}

/// Returns the cost of a minute (AlphaSort, section 9): a millionth of the list price.
pub fn of_minute(price: f64) -> f64 {
    price / 1e6
}

/// Returns the number of seconds that a penny buys by AlphaSort's formula (section 9): 10^4 minutes
/// over the list price.
pub fn penny_by_list_price(price: f64) -> f64 {
    1e4 / price * 60.0
}

/// Returns the number of seconds that a penny buys. The parts and their assembly are written off
/// over three years, as in psort's entries.
pub fn penny_by_three_years(price: f64) -> f64 {
    0.01 / (price + ASSEMBLY) * 3.0 * YEAR
}

#[cfg(test)]
mod tests;
