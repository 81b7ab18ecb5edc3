//! Rows of the sales table of Oracle's report on large sorts, as bytes.
//!
//! The report is "Tuning Large Sorts" (Oracle, 1996). Its table is described in Appendix B: daily
//! sales of a month in 2000 stores of 16700 products. Three weights distribute the rows: that of
//! the day, that of the store's class, and that of the product's class. The report states which
//! weights are larger, and how many classes there are. The weights here are ours.
//!
//! Each row is made of its number and the seed alone, so that workers make any rows in any order.
//! Files and threads are left to `generate`.

/// Stores, and products. A tenth of each is in a class.
pub(crate) const STORES: u64 = 2000;
pub(crate) const PRODUCTS: u64 = 16_700;

/// Classes of stores, and of products. A member of the last class has one sale where one of the
/// first class has ten.
const CLASSES: u64 = 10;

/// Shares of all classes together.
const CLASS_SHARES: usize = 55;

/// The class of each share.
const CLASS_OF: [u8; CLASS_SHARES] = {
    let mut classes = [0; CLASS_SHARES];
    let (mut share, mut class) = (0, 0);
    while class < CLASSES {
        let mut count = 0;
        while count < CLASSES - class {
            classes[share] = class as u8;
            (share, count) = (share + 1, count + 1);
        }
        class += 1;
    }
    classes
};

/// September 1995, as the number of its first day. The month has 30 days, a long weekend and four
/// other weekends.
const MONTH: u32 = 19_950_900;

/// Shares of a day: of the long weekend up to Labor Day, of other weekends, and of week days.
const HOLIDAY: usize = 3;
const WEEKEND: usize = 2;
const WEEKDAY: usize = 1;

/// Days of the month from 1 on, each with its shares.
const DAYS: [usize; 30] = {
    let mut days = [WEEKDAY; 30];
    let mut day = 0;
    while day < 30 {
        // The first was a Friday.
        days[day] = match (day, day % 7) {
            (1..=3, _) => HOLIDAY,
            (_, 1 | 2) => WEEKEND,
            _ => WEEKDAY,
        };
        day += 1;
    }
    days
};

/// Shares of all days together.
const DAY_SHARES: usize = 43;

/// The day of each share, from 1 on.
const DAY_OF: [u8; DAY_SHARES] = {
    let mut shares = [0; DAY_SHARES];
    let (mut share, mut day) = (0, 0);
    while day < DAYS.len() {
        let mut count = 0;
        while count < DAYS[day] {
            shares[share] = day as u8 + 1;
            (share, count) = (share + 1, count + 1);
        }
        day += 1;
    }
    shares
};

/// Limits of quantities: their means are 20, 10 and 10, which is 50%, 25% and 25% of a sale.
const REGULAR: u64 = 40;
const REDUCED: u64 = 21;

/// Prices are multiples of five cents, of which four fifths and three fifths are whole cents.
const PRICE_STEP: u64 = 5;
const PRICES: std::ops::Range<u64> = 20..400;

/// Names of the columns, as the first line of a CSV file.
pub(crate) const HEADER: &[u8] = b"sales_date,store_id,prod_id,regular_qty,regular_amt,\
discount_qty,discount_amt,promo_qty,promo_amt\n";

/// Bytes of a binary row: a date, two numbers, and three times a quantity and an amount.
pub(crate) const FIXED_LENGTH: usize = 3 * 4 + 3 * (2 + 8);

/// Form of the rows in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SalesForm {
    /// CSV with a header.
    #[default]
    Csv,
    /// Binary records of 42 bytes, numbers with the most significant byte first: the date as
    /// YYYYMMDD, the store and the product in 32 bits each, then three times a quantity in 16 bits
    /// and an amount in cents in 64 bits.
    Fixed,
}

impl SalesForm {
    /// Returns the lines above the rows.
    pub(crate) const fn header_lines(self) -> u64 {
        match self {
            Self::Csv => 1,
            Self::Fixed => 0,
        }
    }
}

/// A row: the sales of a product in a store on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SalesRow {
    /// Day of the month, from 1.
    pub day: u8,
    /// Number of the store, from 1.
    pub store: u32,
    /// Number of the product, from 1.
    pub product: u32,
    /// Quantities at the regular price, at a discount, and in a promotion, each with its amount in
    /// cents.
    pub sales: [(u16, u64); 3],
}

/// A table: all its rows, of which any can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SalesTable {
    start: u64,
}

