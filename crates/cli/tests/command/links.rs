//! Symbolic links as outputs and as directories: they are followed, and stay.

use std::fs;
use std::os::unix::fs::symlink;

use crate::harness::{Folder, random_records};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("in", random_records(1000, 100));
    folder
}

/// Whether a name is a symbolic link.
fn is_link(folder: &Folder, name: &str) -> bool {
    fs::symlink_metadata(folder.at(name)).expect("look").is_symlink()
}

#[test]
fn a_directory_may_be_a_link() {
    let folder = folder();
    fs::create_dir(folder.at("real")).expect("folder");
    symlink("real", folder.at("link")).expect("link");
    folder.write("big", random_records(180_000, 100));
    for line in [
        "sort -F fixed:100 in -o link/out",
        "sort -F fixed:100 -M 28MiB -T link big -o link/out",
        "sort -F fixed:100 --split 2 in -o link/out",
        "sort -F fixed:100 --resume in -o link/out",
        "sort -F fixed:100 --report link/page.html in -o out",
        "merge --verify off -F fixed:1 in -T link -o link/out",
        "generate 100 link/out",
        "gnu in -o link/out",
        "gnu -S 1M -T link big -o link/out",
        "gnu --debug -S 1M -T link big",
        "gnu -S 1M -T link --compress-program gzip big -o link/out",
        "spill clean link",
        "spill list link",
    ] {
        let said = folder.run(line);
        assert_eq!(said.status, 0, "{line}: {}", said.words);
    }
    let litter = folder.at("real/.out.sortwell-2000000000-0123456789abcdef.tmp");
    fs::write(&litter, "half").expect("write");
    folder.run("sort -F fixed:100 in -o link/out").quietly();
    assert!(!litter.exists(), "what a killed sort left is removed behind the link, too");
}

#[test]
fn the_target_of_a_dangling_link_is_made() {
    let folder = folder();
    fs::create_dir(folder.at("real")).expect("folder");
    folder.run("sort -F fixed:100 in -o expected").quietly();
    for line in
        ["sort -F fixed:100 in", "sort -F fixed:100 --resume in", "merge -F fixed:100 expected"]
    {
        let _ = fs::remove_file(folder.at("real/out"));
        let _ = fs::remove_file(folder.at("link"));
        symlink("second", folder.at("link")).expect("link");
        let _ = symlink("real/out", folder.at("second"));
        folder.run(&format!("{line} -o link")).quietly();
        assert!(is_link(&folder, "link") && is_link(&folder, "second"), "{line}");
        assert_eq!(folder.read("real/out"), folder.read("expected"), "{line}");
    }
    for line in ["generate 10 link", "gnu in -o link", "validate in -o link"] {
        fs::remove_file(folder.at("real/out")).expect("remove");
        folder.run(line);
        assert!(is_link(&folder, "second"), "{line}");
        assert!(folder.at("real/out").is_file(), "{line}");
    }
    assert_eq!(fs::read_dir(folder.at("real")).expect("list").count(), 1, "nothing is left");
}

#[test]
fn split_outputs_go_where_links_point() {
    let folder = folder();
    folder.run("sort -F fixed:100 --split 2 in -o out").quietly();
    let name = folder.names().into_iter().find(|name| name.starts_with("out-")).expect("a part");
    let part = folder.read(&name);
    fs::remove_file(folder.at(&name)).expect("remove");
    symlink("elsewhere", folder.at(&name)).expect("link");
    folder.run("sort -F fixed:100 --split 2 in -o out").quietly();
    assert!(is_link(&folder, &name));
    assert_eq!(folder.read("elsewhere"), part);
}

#[test]
fn links_that_lead_in_a_circle_are_refused() {
    let folder = folder();
    symlink("b", folder.at("a")).expect("link");
    symlink("a", folder.at("b")).expect("link");
    let names = folder.names();
    for line in [
        "sort -F fixed:100 in -o a",
        "sort -F fixed:100 --resume in -o a",
        "sort -F fixed:100 in -o out --report a",
        "merge -F fixed:100 in -o a",
        "generate 10 a",
    ] {
        folder.run(line).fails(4, &["a: Too many levels of symbolic links"]);
        assert_eq!(folder.names(), names, "{line}");
    }
    let said = folder.run("gnu in -o a");
    assert_eq!(said.words, "sort: open failed: a: Too many levels of symbolic links\n");
    assert_eq!((said.status, folder.names()), (2, names));
}
