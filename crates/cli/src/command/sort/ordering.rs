//! What records are ordered by: keys are read once the format says what they mean.

use std::str::FromStr;

use sortwell::format::Format;
use sortwell::job::SortJob;
use sortwell::key::KeySpec;
use sortwell::key::text::{Separator, TextKeySpec, TextOrder, TextSpec, collation};
use sortwell::{Error, Result};

/// The words on the command line that decide the order.
#[derive(Clone, Debug)]
pub struct Ordering<'a> {
    /// Keys, most significant first.
    pub keys: &'a [String],
    /// What lies between fields.
    pub separator: Option<u8>,
    /// Whether everything is turned around.
    pub reverse: bool,
}

impl Ordering<'_> {
    /// Tells a job.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a key that cannot be read, or that means nothing in the job's format.
    pub fn apply(&self, job: &mut SortJob) -> Result<()> {
        match job.format {
            Format::Lines { terminator } => {
                job.order = Some(self.of_lines(terminator)?);
                Ok(())
            }
            _ => {
                if self.separator.is_some() {
                    let message = "--separator divides lines, and records of fixed length have no \
                                   fields; leave it out, or give --format lines";
                    return Err(Error::Usage(message.to_owned()));
                }
                job.keys = self.of_records()?;
                Ok(())
            }
        }
    }

    fn of_records(&self) -> Result<Vec<KeySpec>> {
        let keys: Vec<KeySpec> = read_all(self.keys)?;
        if self.reverse { super::values::reversed(&keys) } else { Ok(keys) }
    }

    fn of_lines(&self, terminator: u8) -> Result<TextOrder> {
        let keys: Vec<TextKeySpec> = read_all(self.keys)?;
        let mut order = TextOrder::by_bytes(terminator);
        order.separator = self.separator.map_or(Separator::Blanks, Separator::Byte);
        order.specs = keys.iter().map(spec).collect::<Result<_>>()?;
        if self.reverse {
            if order.specs.is_empty() {
                order.specs.push(TextSpec::default());
            }
            for spec in &mut order.specs {
                spec.is_descending = !spec.is_descending;
            }
        }
        Ok(order)
    }
}

/// What a key means, with the collation it names.
fn spec(key: &TextKeySpec) -> Result<TextSpec> {
    Ok(key.spec(key.locale().map(collation).transpose()?))
}

fn read_all<T: FromStr<Err = String>>(keys: &[String]) -> Result<Vec<T>> {
    keys.iter().map(|key| key.parse().map_err(Error::Usage)).collect()
}

/// The byte that lies between fields: a character, or one of the names that shells make hard to
/// type.
pub fn separator(text: &str) -> std::result::Result<u8, String> {
    match text {
        "tab" | "\\t" => Ok(b'\t'),
        "\\0" => Ok(0),
        _ => match text.as_bytes() {
            [byte] => Ok(*byte),
            _ => Err(format!("'{text}' is not one byte; write a character, tab, or \\0")),
        },
    }
}
