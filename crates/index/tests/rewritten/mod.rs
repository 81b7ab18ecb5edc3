//! Data that changes while an index is open.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use sortwell_engine::format::Format;
use sortwell_index::Index;

use crate::model::block;
use crate::{build, run};

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
