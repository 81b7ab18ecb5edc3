//! Databases of random data, read by SQLite and compared with the model.

use std::fs;
use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};
use sortwell_engine::format::Format;
use sortwell_engine::operator::Unique;
use sortwell_engine::stats::Progress;
use sortwell_index::{BuildJob, Include, Index, IndexTarget};

use super::model::{Case, Random};
use super::{build, job_of, random_cases, run};

/// Opens a database for reading.
fn opened(path: &Path) -> Connection {
    Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
}

/// Returns the values that a query finds, row by row.
fn rows(database: &Connection, query: &str) -> Vec<Vec<Value>> {
    let mut query = database.prepare(query).unwrap();
    let count = query.column_count();
    let rows = query.query_map([], |row| (0..count).map(|at| row.get(at)).collect());
    rows.unwrap().map(Result::unwrap).collect()
}

/// Returns an integer.
fn integer(value: &Value) -> u64 {
    match value {
        Value::Integer(number) => number.cast_unsigned(),
        other => panic!("{other:?} is no integer"),
    }
}

/// Returns a value of the model as a database has it.
fn value_of(is_number: bool, bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        _ if bytes.is_empty() => Value::Null,
        Ok(text) if is_number => Value::Integer(text.parse().unwrap()),
        Ok(text) if !bytes.contains(&0) => Value::Text(text.to_owned()),
        _ => Value::Blob(bytes.to_vec()),
    }
}

fn target(job: BuildJob) -> BuildJob {
    BuildJob { target: IndexTarget::Sqlite, ..job }
}

#[test]
fn rows_are_those_of_a_model() {
    let (cases, seed) = random_cases();
    for number in 0..cases {
        let mut random = Random::new(seed * 1_000_033 + number);
        let case = Case::random(&mut random);
        let folder = tempfile::tempdir().unwrap();
        let job = target(job_of(&case, folder.path(), &mut random));
        let words = format!("case {number} of seed {seed}: {case:?}");
        let all = case.sorted();
        assert_eq!(run(&job).entries, all.len() as u64, "{words}");
        let database = opened(&job.output);
        let checked = rows(&database, "PRAGMA integrity_check");
        assert_eq!(checked, [[Value::Text("ok".to_owned())]], "{words}");
        let found = rows(&database, "SELECT * FROM entries ORDER BY number");
        assert_eq!(found.len(), all.len(), "{words}");
        for ((row, number), (file, offset)) in found.iter().zip(1..).zip(all) {
            let place = row[row.len() - 3..].iter().map(integer);
            let length = case.record(file, offset).len() as u64;
            assert!(place.eq([file as u64 + 1, offset, length]), "{row:?}, {words}");
            assert_eq!(integer(&row[0]), number, "{words}");
            let values = case.values_at(file, offset);
            let included = case.include().map(|_| (false, values[0].1.clone()));
            let values = values.iter().chain(&included);
            let values: Vec<Value> =
                values.map(|(is_number, bytes)| value_of(*is_number, bytes)).collect();
            assert_eq!(row[1..row.len() - 3], values, "{words}");
        }
        let counted = rows(&database, "SELECT value FROM meta WHERE name = 'entries'");
        assert_eq!(counted, [[Value::Text(found.len().to_string())]], "{words}");
    }
}

#[test]
fn a_program_searches_by_sql() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data.csv");
    fs::write(&data, "id,City,offset\n7,Oslo,1.5\n,bern,x\n3,Oslo,\n").unwrap();
    let output = folder.path().join("database");
    let keys = ["City:ci", "offset:decimal:desc", "id:int"];
    let mut job = target(build(std::slice::from_ref(&data), &output, Format::CSV, &keys));
    job.order.invalid = Some("last".parse().unwrap());
    run(&job);
    let database = opened(&output);
    let query = "SELECT id, offset_2, offset FROM entries WHERE city = 'OSLO'";
    let text = |row: &Vec<Value>| format!("{row:?}");
    let found: Vec<String> = rows(&database, query).iter().map(text).collect();
    let wanted = ["[Integer(7), Real(1.5), Integer(15)]", "[Integer(3), Null, Integer(34)]"];
    assert_eq!(found, wanted);
    let plan = rows(&database, &format!("EXPLAIN QUERY PLAN {query}"));
    assert!(text(&plan[0]).contains("SEARCH entries USING INDEX entries_by_key"), "{plan:?}");
    let path = rows(&database, "SELECT path FROM files");
    assert_eq!(path, [[Value::Text(fs::canonicalize(&data).unwrap().display().to_string())]]);
    let invalid = rows(&database, "SELECT offset FROM entries WHERE offset_2 IS NULL");
    assert_eq!(invalid, [[Value::Integer(34)], [Value::Integer(26)]]);
    let error = Index::open(&output).unwrap_err().to_string();
    assert!(error.contains("this is an SQLite database"), "{error}");
}

#[test]
fn equal_keys_are_named_or_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data.csv");
    fs::write(&data, "id,name\n2,Bob\n1,Ann\n2,Cid\n").unwrap();
    let output = folder.path().join("database");
    let mut job = target(build(std::slice::from_ref(&data), &output, Format::CSV, &["id:int"]));
    job.unique = Some(Unique::Error);
    let error = job.run(&Progress::new()).unwrap_err().to_string();
    assert!(error.contains("offset 20") && error.contains("offset 8"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the data alone");
    job.unique = Some(Unique::Last);
    run(&job);
    let offsets = rows(&opened(&output), "SELECT offset FROM entries ORDER BY id");
    assert_eq!(offsets, [[Value::Integer(14)], [Value::Integer(20)]]);
}

/// SQLite would take a log of the old database for one of the new.
#[test]
fn databases_in_use_are_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::write(&data, "a 1\n").unwrap();
    let output = folder.path().join("database");
    let job = target(build(std::slice::from_ref(&data), &output, Format::LINES, &["1"]));
    run(&job);
    let other = Connection::open(&output).unwrap();
    other.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE notes (note)").unwrap();
    let error = job.run(&Progress::new()).unwrap_err().to_string();
    assert!(error.contains("database-wal belongs to a database that another program"), "{error}");
    drop(other);
    run(&job);
    assert!(opened(&output).prepare("SELECT * FROM notes").is_err(), "it was replaced");
}

#[test]
fn failures_leave_no_database() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::write(&data, "a 1\n".repeat(100_000)).unwrap();
    let output = folder.path().join("database");
    let job = target(build(std::slice::from_ref(&data), &output, Format::LINES, &["1", "2:int"]));
    let progress = Progress::new();
    progress.request_stop();
    job.run(&progress).unwrap_err();
    let many: Vec<Include> = (0..2000).map(|at| Include::Bytes(at..at + 1)).collect();
    let wide = BuildJob { include: many, ..job.clone() };
    let error = wide.run(&Progress::new()).unwrap_err().to_string();
    assert!(error.contains("SQLite refuses these columns: too many columns"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the data alone");
}
