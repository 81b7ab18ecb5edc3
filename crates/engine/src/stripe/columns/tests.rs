//! Definitions of two columns: what is read of them, what is wrong with them, and which texts are
//! taken for one.

use super::*;
use crate::error::Error;
use crate::io::{Direct, File};
use crate::stripe::StripedOutput;

fn read(text: &str) -> Definition {
    Definition::of_columns(text.as_bytes()).expect(text)
}

#[test]
fn a_line_has_a_name_and_a_number_of_blocks() {
    let text = "# AlphaSort\n\n/mnt/a/data 16\r\n  b with blanks\t 2\nc 4 8\n d  64KiB \n#e 1\n";
    let made = read(text);
    let of = |path: &str, stride| Member { path: path.into(), stride, checksum: None };
    let expected = [
        of("/mnt/a/data", Stride::Times(16)),
        of("b with blanks", Stride::Times(2)),
        of("c 4", Stride::Times(8)),
        of("d", Stride::Bytes(65536)),
    ];
    assert_eq!((&made.members[..], made.base, made.length), (&expected[..], 4096, 0));
    let strides: Vec<u64> = (0..4).map(|member| made.layout().stride(member)).collect();
    assert_eq!(strides, [65536, 8192, 32768, 65536]);
    assert_eq!(made.files(Path::new("/sets/s.str"))[2], Path::new("/sets/c 4"));
    assert_eq!(Definition::of_columns(&made.text()).expect("its own text"), made);
}

#[test]
fn a_malformed_line_is_an_error_with_its_number() {
    let wrong = |text: &str, words: &str| {
        let found = Definition::of_columns(text.as_bytes()).expect_err(text);
        assert!(found.contains(words), "{text}: {found}");
    };
    wrong("", "no members");
    wrong("# a 1\n\n", "no members");
    wrong("a 1\n\nb\n", "line 3: 'b' is not a file name and a number of blocks of 4 KiB");
    wrong("a 1\nb x\n", "line 2: 'b x' is not");
    wrong("a -1\n", "line 1: 'a -1' is not");
    wrong("a 1 # one\n", "line 1");
    wrong("a 0\n", "line 1: the stride 0x of a is not a multiple of 4096");
    wrong("a 6000B\n", "line 1: the stride 6000 of a");
    wrong("a 99999999999\n", "line 1: the stride 99999999999x of a");
    wrong("a 99999999999999999999\n", "line 1: 'a 99999999999999999999' is not");
    wrong("d/ 1\n", "line 1: 'd/' is no valid path");
    wrong("a\0b 1\n", "no valid path");
    wrong("a 1\nb 1\na 2\n", "line 3: a is a member already, on line 1");
    let long = Definition::of_columns(&[b'a'; 100_000]).expect_err("no number");
    assert!(long.len() < 300, "{long}");
    let many: String = (0..4097).map(|number| format!("m{number} 1\n")).collect();
    wrong(&many, "more than 4096 members");
    assert!(
        Definition::of_columns(&vec![b'\n'; 2 << 20]).expect_err("too long").contains("longer")
    );
}

#[test]
fn a_text_of_words_and_numbers_is_no_definition() {
    let folder = tempfile::tempdir().expect("a folder");
    let is_at = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("write");
        Definition::is_at(&path)
    };
    assert!(!is_at("s.str", "apple 3\npear 4\n"), "no such files");
    assert!(is_at("s.str", "disk/apple 3\npear 4\n"), "a path");
    assert!(!is_at("s.txt", "disk/apple 3\npear 4\n"), "another ending");
    assert!(!is_at("s.str", "disk/apple 3\npear four\n"), "a line that is not one of a member");
    assert!(!is_at("s.str", ""), "no members");
    assert!(is_at("s.str", "sortwell-stripe 2\n/a 4\n"), "a version that cannot be read");
    assert!(!is_at("s.str", "sortwell-stripes\nb\n"), "another word");
    fs::write(folder.path().join("pear"), "").expect("write");
    assert!(is_at("s.str", "apple 3\npear 4\n"), "one of the files");
    fs::create_dir(folder.path().join("plum")).expect("a directory");
    assert!(!is_at("s.str", "apple 3\nplum 4\n"), "a directory is no file");
}

/// Two members, dealt out by hand: blocks of 4 KiB, one and two by turns.
fn written(folder: &Path, length: usize) -> (PathBuf, Vec<u8>) {
    let content: Vec<u8> = (0..length).map(|at| (at / 7 % 251) as u8).collect();
    let mut members = [Vec::new(), Vec::new()];
    for (number, block) in content.chunks(4096).enumerate() {
        members[usize::from(number % 3 > 0)].extend_from_slice(block);
    }
    for (name, member) in ["a", "b"].iter().zip(members) {
        fs::write(folder.join(name), member).expect("write");
    }
    let path = folder.join("set.str");
    fs::write(&path, "a 1\nb 2\n").expect("write");
    (path, content)
}

fn content_of(path: &Path) -> Vec<u8> {
    let file = File::open_stripes(path, Direct::Off).expect("opened");
    let mut content = vec![0; file.len() as usize];
    assert_eq!(file.read_at(&mut content, 0).expect("read"), content.len());
    content
}

#[test]
fn members_have_the_names_in_the_text() {
    let folder = tempfile::tempdir().expect("a folder");
    for length in [1, 4096, 4097, 12_288, 100_001] {
        let (path, content) = written(folder.path(), length);
        assert!(Definition::is_at(&path));
        assert_eq!(Definition::read(&path).expect("read").length, length as u64);
        assert!(content_of(&path) == content, "{length}");
    }
    let (path, _) = written(folder.path(), 0);
    let failed = |words: &str| {
        let error = File::open_stripes(&path, Direct::Off).expect_err(words);
        assert!(error.to_string().contains(words), "{words}: {error}");
    };
    failed("it is empty");
    written(folder.path(), 50_000);
    fs::write(folder.path().join("b"), "short").expect("write");
    failed("as a member of a striped file it should have");
    fs::remove_file(folder.path().join("b")).expect("remove");
    failed("/b");
    assert!(Definition::is_at(&path), "a missing member does not make it text");
}

/// An output gives the text our own form. Files of others stay, also when the set is removed.
#[test]
fn files_in_the_text_are_only_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, old) = written(folder.path(), 30_000);
    let removed = Definition::read(&path).expect("read").remove(&path);
    assert!(matches!(removed, Err(Error::Config { .. })), "{removed:?}");
    let output = StripedOutput::create(&path, Direct::Off).expect("created");
    output.file().write_at(b"new", 0).expect("written");
    assert!(content_of(&path) == old, "until it is finished");
    output.finish(3, false).expect("finished");
    let made = Definition::read(&path).expect("read");
    assert_eq!((made.form, made.base, made.length), (DefinitionForm::Numbered, 4096, 3));
    assert_eq!(content_of(&path), b"new");
    made.remove(&path).expect("removed");
    assert_eq!(fs::read_dir(folder.path()).expect("read").count(), 2, "the two members of before");
    assert_eq!(fs::read(folder.path().join("a")).expect("read").len(), 12_288);
}
