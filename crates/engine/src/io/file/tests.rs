//! Tests of files: what may be opened, lengths, and the way that transfers take.

use rustix::fs::{XattrFlags, fsetxattr};

use super::mark::{PROBE, mark_of};
use super::*;

fn path_in(directory: &tempfile::TempDir) -> PathBuf {
    directory.path().join("file")
}

#[test]
fn what_cannot_be_read_at_offsets_is_an_error_that_names_it() {
    let directory = tempfile::tempdir().unwrap();
    let refused = |path: &Path| File::open_read(path, Direct::Auto).unwrap_err();

    let missing = refused(&directory.path().join("missing"));
    assert!(missing.to_string().contains("missing"), "{missing}");
    assert!(matches!(missing, Error::Io { .. } | Error::NoSpace { .. }));

    let error = refused(directory.path());
    let Error::Io { action: "read", source, .. } = error else { panic!("{error}") };
    assert_eq!(source.kind(), std::io::ErrorKind::IsADirectory);

    let fifo = directory.path().join("fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, FileType::Fifo, Mode::RWXU, 0).unwrap();
    let message = refused(&fifo).to_string();
    assert!(message.contains("fifo") && message.contains("standard input"), "{message}");
    assert!(matches!(refused(Path::new("/dev/null")), Error::Config(_)));
}

#[test]
fn creating_never_touches_what_is_there() {
    let directory = tempfile::tempdir().unwrap();
    let path = path_in(&directory);
    std::fs::write(&path, "kept").unwrap();
    assert!(File::create(&path, Direct::Auto).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), b"kept");
}

#[test]
fn direct_on_is_refused_in_memory_and_leaves_no_file() {
    let Ok(directory) = tempfile::tempdir_in("/dev/shm") else { return };
    let path = path_in(&directory);
    let error = File::create(&path, Direct::On).unwrap_err();
    assert_eq!(error.config_kind(), Some(ConfigErrorKind::Unsupported));
    assert!(error.to_string().ends_with("use direct I/O auto"), "{error}");
    assert!(!path.exists());
    let file = File::create(&path, Direct::Auto).unwrap();
    assert!(!file.is_direct());
    assert!(File::open_read(&path, Direct::On).is_err());
}

#[test]
fn lengths_follow_what_is_done_to_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = path_in(&directory);
    let file = File::create(&path, Direct::Auto).unwrap();
    assert_eq!((file.len(), file.path()), (0, path.as_path()));
    file.preallocate(0).unwrap();
    file.preallocate(10_000).unwrap();
    assert_eq!((file.len(), std::fs::metadata(&path).unwrap().len()), (10_000, 10_000));
    file.preallocate(5_000).unwrap();
    assert_eq!(file.len(), 10_000);
    file.set_len(777).unwrap();
    assert_eq!((file.len(), std::fs::metadata(&path).unwrap().len()), (777, 777));
    file.sync_data().unwrap();
    assert_eq!(File::open_read(&path, Direct::Off).unwrap().len(), 777);
}

#[test]
fn no_space_is_an_error_with_the_systems_words() {
    let directory = tempfile::tempdir().unwrap();
    let file = File::create(&path_in(&directory), Direct::Off).unwrap();
    let free = crate::sys::space::free(directory.path()).unwrap().bytes();
    let error = file.preallocate(free.saturating_add(1 << 40)).unwrap_err();
    let Error::Io { source, .. } = &error else { panic!("{error}") };
    assert_eq!(source.kind(), std::io::ErrorKind::StorageFull, "{source}");
    // Refused before it was tried: not one block was taken.
    assert_eq!(fstat(&*file).unwrap().st_blocks, 0);
}

#[test]
fn a_cached_input_is_read_from_the_cache_unless_direct_is_on() {
    let directory = tempfile::tempdir().unwrap();
    let path = path_in(&directory);
    std::fs::write(&path, vec![5; 1 << 20]).unwrap();
    let file = File::open_read(&path, Direct::Auto).unwrap();
    assert!(file.is_cached() && !file.is_direct());
    if let Ok(file) = File::open_read(&path, Direct::On) {
        assert!(file.is_cached() && file.is_direct());
    }
}

#[test]
fn whole_aligned_blocks_go_direct_and_the_rest_does_not() {
    let directory = tempfile::tempdir().unwrap();
    let Ok(file) = File::create(&path_in(&directory), Direct::On) else { return };
    let block = file.block_bytes();
    let way = |address, offset, length| {
        let route = file.route(address, offset, length);
        (route.length, route.is_direct)
    };
    assert_eq!(way(block * 9, 0, block * 4), (block * 4, true));
    assert_eq!(way(block * 9, block as u64, block * 4 + 1), (block * 4, true));
    assert_eq!(way(block * 9, block as u64, block - 1), (block - 1, false));
    assert_eq!(way(block * 9 + 1, 0, block * 4), (block * 4, false));
    assert_eq!(way(block * 9, 1, block * 4), (block * 4, false));
    file.give_up_direct();
    assert!(!file.is_direct());
    assert_eq!(way(block * 9, 0, block * 4), (block * 4, false));
}

#[test]
fn one_description_at_a_time_has_the_lock() {
    let directory = tempfile::tempdir().unwrap();
    let path = path_in(&directory);
    std::fs::write(&path, "old").unwrap();
    let [file, other] = [(); 2].map(|()| File::reopen(&path, Direct::Off).unwrap());
    assert!(file.lock() && file.lock() && !other.lock());
    drop(file);
    assert!(other.lock() && other.is_at_its_path());
    // A file that has replaced it is another one.
    let new = directory.path().join("new");
    std::fs::write(&new, "new").unwrap();
    std::fs::rename(&new, &path).unwrap();
    assert!(!other.is_at_its_path());
    assert!(File::reopen(&path, Direct::Off).unwrap().lock());
}

#[test]
fn asking_for_marks_leaves_the_mark_of_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = path_in(&directory);
    std::fs::write(&path, "kept").unwrap();
    let file = File::reopen(&path, Direct::Off).unwrap();
    if !file.takes_marks() {
        return; // as tmpfs of an old kernel
    }
    assert_eq!(mark_of(&path), None);
    file.mark(directory.path()).unwrap();
    assert!(file.takes_marks());
    assert_eq!(mark_of(&path).as_deref(), Some(directory.path()));
    // What was open before is seen to be marked, too.
    let others = [file.check_whole(), check_whole_at(&path)];
    assert!(others.iter().all(|other| matches!(other, Err(Error::Malformed { .. }))));
    file.unmark().unwrap();
    file.check_whole().unwrap();

    // A process that was killed between setting and removing the probe has left it.
    fsetxattr(&file.plain().buffered, PROBE, b"", XattrFlags::empty()).unwrap();
    assert_eq!(mark_of(&path), None);
    assert!(file.takes_marks());
}
