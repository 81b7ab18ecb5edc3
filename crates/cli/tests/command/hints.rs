//! Words that people bring from other programs: what is said of them, and what is understood.

use crate::harness::{Folder, Said};

const LINES: &str = "b 10\na 9\nc 1\n";

#[track_caller]
fn said(line: &str) -> Said {
    let folder = Folder::new();
    folder.write("in", LINES);
    folder.write("in.csv", "name;size\nb;10\na;9\n");
    folder.run(line)
}

#[track_caller]
fn refused(line: &str, parts: &[&str]) {
    said(line).fails(2, parts);
}

#[test]
fn options_of_gnu_sort_lead_to_its_command_line() {
    for options in [
        "-n",
        "-rn",
        "-c",
        "-V",
        "-f",
        "-b",
        "-d",
        "-g",
        "-i",
        "-R",
        "-s",
        "-z",
        "-m",
        "-nr",
        "-rh",
        "-hr",
        "-M",
        "-C",
        "-S 1G",
        "-k2,2n",
        "-k2,2n -u",
        "-t, -k2n",
        "-k 2.3,2.5",
        "-rf",
    ] {
        let line = format!("sort {options} in");
        refused(&line, &[&format!("GNU sort options: use `sortwell gnu {options} in`")]);
    }
    refused("merge -n in in", &["GNU sort options: use `sortwell gnu -m -n in in`"]);
    refused("check -n in", &["GNU sort options: use `sortwell gnu -c -n in`"]);
    refused("sort --numeric-sort in", &["--key 2:decimal", "use `sortwell gnu --numeric-sort in`"]);
}

#[test]
fn options_that_both_have_are_taken() {
    assert_eq!(said("sort -r in").quietly(), b"c 1\nb 10\na 9\n");
    assert_eq!(said("sort -u in in").quietly(), b"a 9\nb 10\nc 1\n");
}

#[test]
fn gnu_sort_is_not_suggested_for_words_that_it_would_refuse() {
    let said = said("sort -n -F lines in");
    assert_eq!(said.status, 2);
    assert!(!said.words.contains("gnu"), "{said:?}");
}

#[test]
fn keys_of_gnu_sort_are_written_out() {
    refused("sort -k2,2nr in", &["'2,2nr'", "as for GNU sort", "write 2:decimal:desc"]);
    refused("sort -k 2,3 in", &["write 2-3", "2..3 stands for bytes", "`sortwell gnu -k 2,3 in`"]);
    let columns = ["of GNU sort are written differently", "-k 2 -k 3 -k 4 -k 5"];
    refused("sort -F csv -k 2,5 in", &columns);
}

#[test]
fn options_of_gnu_sort_are_types_of_keys_where_it_is_not_suggested() {
    for (option, advice) in [("-n", "2:decimal"), ("-V", "2:version"), ("-R", "..:random")] {
        let line = format!("sort in.csv -k size {option}");
        refused(&line, &[&format!("'{option}' is not an option"), advice]);
    }
    let said = said("sort in.csv -n");
    assert!(!said.words.contains("gnu"), "a header would be sorted: {said:?}");
    said.fails(2, &["write a key's type, as in --key 2:decimal; see"]);
}

#[test]
fn values_that_begin_with_a_dash_are_explained() {
    refused("sort --limit -1 in", &["--limit: '-1' is negative"]);
    refused("sort in --skip -20", &["--skip: '-20' is negative"]);
    refused("sort in.csv -t ; -k -size", &["'-size' begins with a dash", "write size:desc"]);
    refused("sort -o -name in", &["--output: '-name' begins with a dash; write --output=-name"]);
    refused("sort in -x", &["'-x' is not an option of 'sortwell sort'"]);
    // A login shell has a dash before its name.
    let script = "(exec -a -1st \"$sortwell\" sort -1 in)";
    Folder::new().script(script).fails(2, &["'-1' is not an option"]);
}

#[test]
fn several_columns_and_directions_are_explained() {
    refused("sort in.csv -t ; -k name,size", &["'name', 'size'; name one column at a time"]);
    let folder = Folder::new();
    folder.write("in.csv", "name,size\nb,10\n");
    let command = folder.command(&["sort", "in.csv", "-k", "size desc"]).output();
    Said::from(command.expect("run")).fails(2, &["write a direction as in size:desc"]);
}

