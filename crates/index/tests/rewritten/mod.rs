//! Data that changes while an index is built, and while it is open.

use std::fs;
use std::io::Write as _;
use std::thread::sleep;
use std::time::Duration;

use sortwell_engine::format::Format;
use sortwell_engine::io::{Direct, File};
use sortwell_engine::job::Budget;
use sortwell_engine::stats::Progress;
use sortwell_index::Index;

use crate::model::block;
use crate::{append_to, build, run};

/// Time after which a file has another time of its last change, and after which it is looked at.
const TICK: Duration = Duration::from_millis(20);

#[test]
fn data_that_is_rewritten_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let [data, output, copy] = ["data", "index", "copy"].map(|name| folder.path().join(name));
    let plain = (b"b 1\na 2\n".to_vec(), b"c 3\nd 4\n".to_vec(), b"b 1\na 2\ne 5\n".to_vec());
    let packed = (block(&plain.0), block(&plain.1), block(&plain.2));
    for (before, after, longer) in [plain, packed] {
        fs::write(&data, &before).unwrap();
        run(&build(std::slice::from_ref(&data), &output, Format::LINES, &["1"]));
        let (index, stale) = (Index::open(&output).unwrap(), Index::open_stale(&output).unwrap());
        let found = index.get(&["a"]).unwrap().next().unwrap().unwrap();
        let read = || {
            sleep(TICK);
            index.read(&found).map_err(|error| error.to_string())
        };
        assert_eq!(read().unwrap(), b"a 2\n");
        let modified = fs::metadata(&data).unwrap().modified().unwrap();
        let set_time =
            || fs::File::options().write(true).open(&data).unwrap().set_modified(modified);
        fs::write(&data, &before).unwrap();
        assert_eq!(read().unwrap(), b"a 2\n", "the same bytes");
        assert_eq!(read().unwrap(), b"a 2\n");
        for resets_time in [false, true] {
            fs::write(&data, &after).unwrap();
            if resets_time {
                set_time().unwrap();
            }
            let error = read().unwrap_err();
            assert!(error.contains("data: the file was modified since the index was"), "{error}");
            assert_eq!(stale.read(&found).unwrap().len(), 4);
        }
        fs::write(&data, &longer).unwrap();
        assert!(read().unwrap_err().contains("has grown"));
        fs::write(&data, &before).unwrap();
        assert_eq!(read().unwrap(), b"a 2\n", "the bytes are restored");
        fs::write(&copy, &after).unwrap();
        fs::rename(&copy, &data).unwrap();
        assert_eq!(read().unwrap(), b"a 2\n", "the open file is as it was");
    }
}

/// A sort in place that was stopped leaves holes in the file.
#[test]
fn data_of_an_unfinished_sort_in_place_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [data, output] = ["data", "index"].map(|name| folder.path().join(name));
    fs::write(&data, "b\na\n").unwrap();
    File::reopen(&data, Direct::Off).unwrap().mark(folder.path()).unwrap();
    let job = build(&[data], &output, Format::LINES, &["1"]);
    let error = job.run(&Progress::new()).unwrap_err().to_string();
    assert!(error.contains("unfinished sort in place"), "{error}");
}

/// A log may grow while it is indexed, but a line that was written by half has no key.
#[test]
fn data_that_grows_during_a_build() {
    let folder = tempfile::tempdir().unwrap();
    let [data, output] = ["data", "index"].map(|name| folder.path().join(name));
    let job = build(std::slice::from_ref(&data), &output, Format::LINES, &["1"]);
    let grown = |text: &str, more: &str| {
        fs::write(&data, text).unwrap();
        let _ = fs::remove_file(&output);
        std::thread::scope(|scope| {
            let built = scope.spawn(|| job.run(&Progress::new()).map(|built| built.entries));
            // The temporary index is made after the data was opened.
            while !built.is_finished() && fs::read_dir(&folder).unwrap().count() < 2 {}
            fs::OpenOptions::new()
                .append(true)
                .open(&data)
                .unwrap()
                .write_all(more.as_bytes())
                .unwrap();
            built.join().unwrap().map_err(|error| error.to_string())
        })
    };
    let lines = "abcdefg\n".repeat(300_000);
    assert_eq!(grown(&lines, "new\n"), Ok(300_000));
    let append = append_to(&output, Budget::Auto, Some(1));
    assert_eq!(append.run(&Progress::new()).unwrap().entries, 300_001);
    let error = grown(&format!("{lines}ha"), "lf\n").unwrap_err();
    let wanted = "while it was indexed; run the command when nothing writes to the file";
    assert!(
        error.contains("has grown from 2400002 to 2400005 bytes") && error.contains(wanted),
        "{error}"
    );
    assert!(!output.exists());
}
