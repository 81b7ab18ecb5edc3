//! `sortwell index`: building, finding, checking and writing, as a user does it.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::children::measured;
use crate::harness::{Folder, Said, ended};

const ORDERS: &str = "id,city,amount\n3,Oslo,10.50\n1,Rome,2\n2,Bern,-3.25\n4,Oslo,7\n";

/// [`ORDERS`] by city and amount.
const SORTED: &str = "id,city,amount\n2,Bern,-3.25\n4,Oslo,7\n3,Oslo,10.50\n1,Rome,2\n";

/// A folder with an index of [`ORDERS`].
fn orders() -> Folder {
    let folder = Folder::new();
    folder.write("orders.csv", ORDERS);
    folder.run("index build orders.csv -k city -k amount:decimal -o index").quietly();
    folder
}

#[track_caller]
fn assert_prints(folder: &Folder, line: &str, wanted: &str) {
    let printed = folder.run(line).quietly();
    assert_eq!(String::from_utf8_lossy(&printed), wanted, "{line}");
}

#[test]
fn records_by_their_keys() {
    let folder = orders();
    assert_prints(&folder, "index get index Oslo", "4,Oslo,7\n3,Oslo,10.50\n");
    assert_prints(&folder, "index get index Oslo 10.5", "3,Oslo,10.50\n");
    assert_prints(&folder, "index get index Bern -3.25", "2,Bern,-3.25\n");
    assert_prints(&folder, "index get index Oslo --count", "2\n");
    assert_prints(&folder, "index get index Oslo --reverse --limit 1", "3,Oslo,10.50\n");
    assert_prints(
        &folder,
        "index range index --after Bern --before Rome --skip 1",
        "3,Oslo,10.50\n",
    );
    assert_prints(&folder, "index range index --from Oslo --from 8 --to Oslo", "3,Oslo,10.50\n");
    assert_prints(&folder, "index prefix index O --count", "2\n");
    let path = folder.at("orders.csv");
    let line = format!("{}\t37\t13\n", path.display());
    assert_prints(&folder, "index get index Bern --offsets", &line);
    for line in ["index get index Paris", "index get index Paris --limit 0"] {
        let missing = folder.run(line);
        assert_eq!((missing.status, &missing.out[..], &missing.words[..]), (1, &b""[..], ""));
    }
    assert_prints(&folder, "index get index Rome --skip 1", "");
    assert_prints(&folder, "index get index Rome --limit 0", "");
    assert_prints(&folder, "index get index Rome --skip 1 --count", "0\n");
    assert_prints(&folder, "index range index --from Z", "");
}

#[test]
fn paths_of_data_need_not_be_utf_8() {
    let folder = Folder::new();
    let name = OsStr::from_bytes(b"orders \xff.csv");
    fs::write(folder.path().join(name), ORDERS).expect("write");
    let mut build = folder.command(&["index", "build", "-k", "city", "-o", "index"]);
    Said::from(build.args(["-F", "csv"]).arg(name).output().expect("run")).quietly();
    let path = folder.path().join(name);
    let line = [path.as_os_str().as_bytes(), b"\t37\t13\n"].concat();
    assert_eq!(folder.run("index get index Bern --offsets").quietly(), line);
}

/// A word after an option that may stand bare is its value, even if a file has that name.
#[test]
fn a_form_of_statistics_is_no_file() {
    let folder = Folder::new();
    folder.write("orders.csv", ORDERS);
    folder.write("json", ORDERS);
    let said = folder.run("index build orders.csv -k city -o index --stats json");
    assert_eq!(said.status, 0, "{said:?}");
    let statistics: Value = serde_json::from_str(&said.words).expect("JSON");
    assert_eq!(statistics["records"], 4, "the file is not read");
    let said = folder.run("index append index --progress json");
    assert!(said.status == 0 && said.words.starts_with('{'), "{said:?}");
    assert_prints(&folder, "index range index --count", "4\n");
}