/// A key that is nearly the same would sort in another order.
#[test]
fn keys_that_only_gnu_sort_has_are_left_to_it() {
    for key in ["2,2d", "2,2i", "2.3,3.1"] {
        let said = said(&format!("sort -k {key} in"));
        assert!(!said.words.contains("write"), "{said:?}");
        said.fails(2, &["as for GNU sort; no ", &format!("use `sortwell gnu -k {key} in`")]);
    }
}

#[test]
fn text_without_quotes_in_conditions_is_pointed_at() {
    for (format, key) in [("lines", "1"), ("csv -t ;", "name")] {
        for value in ["yes", "fe80::1"] {
            let folder = Folder::new();
            folder.write("in", "name;size\nyes;10\n");
            let hint = format!("; write text in quotes, as in \"{value}\"");
            let line = format!("sort -F {format} --include {key}=={value} in");
            let said = folder.run(&line);
            assert!(said.status == 2 && said.words.contains(&hint), "{said:?}");
        }
    }
}

#[test]
fn mixtures_of_fields_and_bytes_are_explained() {
    for key in ["2-3..4", "2..3-4", "2-3-4", "2-x:int", "-3", "2--3"] {
        refused(&format!("sort --key={key} in"), &["2-3 for fields 2 to 3", "0..10 for bytes of"]);
    }
    refused("sort -k 3-2 in", &["end before they begin", "write 2-3"]);
    refused("sort -k 0-2 in", &["fields count from 1"]);
    refused("sort -F csv -k 2-3 in", &["write -k 2 -k 3", "\"2-3\" for the column of that name"]);
    refused("sort -F csv -k 2-4[1..]:ci in", &["write -k 2[1..]:ci -k 3:ci -k 4:ci, or"]);
    refused("sort -F csv -k 2-4[1..3] in", &["write a key for each column, or"]);
    refused("sort -F jsonl -k 2-3 in", &["-k user.id -k ts"]);
    refused("sort -F fixed:4 -k 2-3 in", &["is not a range of bytes"]);
    refused("sort --split-by 2-3 -t , -k 2-3 in -o out", &["2-3"]);
}

#[test]
fn names_of_other_programs_lead_to_the_option() {
    for (name, option) in [
        ("--delimiter", "--separator"),
        ("--sep", "--separator"),
        ("--fs", "--separator"),
        ("--where", "--include"),
        ("--filter=x", "--include"),
        ("--distinct", "--unique"),
        ("--dedup", "--unique"),
        ("--order-by", "--key"),
        ("--by", "--key"),
        ("--top", "--limit"),
        ("--head", "--limit"),
        ("--descending", ":desc"),
        ("--parallel", "--threads"),
        ("--buffer-size", "--memory"),
        ("--tmpdir", "--temp "),
        ("--temporary-directory", "--temp "),
        ("--no-headers", "--no-header"),
        ("--outfile", "--output"),
    ] {
        let line = format!("sort {name} in");
        refused(&line, &[name.split('=').next().unwrap_or(name), option]);
    }
}

#[test]
fn only_near_names_are_suggested() {
    refused("sort --inlcude x in", &["did you mean '--include'?"]);
    for name in ["--foobar", "--wherever", "--colour", "--x"] {
        let said = said(&format!("sort {name} in"));
        assert_eq!(said.status, 2);
        assert!(!said.words.contains("did you mean"), "{said:?}");
        assert!(said.words.contains("see `sortwell sort -h`"), "{said:?}");
    }
    refused("sotr in", &["did you mean 'sort'?"]);
    refused("in", &["write `sortwell sort in`"]);
}

#[test]
fn sizes_are_written_as_for_gnu_sort() {
    for size in ["1G", "1g", "512M", "64m", "65536k", "1GB", "1Gi"] {
        said(&format!("sort -M {size} in")).quietly();
    }
}

#[test]
fn names_are_read_in_any_case() {
    assert_eq!(said("sort -k 2:INT in").quietly(), b"c 1\na 9\nb 10\n");
    assert_eq!(said("sort -k 2:Int:DESC in").quietly(), b"b 10\na 9\nc 1\n");
    assert_eq!(
        said("sort -F CSV -t ; -k size:Decimal in.csv").quietly(),
        b"name;size\na;9\nb;10\n"
    );
    assert_eq!(said("sort -j 0 in").quietly(), b"a 9\nb 10\nc 1\n");
}

