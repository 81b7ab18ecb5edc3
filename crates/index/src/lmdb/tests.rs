//! Trees that several tasks write at the same time, read back.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;

use sortwell_engine::io::{Direct, TempFile};

use super::pages::Pages;
use super::reader::TreeCursor;
use super::tree::PageTree;
use super::writer::{NewTree, PageFile};
use super::{BRANCH, HEADER, PAGE, VALUE_MAX};

/// A tree in a file of its own, and its entries as the reader finds them.
struct Written {
    tree: PageTree,
    entries: Vec<(Vec<u8>, Vec<u8>)>,
    /// The page of each entry.
    pages: Vec<u64>,
}

/// Returns the key of an entry.
fn key(number: usize) -> Vec<u8> {
    format!("{number:08}").into_bytes()
}

/// Lets `write` write a tree, and reads it forwards and backwards.
fn written(write: impl FnOnce(&NewTree)) -> Written {
    let folder = tempfile::tempdir().unwrap();
    let temporary = TempFile::create(&folder.path().join("tree"), Direct::Off).unwrap();
    let file = Arc::new(PageFile::new(Arc::clone(temporary.file())));
    let tree = NewTree::new(&file);
    write(&tree);
    let tree = tree.finish().unwrap();
    file.finish(&[("entries", tree), ("another", PageTree::EMPTY)]).unwrap();
    let path = folder.path().join("named");
    temporary.persist(&path, false).unwrap();
    let (pages, names) = Pages::of(File::open(&path).unwrap(), Path::new("tree")).unwrap();
    assert_eq!(pages.tree(names, "entries").unwrap(), tree);
    assert_eq!(pages.tree(names, "another").unwrap(), PageTree::EMPTY);
    assert!(pages.tree(names, "missing").is_err());
    let (mut entries, mut numbers) = (Vec::new(), Vec::new());
    let mut cursor = TreeCursor::new(&pages, tree);
    cursor.seek_first().unwrap();
    while let Some((key, value)) = cursor.entry().unwrap() {
        entries.push((key.to_vec(), value.to_vec()));
        numbers.push(cursor.page());
        cursor.step().unwrap();
    }
    let mut backwards = Vec::new();
    cursor.seek_end();
    cursor.step_back().unwrap();
    while let Some((key, value)) = cursor.entry().unwrap() {
        backwards.push((key.to_vec(), value.to_vec()));
        cursor.step_back().unwrap();
        if backwards.len() == entries.len() {
            break;
        }
    }
    backwards.reverse();
    assert_eq!(backwards, entries);
    for (key, value) in entries.iter().step_by(97) {
        cursor.seek(key).unwrap();
        assert_eq!(cursor.entry().unwrap(), Some((&key[..], &value[..])));
    }
    assert_eq!(tree.entries, entries.len() as u64);
    Written { tree, entries, pages: numbers }
}

#[test]
fn pages_of_several_tasks_lie_between_each_other() {
    const EACH: usize = 30_000;
    let written = written(|tree| {
        let mut tasks: Vec<_> = (0..3).map(|task| tree.begin(task * 1000)).collect();
        for number in 0..EACH {
            for (task, leaves) in tasks.iter_mut().enumerate() {
                leaves.add(&key(task * EACH + number), [b"value", &[7; 20]]).unwrap();
            }
        }
        // The last one ends first, and tasks without entries begin where others do.
        for (task, leaves) in tasks.into_iter().enumerate().rev() {
            tree.begin(task as u64 * 1000).finish(task as u64 * 1000).unwrap();
            leaves.finish(task as u64 * 1000 + 1000).unwrap();
        }
    });
    let keys: Vec<Vec<u8>> = written.entries.iter().map(|(key, _)| key.clone()).collect();
    assert!(keys.iter().eq((0..3 * EACH).map(key).collect::<Vec<_>>().iter()));
    assert!(!written.pages.is_sorted(), "the pages lie in the order of keys");
    assert_eq!(written.tree.depth, 3);
}

#[test]
fn trees_of_every_size() {
    for count in (0..260).chain([9_000, 20_000]) {
        let written = written(|tree| {
            let mut leaves = tree.begin(0);
            for number in 0..count {
                // Long keys fill a page with seven, so that levels are many.
                let long = [key(number), vec![b'k'; 500]].concat();
                leaves.add(&long, [b"", b""]).unwrap();
            }
            leaves.finish(1).unwrap();
        });
        assert_eq!(written.entries.len(), count);
    }
}

#[test]
fn long_values_lie_on_pages_of_their_own() {
    let lengths = [0, 1, 2000, 2022, 2023, 4079, 4080, 4081, 100_000];
    let written = written(|tree| {
        let mut leaves = tree.begin(0);
        for (number, length) in lengths.into_iter().enumerate() {
            leaves
                .add(&key(number), [&vec![1; length / 3], &vec![2; length - length / 3]])
                .unwrap();
        }
        let too_long = leaves.add(&key(lengths.len()), [&vec![0; VALUE_MAX], b"x"]);
        assert!(too_long.unwrap_err().to_string().contains("an index takes at most 1 GiB"));
        leaves.finish(1).unwrap();
    });
    let found: Vec<usize> = written.entries.iter().map(|(_, value)| value.len()).collect();
    assert_eq!(found, lengths);
    assert!(written.tree.overflow_pages > 25);
}

