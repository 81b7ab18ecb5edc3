//! Striped files: which byte lies where, what definitions say, and requests of any kind on any
//! engine, held against the same bytes in memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use super::*;
use crate::error::Error;
use crate::io::striped::StripeLayout;
use crate::io::{Arena, Direct, Direction, Engine, File, Request};
use crate::units::ByteSize;

/// Small, seeded (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 31)) % bound
    }
}

fn bytes(length: usize, random: &mut Random) -> Vec<u8> {
    (0..length).map(|_| random.below(256) as u8).collect()
}

/// A set of members in folders of their own, with strides of so many pages.
fn defined(folder: &TempDir, pages: &[u64]) -> PathBuf {
    let member = |(number, pages): (usize, &u64)| {
        let directory = folder.path().join(format!("disk {number}"));
        fs::create_dir(&directory).expect("a directory");
        let stride = match number % 2 {
            0 => Stride::Bytes(pages * 4096),
            _ => Stride::Times(*pages),
        };
        Member { path: directory.join("m"), stride, checksum: None }
    };
    let members = pages.iter().enumerate().map(member).collect();
    let path = folder.path().join("set.str");
    Definition::new(members, Some(4096)).expect("a set").write(&path, false).expect("written");
    path
}

fn written(folder: &TempDir, pages: &[u64], content: &[u8]) -> PathBuf {
    let path = defined(folder, pages);
    let output = StripedOutput::create(&path, Direct::Auto).expect("created");
    output.file().write_at(content, 0).expect("written");
    output.finish(content.len() as u64, true).expect("finished");
    path
}

/// Every byte of a layout, dealt out one by one.
#[test]
fn a_layout_deals_out_row_by_row() {
    let mut random = Random(7);
    for members in [1, 2, 3, 36] {
        let strides: Vec<u64> = (0..members).map(|_| 1 + random.below(5)).collect();
        let layout = StripeLayout::new(strides.clone());
        let width: u64 = strides.iter().sum();
        let (mut lengths, mut offset) = (vec![0; members], 0);
        for length in 0..3 * width + 2 {
            for (member, expected) in lengths.iter().enumerate() {
                assert_eq!(layout.member_bytes(member, length), *expected, "{strides:?} {length}");
            }
            let place = layout.place(offset);
            assert_eq!(place.offset, lengths[place.member], "{strides:?} {offset}");
            let row = offset / width;
            let end: u64 = strides[..=place.member].iter().sum();
            assert_eq!(place.left, row * width + end - offset);
            lengths[place.member] += 1;
            offset += 1;
        }
    }
}

#[test]
fn definitions_are_written_as_they_are_read() {
    let member = |path: &str, stride, checksum| Member { path: path.into(), stride, checksum };
    let members = vec![
        member("/a/with blanks ~", Stride::Bytes(8192), Some(u64::MAX)),
        member("b", Stride::Times(3), None),
    ];
    let mut made = Definition::new(members, Some(4096)).expect("a set");
    assert_eq!(Definition::of_text(&made.text()).expect("read"), made);
    (made.length, made.set, made.generation) = (1 << 40, Some(0xc), Some(0xab));
    let text = made.text();
    assert_eq!(Definition::of_text(&text).expect("read"), made);
    let path = Path::new("/sets/s.str");
    let files = ["/a/with blanks ~~0000000c000000ab", "/sets/b~0000000c000000ab"];
    let files = files.map(PathBuf::from);
    assert_eq!(made.files(path), files);
    assert!(String::from_utf8(text).expect("text").contains("member 3x - b\n"));
}

#[test]
fn what_is_wrong_with_a_definition_is_told() {
    let wrong = |text: &str, words: &str| {
        let text = format!("sortwell-stripe 1\n{text}");
        let said = Definition::of_text(text.as_bytes()).expect_err(&text);
        assert!(said.contains(words), "{text}: {said}");
    };
    wrong("", "no members");
    wrong("length 0\nmember 4096 - ..\n", "no valid path");
    wrong("member 4097 - a\n", "stride 4097 of a is not a multiple");
    wrong("member 0x - a\n", "stride 0x of a");
    wrong("member 18446744073709551615x - a\n", "stride");
    wrong("member 4096 - a\nmember 8192 - a\n", "a is a member twice");
    wrong("member 4096 12 a\n", "line 2: '12' is not 16 hexadecimal digits");
    wrong("member x - a\n", "line 2: 'x' is not a stride; write a size such as 256KiB");
    wrong("length -1\n", "line 2: '-1' is not a 64-bit number");
    wrong("generation ABCDEF01\n", "line 2");
    wrong("generation abcdef01\nmember 4096 - a\n", "no set");
    wrong("# words\n\nstripes 4\n", "line 4: 'stripes' is unknown");
    let version = Definition::of_text(b"sortwell-stripe 2\nbase 1\n").expect_err("a version");
    assert!(version.starts_with("it begins with 'sortwell-stripe 2', a version"), "{version}");
    assert!(Definition::of_text(b"lines\n").expect_err("no text").contains("not a stripe file"));
    assert!(Definition::of_text(&vec![b'#'; 2 << 20]).expect_err("too long").contains("longer"));
}