#[test]
fn statistics_and_progress_may_be_asked_for_bare() {
    for line in ["sort --stats in", "sort in --stats", "sort --stats text in", "sort --stats -r in"]
    {
        let said = said(line);
        assert_eq!(said.status, 0, "{said:?}");
        assert!(said.words.contains("3 records"), "{line}: {said:?}");
        assert_eq!(said.out.len(), LINES.len(), "{line}");
    }
    assert!(said("sort --stats json in").words.starts_with('{'));
    assert_eq!(said("sort --progress in").quietly().len(), LINES.len());
    assert_eq!(said("sort --progress never in").quietly().len(), LINES.len());
    refused("sort --stats xml in", &["'xml'", "text, json"]);
}

#[test]
fn types_of_the_format_are_listed_and_a_near_one_is_suggested() {
    refused(
        "sort -F fixed:4 -k 0..4:u32el in",
        &["did you mean 'u32le'?", "packed", "zoned", "f64be"],
    );
    refused("sort -k 2:itn in", &["did you mean 'int'?", "decimal"]);
    let said = said("sort -k 2:number in");
    assert!(!said.words.contains("did you mean"), "{said:?}");
}

#[test]
fn a_header_with_another_separator_is_named() {
    refused("sort -F csv -k size in.csv", &["no column is called 'size'", "--separator ';'"]);
}

#[test]
fn the_names_of_inputs_say_the_format_where_a_key_names_a_column() {
    let folder = Folder::new();
    folder.write("a.csv", "id,size\nb,10\na,9\n");
    folder.write("b.CSV", "id,size\nc,1\n");
    folder.write("t.tsv", "id\tsize\nb\t10\na\t9\n");
    folder.write("log.jsonl", "{\"a\":{\"n\":10}}\n{\"a\":{\"n\":9}}\n");
    folder.run("sort -F csv -o a.csv.gz a.csv").quietly();
    folder.run("sort -F csv -o a.csv.zst a.csv").quietly();
    for (line, sorted) in [
        ("sort -k size:int a.csv", "id,size\na,9\nb,10\n"),
        ("sort -k size:int a.csv b.CSV", "id,size\nc,1\na,9\nb,10\n"),
        ("sort -k size:int t.tsv", "id\tsize\na\t9\nb\t10\n"),
        ("sort -k a.n:int log.jsonl", "{\"a\":{\"n\":9}}\n{\"a\":{\"n\":10}}\n"),
        ("sort -k size:int a.csv.gz", "id,size\na,9\nb,10\n"),
        ("sort -k size:int a.csv.zst", "id,size\na,9\nb,10\n"),
        ("merge -k size:int b.CSV b.CSV", "id,size\nc,1\nc,1\n"),
    ] {
        assert_eq!(folder.run(line).quietly(), sorted.as_bytes(), "{line}");
    }
    folder.run("check -k size:int b.CSV").quietly();
    // A key by its number means what it always has: a field of a line.
    let lines = folder.run("sort -t , -k 2 a.csv").quietly();
    assert_eq!(lines, b"b,10\na,9\nid,size\n");
    let said = folder.run("sort -k size:int --stats a.csv").words;
    assert!(said.contains("format   csv, from the names of the inputs"), "{said}");
    let said = folder.run("sort -k size:int --stats json a.csv").words;
    assert!(said.contains("\"format_by_names\":\"csv\""), "{said}");
    let said = folder.run("sort -F csv -k size:int --stats a.csv").words;
    assert!(!said.contains("from the names"), "{said}");
    let plan = String::from_utf8(folder.run("explain -k size:int a.csv").quietly()).expect("UTF-8");
    assert!(plan.contains("format   csv, from the names of the inputs"), "{plan}");
    for line in ["sort -k size:int a.csv t.tsv", "sort -F lines -k size:int a.csv"] {
        folder.run(line).fails(2, &["'size'", "not a place in a line"]);
    }
    let piped = folder.run_with("sort -k size:int", b"id,size\n");
    piped.fails(2, &["not a place in a line"]);
}

#[test]
fn a_pipe_s_progress_is_what_was_read_and_for_how_long() {
    let folder = Folder::new();
    let said = folder
        .script("(echo b; sleep 2; echo a) | \"$sortwell\" sort --progress always -o out; cat out");
    assert_eq!((said.status, said.out.as_slice()), (0, b"a\nb\n".as_slice()), "{said:?}");
    assert!(said.words.contains("0 MB read in 1 s"), "{said:?}");
    assert!(!said.words.contains('%') && !said.words.contains("left"), "{said:?}");
}