#[test]
fn included_columns() {
    let folder = Folder::new();
    folder.write("orders.csv", ORDERS);
    folder.run("index build orders.csv -k city --include id,amount -o index").quietly();
    assert_prints(&folder, "index get index Oslo --included", "3,10.50\n4,7\n");
    folder.write("names.csv", "\"a,b\",\"c\"\"d\",e\n1,2,x\n");
    let build = "index build names.csv -k e --include \"a,b\",\"c\"\"d\" --include e -o names";
    folder.run(build).quietly();
    assert_prints(&folder, "index get names x --included", "1,2,x\n");
    folder.run("index get orders.csv x --included --count").fails(2, &["cannot be used with"]);
    folder.run("index build orders.csv -k city -o index").quietly();
    folder.run("index get index Oslo --included").fails(2, &["the index includes no columns"]);
    folder
        .run("index build orders.csv -k city --include nothing -o other")
        .fails(2, &["'nothing' cannot be included: no column is called 'nothing'"]);
    folder.write("twice.csv", "id,id,1\na,b,c\n");
    folder
        .run("index build twice.csv -F csv -k 1 --include id -o other")
        .fails(2, &["'id' cannot be included: columns 1 and 2 are both called 'id'"]);
    for (part, wanted) in [("1", "a\n"), ("\"1\"", "c\n")] {
        let build = ["index", "build", "twice.csv", "-F", "csv", "-k", "2", "-o", "twice"];
        let mut build = folder.command(&build);
        Said::from(build.args(["--include", part]).output().expect("run")).quietly();
        assert_prints(&folder, "index get twice b --included", wanted);
    }
    folder.write("prefixed", "\0\u{4}abcd");
    folder.run("index build prefixed -F u16be -k 0..1 --include 0..2 -o binary").quietly();
    assert_prints(&folder, "index get binary a --included", "ab\n");
}

#[test]
fn wrong_values_are_named() {
    let folder = orders();
    let wrong = ["'Oslo', 'x' cannot be values of the keys city, amount:decimal", "not a decimal"];
    folder.run("index get index Oslo x").fails(2, &wrong);
    folder.run("index get index a b c").fails(2, &["3 values are given", "has 2 keys"]);
    folder.run("index prefix index Oslo 1").fails(2, &["amount:decimal has no beginnings"]);
}

#[test]
fn values_that_do_not_fit_find_no_other_records() {
    let folder = Folder::new();
    folder.write("lines", "alpha 1\nbeta 2\n");
    folder.write("rows.csv", "n,v\nabcd,1\nabxx,2\nac,3\n");
    folder.run("index build lines -k 1 -o lines.index").quietly();
    folder.run("index build rows.csv -k n[0..2] -o rows.index").quietly();
    assert_prints(&folder, "index get lines.index alpha", "alpha 1\n");
    assert_prints(&folder, "index prefix rows.index ab", "abcd,1\nabxx,2\n");
    for search in ["get", "prefix"] {
        for value in ["alpha omega", "alpha z"] {
            let said =
                folder.script(&format!("\"$sortwell\" index {search} lines.index '{value}'"));
            said.fails(2, &[&format!("no record has '{value}' in the place of the key 1")]);
        }
        let said = folder.run(&format!("index {search} rows.index abzz"));
        said.fails(2, &["no record has 'abzz' in the place of the key n[0..2]"]);
    }
}

#[test]
fn data_that_has_changed_is_refused() {
    let folder = orders();
    folder.write("orders.csv", format!("{ORDERS}5,Oslo,1\n"));
    let grown = ["orders.csv: the file has grown from", "append the new records to the index"];
    folder.run("index get index Oslo").fails(3, &[grown[0], grown[1], "give --stale-ok"]);
    let said = folder.run("index verify index");
    assert!(!said.words.contains("stale"), "{said:?}");
    said.fails(3, &grown);
    folder.run("index verify --stale-ok index").fails(2, &["'--stale-ok'"]);
    assert_prints(&folder, "index get --stale-ok index Rome", "1,Rome,2\n");
    assert_prints(&folder, "index export --stale-ok index", SORTED);
    let info = String::from_utf8(folder.run("index info index").quietly()).expect("text");
    assert!(info.contains("key.2            amount:decimal\n"), "{info}");
    assert!(info.contains("entries          4\n"), "{info}");
    fs::rename(folder.at("orders.csv"), folder.at("moved.csv")).expect("rename");
    for options in ["get index Oslo", "get --stale-ok index Oslo", "verify index"] {
        let said = folder.run(&format!("index {options}"));
        said.fails(4, &["orders.csv", "if the file was moved, build the index again"]);
    }
}

