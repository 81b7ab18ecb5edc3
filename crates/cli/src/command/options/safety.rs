//! What is made sure of before an output gets its name.

use clap::{ArgAction, Args};

use super::values;

/// Safety from our own mistakes, and from a loss of power.
#[derive(Args, Debug)]
pub struct Safety {
    /// Prove that every input record is in the output exactly once
    ///
    /// Counts the records and sums a 128-bit checksum of each on the way in and on the way out; if
    /// they differ there is no output and the exit status is 5.
    #[arg(long, value_name = "on|off", default_value = "on",
          action = ArgAction::Set, value_parser = values::switch())]
    pub verify: bool,

    /// Make the output durable before it gets its name
    ///
    /// With off the operating system writes it when it likes, and a power failure may lose it.
    #[arg(long, value_name = "on|off", default_value = "on",
          action = ArgAction::Set, value_parser = values::switch())]
    pub sync: bool,
}
