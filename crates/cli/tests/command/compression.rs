//! Compressed inputs and outputs of the command: by name and as said, beside the programs of each
//! format, and what is said where they go wrong.

use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

use crate::harness::{Folder, Said};

/// What a program makes of bytes; `None` where there is no such program.
pub fn through(program: &str, word: &str, input: &[u8]) -> Option<Vec<u8>> {
    let mut command = Command::new(program);
    command.arg(word).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else {
        println!("LEFT OUT: there is no {program}");
        return None;
    };
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("run");
    feeder.join().expect("no panic").expect("fed");
    assert!(output.status.success(), "{program} {word}");
    Some(output.stdout)
}

const PROGRAMS: [(&str, &str); 3] = [("gzip", "gz"), ("zstd", "zst"), ("lz4", "lz4")];

#[test]
fn what_other_programs_compress_is_sorted_to_what_they_expand() {
    let folder = Folder::new();
    for (program, end) in PROGRAMS {
        let (Some(one), Some(two)) =
            (through(program, "-c", b"d\nb\n"), through(program, "-c", b"c\na\n"))
        else {
            continue;
        };
        // Two members or frames in one file.
        folder.write(&format!("in.{end}"), [one, two].concat());
        folder.run(&format!("sort -o out.{end} in.{end}")).quietly();
        let out = folder.read(&format!("out.{end}"));
        assert_eq!(through(program, "-dc", &out).as_deref(), Some(&b"a\nb\nc\nd\n"[..]));
        folder.run(&format!("check out.{end}")).quietly();
        let merged = folder.run(&format!("merge out.{end} out.{end} --unique")).quietly();
        assert_eq!(merged, b"a\nb\nc\nd\n");
        let piped = folder.run_with(&format!("sort --decompress {program}"), &out).quietly();
        assert_eq!(piped, b"a\nb\nc\nd\n");
        let packed = folder.run_with(&format!("sort --compress {program}"), b"b\na\n").quietly();
        assert_eq!(through(program, "-dc", &packed).as_deref(), Some(&b"a\nb\n"[..]));
    }
}

#[test]
fn levels_and_the_account() {
    let folder = Folder::new();
    let line = b"some line or other, many times over\n";
    folder.write("in", line.repeat(40_000));
    folder.run("sort -o fast.gz --compress gzip:1 in").quietly();
    folder.run("sort -o small.zst --compress zstd:19 in").quietly();
    let said = folder.run("sort -o out --stats text fast.gz small.zst");
    assert_eq!(said.status, 0, "{said:?}");
    assert!(folder.read("out") == line.repeat(80_000));
    let packed = folder.read("fast.gz").len() + folder.read("small.zst").len();
    let bytes = said.words.lines().find(|line| line.starts_with("bytes")).expect("a line");
    let kib = format!("2.7 MiB read ({:.1} KiB compressed)", packed as f64 / 1024.0);
    assert!(bytes.contains(&kib) && !bytes.contains("written ("), "{bytes}: {packed}");
    let said = folder.run("sort -o out.lz4 --stats json in");
    let written = format!("\"compressed_written\":{}", folder.read("out.lz4").len());
    assert!(said.words.contains(&written), "{}", said.words);
    assert!(said.words.contains("\"compressed_read\":null"), "{}", said.words);
}

#[test]
fn names_that_only_look_so_are_taken_as_said() {
    let folder = Folder::new();
    folder.write("plain.gz", "b\na\n");
    let refused = &["plain.gz: does not begin as gzip data does", "--decompress off"];
    folder.run("sort plain.gz").fails(3, refused);
    folder.run("check plain.gz").fails(3, refused);
    folder.run("merge plain.gz plain.gz").fails(3, refused);
    folder.run("sort --decompress off --compress off -o out.gz plain.gz").quietly();
    assert_eq!(folder.read("out.gz"), b"a\nb\n");
    folder.run("sort --decompress zstd plain.gz").fails(3, &["as zstd data does"]);
    // GNU sort expands nothing.
    assert_eq!(folder.run("gnu plain.gz").quietly(), b"a\nb\n");
    assert_eq!(folder.names(), ["out.gz", "plain.gz"]);
}

