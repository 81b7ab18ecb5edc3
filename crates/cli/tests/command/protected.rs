//! Outputs that have no write permission: refused, and replaced where that is asked for.

use crate::harness::{Folder, Said, left_out};

/// Runs a script in which `$as` starts a command as a user whom permissions bind.
fn script(folder: &Folder, script: &str) -> Option<Said> {
    let is_root = folder.script("test $(id -u) = 0").status == 0;
    let user = if is_root { "setpriv --reuid 65534 --regid 65534 --clear-groups" } else { "" };
    if folder.script(&format!("{user} true")).status != 0 {
        left_out("permissions do not bind this user, and it cannot become another");
        return None;
    }
    Some(folder.script(&format!("as=\"{user}\"; chmod 777 .; {script}")))
}

#[test]
fn an_output_without_write_permission_is_refused_unless_forced() {
    for (line, file) in [
        ("sort in -o out", "out"),
        ("merge in -o out", "out"),
        ("sort --split 2 in -o out.txt", "out-2.txt"),
        ("sort -t , --split-by 1 -k 1 in -o out.txt", "out-b.txt"),
        ("generate 1 out", "out"),
        ("sort in -o link", "out"),
        ("sort in -o sorted --report page.html", "page.html"),
        ("merge in -o merged --report page.html", "page.html"),
        ("index build in -k 1 -o index --report page.html", "page.html"),
        ("validate in -o summary", "summary"),
        ("stripe copy in out", "out"),
        ("bench datamation --records 1000 --runs 1 --json found.json", "found.json"),
        ("bench datamation --records 1000 --runs 1 --report page.html", "page.html"),
    ] {
        let folder = Folder::new();
        // A sorted file of lines, and of records of 100 bytes.
        folder.write("in", ["a\n".repeat(25), "b\n".repeat(25)].concat());
        folder.write(file, "old");
        std::os::unix::fs::symlink("out", folder.at("link")).expect("link");
        let run = format!("chmod 444 {file}; cp $sortwell run; chmod 755 run; $as ./run {line}");
        let Some(said) = script(&folder, &run) else { return };
        said.fails(4, &["cannot replace", "no write permission", "--force"]);
        assert_eq!(folder.read(file), b"old", "{line}");
        assert!(!folder.at("out-1.txt").exists() && !folder.at("out-a.txt").exists(), "{line}");
        let Some(said) = script(&folder, &format!("$as ./run {line} --force")) else { return };
        assert_eq!(said.status, 0, "{line}: {said:?}");
        assert_ne!(folder.read(file), b"old", "{line}");
    }
}

#[test]
fn an_export_of_an_index_has_a_protected_output_too() {
    let folder = Folder::new();
    folder.write("in", "b\na\n");
    folder.write("out", "old");
    let build =
        "chmod 444 out; cp $sortwell run; chmod 755 run; $as ./run index build in -k 1 -o index";
    let export = "$as ./run index export index -o out";
    let Some(said) = script(&folder, &format!("{build} && {export}")) else { return };
    said.fails(4, &["cannot replace out", "no write permission", "--force"]);
    assert_eq!(folder.read("out"), b"old");
    let Some(said) = script(&folder, &format!("{export} --force")) else { return };
    said.quietly();
    assert_eq!(folder.read("out"), b"a\nb\n");
}

/// Reading an index writes nothing next to it, also where that is forbidden.
#[test]
fn indexes_in_a_directory_without_write_permission() {
    let folder = Folder::new();
    folder.write("in", "b 2\na 1\n");
    let build = "mkdir closed; cp in closed/data; cp $sortwell run; chmod 755 run; \
                 ./run index build closed/data -k 1 -k 2:int -o closed/index; \
                 chmod 444 closed/*; chmod 555 closed";
    let lines = [
        ("get closed/index a", "a 1\n"),
        ("range closed/index --from b", "b 2\n"),
        ("prefix closed/index b --count", "1\n"),
        ("export closed/index", "a 1\nb 2\n"),
        ("verify closed/index", ""),
    ];
    let Some(said) = script(&folder, build) else { return };
    said.quietly();
    let names = ["data", "index"];
    for (line, wanted) in lines {
        // What is read may be on a disk that is full or may only be read: other directories are
        // for temporary files.
        let run = format!("mkdir -p tmp; chmod 777 tmp; TMPDIR=tmp $as ./run index {line}");
        let Some(said) = script(&folder, &run) else { return };
        assert_eq!(String::from_utf8_lossy(&said.quietly()), wanted, "{line}");
        assert_eq!(names_in(&folder, "closed"), names, "{line}");
        assert_eq!(names_in(&folder, "tmp"), [""; 0], "{line}");
    }
    let Some(said) = script(&folder, "$as ./run index append closed/index") else { return };
    said.fails(4, &["closed/index"]);
    assert_eq!(names_in(&folder, "closed"), names);
}

/// Returns the names in a directory of a folder, in order.
fn names_in(folder: &Folder, directory: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder.at(directory)).expect("list");
    let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.map(|entry| name(entry.expect("entry"))).collect();
    names.sort();
    names
}

#[test]
fn a_file_sorted_in_place_is_an_output_too() {
    let folder = Folder::new();
    folder.write("in", "b\na\n");
    let run = "chmod 444 in; cp $sortwell run; chmod 755 run; $as ./run sort --in-place in";
    let Some(said) = script(&folder, run) else { return };
    said.fails(4, &["no write permission"]);
    assert_eq!(folder.read("in"), b"b\na\n");
}

#[test]
fn gnu_says_what_gnu_sort_says() {
    let folder = Folder::new();
    folder.write("in", "b\na\n");
    folder.write("out", "old");
    let run = "chmod 444 out; cp $sortwell run; chmod 755 run; $as ./run gnu in -o out";
    let Some(said) = script(&folder, run) else { return };
    assert_eq!(said.status, 2);
    assert_eq!(said.words, "sort: open failed: out: Permission denied\n");
    assert_eq!(folder.read("out"), b"old");
}