#[test]
fn new_records_are_added() {
    let folder = orders();
    folder.write("orders.csv", format!("{ORDERS}5,Oslo,8\n"));
    folder.write("more.csv", "id,city,amount\n6,Oslo,9\n7,Bern,1\n");
    folder.write("other.csv", "id,town\n6,Oslo\n");
    folder.run("index append index").quietly();
    assert_prints(&folder, "index get index Oslo", "4,Oslo,7\n5,Oslo,8\n3,Oslo,10.50\n");
    folder.run("index append index more.csv -M 64MiB").quietly();
    assert_prints(&folder, "index get index Oslo --skip 1 --limit 2", "5,Oslo,8\n6,Oslo,9\n");
    assert_prints(&folder, "index range index --count", "7\n");
    assert_prints(&folder, "index verify index --temp .", "");
    folder
        .run("index build -k 1 -F csv -o other more.csv ./more.csv")
        .fails(2, &["more.csv is given twice"]);
    folder.run("index append index more.csv").fails(2, &["more.csv is in the index already"]);
    let said = ["other.csv are not those of the index: column 2 is 'town' in the file, and 'city'"];
    folder.run("index append index other.csv").fails(2, &said);
    folder.write("invalid.csv", "id,city,amount\n8,Bern,x\n");
    let said = ["--invalid last of 'sortwell index build'; the index has to be built again"];
    folder.run("index append index invalid.csv").fails(3, &said);
    fs::remove_file(folder.at("invalid.csv")).expect("remove");
    folder.script("ln -s more.csv link; ln orders.csv hard").quietly();
    let said = ["link is in the index already as", "more.csv"];
    folder.run("index append index link").fails(2, &said);
    folder.run("index append index hard").fails(2, &["hard is in the index already as"]);
    folder.script("rm link hard").quietly();
    // A copy of the first file takes its name. It is in the index, and its old inode is not.
    folder.script("ln orders.csv old; cp orders.csv copy; mv copy orders.csv").quietly();
    folder.run("index append index orders.csv").fails(2, &["orders.csv is in the index already"]);
    folder.run("index append index old old").fails(2, &["old is given twice"]);
    folder.run("index append index old").quietly();
    assert_prints(&folder, "index range index --count", "12\n");
    folder.script("rm old").quietly();
    assert_eq!(folder.names(), ["index", "more.csv", "orders.csv", "other.csv"]);
}

#[test]
fn an_append_advises_what_it_can_take() {
    let folder = Folder::new();
    for name in ["a.csv", "b.csv"] {
        folder.write(name, "id,city\n1,Oslo\n");
    }
    folder.run("index build a.csv b.csv -k city -o index").quietly();
    folder.script("printf '2,Bern\n' >> a.csv").quietly();
    for line in ["index append index", "index get index Oslo", "index verify index"] {
        let wanted = "only the last data file may grow; build the index again";
        folder.run(line).fails(3, &["a.csv: the file has grown", wanted]);
    }
    folder.run("index build a.csv -k city --unique -o index").quietly();
    let of_build = "an append has the options of 'sortwell index build'";
    let wrong = [("3,\"B\"x\n", "--quote lenient"), ("3\n", "--ragged keep")];
    for (row, option) in [wrong[0], wrong[1], ("3,Oslo\n", "--unique=first")] {
        folder.write("more.csv", format!("id,city\n{row}"));
        folder.run("index append index more.csv").fails(3, &[option, of_build]);
    }
}