#[test]
fn what_is_damaged_or_misspelt_is_said() {
    let folder = Folder::new();
    folder.write("in", b"b\na\n".repeat(1000));
    folder.run("sort -o a.gz in").quietly();
    let mut packed = folder.read("a.gz");
    folder.write("cut.gz", &packed[..packed.len() - 9]);
    folder.run("sort -o out cut.gz").fails(3, &["cut.gz: ends in the middle of a gzip member"]);
    let end = packed.len() - 5;
    packed[end] ^= 1;
    folder.write("bad.gz", &packed);
    folder.run("sort -o out bad.gz").fails(3, &["bad.gz", "at byte 0", "checksum of its"]);
    folder.run("sort -o out none.gz").fails(4, &["cannot open none.gz"]);
    folder.write("order.gz", through("gzip", "-c", b"a\nc\nb\n").unwrap_or_default());
    if !folder.read("order.gz").is_empty() {
        let said = folder.run("check order.gz");
        let place = "order.gz (decompressed): record 3 at offset 4 is out of order";
        said.fails(1, &[place]);
    }
    let said = folder.run("sort --compress gzip:10 in");
    assert!(said.status == 2 && said.words.contains("use 1 to 9"), "{said:?}");
    let said = folder.run("sort --decompress zip in");
    assert!(said.status == 2 && said.words.contains("not one of auto, off, gzip"), "{said:?}");
    assert!(!folder.names().contains(&"out".to_owned()));
}

#[test]
fn full_disks_and_closed_pipes_are_those_of_plain_outputs() {
    let folder = Folder::new();
    folder.write("in", b"some line\n".repeat(500_000));
    for how in ["gzip", "zstd", "lz4"] {
        let words = format!("sort -o /dev/full --compress {how} in");
        folder.run(&words).fails(4, &["cannot write /dev/full", "No space left"]);
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("open");
        let mut command = folder.command(&["sort", "--compress", how, "in"]);
        let said = Said::from(command.stdout(full).output().expect("run"));
        said.fails(4, &["cannot write standard output", "No space left"]);
    }
    // Noise, as what compresses well fits into the pipe.
    let noise = crate::harness::random_records(60_000, 100);
    let mut child = folder.start("sort -F fixed:100 --compress lz4");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = child.stdout.take().expect("a pipe");
    let feeder = std::thread::spawn(move || stdin.write_all(&noise));
    stdout.read_exact(&mut [0; 4]).expect("a frame begins");
    drop(stdout);
    feeder.join().expect("no panic").expect("all was read");
    let mut plain = folder.start("sort -F fixed:100");
    drop(plain.stdout.take());
    let mut input = plain.stdin.take().expect("a pipe");
    input.write_all(&crate::harness::random_records(60_000, 100)).expect("all is read");
    drop(input);
    let (packed, plain) = (child.wait_with_output(), plain.wait_with_output());
    let (packed, plain) = (packed.expect("run"), plain.expect("run"));
    assert_eq!((packed.status, packed.stderr), (plain.status, plain.stderr));
    assert_eq!(folder.names(), ["in"]);
}

/// What the shell redirects to a file is compressed in place, and left empty by a sort that fails.
#[test]
fn redirected_outputs_are_compressed_in_place() {
    let folder = Folder::new();
    folder.write("in", "b\na\n");
    let to = |name: &str| fs::File::create(folder.at(name)).expect("create");
    let mut command = folder.command(&["sort", "--compress", "zstd", "in"]);
    let said = Said::from(command.stdout(to("out.zst")).output().expect("run"));
    said.quietly();
    assert_eq!(folder.run("sort out.zst").quietly(), b"a\nb\n");
    let packed = folder.read("out.zst");
    folder.write("cut.zst", &packed[..packed.len() - 1]);
    let mut command = folder.command(&["sort", "--compress", "zstd", "cut.zst"]);
    let said = Said::from(command.stdout(to("none.zst")).output().expect("run"));
    said.fails(3, &["cut.zst: ends in the middle of a zstd frame"]);
    assert_eq!(folder.read("none.zst"), b"");
}