impl SalesTable {
    /// Returns the table of a seed.
    pub(crate) const fn new(seed: u64) -> Self {
        Self { start: mixed(seed.wrapping_add(STEP)) }
    }

    /// Returns the row of this number.
    pub(crate) fn row(self, number: u64) -> SalesRow {
        // The limits multiply to less than 2^50, so 64 bits are enough for all of them. The last
        // digit is uneven by a part in 2^14.
        let mut digits = MixedRadix(mixed(self.start.wrapping_add(number.wrapping_mul(STEP))));
        let day = DAY_OF[digits.below(DAY_SHARES as u64) as usize];
        let store = digits.member(STORES);
        let product = digits.member(PRODUCTS);
        let quantities =
            [1 + digits.below(REGULAR - 1), digits.below(REDUCED), digits.below(REDUCED)];
        let fifth = price(product) / 5;
        let sale = |of: usize| (quantities[of] as u16, quantities[of] * fifth * [5, 4, 3][of]);
        let sales = [sale(0), sale(1), sale(2)];
        SalesRow { day, store: store as u32, product: product as u32, sales }
    }
}

/// Returns the regular price of a product, in cents.
pub(crate) const fn price(product: u64) -> u64 {
    let steps = PRICES.end - PRICES.start;
    (PRICES.start + mixed(product.wrapping_mul(STEP)) % steps) * PRICE_STEP
}

/// Distance of the numbers that are mixed, and the mixing of one: SplitMix64 (Steele, Lea, Flood,
/// "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

const fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// A random fraction, of which digits in any base are taken one after the other.
struct MixedRadix(u64);

impl MixedRadix {
    /// Returns the next digit, in base `limit`.
    fn below(&mut self, limit: u64) -> u64 {
        let product = u128::from(self.0) * u128::from(limit);
        self.0 = product as u64;
        (product >> 64) as u64
    }

    /// Returns one of `count` members of ten classes, from 1. Neighbours are of different classes.
    fn member(&mut self, count: u64) -> u64 {
        let class = CLASS_OF[self.below(CLASS_SHARES as u64) as usize];
        1 + u64::from(class) + CLASSES * self.below(count / CLASSES)
    }
}

/// Bytes that are filled from their beginning.
pub(crate) struct Filled<'b> {
    bytes: &'b mut [u8],
    /// Number of bytes that are filled.
    pub length: usize,
}

impl<'b> Filled<'b> {
    /// Creates it, with nothing filled.
    pub(crate) fn new(bytes: &'b mut [u8]) -> Self {
        Self { bytes, length: 0 }
    }

    /// Adds bytes.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.bytes[self.length..self.length + bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }

    /// Adds a number in at least `least` digits, and what follows it.
    fn add_number(&mut self, mut number: u64, least: usize, then: u8) {
        let mut digits = [then; 21];
        let mut first = 20;
        while number > 0 || first > 20 - least {
            first -= 1;
            digits[first] = b'0' + (number % 10) as u8;
            number /= 10;
        }
        self.add(&digits[first..]);
    }
}

impl SalesRow {
    /// Returns the date, as a number of eight digits.
    fn date(&self) -> u32 {
        MONTH + u32::from(self.day)
    }

    /// Adds the row in a form.
    pub(crate) fn write(&self, form: SalesForm, to: &mut Filled<'_>) {
        match form {
            SalesForm::Csv => self.write_csv(to),
            SalesForm::Fixed => self.write_fixed(to),
        }
    }

    fn write_csv(&self, to: &mut Filled<'_>) {
        let date = u64::from(self.date());
        to.add_number(date / 10_000, 4, b'-');
        to.add_number(date / 100 % 100, 2, b'-');
        to.add_number(date % 100, 2, b',');
        to.add_number(u64::from(self.store), 1, b',');
        to.add_number(u64::from(self.product), 1, b',');
        for (place, (quantity, cents)) in self.sales.into_iter().enumerate() {
            to.add_number(u64::from(quantity), 1, b',');
            to.add_number(cents / 100, 1, b'.');
            to.add_number(cents % 100, 2, if place < 2 { b',' } else { b'\n' });
        }
    }

    fn write_fixed(&self, to: &mut Filled<'_>) {
        for number in [self.date(), self.store, self.product] {
            to.add(&number.to_be_bytes());
        }
        for (quantity, cents) in self.sales {
            to.add(&quantity.to_be_bytes());
            to.add(&cents.to_be_bytes());
        }
    }
}

#[cfg(test)]
mod tests;
