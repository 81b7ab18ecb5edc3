//! LMDB itself, which reads and changes indexes.

use std::fs;
use std::path::Path;

use heed::types::Bytes;
use heed::{EnvFlags, EnvOpenOptions, PutFlags};

/// Bytes of entries after which a transaction is committed: it keeps its pages in memory.
const COMMIT_BYTES: usize = 4 << 20;

/// Opens an index by LMDB, walks through it and changes it.
pub fn opened_by_lmdb(path: &Path, rows: usize) {
    let copy = path.with_extension("copy");
    fs::copy(path, &copy).unwrap();
    let mut options = EnvOpenOptions::new();
    options.max_dbs(4).map_size(1 << 30);
    // SAFETY: the file belongs to this test alone.
    let env = unsafe { options.flags(EnvFlags::NO_SUB_DIR).open(&copy).unwrap() };
    let mut write = env.write_txn().unwrap();
    let entries = env.open_database::<Bytes, Bytes>(&write, Some("entries")).unwrap().unwrap();
    let before: Vec<(Vec<u8>, Vec<u8>)> = entries
        .iter(&write)
        .unwrap()
        .map(|entry| entry.map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap())
        .collect();
    assert_eq!(before.len(), rows);
    assert_eq!(entries.len(&write).unwrap(), rows as u64);
    assert!(before.is_sorted_by(|one, other| one.0 < other.0));
    for (key, value) in &before {
        assert_eq!(entries.get(&write, key).unwrap(), Some(&value[..]));
    }
    for (key, _) in before.iter().step_by(3) {
        assert!(entries.delete(&mut write, key).unwrap());
    }
    for (key, value) in before.iter().step_by(3) {
        entries.put(&mut write, key, value).unwrap();
    }
    write.commit().unwrap();
    let read = env.read_txn().unwrap();
    let after = entries.iter(&read).unwrap().map(|entry| entry.unwrap());
    assert!(after.eq(before.iter().map(|(key, value)| (&key[..], &value[..]))));
}

/// Copies the entries of an index by LMDB's append puts. Returns the leaf pages of the copy, and
/// the seconds of processor time of the puts and commits.
pub fn appended_by_lmdb(path: &Path) -> (u64, f64) {
    let copy = path.with_extension("appended");
    let [from, to] =
        [(path, EnvFlags::READ_ONLY), (&copy, EnvFlags::NO_SYNC)].map(|(path, flag)| {
            let mut options = EnvOpenOptions::new();
            options.max_dbs(4).map_size(1 << 34);
            let flags = EnvFlags::NO_SUB_DIR | EnvFlags::NO_LOCK | flag;
            // SAFETY: the file belongs to this test alone.
            unsafe { options.flags(flags).open(path).unwrap() }
        });
    let read = from.read_txn().unwrap();
    let entries = from.open_database::<Bytes, Bytes>(&read, Some("entries")).unwrap().unwrap();
    let mut write = to.write_txn().unwrap();
    let copied = to.create_database::<Bytes, Bytes>(&mut write, Some("entries")).unwrap();
    let begun = processor_seconds();
    let mut bytes = 0;
    for entry in entries.iter(&read).unwrap() {
        let (key, value) = entry.unwrap();
        copied.put_with_flags(&mut write, PutFlags::APPEND, key, value).unwrap();
        bytes += key.len() + value.len();
        if bytes >= COMMIT_BYTES {
            write.commit().unwrap();
            (write, bytes) = (to.write_txn().unwrap(), 0);
        }
    }
    write.commit().unwrap();
    let seconds = processor_seconds() - begun;
    let read = to.read_txn().unwrap();
    (copied.stat(&read).unwrap().leaf_pages as u64, seconds)
}

/// Returns the processor time of this thread.
pub fn processor_seconds() -> f64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}
