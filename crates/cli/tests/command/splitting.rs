//! Outputs in so many files: which records are in which, by an independent reckoning, for few and
//! many records, files, formats and ways through the library.

use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use crate::harness::{Folder, ended, random_records, signal, sorted_by};

/// How many records each file has: as many as the others, and one more in the first of them where
/// they do not come out even.
fn shares(records: usize, files: usize) -> Vec<usize> {
    let mut shares = vec![0; files];
    for record in 0..records {
        shares[record % files] += 1;
    }
    shares
}

/// Runs a sort that is split, and compares each file; then removes them.
fn check(folder: &Folder, line: &str, (header, records): (&[u8], &[&[u8]]), files: usize) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let child = folder.command(&words).stderr(std::process::Stdio::piped()).spawn();
    let ran = ended(child.expect("start"), Duration::from_secs(60));
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && said.is_empty(), "{line}: {said}");
    let mut rest = records;
    for (number, share) in shares(records.len(), files).into_iter().enumerate() {
        let (own, behind) = rest.split_at(share);
        rest = behind;
        let name = format!("out-{}", number + 1);
        let expected = [header, &own.concat()].concat();
        assert!(folder.read(&name) == expected, "{line}: {name} of {} records", records.len());
        std::fs::remove_file(folder.at(&name)).expect("removed");
    }
    assert_eq!(folder.names(), ["in"], "{line}");
}

/// What a sort is told to leave out, in words and numbers.
const PARTS: [(&str, usize, usize); 5] = [
    ("", 0, usize::MAX),
    ("--limit 1", 0, 1),
    ("--skip 1", 1, usize::MAX),
    ("--skip 1 --limit 2", 1, 2),
    ("--limit 0", 0, 0),
];

/// Those records that are wanted of sorted ones.
fn wanted<'r>(sorted: &[&'r [u8]], skip: usize, limit: usize) -> Vec<&'r [u8]> {
    sorted.iter().skip(skip).take(limit).copied().collect()
}

#[test]
fn few_records_in_few_files() {
    let rows: Vec<Vec<u8>> = (0..6).map(|row| format!("{row},r\n").into_bytes()).collect();
    let formats: [(&str, &[u8]); 3] =
        [("", b""), ("-F csv -k 1", b"n,name\n"), ("-F fixed:4", b"")];
    for (format, header) in formats {
        for count in 0..=rows.len() {
            let folder = Folder::new();
            let sorted: Vec<&[u8]> = rows[..count].iter().map(Vec::as_slice).collect();
            let mut input = header.to_vec();
            sorted.iter().rev().for_each(|row| input.extend_from_slice(row));
            folder.write("in", input);
            for files in [1, 2, 3, 5, 8] {
                let (part, skip, limit) = PARTS[(count + files) % PARTS.len()];
                for (part, skip, limit) in [("", 0, usize::MAX), (part, skip, limit)] {
                    let line = format!("sort {format} {part} --split {files} -o out in");
                    check(&folder, &line, (header, &wanted(&sorted, skip, limit)), files);
                }
            }
        }
    }
}

#[test]
fn many_records_in_few_and_many_files() {
    let folder = Folder::new();
    let data = random_records(300_000, 100);
    folder.write("in", &data);
    let sorted = sorted_by(&data, 100, |record| record[..10].to_vec());
    let sorted: Vec<&[u8]> = sorted.chunks(100).collect();
    for (memory, files, (part, skip, limit)) in [
        ("512MiB", 3, PARTS[0]),
        ("24MiB", 1, PARTS[0]),
        ("24MiB", 7, PARTS[2]),
        ("24MiB", 100, PARTS[0]),
        ("24MiB", 8, PARTS[3]),
        ("512MiB", 5, ("--skip 100000 --limit 3", 100_000, 3)),
        ("24MiB", 5, ("--skip 299998", 299_998, usize::MAX)),
        ("24MiB --merge streams", 5, ("--skip 200000", 200_000, usize::MAX)),
    ] {
        let line = format!("sort -F fixed:100 -k 0..10 -M {memory} -j 2 {part} --split {files}");
        let expected = wanted(&sorted, skip, limit);
        check(&folder, &format!("{line} -o out in"), (b"", &expected), files);
    }
}

/// So many files take hours to make, and the job heeds a signal meanwhile.
#[test]
fn making_files_ends_soon_after_a_signal() {
    let folder = Folder::new();
    folder.write("in", "2\n1\n");
    let child = folder.start("sort --split 1000000000 -o out in");
    std::thread::sleep(Duration::from_millis(500));
    signal(&child, "TERM");
    let ran = ended(child, Duration::from_secs(20));
    assert_eq!(ran.status.signal(), Some(15), "{ran:?}");
    assert_eq!(folder.names(), ["in"]);
}

/// A worker that waits for its turn holds records of several values.
#[test]
fn groups_of_several_workers_go_to_the_files_of_their_values() {
    let folder = Folder::new();
    let letters = || b'a'..=b'z';
    let line = |number: usize| format!("{},{number:06}\n", char::from(b'a' + (number % 26) as u8));
    folder.write("in", (0..300_000).map(line).collect::<String>());
    let sort = "sort -t , -k 1 -k 2 --count --split-by 1 --write-buffer-size 32KiB -o out.txt in";
    folder.run(&format!("{sort} -j 4")).quietly();
    for letter in letters().map(char::from) {
        let name = format!("out-{letter}.txt");
        let content = String::from_utf8(folder.read(&name)).expect("text");
        let is_own = |line: &str| line.trim_start().starts_with(&format!("1 {letter},"));
        assert!(content.lines().all(is_own), "{name}");
        assert!((11_538..=11_539).contains(&content.lines().count()), "{name}");
    }
}

#[test]
fn a_device_is_no_name_for_files() {
    let folder = Folder::new();
    folder.write("in", "2\n1\n");
    for device in ["/dev/null", "/dev/full"] {
        for option in ["--split 2", "-t , --split-by 1"] {
            let said = folder.run(&format!("sort {option} -o {device} in"));
            said.fails(2, &[device, "needs a name for its files"]);
        }
    }
}