#[test]
fn every_entry_is_compared_with_the_data() {
    let folder = orders();
    assert_prints(&folder, "index verify index", "");
    assert_prints(&folder, "index verify index --temp . --temp .", "");
    let mut bytes = folder.read("index");
    let at = bytes.windows(4).position(|bytes| bytes == b"Rome").expect("the entry");
    bytes[at..at + 4].copy_from_slice(b"Rume");
    folder.write("index", bytes);
    let words = folder.run("index verify index --temp .");
    assert_eq!(words.status, 1, "{words:?}");
    assert!(
        words.words.contains("index: entry 4 is wrong: it does not have the key of the record")
    );
    assert_eq!(folder.names(), ["index", "orders.csv"]);
}

#[test]
fn records_in_the_order_of_an_index() {
    let folder = orders();
    assert_prints(&folder, "index export index", SORTED);
    folder.run("index export index -o out").quietly();
    assert_eq!(folder.read("out"), SORTED.as_bytes());
    folder.script("ln -s index link").quietly();
    for output in ["index", "./index", "link"] {
        let said = folder.run(&format!("index export index -o {output}"));
        said.fails(2, &["is the index; give the output another name"]);
    }
    assert_prints(&folder, "index export index", SORTED);
}

#[test]
fn indexes_that_cannot_be_built_leave_nothing() {
    let folder = Folder::new();
    folder.write("orders.csv", ORDERS);
    folder.write("packed.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03rest");
    folder.write("bad.csv", "id\n1\nx\n");
    folder.write("skippable", b"\x50\x2a\x4d\x18\x04\0\0\0abcd");
    folder.script("seq 9 | \"$sortwell\" sort --compress zstd -o packed.zst").quietly();
    for (name, codec, advice) in [
        ("packed.gz", "gzip", "compress it with bgzip, or expand it"),
        ("packed.zst", "zstd", "expand it first"),
        ("skippable", "zstd or lz4", "expand it first"),
    ] {
        let said = folder.run(&format!("index build {name} -k 1 -o index"));
        let why =
            format!("{name}: it is compressed with {codec}, so its records have no offsets; ");
        said.fails(3, &[&(why + advice + "\n")]);
    }
    folder.run("index build bad.csv -k id:int -o index").fails(3, &["offset 5", "not an int"]);
    folder.run("index build orders.csv -k nothing -o index").fails(2, &["'nothing'"]);
    folder.run("index build orders.csv -o index").fails(2, &["needs a key"]);
    folder.run("index build missing -k 1 -o index").fails(4, &["cannot open missing"]);
    folder.run("index build orders.csv -k city --unique -o index").fails(
        3,
        &[
            "the record at offset 50 has the key of the record at offset 15",
            "--unique=first or --unique=last",
        ],
    );
    folder.run("index build orders.csv -k city -o -").fails(2, &["an index needs the name"]);
    folder.run("index build orders.csv -k city -M 4M -o index").fails(2, &["give at least"]);
    folder.run("index get orders.csv x").fails(3, &["this is no index"]);
    folder
        .run_without_threads("index build orders.csv -k city -o index")
        .fails(4, &["cannot start a scan thread"]);
    assert_eq!(folder.names(), ["bad.csv", "orders.csv", "packed.gz", "packed.zst", "skippable"]);
}

#[test]
fn files_that_are_no_regular_ones_are_refused() {
    let folder = orders();
    folder.script("mkfifo fifo; mkdir dir").quietly();
    for name in ["fifo", "dir"] {
        for action in ["get", "append", "info"] {
            let value = if action == "get" { " x" } else { "" };
            let said = folder.run(&format!("index {action} {name}{value}"));
            said.fails(3, &["this is no index: it is no regular file"]);
        }
    }
    for name in ["fifo", "/dev/null"] {
        let said = folder.run(&format!("index build orders.csv -k city -o {name}"));
        said.fails(2, &["is a pipe or device, and an index is a regular file"]);
    }
    folder.script("cp orders.csv copy; printf 'id,city\n' > short; mv short orders.csv").quietly();
    let said = folder.run("index get index Oslo");
    said.fails(3, &["orders.csv: the file was replaced by a shorter one: from 59 to 8 bytes"]);
}

