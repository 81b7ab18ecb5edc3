//! Operations on indexes that another program has damaged.

use std::fs;

use sortwell_engine::format::Format;
use sortwell_engine::job::Budget;
use sortwell_engine::stats::Progress;

use crate::{append_to, build, run, with_text};

#[test]
fn an_append_to_a_damaged_index_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let [data, output] = ["data", "index"].map(|name| folder.path().join(name));
    fs::write(&data, "Oslo\nRome\nBern\n").unwrap();
    run(&build(&[data], &output, Format::LINES, &["1"]));
    fs::write(&output, with_text(&output, "Bern", "Zern")).unwrap();
    let error = append_to(&output, Budget::Auto, Some(1)).run(&Progress::new()).unwrap_err();
    let wanted = "index: the index is damaged: its entries are not in order; build it again";
    assert!(error.to_string().contains(wanted), "{error}");
}
