//! Any command line of GNU sort is read or complained about, and never anything else.
//!
//! Arguments stand between NULs. The files that read them belong to the command, which is no
//! library, so they are compiled in here.

#![no_main]
#![allow(dead_code, reason = "the command uses what is not reached from here")]

#[path = "../../crates/cli/src/gnu/complaint.rs"]
mod complaint;
#[path = "../../crates/cli/src/gnu/key.rs"]
mod key;
#[path = "../../crates/cli/src/gnu/number.rs"]
mod number;
#[path = "../../crates/cli/src/gnu/option.rs"]
mod option;
#[path = "../../crates/cli/src/gnu/ordering.rs"]
mod ordering;
#[path = "../../crates/cli/src/gnu/parse.rs"]
mod parse;
#[path = "../../crates/cli/src/gnu/quoting.rs"]
mod quoting;
#[path = "../../crates/cli/src/standard.rs"]
mod standard;
#[path = "../../crates/cli/src/gnu/words.rs"]
mod words;

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use parse::{Environment, Request};
use sortwell_engine::locale::Locale;

fuzz_target!(|data: &[u8]| {
    let (&first, rest) = data.split_first().unwrap_or((&0, &[]));
    let arguments: Vec<Vec<u8>> = rest.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect();
    let environment = Environment {
        is_posixly_correct: first & 1 != 0,
        has_old_keys: first & 2 != 0,
        locale: Arc::new(Locale::c()),
        is_locale_missing: false,
    };
    match parse::parse(&arguments, &environment) {
        Ok(Request::Sort(options)) => {
            let said = rest.len() + 1;
            assert!(options.keys.len() + options.files.len() + options.temporary.len() <= said);
        }
        Ok(Request::Help | Request::Version) => {}
        Err(complaint) => {
            assert!(matches!(complaint.status(), 1 | 2));
            let text = complaint.text(b"sort");
            assert!(text.starts_with(b"sort: ") && text.ends_with(b"\n"));
        }
    }
});