/// What other programs make is told by its content, whatever it is called; `None` where there is no
/// such program.
fn foreign_inputs() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let mut inputs = vec![
        ("parquet", b"PAR1\x15\x04\x15\x20\x15\x24".to_vec(), "duckdb -c \"COPY (FROM 'FILE')"),
        ("utf16", b"\xff\xfeb\0\n\0a\0\n\0".to_vec(), "iconv -f UTF-16 -t UTF-8"),
        ("utf16be", b"\xfe\xff\0b\0\n\0a\0\n".to_vec(), "iconv -f UTF-16 -t UTF-8"),
        ("7z", b"7z\xbc\xaf\x27\x1c\0\x04".to_vec(), "7z x -so"),
    ];
    let packed = [("xz", "xz -dc"), ("bzip2", "bzip2 -dc")];
    inputs.extend(packed.into_iter().filter_map(|(program, expand)| {
        Some((program, through(program, "-c", b"b\na\n")?, expand))
    }));
    inputs
}

#[test]
fn what_others_expand_is_refused_by_name_and_content() {
    let folder = Folder::new();
    for (name, bytes, expand) in foreign_inputs() {
        folder.write(name, &bytes);
        for words in ["sort", "merge", "check", "explain", "sort -F csv", "sort -F tsv -k 1"] {
            let expand = expand.replace("FILE", name);
            let said = folder.run(&format!("{words} {name}"));
            said.fails(3, &[&format!("{name}: is "), &expand, "--decompress off"]);
        }
        for words in ["sort", "merge", "check", "sort -F csv"] {
            let said = folder.run_with(words, &bytes);
            said.fails(3, &["standard input: is ", expand]);
        }
        let mut command = folder.command(&["sort"]);
        let file = fs::File::open(folder.at(name)).expect("open");
        let said = Said::from(command.stdin(file).output().expect("run"));
        said.fails(3, &["standard input: is ", expand]);
        // Records of bytes are bytes, and off takes all as they are.
        let raw = folder.run(&format!("sort -F fixed:1 {name}")).quietly();
        assert_eq!(raw.len(), bytes.len());
        assert!(folder.run(&format!("sort --decompress off {name}")).quietly().len() >= raw.len());
        assert!(folder.run(&format!("gnu {name}")).quietly().len() >= raw.len());
    }
}

#[test]
fn what_is_expanded_may_have_any_name_or_none() {
    let folder = Folder::new();
    for (program, _) in PROGRAMS {
        let Some(bytes) = through(program, "-c", b"k\nb\na\n") else { continue };
        folder.write("data", &bytes);
        assert_eq!(folder.run("sort data").quietly(), b"a\nb\nk\n", "{program}");
        assert_eq!(folder.run_with("sort", &bytes).quietly(), b"a\nb\nk\n", "{program}");
        assert_eq!(folder.run_with("sort -F csv -k k", &bytes).quietly(), b"k\na\nb\n");
        assert_eq!(folder.run_with("sort data -", b"c\n").quietly(), b"a\nb\nc\nk\n");
        let groups = folder.run_with("sort -F lines:group=3 -k 2", &bytes).quietly();
        assert_eq!(groups, b"k\nb\na\n", "{program}");
        let sorted = through(program, "-c", b"a\nb\n").expect("a program");
        folder.write("sorted", &sorted);
        assert_eq!(folder.run_with("merge sorted -", &sorted).quietly(), b"a\na\nb\nb\n");
        folder.run("check sorted").quietly();
        folder.run_with("check", &sorted).quietly();
        let mut command = folder.command(&["sort"]);
        let file = fs::File::open(folder.at("data")).expect("open");
        let said = Said::from(command.stdin(file).output().expect("run"));
        assert_eq!(said.quietly(), b"a\nb\nk\n");
        let said = folder.run("sort -F fixed:1 data").quietly();
        assert_eq!(said.len(), bytes.len(), "bytes are taken as they are");
        let raw = folder.run_with("sort --decompress off", &bytes).quietly();
        assert!(raw.len() >= bytes.len());
        folder.run("sort --resume -o out data").fails(2, &["--resume"]);
        folder.write("other.gz", through("xz", "-c", b"a\n").unwrap_or_else(|| b"a\n".to_vec()));
        folder.run("sort other.gz").fails(3, &["other.gz: does not begin as gzip data does"]);
    }
    fs::create_dir(folder.at("dir.gz")).expect("a directory");
    folder.run("sort dir.gz").fails(4, &["cannot read dir.gz: Is a directory"]);
}