#[test]
fn keys_out_of_order_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let temporary = TempFile::create(&folder.path().join("tree"), Direct::Off).unwrap();
    let file = Arc::new(PageFile::new(Arc::clone(temporary.file())));
    let tree = NewTree::new(&file);
    let mut first = tree.begin(0);
    first.add(b"b", [b"", b""]).unwrap();
    assert!(first.add(b"b", [b"", b""]).is_err());
    assert!(first.add(b"a", [b"", b""]).is_err());
    first.finish(10).unwrap();
    let mut second = tree.begin(10);
    second.add(b"a", [b"", b""]).unwrap();
    assert!(second.finish(20).is_err());
    tree.begin(30).finish(40).unwrap();
    assert!(tree.finish().is_err(), "a task is missing");
}

/// A page of a branch whose children are all the same page.
fn branch_of_one_child(number: u64, child: u64) -> Vec<u8> {
    const NODES: u16 = 100;
    let mut page = vec![0; PAGE];
    let (lower, upper) = (HEADER as u16 + 2 * NODES, PAGE as u16 - 16 * NODES);
    page[..8].copy_from_slice(&number.to_le_bytes());
    for (at, half) in [(10, BRANCH), (12, lower), (14, upper)] {
        page[at..at + 2].copy_from_slice(&half.to_le_bytes());
    }
    for node in 0..NODES {
        let at = HEADER + 2 * usize::from(node);
        let offset = upper + 16 * node;
        page[at..at + 2].copy_from_slice(&offset.to_le_bytes());
        let at = usize::from(offset);
        page[at..at + 6].copy_from_slice(&child.to_le_bytes()[..6]);
        page[at + 6] = 8;
        page[at + 8..at + 16].copy_from_slice(&u64::from(node).to_be_bytes());
    }
    page
}

/// A file of a few pages could name 100^30 leaves.
#[test]
fn a_page_that_is_in_a_tree_twice_is_found() {
    const LEVELS: u64 = 30;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let temporary = TempFile::create(&path, Direct::Off).unwrap();
    let file = Arc::new(PageFile::new(Arc::clone(temporary.file())));
    let tree = NewTree::new(&file);
    let mut leaves = tree.begin(0);
    leaves.add(b"key", [b"value", b""]).unwrap();
    leaves.finish(1).unwrap();
    let tree = tree.finish().unwrap();
    let bytes = file.finish(&[("entries", tree)]).unwrap();
    temporary.persist(&path, false).unwrap();
    let mut child = tree.root;
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    for number in (bytes / PAGE as u64..).take(LEVELS as usize) {
        file.write_all(&branch_of_one_child(number, child)).unwrap();
        child = number;
    }
    let (pages, _) = Pages::open(&path).unwrap();
    let depth = LEVELS as u16 + 1;
    let mut cursor = TreeCursor::new(&pages, PageTree { root: child, depth, ..tree });
    cursor.seek_first().unwrap();
    let mut steps = 0;
    let error = loop {
        match cursor.step() {
            Ok(()) => steps += 1,
            Err(error) => break error.to_string(),
        }
    };
    assert!(error.contains("it is in its tree twice"), "{error}");
    assert!(steps <= LEVELS + bytes / PAGE as u64, "{steps} steps");
}

/// A node says how long its value is, and may be wrong.
#[test]
fn a_value_that_is_not_on_its_pages_is_found() {
    const LENGTH: usize = 10_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let temporary = TempFile::create(&path, Direct::Off).unwrap();
    let file = Arc::new(PageFile::new(Arc::clone(temporary.file())));
    let tree = NewTree::new(&file);
    let mut leaves = tree.begin(0);
    leaves.add(b"key", [&[7; LENGTH], b""]).unwrap();
    leaves.finish(1).unwrap();
    let tree = tree.finish().unwrap();
    file.finish(&[("entries", tree)]).unwrap();
    temporary.persist(&path, false).unwrap();
    // The file is sparse, so that all these values might lie in it.
    let file = std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
    file.set_len(5 << 30).unwrap();
    let leaf = tree.root * PAGE as u64;
    let read = || {
        let (pages, _) = Pages::open(&path).unwrap();
        let mut cursor = TreeCursor::new(&pages, tree);
        cursor.seek_first().unwrap();
        let found = cursor.entry().map(|entry| entry.unwrap().1.len());
        found.map_err(|error| error.to_string())
    };
    assert_eq!(read(), Ok(LENGTH));
    let mut page = [0; PAGE];
    file.read_exact_at(&mut page, leaf).unwrap();
    let node = leaf + u64::from(u16::from_le_bytes([page[HEADER], page[HEADER + 1]]));
    for (length, said) in [
        (3 * PAGE as u32 - HEADER as u32, Ok(3 * PAGE - HEADER)),
        (3 * PAGE as u32, Err("it does not hold a value of 12288 bytes")),
        (1 << 28, Err("it does not hold a value of 268435456 bytes")),
        (0xf000_0000, Err("a value is too long")),
        (0xffff_ffff, Err("a value is too long")),
    ] {
        file.write_all_at(&length.to_le_bytes(), node).unwrap();
        match (read(), said) {
            (found, Ok(_)) => assert_eq!(found, said.map_err(str::to_owned)),
            (found, Err(words)) => {
                let found = found.unwrap_err();
                assert!(found.contains(words), "{found}");
            }
        }
    }
}
