//! Options for checks that are made before an output gets its name.

use clap::{ArgAction, Args};

use super::{SAFETY, values};

/// Safety from our own mistakes, and from a loss of power.
#[derive(Args, Debug)]
#[command(next_help_heading = SAFETY)]
pub struct Safety {
    /// Prove that the output has every input record exactly once, in order
    ///
    /// sortwell counts the records, and sums a 128-bit checksum of each on input and on output. It
    /// also compares the key of each record that it writes with the key of the record before. If a
    /// proof fails, there is no output and the exit status is 5. With off, sortwell checks neither.
    #[arg(long, value_name = "on|off", default_value = "on",
          action = ArgAction::Set, value_parser = values::switch(), hide_short_help = true)]
    pub verify: bool,

    /// Make the output durable before it gets its name
    ///
    /// With off, the operating system writes the output later, and a power failure may lose it.
    #[arg(long, value_name = "on|off", default_value = "on",
          action = ArgAction::Set, value_parser = values::switch(), hide_short_help = true)]
    pub sync: bool,
}
