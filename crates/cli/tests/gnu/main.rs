//! Our `sort` beside the system's: the same words and exit status for the same bad command lines.

#![expect(clippy::expect_used, reason = "a test that cannot be set up has failed")]

mod bad_lines;
mod both;
mod compressing;
mod differential;
mod good_lines;
