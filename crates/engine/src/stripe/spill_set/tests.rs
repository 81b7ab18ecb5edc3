//! Tests of directories that belong together: made, put together again, gone.

use std::fs;

use super::*;
use crate::stripe::spilled;

/// A place of three directories, and the folder they are in.
fn place() -> (tempfile::TempDir, SpillPlace) {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = |(name, pages): (&str, u64)| {
        let path = folder.path().join(name);
        fs::create_dir(&path).expect("a directory");
        (path, pages * 4096)
    };
    let directories = [("a", 1), ("b", 3), ("c", 2)].map(directory).to_vec();
    (folder, SpillPlace { directories })
}

fn assert_empty(place: &SpillPlace) {
    for (path, _) in place.directories() {
        assert_eq!(fs::read_dir(path).expect("read").count(), 0, "{}", path.display());
    }
}

#[test]
fn the_definition_of_a_striped_file_names_directories() {
    let (folder, expected) = place();
    let path = folder.path().join("set.str");
    let member = |(directory, stride): (&Path, u64)| Member {
        path: directory.strip_prefix(folder.path()).expect("inside").join("m"),
        stride: Stride::Bytes(stride),
        checksum: None,
    };
    let members = expected.directories().map(member).collect();
    Definition::new(members, None).expect("a set").write(&path, false).expect("written");
    assert_eq!(SpillPlace::at(&path).expect("read"), expected);
    let other = folder.path().join("a");
    assert_eq!(SpillPlace::at(&other).expect("a directory"), SpillPlace::directory(&other));
    fs::write(&path, "sortwell-stripe 1\nmember 5 - a\n").expect("write");
    assert!(matches!(SpillPlace::at(&path), Err(Error::Malformed { .. })));
}

#[test]
fn files_lie_in_all_directories_and_go_with_them() {
    let (_folder, place) = place();
    let set = SpillSet::create(&place).expect("made");
    let path = set.home().join("run-000000");
    let file = spilled::create(&path, Direct::Off).expect("created");
    let content: Vec<u8> = (0..50_000_u32).map(|number| number as u8).collect();
    file.write_at(&content, 0).expect("written");
    let lengths = spilled::paths(&path)
        .expect("paths")
        .into_iter()
        .map(|path| fs::metadata(path).expect("a member").len());
    assert_eq!(lengths.collect::<Vec<_>>(), [9040, 24_576, 16_384]);
    assert_eq!(file.directories(), set.directories().map(|(path, _)| path).collect::<Vec<_>>());
    let again = spilled::open(&path, Direct::Off).expect("opened");
    let mut read = vec![0; 50_001];
    assert_eq!(again.read_at(&mut read, 0).expect("read"), 50_000);
    assert!(read[..50_000] == content);
    drop(set);
    assert_empty(&place);
}

/// A place that cannot be made in one directory leaves nothing in the others.
#[test]
fn all_are_made_or_none() {
    let (folder, place) = place();
    fs::remove_dir(folder.path().join("c")).expect("removed");
    assert!(SpillSet::create(&place).is_err());
    fs::create_dir(folder.path().join("c")).expect("a directory");
    assert_empty(&place);
}

fn adopted(paths: &[PathBuf]) -> Vec<SpillDirectory> {
    let adopt = |path: &PathBuf| SpillDirectory::adopt(path).expect("ours").expect("free");
    paths.iter().map(adopt).collect()
}

#[test]
fn directories_are_put_together_as_they_were_made() {
    let (folder, place) = place();
    let plain = SpillPlace::directory(folder.path());
    let mut made = vec![SpillSet::create(&plain).expect("made")];
    made.push(SpillSet::create(&place).expect("made"));
    made.iter_mut().for_each(|set| set.keep(true));
    let all = made.iter().flat_map(SpillSet::directories).map(|(path, _)| path.to_owned());
    let all: Vec<PathBuf> = all.collect();
    drop(made);
    let order = |numbers: &[usize]| -> Vec<PathBuf> {
        numbers.iter().map(|number| all[*number].clone()).collect()
    };
    for numbers in [[0, 1, 2, 3], [3, 1, 0, 2], [2, 3, 1, 0]] {
        let sets = SpillSet::grouped(adopted(&order(&numbers))).expect("grouped");
        let mut found: Vec<Vec<(&Path, u64)>> =
            sets.iter().map(|set| set.directories().collect()).collect();
        found.sort_by_key(Vec::len);
        let striped = [(&*all[1], 4096), (&*all[2], 3 * 4096), (&*all[3], 2 * 4096)];
        assert_eq!(found, [vec![(&*all[0], 1)], striped.to_vec()]);
    }
    let corrupt =
        |directories: Vec<SpillDirectory>, words: &str| match SpillSet::grouped(directories) {
            Err(Error::Corrupt { path, message, .. }) => {
                assert!(
                    path.ends_with(STRIPES_NAME) && message.to_string().contains(words),
                    "{message}"
                );
            }
            other => panic!("{other:?}"),
        };
    corrupt(adopted(&order(&[0, 1, 3])), "is missing");
    // Two that each say that the other goes with it.
    let text = fs::read_to_string(all[1].join(STRIPES_NAME)).expect("read");
    let mut lines: Vec<&str> = text.lines().collect();
    let first = lines.iter().position(|line| line.starts_with("member")).expect("a member");
    lines.swap(first, first + 1);
    fs::write(all[2].join(STRIPES_NAME), lines.join("\n")).expect("write");
    corrupt(adopted(&all), "refer to each other");
    fs::remove_file(all[2].join(STRIPES_NAME)).expect("removed");
    let mut sets = SpillSet::grouped(adopted(&all)).expect("grouped");
    sets.iter_mut().for_each(|set| set.keep(false));
    drop(sets);
    assert_empty(&place);
}