fn request(operation: Direction, file: &Arc<File>, (offset, bytes): (u64, usize)) -> Request {
    let region = Arena::new(ByteSize(bytes as u64 + 8192)).expect("memory");
    let (file, range) = (Arc::clone(file), 4096..4096 + bytes);
    Request { operation, file, offset, region, range, tag: offset }
}

/// Requests at any place and of any length, over strides and beyond the end.
#[test]
fn requests_are_parted_and_come_back_whole() {
    let mut random = Random(11);
    for engine in Engine::ALL.into_iter().filter(|engine| engine.probe().is_ok()) {
        for pages in [&[1][..], &[1, 2, 3], &[5, 1, 1, 7]] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = defined(&folder, pages);
            let content = bytes(300_001, &mut random);
            let output = StripedOutput::create(&path, Direct::Auto).expect("created");
            let mut queue = engine.queue(3).expect("a queue");
            let mut at = 0;
            while at < content.len() {
                let bytes = (1 + random.below(90_000) as usize).min(content.len() - at);
                let mut one = request(Direction::Write, output.file(), (at as u64, bytes));
                one.region[4096..4096 + bytes].copy_from_slice(&content[at..at + bytes]);
                queue.submit(one).expect("submitted");
                at += bytes;
            }
            while let Some(done) = queue.wait().expect("waited") {
                assert_eq!(done.result.expect("written"), done.request.range.len());
            }
            output.finish(content.len() as u64, false).expect("finished");

            let file = File::open_stripes(&path, Direct::Auto).expect("opened");
            assert_eq!(file.len(), content.len() as u64);
            for _ in 0..40 {
                let offset = random.below(content.len() as u64 + 9000);
                let bytes = random.below(70_000) as usize;
                queue.submit(request(Direction::Read, &file, (offset, bytes))).expect("submitted");
            }
            assert!(queue.in_flight() <= 40);
            let mut over = 0;
            while let Some(done) = queue.wait().expect("waited") {
                let Request { offset, region, range, tag, .. } = done.request;
                assert_eq!((tag, region.len()), (offset, (range.len() + 8192).max(region.len())));
                let start = (offset as usize).min(content.len());
                let end = (start + range.len()).min(content.len());
                assert_eq!(done.result.expect("read"), end - start, "{offset} {range:?}");
                assert!(region[range][..end - start] == content[start..end], "{offset}");
                over += 1;
            }
            assert_eq!((over, queue.in_flight()), (40, 0));
        }
    }
}

/// A new generation takes the place of the old one, and what was killed is removed.
#[test]
fn outputs_appear_whole_and_leave_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, &[1, 2], b"first");
    let names = || {
        let entries = fs::read_dir(folder.path().join("disk 0")).expect("read");
        entries.map(|entry| entry.expect("an entry").file_name()).collect::<Vec<_>>()
    };
    let first = names();
    assert_eq!(first.len(), 1);
    drop(StripedOutput::create(&path, Direct::Off).expect("created"));
    assert_eq!(names(), first, "given up");
    let set = Definition::read(&path).expect("read").set.expect("a number");
    let others = [format!("m~{set:08x}0123abcd~"), format!("m~{:08x}0123abcd", !set)];
    let left_by_a_kill = format!("m~{set:08x}0123abcd");
    for name in others.iter().chain([&left_by_a_kill]) {
        fs::write(folder.path().join("disk 0").join(name), "there").expect("write");
    }
    let output = StripedOutput::create(&path, Direct::Off).expect("created");
    let content = bytes(20_000, &mut Random(3));
    output.file().write_at(&content, 0).expect("written");
    let mut read = vec![0; 30_000];
    let old = File::open_stripes(&path, Direct::Off).expect("the old one");
    assert_eq!(old.read_at(&mut read, 0).expect("read"), 5);
    output.finish(20_000, true).expect("finished");
    let new = File::open_stripes(&path, Direct::Off).expect("the new one");
    assert_eq!(new.read_at(&mut read, 0).expect("read"), 20_000);
    assert!(read[..20_000] == content);
    let left = names();
    assert_eq!(left.len(), 3, "{left:?}");
    assert!(others.iter().all(|other| left.iter().any(|name| name == other.as_str())));
    assert!(!left.contains(&first[0]));
}

/// The text names the new members once it is renamed. The old ones stay, as the old text may come
/// back.
#[test]
fn no_member_is_removed_if_only_the_last_sync_fails() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, &[1, 2], b"first");
    let files = || Definition::read(&path).expect("read").files(&path);
    let old = files();
    let output = StripedOutput::create(&path, Direct::Off).expect("created");
    output.file().write_at(b"second", 0).expect("written");
    let fail = |directory: &Path| {
        assert_eq!(directory.canonicalize().ok(), folder.path().canonicalize().ok());
        Err(Error::io("make durable", directory, rustix::io::Errno::IO))
    };
    let error = output.finish_with(6, true, fail).expect_err("not durable");
    assert!(matches!(error, Error::Io { action: "make durable", .. }), "{error}");
    let mut read = [0; 6];
    let file = File::open_stripes(&path, Direct::Off).expect("whole");
    assert_eq!(file.read_at(&mut read, 0).expect("read"), 6);
    assert_eq!(&read, b"second");
    assert!(files() != old && old.iter().all(|file| file.exists()), "{old:?}");

    let output = StripedOutput::create(&path, Direct::Off).expect("created");
    output.finish(0, true).expect("finished");
    assert!(!old.iter().any(|file| file.exists()), "the next output removes them");
}

