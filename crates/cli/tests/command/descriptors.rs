//! Descriptors that were open, or closed, when the command began, and names that mean them.

use std::fs;

use crate::harness::{Folder, Said, random_records};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("in", "b\na\nc\n");
    folder
}

fn out(said: &Said) -> String {
    String::from_utf8_lossy(&said.out).into_owned()
}

/// What is written to a descriptor comes where that stands, and what others wrote there stays.
#[test]
fn outputs_that_are_descriptors() {
    let folder = folder();
    std::os::unix::fs::symlink("/dev/stdout", folder.at("link")).expect("link");
    let expected = "header\na\nb\nc\nfooter\n";
    for (line, to) in [
        ("$sortwell sort in -o /dev/stdout", "> o"),
        ("$sortwell sort in -o link", "> o"),
        ("$sortwell sort in -o /dev/fd/1", "> o"),
        ("$sortwell sort in -o /proc/self/fd/1", "> o"),
        ("$sortwell sort in -o /dev/fd/7", "7> o >&7"),
        ("$sortwell sort in -o /dev/stderr 2>&1", "> o"),
        ("$sortwell merge --verify off in -F fixed:2 -o /dev/stdout | sort", ">> o"),
        ("$sortwell sort in | $sortwell merge -o /dev/fd/1", "> o"),
        ("gnu in -o /dev/stdout", "> o"),
        ("gnu in -o /dev/fd/1 --parallel=2", ">> o"),
        ("gnu -m <(gnu in) -o link", "> o"),
    ] {
        let _ = fs::remove_file(folder.at("o"));
        let said = folder.script(&format!("{{ echo header; {line}; echo footer; }} {to}"));
        assert_eq!((said.status, said.words.as_str()), (0, ""), "{line} {to}");
        assert_eq!(String::from_utf8_lossy(&folder.read("o")), expected, "{line} {to}");
    }
    assert_eq!(folder.names(), ["in", "link", "o"]);
    let line = "{ echo header; $sortwell generate 10 /dev/stdout; echo footer; } > o";
    folder.script(line).quietly();
    assert_eq!(folder.read("o").len(), 7 + 1000 + 7);
    // Statistics of one job, and the page of another, as a descriptor is shared by both.
    let line = "exec 5> pages; $sortwell sort --report /dev/fd/5 in -o o; \
                $sortwell validate - < /dev/null -o /dev/fd/5";
    folder.script(line);
    let pages = folder.read("pages");
    assert!(pages.starts_with(b"<!"), "a page comes first");
    assert!(!pages.ends_with(b">\n"), "the summary follows");
}

/// What spills goes where temporary files go, not into the directory of devices.
#[test]
fn runs_of_descriptors_and_devices_lie_elsewhere() {
    let folder = folder();
    folder.write("big", random_records(400_000, 100));
    let sort = "$sortwell sort -F fixed:100 -M 28MiB big";
    for to in ["/dev/null", "/dev/stdout > o", "/dev/fd/5 5> o"] {
        let before = fs::read_dir("/dev").expect("list").count();
        let script = format!("chmod a-w . ; {sort} --stats text -o {to}");
        let said = folder.script(&format!("mkdir t; export TMPDIR=t; {script}"));
        assert!(said.words.contains("2 passes"), "{to}: {}", said.words);
        assert_eq!(fs::read_dir("/dev").expect("list").count(), before, "{to}");
        assert_eq!(fs::read_dir(folder.at("t")).expect("list").count(), 0, "{to}");
        folder.script("chmod u+w .");
    }
    // An empty name names no directory.
    let said = folder.script(&format!("export TMPDIR=; {sort} --stats text -o /dev/null"));
    assert!(said.words.contains("2 passes"), "{}", said.words);
    for option in ["--resume", "--split 2"] {
        folder.script(&format!("{sort} {option} -o /dev/stdout > o")).fails(2, &[]);
    }
}

