//! What `merge` and `check` have in common: the order that inputs are said to be in.

use std::path::PathBuf;

use clap::Args;
use sortwell::format::Format;
use sortwell::job::Input;
use sortwell::key::KeySpec;
use sortwell::key::text::{Separator, TextKeySpec, TextOrder, TextSpec};
use sortwell::{Error, Result};

use crate::command::sort::values;

/// Records and their order.
#[derive(Args, Debug)]
pub struct Order {
    /// How the input is cut into records: lines, lines:BYTE or fixed:N
    ///
    /// lines: text, one record a line. A carriage return is data, and a last line without its end
    /// gets one. lines:BYTE ends records with another byte, given by its number (lines:0 for find
    /// -print0) or as itself (lines:;).
    ///
    /// fixed:N: every record N bytes long, from 1 to 1048576 (1 MiB).
    #[arg(short = 'F', long, value_name = "FORMAT", default_value = "lines",
          value_parser = values::parse::<Format>)]
    pub format: Format,

    /// What records are ordered by; repeat for further keys, most significant first
    ///
    /// Without any key, the whole record as bytes. A key is LOCATION[:TYPE][:MODIFIER]..., as for
    /// sort.
    #[arg(short, long = "key", value_name = "KEY")]
    keys: Vec<String>,

    /// The byte between fields; runs of blanks if not given
    #[arg(short = 't', long, value_name = "BYTE", value_parser = separator)]
    separator: Option<u8>,

    /// Turn the order of every key around
    #[arg(short, long)]
    reverse: bool,
}

/// One byte, or `\t`.
fn separator(text: &str) -> std::result::Result<u8, String> {
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        &[byte] => Ok(byte),
        _ => Err(format!("'{text}' is not one byte; write a character, or \\t")),
    }
}

impl Order {
    /// The keys of records of fixed length, and the order of lines; one of them says nothing.
    pub fn keys(&self) -> Result<(Vec<KeySpec>, Option<TextOrder>)> {
        match self.format {
            Format::Lines { terminator } => Ok((Vec::new(), Some(self.text_order(terminator)?))),
            _ => {
                let keys = self.keys.iter().map(|key| values::parse::<KeySpec>(key));
                let keys: Vec<KeySpec> =
                    keys.collect::<std::result::Result<_, _>>().map_err(Error::Usage)?;
                Ok((if self.reverse { values::reversed(&keys)? } else { keys }, None))
            }
        }
    }

    fn text_order(&self, terminator: u8) -> Result<TextOrder> {
        let mut specs = Vec::with_capacity(self.keys.len());
        for key in &self.keys {
            let key: TextKeySpec = values::parse(key).map_err(Error::Usage)?;
            if let Some(name) = key.locale() {
                return Err(Error::Usage(format!(
                    "key '{key}' asks for the order of locale {name}, which merge and check do not \
                     know; sort by bytes"
                )));
            }
            specs.push(key.spec(None));
        }
        if specs.is_empty() {
            specs.push(TextSpec::default());
        }
        for spec in specs.iter_mut().filter(|_| self.reverse) {
            spec.is_descending = !spec.is_descending;
        }
        let separator = self.separator.map_or(Separator::Blanks, Separator::Byte);
        Ok(TextOrder { separator, specs, ..TextOrder::by_bytes(terminator) })
    }
}

/// The inputs by their names; none is standard input.
pub fn inputs(paths: &[PathBuf]) -> Result<Vec<Input>> {
    if paths.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Error::Usage("'-' is given twice; standard input can be read once".into()));
    }
    if paths.is_empty() {
        return Ok(vec![Input::Stdin]);
    }
    let input = |path: &PathBuf| match path.as_os_str() == "-" {
        true => Input::Stdin,
        false => Input::File(path.clone()),
    };
    Ok(paths.iter().map(input).collect())
}