/// New members are removed if the text cannot be replaced.
#[test]
fn an_output_whose_definition_is_gone_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = defined(&folder, &[1, 2]);
    let output = StripedOutput::create(&path, Direct::Off).expect("created");
    fs::remove_file(&path).expect("remove");
    fs::create_dir(&path).expect("a folder");
    assert!(output.finish(5, false).is_err());
    for disk in ["disk 0", "disk 1"] {
        assert_eq!(fs::read_dir(folder.path().join(disk)).expect("read").count(), 0, "{disk}");
    }
}

/// A job that read the text before another one replaced it takes the new members for old ones.
#[test]
fn members_that_a_text_names_meanwhile_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, &[1, 2], b"old");
    let before = Definition::read(&path).expect("read");
    let output = StripedOutput::create(&path, Direct::Off).expect("created");
    output.file().write_at(b"new", 0).expect("written");
    output.finish(3, false).expect("finished");
    for place in before.places(&path) {
        let set = before.set.expect("a set");
        output::tidy(&path, &place, set, before.generation).expect("tidied");
    }
    let mut read = [0; 3];
    let file = File::open_stripes(&path, Direct::Off).expect("whole");
    assert_eq!((file.read_at(&mut read, 0).expect("read"), &read), (3, b"new"));
}

/// Two sets may have members at the same paths: each keeps to its own.
#[test]
fn sets_at_the_same_paths_leave_each_other_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let one = written(&folder, &[1, 2], b"one");
    let members = Definition::read(&one).expect("read").members;
    let other = folder.path().join("other.str");
    let plain = members.into_iter().map(|member| Member { checksum: None, ..member }).collect();
    Definition::new(plain, Some(4096)).expect("a set").write(&other, false).expect("written");
    for (path, content) in [(&other, b"two"), (&one, b"1st"), (&other, b"2nd")] {
        let output = StripedOutput::create(path, Direct::Off).expect("created");
        output.file().write_at(content, 0).expect("written");
        output.finish(3, false).expect("finished");
    }
    for (path, content) in [(&one, b"1st"), (&other, b"2nd")] {
        let mut read = [0; 3];
        let file = File::open_stripes(path, Direct::Off).expect("whole");
        assert_eq!(file.read_at(&mut read, 0).expect("read"), 3);
        assert_eq!(&read, content);
    }
}

#[test]
fn members_that_are_missing_short_or_foreign_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let content = bytes(50_000, &mut Random(5));
    let path = written(&folder, &[1, 2, 1], &content);
    let member = Definition::read(&path).expect("read").files(&path)[1].clone();
    let whole = fs::read(&member).expect("read");
    let malformed = |words: &str| match File::open_stripes(&path, Direct::Auto) {
        Err(Error::Malformed { path, message }) if path == member => {
            assert!(message.to_string().contains(words), "{message}");
        }
        other => panic!("{other:?}"),
    };
    fs::write(&member, &whole[1..]).expect("write");
    malformed("should have");
    let mut other = whole.clone();
    other[0] ^= 1;
    fs::write(&member, &other).expect("write");
    malformed("the right file");
    fs::remove_file(&member).expect("remove");
    assert!(matches!(File::open_stripes(&path, Direct::Auto),
        Err(Error::Io { path, .. }) if path == member));
    fs::write(&member, &whole).expect("write");
    let file = File::open_stripes(&path, Direct::Auto).expect("whole again");
    // One that becomes short behind our back is no end of the file.
    fs::OpenOptions::new().write(true).open(&member).expect("open").set_len(100).expect("cut");
    let mut queue = Engine::Sync.queue(1).expect("a queue");
    queue.submit(request(Direction::Read, &file, (0, 50_000))).expect("submitted");
    let done = queue.wait().expect("waited").expect("a completion");
    assert!(matches!(done.result, Err(Error::Malformed { .. })), "{:?}", done.result);
    let read = file.read_at(&mut [0; 50_000], 0);
    assert!(matches!(read, Err(Error::Malformed { .. })), "{read:?}");
}

/// Many members, most of them with nothing in them.
#[test]
fn a_sparse_set_of_many_members() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = defined(&folder, &[3; 36]);
    let output = StripedOutput::create(&path, Direct::Auto).expect("created");
    let far = (36 * 3 * 4096) * 1000 + 17 * 3 * 4096 + 5;
    output.file().write_at(b"here", far).expect("written");
    output.finish(far + 4, false).expect("finished");
    let file = File::open_stripes(&path, Direct::Auto).expect("opened");
    let mut read = [1; 9];
    assert_eq!(file.read_at(&mut read, far - 5).expect("read"), 9);
    assert_eq!(&read, b"\0\0\0\0\0here");
}
