//! The progress line as a terminal shows it, or as plain lines elsewhere.
//!
//! ```text
//!     reading         [=========>                    ]  31%   913 MB/s  12 s left
//! ```
//!
//! A terminal's line is written over itself, and never as wide as the terminal, where it would wrap
//! and could not be taken back. Everything in it is ASCII, so that bytes are columns.

use std::io::{self, IsTerminal};
use std::time::Duration;

use rustix::termios::tcgetwinsize;

use super::meter::Meter;
use crate::standard;

/// Columns for what the job is busy with.
const DOING_COLUMNS: usize = 15;
/// Narrower bars say nothing.
const BAR_COLUMNS_LEAST: usize = 8;
/// Columns of a terminal that does not report its width.
const COLUMNS_USUAL: usize = 80;
/// Between two plain lines, in looks.
const PLAIN_LINE_POLLS: u64 = 20;
/// Back to the beginning of the line.
const BEGINNING: &str = "\r";
/// Sequence that erases everything after the cursor.
const ERASE: &str = "\x1b[K";

/// Place where the line is drawn.
#[derive(Debug)]
pub enum ProgressLine {
    /// A terminal, where each line replaces the one before.
    Terminal,
    /// One line after the other; the number of polls so far.
    Plain { polls: u64 },
}

impl ProgressLine {
    /// Creates the kind of line that suits standard error.
    pub fn new() -> Self {
        if io::stderr().is_terminal() { Self::Terminal } else { Self::Plain { polls: 0 } }
    }

    /// Shows how far a job is.
    pub fn draw(&mut self, meter: &Meter) {
        match self {
            Self::Terminal => {
                let shown = words(meter, columns());
                say(&format!("{BEGINNING}{shown}{ERASE}"));
            }
            Self::Plain { polls } => {
                if *polls % PLAIN_LINE_POLLS == 0 {
                    say(&format!("{}: {}\n", meter.doing(), meter.words()));
                }
                *polls += 1;
            }
        }
    }

    /// Clears the line for the text that is printed next.
    pub fn clear(self) {
        if let Self::Terminal = self {
            say(&format!("{BEGINNING}{ERASE}"));
        }
    }
}

fn say(text: &str) {
    // Nobody misses progress that cannot be shown.
    standard::tell_within(text, Duration::ZERO);
}

fn columns() -> usize {
    let said = tcgetwinsize(io::stderr()).map_or(0, |size| size.ws_col);
    if said == 0 { COLUMNS_USUAL } else { usize::from(said) }
}

/// Returns the line for a terminal of `columns` columns. It has a bar if the amount of work is
/// known and there is room for one.
fn words(meter: &Meter, columns: usize) -> String {
    let (doing, words) = (meter.doing(), meter.words());
    let room = columns.saturating_sub(DOING_COLUMNS + words.len() + " [] ".len() + 1);
    let mut line = match meter.done().filter(|_| room >= BAR_COLUMNS_LEAST) {
        Some(done) => {
            let bar = bar(done, room);
            format!("{doing:DOING_COLUMNS$} [{bar}] {words}")
        }
        None => format!("{doing:DOING_COLUMNS$} {words}"),
    };
    line.truncate(columns.saturating_sub(1));
    line
}

/// Returns a bar of `columns` columns, of which the share `done`, from 0 to 1, is full.
fn bar(done: f64, columns: usize) -> String {
    let full = ((done * columns as f64) as usize).min(columns);
    let head = if full < columns { ">" } else { "" };
    format!("{}{head:<rest$}", "=".repeat(full), rest = columns - full)
}

#[cfg(test)]
mod tests;