/// What is read comes from where the descriptor stands.
#[test]
fn inputs_that_are_descriptors() {
    let folder = folder();
    for (line, expected) in [
        ("{ read -r x; $sortwell sort /dev/stdin; } < in", "a\nc\n"),
        ("{ read -r x; $sortwell sort /dev/fd/3 <&-; } 3< in <&3", "a\nc\n"),
        ("{ read -r x; gnu /dev/stdin; } < in", "a\nc\n"),
        ("{ read -r x; gnu -c /dev/stdin; } < in", ""),
        ("{ read -r x; gnu -m /dev/stdin; } < in", "a\nc\n"),
        ("{ read -r x; $sortwell merge --verify off /dev/stdin; } < in", "a\nc\n"),
        ("{ read -r x; $sortwell check /dev/stdin; } < in", ""),
        ("$sortwell sort /dev/stdin < in", "a\nb\nc\n"),
        ("$sortwell sort /dev/fd/5 5< in", "a\nb\nc\n"),
        ("cat in | $sortwell sort /dev/stdin", "a\nb\nc\n"),
        ("cat in | gnu /proc/self/fd/0", "a\nb\nc\n"),
        (
            "printf 'x\nin' > l; { read -r x; $sortwell sort --files0-from /dev/stdin; } < l",
            "a\nb\nc\n",
        ),
        ("printf 'x\nin' > l; { read -r x; gnu --files0-from /dev/stdin; } < l", "a\nb\nc\n"),
    ] {
        let said = folder.script(line);
        assert_eq!((said.status, out(&said).as_str(), &*said.words), (0, expected, ""), "{line}");
    }
    let said = folder.script("$sortwell sort /dev/fd/9");
    said.fails(4, &["cannot open /dev/fd/9: No such file"]);
}

#[test]
fn a_closed_output_is_an_error() {
    let folder = folder();
    folder.write("records", random_records(10, 100));
    let names = folder.names();
    for line in [
        "sort in",
        "sort in -o -",
        "sort in -o /dev/stdout",
        "sort in -o /dev/fd/1",
        "sort in --compress gzip",
        "merge --verify off records -F fixed:100",
        "generate 10 -",
        "generate 10 /dev/stdout",
        "validate records -o /dev/stdout",
        "explain in -o out",
        "spill clean .",
        "completions bash",
        "man",
        "reference",
        "--help",
        "sort --help",
        "--version",
    ] {
        let said = folder.script(&format!("$sortwell {line} >&-"));
        let part = ["cannot write ", "Bad file descriptor"];
        said.fails(4, &part);
        assert_eq!(folder.names(), names, "{line}");
    }
    let write_failed = "sort: write failed: 'standard output': Bad file descriptor\n\
                        sort: write error\n";
    for (line, words) in [
        ("gnu in >&-", write_failed),
        ("gnu in --parallel=2 >&-", write_failed),
        ("gnu -m in in >&-", write_failed),
        ("gnu --help >&-", "sort: write error: Bad file descriptor\n"),
    ] {
        let said = folder.script(line);
        assert_eq!((said.status, said.words.as_str()), (2, words), "{line}");
    }
    let said = folder.script("gnu --debug in >&-");
    assert!(said.status == 2 && said.words.ends_with("write error\n"), "{said:?}");
    // What writes nothing there does not mind.
    folder.script("$sortwell sort in -o out >&- <&-").quietly();
    folder.script("gnu in -o out >&- <&-").quietly();
    folder.script("$sortwell check out >&- <&-").quietly();
    assert_eq!(folder.read("out"), b"a\nb\nc\n");
    // One that was opened as /dev/null is not closed, however it was opened.
    folder.script("$sortwell sort in 1<> /dev/null").quietly();
    folder.script("$sortwell --help 1<> /dev/null").quietly();
}

