//! LMDB itself, which reads and changes indexes.

use std::fs;
use std::path::Path;

use heed::types::Bytes;
use heed::{EnvFlags, EnvOpenOptions};

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
