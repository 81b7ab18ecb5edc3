//! `sortwell generate sales`: the sales table of Oracle's report on large sorts.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum, ValueHint};
use sortbench::{SalesForm, SalesGeneration, generate_sales};

use crate::command::options::values;
use crate::failure::{CommandOutcome, usage_error};
use crate::statistics::counted;

/// Make a table of sales, with the columns of Oracle's report "Tuning Large Sorts"
///
/// The report of 1996 measures how long an index over such a table takes to build. Its Appendix B
/// describes the table: one row for the sales of a product in a store on a day. Columns:
///
/// sales_date: a day of September 1995. Days of the long weekend have more rows than those of
/// other weekends, and these have more than week days (3 : 2 : 1).
///
/// store_id: 1 to 2000, in ten classes. prod_id: 1 to 16700, in ten classes. Some classes have more
/// rows than others (10 : 9 : ... : 1).
///
/// regular_qty, discount_qty, promo_qty: numbers sold at the regular price, at a discount and in a
/// promotion. On average, they are 50%, 25% and 25% of all.
///
/// regular_amt, discount_amt, promo_amt: these numbers times the price of the product. It is 1,
/// 4/5 and 3/5 of the regular price.
///
/// The report states the columns, the numbers of stores, products and classes, the order of the
/// weights, and the shares and prices of the three kinds. The weights in parentheses, the month,
/// the quantities and the regular prices (1.00 to 19.95) are ours. With ten million rows, the table
/// has the size of the report's: about 1% of all days, stores and products. A row depends on its
/// number and the seed alone, so any number of machines can each make a part.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct SalesArguments {
    /// Choose the format
    #[arg(short = 'F', long, value_name = "FORMAT", default_value = "csv")]
    format: SalesFormat,

    /// Choose among tables of this kind
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Set the number of the first row
    #[arg(short = 'b', long, value_name = "START", default_value_t = 0)]
    start: u64,

    /// Set the number of threads; 0 or no option: one per core
    #[arg(short, visible_short_alias = 'j', long, value_name = "N", value_parser = values::threads)]
    threads: Option<usize>,

    /// Replace a file that has no write permission too
    #[arg(long)]
    force: bool,

    /// Number of rows to make
    #[arg(value_name = "ROWS")]
    rows: u64,

    /// File to write; `-` is standard output
    ///
    /// sales refuses names of compressed files, such as names that end in .gz or .xz.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,
}

/// Names of the forms.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SalesFormat {
    /// CSV with a header
    Csv,
    /// Binary records of 42 bytes, for --format fixed:42; numbers as u32be, u16be and u64be
    ///
    /// Bytes 0..4 are the date as YYYYMMDD, 4..8 the store, 8..12 the product. Then come three
    /// times 2 bytes of a quantity and 8 bytes of an amount in hundredths.
    Fixed,
}

const EXAMPLES: &str = "\
Examples:
  The table of the report, and the index that the report builds:
    sortwell generate sales 10000000 sales.csv
    sortwell index build sales.csv -k store_id:int -k prod_id:int -o sales.index

  Two parts of the same table, as binary records:
    sortwell generate sales --format fixed 500000 part-1.bin
    sortwell generate sales --format fixed --start 500000 500000 part-2.bin
    sortwell sort -F fixed:42 -k 4..8:u32be -k 8..12:u32be part-1.bin part-2.bin -o sorted.bin";

impl SalesArguments {
    /// Makes the table.
    pub fn run(&self) -> CommandOutcome {
        if self.start.checked_add(self.rows.saturating_sub(1)).is_none() {
            return Err(usage_error(format!(
                "--start {} with {}: the last row of a table has the number {}; give a smaller \
                 number",
                self.start,
                counted(self.rows, "row"),
                u64::MAX
            ))
            .into());
        }
        let job = SalesGeneration {
            start: self.start,
            seed: self.seed,
            form: match self.format {
                SalesFormat::Csv => SalesForm::Csv,
                SalesFormat::Fixed => SalesForm::Fixed,
            },
            threads: values::threads_or_cores(self.threads),
            ..SalesGeneration::new(self.rows)
        };
        super::make(&self.file, self.force, |to, progress| generate_sales(&job, to, progress))?;
        Ok(ExitCode::SUCCESS)
    }
}