#[test]
fn text_that_begins_as_packed_data_does_is_sorted() {
    let folder = Folder::new();
    for first in ["BZh9", "PK", "PK\x03\x04", "PAR1", "7z", "LZIP", "B", "(", "\x04", "P*M"] {
        let text = format!("{first}\n!\n");
        let expected = match first.as_bytes()[0] {
            b'\x04' => text.clone(),
            _ => format!("!\n{first}\n"),
        };
        folder.write("in", &text);
        assert_eq!(folder.run("sort in").quietly(), expected.as_bytes(), "{first:?}");
        assert_eq!(folder.run_with("sort", text.as_bytes()).quietly(), expected.as_bytes());
    }
}

#[test]
fn long_skippable_frames_are_refused_under_any_name_and_in_streams() {
    let folder = Folder::new();
    let frame = [&b"\x50\x2a\x4d\x18"[..], &5000_u32.to_le_bytes(), &[b'\n'; 5000]].concat();
    folder.write("data", &frame);
    let parts = ["begins with a skippable frame", "--decompress zstd", "--decompress off"];
    for words in ["sort", "merge", "check", "sort -F csv", "sort -F lines:group=2"] {
        folder.run(&format!("{words} data")).fails(3, &parts);
        folder.run_with(words, &frame).fails(3, &parts);
    }
    folder.write("plain", "b\na\n");
    let script = r#"mkfifo first second; cat plain > first & cat data > second &
        "$sortwell" sort first second"#;
    folder.script(script).fails(3, &["second: begins with a skippable frame"]);
    let raw = folder.run("sort --decompress off data").quietly();
    assert!(raw.len() >= frame.len());
    folder.run("sort -F fixed:1 data").quietly();
    folder.run("index build data -k 1 -o index").fails(3, &["compressed with zstd or lz4"]);
}

#[test]
fn names_of_formats_that_are_not_written_are_refused() {
    let folder = Folder::new();
    folder.write("in", "b\na\n");
    for end in ["xz", "csv.XZ", "bz2", "zip", "7z", "br", "lzma", "Z", "lzo", "sz", "lz", "parquet"]
    {
        for words in ["sort", "sort --split 2", "merge", "explain", "sort -F fixed:2"] {
            let said = folder.run(&format!("{words} -o out.{end} in"));
            said.fails(2, &["does not write", "--compress off"]);
        }
        folder.run(&format!("generate 2 out.{end}")).fails(2, &["generate does not compress"]);
    }
    folder.run("generate 2 out.gz").fails(2, &["generate does not compress"]);
    assert_eq!(folder.names(), ["in"]);
    folder.run("sort --compress off -o out.xz in").quietly();
    assert_eq!(folder.read("out.xz"), b"a\nb\n");
    folder.run("sort --compress off --split 2 -o part.bz2 in").quietly();
    assert_eq!(folder.read("part-1.bz2"), b"a\n");
    folder.run("sort -o out.z in").quietly();
}