#[test]
fn control_characters_of_names_are_escaped() {
    let folder = Folder::new();
    folder.write("a\tb\nc.csv", "id,\"x\ny\"\n1,2\n");
    let build = ["index", "build", "a\tb\nc.csv", "-k", "id", "-o", "index"];
    Said::from(folder.command(&build).output().expect("run")).quietly();
    let path = folder.at("a\\tb\\nc.csv");
    let line = format!("{}\t9\t4\n", path.display());
    assert_prints(&folder, "index get index 1 --offsets", &line);
    let info = String::from_utf8(folder.run("index info index").quietly()).expect("text");
    assert!(info.contains("column.2         x\\ny\n"), "{info}");
    assert!(info.contains("a\\tb\\nc.csv\n"), "{info}");
}

#[test]
fn statistics_show_the_whole_budget() {
    let folder = orders();
    let said = folder.run("index build orders.csv -k city -o index -M 64MiB --stats");
    assert!(said.words.contains(", 64 MiB allowed\n"), "{said:?}");
}

/// The included parts of a record may be longer than the record.
#[test]
fn a_budget_that_is_named_suffices_for_long_parts() {
    let folder = Folder::new();
    let row = |number: u32| format!("{number},{}\n", "y".repeat(1_500_000));
    folder.write("in.csv", format!("k,z\n{}", (0..6).map(row).collect::<String>()));
    for target in ["lmdb", "sqlite"] {
        let build = format!("index build in.csv -k k --include z,z,z --to {target} -j2 -o index");
        let said = folder.run(&format!("{build} -M 36MiB"));
        let (least, _) = said.words.split_once(" MiB if each key and included part").expect("more");
        let (_, mib) = least.rsplit_once('(').expect("a number");
        folder.run(&format!("{build} -M {mib}MiB")).quietly();
    }
}

/// A later program may write indexes that this one would read wrongly.
#[test]
fn an_index_of_a_newer_version_is_refused() {
    let folder = orders();
    let mut bytes = folder.read("index");
    let found = bytes.windows(8).filter(|bytes| bytes.starts_with(b"version")).count();
    let at = bytes.windows(8).position(|bytes| bytes == b"version1").expect("the version");
    assert_eq!(found, 1);
    bytes[at + 7] = b'2';
    folder.write("index", &bytes);
    for line in ["get index Oslo", "range index", "prefix index O", "info index", "verify index"]
        .into_iter()
        .chain(["export index", "append index", "get --stale-ok index Oslo"])
    {
        folder.run(&format!("index {line}")).fails(
            3,
            &["index: the index has version 2, and this program reads version 1; build the index \
                 again, or use the program that built it\n"],
        );
    }
    assert!(folder.read("index") == bytes, "it has changed");
    folder.run("index build orders.csv -k city -k amount:decimal -o index").quietly();
    assert_prints(&folder, "index export index", SORTED);
}

/// A build says as much of invalid keys as a sort.
#[test]
fn invalid_keys_of_a_build() {
    let folder = Folder::new();
    folder.write("dates.csv", "id\n1\nx\n2026-11-22\n");
    let said = "sortwell: 2 of 3 records have an invalid key, and come last: column 'id' is not a \
                date, as in 2026-11-22\n";
    let build = "index build dates.csv -o index --invalid last -k id";
    folder.run(&format!("{build}:date")).saying(said);
    folder.run(&format!("{build}:date --resume")).saying(said);
    let said = folder.run(&format!("{build}:uuid")).words;
    let warning =
        "sortwell: warning: column 'id' has no valid value in any record: it is not a UUID";
    assert!(said.contains("3 of 3 records") && said.contains(warning), "{said}");
    folder.run(&format!("{build}:text")).quietly();
}

