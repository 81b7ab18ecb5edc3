//! That conditions look at fields as the job's keys do.

use super::*;
use crate::error::Error;
use crate::format::Format;
use crate::job::{Input, Output, SortJob};
use crate::predicate::RecordFilter;

fn job(format: Format, include: &str) -> SortJob {
    let include = vec![include.parse().expect(include)];
    let filter = RecordFilter { include, exclude: Vec::new() };
    SortJob { filter, ..SortJob::new(vec![Input::Stdin], Output::Stdout, format) }
}

fn bound(job: &SortJob, columns: Option<&Columns>) -> Result<Option<Predicate>> {
    predicate(&job.asking(), &job.bound()?, columns)
}

fn admits(job: &SortJob, record: &[u8]) -> bool {
    let predicate = bound(job, None).expect("a predicate");
    predicate.expect("something is said").admits(record)
}

#[test]
fn fields_are_those_of_the_job() {
    let mut lines = job(Format::LINES, "2:int == 7");
    assert!(admits(&lines, b"a 7 b\n"));
    assert!(!admits(&lines, b"a,7,b\n"));
    lines.order.separator = Some(b',');
    assert!(admits(&lines, b"a,7,b\n"));
    assert!(admits(&job(Format::CSV, "2:int == 7"), b"a,\"7\"\r\n"));
    assert!(admits(&job(Format::Fixed { length: 4 }, "1..3 == '77'"), b"a77b"));
}

#[test]
fn all_take_part_where_nothing_is_said() {
    let job = SortJob::new(vec![Input::Stdin], Output::Stdout, Format::LINES);
    assert!(bound(&job, None).expect("nothing wrong").is_none());
}

#[test]
fn locales_are_looked_up() {
    let fault = bound(&job(Format::LINES, "1:locale=123 == 'x'"), None).expect_err("no locale");
    let Error::Config(error) = fault else { panic!("{fault}") };
    let message = error.to_string();
    assert!(message.starts_with("in '1:locale=123 == \"x\"': "), "{message}");
    assert!(message.contains("123"), "{message}");
}

#[test]
fn columns_are_found_by_their_names() {
    let cells = vec![b"name".to_vec(), b"full amount".to_vec()];
    let columns = Columns { cells, are_named: true };
    let bound = |text: &str| bound(&job(Format::CSV, text), Some(&columns));
    let by_name = bound("'full amount':decimal > 5 and name is not empty").expect("a predicate");
    let by_name = by_name.expect("something is said");
    assert!(by_name.admits(b"a,5.01\n"));
    assert!(!by_name.admits(b"a,5\n") && !by_name.admits(b",6\n"));
    let unknown = bound("nome is empty").expect_err("no such column").to_string();
    assert!(unknown.starts_with("in 'nome is empty': "), "{unknown}");
    assert!(unknown.contains("no column is called 'nome' (did you mean 'name'?)"), "{unknown}");
    let beyond = bound("3 is empty").expect_err("no such column").to_string();
    assert!(beyond.contains("there is no column 3"), "{beyond}");
}
