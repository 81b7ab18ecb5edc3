//! Inputs that say less of themselves than they hold: files of `/proc` and `/sys`.

use std::fs;
use std::path::Path;

use crate::harness::Folder;

/// The lines of a text in order.
fn sorted(text: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    lines.sort_unstable();
    lines.concat()
}

/// Files whose content stays the same for a while, one of each kind that there is here.
fn files() -> Vec<&'static str> {
    let files = [
        "/proc/cpuinfo", // no length, and no end to seek to
        "/proc/filesystems",
        "/proc/sys/kernel/ostype",                     // no length
        "/sys/kernel/mm/transparent_hugepage/enabled", // a page, and less in it
        "/sys/devices/system/cpu/online",
    ];
    files.into_iter().filter(|path| Path::new(path).exists()).collect()
}

#[test]
fn files_without_a_length_are_read_to_their_ends() {
    let folder = Folder::new();
    folder.write("empty", "");
    for path in files() {
        let bytes = |path: &str| fs::read(path).expect("read").len();
        let expected = sorted(&fs::read(path).expect("read"));
        assert!(!expected.is_empty(), "{path}");
        for line in [
            format!("sort {path}"),
            format!("sort empty {path} empty"),
            format!("sort {path} -o out"),
            format!("gnu {path}"),
            format!("gnu --parallel=2 {path}"),
            format!("gnu -S 1K --compress-program gzip {path}"),
        ] {
            let said =
                folder.command(&line.split(' ').collect::<Vec<_>>()).env("LC_ALL", "C").output();
            let said = crate::harness::Said::from(said.expect("run"));
            let out = said.quietly();
            let out = if line.ends_with("-o out") { folder.read("out") } else { out };
            // Speeds of processors change from one look to the next.
            let is_same =
                out == expected || path.ends_with("cpuinfo") && out.len() > bytes(path) / 2;
            assert!(is_same, "{line}: {}", String::from_utf8_lossy(&out));
        }
        let redirected = folder.script(&format!("$sortwell sort < {path}")).quietly();
        assert!(!redirected.is_empty(), "{path}");
        for line in [
            format!("merge {path}"),
            format!("check {path}"),
            format!("gnu -m {path}"),
            format!("gnu -c {path}"),
        ] {
            let said = folder.run(&line);
            let is_in_order = fs::read(path).expect("read") == expected;
            let is_merge = line.contains("merge") || line.contains("-m");
            match is_in_order {
                true => assert_eq!((said.status, said.out.is_empty()), (0, !is_merge), "{line}"),
                false => assert!(said.status <= 3 && said.status >= 0, "{line}: {said:?}"),
            }
        }
        let said = folder.run(&format!("validate {path}"));
        said.fails(3, &["are not a whole number of 100-byte records"]);
    }
    folder.write("list", "/proc/self/environ\0");
    let words = ["sort", "-F", "lines:0", "--files0-from", "list"];
    let output = folder.command(&words).env_clear().env("ONE", "1").env("ANOTHER", "2").output();
    assert_eq!(output.expect("run").stdout, b"ANOTHER=2\0ONE=1\0");
    let words = ["gnu", "-z", "/proc/self/cmdline"];
    let output = folder.command(&words).output().expect("run");
    // The path of the program stands anywhere among the other words.
    let program = env!("CARGO_BIN_EXE_sortwell").as_bytes();
    let mut words = [program, b"gnu", b"-z", b"/proc/self/cmdline"];
    words.sort_unstable();
    let expected = words.map(|word| [word, b"\0"].concat()).concat();
    assert_eq!(output.stdout, expected, "{output:?}");
}

#[test]
fn files_that_are_empty_stay_so() {
    let folder = Folder::new();
    folder.write("empty", "");
    for line in [
        "sort empty",
        "sort empty empty -o out",
        "sort --resume empty -o out",
        "merge empty",
        "check empty",
        "gnu empty",
        "explain empty -o out",
    ] {
        let said = folder.run(line);
        assert_eq!((said.status, said.words.as_str()), (0, ""), "{line}");
    }
    assert_eq!(folder.read("out"), b"");
}