#[test]
fn rows_that_are_left_out_are_counted() {
    let folder = Folder::new();
    folder.write("in.csv", "id,n\na,1\nb\nc,x\n");
    let build = "index build in.csv -k n:int --invalid last --ragged drop -o index";
    let invalid = "1 of 2 records has an invalid key, and comes last: column 'n' is not an int";
    for options in ["", " --resume"] {
        let said = folder.run(&format!("{build}{options}"));
        let wanted = format!(
            "sortwell: left out 1 row with a different number of cells than the header or first \
             row (--ragged drop)\nsortwell: {invalid}\n"
        );
        assert_eq!((said.status, said.words), (0, wanted), "{options}");
    }
    folder.script("printf 'd\ne,5,6\nf,7\ng,z\n' >> in.csv").quietly();
    let said = folder.run("index append index");
    assert!(said.status == 0 && said.words.contains("left out 2 rows with"), "{said:?}");
    assert!(said.words.contains(invalid) && !said.words.contains("warning"), "{said:?}");
    folder.script("printf 'h,w\n' >> in.csv").quietly();
    let said = folder.run("index append index");
    assert!(!said.words.contains("warning") && !said.words.contains("left out"), "{said:?}");
    assert_prints(&folder, "index range index --count", "5\n");
}

#[test]
fn a_reader_with_enough_ends_it_quietly() {
    let folder = Folder::new();
    folder.write("lines", (0..100_000).map(|number| format!("{number} x\n")).collect::<String>());
    folder.run("index build lines -k 1:int -o index").quietly();
    folder.run("index build lines -k 2 -o texts").quietly();
    let said = folder.script("\"$sortwell\" index range index | head -n 2");
    assert_eq!(String::from_utf8_lossy(&said.quietly()), "0 x\n1 x\n");
    // More than a pipe holds: the reader leaves while it is written to.
    for line in [
        "range index",
        "range index --offsets",
        "range index --reverse",
        "prefix texts x",
        "get texts x",
        "get texts x --offsets",
        "export index",
    ] {
        let mut child = folder.start(&format!("index {line}"));
        let mut pipe = child.stdout.take().expect("a pipe");
        pipe.read_exact(&mut [0; 100]).expect("records");
        drop(pipe);
        let said = Said::from(ended(child, Duration::from_secs(20)));
        assert_eq!((said.status, said.words.as_str()), (0, ""), "{line}");
    }
    // Nothing reads what they print from the beginning.
    for line in [
        "info index",
        "get index 5",
        "get index 5 --count",
        "prefix texts x --limit 1",
        "range index --limit 1",
        "verify index",
        "export index",
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let words: Vec<&str> = ["index"].into_iter().chain(line.split(' ')).collect();
        let said = Said::from(folder.command(&words).stdout(writer).output().expect("run"));
        assert_eq!((said.status, said.words.as_str()), (0, ""), "{line}");
    }
    assert_eq!(folder.names(), ["index", "lines", "texts"]);
}

#[test]
fn the_budget_of_a_build_holds() {
    let folder = Folder::new();
    let row = |number: u64| {
        let key = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let long = if number.is_multiple_of(1000) { "y".repeat(40_000) } else { String::new() };
        format!("{number},{key:020},{long}\n")
    };
    folder.write("rows", (0..400_000).map(row).collect::<String>());
    let mut results = Vec::new();
    for (mib, threads) in [(40, 1), (52, 3), (1000, 2)] {
        let line = format!(
            "index build rows -F csv --no-header -k 2 -k 3 -M {mib}MiB --threads {threads} -o index"
        );
        let (said, peak) = measured(&folder, &line);
        assert_eq!(said.status, 0, "{said:?}");
        assert!(peak <= mib << 20, "{mib} MiB: {peak} bytes");
        results.push(folder.run("index range index --offsets").quietly());
    }
    assert!(results.iter().all(|result| *result == results[0]), "another order");
    let database = "index build rows -F csv --no-header -k 2 -k 3 --to sqlite -o index";
    for (mib, threads) in [(40, 1), (60, 3)] {
        let line = format!("{database} -M {mib}MiB --threads {threads}");
        let (said, peak) = measured(&folder, &line);
        assert_eq!(said.status, 0, "{said:?}");
        assert!(peak <= mib << 20, "{line}: {peak} bytes");
    }
    assert_eq!(folder.names(), ["index", "rows"]);
    // Entries are many times as long as short lines, and with many keys or parts.
    folder.write("empty", "\n".repeat(2_000_000));
    let keys = "-k 1 ".repeat(20);
    let rows = format!("index build rows -F csv --no-header -k 2 --include 2{}", ",1,2".repeat(40));
    let lines = "index build empty -k 1";
    for line in [lines.to_owned(), rows, format!("{lines} {keys}")] {
        for (mib, threads) in [(40, 1), (48, 2)] {
            let line = format!("{line} -M {mib}MiB --threads {threads} -o index");
            let (said, peak) = measured(&folder, &line);
            assert_eq!(said.status, 0, "{said:?}");
            assert!(peak <= mib << 20, "{line}: {peak} bytes");
        }
    }
}

