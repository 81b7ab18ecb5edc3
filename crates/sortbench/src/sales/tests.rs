//! Rows against the description of the table: shares of days, stores, products and prices.

use super::*;

fn rows(count: u64) -> impl Iterator<Item = SalesRow> {
    let table = SalesTable::new(7);
    (0..count).map(move |number| table.row(number))
}

fn written(row: &SalesRow, form: SalesForm) -> Vec<u8> {
    let mut bytes = [0; 100];
    let mut filled = Filled::new(&mut bytes);
    row.write(form, &mut filled);
    let length = filled.length;
    bytes[..length].to_vec()
}

#[test]
fn rows_in_both_forms() {
    let row =
        SalesRow { day: 4, store: 17, product: 16_700, sales: [(3, 5985), (0, 0), (12, 14_364)] };
    let csv = written(&row, SalesForm::Csv);
    assert_eq!(String::from_utf8(csv).unwrap(), "1995-09-04,17,16700,3,59.85,0,0.00,12,143.64\n");
    let fixed = written(&row, SalesForm::Fixed);
    assert_eq!(fixed.len(), FIXED_LENGTH);
    assert_eq!(fixed[..4], 19_950_904_u32.to_be_bytes());
    assert_eq!(fixed[4..12], [0, 0, 0, 17, 0, 0, 0x41, 0x3c]);
    assert_eq!(fixed[12..22], [0, 3, 0, 0, 0, 0, 0, 0, 0x17, 0x61]);
    assert_eq!(fixed[40..], [0x38, 0x1c]);
}

/// Expected counts within five standard deviations.
#[track_caller]
fn assert_near(count: u64, of: u64, share: f64) {
    let expected = of as f64 * share;
    let deviation = (expected * (1.0 - share)).sqrt();
    assert!((count as f64 - expected).abs() <= 5.0 * deviation, "{count} and not {expected}");
}

#[test]
fn shares_of_days_stores_and_products() {
    const COUNT: u64 = 400_000;
    let mut days = [0; 31];
    let (mut stores, mut products) = ([0; 10], [0; 10]);
    let (mut least, mut most) = ((u32::MAX, u32::MAX), (0, 0));
    for row in rows(COUNT) {
        days[usize::from(row.day)] += 1;
        stores[(row.store - 1) as usize % 10] += 1;
        products[(row.product - 1) as usize % 10] += 1;
        least = (least.0.min(row.store), least.1.min(row.product));
        most = (most.0.max(row.store), most.1.max(row.product));
    }
    assert_eq!((least, most), ((1, 1), (2000, 16_700)));
    for (day, count) in days.into_iter().enumerate() {
        let shares = match day {
            0 => 0,
            2..=4 => 3,
            9 | 10 | 16 | 17 | 23 | 24 | 30 => 2,
            _ => 1,
        };
        assert_near(count, COUNT, f64::from(shares) / 43.0);
    }
    for class in 0..10 {
        let share = (10 - class) as f64 / 55.0;
        assert_near(stores[class], COUNT, share);
        assert_near(products[class], COUNT, share);
    }
}

#[test]
fn shares_of_quantities_and_prices() {
    let mut sums = [0u64; 3];
    for row in rows(100_000) {
        let full = price(u64::from(row.product));
        assert!((100..2000).contains(&full) && full.is_multiple_of(5));
        for (of, (quantity, cents)) in row.sales.into_iter().enumerate() {
            assert_eq!(cents * 5, u64::from(quantity) * full * [5, 4, 3][of]);
            sums[of] += u64::from(quantity);
        }
        assert!(row.sales[0].0 > 0, "a row is of something that was sold");
    }
    let all = sums.iter().sum::<u64>() as f64;
    for (sum, share) in sums.into_iter().zip([0.5, 0.25, 0.25]) {
        assert!((sum as f64 / all - share).abs() < 0.005, "{sum} of {all}");
    }
}

#[test]
fn a_row_depends_on_seed_and_number_alone() {
    let (table, other) = (SalesTable::new(1), SalesTable::new(2));
    assert_eq!(table.row(5), SalesTable::new(1).row(5));
    assert!((0..100).all(|number| table.row(number) != other.row(number)));
    assert!((0..100).all(|number| table.row(number) != table.row(number + 1)));
    let _ = table.row(u64::MAX);
}

/// At the report's size, a hundredth of all days, stores and products have a row each. So a row
/// rarely has those of another.
#[test]
fn few_rows_are_of_one_day_store_and_product() {
    let mut keys: Vec<(u32, u32, u8)> =
        rows(1_000_000).map(|row| (row.store, row.product, row.day)).collect();
    keys.sort_unstable();
    let repeated = keys.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert!((500..1500).contains(&repeated), "{repeated}");
}

#[test]
fn the_longest_row_has_room() {
    let longest = rows(100_000).map(|row| written(&row, SalesForm::Csv).len()).max();
    assert!((50..=52).contains(&longest.unwrap()), "{longest:?}");
}
