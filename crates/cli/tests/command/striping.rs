//! Striped files through the command: made, filled, sorted, read as one file, looked at, removed.

use crate::harness::{Folder, random_records, sorted_by};

#[test]
fn a_striped_file_from_first_to_last() {
    let folder = Folder::new();
    for name in ["a", "b", "c"] {
        std::fs::create_dir(folder.at(name)).expect("a directory");
    }
    let data = random_records(30_000, 100);
    folder.write("in", &data);
    folder.run("stripe create set.str a b c/third --strides 2x,3x,64KiB --base 4096").quietly();
    folder.run("stripe create set.str a").fails(2, &["set.str is there already", "remove"]);
    folder.run("stripe cat set.str").fails(3, &["set.str", "empty"]);
    folder.run("stripe copy in set.str").quietly();
    let said = folder.run("stripe info set.str").quietly();
    let said = String::from_utf8(said).expect("text");
    assert!(said.contains("3000000 bytes, 3 members"), "{said}");
    assert!(said.contains("stride 12 KiB"), "{said}");
    assert_eq!(folder.run("stripe cat set.str").quietly(), data);
    folder.run("sort -F fixed:100 -k 0..10 set.str -o set.str").quietly();
    let expected = sorted_by(&data, 100, |record| record[..10].to_vec());
    assert_eq!(folder.run("stripe cat set.str").quietly(), expected);
    folder.run("check -F fixed:100 -k 0..10 set.str").quietly();
    folder.run("merge -F fixed:100 -k 0..10 set.str set.str -o twice").quietly();
    assert_eq!(folder.read("twice").len(), 2 * expected.len());
    let said = folder.run("stripe check set.str").quietly();
    assert!(String::from_utf8_lossy(&said).contains("3 members"));
    folder.run("stripe copy set.str plain").quietly();
    assert_eq!(folder.read("plain"), expected);
    let third = folder.at("c").read_dir().expect("read").next().expect("a member").expect("read");
    std::fs::write(third.path(), "short").expect("write");
    folder.run("stripe check set.str").fails(3, &["third~", "should have", "and has 5"]);
    folder.run("sort set.str -o out").fails(3, &["third~", "should have"]);
    folder.run("stripe remove set.str").quietly();
    let left = |name: &str| folder.at(name).read_dir().expect("read").count();
    assert_eq!((left("a"), left("b"), left("c")), (0, 0, 0));
    assert_eq!(folder.names(), ["a", "b", "c", "in", "plain", "twice"]);
}

#[test]
fn what_cannot_be_striped_is_refused() {
    let folder = Folder::new();
    folder.run("stripe create x.str m n --strides 1x,2x,3x").fails(2, &["3 values for 2 members"]);
    folder.run("stripe create x.str m --strides 5000").fails(2, &["multiple of 4096"]);
    folder.run("stripe create x m").fails(2, &["ends in .str"]);
    folder.run("stripe create x.str m m").fails(2, &["twice"]);
    let said = folder.run("stripe create x.str m --strides wide");
    assert!(said.status == 2 && said.words.contains("'wide'"), "{said:?}");
    folder.run("stripe info nowhere.str").fails(4, &["nowhere.str"]);
    folder.write("text", "lines\n");
    folder.run("stripe cat text").fails(3, &["text", "no stripe file"]);
    folder.run("stripe create x.str nowhere/m").quietly();
    folder.run("stripe copy text x.str").fails(4, &["nowhere"]);
    std::fs::remove_file(folder.at("x.str")).expect("removed");
    folder.run("stripe create x.str m n").quietly();
    folder.run("sort text --compress zstd -o x.str").fails(2, &["x.str", "not compressed"]);
    folder.run("sort text --split 2 -o x.str").fails(2, &["x.str", "split"]);
    folder.run("sort text --resume -o x.str").fails(2, &["--resume", "one file"]);
    folder.run("sort x.str --in-place").fails(3, &["x.str", "empty"]);
    folder.run("stripe copy text x.str").quietly();
    folder.run("sort x.str --in-place").fails(2, &["--in-place"]);
    assert_eq!(folder.run("stripe cat x.str").quietly(), b"lines\n");
    folder.run("stripe remove x.str").quietly();
    assert_eq!(folder.names(), ["text"]);
}