#[test]
fn a_killed_build_leaves_no_index() {
    let folder = Folder::new();
    folder.write("rows", (0..300_000).map(|number| format!("{number}\n")).collect::<String>());
    let words = ["index", "build", "rows", "-k", "1:int:desc", "-o", "index", "-M", "40MiB"];
    for round in 0..8 {
        let mut child = folder.command(&words).spawn().expect("start");
        sleep(Duration::from_millis(7 * round * round));
        child.kill().expect("kill");
        let status = child.wait().expect("wait");
        if status.success() {
            break; // This machine is fast.
        }
        assert!(!folder.at("index").exists(), "round {round}");
    }
    folder.write("index", "old");
    folder.script("timeout -s INT 0.05 \"$sortwell\" index build rows -k 1:int:desc -o index");
    let is_whole = folder.read("index") == b"old" || folder.run("index info index").status == 0;
    assert!(is_whole, "an interrupted build left a part");
    folder.run("index build rows -k 1:int:desc -o index").quietly();
    assert_prints(&folder, "index range index --limit 1", "299999\n");
    assert_eq!(folder.names(), ["index", "rows"]);
}

/// Settings of the sort of a build change its temporary files, and no answer.
#[test]
fn settings_of_the_sort_of_a_build() {
    let folder = Folder::new();
    folder.run("generate sales 100000 sales.csv").quietly();
    let build = "index build sales.csv -k store_id:int -k prod_id:int -M 64MiB -o";
    let said = folder.run(&format!("{build} plain --stats json"));
    assert_eq!(said.status, 0, "{said:?}");
    let plain: Value = serde_json::from_str(&said.words).expect("JSON");
    assert_eq!((&plain["runs"], &plain["records"]), (&0.into(), &100_000.into()));
    assert_eq!(plain["job"]["output"], "plain");
    assert!(plain["timeline"].is_object() || plain["timeline"].is_array(), "{plain}");
    let options = "--run-size 1MiB --io sync --direct off --overlap sync --write-buffers 8 \
                   --write-buffer-size 64KiB --merge-width 2 --report report.html";
    let said = folder.run(&format!("{build} other --stats json {options}"));
    assert_eq!(said.status, 0, "{said:?}");
    let other: Value = serde_json::from_str(&said.words).expect("JSON");
    assert_eq!((&other["engine"], &other["merge_width"]), (&"sync".into(), &2.into()), "{other}");
    assert!(other["runs"].as_u64() >= Some(3) && other["passes"].as_u64() >= Some(3), "{other}");
    let found = |index: &str| folder.run(&format!("index range {index} --offsets")).quietly();
    assert!(found("plain") == found("other"));
    assert!(folder.read("report.html").starts_with(b"<!DOCTYPE html>"));
    folder.run(&format!("{build} plain --direct input=off")).fails(2, &["auto, on, off"]);
    assert_eq!(folder.names(), ["other", "plain", "report.html", "sales.csv"]);
}