#[test]
fn a_closed_input_is_an_error_where_it_is_read() {
    let folder = folder();
    for line in [
        "sort",
        "sort -",
        "sort in -",
        "sort /dev/stdin",
        "sort --decompress gzip",
        "sort --files0-from -",
        "merge in -",
        "check -",
        "validate -",
        "validate -s -",
        "report - -o page",
    ] {
        let said = folder.script(&format!("$sortwell {line} <&-"));
        said.fails(4, &["cannot read ", "Bad file descriptor"]);
    }
    let failed = "sort: read failed: -: Bad file descriptor\n";
    let no_names = "sort: cannot read file names from '-'\n";
    for (line, words) in [
        ("gnu <&-", failed),
        ("gnu -c <&-", failed),
        ("gnu -m - in <&-", failed),
        ("gnu --files0-from=- <&-", no_names),
    ] {
        let said = folder.script(line);
        assert_eq!((said.status, said.words.as_str()), (2, words), "{line}");
    }
    assert_eq!(folder.names(), ["in"]);
}

/// What is said meanwhile does not end up in a file that got the number of a closed stream.
#[test]
fn closed_streams_do_not_spoil_files() {
    let folder = folder();
    for closed in ["2>&-", "<&- 2>&-", "<&- >&- 2>&-"] {
        let stats = "--stats json --progress json";
        for line in [
            format!("$sortwell sort in {stats} -o out {closed}"),
            format!("$sortwell sort in {stats} -M 64MiB -T . -o out {closed}"),
            format!("gnu --debug in > out {}", closed.replace(">&- ", "")),
            format!("gnu in -o out {closed}"),
        ] {
            let said = folder.script(&line);
            assert_eq!(said.status, 0, "{line}");
            let lines = folder.read("out");
            let is_shown = line.contains("debug");
            assert!(is_shown || lines == b"a\nb\nc\n", "{line}");
            assert!(!lines.windows(4).any(|part| part == b"sort"), "{line}");
        }
    }
    assert_eq!(folder.script("$sortwell check in 2>&-").status, 1);
    assert_eq!(folder.script("$sortwell sort nowhere 2>&-").status, 4);
    assert_eq!(folder.script("$sortwell sort --nothing 2>&-").status, 2);
}

/// Words that cannot be said change no status; data that cannot be printed is an error.
#[test]
fn full_devices() {
    let folder = folder();
    folder.write("records", random_records(10, 100));
    for (line, status) in [
        ("sort in --stats json -o out", 0),
        ("sort in --stats text -o out", 0),
        ("sort in --progress json -o out", 0),
        ("sort in --progress always -o out", 0),
        ("sort in -M 100TiB -o out", 0),
        ("merge out --stats json -o out", 0),
        ("check in", 1),
        ("check out", 0),
        ("generate -c 10 out2", 0),
        ("validate out2", 1),
        ("sort nowhere", 4),
        ("sort --nothing", 2),
        ("gnu --debug out", 0),
        ("gnu -c in", 1),
        ("gnu nowhere", 2),
    ] {
        let said = folder.script(&format!("$sortwell {line} 2> /dev/full"));
        assert_eq!(said.status, status, "{line}");
    }
    assert_eq!(folder.read("out"), b"a\nb\nc\n");
    fs::create_dir(folder.at("config/sortwell"))
        .or_else(|_| fs::create_dir_all(folder.at("config/sortwell")))
        .expect("folder");
    folder.write("config/sortwell/machine.toml", "no profile");
    let line = "XDG_CONFIG_HOME=config $sortwell sort in -o out 2> /dev/full";
    assert_eq!(folder.script(line).status, 0);
    for line in [
        "sort in",
        "explain in -o out",
        "explain --form json in -o out",
        "spill clean .",
        "completions bash",
        "man sort",
        "reference",
        "--help",
        "help sort",
        "--version",
        "generate 10 -",
        "validate out2 -o /dev/stdout",
    ] {
        let said = folder.script(&format!("$sortwell {line} > /dev/full"));
        said.fails(4, &["cannot write ", "No space left"]);
    }
    for line in ["gnu in", "gnu --help", "gnu --version", "gnu --debug in", "gnu -m in in"] {
        let said = folder.script(&format!("{line} > /dev/full"));
        assert!(said.status == 2 && said.words.contains("write error"), "{line}: {said:?}");
    }
}
